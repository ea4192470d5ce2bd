"""scikit-learn's own checks of estimators: all of them, none expected to fail."""

import pytest

pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import estimator_checks_generator

from softwood.sklearn import (
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

# Few candidates and starts, so that some 60 checks of fits that choose take seconds;
# benches/estimator_checks.py runs them with the defaults.
FEW = {"depths": (1, 2), "gammas": (512.0,), "local_grid": (0.0,), "n_starts": 2, "folds": 3}

# Data of the checks are tiny: trees of one class, empty leaves and limits are to be expected.
pytestmark = [
    pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


ESTIMATORS = [
    FunctionalORCTClassifier(depth=2, n_starts=4),
    FunctionalORCTClassifierCV(
        depths=(2,), n_intervals=(1,), derivatives=((0,),), gammas=(128.0,), n_starts=2, folds=3
    ),
    FunctionalORRTRegressor(n_starts=4),
    FunctionalORRTRegressorCV(
        n_intervals=(1,), derivatives=((0,),), gammas=(32.0,), n_starts=2, folds=3
    ),
    ORCTClassifier(n_starts=4),
    ORCTClassifierCV(**FEW),
    ORRTRegressor(),
    ORRTRegressorCV(depths=(1,), gammas=(32.0,), n_starts=2, folds=3),
    SPDTClassifier(),
    SRTRegressor(),
    SRTRegressorCV(depths=(1, 2), n_starts=2, folds=3),
    SVM1ODTClassifier(n_starts=2, restarts=2, max_nodes=0),
]
CHECKS = [pair for estimator in ESTIMATORS for pair in estimator_checks_generator(estimator)]


def name_of(part):
    """Return the name of an estimator or, without its arguments, of a check."""
    return type(part).__name__ if part in ESTIMATORS else part.func.__name__


@pytest.mark.parametrize(("estimator", "check"), CHECKS, ids=name_of)
def test_estimator_check(estimator, check):
    check(estimator)
