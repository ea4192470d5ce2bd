"""scikit-learn's callbacks, where its version has them: a task for every start of a fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..progress import Progress, Update

__all__ = ["CallbackSupportMixin", "EndedByCallback", "Tasks", "with_callbacks"]

F = TypeVar("F", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this version of scikit-learn has no callbacks."""

    def with_callbacks(method: F) -> F:
        """Return the method as it is."""
        return method


class EndedByCallback(Exception):
    """A callback has asked for the end; the attribute `partial` is the best tree so far."""

    partial: Any = None


class Tasks:
    """The tasks that callbacks are told of: the fit, in it the search, in it every start."""

    def __init__(self, estimator: Any, training: dict[str, Any], show: Update | None) -> None:
        self.estimator, self.training, self.show = estimator, training, show
        self.search: Any = None
        self.done = 0
        self.is_asked_to_end = False
        self.fit = estimator._init_callback_context(max_subtasks=1)
        self._begin(self.fit)

    def __call__(self, state: Progress) -> None:
        """Tell of the starts that have ended since the last call."""
        if self.show is not None:
            self.show(*state)
        if self.search is None and state.starts:
            self.search = self.fit.subcontext(task_name="search", max_subtasks=state.starts)
            self._begin(self.search)
        while self.done < state.starts_done:
            self.done += 1
            start = self.search.subcontext(task_name="start")
            self._begin(start)
            self.is_asked_to_end |= self._end(start)
        # While settings are chosen there is no tree to end with.
        has_tree = state.best_objective is not None
        if self.is_asked_to_end and has_tree and self.done < state.starts:
            raise EndedByCallback

    def close(self) -> None:
        """Tell of the end of the fit; the estimator is fitted."""
        if self.search is not None:
            self._end(self.search)
        self._end(self.fit, reconstruction_attributes={})

    def _begin(self, task: Any) -> None:
        task.call_on_fit_task_begin(estimator=self.estimator, **self.training)

    def _end(self, task: Any, **more: Any) -> bool:
        ended = task.call_on_fit_task_end(estimator=self.estimator, **self.training, **more)
        return bool(ended)
