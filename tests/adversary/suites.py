"""Interruption, time limits, threads and processes, invariance, memory: measured, in one table.

python tests/adversary/suites.py --out tests/adversary/results/suites.md
python tests/adversary/suites.py --only limits soak --soak-seconds 1800
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import inspect
import multiprocessing
import os
import pickle
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import numpy as np

import softwood
from registry import FITS

Row = tuple[str, str, str]
"""What was tried, what came out, and whether that is as promised."""

INTERRUPTIONS = 50
LATEST = 1.0
"""Seconds after Ctrl-C within which a fit ends."""

LIMITS = (0.05, 0.3, 1.0, 3.0)
LIMITED = ((100_000, 20, 3), (20_000, 20, 6), (200_000, 20, 8), (100, 2000, 2), (50, 5000, 2))
"""Rows, columns and depths of fits under a limit."""

SMALL: dict[str, Any] = {"n_starts": 2, "depth": 2, "depths": (2,)}
"""Settings of a fit that takes no time."""

POINTS = 12
"""Of a curve at least."""

LATE = 0.3
LATE_SHARE = 0.1
"""A limit may be passed by the larger of both."""


def main() -> None:
    """Run the suites that are asked for, and print their table."""
    suites: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
        "interruption": interruption,
        "limits": limits,
        "concurrency": concurrency,
        "invariance": invariance,
        "soak": soak,
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=suites, default=list(suites))
    parser.add_argument("--fits", nargs="+", choices=FITS, default=list(FITS))
    parser.add_argument("--interruptions", type=int, default=INTERRUPTIONS)
    parser.add_argument("--soak-seconds", type=float, default=1800)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = ["# Suites", "", f"`python tests/adversary/suites.py {' '.join(sys.argv[1:])}`", ""]
    kept = True
    for name in asked.only:
        lines += [f"## {name}", "", "| what | found | as promised |", "|---|---|---|"]
        for what, found, verdict in suites[name](asked):
            kept &= verdict.startswith("yes")
            lines.append(f"| {what} | {found} | {verdict} |")
            print(lines[-1], flush=True)
            write(asked.out, lines)
        lines.append("")
    write(asked.out, lines)
    sys.exit(not kept)


def write(out: Path | None, lines: list[str]) -> None:
    """Keep what there is: a long run may be cut off."""
    if out:
        out.parent.mkdir(exist_ok=True)
        out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def data(
    fit: str, rows: int = 3000, columns: int = 8, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that suit a fit, and its y."""
    rng = np.random.default_rng(seed)
    points = max(columns, POINTS) if "functional" in fit else columns
    X = rng.normal(size=(rows, points))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=rows)
    return X, score if FITS.get(fit) == "response" else np.digitize(score, [-0.5, 0.5])


def fitted(fit: str, X: Any, y: Any, **settings: Any) -> Any:
    """A model, with those of the settings that the fit knows."""
    function = getattr(softwood, fit)
    known = list(inspect.signature(function).parameters)[2:]  # the rows of some are `curves`
    return function(X, y, **{name: value for name, value in settings.items() if name in known})


def bits(model: Any) -> str:
    """All of a model but its seconds."""
    fields = [
        model.intercepts,
        *(getattr(model, name, ()) for name in ("coefficients", "leaf_weights")),
    ]
    return hashlib.sha256(
        pickle.dumps([np.asarray(field).tobytes() for field in fields])
    ).hexdigest()


def promised(ok: bool, but_for_other_jobs: bool = False) -> str:
    """The verdict; a busy machine is no fault where the time on its processors alone would do."""
    return "yes" if ok else "yes, by CPU" if but_for_other_jobs else "**no**"


class Overtime:
    """What a call takes from a moment on: seconds, and seconds of processors."""

    def __init__(self, after: float, then: Callable[[], object] = lambda: None) -> None:
        self.after, self.then = after, then
        self.since: tuple[float, float] | None = None
        self.alarm = threading.Timer(after, self.strike)

    def strike(self) -> None:
        """The moment has come."""
        self.since = time.monotonic(), time.process_time()
        self.then()

    def __enter__(self) -> Overtime:
        self.began = time.monotonic()
        self.alarm.start()
        return self

    def __exit__(self, *_: object) -> None:
        ended = time.monotonic(), time.process_time()
        self.alarm.cancel()
        self.seconds = ended[0] - self.began
        since = self.since or ended
        self.late, self.late_cpu = (b - a for a, b in zip(since, ended, strict=True))


def select_rows(X: Any, y: Any, **settings: Any) -> Any:
    """The rows of one leaf."""
    planes = (np.eye(X.shape[1])[:1], [0.0])
    return softwood.select_rows(X, y, np.zeros(len(X), int), planes, **settings)


SELECTIONS: dict[str, Callable[..., Any]] = {
    "select_extreme_points": lambda X, y, **settings: softwood.select_extreme_points(X, **settings),
    "select_rows": select_rows,
    "select_balanced_rows": lambda X, y, **settings: softwood.select_balanced_rows(
        X[:100, :3], None, **settings
    ),
    "balanced_relaxation": lambda X, y, **settings: softwood.balanced_relaxation(
        X[:100, :3], **settings
    ),
}
"""Functions that select rows, of rows and classes."""


def interruption(asked: argparse.Namespace) -> Iterator[Row]:
    """Ctrl-C at random moments of every fit."""
    for fit in asked.fits:
        X, y = data(fit, 20_000, 12)
        drawn, found, missed = random.Random(fit), [], 0
        for _ in range(asked.interruptions):
            ctrl_c = Overtime(drawn.uniform(0.01, 1.0), lambda: os.kill(os.getpid(), signal.SIGINT))
            try:
                with ctrl_c:
                    fitted(fit, X, y, depth=3, n_starts=50)
                    missed += 1
                    ctrl_c.alarm.join()
                    time.sleep(0.01)
            except KeyboardInterrupt:
                found.append(ctrl_c)
        late = max((call.late for call in found), default=0)
        cpu = max((call.late_cpu for call in found), default=0)
        ended = f"{len(found) - missed} interrupted, {missed} had ended"
        yield (
            f"`{fit}` on 20,000 × 12, Ctrl-C",
            f"{ended}, latest {late:.2f} s (CPU {cpu:.2f} s)",
            promised(late <= LATEST, cpu <= LATEST),
        )


def limits(asked: argparse.Namespace) -> Iterator[Row]:
    """Every time limit, on rows long and wide."""
    calls = [
        (f"`{fit}` {rows} × {columns}, depth {depth}", fit, rows, columns, depth)
        for fit in asked.fits
        for rows, columns, depth in LIMITED
    ]
    calls += [(f"`{name}` 100000 × 12", name, 100_000, 12, 1) for name in SELECTIONS]
    for what, name, rows, columns, depth in calls:
        X, y = data(name, rows, columns)
        curves = (False,) if name.endswith("cv") else False
        settings = {"depth": depth, "depths": (depth,), "curves": curves}
        found = []
        for limit in LIMITS:
            call = Overtime(limit)
            try:
                with call:
                    if name in SELECTIONS:
                        SELECTIONS[name](X, y, time_limit=limit)
                    else:
                        fitted(name, X, y, time_limit=limit, **settings)
            except ValueError:
                continue  # as curves of too many features
            found.append(call)
        told = ", ".join(f"{call.seconds:.2f}" for call in found)
        cpu = ", ".join(f"{call.late_cpu:.2f}" for call in found)
        most = [max(LATE, LATE_SHARE * call.after) for call in found]
        yield (
            f"{what}; limits {LIMITS}",
            f"{told} s (CPU after the limit {cpu} s)",
            promised(
                all(call.late <= most for call, most in zip(found, most, strict=True)),
                all(call.late_cpu <= most for call, most in zip(found, most, strict=True)),
            ),
        )


def small(fit: str, n_threads: int | None = 1) -> str:
    """The bits of a small fit."""
    return bits(fitted(fit, *data(fit, 200, 4), n_threads=n_threads, **SMALL))


def in_child(method: str, fit: str) -> str:
    """The same in a process that is forked or spawned."""
    with multiprocessing.get_context(method).Pool(1) as pool:
        return pool.apply_async(small, (fit,)).get(600)  # on a machine that may be busy


def concurrency(asked: argparse.Namespace) -> Iterator[Row]:
    """Threads and processes give what one thread gives."""
    for fit in asked.fits:
        alone = small(fit)
        same = all(small(fit, threads) == alone for threads in (2, 4))
        yield f"`{fit}` on 1, 2 and 4 threads", "same bits" if same else "differs", promised(same)
        with ThreadPoolExecutor(24) as pool:
            same = set(pool.map(small, [fit] * 24)) == {alone}
        yield f"`{fit}` in 24 threads at once", "same bits" if same else "differs", promised(same)
        for method in ("fork", "spawn"):
            same = in_child(method, fit) == alone
            yield (
                f"`{fit}` in a process by {method}",
                "same bits" if same else "differs",
                promised(same),
            )
        same = set(joblib.Parallel(2)(joblib.delayed(small)(fit) for _ in range(4))) == {alone}
        yield f"`{fit}` in processes of loky", "same bits" if same else "differs", promised(same)


def invariance(asked: argparse.Namespace) -> Iterator[Row]:
    """The same rows in another order, unit, form or multiplicity make the same predictions."""

    def integers(X: np.ndarray) -> np.ndarray:
        return np.round(100 * X)

    changes: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "columns times 2^k": lambda X: X * 2.0 ** np.arange(-20, -20 + X.shape[1]),
        "columns shifted by integers": lambda X: X + 1000 * np.arange(1, 1 + X.shape[1]),
        "columns times 3": lambda X: X * 3,
    }
    for fit in asked.fits:
        differing: dict[str, int] = dict.fromkeys(
            [*changes, "rows in another order", "rows repeated", "Fortran order"], 0
        )
        seeds = range(6)
        for seed in seeds:
            X, y = data(fit, 120, 4, seed)
            X = integers(X)
            settings = SMALL | {"n_starts": 3, "random_state": seed}
            expected = fitted(fit, X, y, **settings).predict(X)

            def differs(model: Any, rows: np.ndarray, expected: np.ndarray = expected) -> int:
                return int(not close(model.predict(rows), expected))

            for name, change in changes.items():
                differing[name] += differs(fitted(fit, change(X), y, **settings), change(X))
            order = np.random.default_rng(seed).permutation(len(X))
            differing["rows in another order"] += differs(
                fitted(fit, X[order], y[order], **settings), X
            )
            weights = 1 + np.arange(len(X)) % 3
            repeated = fitted(fit, np.repeat(X, weights, axis=0), np.repeat(y, weights), **settings)
            weighted = fitted(fit, X, y, sample_weight=weights, **settings)
            differing["rows repeated"] += int(not close(repeated.predict(X), weighted.predict(X)))
            differing["Fortran order"] += differs(
                fitted(fit, np.asfortranarray(X), y, **settings), X
            )
        for name, count in differing.items():
            yield f"`{fit}`, {name}", f"{count} of {len(seeds)} fits differ", promised(count == 0)


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    """Equal but for rounding."""
    if found.dtype.kind == "f":
        return bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()))
    return bool((found == expected).all())


def memory() -> int:
    """Resident memory of this process, in KiB."""
    gc.collect()
    fields = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in fields if line.startswith("VmRSS"))


def soak(asked: argparse.Namespace) -> Iterator[Row]:
    """Fits, predictions, files, errors and interruptions over and over: memory stays flat."""
    began, rounds, early = time.monotonic(), 0, 0
    while time.monotonic() - began < asked.soak_seconds:
        for fit in asked.fits:
            X, y = data(fit, 200, 4, rounds % 7)
            model = fitted(fit, X, y, **SMALL, time_limit=0.5)
            model.predict(X)
            type(model).from_json(pickle.loads(pickle.dumps(model)).to_json())
            with contextlib.suppress(ValueError):
                fitted(fit, X[:3], y, n_starts=2)
        rounds += 1
        if time.monotonic() - began < 0.25 * asked.soak_seconds:
            early = memory()
    grown = memory() - early
    seconds = time.monotonic() - began
    memories = f"from {early >> 10} MiB after a quarter by {grown / 1024:+.1f} MiB"
    found = f"{rounds} rounds in {seconds:.0f} s; {memories}"
    yield "all fits, pickles, files and refusals", found, promised(grown < 16 << 10)


if __name__ == "__main__":
    main()
