"""Settings chosen by cross-validation, and what theory says of penalties and capacity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core, _inputs
from ._settings import ORCT_DEFAULTS, orct_settings
from .progress import Progress, follow

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def fit_orct_cv(
    X: Any,
    y: Any,
    depths: Sequence[int] = (1, 2, 3),
    *,
    scalings: Sequence[str] = ("minmax", "quantile"),
    gammas: ArrayLike = (128.0, 512.0, 2048.0, 8192.0),
    local_grid: ArrayLike = (0.0, 1 / 64, 1 / 16, 1 / 4, 1.0),
    global_grid: ArrayLike = (0.0,),
    folds: int = 5,
    rule: str = "best",
    sample_weight: ArrayLike | None = None,
    time_limit: float | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
    **settings: Any,
) -> _core.OrctModel:
    """Fit an ORCT with depth, scaling, γ and penalties chosen by cross-validation.

    Candidates run a race over the folds: those whose costs on held-out rows fall significantly
    behind the best are dropped. The best starts of one depth and scaling are carried from soft to
    sharp γ and on to larger penalties. Few rows are folded several times, of very many rows a
    sample of 6,000 decides; the final fit takes all rows.

    Parameters
    ----------
    X, y, sample_weight, progress
        As in :func:`softwood.fit_orct`.
    depths : sequence of int
        Depths to choose from; those with too few leaves for the classes are left out.
    scalings : sequence of {"minmax", "quantile"}
        Scalings to choose from.
    gammas : array_like
        Values of γ to choose from.
    local_grid, global_grid : array_like
        Penalties to choose from, increasing: λ_L in units of 1/(p·B), λ_G in units of 1/p, so
        that they mean the same at every depth.
    folds : int
        Number of folds, at least 2.
    rule : {"best", "one_se"}
        Take the candidate of least cost, or the shallowest and sparsest of those within one
        standard error of it.
    time_limit : float, optional
        Seconds for all; at most 60 % of them go into the choice.
    **settings
        Anything else that :func:`softwood.fit_orct` takes.

    Returns
    -------
    OrctModel
        The tree; ``model.report.cross_validation`` holds the table.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct_cv(
    ...     X[::2], y[::2], depths=(1, 2), gammas=(512,), local_grid=(0, 0.06), n_starts=2
    ... )
    >>> bool((model.predict(X[1::2]) == y[1::2]).mean() > 0.93)
    True
    >>> len(model.report.cross_validation.candidates)
    8
    """
    rows = _inputs.as_rows(X)
    classes, codes = _inputs.as_labels(y, len(rows))
    refused = {"depth", "scaling", "gamma", "local_penalty", "global_penalty"} & set(settings)
    if refused:
        raise TypeError(
            f"{', '.join(sorted(refused))}: chosen by cross-validation; "
            "give depths, scalings, gammas, local_grid or global_grid"
        )
    checked = orct_settings(X, classes, **ORCT_DEFAULTS | settings | {"time_limit": time_limit})
    choices = {
        "depths": [_inputs.integer("depths", depth, 1, _inputs.MAX_DEPTH) for depth in depths],
        "scalings": [_inputs.text("scalings", scaling) for scaling in scalings],
        "gammas": _inputs.as_vector("gammas", gammas).tolist(),
        "local_grid": _inputs.as_vector("local_grid", local_grid).tolist(),
        "global_grid": _inputs.as_vector("global_grid", global_grid).tolist(),
        "folds": _inputs.integer("folds", folds, 2, 1000),
        "rule": _inputs.text("rule", rule),
    }
    training = (rows, codes, classes, _inputs.as_weights(sample_weight))
    with follow(progress) as update:
        return _core.fit_orct_cv(training, checked, choices, update)


class LambdaMax(NamedTuple):
    """Penalties above which the tree that uses no feature is stationary."""

    local_penalty: float
    global_penalty: float
    at_bounds: float | None


def lambda_max(
    X: Any,
    y: Any,
    depth: int = 2,
    *,
    sample_weight: ArrayLike | None = None,
    **settings: Any,
) -> LambdaMax:
    """Bound the penalties worth trying: beyond them a = 0, no feature at all, is stationary.

    Parameters
    ----------
    X, y, depth, sample_weight
        As in :func:`softwood.fit_orct`.
    **settings
        `gamma`, `costs`, `scaling` ("minmax" or "quantile"), `penalty_shape`,
        `penalty_parameters` and `groups` of :func:`softwood.fit_orct`.

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
    >>> model = softwood.fit_orct(X, y, 1, local_penalty=1.1 * top.local_penalty, n_starts=2)
    >>> model.local_sparsity
    100.0
    """
    rows = _inputs.as_rows(X)
    classes, codes = _inputs.as_labels(y, len(rows))
    checked = orct_settings(X, classes, **ORCT_DEFAULTS | settings | {"depth": depth})
    training = (rows, codes, classes, _inputs.as_weights(sample_weight))
    return LambdaMax(*_core.lambda_max(training, checked))


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
    depth = _inputs.integer("depth", depth, 1, _inputs.MAX_DEPTH)
    features = _inputs.integer("features", features, 1, 2**31)
    return VcBounds(*_core.vc_bounds(depth, features))
