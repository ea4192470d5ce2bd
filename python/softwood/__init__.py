"""Globally optimized oblique decision trees with soft splits."""

from ._core import OrctModel, SrtModel, __version__
from .examples import load_example
from .functions import fit_orct, fit_srt, load
from .objective import OrctObjective
from .progress import Progress
from .results import LeafModel, OrctReport, Rule, SrtReport

__all__ = [
    "LeafModel",
    "OrctModel",
    "OrctObjective",
    "OrctReport",
    "Progress",
    "Rule",
    "SrtModel",
    "SrtReport",
    "__version__",
    "fit_orct",
    "fit_srt",
    "load",
    "load_example",
]
