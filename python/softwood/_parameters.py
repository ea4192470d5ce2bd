"""Parameters that public functions share: their text, once, and a decorator that puts it in."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from ._settings import ORCT

F = TypeVar("F", bound=Callable[..., Any])

TEXTS = {
    "X": """\
X : array_like, data frame, mapping or sparse matrix, shape (N, p)
    Training rows, finite. A float64 or float32 array of any memory layout is read where it is;
    do not write to it during the fit. Anything else is converted. An X of up to 96 MB as doubles
    is copied for the fit, equal rows as one, in an order that depends on the rows alone, and
    kept scaled as well; a larger one is scaled anew in every pass and not copied as a whole. A
    CSR or CSC matrix or array of SciPy's counts by what it stores, and never becomes dense: time
    and memory follow the nonzeros. A table (a data frame of pandas, polars or pyarrow, a mapping
    from names to columns) gives the model's feature names and may hold text, bools and
    categories: each level of such a column becomes a feature that is 1 there and 0 elsewhere,
    together one group for `global_penalty`. The model keeps this encoding and takes tables,
    too.""",
    "curves": """\
curves : array_like, mapping, sequence or FDataGrid
    One curve per row, shape (N, points), all known at the same places; or several predictors: a
    mapping from names to such arrays, to one number a row (a scalar, shape (N,), which counts as a
    constant curve) or to curves of scikit-fda (``FDataGrid``), or a sequence of them.""",
    "n_intervals": """\
n_intervals : int
    Number H of critical intervals, at most the number of points of the finest curve. Intervals of
    no length are critical instants.""",
    "grids": """\
grids : array_like, mapping or sequence, optional
    Where the points of each predictor are: increasing numbers, in units of their own. By default
    equal distances from 0 to 1, or the grid of an ``FDataGrid``. The domains of all predictors are
    laid on one another.""",
    "spans": """\
spans : mapping, optional
    Several predictors in one array: names and their columns, ``{"nir": (0, 100), "age": 100}``.""",
    "derivatives": """\
derivatives : sequence of int
    Orders of the derivatives whose means are features: 0 is the curve itself, 1 and 2 are
    derivatives by its own places.""",
    "smoothing": """\
smoothing : float or "auto"
    Weight λ ≥ 0 of ∫ g″² of the natural cubic splines g that stand for the curves, beside the sum
    of squared distances, on a domain of length 1; 0 goes through all points. ``"auto"`` chooses one
    λ for each predictor by generalized cross-validation.""",
    "functional_gamma": """\
gamma : float
    Steepness of the splits, above 0, on features of which four standard deviations of their curves
    fill [0, 1].""",
    "length_penalty": """\
length_penalty : float
    Weight λ_len ≥ 0 of the share of the domain that the intervals cover.""",
    "curve_grid": """\
depths : sequence of int
    Depths to choose from.
n_intervals : sequence of int
    Numbers of intervals to choose from, increasing.
derivatives : sequence of sequences of int
    Sets of orders of derivatives to choose from.
gammas : sequence of float
    Steepnesses to choose from.
length_penalties, local_penalties, global_penalties : sequence of float
    Penalties to choose from: λ_len of the intervals' lengths, λ_L and λ_G of coefficients.""",
    "functional_penalty_shape": """\
penalty_shape : {"norm", "exp", "power", "inverse", "log"}
    φ(u): u, that is ℓ1 and ℓ∞ norms, or a concave stand-in for counting: 1 − exp(−αu),
    (u + ε)**q with 0 < q < 1, −(u + ε)**−q with q ≥ 1, log(u + ε); counted from φ(0).
penalty_parameters : mapping, optional
    Parameters of φ: ``alpha`` (5), ``q`` (0.5 for power, 1 for inverse), ``epsilon`` (0.01,
    for inverse 0.1).""",
    "labels": """\
y : array_like, shape (N,)
    Labels: ints, bools, strings or floats, all of one kind.""",
    "depth": """\
depth : int
    Depth of the tree, 1 to 12: it has 2**depth leaves.""",
    "gamma": """\
gamma : float
    Steepness of the splits, above 0; the larger, the closer to hard splits.""",
    "costs": """\
costs : array_like, shape (K, K), optional
    ``costs[i, j]`` ≥ 0 is the cost of predicting the j-th class, in increasing order of
    labels, where the i-th is true; 0 on the diagonal. By default 0.5 for every mistake.""",
    "sample_weight": """\
sample_weight : array_like, shape (N,), optional
    Weights of the rows, not negative. Weight 2 counts as the row twice and weight 0 as no row: to
    the bit, as long as X is copied, and beyond up to rounding, which may lead to another tree.""",
    "class_weight": """\
class_weight : {"balanced"} or mapping, optional
    Weights of the classes, which multiply those of the rows: a mapping from label to weight,
    1 for labels it does not name, or ``"balanced"``: W/(K·W_k) for class k, W being the weight
    of all rows and W_k that of the class, so that all K classes weigh the same.""",
    "scaling": """\
scaling : {"minmax", "quantile", "auto"}
    How features are mapped to [0, 1]: linearly, by their empirical distribution function
    (for skewed features), or as folds of the training rows speak for.""",
    "fixed_scaling": """\
scaling : {"minmax", "quantile"}
    How features are mapped to [0, 1]: linearly or by their empirical distribution function.""",
    "penalty_shape": """\
penalty_shape : {"norm", "exp", "power", "inverse", "log"}
    φ(u): u, that is ℓ1 and ℓ∞ norms, or a concave stand-in for counting: 1 − exp(−αu),
    (u + ε)**q with 0 < q < 1, −(u + ε)**−q with q ≥ 1, log(u + ε); counted from φ(0).
penalty_parameters : mapping, optional
    Parameters of φ: ``alpha`` (5), ``q`` (0.5 for power, 1 for inverse), ``epsilon`` (0.01,
    for inverse 0.1).
groups : array_like, shape (p,), optional
    An id for each column; columns with the same id, such as the dummy columns of one
    categorical feature, leave the tree together. By default every column is alone.""",
    "max_features": """\
max_features : int, optional
    Features that the whole tree uses at most; columns of one of the `groups` count as one. The
    strongest of a tree of all features and those that a growing penalty keeps are each fitted
    to, all other coefficients held at 0; the better tree is taken.
max_leaves : int, optional
    Leaves at most, at least 2 and, unless `cover_classes` is False, one for each class. The trees
    of the best starts are cut back where that costs least, and optimized again. Settings are
    chosen (``scaling="auto"``, cross-validation) by trees without either bound.""",
    "min_class_rate": """\
min_class_rate : float, mapping or array_like, optional
    For every class (float), some classes (mapping from label to rate) or each class in
    increasing order of labels (array), the share of its training rows, in expectation, that
    must be predicted as such. The report's ``constraints`` tell what was reached; if rates
    cannot hold together the status is ``"infeasible"`` and the tree the closest found.""",
    "min_class_rate_on": """\
min_class_rate_on : {"training", "folds"}
    Which rows `min_class_rate` is about: the training rows, or new ones. ``"folds"`` learns on
    folds of the training rows how much more must be asked for in training, so that the share of
    a class's held-out rows that are predicted as such is the one asked for; the report's
    ``constraints`` tell what was asked, imposed, reached in training and cross-validated.""",
    "row_groups": """\
row_groups : RowGroup or sequence of RowGroup, optional
    Groups of rows with bounds on the recall of classes in them, on the share of them that is
    predicted as some class, on their accuracy, or on how far these may be from those of all
    training rows or of another group. They hold for what `predict` returns for the rows. The
    report's ``constraints`` tell what was reached; if bounds cannot be kept together the status
    is ``"infeasible"`` and the tree the closest found.""",
    "sensitive_features": """\
sensitive_features : array_like, shape (N,), optional
    A value for each training row, by which groups name their rows (``RowGroup(where=...)``). It
    need not be a column of X.""",
    "cover_classes": """\
cover_classes : bool
    Whether every class must be the label of at least one leaf.""",
    "split_penalty": """\
split_penalty : float or "auto"
    Cost of each split, on the scale of the mean cost: subtrees that do not save as much become
    leaves. ``"auto"`` is that of one mistake on one row from depth 5 on, where trees are grown
    from the root, else 0.""",
    "solver": """\
solver : {"full", "nodes", "convergent", "auto"}
    Which splits move at a time: all of them (``"full"``); one after the other in random order,
    each with the labels of all leaves (``"nodes"``, the paper's S-NB-DEC), which looks only at the
    rows that have something at stake at a split; all splits and all labels in turn until neither
    changes (``"convergent"``, C-NB-DEC). ``"auto"`` is ``"nodes"`` at depths 2 to 4 where no rates
    of classes are bounded, else ``"full"``.
full_iterations : int
    Iterations of all splits at once that ``"nodes"`` begins with: without, the first nodes to move
    go as far as they can alone, and trees may end at a higher objective.
proximal_weight : float
    Weight ψ ≥ 0 of (ψ/2)‖a − aˢ‖², by which a step of ``"nodes"`` or ``"convergent"`` is pulled
    to where it began, beside the mean cost.""",
    "n_starts": """\
n_starts : int
    Starts, from random directions and, every other one, from greedy splits on single features;
    the best tree is kept.""",
    "random_state": """\
random_state : int, optional
    Seed of the starts, from 0 to 2**64 − 1. The same seed gives the same model to the bit; None
    draws another one every time.""",
    "n_threads": """\
n_threads : int, optional
    Threads to use, by default one for each core. The result does not depend on it.""",
    "max_iter": """\
max_iter : int
    Iterations of the solver at most, for each stage and labelling of a start.""",
    "tol": """\
tol : float
    A run ends where ‖prox(θ − ∇f(θ)) − θ‖∞ ≤ tol, prox that of penalties and bounds. The
    default stops well before the last digit of the objective, which predicts new rows
    better; 1e-6 goes on.""",
    "time_limit": """\
time_limit : float, optional
    Seconds after which the best tree so far is returned, with status ``"time_limit"``.""",
    "missing": """\
missing : {"error", "indicator"}
    What to do about missing values (NaN, None): refuse them, by the names of their columns, or
    fill them with the column's typical value (the weighted median, or the most frequent level)
    and add a feature that is 1 where they were.
ordered : mapping, optional
    Columns whose levels have an order, and the levels in this order, such as
    ``{"size": ["S", "M", "L"]}``: the position of the level is then a number, one feature. pandas'
    ordered categories need not be named.""",
    "feature_names": """\
feature_names : sequence of str, optional
    Names of the columns of X, all different. They take the place of a data frame's; frames
    that the model is given later must then have these names.""",
    "progress": """\
progress : bool or callable, optional
    True shows on stderr how far the fit is and how long it will take: a bar on a terminal and
    in notebooks (by tqdm if it is installed), one line at the end elsewhere. A callable is given
    a :class:`Progress` some ten times a second, and at the end, in the calling thread; an
    exception it raises ends the fit as Ctrl-C does. By default nothing is shown.
verbose : bool
    True is ``progress=True``, by the name it has elsewhere; `progress` counts if both are
    given.""",
    "raises": """\
ValueError, TypeError
    If an argument is wrong; nothing has been computed then.
KeyboardInterrupt
    On Ctrl-C, within moments. Its attribute ``partial`` is the best tree so far, with status
    ``"cancelled"``, or None if there is none yet.""",
    "warns": """\
SoftwoodWarning
    Of what is likely to be unwanted of the tree, each by a class of its own in
    ``softwood.warnings``, with what can be done; see the report's `notices`.""",
}


def with_texts(doc: str) -> str:
    """Return a docstring with the texts named in lines such as ``{depth, gamma}``."""

    def text(line: re.Match[str]) -> str:
        indent, names = line.groups()
        lines = "\n".join(TEXTS[name.strip()] for name in names.split(",")).splitlines()
        return "\n".join(indent + part for part in lines)

    return re.sub(r"^( *)\{([a-zA-Z_, ]+)\}$", text, doc, flags=re.MULTILINE)


def public(**refused: str) -> Callable[[F], F]:
    """Put shared texts into a function's docstring; refuse names it does not take.

    `refused` tells what to use instead of a name that other functions take.
    """

    def decorate(function: F) -> F:
        names = list(inspect.signature(function).parameters)
        known = [name for name in ORCT if name in names]
        known += [name for name in names if name not in known and name not in ("X", "curves", "y")]

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            if not named.keys() <= set(names):
                raise TypeError(_refusal(set(named) - set(names), known, refused))
            return function(*arguments, **named)

        call.__doc__ = with_texts(function.__doc__ or "")
        return cast(F, call)

    return decorate


def chosen(instead: str) -> str:
    """Say of a name that is refused what to give instead, where folds choose it."""
    return f"chosen by cross-validation; give {instead}"


def _refusal(unknown: set[str], known: list[str], refused: Mapping[str, str]) -> str:
    strange = unknown - refused.keys()
    if strange:
        return f"unknown setting {', '.join(sorted(strange))}; known are {', '.join(known)}"
    return "; ".join(f"{name}: {refused[name]}" for name in sorted(unknown))
