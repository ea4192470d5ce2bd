"""softwood's trees as scikit-learn estimators; needs ``pip install "softwood[sklearn]"``."""

try:
    from sklearn.utils.validation import validate_data as _  # noqa: F401  not before 1.6
except ImportError as missing:
    raise ImportError(
        'softwood.sklearn needs scikit-learn 1.6 or later: pip install "softwood[sklearn]"'
    ) from missing

from .trees import (
    FunctionalORCTClassifier,
    FunctionalORCTClassifierCV,
    FunctionalORRTRegressor,
    FunctionalORRTRegressorCV,
    ORCTClassifier,
    ORCTClassifierCV,
    ORRTRegressor,
    ORRTRegressorCV,
    SPDTClassifier,
    SRTRegressor,
    SRTRegressorCV,
    SVM1ODTClassifier,
)
from .warnings import LimitConvergenceWarning

__all__ = [
    "FunctionalORCTClassifier",
    "FunctionalORCTClassifierCV",
    "FunctionalORRTRegressor",
    "FunctionalORRTRegressorCV",
    "LimitConvergenceWarning",
    "ORCTClassifier",
    "ORCTClassifierCV",
    "ORRTRegressor",
    "ORRTRegressorCV",
    "SPDTClassifier",
    "SRTRegressor",
    "SRTRegressorCV",
    "SVM1ODTClassifier",
]
