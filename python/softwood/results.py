"""What a fitted model tells about itself: the report of its fit and its splits as rules."""

from __future__ import annotations

from dataclasses import dataclass, fields


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
class OrctReport:
    """How a fit went.

    Attributes
    ----------
    status : str
        Why the best start ended: ``"converged"``, ``"stalled"`` (the objective no longer falls
        measurably), ``"iteration_limit"`` or ``"time_limit"``.
    objective : float
        What was minimized, at the model's parameters.
    loss : float
        Mean expected misclassification cost, penalties left out.
    seconds : float
        Wall-clock time of the fit.
    iterations, evaluations : int
        Solver iterations and joint evaluations of objective and gradient, over all starts.
    optimality : float
        ‖Π(θ − ∇f(θ)) − θ‖∞ at the model's parameters; infinite if time ran out before the last
        stage.
    start_objectives : tuple of float
        Objective of every start that was run.
    best_start : int
        The start the model comes from.
    constraints : tuple
        Empty in this version.
    scaling : str
        The scaling used, ``"minmax"`` or ``"quantile"``; says what ``"auto"`` has chosen.
    rows : int
        Training rows.
    selection : SelectionReport, optional
        With ``rows="selected"``: which of them the tree was trained on.
    """

    status: str
    objective: float
    loss: float
    seconds: float
    iterations: int
    evaluations: int
    optimality: float
    start_objectives: tuple[float, ...]
    best_start: int
    constraints: tuple[object, ...]
    scaling: str
    rows: int
    selection: SelectionReport | None = None

    @property
    def converged(self) -> bool:
        """Whether the best start ended by itself, not at a limit."""
        return self.status in ("converged", "stalled")

    def __str__(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        low, high = min(self.start_objectives), max(self.start_objectives)
        shown["start_objectives"] = (
            f"{len(self.start_objectives)} starts from {low:.6g} to {high:.6g}"
        )
        shown = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in shown.items()}
        return "\n".join(
            f"{name:<17}{value}" for name, value in shown.items() if value not in ((), None)
        )


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One split in the user's units.

    A row is more likely to go left than right where Σ ``weights[i]`` · x[``features[i]``] >
    ``threshold``; the log-odds of going left are ``steepness`` · (Σ − ``threshold``). Where
    ``measures[i]`` is ``"quantile"`` the feature's quantile level among the training rows takes
    the place of its value.

    Attributes
    ----------
    node : int
        The split; the children of node t are 2t + 1 (left) and 2t + 2 (right).
    features : tuple of int
        Columns of the features that matter to the split, largest effect first.
    names : tuple of str
        Their names.
    weights : tuple of float
        Their weights.
    measures : tuple of {"value", "quantile"}
        What the weights are multiplied with.
    effects : tuple of float
        Change of the sum from the feature's smallest to its largest training value: unlike
        weights, comparable between features of different units.
    threshold : float
        The threshold.
    steepness : float
        γ.
    text : str
        The rule in words, ``str(rule)``.
    """

    node: int
    features: tuple[int, ...]
    names: tuple[str, ...]
    weights: tuple[float, ...]
    measures: tuple[str, ...]
    effects: tuple[float, ...]
    threshold: float
    steepness: float
    text: str

    def __str__(self) -> str:
        return self.text
