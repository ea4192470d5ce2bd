"""`fit_orrt_cv`: a randomized regression tree with its settings chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._parameters import chosen, public
from .._settings import ORRT, ORRT_CV, open_regression
from ..models import OrrtModel
from ..progress import Progress
from ..row_groups import RowGroup, take_groups

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public(
    depth=chosen("depths"),
    scaling=chosen("scalings"),
    gamma=chosen("gammas"),
    ridge_leaves=chosen("ridges"),
    local_penalty=chosen("local_grid"),
    global_penalty=chosen("global_grid"),
)
def fit_orrt_cv(
    X: Any,
    y: Any,
    depths: Sequence[int] = ORRT_CV["depths"],
    *,
    scalings: Sequence[str] = ORRT_CV["scalings"],
    gammas: Sequence[float] = ORRT_CV["gammas"],
    ridges: Sequence[float | None] = ORRT_CV["ridges"],
    local_grid: Sequence[float] = ORRT_CV["local_grid"],
    global_grid: Sequence[float] = ORRT_CV["global_grid"],
    folds: int = ORRT_CV["folds"],
    scoring: str = ORRT_CV["scoring"],
    rule: str = ORRT_CV["rule"],
    penalty_shape: str = ORRT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORRT["penalty_parameters"],
    groups: ArrayLike | None = ORRT["groups"],
    row_groups: Sequence[RowGroup] | RowGroup | None = None,
    sensitive_features: ArrayLike | None = None,
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
    """Fit an ORRT with depth, steepness, scaling, ridge and penalties chosen by cross-validation.

    Candidates are raced over the folds: those whose score on held-out rows falls significantly
    behind the best are dropped. Few rows are folded several times, of very many rows a sample
    decides; the final fit takes all rows. Steepness matters most: with few rows softer splits
    predict new rows better than those of the thesis, which :func:`fit_orrt` has by default.

    Parameters
    ----------
    {X}
    y : array_like, shape (N,)
        Response, finite numbers.
    depths : sequence of int
        Depths to choose from.
    scalings : sequence of {"minmax", "quantile"}
        Maps of the features to choose from.
    gammas : sequence of float
        Values of γ to choose from.
    ridges : sequence of float or None
        Penalties λ_β of the leaf models to choose from; None is that of :func:`fit_orrt`.
    local_grid : sequence of float
        Values of λ_L·p·(B + L) to choose from, increasing, B + L being the 2**(depth + 1) − 1
        splits and leaves.
    global_grid : sequence of float
        Values of λ_G·p to choose from, increasing.
    folds : int
        Number of folds, at least 2; if rows have fewer different values, each is held out once.
    scoring : {"r2", "mae", "mse"}
        By what candidates are judged on held-out rows: R², that is 1 − mean squared error by the
        variance of y, mean absolute error, or mean squared error.
    rule : {"best", "one_se"}
        Take the candidate of the best score, or of those within one standard error of it the
        shallowest, then that of the largest penalties, then that of the softest splits.
    {penalty_shape}
    row_groups : RowGroup or sequence of RowGroup, optional
        Bounds on groups of rows, as for :func:`fit_orrt`; they hold for the final fit, the trees on
        folds are fitted without them.
    {sensitive_features}
    n_starts : int
        Starts of the final fit; four of them, at most, for each candidate and fold.
    {sample_weight, random_state, n_threads, max_iter, tol}
    time_limit : float, optional
        Seconds for all; at most 60 % of them go into the choice.
    {missing, feature_names, progress}

    Returns
    -------
    OrrtModel
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
    >>> model = softwood.fit_orrt_cv(X, y, depths=(1,), gammas=(32, 512), n_starts=2)
    >>> table = model.report.cross_validation
    >>> table.scoring, len(table.candidates), table.candidates[table.chosen].score > 0.95
    ('r2', 2, True)
    """
    settings = dict(locals())
    choices = {name: settings.pop(name) for name in ORRT_CV}
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_regression(settings)
    bounded = take_groups(settings, training[0])
    arguments = training, bounded, settings, choices
    return fit_model(_core.fit_orrt_cv, arguments, OrrtModel, *shown)
