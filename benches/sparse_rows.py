"""Time and peak memory of fits and predictions on sparse rows, against the same rows made dense."""

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

from memory import MB, reset_peak, resident
from plain_orct import PLAIN_SETTINGS
from record import target, write_results

# A tenth of the dense form's time and memory is what we call a wide margin.
MARGIN = 0.1


def least(repeats, job):
    """Seconds of the quickest of some runs."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def measure(form, n, p, share, depth, scaling, starts, iterations, threads):
    """Runs in a fresh process: make X, then fit, evaluate and predict."""
    import numpy as np
    import scipy.sparse

    import softwood

    rng = np.random.default_rng(0)
    rows = rng.binomial(p, share, n)
    indptr = np.concatenate([[0], rows.cumsum()])
    indices = np.concatenate([np.sort(rng.choice(p, k, replace=False)) for k in rows])
    X = scipy.sparse.csr_array((rng.random(len(indices)), indices, indptr), shape=(n, p))
    score = X @ (rng.normal(size=p) * (np.arange(p) < 200))
    y = (score > np.median(score)).astype(np.int64)
    held = resident("VmRSS")
    if form == "dense":
        X = X.toarray()
    settings = PLAIN_SETTINGS | {
        "depth": depth,
        "scaling": scaling,
        "n_threads": threads,
        "n_starts": starts,
        "max_iter": iterations,
    }
    softwood.fit_orct(X[:1000], y[:1000], **settings)
    before = resident("VmRSS")
    reset_peak()
    model = softwood.fit_orct(X, y, **settings)
    peak = resident("VmHWM")
    objective = softwood.OrctObjective(
        X, y, [0, 1] * 2 ** (depth - 1), depth, scaling=scaling, n_threads=threads
    )
    theta = np.sin(np.arange(objective.dim))
    return {
        "form": form,
        "scaling": scaling,
        "nonzeros": len(indices),
        "fit_seconds": model.report.seconds,
        "evaluations": model.report.evaluations,
        "evaluation_ms": 1e3 * least(5, lambda: objective.value_and_gradient(theta)),
        "predict_ms": 1e3 * least(5, lambda: model.predict_proba(X, n_threads=threads)),
        "X_MB": (
            X.nbytes if form == "dense" else sum(a.nbytes for a in (X.data, X.indices, X.indptr))
        )
        / MB,
        "above_X_MB": (peak - before) / MB,
        "with_X_MB": (peak - held) / MB,
        "objective": model.report.objective,
        "accuracy": 100 * (model.predict(X) == y).mean(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=2_000)
    parser.add_argument("--share", type=float, default=0.01, help="of values that are not 0")
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--scalings", nargs="+", default=["minmax"])
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=20, help="max_iter of the fit")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()

    runs, targets = [], []
    for scaling in given.scalings:
        of_form = {}
        for form in ("sparse", "dense"):
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                of_form[form] = pool.submit(
                    measure,
                    form,
                    given.rows,
                    given.features,
                    given.share,
                    given.depth,
                    scaling,
                    given.starts,
                    given.iterations,
                    given.threads,
                ).result()
            runs.append(of_form[form])
        for what in ("fit_seconds", "evaluation_ms", "predict_ms", "with_X_MB"):
            ratio = of_form["sparse"][what] / of_form["dense"][what]
            targets.append(target(f"{scaling}: {what}, sparse / dense", ratio, "<=", MARGIN))
    write_results(
        "sparse_rows",
        f"Sparse rows, {given.rows} × {given.features}, {100 * given.share:g} % not 0",
        runs,
        {"Measured": runs, "Targets": targets},
        packages=("scipy",),
    )


if __name__ == "__main__":
    main()
