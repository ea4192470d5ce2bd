"""`fit_functional_orct_cv`: a classification tree on curves with its settings chosen by folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._curves import open_classification
from .._fitting import fit_model
from .._parameters import chosen, public
from .._settings import FUNCTIONAL_ORCT, FUNCTIONAL_ORCT_CV
from ..models import FunctionalOrctModel
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public(
    depth=chosen("depths"),
    gamma=chosen("gammas"),
    length_penalty=chosen("length_penalties"),
    local_penalty=chosen("local_penalties"),
    global_penalty=chosen("global_penalties"),
)
def fit_functional_orct_cv(
    curves: Any,
    y: Any,
    depths: Sequence[int] = FUNCTIONAL_ORCT_CV["depths"],
    *,
    n_intervals: Sequence[int] = FUNCTIONAL_ORCT_CV["n_intervals"],
    derivatives: Sequence[Sequence[int]] = FUNCTIONAL_ORCT_CV["derivatives"],
    gammas: Sequence[float] = FUNCTIONAL_ORCT_CV["gammas"],
    length_penalties: Sequence[float] = FUNCTIONAL_ORCT_CV["length_penalties"],
    local_penalties: Sequence[float] = FUNCTIONAL_ORCT_CV["local_penalties"],
    global_penalties: Sequence[float] = FUNCTIONAL_ORCT_CV["global_penalties"],
    folds: int = FUNCTIONAL_ORCT_CV["folds"],
    scoring: str = FUNCTIONAL_ORCT_CV["scoring"],
    rule: str = FUNCTIONAL_ORCT_CV["rule"],
    grids: Any = None,
    spans: Mapping[str, Any] | None = None,
    smoothing: float | str = FUNCTIONAL_ORCT["smoothing"],
    costs: ArrayLike | None = FUNCTIONAL_ORCT["costs"],
    class_weight: Mapping[Any, float] | str | None = None,
    cover_classes: bool = FUNCTIONAL_ORCT["cover_classes"],
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
    """Fit a classification tree to curves, its intervals and settings chosen by cross-validation.

    Candidates are raced over stratified folds: those whose score on held-out rows falls
    significantly behind the best are dropped, and depths with too few leaves for the classes are
    left out. The report's ``cross_validation`` holds the table.

    Parameters
    ----------
    {curves}
    {labels}
    {curve_grid}
    folds : int
        Folds, at least 2; if rows have fewer different values, each is held out once.
    scoring : str
        By what candidates are judged on held-out rows, as for :func:`fit_orct_cv`: ``"cost"``,
        ``"accuracy"``, ``"balanced_accuracy"``, ``"log_loss"``, ``"brier"``,
        ``"brier_and_agreement"`` or ``"roc_auc"``.
    rule : {"best", "one_se"}
        Take the best, or the simplest within one standard error of it.
    {grids, spans, smoothing}
    {costs, class_weight, cover_classes}
    {functional_penalty_shape}
    n_starts : int
        Starts of the final fit for each number of intervals, and on those that are found; folds
        take fewer.
    {sample_weight, random_state, n_threads, max_iter, tol}
    time_limit : float, optional
        Seconds for all; at most 60 % of them go into the choice.
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
    >>> model = softwood.fit_functional_orct_cv(
    ...     curves, y, (1,), n_intervals=(1, 2), derivatives=([0], [1]), folds=3, n_starts=4
    ... )
    >>> model.derivatives
    (0,)
    """
    settings = dict(locals())
    choices = {name: settings.pop(name) for name in FUNCTIONAL_ORCT_CV}
    shown = settings.pop("progress"), settings.pop("verbose")
    arguments = *open_classification(settings), settings, choices
    return fit_model(_core.fit_functional_orct_cv, arguments, FunctionalOrctModel, *shown)
