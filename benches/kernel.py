"""One value-and-gradient, and one predict_proba, on a million rows: against the machine's limits and against peers."""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import reference_objective
import softwood
from plain_orct import PLAIN_SETTINGS
from record import target, write_results

GAMMA, CLASSES = 512.0, 3
NUMPY_BLOCK = 4096
# Work pools of BLAS, OpenMP and XLA spin for a while after a call: let them fall asleep before the next contender.
PAUSE = 0.1
# How many times softwood's seconds a peer should take.
PEER_TARGETS = {"NumPy": 15, "PyTorch": 10, "JAX": 5, "predict_proba": 3}


def make_rows(n, p, rng):
    """X with every column spanning exactly [0, 1], so that min-max scaling is the identity, and y in three classes."""
    X = rng.random((n, p))
    X[0], X[1] = 0, 1
    score = X @ rng.uniform(-1, 1, p)
    return X, np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))


def make_theta(X, depth, rng):
    """Random splits that pass through the data: each intercept is the split value of a random row."""
    B, p = 2**depth - 1, X.shape[1]
    a = rng.uniform(-1, 1, (B, p))
    mu = np.einsum("bj,bj->b", X[rng.integers(0, len(X), B)], a) / p
    return np.concatenate([a.ravel(), mu])


def numpy_in_blocks(theta, X, y, class_leaf_cost):
    """The NumPy peer on blocks of rows that stay in cache."""
    loss, gradient = 0.0, np.zeros_like(theta)
    for first in range(0, len(X), NUMPY_BLOCK):
        rows = slice(first, first + NUMPY_BLOCK)
        share = len(X[rows]) / len(X)
        block_loss, block_gradient = reference_objective.value_and_gradient(
            theta, X[rows], y[rows], class_leaf_cost, GAMMA
        )
        loss += share * block_loss
        gradient += share * block_gradient
    return loss, gradient


def top_down(stack, F, V):
    """Mean cost by leaf probabilities, as the formula is written; F (N, B) and V (N, L) are arrays of either framework."""
    reach, first = 1, 0
    while first < F.shape[1]:
        f = F[:, first : 2 * first + 1]
        reach = stack((reach * f, reach * (1 - f)), -1).reshape(len(F), -1)
        first = 2 * first + 1
    return (reach * V).sum() / len(F)


def bottom_up(stack, F, V):
    """The same mean by folding the leaves' costs upwards: fewer products to differentiate."""
    while V.shape[1] > 1:
        half = V.shape[1] // 2
        f = F[:, half - 1 : 2 * half - 1]
        V = f * V[:, 0::2] + (1 - f) * V[:, 1::2]
    return V.sum() / len(F)


FORMS = {"": top_down, ", bottom-up form": bottom_up}


def torch_peers(theta, X, V, threads):
    """Autograd on tensors that share memory with X and the rows' leaf costs V (N, L)."""
    import torch

    torch.set_num_threads(threads)
    B, p = V.shape[1] - 1, X.shape[1]
    X, V = torch.from_numpy(X), torch.from_numpy(V)

    def peer(mean_cost):
        def call():
            t = torch.tensor(theta, requires_grad=True)
            F = torch.sigmoid(GAMMA * (X @ t[: B * p].reshape(B, p).T / p - t[B * p :]))
            loss = mean_cost(torch.stack, F, V)
            loss.backward()
            return loss.item(), t.grad.numpy()

        return call

    return {f"PyTorch autograd{name}": peer(form) for name, form in FORMS.items()}


def jax_peers(theta, X, V):
    """Compiled value_and_grad in double precision."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    B, p = V.shape[1] - 1, X.shape[1]
    data = jnp.asarray(X), jnp.asarray(V)

    def peer(mean_cost):
        def loss(t, X, V):
            F = jax.nn.sigmoid(GAMMA * (X @ t[: B * p].reshape(B, p).T / p - t[B * p :]))
            return mean_cost(jnp.stack, F, V)

        compiled = jax.jit(jax.value_and_grad(loss))

        def call():
            value, gradient = compiled(theta, *data)
            return float(value), np.asarray(gradient)

        return call

    return {f"JAX jit{name}": peer(form) for name, form in FORMS.items()}


def machine_limits(threads):
    """Calls whose seconds give the machine's limits: one read of 800 MB in several ways, one product of 3000×3000 matrices."""
    block = np.random.default_rng(1).random(100_000_000)
    # Small pieces: a thread that is held up does not hold up the other.
    pieces = np.split(block, 80)
    pool = ThreadPoolExecutor(threads)
    square = np.random.default_rng(2).random((3000, 3000))

    def reading(reduce):
        def call():
            with threadpool_limits(1, "blas"):
                list(pool.map(reduce, pieces))

        return call

    reads = {
        f"read 800 MB, {name}": reading(f)
        for name, f in {"dot": lambda v: np.dot(v, v), "sum": np.sum, "max": np.max}.items()
    }
    return reads, {"DGEMM n=3000": lambda: square @ square}


def interleaved(calls, rounds, calls_per_round):
    """Seconds of every timed call; all contenders take turns, so that noise of the machine hits everyone."""
    seconds = {name: [] for name in calls}
    for call in calls.values():
        call()  # untimed: compiles, starts threads, touches memory
    for _ in range(rounds):
        for name, call in calls.items():
            time.sleep(PAUSE)
            for _ in range(calls_per_round):
                began = time.perf_counter()
                call()
                seconds[name].append(time.perf_counter() - began)
    return seconds


def relative_difference(gradient, reference):
    return np.abs(gradient - reference).max() / np.abs(reference).max()


def measure_gradient(X, y, depth, threads, rounds, calls_per_round, limits):
    """One row per implementation and layout, with the machine's limits measured between them."""
    theta = make_theta(X, depth, np.random.default_rng(depth))
    B, L = 2**depth - 1, 2**depth
    leaf_labels = np.arange(L) % CLASSES
    class_leaf_cost = reference_objective.label_costs(leaf_labels, CLASSES)
    layouts = {
        "softwood": X,
        "softwood, Fortran order": np.asfortranarray(X),
        "softwood, float32": X.astype(np.float32),
        "softwood, float32, Fortran order": np.asfortranarray(X, dtype=np.float32),
    }

    def ours(rows):
        objective = softwood.OrctObjective(
            rows, y, leaf_labels, depth, gamma=GAMMA, scaling="minmax", n_threads=threads
        )
        return lambda: objective.value_and_gradient(theta)

    contenders = {
        **{name: ours(rows) for name, rows in layouts.items()},
        "NumPy whole arrays": lambda: reference_objective.value_and_gradient(
            theta, X, y, class_leaf_cost, GAMMA
        ),
        f"NumPy blocks of {NUMPY_BLOCK}": lambda: numpy_in_blocks(theta, X, y, class_leaf_cost),
        # JAX runs faster with every row's leaf costs at hand than when it looks them up; PyTorch hardly differs.
        **torch_peers(theta, X, class_leaf_cost[y], threads),
        **jax_peers(theta, X, class_leaf_cost[y]),
    }
    reference = {
        dtype: numpy_in_blocks(theta, X.astype(dtype).astype(float), y, class_leaf_cost)[1]
        for dtype in (np.float64, np.float32)
    }
    difference = {
        name: relative_difference(call()[1], reference[layouts.get(name, X).dtype.type])
        for name, call in contenders.items()
    }

    reads, products = limits
    seconds = interleaved({**reads, **products, **contenders}, rounds, calls_per_round)
    bandwidth = 8e8 / min(min(seconds[name]) for name in reads)
    flop_rate = 2 * 3000**3 / min(min(seconds[name]) for name in products)
    compute_seconds = 2 * 2 * X.shape[0] * X.shape[1] * B / flop_rate
    rows = [
        {"depth": depth, "implementation": name, **_best_and_median(seconds[name])}
        for name in (*reads, *products)
    ]
    ours_best = min(seconds["softwood"])
    for name in contenders:
        row = {
            "depth": depth,
            "implementation": name,
            **_best_and_median(seconds[name]),
            "gradient_difference": difference[name],
        }
        if name in layouts:
            limit = max(layouts[name].nbytes / bandwidth, compute_seconds)
            row |= {"machine_limit": limit, "over_limit": row["best_seconds"] / limit}
        else:
            row["times_softwood"] = row["best_seconds"] / ours_best
        rows.append(row)
    machine = {
        "depth": depth,
        "read GB/s": bandwidth / 1e9,
        "DGEMM GFLOP/s": flop_rate / 1e9,
        "bytes of X ÷ bandwidth": X.nbytes / bandwidth,
        "flops ÷ DGEMM rate": compute_seconds,
    }
    return rows, machine


def measure_prediction(X, y, depth, threads, rounds, calls_per_round):
    """predict_proba of trees of equal depth; scikit-learn reads float32 without a copy and converts float64."""
    few = slice(0, 20_000)
    settings = PLAIN_SETTINGS | {"n_starts": 1, "max_iter": 20, "n_threads": threads}
    tree = softwood.fit_orct(X[few], y[few], depth=depth, **settings)
    cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X[few], y[few])
    inputs = {"float64": X, "float32": X.astype(np.float32)}
    models = {"softwood": tree, "scikit-learn": cart}
    calls = {
        (name, dtype): partial(models[name].predict_proba, inputs[dtype])
        for dtype in inputs
        for name in models
    }
    seconds = interleaved(calls, rounds, calls_per_round)
    rows = []
    for (name, dtype), times in seconds.items():
        row = {
            "depth": depth,
            "implementation": f"predict_proba {name}, {dtype}",
            **_best_and_median(times),
        }
        if name == "scikit-learn":
            row["times_softwood"] = row["best_seconds"] / min(seconds["softwood", dtype])
        rows.append(row)
    return rows


def _best_and_median(seconds):
    return {"best_seconds": min(seconds), "median_seconds": float(np.median(seconds))}


def judge(rows):
    """At most twice the machine's limit, so many times faster than every form of each peer, and the same gradient."""
    targets = []
    for row in rows:
        at = f"depth {row['depth']}: {row['implementation']}"
        if row["implementation"] == "softwood":
            targets.append(target(f"{at} ÷ machine limit", row["over_limit"], "<=", 2))
        elif "times_softwood" in row:
            wanted = next(
                factor
                for peer, factor in PEER_TARGETS.items()
                if row["implementation"].startswith(peer)
            )
            targets.append(target(f"{at} ÷ softwood", row["times_softwood"], ">=", wanted))
    difference = max(row.get("gradient_difference", 0.0) for row in rows)
    return [*targets, target("largest gradient difference", difference, "<=", 1e-9)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=25)
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls-per-round", type=int, default=3)
    arguments = parser.parse_args()

    # XLA has no setting for its number of threads: it takes the cores it may run on.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    X, y = make_rows(arguments.rows, arguments.features, np.random.default_rng(0))
    timing = arguments.threads, arguments.rounds, arguments.calls_per_round
    gradient_rows, prediction_rows, machine = [], [], []
    with threadpool_limits(arguments.threads):
        limits = machine_limits(arguments.threads)
        for depth in arguments.depths:
            rows, limit = measure_gradient(X, y, depth, *timing, limits)
            gradient_rows += rows
            machine.append(limit)
        for depth in arguments.depths:
            prediction_rows += measure_prediction(X, y, depth, *timing)

    sections = {
        "Machine, best of the run": machine,
        "Value and gradient": gradient_rows,
        "Prediction": prediction_rows,
        "Targets": judge(gradient_rows + prediction_rows),
        "How to read it": (
            f"N = {arguments.rows:,}, p = {arguments.features}, {CLASSES} classes, γ = {GAMMA:g}, {arguments.threads} threads; "
            f"{arguments.rounds} rounds of {arguments.calls_per_round} calls each, contenders taking turns. Ratios use best times. "
            "machine_limit = max(bytes of X ÷ read bandwidth, flops of the two matrix products ÷ DGEMM rate). Peers get X already scaled, PyTorch and JAX also every row's leaf costs; "
            "softwood scales it in every call. gradient_difference is to NumPy in double precision, relative to the largest entry."
        ),
    }
    write_results(
        "kernel",
        "The kernel",
        gradient_rows + prediction_rows,
        sections,
        packages=("scikit-learn", "torch", "jax"),
    )


if __name__ == "__main__":
    main()
