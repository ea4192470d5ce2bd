"""The settings of a fit: defaults from the compiled core, arrays and mappings made ready for it."""

from __future__ import annotations

import reprlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _core, _inputs
from ._class_weight import weigh_classes
from ._features import OpenTable, open_rows

# The defaults of every setting, as the core has them: signatures read theirs here.
DEFAULTS: dict[str, dict[str, Any]] = _core.defaults()
FUNCTIONAL_ORCT = DEFAULTS["fit_functional_orct"]
FUNCTIONAL_ORCT_CV = DEFAULTS["fit_functional_orct_cv"]
FUNCTIONAL_ORRT = DEFAULTS["fit_functional_orrt"]
FUNCTIONAL_ORRT_CV = DEFAULTS["fit_functional_orrt_cv"]
ORCT = DEFAULTS["fit_orct"]
ORCT_CV = DEFAULTS["fit_orct_cv"]
SPDT = DEFAULTS["fit_spdt"]
SRT = DEFAULTS["fit_srt"]
ORRT = DEFAULTS["fit_orrt"]
ORRT_CV = DEFAULTS["fit_orrt_cv"]
SRT_CV = DEFAULTS["fit_srt_cv"]
SVM1_ODT = DEFAULTS["fit_svm1_odt"]
MIP = DEFAULTS["mip"]
ROW_SELECTION = DEFAULTS["RowSelection"]
SELECT_ROWS = DEFAULTS["select_rows"]

# γ of the papers, where nothing chooses it.
PLAIN_GAMMA = 512.0

# A grid of n penalties reaches down to this share of the largest one.
SMALLEST_PENALTY = 2.0**-15

Training = tuple[_inputs.Rows, NDArray[np.uint32], list[Any], "NDArray[np.float64] | None"]
Regression = tuple[_inputs.Rows, NDArray[np.float64], "NDArray[np.float64] | None"]


def depth_of(given: dict[str, Any]) -> int:
    """Return the depth among a call's arguments."""
    return _core.integer("depth", given["depth"], 1, _core.MAX_DEPTH)


def open_classification(given: dict[str, Any]) -> Training:
    """Take rows, labels and weights out of a call's arguments; the settings stay."""
    X, y, sample_weight = (given.pop(name) for name in ("X", "y", "sample_weight"))
    class_weight = given.pop("class_weight", None)
    rows = open_rows(X, given)
    classes, codes = _inputs.as_labels(y, len(rows))
    for name, prepare in PREPARED.items():
        if name in given:
            given[name] = prepare(given[name], classes)
    weights = weigh_classes(class_weight, classes, codes, _inputs.as_weights(sample_weight))
    return complete(given, X, rows, weights), codes, classes, weights


def open_regression(given: dict[str, Any]) -> Regression:
    """Take rows, response and weights out of a call's arguments; the settings stay."""
    X, y, sample_weight = (given.pop(name) for name in ("X", "y", "sample_weight"))
    rows = open_rows(X, given)
    response, weights = _inputs.as_response(y, len(rows)), _inputs.as_weights(sample_weight)
    for name, prepare in PREPARED.items():
        if name in given:
            given[name] = prepare(given[name], [])
    return complete(given, X, rows, weights), response, weights


def complete(
    given: dict[str, Any],
    X: Any,
    rows: _inputs.Rows | OpenTable,
    weights: NDArray[np.float64] | None,
) -> _inputs.Rows:
    """Return the features of the rows; put what belongs to them among the settings of any fit.

    That is their names, the encoding of a table and, where none is wanted in particular, a seed.
    """
    if given.get("random_state", 0) is None:
        given["random_state"] = secrets.randbits(64)
    columns = len(rows.table.columns) if isinstance(rows, OpenTable) else rows.shape[1]
    names = _inputs.as_feature_names(given.get("feature_names"), X, columns)
    given["feature_names"] = names
    if not isinstance(rows, OpenTable):
        return rows
    encoding = given["encoding"] = rows.learn(names, weights)
    if "groups" in given:
        given["groups"] = encoding.groups(given["groups"])
    features, _ = encoding.encode(replace(rows.table, names=[]).fields(), given.get("n_threads"))
    return features


def _costs(costs: Any, classes: list[Any]) -> list[float] | None:
    matrix = _inputs.as_costs(costs, len(classes))
    return None if matrix is None else matrix.ravel().tolist()


def _penalty_parameters(parameters: Any, _: list[Any]) -> list[tuple[str, float]]:
    if parameters is None:
        return []
    if not isinstance(parameters, Mapping):
        raise TypeError(
            f"penalty_parameters must be a mapping such as {{'alpha': 5.0}} or None, "
            f"got {type(parameters).__name__}"
        )
    return [
        (_name_of_parameter(name), _core.number(str(name), value))
        for name, value in parameters.items()
    ]


def _name_of_parameter(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(
            f"penalty_parameters must have names that are strings, got {reprlib.repr(name)}"
        )
    return name


def _groups(groups: Any, _: list[Any]) -> list[int] | None:
    """Return a number for each column, the same where the ids are the same."""
    if groups is None:
        return None
    ids = np.asarray(groups)
    if ids.ndim != 1:
        raise ValueError(f"groups must have one dimension, an id a column, got shape {ids.shape}")
    if ids.dtype.kind not in "iuUb":
        raise TypeError(f"groups must hold ids that are ints or strings, got dtype {ids.dtype}")
    return [int(place) for place in np.unique(ids, return_inverse=True)[1]]


def _class_rates(rates: Any, classes: list[Any]) -> list[tuple[int, float]]:
    """Return (place of the class, rate asked for); the core knows which rates are allowed."""
    if rates is None:
        return []
    if isinstance(rates, Mapping):
        place = {label: k for k, label in enumerate(classes)}
        for label in rates:
            if label not in place:
                raise ValueError(
                    f"min_class_rate names the class {label!r}, which is not a label in y; "
                    f"labels are {', '.join(map(repr, classes))}"
                )
        return [
            (place[label], _core.number(f"min_class_rate[{label!r}]", rate))
            for label, rate in rates.items()
        ]
    if np.ndim(rates) == 0:
        rate = _core.number("min_class_rate", rates, ", a mapping, an array or None")
        return [(k, rate) for k in range(len(classes))]
    values = _inputs.as_vector("min_class_rate", rates)
    if len(values) != len(classes):
        raise ValueError(
            f"min_class_rate must hold a rate for each of the {len(classes)} classes, "
            f"got {len(values)}"
        )
    return [(k, float(rate)) for k, rate in enumerate(values)]


# Settings that are arrays or mappings: what the core takes instead, given the classes.
PREPARED: dict[str, Callable[[Any, list[Any]], Any]] = {
    "costs": _costs,
    "penalty_parameters": _penalty_parameters,
    "groups": _groups,
    "min_class_rate": _class_rates,
}


def penalty_grid(
    name: str, grid: Any, unit: float, top: int, largest: Callable[[], float]
) -> NDArray[np.float64]:
    """Return the penalties of a path: those given, or the default, or a number of them.

    The default is 0 and 2**r times the unit, r = −12 … top; a number of them ends at the largest.
    """
    if grid is None:
        return np.concatenate([[0.0], 2.0 ** np.arange(-12, top + 1) * unit])
    if np.ndim(grid) == 0:
        count = _core.integer(name, grid, 1, 1000, ", an array or None")
        return np.concatenate([[0.0], largest() * np.geomspace(SMALLEST_PENALTY, 1.0, count)])
    return _inputs.as_vector(name, grid)


def orct_grids(
    local: Any, overall: Any, training: Training, settings: dict[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the grids of λ_L and λ_G of a path of ORCTs."""
    # The bound does not change much with the scaling; the plain one stands for "auto".
    scaling = "minmax" if settings["scaling"] == "auto" else settings["scaling"]

    def largest(place: int) -> float:
        value = _core.lambda_max(training, settings | {"scaling": scaling})[place]
        return cast(float, value)

    # The core refuses rows without columns.
    p, branches = max(training[0].shape[1], 1), 2 ** depth_of(settings) - 1
    return (
        penalty_grid("local_grid", local, 1.0 / (p * branches), 3, lambda: largest(0)),
        penalty_grid("global_grid", overall, 1.0 / p, 3, lambda: largest(1)),
    )


def orrt_grids(
    local: Any, overall: Any, training: Regression, settings: dict[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the grids of λ_L and λ_G of a path of ORRTs."""
    p, nodes = max(training[0].shape[1], 1), 2 ** (depth_of(settings) + 1) - 1
    return (
        penalty_grid(
            "local_grid",
            local,
            1.0 / (p * nodes),
            5,
            lambda: _core.orrt_lambda_max(training, settings)[0],
        ),
        penalty_grid(
            "global_grid",
            overall,
            1.0 / p,
            5,
            lambda: _core.orrt_lambda_max(training, settings)[1],
        ),
    )
