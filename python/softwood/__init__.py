"""Globally optimized oblique decision trees with soft splits."""

from ._core import OrctModel, SrtModel, __version__
from .examples import load_example
from .functions import fit_orct, fit_srt, load
from .model_choice import LambdaMax, VcBounds, fit_orct_cv, lambda_max, vc_bounds
from .objective import OrctObjective
from .path import SparsityPath, sparsity_path
from .progress import Progress
from .results import ClassRate, CvCandidate, CvTable, LeafModel, OrctReport, Rule, SrtReport

__all__ = [
    "ClassRate",
    "CvCandidate",
    "CvTable",
    "LambdaMax",
    "LeafModel",
    "OrctModel",
    "OrctObjective",
    "OrctReport",
    "Progress",
    "Rule",
    "SparsityPath",
    "SrtModel",
    "SrtReport",
    "VcBounds",
    "__version__",
    "fit_orct",
    "fit_orct_cv",
    "fit_srt",
    "lambda_max",
    "load",
    "load_example",
    "sparsity_path",
    "vc_bounds",
]
