"""Globally optimized oblique decision trees with soft splits."""

from ._core import OrctModel, __version__
from .examples import load_example
from .functions import fit_orct, load
from .objective import OrctObjective
from .progress import Progress
from .results import ClassRate, OrctReport, Rule

__all__ = [
    "ClassRate",
    "OrctModel",
    "OrctObjective",
    "OrctReport",
    "Progress",
    "Rule",
    "__version__",
    "fit_orct",
    "load",
    "load_example",
]
