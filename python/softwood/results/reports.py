"""The report of a fit, one class for each kind of tree."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from .cross_validation import CvTable
from .findings import Constraint, Notice, SelectionReport


@dataclass(frozen=True, kw_only=True)
class ProofMoment:
    """Incumbent and bound at one moment of a search.

    Attributes
    ----------
    seconds : float
        Since the search began.
    objective : float
        Weight wrong in the best tree so far, rows within the margin included.
    bound : float
        What was proven.
    """

    seconds: float
    objective: float
    bound: float


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What is proven of a tree.

    Attributes
    ----------
    bound : float
        No tree of the same depth and margin has less weight of training rows wrong, rows within the
        margin counted as wrong. A tree of a smaller margin may have.
    gap : float
        (objective − bound) / objective; 0 if the tree is proven to be best.
    margin : float
        ε: a row is right only if abs(g − h·x) ≥ ε at every split on its way, the largest of all
        rows being 1. Met within 2e-8.
    reached_margin : float
        Smallest abs(g − h·x) of the rows that are right.
    norm : float
        Sum of ‖h‖₁ over the splits.
    nodes : int
        Nodes of the search for the bound.
    distinct_rows : int
        Distinct training rows, classes aside.
    course : tuple of ProofMoment
        Incumbent and bound over time.
    """

    bound: float
    gap: float
    margin: float
    reached_margin: float
    norm: float
    nodes: int
    distinct_rows: int
    course: tuple[ProofMoment, ...]


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
    proof: Proof | None = None
    rows: int
    selection: SelectionReport | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the best start ended because there was nothing more to gain."""
        return self.status in ("converged", "optimal", "stalled")

    def __str__(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        low, high = min(self.start_objectives), max(self.start_objectives)
        shown["start_objectives"] = (
            f"{len(self.start_objectives)} starts from {low:.6g} to {high:.6g}"
        )
        del shown["constraints"], shown["notices"], shown["proof"]
        if self.proof is not None:
            proof = self.proof
            shown["proof"] = (
                f"at least {proof.bound:.6g} at margin {proof.margin:.6g}, gap {proof.gap:.2%}, "
                f"{proof.nodes} nodes"
            )
        for bound in self.constraints:
            shown[bound.subject] = bound._outcome()
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
        measurably), ``"infeasible"`` (a bound on a rate is not kept),
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
        The bounds of `min_class_rate` and `row_groups`, as asked and as reached.
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
    cross_validation : CvTable or None
        The table from which `fit_orrt_cv` chose the settings.
    selection : None
        Not used by this model.
    scaling : str
        The scaling used, ``"minmax"`` or ``"quantile"``.
    rows : int
        Training rows.
    notices : tuple of Notice
        What is likely to be unwanted; empty if all is well, or if the fit was cancelled.
    """

    _ITERATIONS = "max_iter"


class SpdtReport(FitReport):
    """How the fit of a sparse perceptron decision tree went.

    Attributes
    ----------
    status : str
        ``"converged"``, ``"time_limit"`` or, where an exception has ended the fit,
        ``"cancelled"``.
    objective : float
        Sum over the root's fold classifiers and that of all rows of half their squared norms and
        C/2 times the weighted squared slacks, on the features chosen.
    loss : float
        Share of the rows, by weight, that classifiers which have not seen them get wrong, over all
        leaves.
    loss_unit : float or None
        1.
    seconds : float
        Wall-clock time of the fit.
    iterations, evaluations : int
        Iterations of the solvers, and evaluations of their objectives, over all splits.
    optimality : float
        Duality gap of the root's problem: by how much, as a share of the objective without any
        feature, the features generated may be worse than any choice; infinite without splits.
    start_objectives, best_start
        One start, the only one.
    constraints : tuple
        Empty.
    cross_validation : CvTable or None
        How folds chose C, if they did.
    scaling : str
        ``"none"``: models have features as they are.
    rows : int
        Training rows.
    selection : None
        Not used by this model.
    notices : tuple of Notice
        What is likely to be unwanted; empty if all is well, or if the fit was cancelled.
    """

    _ITERATIONS = "tol"


class Svm1OdtReport(FitReport):
    """How the search for a hard oblique tree went, and what is proven.

    Attributes
    ----------
    status : str
        ``"optimal"`` (the bound meets the tree: none of this depth and margin is better),
        ``"completed"`` (as many nodes as asked for were searched), ``"time_limit"`` or, where an
        exception has ended the fit, ``"cancelled"``.
    objective : float
        Weight of the training rows that are wrong, or right within the margin only.
    loss : float
        Share of the training rows, by weight, that the tree predicts wrong: those within the margin
        count as predicted.
    loss_unit : float or None
        1.
    seconds : float
        Wall-clock time of the fit.
    iterations, evaluations : int
        Nodes of the search for the bound.
    optimality : float
        `objective` less the bound.
    start_objectives : tuple of float
        `objective` of every start, given the margin, before it was improved.
    best_start : int
        The one with the least.
    constraints : tuple
        Empty.
    cross_validation, selection : None
        Not used by this model.
    scaling : str
        ``"none"``: models have features as they are.
    proof : Proof
        Bound, gap, margin, nodes, and their course over time.
    rows : int
        Training rows.
    notices : tuple of Notice
        What is likely to be unwanted; empty if all is well, or if the fit was cancelled. A time
        limit that ends the search for the bound is none; one that ends the improvement of the
        starts is.
    """

    _ITERATIONS = "max_nodes"
