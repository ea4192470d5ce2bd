"""Exclusive or among noise, and rows of news20's size: error, time and memory of `fit_spdt`."""

import argparse
import resource
import time

import numpy as np
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.svm import LinearSVC

import softwood
from record import target, write_results

PACKAGES = ("scikit-learn", "scipy")
NEWS20 = (20_000, 1_355_191, 9_000_000)


def exclusive_or(rows, noise, seed):
    """Two normal columns whose signs agree or not, and uniform ones; beyond 10⁴ sparse, 1 % stored."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(rows, 2))
    y = np.sign(first[:, 0]) == np.sign(first[:, 1])
    if noise <= 10_000:
        return np.hstack([first, rng.random((rows, noise))]), y
    count = rng.poisson(0.01 * noise, rows)
    columns = rng.integers(0, noise, count.sum())
    starts = np.concatenate([[0], count.cumsum()])
    others = csr_matrix((rng.random(count.sum()), columns, starts), (rows, noise))
    others.sum_duplicates()
    return hstack([csr_matrix(first), others], format="csr"), y


def words(rows, columns, stored, seed):
    """Normalized rows of words, few of them frequent; 2,000 of the frequent ones tell the class, with noise."""
    rng = np.random.default_rng(seed)
    count = np.maximum(1, rng.poisson(stored / rows, rows))
    drawn = (columns * rng.random(count.sum()) ** 6).astype(np.int64)
    starts = np.concatenate([[0], count.cumsum()])
    X = csr_matrix((np.ones(count.sum()), drawn, starts), (rows, columns))
    X.sum_duplicates()
    X.data[:] = 1.0
    X = (diags(1 / np.sqrt(X.getnnz(axis=1))) @ X).tocsr()
    weights = np.zeros(columns)
    weights[rng.choice(min(20_000, columns), 2000, replace=False)] = rng.normal(size=2000)
    sums = X @ weights
    return X, sums + 0.3 * sums.std() * rng.normal(size=rows) > 0


def peak():
    """Largest memory of the process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def time_of(work):
    """What `work` returns, and its seconds."""
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def measure_exclusive_or(noises):
    """Test error by the number of noise columns."""
    for noise in noises:
        rows = 10_000 if noise <= 10_000 else 2_000
        X, y = exclusive_or(rows, noise, 0)
        T, t = exclusive_or(2_000, noise, 1)
        fit = {"C": 5.0, "budget": 1, "split_features": 2}
        model, seconds = time_of(lambda X=X, y=y: softwood.fit_spdt(X, y, **fit))
        found = sorted({0, 1} & set(model.features_.tolist()))
        yield {
            "noise": noise,
            "rows": rows,
            "error": 100 * (model.predict(T) != t).mean(),
            "found": str(found),
            "features": len(model.features_),
            "seconds": seconds,
        }


def measure_words(sizes):
    """Time by the number of nonzeros, 1,000 features at most, beside LinearSVC."""
    for rows, columns, stored in sizes:
        X, y = words(rows, columns, stored, 0)
        before = peak()
        fit = {"depth": 1, "C": 5.0, "budget": 100, "split_features": 1000, "tol": 0}
        model, seconds = time_of(lambda X=X, y=y: softwood.fit_spdt(X, y, **fit))
        above = peak() - before
        _, svc = time_of(lambda X=X, y=y: LinearSVC().fit(X, y))
        yield {
            "rows": rows,
            "columns": columns,
            "nonzeros": X.nnz,
            "features": len(model.features_),
            "seconds": seconds,
            "GB above X": above,
            "LinearSVC seconds": svc,
            "held-out errors, %": 100 * model.report.loss,
            "duality gap": model.report.optimality,
        }


def main():
    """Measure, then write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--noise", type=int, nargs="*", default=[200, 1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--parts", type=int, nargs="*", default=[8, 4, 2, 1])
    arguments = parser.parse_args()
    rows, columns, stored = NEWS20
    sizes = [(rows // part, columns // part, stored // part) for part in arguments.parts]
    of_words = list(measure_words(sizes))
    of_noise = list(measure_exclusive_or(arguments.noise))
    last = of_words[-1]
    logs = np.log([[w["nonzeros"], w["seconds"]] for w in of_words])
    exponent = np.polyfit(*logs.T, 1)[0] if len(of_words) > 1 else np.nan
    targets = [
        target("seconds, 1,000 features of news20's size", last["seconds"], "<=", 10),
        target("GB above X", last["GB above X"], "<=", 1),
        target("exponent of time by nonzeros", exponent, "<=", 1.1),
    ]
    targets += [
        target(f"error in %, {w['noise']:,} noise columns", w["error"], "<=", 5) for w in of_noise
    ]
    sections = {"Targets": targets, "Exclusive or": of_noise, "Words": of_words}
    title = "Speed of sparse perceptron decision trees, and what they see among noise"
    write_results("spdt_speed", title, of_noise + of_words, sections, PACKAGES)


if __name__ == "__main__":
    main()
