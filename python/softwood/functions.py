"""The functions users call: check the arguments, hand them to the compiled core."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _core, _inputs
from .progress import Progress, follow
from .selection import RowSelection, as_selection

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike


def fit_orct(
    X: Any,
    y: Any,
    depth: int = 2,
    *,
    gamma: float = 512.0,
    costs: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    scaling: str = "minmax",
    local_penalty: float = 0.0,
    global_penalty: float = 0.0,
    penalty_shape: str = "norm",
    min_class_rate: None = None,
    cover_classes: bool = True,
    solver: str = "full",
    rows: str | RowSelection = "all",
    n_starts: int = 20,
    random_state: int = 0,
    n_threads: int | None = None,
    max_iter: int = 200,
    tol: float = 1e-3,
    time_limit: float | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> _core.OrctModel:
    """Fit an optimal randomized classification tree (ORCT).

    A complete binary tree whose splits are oblique and soft: at branch node t a row x, its
    features mapped to [0, 1], goes left with probability 1/(1 + exp(−γ(aₜᵀx/p − μₜ))). All
    splits and leaf labels are chosen together to minimize the mean expected cost of
    misclassification, under −1 ≤ a, μ ≤ 1.

    Parameters
    ----------
    X : array_like or data frame, shape (N, p)
        Training rows, finite. A float64 or float32 array of any memory layout is read where it
        is, without a copy; do not write to it during the fit. Anything else is converted. A
        data frame's column names become the model's feature names.
    y : array_like, shape (N,)
        Labels: ints, bools, strings or floats, all of one kind.
    depth : int
        Depth of the tree, 1 to 12: it has 2**depth leaves.
    gamma : float
        Steepness of the splits, above 0; the larger, the closer to hard splits.
    costs : array_like, shape (K, K), optional
        ``costs[i, j]`` ≥ 0 is the cost of predicting the j-th class, in increasing order of
        labels, where the i-th is true; 0 on the diagonal. By default 0.5 for every mistake.
    sample_weight : array_like, shape (N,), optional
        Weights of the rows, not negative; weight 2 counts as the row twice.
    scaling : {"minmax", "quantile", "auto"}
        How features are mapped to [0, 1]: linearly, by their empirical distribution function
        (for skewed features), or by whichever of the two does better in cross-validation on the
        training rows.
    local_penalty, global_penalty : float
        Not available in this version: must be 0.
    penalty_shape : str
        Not available in this version: must be ``"norm"``.
    min_class_rate : None
        Not available in this version.
    cover_classes : bool
        Whether every class must be the label of at least one leaf.
    solver : str
        Only ``"full"``, all splits at once, is available in this version.
    rows : {"all", "selected"} or RowSelection
        Which rows to train on: all, or few that stand for them, selected as :class:`RowSelection`
        says; ``"selected"`` is ``RowSelection()``. The report's `selection` then tells their
        share and the accuracy on all rows.
    n_starts : int
        Random starts; the best tree is kept.
    random_state : int
        Seed of the starts, from 0 to 2**64 − 1. The same seed gives the same model to the bit.
    n_threads : int, optional
        Threads to use, by default one for each core. The model does not depend on it.
    max_iter : int
        Iterations of the solver at most, for each stage and labelling of a start.
    tol : float
        A run ends where ‖Π(θ − ∇f(θ)) − θ‖∞ ≤ tol, Π the projection on [−1, 1]. The default stops
        well before the last digit of the objective, which predicts new rows better; 1e-6 goes on.
    time_limit : float, optional
        Seconds after which the best tree so far is returned, with status ``"time_limit"``.
    progress : bool or callable, optional
        True shows a bar (by tqdm if it is installed, else on a terminal). A callable is given
        a :class:`Progress` some ten times a second, and at the end, in the calling thread; an
        exception it raises ends the fit.

    Returns
    -------
    OrctModel
        The fitted tree.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; nothing has been computed then.
    KeyboardInterrupt
        On Ctrl-C, within moments.

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
    _refuse_unavailable(local_penalty, global_penalty, penalty_shape, min_class_rate, solver)
    depth = _inputs.integer("depth", depth, 1, _inputs.MAX_DEPTH)
    settings: dict[str, Any] = {
        "gamma": _inputs.positive("gamma", gamma),
        "scaling": _inputs.text("scaling", scaling),
        "cover_classes": _inputs.truth("cover_classes", cover_classes),
        "n_starts": _inputs.integer("n_starts", n_starts, 1, _inputs.MAX_STARTS),
        "random_state": _inputs.integer("random_state", random_state, 0, 2**64 - 1),
        "n_threads": _inputs.threads(n_threads),
        "max_iter": _inputs.integer("max_iter", max_iter, 1, 2**63 - 1),
        "tol": _inputs.number("tol", tol),
        "time_limit": None
        if time_limit is None
        else _inputs.positive("time_limit", time_limit, " of seconds or None"),
    }
    selection = as_selection(rows)
    matrix = _inputs.as_rows(X)
    classes, codes = _inputs.as_labels(y, len(matrix))
    with follow(progress) as update:
        return _core.fit_orct(
            matrix,
            codes,
            classes,
            depth=depth,
            costs=_inputs.as_costs(costs, len(classes)),
            sample_weight=None
            if sample_weight is None
            else _inputs.as_vector("sample_weight", sample_weight),
            feature_names=_inputs.column_names(X),
            progress=update,
            selection=selection,
            **settings,
        )


def _refuse_unavailable(
    local_penalty: Any, global_penalty: Any, penalty_shape: Any, min_class_rate: Any, solver: Any
) -> None:
    """Refuse what the signature promises for later versions."""
    penalties = {"local_penalty": local_penalty, "global_penalty": global_penalty}
    for name, value in penalties.items():
        if _inputs.number(name, value) != 0:
            raise ValueError(f"{name} is not available in this version: it must be 0, got {value}")
    texts = {"penalty_shape": (penalty_shape, "norm"), "solver": (solver, "full")}
    for name, (value, only) in texts.items():
        if _inputs.text(name, value) != only:
            raise ValueError(
                f"{name} has no choice in this version: it must be {only!r}, got {value!r}"
            )
    if min_class_rate is not None:
        raise ValueError(
            f"min_class_rate is not available in this version: it must be None, "
            f"got {min_class_rate!r}"
        )


def load(path: str | os.PathLike[str]) -> _core.OrctModel:
    """Load a model from a file made by its method `save`.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    OrctModel
        The model, the same to the bit.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it holds no valid model.

    Examples
    --------
    >>> import pathlib, softwood, tempfile
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     model.save(path)
    ...     same = softwood.load(path)
    >>> bool((same.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    return _core.load(path)
