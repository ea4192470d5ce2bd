"""Fitted models: small classes over the handles of the compiled core, one for each kind."""

from __future__ import annotations

from typing import Any

from .base import TreeModel
from .functional import FunctionalModel, FunctionalOrctModel, FunctionalOrrtModel
from .hard import HardClassifierModel
from .orct import OrctModel
from .orrt import OrrtModel
from .regression import RegressionModel
from .soft import SoftTreeModel
from .spdt import SpdtModel
from .srt import SrtModel
from .svm1_odt import Svm1OdtModel

KINDS: tuple[type[TreeModel], ...] = (
    FunctionalOrctModel,
    FunctionalOrrtModel,
    OrctModel,
    OrrtModel,
    SpdtModel,
    SrtModel,
    Svm1OdtModel,
)
# Those that predict classes, with their probabilities.
CLASSIFIERS = (FunctionalOrctModel, OrctModel, SpdtModel, Svm1OdtModel)

__all__ = [
    "CLASSIFIERS",
    "KINDS",
    "FunctionalModel",
    "FunctionalOrctModel",
    "FunctionalOrrtModel",
    "HardClassifierModel",
    "OrctModel",
    "OrrtModel",
    "RegressionModel",
    "SoftTreeModel",
    "SpdtModel",
    "SrtModel",
    "Svm1OdtModel",
    "TreeModel",
    "of_handle",
    "restore",
]


def of_handle(handle: Any) -> Any:
    """Return the model over a handle of any kind."""
    for kind in KINDS:
        if isinstance(handle, kind._handle_type):
            return kind(handle)
    raise TypeError(f"no kind of model has a handle of type {type(handle).__name__}")


def restore(name: str, text: str) -> TreeModel:
    """Return a model from what its pickle holds."""
    for kind in KINDS:
        if kind.__name__ == name:
            return kind(kind._handle_type.from_json(text))
    raise ValueError(f"{name} is no kind of model that this version of softwood knows")
