"""`fit_svm1_odt`: a hard oblique tree with a proven bound on its errors."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._highs import highs_solver
from .._parameters import public
from .._settings import MIP, SVM1_ODT, open_classification
from ..models import Svm1OdtModel, TreeModel
from ..progress import Progress
from ..results import Rule
from ..selection import RowSelection, as_selection

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public()
def fit_svm1_odt(
    X: Any,
    y: Any,
    depth: int = SVM1_ODT["depth"],
    *,
    epsilon: float | str = SVM1_ODT["epsilon"],
    alpha2: float | str = SVM1_ODT["alpha2"],
    slack_cost: float | str = SVM1_ODT["slack_cost"],
    split_penalty: float | str = SVM1_ODT["split_penalty"],
    start: str | TreeModel = SVM1_ODT["start"],
    improve: bool | str = SVM1_ODT["improve"],
    rows: str | RowSelection = SVM1_ODT["rows"],
    solver: str = "native",
    alpha1: float | str | None = None,
    count_coefficients: bool = False,
    level_splits: bool = False,
    cuts: bool = True,
    n_starts: int = SVM1_ODT["n_starts"],
    restarts: int = SVM1_ODT["restarts"],
    max_nodes: int | None = SVM1_ODT["max_nodes"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    random_state: int | None = SVM1_ODT["random_state"],
    n_threads: int | None = SVM1_ODT["n_threads"],
    time_limit: float | None = SVM1_ODT["time_limit"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = SVM1_ODT["feature_names"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> Svm1OdtModel:
    """Fit a tree of hard oblique splits (SVM1-ODT) and prove how far from the best it can be.

    What is minimized is the weight of the training rows that are not right *by a margin*: features
    are scaled to [0, 1], a row goes left where h·x ≤ g, hyperplanes are scaled such that the
    largest abs(g − h·x) of all rows is 1, and a row is right only if its leaf has its class and
    abs(g − h·x) ≥ ε at every split on its way. The count, the bound and the proof are about trees
    of this depth *and this margin*: a smaller `epsilon` may allow fewer errors.

    The search begins with a start, improves one split at a time, then raises a lower bound by
    depth-first search over the leaves of nested sets of rows and of disjoint groups of them, until
    bound and tree meet or a limit ends it. The tree is never worse than the start, and
    ``report.proof`` tells what is proven. Proofs are to be expected up to some 100 distinct rows,
    or where hardly any row is wrong; elsewhere the bound says how much is left. In the end the
    rows that are right keep their leaves, hyperplanes take a soft margin as those of support
    vector machines do, leaves the majority of the rows that end there.

    Parameters
    ----------
    {X}
    {labels}
    depth : int
        Depth of the tree, 1 to 3. Splits that part nothing are left out of the model.
    epsilon : float or "auto"
        ε, the margin: at least 1e-6 and below 1. ``"auto"`` takes that of 0.003, 0.01, 0.03, 0.1
        and 0.3 whose trees get least of held-out rows wrong, on four folds of the training rows,
        which few rows are dealt out to up to three times; of those that tie, the one nearest to the
        default. ``report.cross_validation`` holds the table. With another `solver` it is 0.01, 0.03
        or 0.1, by the folds of `alpha1`.
    alpha2 : float or "auto"
        α₂ ≥ 0: once the routing is settled, every split minimizes ½‖h‖² + α₂‖h‖₁ + C times the
        mean slack of the rows that are right below it, against a distance of 1, no row that is
        right becoming wrong. Larger values make coefficients 0. With another `solver` it is the
        cost of ‖h‖₁ in mistakes, part of what is minimized and bounded. ``"auto"`` takes 0 or 10 by
        the same folds; 0, 0.1 or 1 with another `solver`, by the folds of `alpha1`.
    slack_cost : float or "auto"
        C, above 0 and at most 1e6: the larger, the more a split goes by the rows nearest to it, the
        smaller, the more by all. ``"auto"`` takes 10, 100 or 1000 by the same folds. Of no effect
        where `alpha1` or `alpha2` are part of what another `solver` minimizes.
    split_penalty : float or "auto"
        What each split costs, 0 to 1, as a share of the weight of all rows: subtrees that save less
        become leaves once the search is over, so that the count may rise; 1 leaves a single leaf.
        ``"auto"`` takes 0, 0.01, 0.02, 0.05 or 1 by the same folds. 0 with another `solver`.
    start : {"auto", "orct", "cart", "random"} or model
        Where the search begins: the splits of an ORCT tree as hard ones, of a tree grown as CART
        does, of random hyperplanes; or a fitted model whose splits are linear in the features (an
        SVM1-ODT or SPDT tree, or an ORCT tree of min-max scaling), no deeper than `depth`.
        ``"auto"`` takes them all.
    improve : bool or "auto"
        Whether the start is searched further. False keeps its splits: those of the CART tree, of
        the one given, or of an ORCT tree whose steepness, penalty and balance are chosen on folds
        as :func:`fit_orct` does, which of them by the folds above where `start` is ``"auto"``. The
        bound is that of all trees. ``"auto"`` lets the folds choose: the start is kept unless
        searched trees get more of the held-out rows right by a standard error. A tree that was
        given is searched further then, as folds cannot judge it. True with another `solver`, True
        or ``"auto"`` with ``start="random"``.
    rows : {"all", "selected"} or RowSelection
        Which rows to look at first. With ``"selected"``, or a :class:`RowSelection`, the best start
        is searched further on few rows that stand for all, selected by algorithm 1 of the paper,
        then by its algorithm 3, round by round, a tree that loses accuracy on all rows being
        refused; the search on all rows begins with what comes out. `sample` is not used.
        ``report.selection`` tells the rounds. For many rows. Of no effect on a start that is kept.
    solver : {"native", "mip", "paper"}
        ``"native"`` searches as described. The others write the start as a solution of a
        mixed-integer program and give that to HiGHS (``pip install "softwood[mip]"``): ``"paper"``
        is model (1) of the paper, with M = 1, which holds wrong rows to the margin, too, so that
        its optimum may be larger; ``"mip"`` holds only the rows that are right to their ways, which
        is tighter and counts what the search counts. Both take longer; they are there for what the
        search does not know: the next four settings.
    alpha1 : float or "auto", optional
        α₁, cost of slack against the margin, with ``solver="paper"``. At least 1 / `epsilon`, which
        is to be given then: below that h = g = 0 lets every row take any way for less than a
        mistake costs. By default there is no slack. ``"auto"`` takes no slack, 1 / `epsilon` or
        3 / `epsilon`, the next whole number, by the folds that `epsilon` and `alpha2` are chosen on
        with a program, too: on every fold the program is solved anew for each candidate, in an
        equal share of 60 % of the time limit (27 candidates, if all three are open, on four folds
        and more: give them time), and the least weight of held-out rows that are predicted wrong
        decides. Without time for a fold defaults are taken: 0.01, no slack and 0.
    count_coefficients : bool
        Whether `alpha2` is the cost of every coefficient that is not 0, as in OCT-H, whose bound
        abs(h) ≤ 1 then holds, too. Not with ``solver="native"``.
    level_splits : bool
        With ``solver="paper"``, whether columns of text and categories are split by sets of their
        levels, one column a split, other levels to the right; else their levels have weights like
        other features.
    cuts : bool
        With ``solver="paper"``, whether the cuts of proposition 1 and some of theorem 3 are added.
    n_starts : int
        Starts of the ORCT tree, or random trees.
    restarts : int
        Descents for each split and round of improvement.
    max_nodes : int, optional
        Nodes of the search for a bound; a round that has begun is finished. 0 for no bound. By
        default the time limit alone ends it.
    {sample_weight, class_weight}
    random_state : int, optional
        Seed of starts, descents and orders.
    {n_threads}
    time_limit : float, optional
        Seconds until the search ends and the best tree so far is returned with its bound; None for
        no limit, which may take for ever. Soft margins are found afterwards, within 5 seconds.
        Unlike all else, what a search has found when time runs out depends on the machine.
    {missing, feature_names, progress}

    Returns
    -------
    Svm1OdtModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    References
    ----------
    H. Zhu, P. Murali, D. T. Phan, L. M. Nguyen, J. R. Kalagnanam: A scalable MIP-based method for
    learning optimal multivariate decision trees (NeurIPS 2020).

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> model = softwood.fit_svm1_odt(X, [0, 0, 1, 1], depth=1)
    >>> model.report.status, model.report.objective, model.report.proof.bound
    ('optimal', 1.0, 1.0)
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    settings["start"] = _start(start, depth)
    settings["rows"] = as_selection(rows)
    of_mip = {name: settings.pop(name) for name in MIP}
    if solver == "native":
        _refuse(of_mip)
        training = open_classification(settings)
        return fit_model(_core.fit_svm1_odt, (training, settings), Svm1OdtModel, *shown)
    solve = highs_solver(n_threads)
    training = open_classification(settings)
    arguments = (training, settings, of_mip, solve)
    return fit_model(_core.fit_svm1_odt_by_mip, arguments, Svm1OdtModel, *shown)


def _refuse(of_mip: dict[str, Any]) -> None:
    """Refuse what only a mixed-integer program knows."""
    for name in ("alpha1", "count_coefficients", "level_splits"):
        if of_mip[name] not in (None, False):
            raise ValueError(
                f"{name} must be {MIP[name]} with solver='native', "
                f"got {reprlib.repr(of_mip[name])}; solver='paper' takes it"
            )


def _start(start: Any, depth: Any) -> Any:
    """Return the name of a start, or the splits of a fitted tree."""
    start = getattr(start, "model_", start)
    if not isinstance(start, TreeModel):
        return start
    if isinstance(depth, int) and start.depth > depth:
        raise ValueError(f"start is a tree of depth {start.depth}, deeper than depth={depth}")
    return [_split(start.rule(node)) for node in start.splits]


def _split(rule: Rule) -> tuple[int, list[tuple[int, float]], float]:
    if "quantile" in rule.measures:
        raise ValueError(
            "start must split on features as they are, but the tree given has quantile scaling; "
            "fit it with scaling='minmax'"
        )
    return rule.node, list(zip(rule.features, rule.weights, strict=True)), rule.threshold
