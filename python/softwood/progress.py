"""How far a running fit has come: what callbacks are given, and the bars that show it."""

from __future__ import annotations

import reprlib
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

Update = Callable[[int, int, int, "float | None", float], object]


class Progress(NamedTuple):
    """State of a running fit, passed to the callable given as `progress`.

    Attributes
    ----------
    starts_done : int
        Starts that have ended, or are not needed after all.
    starts : int
        Starts to run in all, those of validation and of every point or round included. Known when
        work begins (0 before) and fixed from then on.
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

    @property
    def seconds_left(self) -> float | None:
        """Time that the other starts take at the pace so far; None before the first has ended."""
        if self.starts_done == 0:
            return None
        return self.seconds / self.starts_done * (self.starts - self.starts_done)


@contextmanager
def follow(
    progress: bool | Callable[[Progress], object] | None, verbose: bool
) -> Iterator[Update | None]:
    """Give what the core is to call every now and then; close the bar at the end."""
    if not isinstance(verbose, bool):
        raise TypeError(f"verbose must be True or False, got {reprlib.repr(verbose)}")
    if progress is None:
        progress = verbose
    if progress is False:
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
        raise TypeError(f"progress must be None, True or a callable, got {reprlib.repr(progress)}")


def _make_bar() -> _Tqdm | _Line | None:
    """Take tqdm if it is there and somebody watches, else a plain line."""
    stream = sys.stderr
    if stream is None:
        return None
    live = stream.isatty() or _in_notebook()
    if not live:
        return _Line(stream, live=False)
    try:
        with warnings.catch_warnings():
            # A notebook without widgets gets tqdm's plain bar, which is fine.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return _Line(stream, live=True)
    return _Tqdm(tqdm(desc="fit", unit="start", total=0, leave=True))


def _in_notebook() -> bool:
    """Tell whether this is the kernel of a notebook, whose output a carriage return overwrites."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


def _objective(state: Progress) -> str:
    return "-" if state.best_objective is None else f"{state.best_objective:.6g}"


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
    """One line, written over and over where somebody watches, at the end alone elsewhere."""

    WIDTH = 20

    def __init__(self, stream: TextIO, *, live: bool) -> None:
        self.stream, self.live = stream, live
        self.text = ""

    def show(self, state: Progress) -> None:
        filled = self.WIDTH * state.starts_done // max(state.starts, 1)
        left = state.seconds_left
        text = (
            f"fit [{'#' * filled}{'.' * (self.WIDTH - filled)}] "
            f"{state.starts_done}/{state.starts} starts, {state.iterations} iterations, "
            f"objective {_objective(state)}, {state.seconds:.1f} s"
            f"{f', {left:.1f} s left' if left else ''}"
        )
        # Spaces cover what a longer line has left.
        self.text = f"{text:{len(self.text) if self.live else 0}}"
        if self.live:
            self.stream.write(f"\r{self.text}")
            self.stream.flush()

    def close(self) -> None:
        if self.text:
            self.stream.write("\n" if self.live else f"{self.text}\n")
            self.stream.flush()
