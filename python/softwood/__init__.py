"""Globally optimized oblique decision trees with soft splits."""

from ._core import OrctModel, __version__
from .examples import load_example
from .functions import fit_orct, load
from .objective import OrctObjective
from .path import SparsityPath, sparsity_path
from .progress import Progress
from .results import ClassRate, CvCandidate, OrctReport, Rule, Selection
from .selection import LambdaMax, VcBounds, fit_orct_cv, lambda_max, vc_bounds

__all__ = [
    "ClassRate",
    "CvCandidate",
    "LambdaMax",
    "OrctModel",
    "OrctObjective",
    "OrctReport",
    "Progress",
    "Rule",
    "Selection",
    "SparsityPath",
    "VcBounds",
    "__version__",
    "fit_orct",
    "fit_orct_cv",
    "lambda_max",
    "load",
    "load_example",
    "sparsity_path",
    "vc_bounds",
]
