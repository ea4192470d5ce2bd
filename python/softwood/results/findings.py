"""What is told of a fit beside its figures: bounds, rows that were selected, notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# What each kind of constraint bounds.
BOUNDED = {
    "class_rate": "rate",
    "group_error": "mean squared error",
    "group_error_gap": "gap of the mean squared error",
    "group_mean_gap": "gap of the mean prediction",
    "group_recall": "recall",
    "group_recall_gap": "gap of the recall",
    "group_least_selection": "selection rate",
    "group_most_selection": "selection rate",
    "group_selection_gap": "gap of the selection rate",
    "group_accuracy": "accuracy",
    "group_accuracy_gap": "gap of the accuracy",
}


@dataclass(frozen=True)
class SelectionRound:
    """One of the trees fitted on the way to a tree trained on selected rows.

    Attributes
    ----------
    step : {"sample", "clusters", "mistakes"}
        Where its rows came from: a random sample of each class; each class in each leaf of the
        tree before; or the mistakes of the tree before and the extreme points of what each of its
        leaves gets right.
    rows : int
        Rows it was trained on.
    accuracy : float
        Share of all rows, by weight, whose class it predicts.
    accepted : bool
        Whether it took the place of the tree before: its accuracy is no lower.
    """

    step: str
    rows: int
    accuracy: float
    accepted: bool


@dataclass(frozen=True)
class SelectionReport:
    """How the rows a tree was trained on were selected.

    Attributes
    ----------
    rows : int
        Rows the tree was trained on.
    share : float
        Their share of all rows.
    accuracy : float
        Share of all rows, by weight, whose class the tree predicts.
    rounds : tuple of SelectionRound
        Every tree that was fitted, in order.
    """

    rows: int
    share: float
    accuracy: float
    rounds: tuple[SelectionRound, ...]

    def __str__(self) -> str:
        return f"{self.share:.2%} of the rows, {self.accuracy:.2%} accuracy on all of them"


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """A bound that a fit was to keep, and what came of it.

    Attributes
    ----------
    kind : str
        What is bounded. ``"class_rate"``: from below, the expected share of a class's training
        rows that are predicted as such. Of a group of rows, from below ``"group_recall"``,
        ``"group_least_selection"``, the share predicted as a class, and ``"group_accuracy"``;
        from above ``"group_most_selection"``, the same share, ``"group_error"``, the mean squared
        error, and distances from all training rows or another group: ``"group_recall_gap"``,
        ``"group_selection_gap"``, ``"group_accuracy_gap"``, ``"group_error_gap"``,
        ``"group_mean_gap"`` (of the mean prediction).
    label : object
        The class it is about, if it is about one.
    group : str or None
        The group of rows it is about, if it is about one.
    compared_with : str or None
        The group that a gap is measured from; None if from all training rows.
    asked : float
        The bound.
    imposed : float or None
        The bound that training was given, if a margin was learned on folds.
    cross_validated : float or None
        What is bounded, on held-out rows of these folds, by the predicted classes.
    reached : float
        What is bounded: a class's rate in expectation over the leaves, as
        ``model.label_probabilities`` has them; of a group what ``model.predict`` returns.
    expected : float or None
        What is bounded of a group's predicted classes, in expectation over the leaves.
    multiplier : float
        Fall of the objective for each unit that the bound is relaxed by.
    feasible : bool
        Whether the bound that training was given is kept: rates and shares within 0.001, errors
        and means within a 10,000th of the variance or deviation of y.
    """

    kind: str
    label: object = None
    group: str | None = None
    compared_with: str | None = None
    asked: float
    imposed: float | None = None
    cross_validated: float | None = None
    reached: float
    expected: float | None = None
    multiplier: float
    feasible: bool

    def _margin(self) -> str:
        if self.imposed is None:
            return ""
        rate = "unknown" if self.cross_validated is None else f"{self.cross_validated:.4f}"
        return f", imposed {self.imposed:.4f}, cross-validated {rate}"

    def _outcome(self) -> str:
        missed = "" if self.feasible else ", NOT REACHED"
        return (
            f"{self.reached:.4f}, asked {self.asked:.4f}{self._margin()}, "
            f"multiplier {self.multiplier:.4g}{missed}"
        )

    def __str__(self) -> str:
        return f"{self.subject}: {self._outcome()}"

    @property
    def subject(self) -> str:
        """What is bounded, in words."""
        about = [about for about in (self.label, self.group) if about is not None]
        return f"{BOUNDED[self.kind]} of {' in '.join(map(str, about))}"


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Something about a fit that is likely to be unwanted.

    Fits warn of it, too; of empty leaves only if they are half of the leaves or more, for then a
    smaller depth would do.

    Attributes
    ----------
    code : str
        ``"one_class"``: the tree predicts one class for all training rows; ``"no_features"``:
        penalties have put all coefficients to 0; ``"empty_leaves"``: leaves that no training row
        reaches (with a probability of 0.01 or more where rows are shared by leaves);
        ``"rate_missed"``: a class is recognized less often than asked for; ``"bound_missed"``: a
        bound on a group of rows is not kept;
        ``"all_rows_selected"``: a selection has kept all rows; ``"limit_reached"``: a limit of time
        or iterations ended the fit.
    message : str
        The fact, and what can be done; also ``str`` of this.
    details : mapping
        The figures in it, by name.
    """

    code: str
    message: str
    details: Mapping[str, object]

    def __str__(self) -> str:
        return self.message
