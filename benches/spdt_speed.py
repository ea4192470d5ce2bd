"""Exclusive or among noise, and rows of news20's size: error, time and memory of `fit_spdt`."""

import argparse
import json
import time

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from scipy.sparse import csr_matrix, diags
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import softwood
from memory import reset_peak, resident
from record import RESULTS, target, write_results
from runs import Runs

PACKAGES = ("scikit-learn", "scipy", "lightgbm")
NEWS20 = (20_000, 1_355_191, 9_000_000)
# Rows by columns of noise: as many as 2 GB of single precision hold.
ROWS = {200: 10_000, 1000: 10_000, 10_000: 10_000, 100_000: 2_000, 1_000_000: 500}
MOST_FOR_PEERS = 200
REPEATS = 2


def signs_agree(X):
    """Whether the first two columns have one sign."""
    return np.sign(X[:, 0]) == np.sign(X[:, 1])


def exclusive_or(rows, noise, seed):
    """Two normal columns whose signs agree or not, and uniform ones, dense, in single precision."""
    rng = np.random.default_rng(seed)
    X = np.empty((rows, noise + 2), np.float32)
    for i in range(rows):
        rng.random(out=X[i], dtype=np.float32)
    X[:, :2] = rng.normal(size=(rows, 2))
    return X, signs_agree(X)


def new_rows(rows, noise, columns):
    """New rows of which only the columns that a model uses are stored, beside the first two."""
    rng = np.random.default_rng(1)
    columns = np.union1d([0, 1], columns)
    X = np.hstack([rng.normal(size=(rows, 2)), rng.random((rows, len(columns) - 2))])
    starts = np.arange(rows + 1) * len(columns)
    stored = (X.ravel(), np.tile(columns, rows), starts)
    return csr_matrix(stored, (rows, noise + 2)), signs_agree(X)


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


def timed(work):
    """What `work` returns, its seconds and those of all cores."""
    wall, cores = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - wall, time.process_time() - cores


def run_exclusive_or(noise):
    """Test error of `fit_spdt`, and of others as far as they go."""
    rows = ROWS[noise]
    X, y = exclusive_or(rows, noise, 0)
    fit = {"C": 5.0, "budget": 1, "split_features": 2}
    model, seconds, cores = timed(lambda: softwood.fit_spdt(X, y, **fit))
    T, t = new_rows(2000, noise, model.features_)
    row = {
        "noise": noise,
        "rows": rows,
        "fit_spdt": 100 * float((model.predict(T) != t).mean()),
        "found": str(sorted({0, 1} & set(model.features_.tolist()))),
        "features": len(model.features_),
        "seconds": round(seconds, 1),
        "CPU seconds": round(cores, 1),
    }
    if noise > MOST_FOR_PEERS:
        return row
    peers = {
        "LinearSVC": LinearSVC(),
        "CART": DecisionTreeClassifier(random_state=0),
        "LightGBM": LGBMClassifier(verbose=-1, n_jobs=1, random_state=0),
        "random forest": RandomForestClassifier(100, random_state=0),
    }
    T, t = exclusive_or(2000, noise, 1)
    errors = {
        name: 100 * float((peer.fit(X, y).predict(T) != t).mean()) for name, peer in peers.items()
    }
    return row | errors


def run_words(part):
    """Time and memory, 1,000 features at most, beside LinearSVC."""
    rows, columns, stored = (size // part for size in NEWS20)
    X, y = words(rows, columns, stored, 0)
    fit = {"depth": 1, "C": 5.0, "budget": 100, "split_features": 1000, "tol": 0}
    before = resident("VmRSS")
    reset_peak()
    fits = [timed(lambda: softwood.fit_spdt(X, y, **fit)) for _ in range(REPEATS)]
    above = resident("VmHWM") - before
    peers = [timed(lambda: LinearSVC().fit(X, y)) for _ in range(REPEATS)]
    model = fits[0][0]
    return {
        "rows": rows,
        "columns": columns,
        "nonzeros": int(X.nnz),
        "features": len(model.features_),
        "seconds": min(one[1] for one in fits),
        "CPU seconds": min(one[2] for one in fits),
        "GB above X": above / 1e9,
        "LinearSVC seconds": min(one[1] for one in peers),
        "LinearSVC CPU seconds": min(one[2] for one in peers),
        "held-out errors, %": 100 * model.report.loss,
        "duality gap": model.report.optimality,
    }


def row_of(run):
    """What is printed of a run."""
    return run["row"]


def picture(noises):
    """Error by columns of noise."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 3.4))
    for name in ("fit_spdt", "LinearSVC", "CART", "LightGBM", "random forest"):
        shown = noises.dropna(subset=[name])
        axes.plot(shown["noise"], shown[name], marker="o", label=name)
    axes.axhline(5, color="grey", ls=":")
    axes.set(xscale="log", xlabel="columns of noise", ylabel="test error, %", ylim=(0, None))
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(RESULTS / "spdt_exclusive_or.png", dpi=110)


def main():
    """Measure what is not yet measured, then write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--noise", type=int, nargs="*", default=list(ROWS))
    parser.add_argument("--parts", type=int, nargs="*", default=[8, 4, 2, 1])
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--report", action="store_true", help="write the tables of runs there are")
    arguments = parser.parse_args()
    fields = ["part", "size", "row"]
    runs = Runs("spdt_speed_runs", fields[:2], fields, [], PACKAGES)
    planned = [
        (("words", k), lambda k=k: {"row": json.dumps(run_words(k))}) for k in arguments.parts
    ]
    planned += [
        (("noise", k), lambda k=k: {"row": json.dumps(run_exclusive_or(k))})
        for k in arguments.noise
    ]
    done = runs.read() if arguments.report else runs.carry_out(planned, arguments.resume, row_of)
    of = {
        part: [json.loads(one) for one in of_part["row"]] for part, of_part in done.groupby("part")
    }
    texts, noises = pd.DataFrame(of["words"]), pd.DataFrame(of["noise"]).sort_values("noise")
    texts = texts.sort_values("nonzeros")
    picture(noises)
    last = texts.iloc[-1]
    exponent = np.polyfit(np.log(texts["nonzeros"]), np.log(texts["CPU seconds"]), 1)[0]
    ratio = last["CPU seconds"] / last["LinearSVC CPU seconds"]
    targets = [
        target(
            "CPU seconds of all cores, 1,000 features of news20's size",
            last["CPU seconds"],
            "<=",
            10,
        ),
        target("GB above X", last["GB above X"], "<=", 1),
        target("exponent of CPU seconds by nonzeros", exponent, "<=", 1.1),
        *(
            target(f"error in %, {int(noise):,} columns of noise", error, "<=", 5)
            for noise, error in zip(noises["noise"], noises["fit_spdt"], strict=True)
        ),
    ]
    sections = {
        "Targets": targets,
        "Words": texts,
        "Beside LinearSVC": f"{ratio:.2f} times its CPU seconds at the largest size",
        "Exclusive or: test error in %": noises,
    }
    title = "Speed of sparse perceptron decision trees, and what they see among noise"
    write_results("spdt_speed", title, done, sections, PACKAGES)


if __name__ == "__main__":
    main()
