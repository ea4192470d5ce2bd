"""Peak resident memory of a fit, above the rows it is given, against 10 % of those rows plus 200 MB."""

import argparse
import contextlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from record import target, write_results

MB = 1e6


def resident(field):
    """VmRSS (now) or VmHWM (peak) of this process, in bytes."""
    line = next(
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith(field)
    )
    return int(line.split()[1]) * 1024


def reset_peak():
    """Let VmHWM start again from now; where the kernel forbids it, the peak read later is an upper bound."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def measure(n, p, depth, scaling, starts, iterations, time_limit, threads):
    """Runs in a fresh process: make X in place, warm up, then fit once and read the peak."""
    import numpy as np

    import softwood
    from plain_orct import PLAIN_SETTINGS

    rng = np.random.default_rng(0)
    X = np.empty((n, p))
    rng.random(out=X)
    y = (X[:, 0] + X[:, 1] > 1).astype(np.int64)
    settings = PLAIN_SETTINGS | {
        "depth": depth,
        "scaling": scaling,
        "n_threads": threads,
        "n_starts": starts,
        "max_iter": iterations,
    }
    softwood.fit_orct(X[:1000].copy(), y[:1000], **settings)
    before = resident("VmRSS")
    reset_peak()
    model = softwood.fit_orct(X, y, **settings, time_limit=time_limit)
    return {
        "rows": n,
        "features": p,
        "depth": depth,
        "scaling": scaling,
        "seconds": model.report.seconds,
        "status": str(model.report.status),
        "X_MB": X.nbytes / MB,
        "before_fit_MB": before / MB,
        "above_MB": (resident("VmHWM") - before) / MB,
        "allowed_MB": 0.1 * X.nbytes / MB + 200,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--features", type=int, default=25)
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--scalings", nargs="+", default=["minmax", "quantile"])
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=10, help="max_iter of the fit")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds a fit may take")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    rows = []
    for depth in arguments.depths:
        for scaling in arguments.scalings:
            # A process per measurement: memory that an earlier fit left behind must not hide in the baseline.
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as child:
                rows.append(
                    child.submit(
                        measure,
                        arguments.rows,
                        arguments.features,
                        depth,
                        scaling,
                        arguments.starts,
                        arguments.iterations,
                        arguments.time_limit,
                        arguments.threads,
                    ).result()
                )
            print(rows[-1], flush=True)

    targets = [
        target(
            f"MB above X, depth {r['depth']}, {r['scaling']}", r["above_MB"], "<=", r["allowed_MB"]
        )
        for r in rows
    ]
    write_results("memory", "Memory of a fit", rows, {"Result": rows, "Targets": targets})


if __name__ == "__main__":
    main()
