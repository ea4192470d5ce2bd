"""`fit_orct_cv`: a classification tree with its settings chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._fitting import fit_model
from .._parameters import chosen, public
from .._settings import ORCT, ORCT_CV, open_classification
from ..models import OrctModel
from ..progress import Progress
from ..row_groups import RowGroup, take_groups

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@public(
    depth=chosen("depths"),
    scaling=chosen("scalings"),
    gamma=chosen("gammas"),
    local_penalty=chosen("local_grid"),
    global_penalty=chosen("global_grid"),
    penalty=chosen("local_grid"),
)
def fit_orct_cv(
    X: Any,
    y: Any,
    depths: Sequence[int] = ORCT_CV["depths"],
    *,
    scalings: Sequence[str] = ORCT_CV["scalings"],
    gammas: ArrayLike = ORCT_CV["gammas"],
    local_grid: ArrayLike = ORCT_CV["local_grid"],
    global_grid: ArrayLike = ORCT_CV["global_grid"],
    folds: int = ORCT_CV["folds"],
    scoring: str = ORCT_CV["scoring"],
    rule: str = ORCT_CV["rule"],
    costs: ArrayLike | None = ORCT["costs"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    penalty_shape: str = ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORCT["penalty_parameters"],
    groups: ArrayLike | None = ORCT["groups"],
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
    """Fit an ORCT with depth, scaling, γ and penalties chosen by cross-validation.

    Candidates are raced over the folds: those whose score on held-out rows falls significantly
    behind the best are dropped. The best starts of one depth and scaling are warm starts from soft
    to sharp γ and on to larger penalties. Few rows are folded several times, of very many rows a
    sample of 6,000 decides; the final fit takes all rows.

    Parameters
    ----------
    {X, labels}
    depths : sequence of int
        Depths to choose from; those with too few leaves for the classes are left out.
    scalings : sequence of {"minmax", "quantile"}
        Scalings to choose from.
    gammas : array_like
        Values of γ to choose from.
    local_grid, global_grid : array_like
        Penalties to choose from, increasing: λ_L in units of 1/(p·B), λ_G in units of 1/p, so
        that they mean the same at every depth.
    scoring : str
        By what candidates are judged on held-out rows: ``"cost"``, mean cost of the predicted
        classes; ``"accuracy"``, share of rows predicted right; ``"balanced_accuracy"``, its mean
        over the classes; ``"log_loss"``, mean −log of the probability of the true class;
        ``"brier"``, mean squared error of the probabilities, summed over the classes;
        ``"brier_and_agreement"``, the same plus the share of rows whose class is another with hard
        routing; ``"roc_auc"``, area under the ROC curve, for more than two classes the mean over
        the classes, each against the others.
    folds : int
        Number of folds, at least 2; if rows have fewer different values, each is held out once.
    rule : {"best", "one_se"}
        Take the candidate of the best score, or the shallowest and then sparsest of those within
        one standard error of it.
    {costs, sample_weight, class_weight, penalty_shape, split_penalty, max_features}
    {min_class_rate, min_class_rate_on, row_groups, sensitive_features, cover_classes, solver}
    {n_starts, random_state, n_threads, max_iter, tol}
    time_limit : float, optional
        Seconds for all; at most 60 % of them go into the choice.
    {missing, feature_names, progress}

    Returns
    -------
    OrctModel
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
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct_cv(
    ...     X[::2], y[::2], depths=(1, 2), gammas=(512,), local_grid=(0, 0.06), n_starts=4
    ... )
    >>> bool((model.predict(X[1::2]) == y[1::2]).mean() > 0.93)
    True
    >>> len(model.report.cross_validation.candidates)
    8
    """
    settings = dict(locals())
    choices = {name: settings.pop(name) for name in ORCT_CV}
    shown = settings.pop("progress"), settings.pop("verbose")
    training = open_classification(settings)
    bounded = take_groups(settings, training[0], training[2])
    arguments = training, bounded, settings, choices
    return fit_model(_core.fit_orct_cv, arguments, OrctModel, *shown)
