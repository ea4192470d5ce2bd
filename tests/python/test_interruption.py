"""A running fit can be watched, limited and interrupted, and other threads go on meanwhile."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise

import pytest

import softwood
from softwood import progress as progress_module

posix = pytest.mark.skipif(os.name != "posix", reason="signals and /proc as on Unix")


def test_a_callable_is_told_how_far_the_fit_has_come(example):
    seen, threads = [], set()

    def watch(state):
        seen.append(state)
        threads.add(threading.get_ident())

    model = softwood.fit_orct(*example, n_starts=10, progress=watch)
    assert threads == {threading.get_ident()}
    assert all(isinstance(state, softwood.Progress) for state in seen)
    last = seen[-1]
    assert (last.starts_done, last.starts) == (10, 10)
    assert last.iterations == model.report.iterations
    assert last.best_objective == pytest.approx(model.report.objective, rel=1e-12)
    assert 0 < last.seconds < 60
    for earlier, later in pairwise(seen):
        assert earlier.starts_done <= later.starts_done
        assert earlier.iterations <= later.iterations
        assert earlier.seconds <= later.seconds
        assert later.seconds - earlier.seconds < 2


def test_the_callable_is_called_several_times_a_second(long_fit):
    times = []
    softwood.fit_orct(
        **long_fit, time_limit=1.0, progress=lambda state: times.append(state.seconds)
    )
    assert 5 <= len(times) <= 25


def test_an_exception_in_the_callable_ends_the_fit(long_fit):
    def watch(state):
        raise LookupError("enough")

    before = threading.active_count(), thread_count()
    began = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        softwood.fit_orct(**long_fit, progress=watch)
    assert time.monotonic() - began < 2
    assert (threading.active_count(), thread_count()) == before


def thread_count():
    """Threads of this process, those of no Python too; the kernel may take a moment to end them."""
    if not os.path.isdir("/proc/self/task"):
        return None
    counts = []
    for _ in range(20):
        counts.append(len(os.listdir("/proc/self/task")))
        time.sleep(0.005)
    return min(counts)


def test_the_time_limit_ends_a_fit_with_a_model(long_fit):
    began = time.monotonic()
    model = softwood.fit_orct(**long_fit, time_limit=0.3)
    assert time.monotonic() - began < 2
    assert model.report.status == "time_limit"
    assert not model.report.converged
    assert model.predict(long_fit["X"][:5]).shape == (5,)


LONG_FIT = """
import os
import numpy as np, softwood
X, y, _ = softwood.load_example()
X, y = np.tile(X, (20, 1)), np.tile(y, 20)
"""

# The kernel may take a moment to end a thread.
COUNT = """
def count():
    time.sleep(0.1)
    return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
softwood.fit_orct(X[:99], y[:99], n_starts=1, n_threads=1)
before = count()
"""


@pytest.mark.parametrize("scaling", ["minmax", "auto"])
@pytest.mark.parametrize("watch", ["None", "lambda state: None"])
def test_ctrl_c_ends_a_fit_within_a_second_and_leaves_no_thread(interrupted, scaling, watch):
    seconds, threads_left = interrupted(
        LONG_FIT + COUNT,
        f"softwood.fit_orct(X, y, 5, n_starts=1000, scaling={scaling!r}, progress={watch})",
        answer="count() - before",
    )
    assert seconds < 1
    assert threads_left == "0"


def test_ctrl_c_ends_a_long_evaluation_within_a_second(interrupted):
    # Rows that take no memory, and splits enough for many seconds.
    prepare = (
        "import numpy as np, softwood\n"
        "X = np.broadcast_to(np.arange(50.0), (400_000, 50))\n"
        "leaves = np.arange(4096) % 2\n"
        "objective = softwood.OrctObjective(X, np.arange(400_000) % 2, leaves, depth=12)\n"
        "theta = np.zeros(objective.dim)\n"
    )
    seconds, _ = interrupted(prepare, "objective.value_and_gradient(theta)")
    assert seconds < 1


@posix
def test_a_signal_handler_of_the_user_runs_during_a_fit(long_fit):
    seen = []
    old = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        began = time.monotonic()
        model = softwood.fit_orct(**long_fit, time_limit=0.8)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert model.report.status == "time_limit"
    assert 0.1 < seen[0] - began < 0.6


@posix
def test_the_interpreter_can_end_while_a_daemon_thread_fits():
    code = LONG_FIT + (
        "import threading, time\n"
        "fit = lambda: softwood.fit_orct(X, y, depth=5, n_starts=1000)\n"
        "threading.Thread(target=fit, daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print('end')\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert run.stdout == "end\n"
    assert run.returncode == 0, run.stderr


def test_other_python_threads_go_on_during_a_fit(long_fit):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        began = time.monotonic()
        softwood.fit_orct(**long_fit, time_limit=0.6, n_threads=1)
        ended = time.monotonic()
    finally:
        stop.set()
        thread.join()
    during = [t for t in ticks if began < t < ended]
    assert len(during) > 10
    assert max(b - a for a, b in pairwise(during)) < 0.3


def test_predictions_release_the_gil(example):
    X, y = example
    model = softwood.fit_orct(X, y, depth=6, n_starts=1, max_iter=2)
    many = X[:1].repeat(400_000, axis=0)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        began = time.monotonic()
        model.leaf_probabilities(many)
        ended = time.monotonic()
    finally:
        stop.set()
        thread.join()
    assert sum(began < t < ended for t in ticks) >= 3


def test_true_shows_a_bar_of_tqdm(example, capfd):
    softwood.fit_orct(*example, n_starts=3, progress=True)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "3/3" in shown.err
    assert "objective 0.0" in shown.err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_without_tqdm_a_line_is_shown_on_a_terminal_only(example, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # importing it fails
    for stream in (Terminal(), io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        softwood.fit_orct(*example, n_starts=3, progress=True)
        if isinstance(stream, Terminal):
            last = stream.getvalue().split("\r")[-1]
            assert last.startswith("fit [####################] 3/3 starts, ")
            assert last.endswith(" s\n")
        elif stream is not None:
            assert stream.getvalue() == ""


def test_a_bar_is_closed_when_the_fit_fails(three, monkeypatch):
    closed = []
    bar = type("Bar", (), {"show": lambda *_: None, "close": lambda _: closed.append(True)})
    monkeypatch.setattr(progress_module, "_make_bar", bar)
    with pytest.raises(ValueError, match="scaling"):
        softwood.fit_orct(*three, scaling="none", progress=True)
    assert closed == [True]


@pytest.mark.parametrize("progress", [None, False])
def test_nothing_is_shown_unless_asked(example, progress, capfd):
    softwood.fit_orct(*example, n_starts=1, progress=progress)
    assert capfd.readouterr() == ("", "")
