"""The functions users call: check the arguments, hand them to the compiled core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._fitting import fit_model
from ._parameters import public
from ._settings import ORCT, ORRT, SRT, open_classification, open_regression
from .models import OrctModel, OrrtModel, SrtModel, of_handle
from .progress import Progress
from .row_groups import RowGroup, as_groups
from .selection import RowSelection, as_selection

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike


@public()
def fit_orct(
    X: Any,
    y: Any,
    depth: int = ORCT["depth"],
    *,
    gamma: float | str = ORCT["gamma"],
    costs: ArrayLike | None = ORCT["costs"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    scaling: str = ORCT["scaling"],
    balance: bool | str = ORCT["balance"],
    local_penalty: float | str = ORCT["local_penalty"],
    global_penalty: float = ORCT["global_penalty"],
    penalty_shape: str = ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORCT["penalty_parameters"],
    groups: ArrayLike | None = ORCT["groups"],
    penalty: float | None = ORCT["penalty"],
    max_features: int | None = ORCT["max_features"],
    max_leaves: int | None = ORCT["max_leaves"],
    min_class_rate: float | Mapping[Any, float] | ArrayLike | None = ORCT["min_class_rate"],
    min_class_rate_on: str = ORCT["min_class_rate_on"],
    cover_classes: bool = ORCT["cover_classes"],
    solver: str = "full",
    rows: str | RowSelection = "all",
    n_starts: int = ORCT["n_starts"],
    random_state: int | None = ORCT["random_state"],
    n_threads: int | None = ORCT["n_threads"],
    max_iter: int = ORCT["max_iter"],
    tol: float = ORCT["tol"],
    time_limit: float | None = ORCT["time_limit"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = ORCT["feature_names"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> OrctModel:
    """Fit an optimal randomized classification tree (ORCT).

    A complete binary tree whose splits are oblique and soft: at branch node t a row x, its
    features mapped to [0, 1], goes left with probability 1/(1 + exp(−γ(aₜᵀx/p − μₜ))). All
    splits and leaf labels are chosen together to minimize the mean expected cost of
    misclassification, under −1 ≤ a, μ ≤ 1.

    Settings that are ``"auto"`` are chosen together on five folds of the training rows (of a
    sample of 2,000, if there are more; of less than 500 rows twice) by the Brier score of held-out
    rows plus the share of them that hard routing gives another class: a few quick trees for each
    candidate, those that fall behind dropped. The report's
    `cross_validation` tells how. The plain tree of the papers is
    ``fit_orct(X, y, gamma=512, scaling="minmax", balance=False, local_penalty=0)``.

    Parameters
    ----------
    {X, labels, depth}
    gamma : float or "auto"
        Steepness of the splits, above 0; the larger, the closer to hard splits. ``"auto"``
        chooses among 128, 512 and 2048.
    {costs, sample_weight, class_weight, scaling}
    balance : bool or "auto"
        Whether classes are balanced in training: a mistake on a row of class k costs W/(K·W_k)
        times as much (W the weight of all rows, W_k that of the class), so that rare classes shape
        the splits as much as common ones. Probabilities and predicted classes are those of the
        rows as they are. ``"auto"`` means no where `costs` or `min_class_rate` are given.
    local_penalty : float or "auto"
        Weight λ_L ≥ 0 of Σ φ(|a_jt|) over all coefficients: fewer features in each split.
        ``"auto"`` chooses among 1 and 4 times 1/(32p) · γ/512 (with `costs`, the largest of them
        over 16p · γ/512), and is 0 if `global_penalty` or another shape of the penalty is asked
        for.
    global_penalty : float
        Weight λ_G ≥ 0 of Σ φ(max |a_jt|), the maximum over all splits and over the columns of
        a group, the sum over groups: fewer features in the whole tree. Zeros are exact.
    {penalty_shape}
    penalty : float, optional
        λ_L as a share, from 0 to 1, of the one that empties the tree (``lambda_max`` of the rows,
        weights and scaling in use): 0.1 means the same on every data set. Instead of
        `local_penalty` and `global_penalty`.
    {max_features, min_class_rate, min_class_rate_on, cover_classes}
    solver : str
        Only ``"full"``, all splits at once, is available in this version.
    rows : {"all", "selected"} or RowSelection
        Which rows to train on: all, or few that stand for them, selected as :class:`RowSelection`
        says; ``"selected"`` is ``RowSelection()``. The report's `selection` then tells their
        share and the accuracy on all rows.
    {n_starts, random_state, n_threads, max_iter, tol, time_limit, missing, feature_names, progress}

    Returns
    -------
    OrctModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    References
    ----------
    R. Blanquero, E. Carrizosa, C. Molero-Río, D. Romero Morales: Optimal randomized
    classification trees. Computers & Operations Research 132 (2021) 105281.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X[::2], y[::2], depth=1, n_starts=4)
    >>> model.predict(X[1:4])
    array(['malignant', 'malignant', 'malignant'], dtype='<U9')
    >>> bool((model.predict(X[1::2]) == y[1::2]).mean() > 0.93)
    True
    >>> len(model.report.start_objectives)
    4
    """
    settings = dict(locals())
    if not isinstance(settings.pop("solver"), str):
        raise TypeError(f"solver must be a string, got {solver!r}")
    if solver != "full":
        raise ValueError(f"solver must be 'full' in this version, got {solver!r}")
    selection = as_selection(settings.pop("rows"))
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_classification(settings)
    arguments = training, settings, selection
    return fit_model(_core.fit_orct, arguments, OrctModel, *shown)


@public()
def fit_srt(
    X: Any,
    y: Any,
    depth: int = SRT["depth"],
    *,
    ridge_branches: float | None = SRT["ridge_branches"],
    ridge_leaves: float | None = SRT["ridge_leaves"],
    curves: bool = SRT["curves"],
    scaling: str = SRT["scaling"],
    start: str = SRT["start"],
    n_starts: int = SRT["n_starts"],
    macro_iterations: int = SRT["macro_iterations"],
    imbalance: tuple[float, float, float] = SRT["imbalance"],
    convergent: bool | int = SRT["convergent"],
    tol: float = SRT["tol"],
    sample_weight: ArrayLike | None = None,
    random_state: int | None = SRT["random_state"],
    n_threads: int | None = SRT["n_threads"],
    time_limit: float | None = SRT["time_limit"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = SRT["feature_names"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> SrtModel:
    """Fit a soft regression tree with single-leaf prediction (SRT), by NODEC-DR.

    A complete binary tree with oblique splits and a linear model in every leaf. In training, a row
    x, its features mapped to [0, 1], goes left at branch node t with probability
    1/(1 + exp(−ω_0t − ωₜᵀx/p)), and the mean of all leaves' squared errors, weighted by the
    probability of being there, is minimized together with
    Σ_j (λ_ωj/2) Σ_t ω_tj² + Σ_j (λ_βj/2) Σ_t (β_tj − β̄_j)², β̄ being the linear regression of all
    rows. A prediction follows the likelier branches down to one leaf: ``depth`` dot products and
    one for its model.

    Parameters
    ----------
    {X}
    y : array_like, shape (N,)
        Response, finite numbers.
    {depth}
    ridge_branches : float, optional
        Penalty λ_ω of the splits, at least 0, for all coefficients. By default a penalty for each
        feature, estimated at the best start after four macro-iterations: 2σ²/(W·p²·τ_j²), W being
        the sum of the weights, σ² the variance of the errors and τ_j² the mean square of the
        slopes ω_tj/p.
    ridge_leaves : float, optional
        Penalty λ_β of the leaf models, at least 0, for all coefficients. By default a penalty for
        each feature, by evidence maximization at the best start after four macro-iterations. Both
        penalties stand beside errors relative to those of the linear regression.
    curves : bool
        Whether a curve of each feature is added to all leaf models alike: a prediction then is that
        of the leaf plus Σ_j s_j(x_j), the s_j piecewise linear with up to twelve knots. They are
        estimated together with the linear regression β̄, before the tree, with penalties on their
        bends by evidence maximization. Usually more accurate, and a leaf still reads as a linear
        model; ``model.curves()`` shows what comes on top.
    {fixed_scaling}
    start : {"mixed", "clusters", "random"}
        Where starts begin: at hierarchical 2-means partitions of the rows, at random hyperplanes
        through them, or both in turn.
    n_starts : int
        Starts, by successive halving: after four macro-iterations the better half goes on, and the
        best tree is kept. In the end its subtrees are grown anew in the rows that reach them, up to
        four times each (half as often as there are starts), and replaced where that is better.
    macro_iterations : int
        Rounds over all branch nodes at most, and up to four more after subtrees were replaced.
    imbalance : tuple of three floats
        ε1, ε2, ε3: a split that sends at most the share ε1 of its rows one way is led back towards
        balance, one with at most ε2 by handing over the share ε3 of the crowded side's rows, those
        with the largest errors. They shrink by a factor of 0.8 with every macro-iteration.
    convergent : bool or int
        True: after half of the macro-iterations only steps that lower the objective enough are
        taken, until its gradient is small or the macro-iterations are used up; give many. An int is
        the number k0 of single-node steps after which that begins.
    tol : float
        A convergent fit ends where no entry of the objective's gradient exceeds this.
    {sample_weight, random_state, n_threads, time_limit, missing, feature_names, progress}

    Returns
    -------
    SrtModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    References
    ----------
    A. Consolo, E. Amaldi, A. Manno: Soft regression trees: a model variant and a decomposition
    training algorithm (2025).

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> model = softwood.fit_srt(X, y, depth=1)
    >>> bool(abs(model.predict(X) - y).mean() < 0.05)
    True
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_regression(settings)
    return fit_model(_core.fit_srt, (training, settings), SrtModel, *shown)


@public()
def fit_orrt(
    X: Any,
    y: Any,
    depth: int = ORRT["depth"],
    *,
    gamma: float = ORRT["gamma"],
    ridge_leaves: float | None = ORRT["ridge_leaves"],
    scaling: str = ORRT["scaling"],
    local_penalty: float = ORRT["local_penalty"],
    global_penalty: float = ORRT["global_penalty"],
    penalty_shape: str = ORRT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORRT["penalty_parameters"],
    groups: ArrayLike | None = ORRT["groups"],
    row_groups: Sequence[RowGroup] | RowGroup | None = None,
    n_starts: int = ORRT["n_starts"],
    sample_weight: ArrayLike | None = None,
    random_state: int | None = ORRT["random_state"],
    n_threads: int | None = ORRT["n_threads"],
    max_iter: int = ORRT["max_iter"],
    tol: float = ORRT["tol"],
    time_limit: float | None = ORRT["time_limit"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = ORRT["feature_names"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> OrrtModel:
    """Fit a sparse optimal randomized regression tree (S-ORRT).

    A complete binary tree with oblique, soft splits and a linear model in every leaf. A row x, its
    features mapped to [0, 1], reaches leaf t with probability Pₜ(x), and its prediction is the
    mixture Σ_t Pₜ(x) (β_0t + βₜᵀx) of all leaves: a smooth function, with an exact local
    explanation everywhere. All splits and leaf models are chosen together to minimize the mean
    squared error of the standardized response and (λ_β/2) Σ_t (Σ_j v_j β_tj² + β_0t²), v_j being
    the variance of feature j, under −1 ≤ a, μ ≤ 1. For given splits all leaf models follow from
    one linear regression, which is solved at every step.

    Parameters
    ----------
    {X}
    y : array_like, shape (N,)
        Response, finite numbers.
    {depth, gamma}
    ridge_leaves : float, optional
        Penalty λ_β of the leaf models, at least 0. By default the one with the most evidence at
        the best start after a few iterations: with as many features as rows leaves shrink instead
        of interpolating.
    {fixed_scaling}
    local_penalty : float
        Weight λ_L ≥ 0 of Σ φ(|c|) over the coefficients c of all splits and of all leaf models of
        the standardized response: fewer features in each node.
    global_penalty : float
        Weight λ_G ≥ 0 of Σ φ(max |c|), the maximum over all splits and leaves and over the columns
        of a group, the sum over groups: fewer features in the whole tree. Zeros are exact.
    {penalty_shape}
    row_groups : RowGroup or sequence of RowGroup, optional
        Groups of rows with bounds on their mean squared error, on its distance from that of all
        training rows, or on the distance of their mean prediction from that of all training rows.
        The report's ``constraints`` tell what was reached; if bounds cannot be kept together the
        status is ``"infeasible"`` and the tree the closest found.
    n_starts : int
        Starts, by successive halving: one from the splits of a soft regression tree, the others
        from random directions. After a few iterations the better half goes on, and the best tree
        is kept.
    {sample_weight, random_state, n_threads, max_iter, tol, time_limit, missing, feature_names}
    {progress}

    Returns
    -------
    OrrtModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    References
    ----------
    R. Blanquero, E. Carrizosa, C. Molero-Río, D. Romero Morales: On sparse optimal regression
    trees. European Journal of Operational Research 299 (2022) 1045–1054.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> model = softwood.fit_orrt(X, y, depth=1)
    >>> bool(abs(model.predict(X) - y).mean() < 0.1)
    True
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_regression(settings)
    bounded = as_groups(settings.pop("row_groups"), len(training[0]), settings)
    return fit_model(_core.fit_orrt, (training, bounded, settings), OrrtModel, *shown)


def load(path: str | os.PathLike[str]) -> OrctModel | OrrtModel | SrtModel:
    """Load a model from a file made by its method `save`.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    OrctModel, OrrtModel or SrtModel
        The model, of the kind that was saved, the same to the bit.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it holds no valid model.

    Examples
    --------
    >>> import pathlib, softwood, tempfile
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     model.save(path)
    ...     same = softwood.load(path)
    >>> bool((same.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    model: OrctModel | OrrtModel | SrtModel = of_handle(_core.load(path))
    return model
