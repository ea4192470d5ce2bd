"""`fit_functional_orrt`: a regression tree on curves and their critical intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._curves import open_regression
from .._fitting import fit_model
from .._parameters import public
from .._settings import FUNCTIONAL_ORRT
from ..models import FunctionalOrrtModel
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public()
def fit_functional_orrt(
    curves: Any,
    y: Any,
    depth: int = FUNCTIONAL_ORRT["depth"],
    *,
    n_intervals: int = FUNCTIONAL_ORRT["n_intervals"],
    grids: Any = None,
    spans: Mapping[str, Any] | None = None,
    derivatives: Sequence[int] = FUNCTIONAL_ORRT["derivatives"],
    smoothing: float | str = FUNCTIONAL_ORRT["smoothing"],
    gamma: float = FUNCTIONAL_ORRT["gamma"],
    ridge_leaves: float = FUNCTIONAL_ORRT["ridge_leaves"],
    length_penalty: float = FUNCTIONAL_ORRT["length_penalty"],
    local_penalty: float = FUNCTIONAL_ORRT["local_penalty"],
    global_penalty: float = FUNCTIONAL_ORRT["global_penalty"],
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
    """Fit a regression tree to curves, and find the intervals of them that matter (S-ORRT-FD).

    The features of the tree are the means of the curves, and of their derivatives if these are
    wanted, over H critical intervals that all curves share. The ends of the intervals are chosen
    together with all splits and leaf models: they descend jointly, leaf models being best at every
    step, for one interval first and then for one more at a time.

    Parameters
    ----------
    {curves}
    y : array_like, shape (N,)
        Response, finite numbers.
    {depth}
    {n_intervals, grids, spans, derivatives, smoothing, functional_gamma}
    ridge_leaves : float
        Penalty λ_β ≥ 0 of the leaf models, for features with a variance of 1/16.
    {length_penalty}
    local_penalty : float
        Weight λ_L ≥ 0 of Σ φ(|c|) over the coefficients c of all splits and of all leaf models of
        the standardized response.
    global_penalty : float
        Weight λ_G ≥ 0 of Σ φ(max |c|), the maximum over all splits, leaves and intervals and over
        the derivatives of a predictor, the sum over predictors. Zeros are exact.
    {functional_penalty_shape}
    n_starts : int
        Starts for each number of intervals up to `n_intervals`, by successive halving: after a few
        iterations the better half goes on. Three of four begin from the best trees on one interval
        less.
    {sample_weight, random_state, n_threads, max_iter, tol, time_limit}
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

    References
    ----------
    R. Blanquero, E. Carrizosa, C. Molero-Río, D. Romero Morales: Sparse optimal regression trees in
    functional data analysis. Technical report, University of Seville, 2022.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> s, rng = np.linspace(0, 1, 50), np.random.default_rng(0)
    >>> curves = np.cumsum(rng.normal(size=(120, 50)), axis=1) / 7
    >>> y = abs(curves[:, 20:30].mean(axis=1))
    >>> model = softwood.fit_functional_orrt(curves, y, n_intervals=1, n_starts=4)
    >>> bool(abs(model.predict(curves) - y).mean() < 0.05)
    True
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    arguments = *open_regression(settings), settings
    return fit_model(_core.fit_functional_orrt, arguments, FunctionalOrrtModel, *shown)
