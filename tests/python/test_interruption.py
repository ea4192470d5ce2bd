"""A running fit can be limited and interrupted, and other threads go on meanwhile."""

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise

import numpy as np
import pytest

import softwood
from plain import fit_plain
from softwood.warnings import LimitWarning

# Trees here are deeper than their data on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")

posix = pytest.mark.skipif(os.name != "posix", reason="signals and /proc as on Unix")


def test_an_exception_in_the_callable_ends_the_fit(long_fit):
    def watch(state):
        raise LookupError("enough")

    before = threading.active_count(), thread_count()
    began = time.monotonic()
    with pytest.raises(LookupError, match="enough") as stopped:
        fit_plain(**long_fit, progress=watch)
    assert time.monotonic() - began < 2
    assert hasattr(stopped.value, "partial")
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
    with pytest.warns(LimitWarning):
        model = fit_plain(**long_fit, time_limit=0.3)
    assert time.monotonic() - began < 2
    assert model.report.status == "time_limit"
    assert not model.report.converged
    assert model.predict(long_fit["X"][:5]).shape == (5,)


LONG_FIT = """
import os
import numpy as np, softwood
X, y, _ = softwood.load_example()
X, y = np.tile(X, (20, 1)), np.tile(y, 20)
PLAIN = dict(gamma=512, scaling="minmax", balance=False, local_penalty=0)
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


class Enough(Exception):
    """Raised by a callable once it has seen enough."""


def stopped_when(enough, fit, *data, **settings):
    """Return what a fit leaves on an exception that its callable raises once it has `enough`."""

    def watch(state):
        if enough(state):
            raise Enough

    with pytest.raises(Enough) as stopped:
        fit(*data, progress=watch, **settings)
    return stopped.value.partial


def starts(count):
    return lambda state: state.starts_done >= count


def test_an_exception_carries_the_best_tree_so_far(long_fit):
    X, y = long_fit["X"], long_fit["y"]
    names = [f"column {j}" for j in range(X.shape[1])]
    tree = stopped_when(starts(2), fit_plain, **long_fit, feature_names=names)
    assert isinstance(tree, softwood.OrctModel)
    assert tree.report.status == "cancelled"
    assert not tree.report.converged
    assert 2 <= len(tree.report.start_objectives) < 1000
    assert tree.report.objective == min(tree.report.start_objectives)
    assert (tree.predict(X) == y).mean() > 0.9
    assert tree.feature_names == names
    assert softwood.OrctModel.from_json(tree.to_json()) == tree


def test_the_best_tree_so_far_of_a_fit_to_selected_rows(long_fit):
    settings = long_fit | {"n_starts": 4, "rows": "selected"}
    tree = stopped_when(starts(4), fit_plain, **settings)
    assert isinstance(tree, softwood.OrctModel)
    assert tree.report.status == "cancelled"
    assert tree.report.rows == len(long_fit["y"])


def test_the_best_regression_tree_so_far(example):
    X = np.tile(example[0], (10, 1))
    y = X[:, 0] * (X[:, 1] > 20)
    some = lambda state: state.iterations > 5000  # noqa: E731
    tree = stopped_when(some, softwood.fit_srt, X, y, 4, n_starts=1000)
    assert isinstance(tree, softwood.SrtModel)
    assert tree.report.status == "cancelled"
    assert np.isfinite(tree.report.objective)
    assert np.isfinite(tree.predict(X)).all()


def test_an_exception_at_the_end_carries_the_whole_model(three):
    tree = stopped_when(starts(2), fit_plain, *three, depth=2, n_starts=2)
    whole = fit_plain(*three, depth=2, n_starts=2)
    assert (tree.coefficients == whole.coefficients).all()


def test_without_a_tree_there_is_nothing_to_carry(example):
    assert stopped_when(starts(0), softwood.fit_orct_cv, *example) is None


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("softwood.fit_orct(X, y, 3, n_starts=100_000, **PLAIN)", "OrctModel"),
        ("softwood.fit_orct(X, y, 3, n_starts=100_000, rows='selected', **PLAIN)", "OrctModel"),
        ("softwood.fit_srt(X, X[:, 0] * X[:, 1], 3, n_starts=100_000)", "SrtModel"),
        ("softwood.fit_orct_cv(X, y)", "NoneType"),
    ],
)
def test_ctrl_c_leaves_the_best_tree_so_far(interrupted, call, kind):
    seconds, answer = interrupted(LONG_FIT, call, answer="type(stop.partial).__name__", after=1.5)
    assert answer == kind
    assert seconds < 1


CURVES = """
import numpy as np, softwood
walks = np.cumsum(np.random.default_rng(0).normal(size=({rows}, {points})), axis=1) / 8
y = abs(walks[:, 20:30].mean(axis=1))
"""


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("fit_functional_orrt(walks, y, n_intervals=40, n_starts=200)", "FunctionalOrrtModel"),
        ("fit_functional_orct(walks, y > 1, n_intervals=40, n_starts=900)", "FunctionalOrctModel"),
        ("fit_functional_orrt_cv(walks, y, n_intervals=(40,), n_starts=200)", "NoneType"),
        ("fit_functional_orct_cv(walks, y > 1, n_intervals=(40,), n_starts=900)", "NoneType"),
    ],
)
def test_ctrl_c_ends_a_fit_to_curves_and_leaves_the_tree_it_has(interrupted, call, kind):
    prepare = CURVES.format(rows=300, points=60)
    told = "type(stop.partial).__name__"
    seconds, answer = interrupted(prepare, f"softwood.{call}", answer=told, after=2.5)
    assert answer == kind
    assert seconds < 1


@pytest.mark.parametrize("fit", ["fit_functional_orrt", "fit_functional_orrt_cv"])
def test_ctrl_c_ends_the_smoothing_of_many_curves(interrupted, fit):
    prepare = CURVES.format(rows=30_000, points=300)
    seconds, answer = interrupted(prepare, f"softwood.{fit}(walks, y)", after=1.5)
    assert answer == "None"
    assert seconds < 1


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


@pytest.mark.parametrize("method", ["explain", "effects"])
@pytest.mark.parametrize(("fit", "y"), [("fit_orct", "y"), ("fit_srt", "X[:, 0] * y")])
def test_ctrl_c_ends_long_explanations_within_a_second(interrupted, fit, y, method):
    prepare = (
        "import numpy as np, softwood\n"
        "X = np.random.default_rng(0).normal(size=(2000, 25))\n"
        "y = (X[:, 0] * X[:, 1] > 0).astype(int)\n"
        f"model = softwood.{fit}(X, {y}, depth=4, n_starts=1, time_limit=1)\n"
        "many = np.tile(X, (1000, 1))\n"
    )
    seconds, _ = interrupted(prepare, f"[model.{method}(many) for _ in range(9)]")
    assert seconds < 1


@posix
def test_a_signal_handler_of_the_user_runs_during_a_fit(long_fit):
    seen = []
    old = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        began = time.monotonic()
        with pytest.warns(LimitWarning):
            model = fit_plain(**long_fit, time_limit=0.8)
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
        with pytest.warns(LimitWarning):
            fit_plain(**long_fit, time_limit=0.6, n_threads=1)
        ended = time.monotonic()
    finally:
        stop.set()
        thread.join()
    during = [t for t in ticks if began < t < ended]
    assert len(during) > 10
    assert max(b - a for a, b in pairwise(during)) < 0.3


def test_predictions_release_the_gil(example):
    X, y = example
    with pytest.warns(LimitWarning):
        model = fit_plain(X, y, depth=6, n_starts=1, max_iter=2)
    many = np.broadcast_to(X[:1], (4_000_000, X.shape[1]))  # a quarter of a second
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        began = time.monotonic()
        model.predict_proba(many)
        ended = time.monotonic()
    finally:
        stop.set()
        thread.join()
    assert sum(began < t < ended for t in ticks) >= 10
