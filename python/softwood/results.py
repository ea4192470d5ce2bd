"""What a fitted model tells about itself: the report of its fit and its splits as rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

# Rows of a cross-validation's table that are printed; `candidates` holds all of them.
SHOWN_CANDIDATES = 12

# What each kind of constraint bounds.
BOUNDED = {
    "class_rate": "rate",
    "group_error": "mean squared error",
    "group_error_gap": "gap of the mean squared error",
    "group_mean_gap": "gap of the mean prediction",
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
    kind : {"class_rate", "group_error", "group_error_gap", "group_mean_gap"}
        What is bounded: from below, the expected share of a class's training rows that are
        predicted as such; or from above, the mean squared error of a group of rows, its distance
        from that of all training rows, or the distance of the group's mean prediction from theirs.
    label : object
        The class it is about, if it is about one.
    group : str or None
        The group of rows it is about, if it is about one.
    asked : float
        The bound.
    imposed : float or None
        The bound that training was given, if a margin was learned on folds.
    cross_validated : float or None
        What is bounded, on held-out rows of these folds, by the predicted classes.
    reached : float
        What is bounded.
    multiplier : float
        Fall of the objective for each unit that the bound is relaxed by.
    feasible : bool
        Whether the bound that training was given is kept: rates within 0.001, errors and means
        within a 10,000th of the variance or deviation of y.
    """

    kind: str
    label: object = None
    group: str | None = None
    asked: float
    imposed: float | None = None
    cross_validated: float | None = None
    reached: float
    multiplier: float
    feasible: bool

    def _margin(self) -> str:
        if self.imposed is None:
            return ""
        rate = "unknown" if self.cross_validated is None else f"{self.cross_validated:.4f}"
        return f", imposed {self.imposed:.4f}, cross-validated {rate}"

    @property
    def subject(self) -> str:
        """What is bounded, in words."""
        about = f"of {self.group if self.label is None else self.label}"
        return f"{BOUNDED[self.kind]} {about}"


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
class OrctCandidate(CvCandidate):
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


@dataclass(frozen=True, kw_only=True)
class FitReport:
    """How a fit went, whatever the kind of model."""

    # The setting that limits iterations.
    _ITERATIONS: ClassVar[str]

    status: str
    objective: float
    loss: float
    loss_unit: float | None = None
    seconds: float
    iterations: int
    evaluations: int
    optimality: float
    start_objectives: tuple[float, ...]
    best_start: int
    constraints: tuple[Constraint, ...]
    cross_validation: CvTable | None
    scaling: str
    hard_disagreement: float | None = None
    rows: int
    selection: SelectionReport | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the best start ended because there was nothing more to gain."""
        return self.status in ("converged", "stalled")

    def __str__(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        low, high = min(self.start_objectives), max(self.start_objectives)
        shown["start_objectives"] = (
            f"{len(self.start_objectives)} starts from {low:.6g} to {high:.6g}"
        )
        del shown["constraints"], shown["notices"]
        for bound in self.constraints:
            shown[bound.subject] = (
                f"{bound.reached:.4f}, asked {bound.asked:.4f}{bound._margin()}, "
                f"multiplier {bound.multiplier:.4g}"
                f"{'' if bound.feasible else ', NOT REACHED'}"
            )
        if self.cross_validation is not None:
            table = self.cross_validation
            shown["cross_validation"] = (
                f"{len(table.candidates)} candidates on {table.folds} folds, {table.repeats} times"
            )
        shown = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in shown.items()}
        shown = {name: value for name, value in shown.items() if value is not None}
        shown |= {f"notice {i}": notice for i, notice in enumerate(self.notices, 1)}
        width = max(map(len, shown)) + 1
        return "\n".join(f"{name:<{width}}{value}" for name, value in shown.items())


class OrctReport(FitReport):
    """How a fit went.

    Attributes
    ----------
    status : str
        Why the best start ended: ``"converged"``, ``"stalled"`` (the objective no longer falls
        measurably), ``"infeasible"`` (a bound on a class's rate is not reached),
        ``"iteration_limit"``, ``"time_limit"`` or, where an exception has ended the fit,
        ``"cancelled"``.
    objective : float
        What was minimized, at the model's parameters.
    loss : float
        Mean expected misclassification cost, penalties left out.
    loss_unit : float or None
        1, the unit of costs; None in files of version 1.
    seconds : float
        Wall-clock time of the fit.
    iterations, evaluations : int
        Solver iterations and joint evaluations of objective and gradient, over all starts.
    optimality : float
        ‖prox(θ − ∇f(θ)) − θ‖∞ at the model's parameters, f the loss, prox the proximal map of
        penalties and bounds (without penalties the projection on [−1, 1]); infinite if time ran
        out before the last stage.
    start_objectives : tuple of float
        Objective of every start that was run.
    best_start : int
        The start the model comes from.
    constraints : tuple of Constraint
        The bounds of `min_class_rate`, as asked and as reached.
    cross_validation : CvTable or None
        How folds of the training rows chose the settings, if they did.
    scaling : str
        The scaling used, ``"minmax"`` or ``"quantile"``; says what ``"auto"`` has chosen.
    hard_disagreement : float or None
        Share of the training rows, by weight, whose predicted class is another with hard routing.
    rows : int
        Training rows.
    selection : SelectionReport or None
        With ``rows="selected"``: which of them the tree was trained on.
    notices : tuple of Notice
        What is likely to be unwanted; empty if all is well, or if the fit was cancelled.
    """

    _ITERATIONS = "max_iter"


class SrtReport(FitReport):
    """How the fit of a soft regression tree went.

    Attributes
    ----------
    status : str
        Why the best start ended: ``"converged"`` (three macro-iterations in a row did not lower the
        objective by a thousandth or, with `convergent`, the gradient is small), ``"completed"``
        (all planned macro-iterations were made, and still worth it; more may help a little),
        ``"iteration_limit"`` (they were used up before a fit that is to be convergent was),
        ``"time_limit"`` or, where an exception has ended the fit, ``"cancelled"``.
    objective : float
        What was minimized, penalties included, relative to the mean squared error of the linear
        regression of all rows.
    loss : float
        Expected squared error relative to that of the linear regression, penalties left out.
    loss_unit : float or None
        Mean squared error of the linear regression (with curves, of all that leaves share) in the
        squared units of y: ``loss * loss_unit`` is the expected squared error of training. None in
        files of version 1.
    seconds : float
        Wall-clock time of the fit.
    iterations, evaluations : int
        Solver iterations and evaluations of the objective or of a node's part of it, over all
        starts.
    optimality : float
        Largest entry of the objective's gradient at the model's parameters.
    start_objectives : tuple of float
        Objective of every start that was run, where it ended: the worse half of them is given up
        early.
    best_start : int
        The start the model comes from.
    constraints : tuple
        Empty: a regression has none.
    cross_validation : CvTable or None
        How cross-validation chose the settings, if it did.
    selection : None
        Not used by this model.
    scaling : str
        The scaling used, ``"minmax"`` or ``"quantile"``.
    rows : int
        Training rows.
    notices : tuple of Notice
        What is likely to be unwanted; empty if all is well, or if the fit was cancelled.
    """

    _ITERATIONS = "macro_iterations"


class OrrtReport(FitReport):
    """How the fit of a randomized regression tree went.

    Attributes
    ----------
    status : str
        Why the best start ended: ``"converged"``, ``"stalled"`` (the objective no longer falls
        measurably), ``"infeasible"`` (a bound on a group of rows is not kept),
        ``"iteration_limit"``, ``"time_limit"`` or, where an exception has ended the fit,
        ``"cancelled"``.
    objective : float
        What was minimized, ridge and penalties included, for the standardized response.
    loss : float
        Mean squared error of the standardized response: 1 − R² on the training rows.
    loss_unit : float or None
        Variance of y: ``loss * loss_unit`` is the mean squared error of training.
    seconds : float
        Wall-clock time of the fit.
    iterations, evaluations : int
        Solver iterations and joint evaluations of objective and gradient, over all starts.
    optimality : float
        ‖prox(x − ∇f(x)) − x‖∞ at the model's parameters, prox the proximal map of penalties and
        bounds; infinite if time ran out before the last stage.
    start_objectives : tuple of float
        Objective of every start that was run, where it ended: the worse half of them is given up
        early.
    best_start : int
        The start the model comes from.
    constraints : tuple of Constraint
        The bounds of `row_groups`, as asked and as reached.
    cross_validation, selection : None
        Not used by this model.
    scaling : str
        The scaling used, ``"minmax"`` or ``"quantile"``.
    rows : int
        Training rows.
    notices : tuple of Notice
        What is likely to be unwanted; empty if all is well, or if the fit was cancelled.
    """

    _ITERATIONS = "max_iter"


@dataclass(frozen=True, kw_only=True)
class LinearForm:
    """A weighted sum of features in the user's units.

    Σ ``weights[i]`` · x[``features[i]``]; where ``measures[i]`` is ``"quantile"`` the feature's
    quantile level among the training rows takes the place of its value. Of a model fitted to a
    table, x is a row of ``model.encode(X)``.

    Attributes
    ----------
    features : tuple of int
        Columns of the features that matter, largest effect first.
    names : tuple of str
        Their names.
    weights : tuple of float
        Their weights.
    measures : tuple of {"value", "quantile", "indicator"}
        What the weights are multiplied with; an indicator is 1 where its name holds, else 0.
    effects : tuple of float
        Change of the sum from the feature's smallest to its largest training value: unlike
        weights, comparable between features of different units.
    text : str
        All of it in words, also ``str`` of this.
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    weights: tuple[float, ...]
    measures: tuple[str, ...]
    effects: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Rule(LinearForm):
    """One split: a :class:`LinearForm` and its threshold.

    A row is more likely to go left than right where the weighted sum exceeds ``threshold``; the
    log-odds of going left are ``steepness`` · (sum − ``threshold``).

    Attributes
    ----------
    node : int
        The split; the children of node t are 2t + 1 (left) and 2t + 2 (right).
    threshold : float
        The threshold.
    steepness : float
        γ.
    """

    node: int
    threshold: float
    steepness: float


@dataclass(frozen=True, kw_only=True)
class LeafModel(LinearForm):
    """The linear model of one leaf: a :class:`LinearForm` and its intercept.

    A row that ends in the leaf is predicted by ``intercept`` plus the weighted sum, plus what the
    model's curves add if it has any. The weight of a feature with a curve is what the leaf adds to
    the mean slope of all leaves, which is part of the curve.

    Attributes
    ----------
    leaf : int
        The leaf, counted from left to right.
    intercept : float
        The prediction where all terms are 0.
    """

    leaf: int
    intercept: float


@dataclass(frozen=True, kw_only=True)
class SplitExplanation:
    """Why a row goes the way it goes at one split.

    ``margin`` = ``base`` + the sum of ``contributions``, up to rounding. ``str`` of it shows the
    five largest contributions in the units of the training rows.

    Attributes
    ----------
    node : int
        The split; the children of node t are 2t + 1 (left) and 2t + 2 (right).
    goes_left : bool
        Whether the likelier branch is the left one.
    margin : float
        Log odds of going left, negative where the row goes right.
    probability : float
        Probability of going left.
    base : float
        The margin of a row that has the typical value of every feature.
    features : tuple of int
        Columns that matter to the split, largest contribution first.
    names : tuple of str
        Their names.
    values, typical : tuple
        Their values in the row, and their typical values: floats, or bools and text if the model
        was fitted to a table. None where a value is missing, or a level never seen in training.
    contributions : tuple of float
        By how much each raises (or, if negative, lowers) the log odds of going left compared with
        its typical value.
    text : str
        All of it in words.
    """

    node: int
    goes_left: bool
    margin: float
    probability: float
    base: float
    features: tuple[int, ...]
    names: tuple[str, ...]
    values: tuple[float | str | bool | None, ...]
    typical: tuple[float | str | bool | None, ...]
    contributions: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The effect of a feature that all leaves share: its linear trend and all that bends.

    It is the total of what the feature adds to every leaf, compared with its typical value, where
    the effect is 0: an effect above 0 raises predictions. What single leaves add to it stands in
    their :class:`LeafModel`. It is straight between its points, in the units of the training rows.
    Below the smallest and above the largest value of training it goes on straight with ``"minmax"``
    scaling and stays what it is with ``"quantile"``. ``str(curve)`` lists the points.

    Attributes
    ----------
    feature : int
        Position of the feature.
    name : str
        Its name.
    values : tuple of float
        Increasing values of the feature, from the smallest to the largest of training.
    effects : tuple of float
        What is added to the prediction at each of them, in units of y; 0 at the typical value.
    text : str
        The points in words.
    """

    feature: int
    name: str
    values: tuple[float, ...]
    effects: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text
