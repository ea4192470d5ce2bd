"""Time of fit_srt: against SLSQP on the same objective, on Friedman's data, as rows grow, and of predictions."""

import argparse
import time
from functools import partial

import numpy as np
from numba import njit
from scipy.optimize import minimize
from sklearn.tree import DecisionTreeRegressor

import softwood
from datasets import folds, friedman, load_regression
from record import target, write_results
from reference_objective import min_max_scaled

PACKAGES = ("scipy", "numba", "scikit-learn")
PAPER_SETS = ("compactiv", "puma32h")
# Objectives closer than this are the same answer.
TIE = 1e-9
# λ_ω N p² and λ_β N of the comparison with SLSQP.
RIDGE_BRANCHES, RIDGE_LEAVES = 0.03, 0.1


@njit(cache=False)
def value_and_gradient(x, U, y, depth, ridge_branches, ridge_leaves):
    """(7) and its gradient at x = (ω: B × (p+1), β: L × (p+1)), intercepts last; one sweep down and up per row."""
    N, p = U.shape
    B, L = 2**depth - 1, 2**depth
    omega, beta = x[: B * (p + 1)].reshape(B, p + 1), x[B * (p + 1) :].reshape(L, p + 1)
    g = np.zeros_like(x)
    g_omega, g_beta = g[: B * (p + 1)].reshape(B, p + 1), g[B * (p + 1) :].reshape(L, p + 1)
    left, reach, V = np.empty(B), np.empty(B + L), np.empty(B + L)
    total = 0.0
    for i in range(N):
        reach[0] = 1.0
        for t in range(B):
            z = omega[t, p]
            for j in range(p):
                z += omega[t, j] * U[i, j] / p
            left[t] = 1 / (1 + np.exp(-z))
            reach[2 * t + 1], reach[2 * t + 2] = reach[t] * left[t], reach[t] * (1 - left[t])
        for leaf in range(L):
            error = beta[leaf, p] - y[i]
            for j in range(p):
                error += beta[leaf, j] * U[i, j]
            V[B + leaf] = error * error
            d = 2 * reach[B + leaf] * error / N
            for j in range(p):
                g_beta[leaf, j] += d * U[i, j]
            g_beta[leaf, p] += d
        for t in range(B - 1, -1, -1):
            V[t] = left[t] * V[2 * t + 1] + (1 - left[t]) * V[2 * t + 2]
            d = reach[t] * left[t] * (1 - left[t]) * (V[2 * t + 1] - V[2 * t + 2]) / N
            for j in range(p):
                g_omega[t, j] += d * U[i, j] / p
            g_omega[t, p] += d
        total += V[0] / N
    total += 0.5 * ridge_branches * (omega**2).sum() + 0.5 * ridge_leaves * (beta**2).sum()
    g_omega += ridge_branches * omega
    g_beta += ridge_leaves * beta
    return total, g


def without_trend(X, y):
    """What the linear regression of all rows leaves of the response, in units of its mean square."""
    # To it all leaf models are drawn.
    trend = softwood.fit_srt(X, y, depth=1, n_starts=1, macro_iterations=1, ridge_leaves=1e12)
    left = y - trend.predict(X)
    return left / np.sqrt((left**2).mean())


def efforts():
    """Settings of fit_srt from the least effort to the default one."""
    for macro_iterations in (1, 2, 3, 5, 8, 12, 20):
        yield {"n_starts": 1, "macro_iterations": macro_iterations}
    for starts in (2, 4, 8):
        yield {"n_starts": starts, "macro_iterations": 20}


def against_slsqp(folder, name, depth, threads, max_iterations, tolerances):
    """A row for each of SLSQP's tolerances: it from one random start, and fit_srt with the least effort that ends no higher, on the training rows of the first fold."""
    X, y = load_regression(folder, name)
    rows = folds(X)[0][0]
    X, y = X[rows], y[rows]
    N, p = X.shape
    ridges = {"ridge_branches": RIDGE_BRANCHES / (N * p**2), "ridge_leaves": RIDGE_LEAVES / N}
    fits = []
    for effort in efforts():
        fit = partial(softwood.fit_srt, X, y, depth=depth, n_threads=threads, **effort, **ridges)
        fits.append((effort, fit().report.objective, best_seconds(fit, 3)))
    U = min_max_scaled(X)
    arguments = (U, without_trend(X, y), depth, *ridges.values())
    start = np.random.default_rng(0).uniform(-1, 1, (p + 1) * (2 ** (depth + 1) - 1))
    value_and_gradient(start, U[:9], *arguments[1:])  # compiles
    rows = []
    for tolerance in tolerances:
        began = time.perf_counter()
        answer = minimize(
            value_and_gradient,
            start,
            arguments,
            method="SLSQP",
            jac=True,
            options={"maxiter": max_iterations, "ftol": tolerance},
        )
        slsqp_seconds = time.perf_counter() - began
        reaching = (fit for fit in fits if fit[1] <= answer.fun + TIE)
        effort, objective, seconds = next(reaching, fits[-1])
        rows.append(
            {
                "dataset": name,
                "depth": depth,
                "variables": len(start),
                "slsqp_tolerance": tolerance,
                "slsqp_seconds": slsqp_seconds,
                "slsqp_iterations": answer.nit,
                "slsqp_objective": answer.fun,
                **effort,
                "seconds": seconds,
                "objective": objective,
                "times_faster": slsqp_seconds / seconds,
                "default_seconds": fits[-1][2],
                "default_objective": fits[-1][1],
            }
        )
    return rows


def best_seconds(call, repeats):
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def growth(sizes, threads):
    """Seconds of a fit of fixed effort for each number of rows."""
    rows = []
    for size in sizes:
        X, y = friedman(size)

        def fit(X=X, y=y):
            softwood.fit_srt(
                X, y, depth=2, n_starts=1, macro_iterations=2, n_threads=threads, ridge_leaves=1e-6
            )

        rows.append({"rows": size, "seconds": best_seconds(fit, 2)})
    return rows


def predictions(rounds):
    """Seconds of predicting a million rows, contenders taking turns."""
    X, y = friedman(1_000_000)
    few = slice(0, 20_000)
    tree = softwood.fit_srt(X[few], y[few], depth=3, n_starts=1, macro_iterations=2)
    cart = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X[few], y[few])
    rows = []
    for dtype in (np.float64, np.float32):
        rows_of = X.astype(dtype)
        seconds = {"softwood": [], "scikit-learn": []}
        for _ in range(rounds):
            for name, model in (("softwood", tree), ("scikit-learn", cart)):
                seconds[name].append(best_seconds(partial(model.predict, rows_of), 1))
        rows += [
            {"what": f"{name}, {np.dtype(dtype).name}", "seconds": min(times)}
            for name, times in seconds.items()
        ]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3], help="against SLSQP")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--max-iterations", type=int, default=5000, help="of SLSQP")
    parser.add_argument(
        "--tolerances",
        type=float,
        nargs="+",
        default=[1e-6, 1e-12],
        help="of SLSQP, SciPy's default first",
    )
    arguments = parser.parse_args()

    X, y = friedman(40768)
    fits = [
        {
            "depth": depth,
            "seconds": best_seconds(
                lambda d=depth: softwood.fit_srt(X, y, depth=d, n_threads=arguments.threads), 2
            ),
        }
        for depth in (2, 3)
    ]
    rows = growth(arguments.sizes, arguments.threads)
    spread = np.log(rows[-1]["seconds"] / rows[0]["seconds"])
    exponent = spread / np.log(rows[-1]["rows"] / rows[0]["rows"])
    predicted = predictions(7)
    slsqp = [
        row
        for depth in arguments.depths
        for name in PAPER_SETS
        for row in against_slsqp(
            arguments.data_folder,
            name,
            depth,
            arguments.threads,
            arguments.max_iterations,
            arguments.tolerances,
        )
    ]
    seconds = {row["what"]: row["seconds"] for row in predicted}
    targets = [target("Friedman 40,768 × 10, depth 3: seconds", fits[1]["seconds"], "<=", 2)]
    targets.append(target("exponent of time in rows", exponent, "<=", 1.1))
    for dtype in ("float64", "float32"):
        ratio = seconds[f"scikit-learn, {dtype}"] / seconds[f"softwood, {dtype}"]
        targets.append(target(f"predict {dtype}: DecisionTreeRegressor ÷ softwood", ratio, ">=", 1))
    for row in slsqp:
        at = f"{row['dataset']}, depth {row['depth']}, tolerance {row['slsqp_tolerance']:g}"
        excess = row["objective"] - row["slsqp_objective"]
        targets.append(target(f"{at}: SLSQP ÷ softwood", row["times_faster"], ">=", 100))
        targets.append(target(f"{at}: objective minus SLSQP's", excess, "<=", TIE))
    sections = {
        "Targets": targets,
        "Against SLSQP": slsqp,
        "Friedman": fits,
        "Growth": rows,
        "Prediction of a million rows": predicted,
        "How to read it": (
            f"{arguments.threads} threads. SLSQP (SciPy, one start, one core, objective and gradient compiled by numba, at most {arguments.max_iterations} iterations) minimizes (7) with softwood's penalties over splits and leaves at once. "
            "seconds: fit_srt with the least effort, in starts and macro-iterations, that ends no higher than SLSQP, or else the default one; best of three. At SciPy's default tolerance SLSQP ends near objective 1, the linear regression. Growth: depth 2, one start, two macro-iterations on Friedman's data. Best times."
        ),
    }
    write_results("srt_speed", "Speed of SRT", slsqp, sections, PACKAGES)


if __name__ == "__main__":
    main()
