"""Weights of classes: what `class_weight` makes of the weights of the rows."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core

ALLOWED = "class_weight must be 'balanced', a mapping from label to weight or None"


def weigh_classes(
    class_weight: Any,
    classes: list[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64] | None:
    """Return the weights of the rows, multiplied by those of their classes."""
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"{ALLOWED}, got {reprlib.repr(class_weight)}")
    elif not isinstance(class_weight, Mapping):
        raise TypeError(f"{ALLOWED}, got {type(class_weight).__name__}")
    of_row = np.ones(len(codes)) if weights is None else weights
    if len(of_row) != len(codes) or not np.isfinite(of_row).all() or (of_row < 0).any():
        return weights  # the core says what is wrong with them
    if isinstance(class_weight, Mapping):
        factors = _of_mapping(class_weight, classes)
    else:
        factors = _balanced(classes, codes, of_row)
    with np.errstate(over="ignore"):
        product: NDArray[np.float64] = of_row * factors[codes]
    for k, label in enumerate(classes):
        here = product[codes == k]
        if not here.any():
            raise ValueError(
                f"all rows of class {label!r} have weight 0 (class_weight {factors[k]:g} times "
                f"sample_weight); every class needs weight, or leave its rows out"
            )
        if not np.isfinite(here).all():
            raise ValueError(
                f"class_weight {factors[k]:g} of class {label!r} times sample_weight is too large"
            )
    return product


def _of_mapping(class_weight: Mapping[Any, Any], classes: list[Any]) -> NDArray[np.float64]:
    """Return a factor for each class, 1 for those not named."""
    factors = np.ones(len(classes))
    place = {label: k for k, label in enumerate(classes)}
    for label, given in class_weight.items():
        if label not in place:
            raise ValueError(
                f"class_weight names the class {label!r}, which is not a label in y; "
                f"labels are {', '.join(map(repr, classes))}"
            )
        weight = _core.number(f"class_weight[{label!r}]", given)
        if weight < 0:
            raise ValueError(f"class_weight[{label!r}] must not be negative, got {weight:g}")
        factors[place[label]] = weight
    return factors


def _balanced(
    classes: list[Any], codes: NDArray[np.uint32], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return W/(K·W_k) for each class k, W_k the weight of its rows, W of all; 1 for W_k = 0."""
    largest = weights.max(initial=0.0)
    shares = weights / largest if largest > 0 else weights  # whose sums do not overflow
    totals = np.bincount(codes, weights=shares, minlength=len(classes))
    balanced = totals.sum() / (len(classes) * np.where(totals > 0, totals, np.inf))
    factors: NDArray[np.float64] = np.where(totals > 0, balanced, 1.0)
    return factors
