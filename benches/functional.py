"""Trees on curves: table 5.2 by folds beside other methods, known intervals found again, length against error, time."""

import argparse
import time
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.interpolate import make_smoothing_spline
from scipy.optimize import minimize
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import softwood
from datasets import load_regression, published_sse
from record import target, write_results
from runs import Runs

PACKAGES = ("scikit-learn", "scipy")
KEY = ["dataset", "method", "intervals", "fold"]
RUNS = Runs("functional_runs", KEY, [*KEY, "sse", "seconds", "chosen"], ["chosen"], PACKAGES)
SETS = {"tecator": "tecator", "sugar_ex240": "sugar", "sugar_ex290": "sugar"}
ALPHAS = np.logspace(-6, 4, 21)
# Settings that folds of the training rows choose from, for each number of intervals.
CHOICES = {
    "derivatives": ([0], [1], [2], [0, 1]),
    "gammas": (32.0, 128.0),
    "ridges": (2e-5, 1e-3, 1e-2),
    "folds": 5,
}


def scaled(y):
    """Responses in [−1, 1], as the table has them."""
    return 2 * (y - y.min()) / (y.max() - y.min()) - 1


def peers(threads):
    """The other methods."""
    return {
        "ridge": lambda: make_pipeline(StandardScaler(), RidgeCV(ALPHAS)),
        "PCA + ridge": lambda: make_pipeline(PCA(20), StandardScaler(), RidgeCV(ALPHAS)),
        "forest": lambda: RandomForestRegressor(500, n_jobs=threads, random_state=0),
    }


def sse(predicted, y):
    return float(((predicted - y) ** 2).sum())


def run_mean(X_train, y_train, X_test, y_test):
    return {"sse": sse(y_train.mean(), y_test), "seconds": 0.0, "chosen": ""}


def run_peer(make, X_train, y_train, X_test, y_test):
    began = time.perf_counter()
    predicted = make().fit(X_train, y_train).predict(X_test)
    return {"sse": sse(predicted, y_test), "seconds": time.perf_counter() - began, "chosen": ""}


def run_tree(intervals, starts, threads, X_train, y_train, X_test, y_test):
    """One tree, its derivatives, steepness and ridge chosen on folds of the training rows: a race for this number of
    intervals alone, for in one with others it would be dropped before its settings are told apart."""
    began = time.perf_counter()
    few = softwood.fit_functional_orrt_cv(
        X_train, y_train, n_intervals=(intervals,), n_starts=6, n_threads=threads, **CHOICES
    )
    table = few.report.cross_validation
    best = table.candidates[table.chosen]
    model = softwood.fit_functional_orrt(
        X_train,
        y_train,
        n_intervals=intervals,
        derivatives=best.derivatives,
        gamma=best.gamma,
        ridge_leaves=best.ridge_leaves,
        n_starts=starts,
        n_threads=threads,
    )
    return {
        "sse": sse(model.predict(X_test), y_test),
        "seconds": time.perf_counter() - began,
        "chosen": f"{best.derivatives} {best.gamma:g} {best.ridge_leaves:g}",
    }


def folds_of(arguments):
    """How many of the ten folds of each set are run."""
    counts = arguments.folds * len(arguments.sets) if len(arguments.folds) == 1 else arguments.folds
    return dict(zip(arguments.sets, counts, strict=True))


def planned_runs(arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for name, count in folds_of(arguments).items():
        X, y = load_regression(arguments.data_folder, name)
        y = scaled(y)
        folds = KFold(10, shuffle=True, random_state=1).split(X)
        for fold, (train, test) in enumerate(islice(folds, count)):
            rows = X[train], y[train], X[test], y[test]
            yield (name, "mean", 0, fold), partial(run_mean, *rows)
            for method, make in peers(arguments.threads).items():
                yield (name, method, 0, fold), partial(run_peer, make, *rows)
            for intervals in range(1, arguments.intervals + 1):
                fit = partial(run_tree, intervals, arguments.starts, arguments.threads)
                yield (name, "tree", intervals, fold), partial(fit, *rows)


def table_of(runs):
    """One row per set and number of intervals beside the published figures and the other methods."""
    means = runs.groupby(["dataset", "method", "intervals"])["sse"].mean()
    published = published_sse().set_index(["dataset", "method"])
    rows = []
    for name in runs["dataset"].unique():
        of_tree = means[name, "tree"]
        for intervals in of_tree.index:
            row = {"dataset": name, "intervals": intervals, "tree": of_tree[intervals]}
            for depth in (1, 2):
                key = SETS[name], f"S-ORRT-FD D = {depth}"
                row[f"published D{depth}"] = float(published.loc[key, f"H{intervals}"])
            row |= {method: means[name, method, 0] for method in ("mean", *peers(1))}
            rows.append(row)
    return rows


def smooth_curves(rows, rng, points=100):
    """Curves of ten random Fourier terms on [0, 1]."""
    s = np.linspace(0, 1, points)
    waves = np.array([f(np.pi * k * s) for k in range(1, 11) for f in (np.sin, np.cos)])
    return s, rng.normal(size=(rows, len(waves))) @ waves


def recovery(draws, starts, threads):
    """Ends of two known intervals, found from the response at a signal-to-noise ratio of 5."""
    rows = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        s, curves = smooth_curves(300, rng)
        known = np.array([0.2, 0.35, 0.6, 0.8])
        inside = [(s >= known[0]) & (s <= known[1]), (s >= known[2]) & (s <= known[3])]
        signal = curves[:, inside[0]].mean(axis=1) - curves[:, inside[1]].mean(axis=1)
        y = signal + rng.normal(size=300) * np.sqrt(signal.var() / 5)
        model = softwood.fit_functional_orrt(
            curves, y, n_intervals=2, n_starts=starts, n_threads=threads, ridge_leaves=1e-3
        )
        rows.append({"draw": seed, "worst end": float(np.abs(model.ends - known).max())})
    return rows


def tradeoff(folder, starts, threads):
    """Length against error on all rows of tecator, ten intervals at most."""
    X, y = load_regression(folder, "tecator")
    y = scaled(y)
    rows = []
    for derivatives in ([0], [2]):
        for penalty in [0.0, *2.0 ** np.arange(-10, 1, 2)]:
            model = softwood.fit_functional_orrt(
                X, y, n_intervals=10, derivatives=derivatives, length_penalty=penalty,
                n_starts=starts, n_threads=threads,
            )  # fmt: skip
            mse = float(((model.predict(X) - y) ** 2).mean())
            rows.append(
                {
                    "derivatives": str(derivatives),
                    "penalty": penalty,
                    "unused": model.length_sparsity,
                    "mse": mse,
                }
            )
    return rows


class SlsqpTree:
    """The same tree as a nonlinear program for SciPy's SLSQP, as the thesis solves it: all variables at once."""

    def __init__(self, curves, y, intervals, gamma):
        self.H, self.gamma = intervals, gamma
        s = np.linspace(0, 1, curves.shape[1])
        self.y = (y - y.mean()) / y.std()
        centered = curves - curves.mean(axis=0)
        centered /= 4 * centered.std()
        splines = [make_smoothing_spline(s, row, lam=0) for row in centered]
        knots = np.linspace(0, 1, 1001)
        # Integrals and values on a fine grid, interpolated linearly: cheaper than splines.
        self.knots = knots
        self.values = np.array([spline(knots) for spline in splines])
        self.integrals = np.array([spline.antiderivative()(knots) for spline in splines])

    def at(self, table, ends):
        place = np.clip(ends, 0, 1) * (len(self.knots) - 1)
        below = np.minimum(place.astype(int), len(self.knots) - 2)
        share = place - below
        return table[:, below] * (1 - share) + table[:, below + 1] * share

    def value_and_gradient(self, x):
        H, n = self.H, len(self.y)
        a, mu, ends = x[:H], x[H], x[H + 1 : 3 * H + 1]
        beta, beta0 = x[3 * H + 1 : 5 * H + 1].reshape(2, H), x[5 * H + 1 :]
        lengths = np.maximum(ends[1::2] - ends[0::2], 1e-6)
        V, v = self.at(self.integrals, ends), self.at(self.values, ends)
        U = (V[:, 1::2] - V[:, 0::2]) / lengths
        p = 0.5 * (1 + np.tanh(0.5 * self.gamma * (U @ a - mu)))
        phi = U @ beta.T + beta0
        r = p * phi[:, 0] + (1 - p) * phi[:, 1] - self.y
        dz = 2 * r * (phi[:, 0] - phi[:, 1]) * self.gamma * p * (1 - p) / n
        left, right = 2 * r * p / n, 2 * r * (1 - p) / n
        dU = np.outer(dz, a) + np.outer(left, beta[0]) + np.outer(right, beta[1])
        dEnds = np.empty(2 * H)
        dEnds[0::2] = (dU * (U - v[:, 0::2]) / lengths).sum(axis=0)
        dEnds[1::2] = (dU * (v[:, 1::2] - U) / lengths).sum(axis=0)
        gradient = np.concatenate(
            [U.T @ dz, [-dz.sum()], dEnds, left @ U, right @ U, [left.sum(), right.sum()]]
        )
        return r @ r / n, gradient

    def solve(self, rng):
        H = self.H
        ends = np.sort(rng.uniform(size=2 * H))
        x = np.concatenate(
            [rng.uniform(-1, 1, H), rng.uniform(-0.5, 0.5, 1), ends, rng.uniform(-1, 1, 2 * H + 2)]
        )
        bounds = [(-1, 1)] * (H + 1) + [(0, 1)] * (2 * H) + [(None, None)] * (2 * H + 2)
        order = np.zeros((2 * H - 1, len(x)))
        for k in range(2 * H - 1):
            order[k, H + 1 + k], order[k, H + 2 + k] = -1, 1
        constraint = {"type": "ineq", "fun": lambda x: order @ x, "jac": lambda x: order}
        return minimize(
            self.value_and_gradient, x, jac=True, bounds=bounds, constraints=[constraint],
            method="SLSQP", options={"maxiter": 200, "ftol": 1e-7},
        )  # fmt: skip


def timed_tree(X, y, n_starts):
    """Loss on ten intervals and processor seconds of all ten numbers of intervals, on one thread."""
    began = time.process_time()
    model = softwood.fit_functional_orrt(
        X, y, n_intervals=10, n_starts=n_starts, n_threads=1, smoothing=0.0
    )
    return model.report.loss, time.process_time() - began


def speed(folder, starts):
    """Processor seconds of ten numbers of intervals on tecator, by SLSQP and by ours, each on one thread: as many starts,
    and as many of ours, of 1, 2, 4, …, as find a loss no higher than SLSQP's best on any number of intervals."""
    X, y = load_regression(folder, "tecator")
    y = scaled(y)
    rng = np.random.default_rng(0)
    began, least = time.process_time(), np.inf
    with threadpool_limits(1):
        for intervals in range(1, 11):
            problem = SlsqpTree(X, y, intervals, 128.0)
            least = min(least, *(problem.solve(rng).fun for _ in range(starts)))
    slsqp_seconds = time.process_time() - began
    loss, seconds = timed_tree(X, y, starts)
    few = 1
    while (found := timed_tree(X, y, few))[0] > least and few < starts:
        few *= 2
    return {
        "starts": starts,
        "seconds": seconds,
        "loss": loss,
        "SLSQP seconds": slsqp_seconds,
        "SLSQP loss, best of all": least,
        "ratio": slsqp_seconds / seconds,
        "starts to a loss no higher": few,
        "its loss": found[0],
        "its seconds": found[1],
        "ratio to a loss no higher": slsqp_seconds / found[1] if found[0] <= least else np.nan,
    }


def judge(table, recovered, tradeoffs, times):
    """The targets."""
    targets = []
    for name in sorted({row["dataset"] for row in table}):
        group = [row for row in table if row["dataset"] == name]
        for row in group:
            published = min(row["published D1"], row["published D2"])
            what = f"{name}, {row['intervals']} intervals: SSE by the published best of both depths"
            targets.append(target(what, row["tree"] / published, "<=", 1))
    found = sum(row["worst end"] <= 0.02 for row in recovered)
    targets.append(
        target(
            f"draws of {len(recovered)} with all ends within 0.02",
            found,
            ">=",
            0.9 * len(recovered),
        )
    )
    short = [row["mse"] for row in tradeoffs if row["unused"] >= 95]
    targets.append(
        target("tecator: least MSE with 95 % unused", min(short, default=np.inf), "<=", 0.016)
    )
    targets.append(target("SLSQP's time by ours, as many starts", times["ratio"], ">=", 50))
    what = "SLSQP's time by ours, to a loss no higher"
    targets.append(target(what, times["ratio to a loss no higher"], ">=", 50))
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=["tecator", "sugar_ex240"], choices=list(SETS))
    parser.add_argument(
        "--folds", type=int, nargs="+", default=[10],
        help="the first so many of ten, of all sets or of each",
    )  # fmt: skip
    parser.add_argument("--intervals", type=int, default=5)
    parser.add_argument("--starts", type=int, default=30)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--speed-starts", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    arguments = parser.parse_args()
    runs = RUNS.carry_out(
        planned_runs(arguments),
        arguments.resume,
        lambda row: f"{row['sse']:.4f} {row['seconds']:.1f} s {row['chosen']}",
    )
    recovered = recovery(arguments.draws, 30, arguments.threads)
    print(pd.DataFrame(recovered), flush=True)
    tradeoffs = tradeoff(arguments.data_folder, 4, arguments.threads)
    print(pd.DataFrame(tradeoffs), flush=True)
    times = speed(arguments.data_folder, arguments.speed_starts)
    print(times, flush=True)
    table = table_of(runs)
    told = ", ".join(f"{count} of {name}" for name, count in folds_of(arguments).items())
    explanation = (
        f"SSE: mean over the first of ten test folds ({told}) of the sum of squared errors, y in [−1, 1]. tree: depth 1, "
        "derivatives, steepness and ridge chosen for each number of intervals on five folds of the training rows (`fit_functional_orrt_cv`). published: table 5.2 of the thesis, on folds of its own, which chose nothing. "
        "mean predicts the mean of the training rows. Time is that of the processor, of one thread each, in one run."
    )
    sections = {
        "Targets": judge(table, recovered, tradeoffs, times),
        "Sum of squared errors": table,
        "Known intervals": recovered,
        "Length against error, tecator": tradeoffs,
        "Time": [times],
        "How to read it": explanation,
    }
    write_results("functional", "Trees on curves", table, sections, PACKAGES)


if __name__ == "__main__":
    main()
