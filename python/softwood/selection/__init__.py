"""Rows that stand for the others: extreme points, and the choice of rows to train on."""

from .functions import (
    balanced_relaxation,
    select_balanced_rows,
    select_extreme_points,
    select_rows,
)
from .regions import leaf_regions
from .results import (
    BalancedRelaxation,
    BalancedRows,
    Cluster,
    ExtremePoints,
    Hyperplanes,
    SelectedRows,
)
from .row_selection import RowSelection, as_selection

__all__ = [
    "BalancedRelaxation",
    "BalancedRows",
    "Cluster",
    "ExtremePoints",
    "Hyperplanes",
    "RowSelection",
    "SelectedRows",
    "as_selection",
    "balanced_relaxation",
    "leaf_regions",
    "select_balanced_rows",
    "select_extreme_points",
    "select_rows",
]
