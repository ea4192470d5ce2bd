"""What is likely to be unwanted of a fit: the facts in words, and as Python's warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .results import BOUNDED, FitReport, Notice
from .warnings import (
    AllRowsSelectedWarning,
    BoundMissedWarning,
    EmptyLeavesWarning,
    FewerFoldsWarning,
    LimitWarning,
    NoFeaturesWarning,
    OneClassWarning,
    RateMissedWarning,
    SoftwoodWarning,
)

# Modules whose calls are softwood's own: estimators fit by way of scikit-learn's callbacks.
INSIDE = ("softwood.", "sklearn.callback.")

# Leaves that a message lists; `details` holds all of them.
SHOWN_LEAVES = 8

# For each code of the core the class of the warning…
WARNINGS: dict[str, type[SoftwoodWarning]] = {
    "one_class": OneClassWarning,
    "no_features": NoFeaturesWarning,
    "empty_leaves": EmptyLeavesWarning,
    "rate_missed": RateMissedWarning,
    "bound_missed": BoundMissedWarning,
    "all_rows_selected": AllRowsSelectedWarning,
    "fewer_folds": FewerFoldsWarning,
    "limit_reached": LimitWarning,
}

# … and what is said, with what can be done.
MESSAGES = {
    "one_class": "the tree predicts {label!r} for all training rows; try class_weight='balanced', "
    "more starts (n_starts), a deeper tree, scaling='auto' or a weaker penalty",
    "no_features": "the penalties have emptied the tree, no split uses any feature; lower "
    "local_penalty and global_penalty (softwood.lambda_max tells from where on that must happen)",
    "empty_leaves": "no training row reaches {count} of the {of} leaves (from the left: "
    "{numbers}); what they predict rests on nothing; a smaller depth does without them",
    "rate_missed": "class {label!r} is recognized at a rate of {reached:.4f} where min_class_rate "
    "asks for {asked:g}; ask for less, or allow a deeper tree or more starts (n_starts)",
    "bound_missed": "the {bounded} of {group} is {reached:.6g} where row_groups ask for {asked:g}; "
    "ask for less, or a deeper tree or more starts (n_starts)",
    "all_rows_selected": "the selection has kept all {rows} rows and saved nothing; raise the "
    "tolerance of RowSelection, or train on rows='all'",
    "fewer_folds": "the rarest class has too few different rows for {asked} folds: {folds} were "
    "made, so that errors on held-out rows are uncertain; ask for fewer folds, or give more rows "
    "of the class",
    "limit_reached": "the fit ended at {limit} before it was done, with the best tree until then; "
    "{advice}",
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
    if "kind" in details:
        of_class = f" of class {details['label']!r}" if "label" in details else ""
        words["bounded"] = BOUNDED[details["kind"]] + of_class
    if "leaves" in details:
        leaves = details["leaves"]
        numbers = ", ".join(map(str, leaves[:SHOWN_LEAVES]))
        more = ", …" if len(leaves) > SHOWN_LEAVES else ""
        words |= {"count": len(leaves), "numbers": numbers + more}
    code = told["code"]
    return Notice(code=code, message=MESSAGES[code].format(**words), details=details)


def warn_of(report: FitReport) -> None:
    """Give a warning for every notice, in the name of the line that called softwood."""
    for notice in report.notices:
        if _is_grave(notice):
            warn_outside(notice.message, WARNINGS[notice.code])


def warn_outside(message: str, kind: type[SoftwoodWarning]) -> None:
    """Give a warning in the name of the line that called softwood."""
    warnings.warn(message, kind, stacklevel=_levels_inside())


def _is_grave(notice: Notice) -> bool:
    """Tell a few empty leaves, as most trees have them, from what a user must see.

    If half of them are empty or more, a smaller depth has leaves enough.
    """
    if notice.code != "empty_leaves":
        return True
    leaves, of = notice.details["leaves"], notice.details["of"]
    return isinstance(leaves, list) and isinstance(of, int) and 2 * len(leaves) >= of


def _levels_inside() -> int:
    """Count the calls from `warnings.warn` up to the first that is none of softwood's."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back and f"{frame.f_globals.get('__name__', '')}.".startswith(INSIDE):
        frame, levels = frame.f_back, levels + 1
    return levels
