"""What a fitted model tells about itself: the report of its fit and its splits as rules."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class FitReport:
    """How a fit went, whatever the kind of model."""

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
        return "\n".join(f"{name:<17}{value}" for name, value in shown.items() if value != ())


class OrctReport(FitReport):
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
    """


class SrtReport(FitReport):
    """How the fit of a soft regression tree went.

    Attributes
    ----------
    status : str
        Why the best start ended: ``"converged"`` (the gradient is small; runs that are to be
        convergent), ``"stalled"`` (macro-iterations no longer lower the objective measurably),
        ``"iteration_limit"`` or ``"time_limit"``.
    objective : float
        What was minimized, penalties included, relative to the mean squared error of the linear
        regression of all rows.
    loss : float
        Expected squared error relative to that of the linear regression, penalties left out.
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
        Empty in this version.
    scaling : str
        The scaling used, ``"minmax"`` or ``"quantile"``.
    rows : int
        Training rows.
    """


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


@dataclass(frozen=True, kw_only=True)
class LeafModel:
    """The linear model of one leaf in the user's units.

    A row that ends in the leaf is predicted by ``intercept`` + Σ ``weights[i]`` ·
    x[``features[i]``]. Where ``measures[i]`` is ``"quantile"`` the feature's quantile level among
    the training rows takes the place of its value.

    Attributes
    ----------
    leaf : int
        The leaf, counted from left to right.
    features : tuple of int
        Columns of the features that matter to the leaf, largest effect first.
    names : tuple of str
        Their names.
    weights : tuple of float
        Their weights.
    measures : tuple of {"value", "quantile"}
        What the weights are multiplied with.
    effects : tuple of float
        Change of the prediction from the feature's smallest to its largest training value.
    intercept : float
        The prediction where all terms are 0.
    text : str
        The sum in words, ``str(leaf_model)``.
    """

    leaf: int
    features: tuple[int, ...]
    names: tuple[str, ...]
    weights: tuple[float, ...]
    measures: tuple[str, ...]
    effects: tuple[float, ...]
    intercept: float
    text: str

    def __str__(self) -> str:
        return self.text
