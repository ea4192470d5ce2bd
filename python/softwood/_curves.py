"""Curves side by side in one array, with names and grids, or refused with a reason."""

from __future__ import annotations

import reprlib
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _inputs
from ._class_weight import weigh_classes
from ._settings import PREPARED

# Name of the one predictor of a plain array.
ONLY = "x"

Predictors = list[tuple[str, list[float] | None]]
Packed = tuple[NDArray[np.float64], Predictors]


def pack(curves: Any, grids: Any = None, spans: Any = None) -> Packed:
    """Return the points of all curves side by side, with the name and the grid of each predictor.

    A scalar has no grid. Without grids points stand at equal distances on [0, 1].
    """
    if spans is not None:
        return _by_spans(curves, grids, spans)
    if isinstance(curves, Mapping):
        return _several({_name(name): values for name, values in curves.items()}, grids)
    if _is_list_of_predictors(curves):
        return _several({f"x{j}": values for j, values in enumerate(curves)}, grids)
    if is_grid_data(curves):
        return _several({ONLY: curves}, None if grids is None else {ONLY: grids})
    points = _points(curves, "curves")
    return points, [(ONLY, _grid(grids, ONLY, points.shape[1]))]


def repack(curves: Any, predictors: Predictors) -> NDArray[np.float64]:
    """Return curves side by side as a model's predictors are; arrays are taken to be so already."""
    if not (isinstance(curves, Mapping) or _is_list_of_predictors(curves) or is_grid_data(curves)):
        return _points(curves, "curves")
    packed, given = pack(curves)
    names = [name for name, _ in predictors]
    if isinstance(curves, Mapping):
        lacking = [name for name in names if name not in curves]
        if lacking:
            raise ValueError(f"curves lack {', '.join(map(repr, lacking))}, which the model knows")
        packed, given = pack({name: curves[name] for name in names})
    widths = [1 if grid is None else len(grid) for _, grid in given]
    expected = [1 if grid is None else len(grid) for _, grid in predictors]
    if widths != expected:
        raise ValueError(f"curves have {widths} points but the model was fitted on {expected}")
    if is_grid_data(curves) and any(
        not np.allclose(own or [], other or []) and own
        for (_, own), (_, other) in zip(given, predictors, strict=True)
    ):
        raise ValueError("the grid points of curves are not those that the model was fitted on")
    return packed


def open_classification(given: dict[str, Any]) -> tuple[Any, Predictors]:
    """Take curves, labels and weights out of a call's arguments; the settings stay."""
    y, class_weight = given.pop("y"), given.pop("class_weight")
    rows, weights, predictors = _open(given)
    classes, codes = _inputs.as_labels(y, len(rows))
    _prepare(given, classes)
    return (rows, codes, classes, weigh_classes(class_weight, classes, codes, weights)), predictors


def open_regression(given: dict[str, Any]) -> tuple[Any, Predictors]:
    """Take curves, response and weights out of a call's arguments; the settings stay."""
    y = given.pop("y")
    rows, weights, predictors = _open(given)
    _prepare(given, [])
    return (rows, _inputs.as_response(y, len(rows)), weights), predictors


def _open(given: dict[str, Any]) -> tuple[Any, NDArray[Any] | None, Predictors]:
    packed = pack(given.pop("curves"), given.pop("grids"), given.pop("spans"))
    weights = _inputs.as_weights(given.pop("sample_weight"))
    if given.get("random_state", 0) is None:
        given["random_state"] = secrets.randbits(64)
    return packed[0], weights, packed[1]


def _prepare(given: dict[str, Any], classes: list[Any]) -> None:
    """Make arrays and mappings among the settings ready for the core."""
    for name, make_ready in PREPARED.items():
        if name in given:
            given[name] = make_ready(given[name], classes)


def is_grid_data(curves: Any) -> bool:
    """Tell whether these are scikit-fda's curves on a grid (`FDataGrid`), or look like them."""
    return hasattr(curves, "data_matrix") and hasattr(curves, "grid_points")


def _is_list_of_predictors(curves: Any) -> bool:
    return isinstance(curves, (list, tuple)) and any(
        is_grid_data(part) or np.ndim(part) == 2 for part in curves
    )


def _several(predictors: dict[str, Any], grids: Any) -> Packed:
    """Return predictors by name side by side; of several components each is a predictor."""
    if not predictors:
        raise ValueError("curves must hold at least one predictor, got none")
    by_name = _grids_by_name(grids, list(predictors))
    columns: list[NDArray[np.float64]] = []
    known: Predictors = []
    for name, values in predictors.items():
        if is_grid_data(values):
            for part, points, grid in _components(name, values):
                columns.append(points)
                known.append((part, _grid(by_name.get(name, grid), part, points.shape[1])))
            continue
        if np.ndim(values) == 1:
            columns.append(_points(np.reshape(values, (-1, 1)), f"curves[{name!r}]"))
            known.append((name, None))
            if by_name.get(name) is not None:
                raise ValueError(f"grids[{name!r}] is given, but {name!r} is a number for each row")
            continue
        points = _points(values, f"curves[{name!r}]")
        columns.append(points)
        known.append((name, _grid(by_name.get(name), name, points.shape[1])))
    rows = [len(part) for part in columns]
    if len(set(rows)) > 1:
        shown = ", ".join(f"{name!r}: {n}" for (name, _), n in zip(known, rows, strict=True))
        raise ValueError(f"all predictors must have the same number of rows, got {shown}")
    return np.hstack(columns), known


def _by_spans(curves: Any, grids: Any, spans: Any) -> Packed:
    """Return the columns of a plain array as the predictors that `spans` names."""
    what = "spans must be a mapping from names to (first, end) columns or to the column of a scalar"
    if not isinstance(spans, Mapping) or not spans:
        raise TypeError(f"{what}, got {reprlib.repr(spans)}")
    points = _points(curves, "curves")
    by_name = _grids_by_name(grids, list(spans))
    columns, known = [], []
    for name, span in spans.items():
        scalar = isinstance(span, (int, np.integer)) and not isinstance(span, bool)
        try:
            first, end = (span, span + 1) if scalar else (int(span[0]), int(span[1]))
        except (TypeError, IndexError, ValueError):
            raise TypeError(f"{what}, got {reprlib.repr(name)}: {reprlib.repr(span)}") from None
        if not 0 <= first < end <= points.shape[1]:
            raise ValueError(
                f"spans[{name!r}] is {span!r}, columns must lie within 0 and {points.shape[1]}"
            )
        columns.append(points[:, first:end])
        grid = None if scalar else _grid(by_name.get(name), name, end - first)
        known.append((_name(name), grid))
    return np.hstack(columns), known


def _grids_by_name(grids: Any, names: list[str]) -> dict[str, Any]:
    if grids is None:
        return {}
    if isinstance(grids, Mapping):
        strange = [name for name in grids if name not in names]
        if strange:
            raise ValueError(
                f"grids names {strange[0]!r}, which is no predictor; they are "
                f"{', '.join(map(repr, names))}"
            )
        return dict(grids)
    if not isinstance(grids, (list, tuple)) or len(grids) != len(names):
        raise ValueError(
            f"grids must be a mapping or a sequence of a grid for each of the {len(names)} "
            f"predictors, None for a scalar"
        )
    return dict(zip(names, grids, strict=True))


def _components(name: str, data: Any) -> list[tuple[str, NDArray[np.float64], Any]]:
    """Return name, points and grid of each component of scikit-fda's curves."""
    if len(data.grid_points) != 1:
        raise ValueError(
            f"{name!r} has a domain of {len(data.grid_points)} dimensions, curves have one"
        )
    matrix = np.asarray(data.data_matrix, dtype=np.float64)
    matrix = matrix[:, :, np.newaxis] if matrix.ndim == 2 else matrix
    count = matrix.shape[2]
    names = [name] if count == 1 else [f"{name}[{k}]" for k in range(count)]
    return [(part, matrix[:, :, k], data.grid_points[0]) for k, part in enumerate(names)]


def _points(values: Any, name: str) -> NDArray[np.float64]:
    try:
        return np.asarray(_inputs.as_dense_rows(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        text = str(error)
        raise type(error)(name + text[1:] if text.startswith("X ") else text) from None


def _grid(grid: Any, name: str, points: int) -> list[float]:
    """Return the places of a predictor's points, equally far apart on [0, 1] unless given."""
    if grid is None:
        return [k / max(points - 1, 1) for k in range(points)]
    places = np.asarray(grid, dtype=np.float64)
    if places.shape != (points,):
        raise ValueError(
            f"the grid of {name!r} must have shape ({points},), a place for each point, "
            f"got {places.shape}"
        )
    return [float(place) for place in places]


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"names of predictors must be strings, got {reprlib.repr(name)}")
    return name
