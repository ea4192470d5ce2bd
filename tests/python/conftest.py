"""Data and tools shared by the tests."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import softwood
from plain import fit_plain


@pytest.fixture(scope="session")
def example():
    """X and y of the data set in the package: 569 × 30, two classes of text."""
    X, y, _ = softwood.load_example()
    X.setflags(write=False)
    return X, y


@pytest.fixture(scope="session")
def three():
    """300 × 4 with a constant column, three classes that no plane separates."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4)) * [1, 10, 0, 0.01] + [0, -50, 7, 3]
    score = X[:, 0] * (X[:, 1] + 50) / 10 + 30 * (X[:, 3] - 3)
    X.setflags(write=False)
    return X, np.digitize(score, [-0.5, 0.5])


@pytest.fixture(scope="session", params=["minmax", "quantile"])
def model(three, request):
    """A tree with three classes, for either scaling."""
    return fit_plain(*three, gamma=32, n_starts=4, scaling=request.param)


@pytest.fixture(scope="session")
def long_fit(example):
    """Arguments of a fit that takes minutes."""
    X, y = example
    return {"X": np.tile(X, (20, 1)), "y": np.tile(y, 20), "depth": 5, "n_starts": 1000}


CTRL_C = """
import signal, time
# A background job of a shell starts with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
{prepare}
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt as stop:
    ended = time.time()
    print(ended, {answer}, flush=True)
"""


@pytest.fixture(scope="session")
def interrupted():
    """Ctrl-C in a process of its own, `after` seconds into `call`.

    Returns the seconds until it ended and what `answer` then was, as text.
    """
    if os.name != "posix":
        pytest.skip("signals as on Unix")

    def interrupt(prepare, call, answer="None", after=0.4):
        code = CTRL_C.format(prepare=prepare, call=call, answer=answer)
        command = [sys.executable, "-c", code]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            try:
                assert child.stdout.readline() == "ready\n"
                time.sleep(after)
                sent = time.time()
                child.send_signal(signal.SIGINT)
                out, _ = child.communicate(timeout=20)
            finally:
                child.kill()
        ended, answer = out.split(maxsplit=1)
        return float(ended) - sent, answer.strip()

    return interrupt
