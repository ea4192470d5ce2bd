"""`fit_srt`: a soft regression tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._parameters import public
from .._settings import SRT, open_regression
from ..models import SrtModel
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


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
