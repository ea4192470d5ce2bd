"""Fits of the compiled core: followed while they run, made into models, on Ctrl-C too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .models import TreeModel
from .notices import warn_of
from .progress import Progress, follow

T = TypeVar("T")
M = TypeVar("M", bound=TreeModel)


def run_fit(
    fit: Callable[..., Any],
    arguments: tuple[Any, ...],
    make: Callable[[Any], T],
    progress: bool | Callable[[Progress], object] | None,
    verbose: bool,
) -> T:
    """Return what `make` makes of the core's answer.

    An exception that ends the fit early (Ctrl-C, or one raised by a callable `progress`) has made
    of what there was until then, or None, as its attribute `partial`.
    """
    with follow(progress, verbose) as update:
        try:
            return make(fit(*arguments, update))
        except BaseException as stopped:
            partial = getattr(stopped, "partial", None)
            if partial is not None:
                stopped.partial = make(partial)  # type: ignore[attr-defined]
            raise


def fit_model(
    fit: Callable[..., Any],
    arguments: tuple[Any, ...],
    make: Callable[[Any], M],
    progress: bool | Callable[[Progress], object] | None,
    verbose: bool,
) -> M:
    """Return the model of a fit, with warnings of what is likely to be unwanted."""
    model = run_fit(fit, arguments, make, progress, verbose)
    warn_of(model.report)
    return model
