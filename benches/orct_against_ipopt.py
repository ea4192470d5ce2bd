"""Time and objective of fit_orct against the papers' way: the same tree as one nonlinear program, solved by IPOPT."""

import argparse
import time
from itertools import count

import casadi as ca
import numpy as np

import softwood
from datasets import load, published_sets, split
from plain_orct import PLAIN_SETTINGS
from record import target, write_results
from reference_objective import equal_costs, min_max_scaled, value

DEPTH, GAMMA = 2, 512.0
B, L = 2**DEPTH - 1, 2**DEPTH
# Objectives closer than this are the same answer.
TIE = 1e-9


class IpoptTree:
    """The nonlinear program (2.8) over a, μ ∈ [−1, 1] and C ∈ [0, 1], built once and solved from many starts."""

    def __init__(self, X, y, n_classes, hessian, start_limit):
        self.X, self.n_classes = X, n_classes
        N, p = X.shape
        a, mu, C = ca.MX.sym("a", p, B), ca.MX.sym("mu", 1, B), ca.MX.sym("C", n_classes, L)
        # tanh, not 1/(1 + e^{-γz}): the latter overflows at γ = 512 and would hand IPOPT NaN derivatives.
        F = 0.5 * (1 + ca.tanh(0.5 * GAMMA * (ca.mtimes(ca.DM(X), a) / p - ca.repmat(mu, N, 1))))
        cost = ca.mtimes(ca.DM(equal_costs(n_classes)[y]), C)
        options = {
            "print_time": False,
            "ipopt.print_level": 0,
            "ipopt.sb": "yes",
            "ipopt.hessian_approximation": hessian,
            # IPOPT widens bounds by 1e-8 and may otherwise return a point outside the boxes.
            "ipopt.honor_original_bounds": "yes",
            "ipopt.max_cpu_time": start_limit,
        }
        program = {
            "x": ca.veccat(a, mu, C),
            "f": ca.sum1(ca.sum2(_leaf_probabilities(F) * cost)) / N,
            "g": ca.vertcat(ca.sum1(C).T, ca.sum2(C)),
        }
        self.solver = ca.nlpsol("orct", "ipopt", program, options)
        n_split_variables = (p + 1) * B
        self.low = np.concatenate([-np.ones(n_split_variables), np.zeros(n_classes * L)])
        self.high = np.ones(len(self.low))
        self.constraint_high = np.concatenate([np.ones(L), np.full(n_classes, np.inf)])

    def start(self, rng, intercepts):
        """A uniform point of the boxes; with intercepts="rows", μ_t moves to the split value of a random row."""
        x = rng.uniform(self.low, self.high)
        if intercepts == "rows":
            a, mu, _ = self.parts(x)
            rows = self.X[rng.integers(0, len(self.X), B)]
            mu[:] = np.einsum("bj,bj->b", rows, a) / self.X.shape[1]
        return x

    def solve(self, x):
        """(a, μ, C), the largest constraint violation and why IPOPT stopped."""
        answer = self.solver(x0=x, lbx=self.low, ubx=self.high, lbg=1, ubg=self.constraint_high)
        g = np.array(answer["g"]).ravel()
        violation = max(abs(g[:L] - 1).max(), (1 - g[L:]).max(), 0.0)
        return (
            self.parts(np.array(answer["x"]).ravel()),
            violation,
            self.solver.stats()["return_status"],
        )

    def parts(self, x):
        """Views of x as a (B, p), μ (B,) and C (K, L); CasADi stacks matrices column by column."""
        p = self.X.shape[1]
        a, mu, C = np.split(x, [B * p, B * (p + 1)])
        return a.reshape(B, p), mu, C.reshape(L, self.n_classes).T


def _leaf_probabilities(F):
    """P (N, L) as an expression of the left probabilities F (N, B)."""
    level, node = [1], count()
    for _ in range(DEPTH):
        f = [F[:, next(node)] for _ in level]
        level = [
            branch
            for reach, left in zip(level, f, strict=True)
            for branch in (reach * left, reach * (1 - left))
        ]
    return ca.horzcat(*level)


def run_ipopt(X, y, n_classes, arguments):
    """Seconds of all starts together, their objectives, the share of starts that IPOPT calls solved."""
    tree = IpoptTree(X, y, n_classes, arguments.hessian, arguments.start_limit)
    rng = np.random.default_rng(arguments.split)
    starts = [tree.start(rng, arguments.intercepts) for _ in range(arguments.starts)]
    began = time.perf_counter()
    answers = [tree.solve(x) for x in starts]
    seconds = time.perf_counter() - began
    objectives = np.array(
        [
            value(X, y, a, mu, equal_costs(n_classes) @ C, GAMMA) if violation <= 1e-6 else np.inf
            for (a, mu, C), violation, _ in answers
        ]
    )
    return seconds, objectives, np.mean([status == "Solve_Succeeded" for *_, status in answers])


def run_softwood(X, y, n_classes, n_starts, n_threads, seed):
    """Seconds of the call and the objective of its tree."""
    began = time.perf_counter()
    model = softwood.fit_orct(
        X,
        y,
        depth=DEPTH,
        **PLAIN_SETTINGS | {"gamma": GAMMA},
        n_starts=n_starts,
        n_threads=n_threads,
        random_state=seed,
    )
    seconds = time.perf_counter() - began
    # Idle splits are left out of the tree, so the objective comes from what it says of each row.
    labels = model.label_probabilities(X)
    return seconds, np.einsum("ik,ik->i", labels, equal_costs(n_classes)[y]).mean()


def reach(goal, max_starts, fit):
    """The fewest starts whose best tree is at or below the goal, and the seconds of that call; NaN if none is."""
    for n_starts in range(1, max_starts + 1):
        seconds, objective = fit(n_starts)
        if objective <= goal + TIE:
            return n_starts, seconds
    return np.nan, np.nan


def compare(folder, name, arguments):
    """One row of the result table."""
    X, y = load(folder, name)
    n_classes = y.max() + 1
    X, _, y, _ = split(X, y, arguments.split)
    # The split has shuffled the rows, so the first ones are a random sample.
    X, y = X[: arguments.max_rows], y[: arguments.max_rows]
    if len(np.unique(y)) < n_classes:
        raise SystemExit(
            f"{name}: the first {arguments.max_rows} training rows lack a class; raise --max-rows"
        )
    X = min_max_scaled(X)

    ipopt_seconds, ipopt, solved = run_ipopt(X, y, n_classes, arguments)
    best = ipopt.min()

    def fit(n_starts, n_threads=arguments.threads):
        return run_softwood(X, y, n_classes, n_starts, n_threads, arguments.split)

    fit(1)  # warm-up: the thread pool starts here
    seconds, objective = fit(arguments.starts)
    starts_needed, seconds_to_reach = reach(best, arguments.starts, fit)
    _, seconds_one_thread = reach(best, arguments.starts, lambda n_starts: fit(n_starts, 1))
    return {
        "dataset": name,
        "rows": len(X),
        "features": X.shape[1],
        "classes": n_classes,
        "ipopt_seconds": ipopt_seconds,
        "ipopt_best": best,
        "ipopt_median": np.median(ipopt),
        "ipopt_solved": solved,
        "softwood_seconds": seconds,
        "softwood_best": objective,
        "starts_to_reach": starts_needed,
        "seconds_to_reach": seconds_to_reach,
        "times_faster": ipopt_seconds / seconds_to_reach,
        "times_faster_one_thread": ipopt_seconds / seconds_one_thread,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", help="default: every published set in the folder")
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument(
        "--max-rows", type=int, default=2000, help="larger training sets are cut to this many rows"
    )
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument(
        "--threads",
        type=int,
        default=2,
        help="of softwood; IPOPT's starts run one after another on one core",
    )
    parser.add_argument("--hessian", choices=["exact", "limited-memory"], default="exact")
    parser.add_argument(
        "--start-limit",
        type=float,
        default=600.0,
        help="CPU seconds that IPOPT may spend on a start",
    )
    parser.add_argument(
        "--intercepts",
        choices=["box", "rows"],
        default="box",
        help="IPOPT's starting μ: uniform in the box, or inside the data",
    )
    parser.add_argument("--name", default="orct_against_ipopt", help="name of the result files")
    arguments = parser.parse_args()

    rows = []
    for name in published_sets(arguments.data_folder, arguments.sets):
        rows.append(compare(arguments.data_folder, name, arguments))
        print(rows[-1], flush=True)

    targets = [
        target(
            "largest softwood_best − ipopt_best over the sets",
            max(r["softwood_best"] - r["ipopt_best"] for r in rows),
            "<=",
            TIE,
        ),
        target(
            "smallest times_faster over the sets",
            np.min([r["times_faster"] for r in rows]),
            ">=",
            50,
        ),
    ]
    explanation = (
        f"{arguments.starts} starts each, depth {DEPTH}, γ = {GAMMA:g}, costs 0.5, training rows of split {arguments.split}; every objective is "
        "recomputed by the same NumPy function, IPOPT's with its labels C as returned. ipopt_seconds leaves out building the expression. "
        "seconds_to_reach is one fit_orct call with the fewest starts (starts_to_reach) whose tree is at or below ipopt_best; times_faster = ipopt_seconds ÷ seconds_to_reach."
    )
    write_results(
        arguments.name,
        "ORCT against IPOPT",
        rows,
        {"Result": rows, "How to read it": explanation, "Targets": targets},
        packages=("casadi", "scikit-learn"),
    )


if __name__ == "__main__":
    main()
