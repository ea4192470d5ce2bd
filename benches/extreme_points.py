"""Time of select_extreme_points on five data sets, beside one linear program for each row by SciPy's HiGHS."""

import argparse
import time
from functools import partial

import matplotlib
import numpy as np
import pandas as pd
from resumable_runs import ResumableRuns
from scipy.optimize import linprog

import softwood
from datasets import load
from record import RESULTS, target, write_results

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PACKAGES = ("scipy", "matplotlib")
KEY = ["dataset", "sampled"]
FIELDS = ["seconds", "times_faster", "seconds_by_programs", "rows", "distinct", "features"]
FIELDS += ["extreme", "percent_extreme", "unresolved", "disagreements"]
RUNS = ResumableRuns("extreme_points_runs", KEY, FIELDS, PACKAGES)
SETS = ("skin_segmentation", "shuttle", "magic_gamma", "avila", "pendigits")
# At least this many times faster than one program for each row, but where almost every row is extreme.
WANTED_RATIO = 100
WITHOUT_RATIO = ("pendigits",)
SECONDS_FOR_SKIN = 30
REPEATS = 3

# Points for the picture: some on a sphere, all of them extreme, the others well inside.
DIMENSION = 4
CLOUDS = (10_000, 40_000)
ON_SPHERE = (50, 150, 500, 1500, 5000)
# Sets named to the left of their mark, where there is room.
LABEL_LEFT = ("magic_gamma", "avila")


def timed(X, threads):
    """The answer, and the least of a few times."""
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        found = softwood.select_extreme_points(X, n_threads=threads)
        seconds.append(time.perf_counter() - began)
    return found, min(seconds)


def by_programs(X, found, count, seed=0):
    """Processor seconds for each row of `count` sampled ones, solved as (7) over all other distinct rows; checks the answers."""
    distinct, first = np.unique(X, axis=0, return_index=True)
    low, high = distinct.min(axis=0), distinct.max(axis=0)
    scaled = (distinct - low) / np.where(high > low, high - low, 1)
    constraints = np.vstack([scaled.T, np.ones(len(scaled))])
    zeros = np.zeros(len(scaled))
    upper = np.full(len(scaled), np.inf)
    sample = np.random.default_rng(seed).choice(len(scaled), count, replace=False)
    seconds, disagree = 0.0, 0
    for j in sample:
        bounds = np.column_stack([zeros, upper])
        bounds[j, 1] = 0.0  # the others
        began = time.process_time()
        answer = linprog(
            zeros,
            A_eq=constraints,
            b_eq=constraints[:, j],
            bounds=bounds,
            method="highs",
            options={"presolve": False},  # three times faster here
        )
        seconds += time.process_time() - began
        disagree += (answer.status == 0) != found.covered[first[j]]
    return seconds / count, len(distinct), disagree


def measure(folder, name, arguments):
    X, _ = load(folder, name)
    found, seconds = timed(X, arguments.threads)
    per_row, distinct, disagree = by_programs(X, found, arguments.sample)
    extreme = int((~found.covered).sum())
    return {
        "seconds": seconds,
        "times_faster": per_row * distinct / seconds,
        "seconds_by_programs": per_row * distinct,
        "rows": len(X),
        "distinct": distinct,
        "features": X.shape[1],
        "extreme": extreme,
        "percent_extreme": 100 * extreme / len(X),
        "unresolved": found.unresolved,
        "disagreements": disagree,
    }


def synthetic(threads):
    """Seconds against the number of extreme points, for two numbers of rows."""
    rng = np.random.default_rng(0)
    rows = []
    for n in CLOUDS:
        for m in ON_SPHERE:
            X = rng.normal(size=(n, DIMENSION))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            X[m:] *= 0.2 * rng.uniform(size=(n - m, 1))
            found, seconds = timed(X, threads)
            rows.append({"rows": n, "extreme": int((~found.covered).sum()), "seconds": seconds})
    return pd.DataFrame(rows)


def draw(table, clouds, path):
    figure, axes = plt.subplots(figsize=(7.5, 5), layout="constrained")
    for n, cloud in clouds.groupby("rows"):
        label = f"{n:,} points in {DIMENSION} dimensions"
        axes.plot(cloud["extreme"], cloud["seconds"], "o-", markersize=4, label=label)
    axes.plot(table["extreme"], table["seconds"], "ks", markersize=6, label="data sets")
    programs = table["seconds_by_programs"]
    label = "data sets, one program for each row"
    axes.plot(table["extreme"], programs, "kx", markersize=7, label=label)
    axes.vlines(table["extreme"], table["seconds"], programs, color="0.8", linewidth=1, zorder=0)
    for row in table.itertuples():
        shift, side = (-6, "right") if row.dataset in LABEL_LEFT else (6, "left")
        text = f"{row.dataset}\n{row.rows:,} × {row.features}"
        axes.annotate(
            text,
            (row.extreme, row.seconds_by_programs),
            textcoords="offset points",
            xytext=(shift, 4),
            ha=side,
            va="bottom",
            fontsize=8,
        )
    axes.set(xscale="log", yscale="log", xlabel="extreme points", ylabel="seconds")
    axes.set_xlim(right=axes.get_xlim()[1] * 2.5)
    axes.set_ylim(top=axes.get_ylim()[1] * 3)
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(0.08, 0.5), fontsize=8)
    figure.savefig(path, dpi=110)


def judge(table):
    targets = []
    for row in table.itertuples():
        if row.dataset == "skin_segmentation":
            what = "skin_segmentation: seconds on 2 cores"
            targets.append(target(what, row.seconds, "<=", SECONDS_FOR_SKIN))
        if row.dataset not in WITHOUT_RATIO:
            what = f"{row.dataset}: times faster than one program for each row"
            targets.append(target(what, row.times_faster, ">=", WANTED_RATIO))
        what = f"{row.dataset}: sampled rows that the programs decide otherwise"
        targets.append(target(what, row.disagreements, "<=", 0))
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--sample", type=int, default=200, help="rows solved by programs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the sets already in the file and do the others"
    )
    arguments = parser.parse_args()

    runs = (
        ((name, arguments.sample), partial(measure, arguments.data_folder, name, arguments))
        for name in arguments.sets
    )
    table = RUNS.carry_out(runs, arguments.resume)
    clouds = synthetic(arguments.threads)
    RESULTS.mkdir(exist_ok=True)
    draw(table, clouds, RESULTS / "extreme_points.png")
    explanation = (
        f"seconds: least of {REPEATS} runs on {arguments.threads} threads. seconds_by_programs: mean processor time of {arguments.sample} sampled rows, "
        "each solved by SciPy's HiGHS as a feasibility program over all other distinct rows, times the number of distinct rows. "
        "Rows that are alike are left out there, the matrix is built and scaled once, both outside the timed calls, and presolve, which takes longer than the rest, is off. "
        f"Picture: time against the number of extreme points, for the sets and for points of which some lie on a sphere in {DIMENSION} dimensions."
    )
    sections = {
        "Targets": judge(table),
        "Per set": table,
        "Time against extreme points": "![seconds against extreme points](extreme_points.png)",
        "Points on a sphere": clouds,
        "How to read it": explanation,
    }
    write_results("extreme_points", "Extreme points of data sets", table, sections, PACKAGES)


if __name__ == "__main__":
    main()
