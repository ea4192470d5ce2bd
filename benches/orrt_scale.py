"""Seconds that fit_orrt takes to an error 30 % below CART's, as rows grow from 10⁵ to 10⁷: the thesis' simulation."""

import argparse
import math
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from memory import MB, reset_peak, resident
from record import target, write_results

PACKAGES = ("scikit-learn",)
FEATURES = 25
NOISE_VARIANCE = 0.5
# CART's error hardly depends on the number of rows, and its time does.
CART_ROWS = 1_000_000
# Rows that errors are computed on, new ones.
TEST_ROWS = 200_000


def draw(n, seed):
    """Two groups, apart in X1 and X2, each with a linear response of its own; the other features uniform."""
    import numpy as np

    rng = np.random.default_rng(seed)
    X = np.empty((n, FEATURES))
    rng.random(out=X)
    first = rng.random(n) < 0.5
    deviations = np.sqrt([0.005, 0.00375])
    for j, (one, other) in enumerate([(0.5, 0.25), (0.75, 0.5)]):
        X[:, j] = np.where(first, one, other) + deviations[j] * rng.standard_normal(n)
    y = np.where(first, X[:, 2] + 2 * X[:, 3] + 5, -X[:, 4] - 2 * X[:, 5] - 5)
    y += math.sqrt(NOISE_VARIANCE) * rng.standard_normal(n)
    return X, y


def measure(n, seed, threads):
    """In a fresh process: CART's error, then the fit, its error, its seconds and its peak memory above X and y."""
    import softwood

    X, y = draw(n, seed)
    X_test, y_test = draw(TEST_ROWS, seed + 1000)
    softwood.fit_orrt(X[:2000].copy(), y[:2000], depth=1, n_threads=threads)
    before = resident("VmRSS")
    reset_peak()
    began, worked = time.perf_counter(), time.process_time()
    model = softwood.fit_orrt(X, y, depth=1, random_state=seed, n_threads=threads)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    above = resident("VmHWM") - before
    error = ((model.predict(X_test) - y_test) ** 2).mean()
    cart = cart_error(X, y, X_test, y_test)
    return {
        "rows": n,
        "seed": seed,
        "seconds": seconds,
        "cpu_seconds": worked,
        "mse": error,
        "cart_mse": cart,
        "ratio": error / cart,
        "status": model.report.status,
        "above_MB": above / MB,
    }


def cart_error(X, y, X_test, y_test):
    """With rpart's default pruning: every split lowers the error of all rows by 1 % of its first value."""
    from sklearn.tree import DecisionTreeRegressor

    X, y = X[:CART_ROWS], y[:CART_ROWS]
    least = 0.01 * y.var()
    cart = DecisionTreeRegressor(min_impurity_decrease=least, min_samples_leaf=7, random_state=0)
    return ((cart.fit(X, y).predict(X_test) - y_test) ** 2).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--repeats", type=int, nargs="+", default=[3, 3, 1])
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    rows = []
    for n, repeats in zip(arguments.rows, arguments.repeats, strict=True):
        for seed in range(repeats):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
                rows.append(fresh.submit(measure, n, seed, arguments.threads).result())
            print(rows[-1], flush=True)
    # Of the processor: on a busy machine the clock tells more of the other programs.
    means = {
        n: sum(row["cpu_seconds"] for row in rows if row["rows"] == n) / repeats
        for n, repeats in zip(arguments.rows, arguments.repeats, strict=True)
    }
    targets = [
        target("largest ratio of the error to CART's", max(r["ratio"] for r in rows), "<=", 0.7)
    ]
    sizes = sorted(means)
    if len(sizes) > 1:
        growth = math.log(means[sizes[-1]] / means[sizes[0]]) / math.log(sizes[-1] / sizes[0])
        what = f"exponent of the processor's seconds from {sizes[0]:g} to {sizes[-1]:g} rows"
        targets.append(target(what, growth, "<=", 1.05))
    largest = [row for row in rows if row["rows"] == 10_000_000]
    for row in largest:
        targets.append(target("seconds at 10⁷ rows", row["seconds"], "<=", 120))
        on_idle = row["cpu_seconds"] / arguments.threads
        what = f"the processor's seconds at 10⁷ rows, by {arguments.threads} threads"
        targets.append(target(what, on_idle, "<=", 120))
        targets.append(
            target("peak memory at 10⁷ rows above X and y, MB", row["above_MB"], "<=", 1000)
        )
    explanation = (
        f"p = {FEATURES}, depth 1, defaults, {arguments.threads} threads, other programs at work: seconds are upper "
        f"bounds. N(0, 0.5) is taken to have variance {NOISE_VARIANCE}. Errors are those on {TEST_ROWS} new rows; CART "
        f"is fitted to {CART_ROWS} rows at most, with rpart's default complexity of 0.01. The thesis first solves "
        "with X1 and X2 alone; here all features are used from the start, on a sample of rows."
    )
    sections = {"Targets": targets, "Every fit": rows, "How to read it": explanation}
    write_results("orrt_scale", "ORRT on many rows", rows, sections, PACKAGES)


if __name__ == "__main__":
    main()
