"""Pictures of trees, of explanations and of fits; needs matplotlib, the extra ``softwood[plot]``.

Every function draws one picture into `ax`, or into a figure of its own, and returns the Axes.
Colours follow the style in use, light or dark.
"""

from .curve import plot_curve
from .decision_map import plot_decision_map
from .explanation import plot_effects, plot_explanation
from .fit import plot_rates, plot_reliability, plot_starts
from .functional import plot_error_by_intervals, plot_intervals, plot_length_tradeoff
from .importance import plot_importance
from .path import plot_path, plot_path_map
from .tree import plot_tree

__all__ = [
    "plot_curve",
    "plot_decision_map",
    "plot_effects",
    "plot_error_by_intervals",
    "plot_explanation",
    "plot_importance",
    "plot_intervals",
    "plot_length_tradeoff",
    "plot_path",
    "plot_path_map",
    "plot_rates",
    "plot_reliability",
    "plot_starts",
    "plot_tree",
]
