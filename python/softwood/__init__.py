"""Globally optimized oblique decision trees with soft splits."""

from ._core import OrctModel, __version__
from .examples import load_example
from .functions import fit_orct, load
from .objective import OrctObjective
from .progress import Progress
from .results import OrctReport, Rule, SelectionReport, SelectionRound
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

__all__ = [
    "BalancedRelaxation",
    "Cluster",
    "ExtremePoints",
    "Hyperplanes",
    "OrctModel",
    "OrctObjective",
    "OrctReport",
    "Progress",
    "RowSelection",
    "Rule",
    "SelectedRows",
    "SelectionReport",
    "SelectionRound",
    "__version__",
    "balanced_relaxation",
    "fit_orct",
    "leaf_regions",
    "load",
    "load_example",
    "select_extreme_points",
    "select_rows",
]
