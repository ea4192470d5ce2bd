"""What is likely to be unwanted of a fit: the facts in words, and as Python's warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .results import FitReport, Notice
from .warnings import (
    AllRowsSelectedWarning,
    EmptyLeavesWarning,
    LimitWarning,
    NoFeaturesWarning,
    OneClassWarning,
    RateMissedWarning,
    SoftwoodWarning,
)

# For each code of the core: what is said, with what can be done, and the class of the warning.
KINDS: dict[str, tuple[str, type[SoftwoodWarning]]] = {
    "one_class": (
        "the tree predicts {label!r} for all training rows; try class_weight='balanced', more "
        "starts (n_starts), a deeper tree, scaling='auto' or a weaker penalty",
        OneClassWarning,
    ),
    "no_features": (
        "the penalties have emptied the tree, no split uses any feature; lower local_penalty and "
        "global_penalty (softwood.lambda_max tells from where on that must happen)",
        NoFeaturesWarning,
    ),
    "empty_leaves": (
        "no training row reaches {count} of the {of} leaves (from the left: {numbers}); what they "
        "predict rests on nothing; a smaller depth does without them",
        EmptyLeavesWarning,
    ),
    "rate_missed": (
        "class {label!r} is recognized at a rate of {reached:.4f} where min_class_rate asks for "
        "{asked:g}; ask for less, or allow a deeper tree or more starts (n_starts)",
        RateMissedWarning,
    ),
    "all_rows_selected": (
        "the selection has kept all {rows} rows and saved nothing; raise the tolerance of "
        "RowSelection, or train on rows='all'",
        AllRowsSelectedWarning,
    ),
    "limit_reached": (
        "the fit ended at {limit} before it was done, with the best tree until then; {advice}",
        LimitWarning,
    ),
}

ADVICE = {
    "time_limit": "allow more time or ask for fewer starts (n_starts)",
    "iteration_limit": "raise {setting}, or tol if less precision will do",
}


def as_notice(told: Mapping[str, Any], labels: Sequence[object], setting: str) -> Notice:
    """Return a notice of the core's; `setting` is the one that limits iterations."""
    details = {name: value for name, value in told.items() if name != "code"}
    if "class" in details:
        details["label"] = labels[details.pop("class")]
    words = dict(details)
    if "status" in details:
        limit = setting if details["status"] == "iteration_limit" else details["status"]
        words |= {"limit": limit, "advice": ADVICE[details["status"]].format(setting=setting)}
    if "leaves" in details:
        numbers = ", ".join(map(str, details["leaves"]))
        words |= {"count": len(details["leaves"]), "numbers": numbers}
    return Notice(code=told["code"], message=KINDS[told["code"]][0].format(**words), details=details)


def warn_of(report: FitReport) -> None:
    """Give a warning for every notice, in the name of the line that called softwood."""
    for notice in report.notices:
        if _is_grave(notice):
            warnings.warn(notice.message, KINDS[notice.code][1], stacklevel=_levels_inside())


def _is_grave(notice: Notice) -> bool:
    """Tell all from a few empty leaves, which most trees have: a smaller depth needs half of them."""
    if notice.code != "empty_leaves":
        return True
    leaves, of = notice.details["leaves"], notice.details["of"]
    return isinstance(leaves, list) and isinstance(of, int) and 2 * len(leaves) >= of


def _levels_inside() -> int:
    """Count the calls from `warnings.warn` up to the first that is none of softwood's."""
    frame, levels = sys._getframe(1), 1
    package = __name__.partition(".")[0]
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, levels = frame.f_back, levels + 1
    return levels
