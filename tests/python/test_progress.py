"""A running fit can be watched: by a callable, by a bar on a terminal or in a notebook."""

import io
import re
import sys
import threading
import types
from itertools import pairwise

import pytest

import softwood
from plain import fit_plain
from softwood import progress as progress_module
from softwood.warnings import LimitWarning

# Trees here are deeper than their data on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.EmptyLeavesWarning")


def test_a_callable_is_told_how_far_the_fit_has_come(example):
    seen, threads = [], set()

    def watch(state):
        seen.append(state)
        threads.add(threading.get_ident())

    model = fit_plain(*example, n_starts=10, progress=watch)
    assert threads == {threading.get_ident()}
    assert all(isinstance(state, softwood.Progress) for state in seen)
    last = seen[-1]
    assert (last.starts_done, last.starts) == (10, 10)
    assert last.iterations == model.report.iterations
    # Idle splits are dropped where that changes no more than rounding does.
    assert last.best_objective == pytest.approx(model.report.objective, rel=1e-8)
    assert 0 < last.seconds < 60
    for earlier, later in pairwise(seen):
        assert earlier.starts_done <= later.starts_done
        assert earlier.iterations <= later.iterations
        assert earlier.seconds <= later.seconds
        assert later.seconds - earlier.seconds < 2


def test_the_callable_is_called_several_times_a_second(long_fit):
    times = []
    with pytest.warns(LimitWarning):
        fit_plain(**long_fit, time_limit=1.0, progress=lambda state: times.append(state.seconds))
    assert 5 <= len(times) <= 25


FITS = {
    "fit_orct": lambda X, y, **s: softwood.fit_orct(X, y, scaling="auto", n_starts=4, **s),
    "selected": lambda X, y, **s: softwood.fit_orct(X, y, rows="selected", n_starts=4, **s),
    "fit_orct_cv": lambda X, y, **s: softwood.fit_orct_cv(
        X, y, (1, 2), local_grid=(0, 0.1), n_starts=2, **s
    ),
    "sparsity_path": lambda X, y, **s: softwood.sparsity_path(
        X, y, 2, [0, 1e-3, 1e-2], [0, 1e-3], n_starts=4, **s
    ),
    "fit_orrt_cv": lambda X, y, **s: softwood.fit_orrt_cv(
        X, X[:, 0], (1,), gammas=(8, 32), n_starts=2, folds=3, **s
    ),
    "orrt_sparsity_path": lambda X, y, **s: softwood.orrt_sparsity_path(
        X, X[:, 0], 1, [0, 1e-2], [0, 1e-2], n_starts=3, **s
    ),
    "fit_functional_orct_cv": lambda X, y, **s: softwood.fit_functional_orct_cv(
        X, y, (1,), n_intervals=(1, 2), gammas=(128,), n_starts=2, folds=3, **s
    ),
    "fit_functional_orrt_cv": lambda X, y, **s: softwood.fit_functional_orrt_cv(
        X, X[:, 0], n_intervals=(1, 2), gammas=(32,), n_starts=2, folds=3, **s
    ),
    "fit_srt": lambda X, y, **s: softwood.fit_srt(X, X[:, 0] * X[:, 1], 3, **s),
}


@pytest.mark.filterwarnings("ignore::softwood.SoftwoodWarning")
@pytest.mark.parametrize("name", FITS)
def test_the_total_is_known_at_once_and_reached_in_the_end(example, name):
    seen = []
    FITS[name](*example, progress=seen.append)
    totals = {state.starts for state in seen} - {0}  # none before the arguments are checked
    assert len(totals) == 1
    assert seen[-1].starts_done == seen[-1].starts
    assert all(a.starts_done <= b.starts_done for a, b in pairwise(seen))
    assert all(state.starts_done <= state.starts for state in seen)


def test_the_time_left_is_told_at_the_pace_so_far():
    state = softwood.Progress(5, 20, 100, 0.5, 2.0)
    assert state.seconds_left == 6.0
    assert softwood.Progress(0, 20, 0, None, 2.0).seconds_left is None
    assert softwood.Progress(20, 20, 9, 0.5, 2.0).seconds_left == 0


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # importing it fails


def shown(monkeypatch, stream, fit):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        fit()
    return stream.getvalue()


@pytest.mark.parametrize("ask", [{"progress": True}, {"verbose": True}])
def test_on_a_terminal_a_bar_of_tqdm_is_shown(example, monkeypatch, capfd, ask):
    text = shown(monkeypatch, Terminal(), lambda: fit_plain(*example, n_starts=3, **ask))
    assert "3/3" in text
    assert "objective 0.0" in text
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("without_tqdm")
def test_without_tqdm_a_line_is_written_over_and_over(example, monkeypatch):
    text = shown(monkeypatch, Terminal(), lambda: fit_plain(*example, n_starts=3, progress=True))
    *_, last = text.split("\r")
    assert last.startswith("fit [####################] 3/3 starts, ")
    assert re.search(r"objective 0\.0\d+, \d+\.\d s *\n$", last)
    line = progress_module._Line(Terminal(), live=True)
    line.show(softwood.Progress(1, 3, 9, 0.5, 2.0))
    line.show(softwood.Progress(3, 3, 9, 0.5, 3.0))
    line.close()
    _, first, second = line.stream.getvalue().split("\r")
    assert first.endswith(", 2.0 s, 4.0 s left")
    assert second.rstrip().endswith(", 3.0 s")
    assert len(second) == len(first) + 1  # spaces cover the longer line, then a line ends


@pytest.mark.parametrize("tqdm", [True, False])
def test_off_a_terminal_one_line_is_written_at_the_end(example, monkeypatch, tqdm):
    if not tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    text = shown(monkeypatch, io.StringIO(), lambda: fit_plain(*example, n_starts=3, progress=True))
    assert text.startswith("fit [####################] 3/3 starts, ")
    assert text.count("\n") == 1
    assert "\r" not in text


@pytest.mark.usefixtures("without_tqdm")
def test_in_a_notebook_the_line_is_written_over_and_over(example, monkeypatch):
    kernel = types.SimpleNamespace(kernel=object())
    notebook = types.SimpleNamespace(get_ipython=lambda: kernel)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    fit = lambda: fit_plain(*example, n_starts=3, progress=True)  # noqa: E731
    assert "\r" in shown(monkeypatch, io.StringIO(), fit)
    del kernel.kernel  # IPython in a pipe
    assert "\r" not in shown(monkeypatch, io.StringIO(), fit)


def test_without_a_stream_nothing_is_written(example, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    model = fit_plain(*example, n_starts=1, progress=True)
    assert len(model.report.start_objectives) == 1


def test_a_bar_is_closed_when_the_fit_fails(three, monkeypatch):
    closed = []
    bar = type("Bar", (), {"show": lambda *_: None, "close": lambda _: closed.append(True)})
    monkeypatch.setattr(progress_module, "_make_bar", bar)
    with pytest.raises(ValueError, match="scaling"):
        fit_plain(*three, scaling="none", progress=True)
    assert closed == [True]


@pytest.mark.parametrize("ask", [{}, {"progress": False}, {"progress": False, "verbose": True}])
def test_nothing_is_shown_unless_asked(example, ask, capfd):
    fit_plain(*example, n_starts=1, **ask)
    assert capfd.readouterr() == ("", "")
