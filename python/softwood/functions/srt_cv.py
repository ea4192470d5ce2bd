"""`fit_srt_cv`: a soft regression tree with its settings chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._parameters import chosen, public
from .._settings import SRT, SRT_CV, open_regression
from ..models import SrtModel
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public(
    depth=chosen("depths"),
    ridge_leaves=chosen("ridges"),
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
