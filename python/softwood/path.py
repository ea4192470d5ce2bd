"""Trees along a grid of penalties: the function that fits them and the table it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from . import _core, _inputs
from ._features import further_features
from ._fitting import run_fit
from ._parameters import public
from ._settings import ORCT, PLAIN_GAMMA, open_classification, orct_grids
from .models import OrctModel, OrrtModel
from .progress import Progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


M = TypeVar("M", bound=OrctModel | OrrtModel)


class SparsityPath(Generic[M]):
    """The trees of a path; arrays have a row for each λ_G and a column for each λ_L.

    Attributes
    ----------
    local_grid, global_grid : ndarray
        λ_L and λ_G.
    objective, loss : ndarray
        What was minimized, and the expected cost or mean squared error in it; NaN where the path
        was stopped before.
    local_sparsity, global_sparsity : ndarray
        Zeros, in percent, of the coefficients and of the features.
    score : ndarray or None
        Share of the validation rows predicted right, or R² there; None without such rows.
    models : list of list of (OrctModel or OrrtModel or None)
        The trees.
    status : str
        ``"converged"``, or ``"time_limit"`` or ``"cancelled"`` if points are missing.
    seconds : float
        Time taken.
    """

    def __init__(
        self,
        local_grid: NDArray[np.float64],
        global_grid: NDArray[np.float64],
        points: list[tuple[int, int, M, float | None]],
        status: str,
        seconds: float,
        *,
        scored: bool,
    ) -> None:
        shape = (len(global_grid), len(local_grid))
        self.local_grid, self.global_grid = local_grid, global_grid
        self.status, self.seconds = status, seconds
        self.models: list[list[M | None]] = [[None] * shape[1] for _ in range(shape[0])]
        self.objective, self.loss, self.local_sparsity, self.global_sparsity = (
            np.full(shape, np.nan) for _ in range(4)
        )
        self.score = np.full(shape, np.nan) if scored else None
        for column, row, model, score in points:
            self.models[row][column] = model
            self.objective[row, column] = model.report.objective
            self.loss[row, column] = model.report.loss
            self.local_sparsity[row, column] = model.local_sparsity
            self.global_sparsity[row, column] = model.global_sparsity
            if self.score is not None:
                self.score[row, column] = score

    @property
    def _of_regression(self) -> bool:
        return any(isinstance(model, OrrtModel) for row in self.models for model in row)

    @property
    def score_name(self) -> str:
        """What the score is: accuracy, or R² of a regression."""
        return "R²" if self._of_regression else "accuracy"

    @property
    def loss_name(self) -> str:
        """What the loss is: the expected cost, or the error of a standardized response."""
        return "error of training" if self._of_regression else "expected cost of training"

    def rows(self) -> list[dict[str, float]]:
        """Return the points done as dicts, one a point, ready for a data frame."""
        names = ("objective", "loss", "local_sparsity", "global_sparsity", "score")
        arrays = {name: getattr(self, name) for name in names}
        return [
            {
                "local_penalty": float(self.local_grid[j]),
                "global_penalty": float(self.global_grid[i]),
            }
            | {name: float(array[i, j]) for name, array in arrays.items() if array is not None}
            for i in range(len(self.global_grid))
            for j in range(len(self.local_grid))
            if self.models[i][j] is not None
        ]

    def __str__(self) -> str:
        rows = self.rows()
        if not rows:
            return f"an empty path, {self.status}"
        head = " ".join(f"{name:>16}" for name in rows[0])
        lines = [" ".join(f"{value:>16.6g}" for value in row.values()) for row in rows]
        return "\n".join([head, *lines])

    def __repr__(self) -> str:
        return (
            f"SparsityPath({len(self.global_grid)} × {len(self.local_grid)} penalties, "
            f"{len(self.rows())} points done, {self.status})"
        )


@public(
    local_penalty="the path goes along a grid of penalties; give local_grid",
    global_penalty="the path goes along a grid of penalties; give global_grid",
    penalty="the path goes along a grid of penalties; give local_grid",
)
def sparsity_path(
    X: Any,
    y: Any,
    depth: int = ORCT["depth"],
    local_grid: ArrayLike | int | None = None,
    global_grid: ArrayLike | int | None = None,
    *,
    X_validation: Any = None,
    y_validation: Any = None,
    gamma: float | str = PLAIN_GAMMA,
    costs: ArrayLike | None = ORCT["costs"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    scaling: str = "minmax",
    penalty_shape: str = ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORCT["penalty_parameters"],
    groups: ArrayLike | None = ORCT["groups"],
    min_class_rate: float | Mapping[Any, float] | ArrayLike | None = ORCT["min_class_rate"],
    cover_classes: bool = ORCT["cover_classes"],
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
) -> SparsityPath[OrctModel]:
    """Fit ORCTs along a grid of penalties, from dense to sparse.

    Every point is warm-started: a start begins where it has ended at the next smaller λ_L (at the
    first λ_L, at the next smaller λ_G). The best start of each point is its tree.

    Parameters
    ----------
    {X, labels, depth}
    local_grid, global_grid : array_like or int, optional
        Increasing penalties λ_L and λ_G, not negative. None stands for 0 and 2**r/(p·B) (local)
        or 2**r/p (global) with r = −12 … 3, B = 2**depth − 1; a number n for 0 and n penalties
        at equal ratios, down from :func:`softwood.lambda_max` by a factor of 2**15.
    X_validation, y_validation : array_like, optional
        Rows to score every tree on; they do not influence the trees.
    {gamma, costs, sample_weight, class_weight, scaling, penalty_shape, min_class_rate}
    {cover_classes}
    {n_starts, random_state, n_threads, max_iter, tol}
    time_limit : float, optional
        Seconds after which the points done so far are returned.
    {missing, feature_names, progress}

    Returns
    -------
    SparsityPath
        The trees with objective, loss and sparsities. What is likely to be unwanted of one stands
        in its report's `notices`; the path gives no warnings.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; nothing has been computed then.
    KeyboardInterrupt
        On Ctrl-C, within moments; its attribute ``partial`` is the path with the points done.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> path = softwood.sparsity_path(
    ...     X[::2], y[::2], 1, [0, 1e-3, 1e-2], [0],
    ...     X_validation=X[1::2], y_validation=y[1::2], n_starts=2,
    ... )
    >>> path.local_sparsity.shape
    (1, 3)
    >>> bool(path.local_sparsity[0, 2] > path.local_sparsity[0, 0])
    True
    >>> bool(path.score.max() > 0.93)
    True
    """
    settings = dict(locals())
    shown = settings.pop("progress"), settings.pop("verbose")
    grids = settings.pop("local_grid"), settings.pop("global_grid")
    held = (settings.pop("X_validation"), settings.pop("y_validation"))
    training = open_classification(settings)
    local, overall = orct_grids(*grids, training, settings)
    validation = _validation(*held, training[2], settings)

    def table(answer: Any) -> SparsityPath[OrctModel]:
        points, status, seconds = answer
        models = [(j, i, OrctModel(handle), score) for j, i, handle, score in points]
        scored = validation is not None
        return SparsityPath(local, overall, models, status, seconds, scored=scored)

    arguments = training, settings, (local, overall), validation
    return run_fit(_core.sparsity_path, arguments, table, *shown)


def _validation(
    X: Any, y: Any, classes: list[Any], settings: dict[str, Any]
) -> tuple[_inputs.Rows, NDArray[np.uint32]] | None:
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError("X_validation and y_validation go together: give both or neither")
    rows = further_features(X, settings)
    labels, codes = _inputs.as_labels(y, len(rows))
    place = {label: k for k, label in enumerate(classes)}
    # A label never seen in training cannot be predicted right: it gets a place no class has.
    known = np.array([place.get(label, len(classes)) for label in labels], np.uint32)
    return rows, known[codes]
