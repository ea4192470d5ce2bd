"""How far a running fit has come: what callbacks are given, and the bars that show it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

Update = Callable[[int, int, int, "float | None", float], object]


class Progress(NamedTuple):
    """State of a running fit, passed to the callable given as `progress`.

    Attributes
    ----------
    starts_done : int
        Starts that have ended.
    starts : int
        Starts to run in all; ``scaling="auto"`` adds those of its validation.
    iterations : int
        Solver iterations so far, over all starts.
    best_objective : float or None
        Least objective among the starts that have ended, None before the first.
    seconds : float
        Time since the fit began.
    """

    starts_done: int
    starts: int
    iterations: int
    best_objective: float | None
    seconds: float


@contextmanager
def follow(progress: bool | Callable[[Progress], object] | None) -> Iterator[Update | None]:
    """Give what the core is to call every now and then; close the bar at the end."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        bar = _make_bar()
        if bar is None:
            yield None
            return
        try:
            yield lambda *state: bar.show(Progress(*state))
        finally:
            bar.close()
    elif callable(progress):
        yield lambda *state: progress(Progress(*state))
    else:
        raise TypeError(f"progress must be None, True or a callable, got {progress!r}")


def _make_bar() -> _Tqdm | _Line | None:
    """Take tqdm if it is there, else a plain line if somebody can see it."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None
    return _Tqdm(tqdm(desc="fit", unit="start", total=0, leave=True))


def _objective(state: Progress) -> str:
    return "…" if state.best_objective is None else f"{state.best_objective:.6g}"


class _Tqdm:
    """A bar of tqdm's."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar

    def show(self, state: Progress) -> None:
        self.bar.total, self.bar.n = state.starts, state.starts_done
        text = f"objective {_objective(state)}, {state.iterations} iterations"
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


class _Line:
    """One line on a terminal, written over and over."""

    WIDTH = 20

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.longest = 0

    def show(self, state: Progress) -> None:
        filled = self.WIDTH * state.starts_done // max(state.starts, 1)
        line = (
            f"fit [{'#' * filled}{'.' * (self.WIDTH - filled)}] "
            f"{state.starts_done}/{state.starts} starts, {state.iterations} iterations, "
            f"objective {_objective(state).replace('…', '-')}, {state.seconds:.1f} s"
        )
        self.longest = max(self.longest, len(line))
        self.stream.write(f"\r{line:{self.longest}}")
        self.stream.flush()

    def close(self) -> None:
        if self.longest:
            self.stream.write("\n")
            self.stream.flush()
