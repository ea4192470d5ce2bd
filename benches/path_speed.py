"""Time of the full 17 × 17 sparsity path with 20 starts, and of a penalized against an unpenalized fit."""

import argparse
import time

import softwood
from datasets import load
from plain_orct import PLAIN_SETTINGS
from record import target, write_results


def timed(function, *arguments, **settings):
    began = time.perf_counter()
    result = function(*arguments, **settings)
    return time.perf_counter() - began, result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--set", default="ann_thyroid")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    X, y = load(arguments.data_folder, arguments.set)
    p, b = X.shape[1], 3
    penalties = {
        "none": {"local_penalty": 0.0},
        "local": {"local_penalty": 0.05 / (p * b)},
        "global": {"global_penalty": 0.05 / p},
        "both": {"local_penalty": 0.05 / (p * b), "global_penalty": 0.05 / p},
    }
    solves = []
    for name, settings in penalties.items():
        seconds, model = timed(
            softwood.fit_orct, X, y, n_threads=arguments.threads, **PLAIN_SETTINGS | settings
        )
        report = model.report
        solves.append(
            {
                "penalty": name,
                "seconds": seconds,
                "ratio": seconds / solves[0]["seconds"] if solves else 1.0,
                "evaluations": report.evaluations,
                "microseconds_per_evaluation": 1e6 * seconds / report.evaluations,
                "local_sparsity": model.local_sparsity,
            }
        )
    seconds, path = timed(softwood.sparsity_path, X, y, 2, n_threads=arguments.threads)
    points = len(path.rows())
    sections = {
        "Targets": [
            target(
                f"minutes for {points} points × 20 starts on {arguments.set}",
                seconds / 60,
                "<=",
                10,
            ),
            target(
                "a penalized fit over an unpenalized one, worst",
                max(s["ratio"] for s in solves),
                "<=",
                3,
            ),
        ],
        "Fits at depth 2 with 20 starts": solves,
    }
    measurements = [*solves, {"penalty": "17 × 17 path", "seconds": seconds}]
    write_results("path_speed", "Speed of penalized fits and paths", measurements, sections)


if __name__ == "__main__":
    main()
