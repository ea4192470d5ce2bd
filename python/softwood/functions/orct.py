"""`fit_orct`: an optimal randomized classification tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._parameters import public
from .._settings import ORCT, open_classification
from ..models import OrctModel
from ..progress import Progress
from ..row_groups import RowGroup, take_groups
from ..selection import RowSelection, as_selection

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public()
def fit_orct(
    X: Any,
    y: Any,
    depth: int = ORCT["depth"],
    *,
    gamma: float | str = ORCT["gamma"],
    costs: ArrayLike | None = ORCT["costs"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    scaling: str = ORCT["scaling"],
    balance: bool | str = ORCT["balance"],
    local_penalty: float | str = ORCT["local_penalty"],
    global_penalty: float = ORCT["global_penalty"],
    penalty_shape: str = ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORCT["penalty_parameters"],
    groups: ArrayLike | None = ORCT["groups"],
    penalty: float | None = ORCT["penalty"],
    split_penalty: float | str = ORCT["split_penalty"],
    max_features: int | None = ORCT["max_features"],
    max_leaves: int | None = ORCT["max_leaves"],
    min_class_rate: float | Mapping[Any, float] | ArrayLike | None = ORCT["min_class_rate"],
    min_class_rate_on: str = ORCT["min_class_rate_on"],
    row_groups: Sequence[RowGroup] | RowGroup | None = None,
    sensitive_features: ArrayLike | None = None,
    cover_classes: bool = ORCT["cover_classes"],
    solver: str = ORCT["solver"],
    full_iterations: int = ORCT["full_iterations"],
    proximal_weight: float = ORCT["proximal_weight"],
    rows: str | RowSelection = "all",
    n_starts: int = ORCT["n_starts"],
    random_state: int | None = ORCT["random_state"],
    n_threads: int | None = ORCT["n_threads"],
    max_iter: int = ORCT["max_iter"],
    tol: float = ORCT["tol"],
    time_limit: float | None = ORCT["time_limit"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = ORCT["feature_names"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> OrctModel:
    """Fit an optimal randomized classification tree (ORCT).

    A complete binary tree whose splits are oblique and soft: at branch node t a row x, its
    features mapped to [0, 1], goes left with probability 1/(1 + exp(−γ(aₜᵀx/p − μₜ))). All
    splits and leaf labels are chosen together to minimize the mean expected cost of
    misclassification, under −1 ≤ a, μ ≤ 1.

    Settings that are ``"auto"`` are chosen together on five folds of the training rows (of a
    sample of 2,000, if there are more; of less than 500 rows twice) by the Brier score of held-out
    rows plus the share of them that hard routing gives another class: a few quick trees for each
    candidate, those that fall behind dropped. The report's
    `cross_validation` tells how. The plain tree of the papers is
    ``fit_orct(X, y, gamma=512, scaling="minmax", balance=False, local_penalty=0)``.

    Parameters
    ----------
    {X, labels, depth}
    gamma : float or "auto"
        Steepness of the splits, above 0; the larger, the closer to hard splits. ``"auto"``
        chooses among 128, 512 and 2048.
    {costs, sample_weight, class_weight, scaling}
    balance : bool or "auto"
        Whether classes are balanced in training: a mistake on a row of class k costs W/(K·W_k)
        times as much (W the weight of all rows, W_k that of the class), so that rare classes shape
        the splits as much as common ones. Probabilities and predicted classes are those of the
        rows as they are. ``"auto"`` means no where `costs` or `min_class_rate` are given.
    local_penalty : float or "auto"
        Weight λ_L ≥ 0 of Σ φ(|a_jt|) over all coefficients: fewer features in each split.
        ``"auto"`` chooses among 1 and 4 times 1/(32p) · γ/512 (with `costs`, the largest of them
        over 16p · γ/512), and is 0 if `global_penalty` or another shape of the penalty is asked
        for.
    global_penalty : float
        Weight λ_G ≥ 0 of Σ φ(max |a_jt|), the maximum over all splits and over the columns of
        a group, the sum over groups: fewer features in the whole tree. Zeros are exact.
    {penalty_shape}
    penalty : float, optional
        λ_L as a share, from 0 to 1, of the one that empties the tree (``lambda_max`` of the rows,
        weights and scaling in use): 0.1 means the same on every data set. Instead of
        `local_penalty` and `global_penalty`.
    {split_penalty, max_features, min_class_rate, min_class_rate_on, row_groups}
    {sensitive_features}
    {cover_classes, solver}
    rows : {"all", "selected"} or RowSelection
        Which rows to train on: all, or few that stand for them, selected as :class:`RowSelection`
        says; ``"selected"`` is ``RowSelection()``. The report's `selection` then tells their
        share and the accuracy on all rows.
    {n_starts, random_state, n_threads, max_iter, tol, time_limit, missing, feature_names, progress}

    Returns
    -------
    OrctModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    References
    ----------
    R. Blanquero, E. Carrizosa, C. Molero-Río, D. Romero Morales: Optimal randomized
    classification trees. Computers & Operations Research 132 (2021) 105281.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X[::2], y[::2], depth=1, n_starts=4)
    >>> model.predict(X[1:4])
    array(['malignant', 'malignant', 'malignant'], dtype='<U9')
    >>> bool((model.predict(X[1::2]) == y[1::2]).mean() > 0.93)
    True
    >>> len(model.report.start_objectives)
    4
    """
    settings = dict(locals())
    selection = as_selection(settings.pop("rows"))
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_classification(settings)
    if selection is not None and settings["row_groups"] is not None:
        raise ValueError("row_groups need all rows: rows must be 'all'")
    bounded = take_groups(settings, training[0], training[2])
    arguments = training, bounded, settings, selection
    return fit_model(_core.fit_orct, arguments, OrctModel, *shown)
