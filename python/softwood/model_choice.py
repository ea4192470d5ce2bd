"""Settings chosen by cross-validation, and what theory says of penalties and capacity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._fitting import fit_model
from ._parameters import public
from ._settings import (
    ORCT,
    ORCT_CV,
    PLAIN_GAMMA,
    SRT,
    SRT_CV,
    open_classification,
    open_regression,
)
from .models import OrctModel, SrtModel
from .progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def _chosen(instead: str) -> str:
    return f"chosen by cross-validation; give {instead}"


@public(
    depth=_chosen("depths"),
    scaling=_chosen("scalings"),
    gamma=_chosen("gammas"),
    local_penalty=_chosen("local_grid"),
    global_penalty=_chosen("global_grid"),
    penalty=_chosen("local_grid"),
)
def fit_orct_cv(
    X: Any,
    y: Any,
    depths: Sequence[int] = ORCT_CV["depths"],
    *,
    scalings: Sequence[str] = ORCT_CV["scalings"],
    gammas: ArrayLike = ORCT_CV["gammas"],
    local_grid: ArrayLike = ORCT_CV["local_grid"],
    global_grid: ArrayLike = ORCT_CV["global_grid"],
    folds: int = ORCT_CV["folds"],
    scoring: str = ORCT_CV["scoring"],
    rule: str = ORCT_CV["rule"],
    costs: ArrayLike | None = ORCT["costs"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    penalty_shape: str = ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORCT["penalty_parameters"],
    groups: ArrayLike | None = ORCT["groups"],
    max_features: int | None = ORCT["max_features"],
    max_leaves: int | None = ORCT["max_leaves"],
    min_class_rate: float | Mapping[Any, float] | ArrayLike | None = ORCT["min_class_rate"],
    min_class_rate_on: str = ORCT["min_class_rate_on"],
    cover_classes: bool = ORCT["cover_classes"],
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
    """Fit an ORCT with depth, scaling, γ and penalties chosen by cross-validation.

    Candidates are raced over the folds: those whose score on held-out rows falls significantly
    behind the best are dropped. The best starts of one depth and scaling are warm starts from soft
    to sharp γ and on to larger penalties. Few rows are folded several times, of very many rows a
    sample of 6,000 decides; the final fit takes all rows.

    Parameters
    ----------
    {X, labels}
    depths : sequence of int
        Depths to choose from; those with too few leaves for the classes are left out.
    scalings : sequence of {"minmax", "quantile"}
        Scalings to choose from.
    gammas : array_like
        Values of γ to choose from.
    local_grid, global_grid : array_like
        Penalties to choose from, increasing: λ_L in units of 1/(p·B), λ_G in units of 1/p, so
        that they mean the same at every depth.
    scoring : str
        By what candidates are judged on held-out rows: ``"cost"``, mean cost of the predicted
        classes; ``"accuracy"``, share of rows predicted right; ``"balanced_accuracy"``, its mean
        over the classes; ``"log_loss"``, mean −log of the probability of the true class;
        ``"brier"``, mean squared error of the probabilities, summed over the classes;
        ``"brier_and_agreement"``, the same plus the share of rows whose class is another with hard
        routing; ``"roc_auc"``, area under the ROC curve, for more than two classes the mean over
        the classes, each against the others.
    folds : int
        Number of folds, at least 2; if rows have fewer different values, each is held out once.
    rule : {"best", "one_se"}
        Take the candidate of the best score, or the shallowest and then sparsest of those within
        one standard error of it.
    {costs, sample_weight, class_weight, penalty_shape, max_features, min_class_rate}
    {min_class_rate_on, cover_classes, n_starts, random_state, n_threads, max_iter, tol}
    time_limit : float, optional
        Seconds for all; at most 60 % of them go into the choice.
    {missing, feature_names, progress}

    Returns
    -------
    OrctModel
        The tree; ``model.report.cross_validation`` holds the table.

    Raises
    ------
    {raises}
        Before settings are chosen there is no tree.

    Warns
    -----
    {warns}

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct_cv(
    ...     X[::2], y[::2], depths=(1, 2), gammas=(512,), local_grid=(0, 0.06), n_starts=4
    ... )
    >>> bool((model.predict(X[1::2]) == y[1::2]).mean() > 0.93)
    True
    >>> len(model.report.cross_validation.candidates)
    8
    """
    settings = dict(locals())
    choices = {name: settings.pop(name) for name in ORCT_CV}
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_classification(settings)
    arguments = training, settings, choices
    return fit_model(_core.fit_orct_cv, arguments, OrctModel, *shown)


@public(
    depth=_chosen("depths"),
    ridge_leaves=_chosen("ridges"),
)
def fit_srt_cv(
    X: Any,
    y: Any,
    depths: Sequence[int] = SRT_CV["depths"],
    *,
    curves: Sequence[bool] = SRT_CV["curves"],
    ridges: Sequence[float | None] = SRT_CV["ridges"],
    folds: int = SRT_CV["folds"],
    scoring: str = SRT_CV["scoring"],
    rule: str = SRT_CV["rule"],
    ridge_branches: float | None = SRT["ridge_branches"],
    scaling: str = SRT["scaling"],
    start: str = SRT["start"],
    n_starts: int = SRT["n_starts"],
    macro_iterations: int = SRT["macro_iterations"],
    imbalance: tuple[float, float, float] = SRT["imbalance"],
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
    """Fit an SRT with depth, curves and ridge of the leaves chosen by cross-validation.

    Candidates are raced over the folds: those whose score on held-out rows falls significantly
    behind the best are dropped. Few rows are folded several times, of very many rows a sample of
    6,000 decides; the final fit takes all rows.

    Parameters
    ----------
    {X}
    y : array_like, shape (N,)
        Response, finite numbers.
    depths : sequence of int
        Depths to choose from.
    curves : sequence of bool
        Whether to try trees without curves, with curves, or both.
    ridges : sequence of float or None
        Penalties λ_β of the leaf models to choose from, each for all coefficients; None is a
        penalty for each feature, by evidence maximization.
    scoring : {"r2", "mae", "mse"}
        By what candidates are judged on held-out rows: R², that is 1 − mean squared error by the
        variance of y, mean absolute error, or mean squared error.
    folds : int
        Number of folds, at least 2; if rows have fewer different values, each is held out once.
    rule : {"best", "one_se"}
        Take the candidate of the best score, or of those within one standard error of it the
        shallowest, then that without curves, then that of the largest penalty.
    ridge_branches : float, optional
        Penalty λ_ω of the splits, as for :func:`fit_srt`.
    start : {"mixed", "clusters", "random"}
        Where starts begin, as for :func:`fit_srt`.
    n_starts : int
        Starts of the final fit; four of them, at most, for each candidate and fold.
    macro_iterations : int
        Rounds over all branch nodes at most; ten of them, at most, on folds.
    imbalance : tuple of three floats
        As for :func:`fit_srt`.
    {fixed_scaling, sample_weight, random_state, n_threads}
    time_limit : float, optional
        Seconds for all; at most 60 % of them go into the choice.
    {missing, feature_names, progress}

    Returns
    -------
    SrtModel
        The tree; ``model.report.cross_validation`` holds the table.

    Raises
    ------
    {raises}
        Before settings are chosen there is no tree.

    Warns
    -----
    {warns}

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> model = softwood.fit_srt_cv(X, y, depths=(1, 2), curves=(False,))
    >>> table = model.report.cross_validation
    >>> table.scoring, len(table.candidates)
    ('r2', 2)
    >>> table.candidates[table.chosen].score > 0.95
    True
    """
    settings = dict(locals())
    choices = {name: settings.pop(name) for name in SRT_CV}
    shown = settings.pop("progress"), settings.pop("verbose")
    arguments = open_regression(settings), settings, choices
    return fit_model(_core.fit_srt_cv, arguments, SrtModel, *shown)


class LambdaMax(NamedTuple):
    """Penalties above which the tree that uses no feature is stationary."""

    local_penalty: float
    global_penalty: float
    at_bounds: float | None


@public()
def lambda_max(
    X: Any,
    y: Any,
    depth: int = ORCT["depth"],
    *,
    gamma: float = PLAIN_GAMMA,
    costs: ArrayLike | None = ORCT["costs"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    scaling: str = "minmax",
    penalty_shape: str = ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORCT["penalty_parameters"],
    groups: ArrayLike | None = ORCT["groups"],
    cover_classes: bool = ORCT["cover_classes"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
) -> LambdaMax:
    """Bound the penalties worth trying: beyond them a = 0, no feature at all, is stationary.

    Parameters
    ----------
    {X, labels, depth, gamma, costs, sample_weight, class_weight, fixed_scaling, penalty_shape}
    {cover_classes, missing}

    Returns
    -------
    LambdaMax
        `local_penalty` and `global_penalty`, each with the other at 0: a = 0 is stationary
        whatever intercepts and labels are. `at_bounds`, for depth 1 and two classes: the same
        for intercepts at ±1, where splits are saturated; None otherwise.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> top = softwood.lambda_max(X, y, depth=1)
    >>> model = softwood.fit_orct(X, y, 1, local_penalty=0.01 * top.local_penalty, n_starts=2)
    >>> 0 < model.local_sparsity < 100
    True
    """
    settings = dict(locals())
    training = open_classification(settings)
    return LambdaMax(*_core.lambda_max(training, settings))


class VcBounds(NamedTuple):
    """Bounds on a VC dimension: at least `lower`, at most a constant times `upper_order`."""

    lower: float
    upper_order: float


def vc_bounds(depth: int, features: int) -> VcBounds:
    """Bound the Vapnik–Chervonenkis dimension of an ORCT with two classes.

    p + 1 exactly at depth 1; at least 2(p + 1) at depth 2 and 2**(D−1)·(p − D + 3) at a depth D of
    3 and more as long as p is large enough for it; at most of the order of 2**(4(D−1))·p**2.

    Parameters
    ----------
    depth : int
        D, 1 to 12.
    features : int
        p, at least 1.

    Returns
    -------
    VcBounds

    References
    ----------
    E. Amaldi, A. Consolo, A. Manno: On multivariate randomized classification trees: ℓ0-based
    sparsity, VC dimension and decomposition methods. Computers & Operations Research 151 (2023).

    Examples
    --------
    >>> import softwood
    >>> softwood.vc_bounds(3, 10)
    VcBounds(lower=40.0, upper_order=25600.0)
    """
    return VcBounds(*_core.vc_bounds(depth, features))
