"""The table from which settings were chosen on folds."""

from __future__ import annotations

from dataclasses import dataclass, fields

# Rows of a cross-validation's table that are printed; `candidates` holds all of them.
SHOWN_CANDIDATES = 12


@dataclass(frozen=True, kw_only=True)
class CvCandidate:
    """Settings tried on folds of the training rows, and how they did on held-out rows.

    Attributes
    ----------
    score : float
        Score by the table's `scoring`; NaN if time ran out before it was scored.
    standard_error : float
        Its standard error.
    folds : int
        Folds it was scored on: fewer than the others if it fell behind.
    """

    score: float
    standard_error: float
    folds: int

    def settings(self) -> dict[str, object]:
        """Return the settings that were tried, by name."""
        others = {field.name for field in fields(CvCandidate)} | set(self._figures())
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in named.items() if name not in others}

    def _figures(self) -> dict[str, str]:
        """Return what else is known of it, as text."""
        return {}


@dataclass(frozen=True, kw_only=True)
class _ClassCandidate(CvCandidate):
    """Settings of a classification tree, and what else is known of it."""

    accuracy: float
    local_sparsity: float
    global_sparsity: float

    def _figures(self) -> dict[str, str]:
        return {
            "accuracy": f"{100 * self.accuracy:.2f} %",
            "local_sparsity": f"{self.local_sparsity:.1f} %",
            "global_sparsity": f"{self.global_sparsity:.1f} %",
        }


@dataclass(frozen=True, kw_only=True)
class OrctCandidate(_ClassCandidate):
    """Settings of an ORCT tried on folds of the training rows.

    Attributes
    ----------
    depth, scaling, gamma, balanced, local_penalty, global_penalty
        The settings; `balanced` says whether classes were balanced in training.
    score : float
        Score by the table's `scoring`; NaN if time ran out before it was scored.
    standard_error : float
        Its standard error.
    folds : int
        Folds it was scored on: fewer than the others if it fell behind.
    accuracy : float
        Share of held-out rows predicted right, by weight.
    local_sparsity, global_sparsity : float
        Means over the folds, in percent.
    """

    depth: int
    scaling: str
    gamma: float
    balanced: bool = False
    local_penalty: float
    global_penalty: float


@dataclass(frozen=True, kw_only=True)
class OrrtCandidate(CvCandidate):
    """Settings of an ORRT tried on folds of the training rows.

    Attributes
    ----------
    depth, scaling, gamma, local_penalty, global_penalty
        The settings.
    ridge_leaves : float or None
        Penalty of all coefficients of the leaf models; None is that of most evidence.
    score : float
        Score by the table's `scoring`; NaN if time ran out before it was scored.
    standard_error : float
        Its standard error.
    folds : int
        Folds it was scored on: fewer than the others if it fell behind.
    """

    depth: int
    scaling: str
    gamma: float
    local_penalty: float
    global_penalty: float
    ridge_leaves: float | None


@dataclass(frozen=True, kw_only=True)
class SrtCandidate(CvCandidate):
    """Settings of an SRT tried on folds of the training rows.

    Attributes
    ----------
    depth, curves
        The settings.
    ridge_leaves : float or None
        Penalty of all coefficients of the leaf models; None is one for each feature, by evidence
        maximization.
    score : float
        Score by the table's `scoring`; NaN if time ran out before it was scored.
    standard_error : float
        Its standard error.
    folds : int
        Folds it was scored on: fewer than the others if it fell behind.
    """

    depth: int
    curves: bool
    ridge_leaves: float | None


@dataclass(frozen=True, kw_only=True)
class FunctionalCandidate(CvCandidate):
    """Settings of a tree on curves tried on folds of the training rows.

    Attributes
    ----------
    depth, n_intervals, derivatives, gamma, length_penalty, local_penalty, global_penalty
        The settings.
    score : float
        Score by the table's `scoring`; NaN if time ran out before it was scored.
    standard_error : float
        Its standard error.
    folds : int
        Folds it was scored on: fewer than the others if it fell behind.
    """

    depth: int
    n_intervals: int
    derivatives: list[int]
    gamma: float
    length_penalty: float
    local_penalty: float
    global_penalty: float


@dataclass(frozen=True, kw_only=True)
class FunctionalOrctCandidate(FunctionalCandidate, _ClassCandidate):
    """Settings of a classification tree on curves tried on folds of the training rows.

    Attributes
    ----------
    depth, n_intervals, derivatives, gamma, length_penalty, local_penalty, global_penalty
        The settings.
    score : float
        Score by the table's `scoring`; NaN if time ran out before it was scored.
    standard_error : float
        Its standard error.
    folds : int
        Folds it was scored on: fewer than the others if it fell behind.
    accuracy : float
        Share of held-out rows predicted right, by weight.
    local_sparsity, global_sparsity : float
        Means over the folds, in percent.
    """


@dataclass(frozen=True, kw_only=True)
class FunctionalOrrtCandidate(FunctionalCandidate):
    """Settings of a regression tree on curves tried on folds of the training rows.

    Attributes
    ----------
    depth, n_intervals, derivatives, gamma, length_penalty, local_penalty, global_penalty
        The settings.
    ridge_leaves : float
        Penalty of the leaf models.
    score : float
        Score by the table's `scoring`; NaN if time ran out before it was scored.
    standard_error : float
        Its standard error.
    folds : int
        Folds it was scored on: fewer than the others if it fell behind.
    """

    ridge_leaves: float


@dataclass(frozen=True)
class SpdtCandidate(CvCandidate):
    """Settings of a sparse perceptron decision tree that were tried.

    Attributes
    ----------
    C : float
        Cost of slacks.
    budget : int
        Features generated at a time.
    features : int
        Features of the root's split.
    score : float
        Share of rows that the root's classifiers get right without having seen them.
    standard_error : float
        Its standard error.
    folds : int
        Folds.
    """

    C: float
    budget: int
    features: int


@dataclass(frozen=True)
class Svm1OdtCandidate(CvCandidate):
    """Settings of a hard oblique tree that were tried.

    Attributes
    ----------
    epsilon : float
        ε, the margin.
    alpha1 : float or None
        α₁, the cost of slack against the margin in a program; None for no slack.
    alpha2 : float
        α₂, the cost of ‖h‖₁.
    slack_cost : float
        C, the cost of slack.
    split_penalty : float
        What a split costs, as a share of the weight of all rows.
    tree : {"search", "orct", "cart", "given"}
        What the search has found, or the start that was kept.
    score : float
        Share of held-out rows predicted right.
    standard_error : float
        Its standard error.
    folds : int
        Folds.
    """

    epsilon: float
    alpha1: float | None
    alpha2: float
    slack_cost: float
    split_penalty: float
    tree: str


# Scores that are the better the larger they are.
LARGER_IS_BETTER = {"accuracy", "balanced_accuracy", "roc_auc", "r2"}


@dataclass(frozen=True)
class CvTable:
    """The table of a cross-validation.

    Attributes
    ----------
    scoring : str
        What the candidates' scores are, such as ``"cost"`` or ``"r2"``.
    candidates : tuple of CvCandidate
        All that were tried.
    chosen : int
        Place of the one that was taken.
    folds, repeats : int
        Folds of a folding, and how often the rows were folded.
    cut_short : bool
        Whether the time limit ended the choice early.
    """

    scoring: str
    candidates: tuple[CvCandidate, ...]
    chosen: int
    folds: int
    repeats: int
    cut_short: bool

    def __str__(self) -> str:
        sign = -1 if self.scoring in LARGER_IS_BETTER else 1
        ranked = sorted(self.candidates, key=lambda c: (-c.folds, sign * c.score))
        best = self.candidates[self.chosen]
        rows = [
            {
                **{name: _short(value) for name, value in c.settings().items()},
                self.scoring: f"{c.score:.4f} ± {c.standard_error:.4f}",
                **c._figures(),
                "folds": f"{c.folds}{' *' if c is best else '  '}",
            }
            for c in ranked[:SHOWN_CANDIDATES]
        ]
        columns = [[name, *(row[name] for row in rows)] for name in rows[0]]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in zip(*columns, strict=True)
        ]
        more = len(ranked) - len(rows)
        return "\n".join([*lines, *([f"… {more} more"] if more else [])])


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
