"""`fit_orrt`: a sparse optimal randomized regression tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._parameters import public
from .._settings import ORRT, open_regression
from ..models import OrrtModel
from ..progress import Progress
from ..row_groups import RowGroup, take_groups

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public()
def fit_orrt(
    X: Any,
    y: Any,
    depth: int = ORRT["depth"],
    *,
    gamma: float | str = ORRT["gamma"],
    ridge_leaves: float | None = ORRT["ridge_leaves"],
    scaling: str = ORRT["scaling"],
    local_penalty: float = ORRT["local_penalty"],
    global_penalty: float = ORRT["global_penalty"],
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
    """Fit a sparse optimal randomized regression tree (S-ORRT).

    A complete binary tree with oblique, soft splits and a linear model in every leaf. A row x, its
    features mapped to [0, 1], reaches leaf t with probability Pₜ(x), and its prediction is the
    mixture Σ_t Pₜ(x) (β_0t + βₜᵀx) of all leaves: a smooth function, with an exact local
    explanation everywhere. All splits and leaf models are chosen together to minimize the mean
    squared error of the standardized response and a ridge on the leaf models, under
    −1 ≤ a, μ ≤ 1. For given splits all leaf models follow from one linear regression, which is
    solved at every step.

    Parameters
    ----------
    {X}
    y : array_like, shape (N,)
        Response, finite numbers.
    {depth}
    gamma : float or "auto"
        Steepness of the splits, above 0; the larger, the closer to hard splits. ``"auto"`` chooses
        among 32, 128 and the thesis' 512 on three folds of up to 4,000 rows: with few rows softer
        splits predict new rows better, groups that lie close together take sharp ones.
    ridge_leaves : float, optional
        Penalty λ_β ≥ 0 of the plain ridge (λ_β/2) Σ_t (Σ_j v_j β_tj² + β_0t²), v_j being the
        variance of feature j. By default each feature has a penalty of its leaf coefficients around
        their mean and one of this mean, those with the most evidence at the best start after a few
        iterations: leaves of few rows tend to a common model, and with as many features as rows
        that one shrinks instead of interpolating.
    {fixed_scaling}
    local_penalty : float
        Weight λ_L ≥ 0 of Σ φ(|c|) over the coefficients c of all splits and of all leaf models of
        the standardized response: fewer features in each node. Steep splits get along with small
        coefficients, which a penalty hardly charges for: smaller `gamma` gives sparser splits.
    global_penalty : float
        Weight λ_G ≥ 0 of Σ φ(max |c|), the maximum over all splits and leaves and over the columns
        of a group, the sum over groups: fewer features in the whole tree. Zeros are exact.
    {penalty_shape}
    row_groups : RowGroup or sequence of RowGroup, optional
        Groups of rows with bounds on their mean squared error, on its distance from that of all
        training rows or another group, or on that of their mean predictions.
        The report's ``constraints`` tell what was reached; if bounds cannot be kept together the
        status is ``"infeasible"`` and the tree the closest found.
    {sensitive_features}
    n_starts : int
        Starts, by successive halving: one from the splits of a soft regression tree, the others
        from random directions. After a few iterations the better half goes on, and the best tree
        is kept.
    {sample_weight, random_state, n_threads, max_iter, tol, time_limit, missing, feature_names}
    {progress}

    Returns
    -------
    OrrtModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    References
    ----------
    R. Blanquero, E. Carrizosa, C. Molero-Río, D. Romero Morales: On sparse optimal regression
    trees. European Journal of Operational Research 299 (2022) 1045–1054.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> model = softwood.fit_orrt(X, y, depth=1)
    >>> bool(abs(model.predict(X) - y).mean() < 0.1)
    True
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_regression(settings)
    bounded = take_groups(settings, training[0])
    return fit_model(_core.fit_orrt, (training, bounded, settings), OrrtModel, *shown)
