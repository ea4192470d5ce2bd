"""Two builds of softwood side by side: the same calls in turns, one process a build."""

import argparse
import json
import subprocess
import sys
import time
from inspect import signature

import numpy as np

from plain_orct import PLAIN_SETTINGS

DEPTHS = (2, 4)
PENALTIES = {"local_grid": 8, "global_grid": [0.0]}


def make_rows(n, p, rng):
    """Rows in [0, 1] and three classes with curved borders and some noise; a response for regression."""
    X = rng.random((n, p))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + rng.normal(0, 0.1, n)
    return X, np.digitize(score, np.quantile(score, [1 / 3, 2 / 3])), score


def jobs(n_rows, threads):
    """Every timed call by name; settings that newer builds choose otherwise by default are written out."""
    import softwood

    X, y, response = make_rows(n_rows, 25, np.random.default_rng(0))
    few = slice(0, 20_000)
    known = signature(softwood.fit_orct).parameters  # an older build lacks settings
    plain = {name: value for name, value in PLAIN_SETTINGS.items() if name in known}
    plain["n_threads"] = threads
    calls = {}
    for depth in DEPTHS:
        labels = np.arange(2**depth) % 3
        objective = softwood.OrctObjective(
            X, y, labels, depth, gamma=512.0, scaling="minmax", n_threads=threads
        )
        theta = np.random.default_rng(depth).uniform(-0.1, 0.1, (2**depth - 1) * 26)
        tree = softwood.fit_orct(X[few], y[few], depth, n_starts=1, **plain | {"max_iter": 20})
        calls |= {
            f"value and gradient, depth {depth}": lambda o=objective, t=theta: o.value_and_gradient(
                t
            ),
            f"predict, depth {depth}": lambda t=tree: t.predict(X),
            f"predict_proba, depth {depth}": lambda t=tree: t.predict_proba(X),
        }
    regression = softwood.fit_srt(X[few], response[few], 3, n_starts=2, n_threads=threads)
    srt = {"n_threads": threads, "scaling": "minmax"}
    path = {"n_starts": 4, "max_iter": 200, "scaling": "minmax", "n_threads": threads}
    return calls | {
        "SRT predict, depth 3": lambda: regression.predict(X),
        "fit_srt, 20,000 rows, depth 2": lambda: softwood.fit_srt(X[few], response[few], 2, **srt),
        "fit_orct, 20,000 rows, depth 2": lambda: softwood.fit_orct(
            X[few], y[few], 2, n_starts=2, **plain
        ),
        "sparsity_path, 5,000 rows": lambda: softwood.sparsity_path(
            X[:5000], y[:5000], 2, **PENALTIES, **path
        ),
    }


def work(n_rows, threads, clock):
    """Answer each name on the standard input with the seconds of its call."""
    calls = jobs(n_rows, threads)
    print(json.dumps(list(calls)), flush=True)
    for line in sys.stdin:
        began = clock()
        calls[line.rstrip("\n")]()
        print(clock() - began, flush=True)


class Build:
    """A process of the Python that has a build installed."""

    def __init__(self, python, arguments):
        command = [python, __file__, "--work", *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.names = json.loads(self._answer())

    def seconds(self, name):
        print(name, file=self.process.stdin, flush=True)
        return float(self._answer())

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a build has ended: see its error above")
        return line


def compare(before, after, rounds, part):
    """One row for each call with `part` in its name: best seconds of both builds, and the ratio."""
    rows = []
    for name in (name for name in after.names if part in name):
        before.seconds(name), after.seconds(name)  # untimed: touches memory, starts threads
        turns = [(before.seconds(name), after.seconds(name)) for _ in range(rounds)]
        old, new = np.array(turns).T
        row = {"call": name, "before": old.min(), "after": new.min()}
        rows.append(row | {"after ÷ before": new.min() / old.min()})
        print(f"{name}: {rows[-1]['after ÷ before']:.3f}", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", nargs="?", help="Python with the older build")
    parser.add_argument("after", nargs="?", default=sys.executable, help="... with the newer one")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument(
        "--cpu-time", action="store_true", help="seconds of processors, for a busy machine"
    )
    parser.add_argument("--name", default="compare_builds", help="of the files with the results")
    parser.add_argument("--part", default="", help="only calls with this in their names")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        clock = time.process_time if arguments.cpu_time else time.perf_counter
        work(arguments.rows, arguments.threads, clock)
        return
    if arguments.before is None:
        parser.error("give the Python that has the older build")

    from record import target, write_results

    shared = ["--rows", str(arguments.rows), "--threads", str(arguments.threads)]
    shared += ["--cpu-time"] if arguments.cpu_time else []
    builds = Build(arguments.before, shared), Build(arguments.after, shared)
    rows = compare(*builds, arguments.rounds, arguments.part)
    worst = max(row["after ÷ before"] for row in rows)
    sections = {
        "Calls": rows,
        "Targets": [target("slowest call, after ÷ before", worst, "<=", 1.05)],
        "How to read it": (
            f"{arguments.rows:,} × 25 rows, {arguments.threads} threads, seconds of {'processors' if arguments.cpu_time else 'the clock'}; the builds take turns, {arguments.rounds} times each; "
            "best seconds of each. The same settings for both, where defaults differ."
        ),
    }
    write_results(arguments.name, "Two builds side by side", rows, sections)


if __name__ == "__main__":
    main()
