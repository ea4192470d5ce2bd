"""The settings of a fit, checked and gathered into the dict that the compiled core takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _inputs

# What `softwood.fit_orct` takes for granted, for the functions that pass settings on to it.
ORCT_DEFAULTS: dict[str, Any] = {
    "depth": 2,
    "gamma": 512.0,
    "costs": None,
    "scaling": "minmax",
    "local_penalty": 0.0,
    "global_penalty": 0.0,
    "penalty_shape": "norm",
    "penalty_parameters": None,
    "groups": None,
    "min_class_rate": None,
    "cover_classes": True,
    "n_starts": 20,
    "random_state": 0,
    "n_threads": None,
    "max_iter": 200,
    "tol": 1e-3,
    "time_limit": None,
}

# A grid of n penalties reaches down to this share of the largest one.
SMALLEST_PENALTY = 2.0**-15


def orct_settings(X: Any, classes: list[Any], **given: Any) -> dict[str, Any]:
    """Return the checked keyword arguments of `softwood.fit_orct` for rows X of these classes."""
    unknown = set(given) - set(ORCT_DEFAULTS)
    if unknown:
        raise TypeError(
            f"unknown setting {', '.join(sorted(unknown))}; known are {', '.join(ORCT_DEFAULTS)}"
        )
    time_limit = given["time_limit"]
    costs = _inputs.as_costs(given["costs"], len(classes))
    return {
        "depth": _inputs.integer("depth", given["depth"], 1, _inputs.MAX_DEPTH),
        "gamma": _inputs.positive("gamma", given["gamma"]),
        "costs": None if costs is None else costs.ravel().tolist(),
        "scaling": _inputs.text("scaling", given["scaling"]),
        "local_penalty": _inputs.number("local_penalty", given["local_penalty"]),
        "global_penalty": _inputs.number("global_penalty", given["global_penalty"]),
        "penalty_shape": _inputs.text("penalty_shape", given["penalty_shape"]),
        "penalty_parameters": _penalty_parameters(given["penalty_parameters"]),
        "groups": _groups(given["groups"]),
        "min_class_rate": _class_rates(given["min_class_rate"], classes),
        "cover_classes": _inputs.truth("cover_classes", given["cover_classes"]),
        "n_starts": _inputs.integer("n_starts", given["n_starts"], 1, _inputs.MAX_STARTS),
        "random_state": _inputs.integer("random_state", given["random_state"], 0, 2**64 - 1),
        "n_threads": _inputs.threads(given["n_threads"]),
        "max_iter": _inputs.integer("max_iter", given["max_iter"], 1, 2**63 - 1),
        "tol": _inputs.number("tol", given["tol"]),
        "time_limit": None
        if time_limit is None
        else _inputs.positive("time_limit", time_limit, " of seconds or None"),
        "feature_names": _inputs.column_names(X),
    }


def _penalty_parameters(parameters: Any) -> list[tuple[str, float]]:
    if parameters is None:
        return []
    if not isinstance(parameters, Mapping):
        raise TypeError(
            f"penalty_parameters must be a mapping such as {{'alpha': 5.0}} or None, "
            f"got {type(parameters).__name__}"
        )
    return [
        (_inputs.text("a name in penalty_parameters", name), _inputs.number(str(name), value))
        for name, value in parameters.items()
    ]


def _groups(groups: Any) -> list[int] | None:
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
            (place[label], _inputs.number(f"min_class_rate[{label!r}]", rate))
            for label, rate in rates.items()
        ]
    if np.ndim(rates) == 0:
        rate = _inputs.number("min_class_rate", rates, ", a mapping, an array or None")
        return [(k, rate) for k in range(len(classes))]
    values = _inputs.as_vector("min_class_rate", rates)
    if len(values) != len(classes):
        raise ValueError(
            f"min_class_rate must hold a rate for each of the {len(classes)} classes, "
            f"got {len(values)}"
        )
    return [(k, float(rate)) for k, rate in enumerate(values)]


def penalty_grid(
    name: str, grid: Any, training: Any, settings: dict[str, Any]
) -> NDArray[np.float64]:
    """Return the penalties of a path: those given, or the default, or a number of them."""
    local = name == "local_grid"
    if grid is None:
        unit = 1.0 / training[0].shape[1] / ((2 ** settings["depth"] - 1) if local else 1)
        return np.concatenate([[0.0], 2.0 ** np.arange(-12, 4) * unit])
    if np.ndim(grid) == 0:
        count = _inputs.integer(name, grid, 1, 1000, ", an array or None")
        # The bound does not change much with the scaling; the plain one stands for "auto".
        scaling = "minmax" if settings["scaling"] == "auto" else settings["scaling"]
        largest = _core.lambda_max(training, settings | {"scaling": scaling})
        top = largest[0] if local else largest[1]
        return np.concatenate([[0.0], top * np.geomspace(SMALLEST_PENALTY, 1.0, count)])
    return _inputs.as_vector(name, grid)
