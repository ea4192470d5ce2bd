"""The functions users call: check the arguments, hand them to the compiled core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core, _inputs
from ._settings import orct_settings
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
    penalty_parameters: Mapping[str, float] | None = None,
    groups: ArrayLike | None = None,
    min_class_rate: float | Mapping[Any, float] | ArrayLike | None = None,
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
        (for skewed features), or linearly unless the latter is better by more than a standard
        error in cross-validation on the training rows.
    local_penalty : float
        Weight λ_L ≥ 0 of Σ φ(|a_jt|) over all coefficients: fewer features in each split.
    global_penalty : float
        Weight λ_G ≥ 0 of Σ φ(max |a_jt|), the maximum over all splits and over the columns of
        a group, the sum over groups: fewer features in the whole tree. Zeros are exact.
    penalty_shape : {"norm", "exp", "power", "inverse", "log"}
        φ(u): u, that is ℓ1 and ℓ∞ norms, or a concave stand-in for counting: 1 − exp(−αu),
        (u + ε)**q with 0 < q < 1, −(u + ε)**−q with q ≥ 1, log(u + ε).
    penalty_parameters : mapping, optional
        Parameters of φ: ``alpha`` (5), ``q`` (0.5 for power, 1 for inverse), ``epsilon`` (0.01,
        for inverse 0.1).
    groups : array_like, shape (p,), optional
        An id for each column; columns with the same id, such as the dummy columns of one
        categorical feature, leave the tree together. By default every column is alone.
    min_class_rate : float, mapping or array_like, optional
        For every class (float), some classes (mapping from label to rate) or each class in
        increasing order of labels (array), the share of its training rows, in expectation, that
        must be predicted as such. The report's ``constraints`` tell what was reached; if rates
        cannot hold together the status is ``"infeasible"`` and the tree the closest found.
    cover_classes : bool
        Whether every class must be the label of at least one leaf.
    solver : str
        Only ``"full"``, all splits at once, is available in this version.
    rows : {"all", "selected"} or RowSelection
        Which rows to train on: all, or few that stand for them, selected as :class:`RowSelection`
        says; ``"selected"`` is ``RowSelection()``. The report's `selection` then tells their
        share and the accuracy on all rows.
    n_starts : int
        Starts, from random directions and, every other one, from greedy splits on single features;
        the best tree is kept.
    random_state : int
        Seed of the starts, from 0 to 2**64 − 1. The same seed gives the same model to the bit.
    n_threads : int, optional
        Threads to use, by default one for each core. The model does not depend on it.
    max_iter : int
        Iterations of the solver at most, for each stage and labelling of a start.
    tol : float
        A run ends where ‖prox(θ − ∇f(θ)) − θ‖∞ ≤ tol, prox that of penalties and bounds. The
        default stops well before the last digit of the objective, which predicts new rows
        better; 1e-6 goes on.
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
    if _inputs.text("solver", solver) != "full":
        raise ValueError(f"solver must be 'full' in this version, got {solver!r}")
    selection = as_selection(rows)
    matrix = _inputs.as_rows(X)
    classes, codes = _inputs.as_labels(y, len(matrix))
    settings = orct_settings(
        X,
        classes,
        depth=depth,
        gamma=gamma,
        costs=costs,
        scaling=scaling,
        local_penalty=local_penalty,
        global_penalty=global_penalty,
        penalty_shape=penalty_shape,
        penalty_parameters=penalty_parameters,
        groups=groups,
        min_class_rate=min_class_rate,
        cover_classes=cover_classes,
        n_starts=n_starts,
        random_state=random_state,
        n_threads=n_threads,
        max_iter=max_iter,
        tol=tol,
        time_limit=time_limit,
    )
    training = (matrix, codes, classes, _inputs.as_weights(sample_weight))
    with follow(progress) as update:
        return _core.fit_orct(training, settings, update, selection)


def fit_srt(
    X: Any,
    y: Any,
    depth: int = 2,
    *,
    ridge_branches: float | None = None,
    ridge_leaves: float | None = None,
    curves: bool = False,
    scaling: str = "minmax",
    start: str = "mixed",
    n_starts: int = 8,
    macro_iterations: int = 20,
    imbalance: tuple[float, float, float] = (0.3, 0.1, 0.4),
    convergent: bool | int = False,
    tol: float = 1e-6,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
    n_threads: int | None = None,
    time_limit: float | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> _core.SrtModel:
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
    X : array_like or data frame, shape (N, p)
        Training rows, finite. A float64 or float32 array of any memory layout is read where it
        is; do not write to it during the fit. Anything else is converted. A data frame's column
        names become the model's feature names.
    y : array_like, shape (N,)
        Response, finite numbers.
    depth : int
        Depth of the tree, 1 to 12: it has 2**depth leaves.
    ridge_branches : float, optional
        Penalty λ_ω of the splits, at least 0, for all coefficients. By default a penalty for each
        feature, as the best start makes it plausible after four macro-iterations: 2σ²/(W·p²·τ_j²),
        W being the sum of the weights, σ² the variance of the errors and τ_j² the mean square of
        the slopes ω_tj/p.
    ridge_leaves : float, optional
        Penalty λ_β of the leaf models, at least 0, for all coefficients. By default a penalty for
        each feature, as the best start makes it most plausible after four macro-iterations. Both
        penalties stand beside errors relative to those of the linear regression.
    curves : bool
        Whether a curve of each feature is added to all leaf models alike: a prediction then is that
        of the leaf plus Σ_j s_j(x_j), the s_j piecewise linear with up to twelve knots. They are
        estimated together with the linear regression β̄, before the tree, and as far from straight
        as makes the rows most plausible. Usually more accurate, and a leaf still reads as a linear
        model; ``model.curves()`` shows what comes on top.
    scaling : {"minmax", "quantile"}
        How features are mapped to [0, 1]: linearly or by their empirical distribution function.
    start : {"mixed", "clusters", "random"}
        Where starts begin: at hierarchical 2-means partitions of the rows, at random hyperplanes
        through them, or both in turn.
    n_starts : int
        Starts; after four macro-iterations the better half goes on, and the best tree is kept. In
        the end its subtrees are grown anew in the rows that reach them, up to four times
        each (half as often as there are starts), and replaced where that is better.
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
    sample_weight : array_like, shape (N,), optional
        Weights of the rows, not negative; weight 2 counts as the row twice.
    random_state : int
        Seed of the starts, from 0 to 2**64 − 1. The same seed gives the same model to the bit.
    n_threads : int, optional
        Threads to use, by default one for each core. The model does not depend on it.
    time_limit : float, optional
        Seconds after which the best tree so far is returned, with status ``"time_limit"``.
    progress : bool or callable, optional
        True shows a bar (by tqdm if it is installed, else on a terminal). A callable is given
        a :class:`Progress` some ten times a second, and at the end, in the calling thread; an
        exception it raises ends the fit.

    Returns
    -------
    SrtModel
        The fitted tree.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; nothing has been computed then.
    KeyboardInterrupt
        On Ctrl-C, within moments.

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
    depth = _inputs.integer("depth", depth, 1, _inputs.MAX_DEPTH)
    rounds = _inputs.integer("macro_iterations", macro_iterations, 1, 2**40)
    rows = _inputs.as_rows(X)
    settings: dict[str, Any] = {
        "depth": depth,
        "ridge_branches": None
        if ridge_branches is None
        else _inputs.not_negative("ridge_branches", ridge_branches, " or None"),
        "ridge_leaves": None
        if ridge_leaves is None
        else _inputs.not_negative("ridge_leaves", ridge_leaves, " or None"),
        "curves": _inputs.truth("curves", curves),
        "scaling": _inputs.text("scaling", scaling),
        "start": _inputs.text("start", start),
        "n_starts": _inputs.integer("n_starts", n_starts, 1, _inputs.MAX_STARTS),
        "macro_iterations": rounds,
        "imbalance": _inputs.shares("imbalance", imbalance, 3),
        "convergent_after": _convergent_after(convergent, rounds, depth),
        "tol": _inputs.not_negative("tol", tol),
        "random_state": _inputs.integer("random_state", random_state, 0, 2**64 - 1),
        "n_threads": _inputs.threads(n_threads),
        "time_limit": None
        if time_limit is None
        else _inputs.positive("time_limit", time_limit, " of seconds or None"),
        "feature_names": _inputs.column_names(X),
    }
    response = _inputs.as_response(y, len(rows))
    with follow(progress) as update:
        weights = _inputs.as_weights(sample_weight)
        return _core.fit_srt(rows, response, weights, settings, update)


def _convergent_after(convergent: Any, macro_iterations: int, depth: int) -> int | None:
    """Return k0, the steps of single nodes after which steps must be accepted, None for never."""
    if convergent is False:
        return None
    if convergent is True:
        branches: int = 2**depth - 1
        return macro_iterations // 2 * branches
    return _inputs.integer("convergent", convergent, 0, 2**60, ", True or False")


def load(path: str | os.PathLike[str]) -> _core.OrctModel | _core.SrtModel:
    """Load a model from a file made by its method `save`.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    OrctModel or SrtModel
        The model, of the kind that was saved, the same to the bit.

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
