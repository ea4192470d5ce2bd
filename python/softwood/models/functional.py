"""The fitted trees on curves."""

from __future__ import annotations

import json
import reprlib
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core, _curves
from .base import TreeModel
from .orct import OrctModel
from .orrt import OrrtModel


class FunctionalModel(TreeModel):
    """A fitted tree on curves: a tree whose features are means over critical intervals.

    All methods that take rows take curves as the function that fits does, or as one array with all
    predictors side by side. Everything else that a tree tells is about the features, which are the
    means of the curves, and of their derivatives, over the intervals, in the curves' own units.
    """

    __slots__ = ()

    _handle: _core.FunctionalOrrtHandle | _core.FunctionalOrctHandle
    _on_means: ClassVar[type[TreeModel]]

    @property
    def on_means(self) -> Any:
        """The tree by itself, whose rows are `interval_means`: for exports and pictures of it."""
        fields = json.loads(self.to_json())
        for name in ("predictors", "derivatives", "ends"):
            del fields[name]
        fields["kind"] = fields["kind"].removeprefix("functional_")
        return self._on_means.from_json(json.dumps(fields))

    def _rows(self, X: Any, n_threads: int | None = None) -> NDArray[np.float64]:
        """Return the means of curves over the intervals."""
        told = self._handle.intervals()["predictors"]
        predictors = [(name, grid) for name, grid, _ in told]
        return self._handle.interval_means(_curves.repack(X, predictors), n_threads)

    @property
    def predictors(self) -> list[str]:
        """Names of the predictors, in the order of their columns."""
        return [name for name, _, _ in self._handle.intervals()["predictors"]]

    @property
    def grids(self) -> dict[str, NDArray[np.float64] | None]:
        """Where the points of each predictor's curves are; None for a scalar."""
        told = self._handle.intervals()["predictors"]
        return {name: None if grid is None else np.array(grid) for name, grid, _ in told}

    @property
    def smoothing(self) -> dict[str, float]:
        """The λ of the splines of each curve, on a domain of length 1."""
        told = self._handle.intervals()["predictors"]
        return {name: smoothing for name, grid, smoothing in told if grid is not None}

    @property
    def derivatives(self) -> tuple[int, ...]:
        """Orders of the derivatives whose means are features."""
        return tuple(self._handle.intervals()["derivatives"])

    @property
    def ends(self) -> NDArray[np.float64]:
        """The 2H ends of the intervals in order, on [0, 1]; equal ends are a critical instant."""
        return np.array(self._handle.intervals()["ends"])

    @property
    def n_intervals(self) -> int:
        """H."""
        return len(self.ends) // 2

    @property
    def length_sparsity(self) -> float:
        """δ_len: share of the domain that no interval covers, in percent."""
        return float(self._handle.intervals()["length_sparsity"])

    def intervals(self, predictor: str | None = None) -> NDArray[np.float64]:
        """Return the critical intervals in the units of a predictor's grid.

        Parameters
        ----------
        predictor : str, optional
            Name of a curve; by default the first one.

        Returns
        -------
        ndarray, shape (H, 2)
            Lower and upper end of each interval.
        """
        grid = self._grid_of(predictor)[1]
        places: NDArray[np.float64] = grid[0] + self.ends * (grid[-1] - grid[0])
        return places.reshape(-1, 2)

    def _grid_of(self, predictor: str | None) -> tuple[str, NDArray[np.float64]]:
        """Return name and grid of a curve, the first one unless it is named."""
        curves = {name: grid for name, grid in self.grids.items() if grid is not None}
        name = next(iter(curves)) if predictor is None else predictor
        if name not in curves:
            raise ValueError(
                f"predictor must be one of the curves {', '.join(map(repr, curves))}, "
                f"got {reprlib.repr(name)}"
            )
        return name, curves[name]

    def features(self) -> list[tuple[str, int | None, int | None]]:
        """Return what each feature is: its predictor, order of derivative and interval.

        Returns
        -------
        list of (str, int or None, int or None)
            In the order of `feature_names`; a scalar has neither order nor interval.
        """
        names = self.predictors
        told = self._handle.intervals()["features"]
        return [(names[j], *(mean or (None, None))) for j, mean in told]

    def interval_means(self, curves: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Return the features of curves: their means, and those of derivatives, over the intervals.

        Parameters
        ----------
        curves : array_like, mapping or FDataGrid
            As the function that fits takes them.
        n_threads : int, optional
            Threads to use, by default one for each core.

        Returns
        -------
        ndarray, shape (N, q)
            A column for each of `feature_names`, in the curves' own units.
        """
        return self._rows(curves, n_threads)

    def _shown(self) -> dict[str, object]:
        return {"predictors": len(self.predictors), "intervals": self.n_intervals}


class FunctionalOrrtModel(FunctionalModel, OrrtModel):
    """A fitted regression tree on curves (S-ORRT-FD).

    Made by :func:`softwood.fit_functional_orrt` and :func:`softwood.load`. It is an
    :class:`OrrtModel` whose features are means of curves over critical intervals; methods that take
    rows take curves. `explain` tells by how much the prediction changes per unit of the mean of a
    curve over an interval.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> s, rng = np.linspace(0, 1, 50), np.random.default_rng(0)
    >>> curves = np.cumsum(rng.normal(size=(120, 50)), axis=1) / 7
    >>> y = abs(curves[:, 20:30].mean(axis=1))
    >>> model = softwood.fit_functional_orrt(curves, y, n_intervals=1, n_starts=4)
    >>> model.intervals().round(1).tolist()
    [[0.4, 0.6]]
    >>> model.explain(curves).shape
    (120, 1)
    """

    __slots__ = ()

    _handle: _core.FunctionalOrrtHandle  # type: ignore[assignment]
    _handle_type = _core.FunctionalOrrtHandle  # type: ignore[assignment]
    _on_means = OrrtModel


class FunctionalOrctModel(FunctionalModel, OrctModel):
    """A fitted classification tree on curves.

    Made by :func:`softwood.fit_functional_orct` and :func:`softwood.load`. It is an
    :class:`OrctModel` whose features are means of curves over critical intervals; methods that take
    rows take curves.
    """

    __slots__ = ()

    _handle: _core.FunctionalOrctHandle  # type: ignore[assignment]
    _handle_type = _core.FunctionalOrctHandle  # type: ignore[assignment]
    _on_means = OrctModel
