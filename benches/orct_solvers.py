"""Objective and test accuracy against time of the solvers of fit_orct, beside the published savings of S-NB-DEC."""

import argparse
import time
import warnings
from functools import partial
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

import softwood
from datasets import PUBLISHED, load
from plain_orct import PLAIN_SETTINGS
from record import RESULTS, target, write_results
from runs import Runs
from softwood.warnings import LimitWarning

SOLVERS = ("full", "convergent", "nodes")
# The least depth with a leaf for every class.
DEPTHS = {"image_segmentation": 3}
# Iterations of a run at most: a macro-iteration of nodes takes 10 of each node.
BUDGETS = (10, 20, 40, 80, 1000)
# Growth from the root ends in one stage without regrowths: k macro-iterations are the first k of any more.
TRACE_DEPTH = 5
TRACED = tuple(10 * k for k in range(1, 11))
PACKAGES = ("scikit-learn",)
KEY = ["dataset", "solver", "depth", "iterations", "fold", "start"]
NUMBERS = ["objective", "accuracy", "cpu_seconds"]
RUNS = Runs("orct_solvers_runs", KEY, [*KEY, *NUMBERS], NUMBERS, PACKAGES)


def published():
    """One row per dataset: λ_0^G of the summed loss and the savings."""
    return pd.read_csv(PUBLISHED / "s_nb_dec.csv", comment="#")


def run(X, y, parts, lambda0, solver, depth, iterations, start):
    """One start on one thread; the paper's penalty on features is on the summed loss, ours on the mean."""
    train, test = parts
    settings = PLAIN_SETTINGS | {
        "max_iter": iterations,
        "global_penalty": lambda0 / len(train),
        "penalty_shape": "exp",
        "split_penalty": 0.0,
    }
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = softwood.fit_orct(
            X[train],
            y[train],
            depth,
            solver=solver,
            n_starts=1,
            n_threads=1,
            random_state=start,
            **settings,
        )
    return {
        "cpu_seconds": time.process_time() - began,
        "objective": model.report.objective,
        "accuracy": 100 * np.mean(model.predict(X[test]) == y[test]),
    }


def planned_runs(arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for line in published().itertuples():
        if line.dataset not in arguments.sets:
            continue
        X, y = load(arguments.data_folder, line.dataset, levels="all")
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
        depth = DEPTHS.get(line.dataset, 2)
        tried = [(s, depth, n) for s in SOLVERS for n in BUDGETS]
        traced = [("nodes", TRACE_DEPTH, n) for n in TRACED]
        for fold, start in product(range(arguments.folds), range(arguments.starts)):
            for solver, at, iterations in tried + (traced if fold == start == 0 else []):
                yield (
                    (line.dataset, solver, at, iterations, fold, start),
                    partial(run, X, y, folds[fold], line.lambda0, solver, at, iterations, start),
                )


def first_within(curve, accuracy):
    """Least mean time at which a curve (a row per budget) reaches an accuracy; NaN if none does."""
    return curve.loc[curve["accuracy"] >= accuracy, "cpu_seconds"].min()


def compare(curves, majority):
    """A row per set: what full takes and what the others take to come within half a point of it."""
    rows = []
    for line in published().itertuples():
        if line.dataset not in curves.index.get_level_values("dataset"):
            continue
        of_set = curves.loc[line.dataset]
        full = of_set.loc["full"].iloc[-1]
        row = {"dataset": line.dataset, "full %": full["accuracy"], "full s": full["cpu_seconds"]}
        for solver in SOLVERS:
            curve = of_set.loc[solver]
            row[f"{solver} % at the end"] = curve["accuracy"].iloc[-1]
            row[f"{solver} s to full - 0.5"] = first_within(curve, full["accuracy"] - 0.5)
        for solver in SOLVERS:
            end = of_set.loc[solver].iloc[-1]
            gained = majority[line.dataset] - end["objective"]
            row[f"{solver} s per 0.01 gained"] = 0.01 * end["cpu_seconds"] / gained
        row["share of time"] = row["nodes s to full - 0.5"] / row["full s"]
        row["published saving %"] = line.cpu_saving
        row["published points lost"] = -line.accuracy_change
        rows.append(row)
    return pd.DataFrame(rows)


def draw(curves, traces, path):
    """Accuracy and objective against time, and the trace of nodes, a row of panels each."""
    sets = list(curves.index.get_level_values("dataset").unique())
    figure, axes = plt.subplots(
        3, len(sets), figsize=(2.7 * len(sets), 7), layout="constrained", squeeze=False
    )
    for column, name in enumerate(sets):
        for solver, mark in zip(SOLVERS, ("o-", "s--", "^-"), strict=True):
            curve = curves.loc[name, solver]
            for row, what in enumerate(("accuracy", "objective")):
                axes[row, column].semilogx(
                    curve["cpu_seconds"], curve[what], mark, ms=4, label=solver
                )
        axes[2, column].plot(traces.loc[name, "objective"].to_numpy(), "^-", ms=3, color="C2")
        axes[0, column].set_title(name, fontsize=9)
        axes[1, column].set_xlabel("processor seconds", fontsize=8)
        axes[2, column].set_xlabel(f"macro-iterations, depth {TRACE_DEPTH}", fontsize=8)
    for row, label in enumerate(("test accuracy, %", "objective", "objective of nodes")):
        axes[row, 0].set_ylabel(label, fontsize=8)
    axes[0, 0].legend(fontsize=7)
    for axis in axes.flat:
        axis.tick_params(labelsize=7)
        axis.tick_params(which="minor", labelsize=5)
    figure.savefig(path, dpi=90)


def whole_starts(runs):
    """Without the starts that not every solver has been through with every limit."""
    traced = runs["depth"] == TRACE_DEPTH
    fits = runs[~traced].groupby(["dataset", "fold", "start"])["solver"].transform("size")
    return runs[traced | (fits.reindex(runs.index) == len(SOLVERS) * len(BUDGETS))]


def majority_objectives(folder, sets):
    """Half the share of the rows that are not of the largest class: the objective without a split."""
    counts = {name: np.bincount(load(folder, name)[1]) for name in sets}
    return {name: 0.5 * (1 - count.max() / count.sum()) for name, count in counts.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", default=list(published()["dataset"]))
    parser.add_argument("--folds", type=int, default=5, help="of the five, run so many")
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    parser.add_argument(
        "--summarize", action="store_true", help="report on the runs in the file, run nothing"
    )
    arguments = parser.parse_args()

    if arguments.summarize:
        runs = whole_starts(RUNS.read())
    else:
        runs = RUNS.carry_out(
            planned_runs(arguments),
            arguments.resume,
            lambda row: (
                f"{row['accuracy']:.2f} % {row['objective']:.5f} {row['cpu_seconds']:.2f} s"
            ),
        )
    traced = runs["depth"] == TRACE_DEPTH
    curves = runs[~traced].groupby(["dataset", "solver", "iterations"], sort=False)[NUMBERS].mean()
    traces = runs[traced].groupby(["dataset", "iterations"], sort=False)[NUMBERS].mean()
    rises = traces.groupby("dataset")["objective"].apply(lambda trace: trace.diff().max())
    fits = runs[~traced].groupby("dataset", sort=False)[["fold", "start"]].nunique()
    table = compare(curves, majority_objectives(arguments.data_folder, rises.index))
    faster = int((table["share of time"] <= 0.6).sum())
    needed = min(3, len(table))
    draw(curves, traces, RESULTS / "orct_solvers.png")
    sections = {
        "Targets": [
            target(
                "sets where nodes comes within 0.5 points of full in 60 % of its time",
                faster,
                ">=",
                needed,
            ),
            target(
                "largest rise of the objective from one macro-iteration to the next",
                rises.max(),
                "<=",
                0,
            ),
        ],
        "Beside the published savings": table,
        "Folds and starts": fits.reset_index(),
        "Accuracy, objective and time": curves.reset_index(),
        "Trace": traces[["objective"]].unstack("dataset").droplevel(0, axis=1).reset_index(),
        "How to read it": (
            "Stratified folds of five, fits of one start on one thread, regrowths of idle splits included; means over folds "
            "and starts (how many, stands in the table), processor seconds. The paper's penalty λ_0^G over the number of training rows, γ = 512, minmax, no "
            "proximal term. A solver's curve has a point for each limit of iterations of a run "
            f"({', '.join(map(str, BUDGETS))}); 'full %' and 'full s' are at the last one. 'to full - 0.5': the first "
            "point that is no more than half a point of accuracy below that. 'per 0.01 gained': seconds at the last "
            "limit for each 0.01 by which the objective is below that of the majority class. Trace: depth "
            f"{TRACE_DEPTH}, first fold, one fit for each number of macro-iterations, all alike up to there."
        ),
    }
    write_results("orct_solvers", "Solvers of fit_orct", table, sections, PACKAGES)


if __name__ == "__main__":
    main()
