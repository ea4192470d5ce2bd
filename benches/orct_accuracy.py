"""Test accuracy of fit_orct beside the published ORCT and a random forest, on the same splits."""

import argparse
import time
from functools import partial

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import softwood
from datasets import load, published_orct, published_sets, split
from plain_orct import PLAIN_SETTINGS
from record import target, write_results
from runs import Runs

PACKAGES = ("scikit-learn",)
# What tells one run from another; a forest has no settings of its own, so they are 0 and "".
KEY = ["dataset", "method", "depth", "scaling", "penalty", "starts", "split"]
FIELDS = [*KEY, "accuracy", "seconds", "objective", "median_over_best", "scaling_used", "status"]
FOREST_TREES = 500
RUNS = Runs("orct_accuracy_runs", KEY, FIELDS, ["objective", "median_over_best"], PACKAGES)


def run_tree(X_train, X_test, y_train, y_test, depth, scaling, penalty, starts, number, threads):
    began = time.perf_counter()
    model = softwood.fit_orct(
        X_train,
        y_train,
        depth=depth,
        **PLAIN_SETTINGS | {"scaling": scaling, "local_penalty": penalty / X_train.shape[1]},
        n_starts=starts,
        random_state=number,
        n_threads=threads,
    )
    seconds = time.perf_counter() - began
    objectives = np.asarray(model.report.start_objectives)
    return {
        "accuracy": 100 * np.mean(model.predict(X_test) == y_test),
        "seconds": seconds,
        "objective": model.report.objective,
        "median_over_best": median_over_best(objectives),
        "scaling_used": model.report.scaling,
        "status": model.report.status,
    }


def run_forest(X_train, X_test, y_train, y_test, number, threads):
    began = time.perf_counter()
    forest = RandomForestClassifier(FOREST_TREES, n_jobs=threads, random_state=number).fit(
        X_train, y_train
    )
    seconds = time.perf_counter() - began
    return {"accuracy": 100 * np.mean(forest.predict(X_test) == y_test), "seconds": seconds}


def median_over_best(objectives):
    """Median start's objective as a multiple of the best start's; 1 where both are 0."""
    best, median = objectives.min(), np.median(objectives)
    return median / best if best > 0 else (1.0 if median == best else np.inf)


def planned_runs(sets, arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for name in sets:
        X, y = load(arguments.data_folder, name)
        # A tree of depth D has 2^D leaves and every class needs one.
        depths = [d for d in arguments.depths if 2**d > y.max()]
        for number in range(arguments.splits):
            parts = split(X, y, number)
            if arguments.forest:
                key = (name, "forest", 0, "", 0.0, 0, number)
                yield key, partial(run_forest, *parts, number, arguments.threads)
            for depth in depths:
                for scaling in arguments.scalings:
                    settings = depth, scaling, arguments.penalty, arguments.starts, number
                    key = (name, "softwood", *settings)
                    yield key, partial(run_tree, *parts, *settings, arguments.threads)


def summarize(runs):
    """One row per set × depth × scaling: means over the splits beside the published figures and the forest."""
    trees, forests = (runs[runs["method"] == method] for method in ("softwood", "forest"))
    groups = trees.groupby(["depth", "scaling", "dataset"], sort=False)
    table = groups.agg(
        splits=("split", "size"),
        accuracy=("accuracy", "mean"),
        seconds=("seconds", "mean"),
        median_over_best=("median_over_best", "median"),
        quantile_share=("scaling_used", lambda used: float(np.mean(used == "quantile"))),
    ).reset_index()
    table = table.merge(published_orct(), on=["depth", "dataset"], how="left")
    table = table.rename(columns={"ORCT": "published", "ORCT_seconds": "published_seconds"})
    table["gain"] = table["accuracy"] - table["published"]
    table["forest"] = table["dataset"].map(forests.groupby("dataset")["accuracy"].mean())
    return table.sort_values(["depth", "scaling"], kind="stable")


def judge(table):
    """The targets, for every depth and scaling that ran."""
    targets = []
    for (depth, scaling), group in table.groupby(["depth", "scaling"]):
        at = f"depth {depth}, {scaling}, {len(group)} sets"
        targets.append(target(f"{at}: mean gain over published", group["gain"].mean(), ">=", 1.0))
        targets.append(
            target(
                f"{at}: worst set's gain ({group.loc[group['gain'].idxmin(), 'dataset']})",
                group["gain"].min(),
                ">=",
                -1.5,
            )
        )
        if scaling == "auto" and depth <= 3 and group["forest"].notna().all():
            targets.append(
                target(
                    f"{at}: mean minus the forest's",
                    (group["accuracy"] - group["forest"]).mean(),
                    ">=",
                    -1.0,
                )
            )
        targets.append(
            target(
                f"{at}: share of sets with the median start within 10 % of the best",
                (group["median_over_best"] <= 1.10).mean(),
                ">=",
                2 / 3,
            )
        )
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", help="default: every published set in the folder")
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--scalings", nargs="+", default=["minmax", "auto"])
    parser.add_argument(
        "--penalty", type=float, default=1 / 32, help="λ_L times the number of features"
    )
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--forest", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    arguments = parser.parse_args()

    sets = published_sets(arguments.data_folder, arguments.sets)
    runs = RUNS.carry_out(
        planned_runs(sets, arguments),
        arguments.resume,
        lambda row: f"{row['accuracy']:.2f} % {row['seconds']:.2f} s",
    )
    table = summarize(runs)
    means = (
        table.groupby(["depth", "scaling"])[
            ["accuracy", "published", "gain", "forest", "seconds", "published_seconds"]
        ]
        .mean()
        .reset_index()
    )
    explanation = (
        f"Test accuracy in %, mean of {arguments.splits} splits (75/25), {arguments.starts} starts, γ = 512, costs 0.5, λ_L = {arguments.penalty:g}/p; seconds per fit on {arguments.threads} threads. "
        f"forest: {FOREST_TREES} trees on the same splits. median_over_best: objective of the median start ÷ that of the best, median over the splits. "
        "quantile_share: share of the splits where quantile scaling was used. published_seconds: on the authors' machine."
    )
    sections = {
        "Targets": judge(table),
        "Means over the sets": means,
        "Per set": table,
        "How to read it": explanation,
    }
    write_results("orct_accuracy", "Accuracy of ORCT", table, sections, PACKAGES)


if __name__ == "__main__":
    main()
