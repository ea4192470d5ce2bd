"""`orrt_sparsity_path`, `orrt_lambda_max`: randomized regression trees from dense to sparse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core, _inputs
from .._features import further_features
from .._fitting import run_fit
from .._parameters import public
from .._settings import ORRT, open_regression, orrt_grids
from ..models import OrrtModel
from ..path import SparsityPath
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public(
    local_penalty="the path goes along a grid of penalties; give local_grid",
    global_penalty="the path goes along a grid of penalties; give global_grid",
)
def orrt_sparsity_path(
    X: Any,
    y: Any,
    depth: int = ORRT["depth"],
    local_grid: ArrayLike | int | None = None,
    global_grid: ArrayLike | int | None = None,
    *,
    X_validation: Any = None,
    y_validation: Any = None,
    gamma: float = 128.0,
    ridge_leaves: float | None = ORRT["ridge_leaves"],
    scaling: str = ORRT["scaling"],
    penalty_shape: str = ORRT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORRT["penalty_parameters"],
    groups: ArrayLike | None = ORRT["groups"],
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
) -> SparsityPath[OrrtModel]:
    """Fit ORRTs along a grid of penalties, from dense to sparse.

    Every point is warm-started: the better half of the starts of the first point go on from where
    they have ended at the next smaller λ_L (at the first λ_L, at the next smaller λ_G). The best of
    them is the tree of a point. A ridge that is not given is chosen at the first point.

    Parameters
    ----------
    {X}
    y : array_like, shape (N,)
        Response, finite numbers.
    {depth}
    local_grid, global_grid : array_like or int, optional
        Increasing penalties λ_L and λ_G, not negative, for the standardized response. None stands
        for 0 and 2**r/(p·(B + L)) (local) or 2**r/p (global) with r = −12 … 5, B + L being the
        2**(depth + 1) − 1 splits and leaves; a number n for 0 and n penalties at equal ratios, down
        from :func:`softwood.orrt_lambda_max` by a factor of 2**15.
    X_validation, y_validation : array_like, optional
        Rows on which the R² of every tree is computed; they do not influence the trees.
    {gamma}
    ridge_leaves : float, optional
        As for :func:`fit_orrt`.
    {fixed_scaling, penalty_shape}
    n_starts : int
        Starts at the first point.
    {sample_weight, random_state, n_threads, max_iter, tol}
    time_limit : float, optional
        Seconds after which the points done so far are returned.
    {missing, feature_names, progress}

    Returns
    -------
    SparsityPath
        The trees with objective, loss and sparsities, which count splits and leaves. What is likely
        to be unwanted of one stands in its report's `notices`; the path gives no warnings.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; nothing has been computed then.
    KeyboardInterrupt
        On Ctrl-C, within moments; its attribute ``partial`` is the path with the points done.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 5))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> path = softwood.orrt_sparsity_path(X, y, 1, [0], [0, 0.1, 100], n_starts=2)
    >>> path.global_sparsity[:, 0].tolist()
    [0.0, 40.0, 100.0]
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    grids = settings.pop("local_grid"), settings.pop("global_grid")
    held = settings.pop("X_validation"), settings.pop("y_validation")
    training = open_regression(settings)
    local, overall = orrt_grids(*grids, training, settings)
    if (held[0] is None) != (held[1] is None):
        raise ValueError("X_validation and y_validation go together: give both or neither")
    validation = None
    if held[0] is not None:
        rows = further_features(held[0], settings)
        validation = rows, _inputs.as_response(held[1], len(rows))

    def table(answer: Any) -> SparsityPath[OrrtModel]:
        points, status, seconds = answer
        models = [(j, i, OrrtModel(handle), score) for j, i, handle, score in points]
        scored = validation is not None
        return SparsityPath(local, overall, models, status, seconds, scored=scored)

    arguments = training, settings, (local, overall), validation
    return run_fit(_core.orrt_sparsity_path, arguments, table, *shown)


class OrrtLambdaMax(NamedTuple):
    """Penalties from which the regression tree that uses no feature is stationary."""

    local_penalty: float
    global_penalty: float


@public()
def orrt_lambda_max(
    X: Any,
    y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    scaling: str = ORRT["scaling"],
    penalty_shape: str = ORRT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORRT["penalty_parameters"],
    groups: ArrayLike | None = ORRT["groups"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
) -> OrrtLambdaMax:
    """Bound the penalties of an ORRT worth trying, whatever its depth and steepness.

    From them on the tree that uses no feature, in splits or leaves, and predicts the mean is
    stationary. Trees that use features may still be better where y depends on X without being
    correlated with it.

    Parameters
    ----------
    {X}
    y : array_like, shape (N,)
        Response, finite numbers.
    {sample_weight, fixed_scaling, penalty_shape, missing}

    Returns
    -------
    OrrtLambdaMax
        `local_penalty` and `global_penalty`, each with the other at 0.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> y = 3 * X[:, 0]
    >>> top = softwood.orrt_lambda_max(X, y)
    >>> softwood.orrt_sparsity_path(X, y, 1, [0], [1.01 * top.global_penalty]).global_sparsity
    array([[100.]])
    """
    settings = dict(locals())
    return OrrtLambdaMax(*_core.orrt_lambda_max(open_regression(settings), settings))
