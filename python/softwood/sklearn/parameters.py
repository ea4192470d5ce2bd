"""The parameters of an estimator: those of the function that fits, by scikit-learn's names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

# Given to `fit` besides the rows, which come first, or known from what is given to it.
OF_FIT = {"y", "sample_weight", "sensitive_features", "feature_names"}

# What scikit-learn calls otherwise, or takes more kinds of.
JOBS = """\
n_jobs : int, optional
    Threads to use: None is one, unless a :func:`joblib.parallel_config` says otherwise, −1 one for
    each core. The result does not depend on it."""
SEED = """\
random_state : int, RandomState instance or None
    Seed of the starts. An int gives the same model every time, a RandomState or None (NumPy's
    own) another one at each fit."""


# What every fitted estimator has, and every classifier.
ATTRIBUTES = """\
feature_importances_ : ndarray, shape (p,)
    Share of each column in the absolute coefficients of the splits.
n_features_in_ : int
    Columns of X.
feature_names_in_ : ndarray, shape (p,)
    Their names, if X had names that are all strings.
n_iter_ : int
    Iterations of the solver, over all starts."""
CLASSES = """\
classes_ : ndarray, shape (K,)
    Distinct labels in increasing order."""


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return name and default of each parameter of an estimator that fits by `function`."""
    names = {"n_threads": "n_jobs"}
    _rows, *others = inspect.signature(function).parameters.items()
    return {
        names.get(name, name): _immutable(parameter.default)
        for name, parameter in others
        if name not in OF_FIT
    }


def _immutable(default: Any) -> Any:
    """Return a default that estimators may share."""
    return tuple(default) if isinstance(default, list) else default


def make_init(defaults: dict[str, Any]) -> Callable[..., None]:
    """Return an `__init__` that assigns parameters and does nothing else."""

    def __init__(self: Any, **parameters: Any) -> None:
        for name in parameters:
            if name not in defaults:
                raise TypeError(
                    f"{type(self).__name__} has no parameter {name}; it has {', '.join(defaults)}"
                )
        for name, default in defaults.items():
            setattr(self, name, parameters.get(name, default))

    kind = inspect.Parameter
    given = [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
    itself = kind("self", kind.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([itself, *given])  # type: ignore[attr-defined]
    return __init__


def with_texts(doc: str, function: Callable[..., Any], attributes: str) -> str:
    """Return a docstring with texts in the places of ``{parameters}`` and ``{attributes}``.

    Parameters are as the docstring of `function` says.
    """
    shown = list(parameters_of(function))
    section = re.search(r"Parameters\n-+\n(.*?)\n\n", inspect.getdoc(function) or "", re.DOTALL)
    entries = re.split(r"\n(?=\S)", section[1]) if section else []
    kept = [text for text in entries if text.split(" :")[0].split(", ")[0] in shown]
    kept = [SEED if text.startswith("random_state") else text for text in kept]
    texts = {"parameters": "\n".join([*kept, JOBS]), "attributes": attributes}
    return re.sub(r"^\{(\w+)\}$", lambda line: texts[line[1]], inspect.cleandoc(doc), flags=re.M)
