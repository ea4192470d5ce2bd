"""Globally optimized oblique decision trees with soft splits."""

from ._core import InternalError, __version__
from .examples import load_example
from .functions import fit_orct, fit_orrt, fit_srt, load
from .model_choice import LambdaMax, VcBounds, fit_orct_cv, fit_srt_cv, lambda_max, vc_bounds
from .models import OrctModel, OrrtModel, SrtModel
from .objective import OrctObjective
from .path import SparsityPath, sparsity_path
from .progress import Progress
from .results import (
    Constraint,
    Curve,
    CvCandidate,
    CvTable,
    LeafModel,
    LinearForm,
    Notice,
    OrctCandidate,
    OrctReport,
    OrrtReport,
    Rule,
    SelectionReport,
    SelectionRound,
    SplitExplanation,
    SrtCandidate,
    SrtReport,
)
from .row_groups import RowGroup
from .selection import (
    BalancedRelaxation,
    Cluster,
    ExtremePoints,
    Hyperplanes,
    RowSelection,
    SelectedRows,
    balanced_relaxation,
    leaf_regions,
    select_extreme_points,
    select_rows,
)
from .warnings import SoftwoodWarning

__all__ = [
    "BalancedRelaxation",
    "Cluster",
    "Constraint",
    "Curve",
    "CvCandidate",
    "CvTable",
    "ExtremePoints",
    "Hyperplanes",
    "InternalError",
    "LambdaMax",
    "LeafModel",
    "LinearForm",
    "Notice",
    "OrctCandidate",
    "OrctModel",
    "OrctObjective",
    "OrctReport",
    "OrrtModel",
    "OrrtReport",
    "Progress",
    "RowGroup",
    "RowSelection",
    "Rule",
    "SelectedRows",
    "SelectionReport",
    "SelectionRound",
    "SoftwoodWarning",
    "SparsityPath",
    "SplitExplanation",
    "SrtCandidate",
    "SrtModel",
    "SrtReport",
    "VcBounds",
    "__version__",
    "balanced_relaxation",
    "fit_orct",
    "fit_orct_cv",
    "fit_orrt",
    "fit_srt",
    "fit_srt_cv",
    "lambda_max",
    "leaf_regions",
    "load",
    "load_example",
    "select_extreme_points",
    "select_rows",
    "sparsity_path",
    "vc_bounds",
]
