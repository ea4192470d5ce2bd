"""What became of a call: an answer that is sound, a refusal that is clear, or a fault."""

from __future__ import annotations

import dataclasses
import pickle
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import softwood
from softwood.models import TreeModel
from values import HostileError

REFUSALS = (ValueError, TypeError, OSError, MemoryError, HostileError)
"""What wrong arguments may raise, themselves or when they are read."""

LONGEST_MESSAGE = 600
NEVER_SAID = (
    "failed to extract",
    "object is not iterable",
    "unsupported operand",
    "not subscriptable",
    "PyO3",
    "panicked",
)

NOT_KNOWN = frozenset(
    {
        "score",
        "standard_error",
        "accuracy",
        "optimality",
        "local_sparsity",
        "global_sparsity",
        "steepness",
    }
)
"""Figures that may be NaN or infinite: of settings never tried, of fits cut off."""


def judge(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[str, str]:
    """Call it; return the verdict and what there is to say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = function(**arguments)
        except softwood._core.InternalError as panic:
            return "panic", str(panic)
        except REFUSALS as refusal:
            return judge_message(refusal)
        except BaseException as fault:
            if isinstance(fault, (KeyboardInterrupt, SystemExit)):
                raise
            kind = "panic" if "Panic" in type(fault).__name__ else "other exception"
            return kind, f"{type(fault).__name__}: {fault}"
        try:
            return judge_answer(answer)
        except softwood._core.InternalError as panic:
            return "panic", f"afterwards: {panic}"


def judge_message(refusal: BaseException) -> tuple[str, str]:
    """Whether a message is one."""
    # What the system says of a file quotes its whole name.
    text = getattr(refusal, "strerror", None) or str(refusal)
    unclear = not text or len(text) > LONGEST_MESSAGE or any(said in text for said in NEVER_SAID)
    return ("unclear message" if unclear else "refused"), f"{type(refusal).__name__}: {text[:300]}"


def judge_answer(answer: Any) -> tuple[str, str]:
    """Whether all numbers are finite, and models survive files and pickles."""
    place = not_finite(answer)
    if place:
        return "not finite", place
    for model in models_of(answer):
        fault = loses(model)
        if fault:
            return "unloadable", fault
    return "answered", type(answer).__name__


def models_of(answer: Any) -> list[TreeModel]:
    """The models in an answer."""
    if isinstance(answer, TreeModel):
        return [answer]
    parts = answer if isinstance(answer, (list, tuple)) else getattr(answer, "models", None) or []
    return [part for part in parts if isinstance(part, TreeModel)]


def rows_for(model: TreeModel) -> Any:
    """Typical values, and numbers around them; of curves, some lines."""
    if hasattr(model, "grids"):
        known = [len(grid) for grid in model.grids.values() if grid is not None]
        points = max(known, default=12)
        return np.outer([0.0, 0.5, 1.0, -1e6], np.linspace(0, 1, points))
    columns = {}
    for name, typical in zip(model.feature_names, model.typical_values, strict=True):
        number = isinstance(typical, float)
        columns[name] = [typical, 0.5 * typical, 1.0, -1e6] if number else [typical] * 4
    return pd.DataFrame(columns)


def loses(model: TreeModel) -> str:
    """What a model loses on its way through a file or a pickle; nothing if it comes back whole."""
    text, X = model.to_json(), rows_for(model)
    with tempfile.TemporaryDirectory(prefix="softwood-adversary-") as folder:
        path = Path(folder) / "model.json"
        try:
            model.save(path)
            loaded = [softwood.load(path), pickle.loads(pickle.dumps(model))]
        except Exception as fault:
            return f"{type(fault).__name__}: {fault}"
    expected = model.predict(X)
    place = not_finite(expected)
    if place:
        return f"predictions: {place}"
    for other in loaded:
        if other.to_json() != text:
            return "the file differs"
        if not np.array_equal(other.predict(X), expected):
            return "predictions differ"
    return ""


def not_finite(value: Any, name: str = "answer", depth: int = 0) -> str:
    """Where a number that should be finite is not; nothing if none is."""
    if depth > 6 or name.rpartition(".")[2] in NOT_KNOWN:
        return ""
    if isinstance(value, (float, np.floating)):
        return "" if np.isfinite(value) else f"{name} is {value}"
    if sparse.issparse(value):
        return not_finite(value.data, name, depth)
    if isinstance(value, np.ndarray):
        bad = value.dtype.kind == "f" and not np.isfinite(value).all()
        return f"{name} holds {value[~np.isfinite(value)][0]}" if bad else ""
    if isinstance(value, TreeModel):
        parts = {
            p: getattr(value, p, None)
            for p in ("report", "intercepts", "leaf_intercepts", "leaf_weights")
        }
        return first_of(parts, name, depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return first_of(
            {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}, name, depth
        )
    if isinstance(value, dict):
        return first_of(value, name, depth)
    if isinstance(value, (list, tuple)):
        return first_of(dict(enumerate(value)), name, depth)
    return ""


def first_of(parts: dict[Any, Any], name: str, depth: int) -> str:
    """The first of the parts with such a number."""
    found = (not_finite(part, f"{name}.{key}", depth + 1) for key, part in parts.items())
    return next((place for place in found if place), "")
