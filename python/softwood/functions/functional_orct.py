"""`fit_functional_orct`: a classification tree on curves and their critical intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._curves import open_classification
from .._fitting import fit_model
from .._parameters import public
from .._settings import FUNCTIONAL_ORCT
from ..models import FunctionalOrctModel
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public()
def fit_functional_orct(
    curves: Any,
    y: Any,
    depth: int = FUNCTIONAL_ORCT["depth"],
    *,
    n_intervals: int = FUNCTIONAL_ORCT["n_intervals"],
    grids: Any = None,
    spans: Mapping[str, Any] | None = None,
    derivatives: Sequence[int] = FUNCTIONAL_ORCT["derivatives"],
    smoothing: float | str = FUNCTIONAL_ORCT["smoothing"],
    gamma: float = FUNCTIONAL_ORCT["gamma"],
    costs: ArrayLike | None = FUNCTIONAL_ORCT["costs"],
    class_weight: Mapping[Any, float] | str | None = None,
    cover_classes: bool = FUNCTIONAL_ORCT["cover_classes"],
    length_penalty: float = FUNCTIONAL_ORCT["length_penalty"],
    local_penalty: float = FUNCTIONAL_ORCT["local_penalty"],
    global_penalty: float = FUNCTIONAL_ORCT["global_penalty"],
    penalty_shape: str = FUNCTIONAL_ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = FUNCTIONAL_ORCT["penalty_parameters"],
    n_starts: int = FUNCTIONAL_ORCT["n_starts"],
    sample_weight: ArrayLike | None = None,
    random_state: int | None = FUNCTIONAL_ORCT["random_state"],
    n_threads: int | None = FUNCTIONAL_ORCT["n_threads"],
    max_iter: int = FUNCTIONAL_ORCT["max_iter"],
    tol: float = FUNCTIONAL_ORCT["tol"],
    time_limit: float | None = FUNCTIONAL_ORCT["time_limit"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> FunctionalOrctModel:
    """Fit a classification tree to curves, and find the intervals of their domain that matter.

    As :func:`fit_functional_orrt`, for the expected misclassification cost that :func:`fit_orct`
    minimizes: labels, and splits with the ends of the intervals, are chosen in turn. On the
    intervals that are found the tree goes on as any other.

    Parameters
    ----------
    {curves}
    {labels}
    {depth}
    {n_intervals, grids, spans, derivatives, smoothing, functional_gamma}
    {costs, class_weight, cover_classes}
    {length_penalty}
    local_penalty : float
        Weight λ_L ≥ 0 of Σ φ(|a|) over the coefficients of all splits.
    global_penalty : float
        Weight λ_G ≥ 0 of Σ φ(max |a|), the maximum over all splits and intervals and over the
        derivatives of a predictor, the sum over predictors. Zeros are exact.
    {functional_penalty_shape}
    n_starts : int
        Starts for each number of intervals up to `n_intervals`, by successive halving, and again on
        the intervals that are found.
    {sample_weight, random_state, n_threads, max_iter, tol, time_limit}
    {progress}

    Returns
    -------
    FunctionalOrctModel
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
    >>> curves = np.cumsum(rng.normal(size=(120, 50)), axis=1) / 7
    >>> y = np.where(curves[:, 20:30].mean(axis=1) > 0, "up", "down")
    >>> model = softwood.fit_functional_orct(curves, y, n_intervals=1, n_starts=4)
    >>> bool((model.predict(curves) == y).mean() > 0.95)
    True
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    arguments = *open_classification(settings), settings
    return fit_model(_core.fit_functional_orct, arguments, FunctionalOrctModel, *shown)
