"""`fit_functional_orrt_cv`: a regression tree on curves with its settings chosen by folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._curves import open_regression
from .._fitting import fit_model
from .._parameters import chosen, public
from .._settings import FUNCTIONAL_ORRT, FUNCTIONAL_ORRT_CV
from ..models import FunctionalOrrtModel
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public(
    depth=chosen("depths"),
    gamma=chosen("gammas"),
    length_penalty=chosen("length_penalties"),
    local_penalty=chosen("local_penalties"),
    global_penalty=chosen("global_penalties"),
    ridge_leaves=chosen("ridges"),
)
def fit_functional_orrt_cv(
    curves: Any,
    y: Any,
    depths: Sequence[int] = FUNCTIONAL_ORRT_CV["depths"],
    *,
    n_intervals: Sequence[int] = FUNCTIONAL_ORRT_CV["n_intervals"],
    derivatives: Sequence[Sequence[int]] = FUNCTIONAL_ORRT_CV["derivatives"],
    gammas: Sequence[float] = FUNCTIONAL_ORRT_CV["gammas"],
    length_penalties: Sequence[float] = FUNCTIONAL_ORRT_CV["length_penalties"],
    local_penalties: Sequence[float] = FUNCTIONAL_ORRT_CV["local_penalties"],
    global_penalties: Sequence[float] = FUNCTIONAL_ORRT_CV["global_penalties"],
    ridges: Sequence[float] = FUNCTIONAL_ORRT_CV["ridges"],
    folds: int = FUNCTIONAL_ORRT_CV["folds"],
    scoring: str = FUNCTIONAL_ORRT_CV["scoring"],
    rule: str = FUNCTIONAL_ORRT_CV["rule"],
    grids: Any = None,
    spans: Mapping[str, Any] | None = None,
    smoothing: float | str = FUNCTIONAL_ORRT["smoothing"],
    penalty_shape: str = FUNCTIONAL_ORRT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = FUNCTIONAL_ORRT["penalty_parameters"],
    n_starts: int = FUNCTIONAL_ORRT["n_starts"],
    sample_weight: ArrayLike | None = None,
    random_state: int | None = FUNCTIONAL_ORRT["random_state"],
    n_threads: int | None = FUNCTIONAL_ORRT["n_threads"],
    max_iter: int = FUNCTIONAL_ORRT["max_iter"],
    tol: float = FUNCTIONAL_ORRT["tol"],
    time_limit: float | None = FUNCTIONAL_ORRT["time_limit"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> FunctionalOrrtModel:
    """Fit a regression tree to curves, its intervals and settings chosen by cross-validation.

    Candidates are raced over the folds: those whose score on held-out rows falls significantly
    behind the best are dropped. The report's ``cross_validation`` holds the table.

    Parameters
    ----------
    {curves}
    y : array_like, shape (N,)
        Response, finite numbers.
    {curve_grid}
    ridges : sequence of float
        Penalties λ_β of the leaf models to choose from.
    folds : int
        Folds, at least 2.
    scoring : {"r2", "mse", "mae"}
        By what candidates are judged on held-out rows.
    rule : {"best", "one_se"}
        Take the best, or the simplest within one standard error of it.
    {grids, spans, smoothing}
    {functional_penalty_shape}
    n_starts : int
        Starts of the final fit for each number of intervals; folds take fewer.
    {sample_weight, random_state, n_threads, max_iter, tol}
    time_limit : float, optional
        Seconds for all; at most 60 % of them go into the choice.
    {progress}

    Returns
    -------
    FunctionalOrrtModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    Examples
    --------
    >>> import numpy as np, softwood
    >>> rng = np.random.default_rng(0)
    >>> curves = np.cumsum(rng.normal(size=(80, 40)), axis=1) / 7
    >>> y = abs(curves[:, 16:24].mean(axis=1))
    >>> model = softwood.fit_functional_orrt_cv(
    ...     curves, y, n_intervals=(1, 2), derivatives=([0], [1]), gammas=(32,), folds=3, n_starts=4
    ... )
    >>> model.derivatives
    (0,)
    """
    settings = dict(locals())
    choices = {name: settings.pop(name) for name in FUNCTIONAL_ORRT_CV}
    shown = settings.pop("progress"), settings.pop("verbose")
    arguments = *open_regression(settings), settings, choices
    return fit_model(_core.fit_functional_orrt_cv, arguments, FunctionalOrrtModel, *shown)
