"""`fit_spdt`: a sparse perceptron decision tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._parameters import public
from .._settings import SPDT, open_classification
from ..models import SpdtModel
from ..progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public()
def fit_spdt(
    X: Any,
    y: Any,
    depth: int = SPDT["depth"],
    *,
    C: float | str = SPDT["C"],
    budget: int | str = SPDT["budget"],
    split_features: int | str = SPDT["split_features"],
    max_features: int | None = SPDT["max_features"],
    scaling: str = SPDT["scaling"],
    min_rows: float = SPDT["min_rows"],
    folds: int = SPDT["folds"],
    vote: bool = SPDT["vote"],
    interactions: bool = SPDT["interactions"],
    tol: float = SPDT["tol"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    random_state: int | None = SPDT["random_state"],
    n_threads: int | None = SPDT["n_threads"],
    time_limit: float | None = SPDT["time_limit"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = SPDT["feature_names"],
    progress: bool | Callable[[Progress], object] | None = None,
    verbose: bool = False,
) -> SpdtModel:
    """Fit a sparse perceptron decision tree (SPDT): few out of up to millions of columns.

    Every node parts its rows by a linear classifier on a few features; those that it holds positive
    go left. The features are generated `budget` at a time: those of largest
    Σ_v (Σ_i α_iv y_i x_ij)² join, then half the squared sum of the norms of all groups of features
    plus C/2 times the weighted squared slacks max(0, 1 − y(wᵀx + b))² is minimized, in turn, for
    all folds v of the node's rows at once. Classifiers are refitted on the features in the end, one
    for each fold, which tell errors on rows they have not seen, and one for all rows, which is the
    split. A child that errs on such rows no less than its parent does on its side is pruned. Of
    more than two classes a node parts one from the rest, or two sets of classes, whichever tells
    more.

    Parameters
    ----------
    {X}
    {labels}
    depth : int
        Greatest depth of the tree, 1 to 12.
    C : float or "auto"
        Cost of slacks against the margin, above 0: the larger, the closer to the rows.
        ``"auto"`` takes the one of 0.01, 0.1, 1, 10 and 100 with which the root's classifiers err
        least on rows that they and their features have not seen.
    budget : int or "auto"
        B, features generated at a time. ``"auto"`` takes 2, 5, 20 or 100, chosen as `C` and
        together with it.
    split_features : int or "auto"
        Features of a split at most; fewer if more do not lower the objective. ``"auto"`` takes the
        number, up to 10 times `budget`, with which fold classifiers err least on rows they have not
        seen.
    max_features : int, optional
        Features of the whole tree at most: once they are used up, from the root on, splits use them
        again.
    scaling : {"auto", "deviation", "none"}
        By what features are divided in training: their standard deviation, or nothing. Sparse rows
        stay sparse with both. ``"auto"`` is nothing for sparse rows, which mostly have been
        normalized, and the deviation for dense ones. Rules have features as they are.
    min_rows : float
        Weight of the rows that a node needs to be split.
    folds : int
        Folds of each node's rows; fewer where a class has fewer rows.
    vote : bool
        Whether a split is the mean of the node's fold classifiers, instead of one of all its rows.
    interactions : bool
        Whether a node that no linear classifier parts well looks for two features that do so only
        together, as in exclusive or, and splits on one of them; its children then find the other.
        They are found on a sketch of 1,024 rows and must prove themselves on other rows.
    tol : float
        Features are generated until that lowers the objective by less than this share of its value
        without any, or until the duality gap is below it.
    {sample_weight, class_weight}
    random_state : int, optional
        Seed of the folds.
    {n_threads, time_limit, missing, feature_names, progress}

    Returns
    -------
    SpdtModel
        The fitted tree.

    Raises
    ------
    {raises}

    Warns
    -----
    {warns}

    References
    ----------
    W. Liu, I. W. Tsang: Sparse perceptron decision tree for millions of dimensions (AAAI 2016).
    M. Tan, I. W. Tsang, L. Wang: Towards ultrahigh dimensional feature selection for big data
    (JMLR 2014).

    Examples
    --------
    >>> import numpy as np, softwood
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 5000))
    >>> y = X[:, 17] - X[:, 4711] > 0
    >>> model = softwood.fit_spdt(X, y, depth=1, budget=2)
    >>> model.features_.tolist()
    [17, 4711]
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_classification(settings)
    return fit_model(_core.fit_spdt, (training, settings), SpdtModel, *shown)
