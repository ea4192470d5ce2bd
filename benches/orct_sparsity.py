"""Sparsity paths of fit_orct beside the published (sparsity, accuracy) points, on ten splits."""

import argparse
import time
from functools import partial

import numpy as np
import pandas as pd

import softwood
from datasets import load, published_sets, published_sparsity, split
from record import target, write_results
from runs import Runs

# What tells one run from another; a run is one path.
KEY = ["dataset", "levels", "depth", "kind", "shape", "split"]
FIELDS = [*KEY, "sparsity", "accuracy", "seconds", "status"]
RUNS = Runs("orct_sparsity_runs", KEY, FIELDS, [], ())


def run_path(X_train, X_test, y_train, y_test, depth, kind, shape, number, arguments):
    p, b = X_train.shape[1], 2**depth - 1
    unit = 1 / (p * b) if kind == "local" else 1 / p
    # A concave shape weighs a small coefficient by its slope at 0: its grid starts lower.
    powers = np.arange(-10, 8, 0.25) - (0 if shape == "norm" else 3)
    grid = np.concatenate([[0.0], 2.0**powers * unit])
    began = time.perf_counter()
    path = softwood.sparsity_path(
        X_train,
        y_train,
        depth,
        grid if kind == "local" else [0.0],
        grid if kind == "global" else [0.0],
        X_validation=X_test,
        y_validation=y_test,
        penalty_shape=shape,
        scaling=arguments.scaling,
        n_starts=arguments.starts,
        random_state=number,
        n_threads=arguments.threads,
    )
    sparsity = getattr(path, f"{kind}_sparsity").ravel()
    return {
        "sparsity": " ".join(f"{x:.4f}" for x in sparsity),
        "accuracy": " ".join(f"{100 * x:.4f}" for x in path.score.ravel()),
        "seconds": time.perf_counter() - began,
        "status": path.status,
    }


def planned_runs(points, arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for (name, levels), group in points.groupby(["dataset", "levels"], sort=False):
        X, y = load(arguments.data_folder, name, levels)
        for depth, kind in group[["depth", "kind"]].drop_duplicates().itertuples(index=False):
            if 2**depth <= y.max():
                continue
            for shape in arguments.shapes:
                for number in range(arguments.splits):
                    key = (name, levels, depth, kind, shape, number)
                    yield (
                        key,
                        partial(run_path, *split(X, y, number), *key[2:], arguments),
                    )


def mean_paths(runs):
    """One row per set × depth × kind × shape × grid point: sparsity and accuracy, means over the splits."""
    rows = []
    for key, group in runs.groupby(KEY[:-1], sort=False):
        sparsity, accuracy = (
            np.array([[float(x) for x in text.split()] for text in group[name]]).mean(0)
            for name in ("sparsity", "accuracy")
        )
        for place, (s, a) in enumerate(zip(sparsity, accuracy, strict=True)):
            rows.append((*key, place, s, a, group["seconds"].mean()))
    return pd.DataFrame(rows, columns=[*KEY[:-1], "point", "sparsity", "accuracy", "seconds"])


def compare(points, paths):
    """For each published point the most accurate of ours that is as sparse, within 2 points."""
    rows = []
    for point in points.itertuples():
        ours = paths[
            (paths["dataset"] == point.dataset)
            & (paths["levels"] == point.levels)
            & (paths["depth"] == point.depth)
            & (paths["kind"] == point.kind)
            & (paths["sparsity"] >= point.sparsity - 2)
        ]
        if ours.empty:
            best = {"our_sparsity": np.nan, "our_accuracy": np.nan, "shape": ""}
        else:
            row = ours.loc[ours["accuracy"].idxmax()]
            best = {
                "our_sparsity": row["sparsity"],
                "our_accuracy": row["accuracy"],
                "shape": row["shape"],
            }
        rows.append(
            point._asdict() | best | {"reached": bool(best["our_accuracy"] >= point.accuracy - 1)}
        )
    return pd.DataFrame(rows).drop(columns="Index")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", help="default: every published set in the folder")
    parser.add_argument("--shapes", nargs="+", default=["norm", "exp"])
    parser.add_argument("--scaling", default="minmax")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    arguments = parser.parse_args()

    points = published_sparsity()
    # One split has one kind of sparsity.
    points.loc[points["depth"] == 1, "kind"] = "local"
    points = points[
        points["dataset"].isin(
            published_sets(arguments.data_folder, arguments.sets, published_sparsity)
        )
    ]
    runs = RUNS.carry_out(
        planned_runs(points, arguments), arguments.resume, lambda row: f"{row['seconds']:.2f} s"
    )
    paths = mean_paths(runs)
    table = compare(
        points.merge(paths[["dataset", "levels", "depth", "kind"]].drop_duplicates()), paths
    )
    share = table.groupby("model", sort=False)["reached"].agg(["size", "mean"]).reset_index()
    missed = table[~table["reached"]]
    sections = {
        "Targets": [
            target("share of published points reached", table["reached"].mean(), ">=", 0.9)
        ],
        "By model": share.rename(columns={"size": "points", "mean": "share_reached"}),
        "Points not reached": missed if len(missed) else "None.",
        "How to read it": (
            "A published point is reached if some point of our paths for the same set, depth and kind "
            "of penalty is at least as sparse (within 2 points of a percent) and at least as accurate "
            "(within 1 point), both as means over the splits. our_sparsity and our_accuracy: the most "
            f"accurate of ours that is sparse enough. {arguments.splits} splits (75/25), "
            f"{arguments.starts} starts, scaling {arguments.scaling}; trees are chosen by training "
            "objective alone."
        ),
    }
    write_results("orct_sparsity", "Sparsity and accuracy of ORCT", table, sections)


if __name__ == "__main__":
    main()
