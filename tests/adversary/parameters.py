"""What parameters may be, by their names: usual values, legal ones at the ends, and wrong ones."""

from __future__ import annotations

import functools
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import softwood
from data import Data, wrong_rows
from draw import Draw
from values import anything

SECONDS = 1.0
"""Time limit of a fit that is not about the limit."""

POINTS = 12
"""At which the curves of an example are known."""

QUICK: dict[str, Any] = {"n_starts": 2, "time_limit": SECONDS}
"""What keeps the fits of examples short, where a function knows it."""

USUAL: dict[str, tuple[list[Any], list[Any]]] = {
    "depth": ([1, 1, 2, 2, 3], [4, 5, 8, 12]),
    "depths": ([(1,), (1, 2)], [(3, 1), (8,), (1, 1)]),
    "gamma": ([1.0, 64, 512, 2048.0, "auto"], [1e-3, 1e6, 1e9, 5e-324]),
    "gammas": ([(128.0, 512.0)], [(1e-3, 1e6), (512.0,), (512.0, 128.0)]),
    "scaling": (["minmax", "quantile", "auto"], ["minmax", "quantile"]),
    "scalings": ([("minmax",), ("minmax", "quantile")], [("quantile",)]),
    "balance": ([True, False, "auto"], [True]),
    "local_penalty": ([0.0, 0.001, 0.1, "auto"], [1e100, 5e-324, 1e10]),
    "global_penalty": ([0.0, 0.001, 0.1], [1e100, 1e-300]),
    "local_grid": ([None, (0.0, 0.01)], [(1e-300, 1e100), (0.0,)]),
    "global_grid": ([(0.0,), (0.0, 0.01)], [(0.0, 1e100)]),
    "penalty_shape": (["norm", "power", "log"], ["norm"]),
    "penalty_parameters": ([None], [(1e-3, 1.0), (1.0, 1.0)]),
    "penalty": ([None, "auto"], [0.1]),
    "split_penalty": ([0.0, 0.01, "auto"], [1e100]),
    "max_features": ([None, 1], [1]),
    "max_leaves": ([None, 2, 4], [2]),
    "min_class_rate": ([None, 0.5], [1.0, 0.0]),
    "min_class_rate_on": (["training"], ["heldout"]),
    "class_weight": ([None, "balanced"], ["balanced"]),
    "cover_classes": ([True, False], [False]),
    "solver": (["full", "decomposition", "alternate"], ["full"]),
    "proximal_weight": ([0.0, 0.1], [1e6, 1e-300]),
    "n_starts": ([1, 2, 3], [1, 4]),
    "random_state": ([0, 1, 2], [2**64 - 1]),
    "n_threads": ([None, 1, 2], [1, 8]),
    "n_jobs": ([None, 1], [-1]),
    "max_iter": ([10, 100], [1, 10**6]),
    "tol": ([1e-3, 1e-2], [0.0, 1e300, 5e-324]),
    "time_limit": ([SECONDS, 0.2], [0.0, 1e-9, 0.001]),
    "missing": (["error", "indicator"], ["indicator"]),
    "ordered": ([None], [None]),
    "progress": ([None, False], [lambda state: None]),
    "verbose": ([False], [False]),
    "ridge_branches": ([None, 0.0, 0.1], [1e100, 1e-300]),
    "ridge_leaves": ([None, 0.0, 0.1], [1e100, 1e-300]),
    "ridges": ([(None,), (0.1, 1.0)], [(1e100, 0.0)]),
    "curves": ([False, True], [True]),
    "start": (["mixed", "random", "clusters"], ["clusters"]),
    "macro_iterations": ([2, 5], [1, 30]),
    "imbalance": ([(0.3, 0.1, 0.4)], [(1.0, 0.5, 1.0)]),
    "convergent": ([False, True], [True]),
    "folds": ([2, 3, 5], [2, 40, 1000]),
    "scoring": (["cost", "accuracy", "r2", "brier"], ["accuracy"]),
    "rule": (["best", "one_standard_error"], ["best"]),
    "C": (["auto", 1.0, 0.1], [1e-300, 1e100, 1e10]),
    "cost": ([1.0], [1e100]),
    "budget": ([1, 5, 20], [1, 10**6]),
    "split_features": (["auto", 1, 5], [10**6]),
    "n_intervals": ([1, 2], [3, 64]),
    "grids": ([None], [None]),
    "spans": ([None], [None]),
    "derivatives": ([(0,), (0, 1)], [(1, 2)]),
    "smoothing": ([0.0, 1e-3, "auto"], [1e300, 5e-324]),
    "smoothings": ([(0.0,)], [(1e-3, 1.0)]),
    "length_penalty": ([0.0, 0.1], [1e100]),
    "length_penalties": ([(0.0,), (0.0, 0.1)], [(1e100,)]),
    "local_penalties": ([(0.0,), (0.0, 0.01)], [(1e100,)]),
    "global_penalties": ([(0.0,), (0.0, 0.01)], [(1e100,)]),
    "full_iterations": ([0, 5], [10**6]),
    "length_grid": ([(0.0,), (0.0, 0.1)], [(1e100,)]),
    "predictor": ([None], [None]),
    "epsilon": ([1e-4, 0.01, "auto"], [5e-324, 0.5]),
    "alpha1": ([None], [None, 0.1, "auto"]),
    "alpha2": ([0.0, 0.1, "auto"], [1e100]),
    "slack_cost": ([10.0, 1.0, "auto"], [1e-300, 1e6]),
    "improve": ([True, False, "auto"], [True]),
    "count_coefficients": ([False], [True]),
    "level_splits": ([False], [True]),
    "cuts": ([True], [False]),
    "restarts": ([1, 3], [0, 10**6]),
    "max_nodes": ([10, 100, None], [1]),
    "vote": ([True, False], [True]),
    "min_rows": ([1.0, 10.0], [0.0, 1e300]),
    "interactions": ([True, False], [True]),
    "tolerance": ([0.0, 0.1], [1e300, 5e-324]),
    "beta1": ([0.2, 0.5], [5e-324, 0.999999]),
    "beta2": ([0.05, 0.5], [5e-324]),
    "routing": (["soft", "hard", None], ["hard"]),
    "kind": (["sum", "max", "weighted"], ["max"]),
    "of": (["splits", "leaves", "auto"], ["auto"]),
    "t": ([0, 1, 2], [12, 62]),
    "leaf": ([0, 1], [3, 62]),
    "terms": ([1, 3, None], [10**6]),
    "top": ([1, 10], [10**6]),
    "bins": ([2, 10], [1000]),
    "repeats": ([1, 2], [1]),
    "step": ([0, 1], [3]),
    "at": ([0], [1]),
    "along": (["auto", "local", "global"], ["auto"]),
    "label": ([None, "class 1"], [None]),
    "name": (["tree", "my_tree"], ["t" * 60]),
    "table": ([None, "rows"], [None]),
    "keep": ([(), ("id",)], [()]),
    "probabilities": ([False, True], [True]),
    "materialized": ([False, True], [True]),
    "feature": ([None, 0], [0]),
    "ax": ([None], [None]),
    "warm_start": ([False], [True]),
    "text": (["{}", '{"format":"softwood","version":2}'], ["", "[" * 10_000]),
}
"""Usual values and extreme ones."""


class Call:
    """One call in the making: its draws, data, and models to call methods of."""

    always: frozenset[str] = frozenset({"n_starts", "time_limit"})
    """Parameters that are given wherever they are known, or fits would take too long."""

    def __init__(self, draw: Draw, target: str) -> None:
        self.draw, self.target = draw, target
        self.data = Data(draw)

    def model_of(self, fit: str) -> Any:
        """The example, which other data than its own is then given to."""
        model = self.example_of(fit)
        if self.draw.mood != "bad":
            self.data.columns = POINTS if "functional" in fit else len(model.feature_names)
            self.data.X = self.data._values(self.draw.mood == "extreme")
        return model

    @staticmethod
    @functools.cache
    def example_of(fit: str) -> Any:
        """A small model of every kind."""
        from registry import FITS

        rng = np.random.default_rng(3)
        X = rng.normal(size=(60, POINTS if "functional" in fit else 3))
        score = X[:, 0] + X[:, 1] * X[:, 2]
        y = score if FITS[fit] == "response" else np.digitize(score, [-0.4, 0.6])
        known = softwood_parameters(fit)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = {k: v for k, v in (QUICK | {"depth": 2}).items() if k in known}
            return getattr(softwood, fit)(X, y, **given)

    @staticmethod
    @functools.cache
    def path() -> Any:
        """A small path of penalties."""
        X = np.random.default_rng(4).normal(size=(40, 3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return softwood.sparsity_path(X, X[:, 0] > 0, 1, (0.0, 0.01), (0.0,), n_starts=1)


def softwood_parameters(name: str) -> set[str]:
    """Names of the parameters of a public function."""
    import inspect

    return set(inspect.signature(getattr(softwood, name)).parameters)


def a_file(call: Call) -> Path:
    """A model file: whole, cut off, or none."""
    from registry import FITS

    text = Call.example_of(call.draw.one(list(FITS))).to_json()
    if call.draw.mood != "good":
        text = text[: call.draw.whole(0, len(text))]
    path = Path(tempfile.gettempdir()) / f"softwood-adversary-{call.draw.whole(0, 7)}.json"
    path.write_text(text, encoding="utf-8")
    return path


def a_model(call: Call) -> Any:
    """A model of any kind."""
    from registry import FITS

    return call.model_of(call.draw.one(list(FITS)))


def a_group(call: Call) -> Any:
    """No bounds on groups of rows, or some on one."""
    draw = call.draw
    if draw.chance(0.7):
        return None
    bounds = ["max_mse", "max_mse_gap", "max_mean_gap", "min_accuracy", "max_accuracy_gap"]
    of_target = bounds[:3] if call.target == "response" else bounds[3:]
    limit = draw.one([0.0, 0.3, 1.0, 1e300 if draw.mood == "extreme" else 0.5])
    bound = draw.one(bounds if draw.mood == "bad" else of_target)
    return [softwood.RowGroup(rows=np.arange(0, call.data.rows, 2), **{bound: limit})]


def a_selection(call: Call) -> Any:
    """All rows, or a choice of them."""
    if call.draw.chance(0.7):
        return "all"
    return softwood.RowSelection(rounds=1, sample=call.draw.one([1, 20, 10**6]))


def hyperplanes(call: Call) -> Any:
    """Hyperplanes of as many columns."""
    normals = call.draw.numpy.normal(size=(2, call.data.columns))
    return normals, call.draw.numpy.normal(size=2)


DRAWN: dict[str, Callable[[Call], Any]] = {
    "X": lambda call: call.data.as_rows(),
    "x": lambda call: call.data.X[0],
    "X_validation": lambda call: call.data.X if call.draw.chance(0.3) else None,
    "y_validation": lambda call: call.data.labels() if call.draw.chance(0.3) else None,
    "y": lambda call: call.data.response() if call.target == "response" else call.data.labels(),
    "sample_weight": lambda call: call.data.weights(),
    "costs": lambda call: call.draw.one([None, 1.0 - np.eye(call.data.classes)]),
    "feature_names": lambda call: [f"f{j}" for j in range(call.data.columns)],
    "groups": lambda call: None,
    "row_groups": a_group,
    "rows": a_selection,
    "sensitive_features": lambda call: None,
    "leaves": lambda call: call.draw.numpy.integers(0, 2, size=call.data.rows),
    "hyperplanes": hyperplanes,
    "leaf_classes": lambda call: list(dict.fromkeys(np.asarray(call.data.labels()).tolist()))[:2],
    "model": a_model,
    "models": a_model,
    "tree": lambda call: call.model_of("fit_orct"),
    "path": a_file,
    "features": lambda call: (0, 1),
    "normals": lambda call: hyperplanes(call)[0],
    "offsets": lambda call: hyperplanes(call)[1],
    "of_leaf": lambda call: [(0,), (1,)],
    "text": lambda call: a_file(call).read_text(encoding="utf-8"),
}


def parameter(call: Call, name: str, *, wrong: bool = False) -> Any:
    """A value for the parameter of that name; KeyError if nothing is known of it."""
    draw = call.draw
    if wrong:
        return wrong_rows(draw, call.data) if name == "X" and draw.chance(0.8) else anything(draw)
    if name in DRAWN:
        return DRAWN[name](call)
    usual, extreme = USUAL[name]
    return draw.one(extreme if draw.mood == "extreme" and draw.chance(0.5) else usual)
