"""Fits in forked children, worker processes and threads give what they give alone."""

import multiprocessing
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest

import softwood
from plain import fit_plain

# Fits here are short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::softwood.warnings.LimitWarning")

SETTINGS = {"n_starts": 2, "max_iter": 10, "n_threads": 2}


def fit(X, y):
    return fit_plain(X, y, **SETTINGS).coefficients.tobytes()


def in_child(connection, job):
    connection.send(job())
    connection.close()


def forked(job):
    """Outcome of `job` in a forked child; a deadlock there is a failure here."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    with warnings.catch_warnings():
        # Python warns of forks while threads run, which is what is tested here.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = context.Process(target=in_child, args=(theirs, job))
        child.start()
    try:
        assert ours.poll(20), "the child does not answer"
        outcome = ours.recv()
        child.join(5)
        assert child.exitcode == 0, "the child does not end"
        return outcome
    finally:
        if child.is_alive():
            child.kill()


fork = pytest.mark.skipif(
    not hasattr(os, "fork") or sys.platform == "darwin", reason="needs a safe fork"
)


@fork
def test_a_forked_child_fits_after_its_parent_has(three):
    expected = fit(*three)
    assert forked(lambda: fit(*three)) == expected
    assert fit(*three) == expected


@fork
def test_a_forked_child_predicts_in_parallel(example):
    X, y = example
    model = fit_plain(X, y, **SETTINGS)
    many = np.tile(X, (50, 1))
    expected = model.predict_proba(many).tobytes()
    assert forked(lambda: model.predict_proba(many).tobytes()) == expected


@fork
def test_a_forked_child_evaluates_with_threads_of_its_own():
    X = np.random.default_rng(0).random((20_000, 6))
    y = X[:, 0] > X[:, 1]
    theta = np.random.default_rng(1).uniform(-1, 1, 21)
    objective = softwood.OrctObjective(X, y, [True, False] * 2, n_threads=2)
    unused = softwood.OrctObjective(X, y, [True, False] * 2, n_threads=2)
    expected = objective.value_and_gradient(theta)[1].tobytes()

    def job():
        nonlocal unused
        unused = None  # its threads are the parent's: dropping it must not wait for them
        return objective.value_and_gradient(theta)[1].tobytes()

    for _ in range(5):
        assert forked(job) == expected
    assert objective.value_and_gradient(theta)[1].tobytes() == expected
    assert unused is not None


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_fits_side_by_side(three, backend):
    X, y = three
    fitted = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(fit_plain)(X, y, **SETTINGS) for _ in range(4)
    )
    assert {model.coefficients.tobytes() for model in fitted} == {fit(X, y)}


def test_threads_share_rows_model_and_objective(three):
    X, y = three
    model = fit_plain(X, y, **SETTINGS)
    objective = softwood.OrctObjective(X, y, model.leaf_classes, n_threads=2)
    theta = np.random.default_rng(1).uniform(-1, 1, objective.dim)

    def work(_):
        return (
            fit(X, y),
            model.predict_proba(X).tobytes(),
            objective.value_and_gradient(theta)[1].tobytes(),
        )

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(work, range(12)))) == 1


FORKS = """
import os, sys, time
import numpy as np, softwood
X = np.random.default_rng(0).normal(size=(3000, 5))
y = X[:, 0] > 0
children = []
def fork(state):
    if children:
        return
    children.append(os.fork())
    if children[0]:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            pid, status = os.waitpid(children[0], os.WNOHANG)
            if pid:
                print("ended", os.waitstatus_to_exitcode(status), flush=True)
                return
            time.sleep(0.02)
        os.kill(children[0], 9)
        print("hangs", flush=True)
    elif "{child}" == "fits":
        softwood.fit_orct(X[:50], y[:50], depth=1, n_starts=1, gamma=512, scaling="minmax")
        os._exit(7)
softwood.fit_orct(X, y, depth=3, n_starts=200, time_limit=1, progress=fork)
print("parent", len(children))
"""


@fork
@pytest.mark.parametrize(("child", "code"), [("fits", 7), ("returns", 1)])
def test_a_child_forked_in_a_callback_ends(child, code):
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS.replace("{child}", child)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.stdout == f"ended {code}\nparent 1\n", ran.stderr
    assert ("cannot go on with the fit" in ran.stderr) == (child == "returns")
