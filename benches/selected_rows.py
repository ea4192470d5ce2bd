"""Test accuracy of fit_orct on selected rows, on a random sample and on all rows, beside the published S1O-DS."""

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import softwood
from datasets import PUBLISHED, load, split
from plain_orct import PLAIN_SETTINGS
from record import target, write_results
from runs import Runs

PACKAGES = ("scikit-learn",)
KEY = ["dataset", "method", "depth", "starts", "split"]
FIELDS = [*KEY, "accuracy", "training_accuracy", "percent_rows", "seconds", "steps"]
RUNS = Runs("selected_rows_runs", KEY, FIELDS, [], PACKAGES)
METHODS = {
    "all": "all",
    "sample": softwood.RowSelection(rounds=0),
    "selected": softwood.RowSelection(),
}


def published():
    return pd.read_csv(PUBLISHED / "s1o_data_selection.csv", comment="#")


def run(X_train, X_test, y_train, y_test, method, depth, starts, number, threads):
    began = time.perf_counter()
    model = softwood.fit_orct(
        X_train,
        y_train,
        depth=depth,
        rows=METHODS[method],
        cover_classes=False,
        **PLAIN_SETTINGS,
        n_starts=starts,
        random_state=number,
        n_threads=threads,
    )
    seconds = time.perf_counter() - began
    selection = model.report.selection
    steps = [
        f"{r.step} {'kept' if r.accepted else 'refused'}" for r in getattr(selection, "rounds", [])
    ]
    return {
        "accuracy": 100 * np.mean(model.predict(X_test) == y_test),
        "training_accuracy": 100 * np.mean(model.predict(X_train) == y_train),
        "percent_rows": 100 * selection.share if selection else 100.0,
        "seconds": seconds,
        "steps": "; ".join(steps),
    }


def planned_runs(folder, table, arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for name in table["dataset"].unique():
        X, y = load(folder, name)
        for number in range(arguments.splits):
            parts = split(X, y, number)
            for depth in table.loc[table["dataset"] == name, "depth"]:
                for method in METHODS:
                    key = (name, method, depth, arguments.starts, number)
                    work = partial(run, *parts, method, depth, arguments.starts, number)
                    yield key, partial(work, arguments.threads)


def summarize(runs, table):
    """One row per set and depth: means over the splits beside the published figures."""
    means = runs.groupby(["depth", "dataset", "method"])[
        ["accuracy", "training_accuracy", "percent_rows", "seconds"]
    ].mean()
    wide = means.unstack("method")
    wide.columns = [f"{value}_{method}" for value, method in wide.columns]
    wide = wide.drop(columns="percent_rows_all").reset_index()
    summary = table.merge(wide, on=["depth", "dataset"])
    summary["loss"] = summary["accuracy_all"] - summary["accuracy_selected"]
    summary["gain_over_published"] = summary["accuracy_selected"] - summary["S1O_DS"]
    return summary.sort_values(["depth", "dataset"])


def judge(summary):
    targets = []
    for depth, group in summary.groupby("depth"):
        at = f"depth {depth}, {len(group)} sets"
        loss, gain = group["loss"].mean(), group["gain_over_published"].mean()
        targets.append(target(f"{at}: mean loss against all rows", loss, "<=", 1.0))
        targets.append(target(f"{at}: mean gain over published S1O-DS", gain, ">=", 0.0))
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", help="default: every published set in the folder")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    arguments = parser.parse_args()

    table = published()
    present = [
        name
        for name in table["dataset"].unique()
        if (Path(arguments.data_folder) / f"{name}.csv.gz").exists()
        and name in (arguments.sets or [name])
    ]
    table = table[table["dataset"].isin(present)]
    runs = RUNS.carry_out(
        planned_runs(arguments.data_folder, table, arguments),
        arguments.resume,
        lambda row: f"{row['accuracy']:.2f} % {row['seconds']:.2f} s",
    )
    summary = summarize(runs, table)
    explanation = (
        f"Accuracy on test rows (accuracy_) and on all training rows in %, mean of {arguments.splits} splits (75/25), {arguments.starts} starts, cover_classes=False, other settings by default; "
        f'seconds of the whole fit on {arguments.threads} threads. all: trained on all rows. sample: on the random sample that the selection starts from. selected: rows="selected". '
        "percent_rows: rows the tree was trained on. Published: S1O_DS, CART and percent_selected, the authors' choice of β₁, β₂ and ε′ for each set."
    )
    sections = {"Targets": judge(summary), "Per set": summary, "How to read it": explanation}
    write_results("selected_rows", "Trees trained on selected rows", summary, sections, PACKAGES)


if __name__ == "__main__":
    main()
