"""Test accuracy of fit_orct_cv beside plain fit_orct and other classifiers, on the same splits."""

import argparse
import time
from functools import partial

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from stree import Stree
from xgboost import XGBClassifier

import softwood
from datasets import load, published_sets, split
from plain_orct import PLAIN_SETTINGS
from record import target, write_results
from runs import Runs

PACKAGES = ("scikit-learn", "xgboost", "STree")
KEY = ["dataset", "method", "split"]
FIELDS = [*KEY, "accuracy", "seconds", "chosen"]
RUNS = Runs("orct_cv_runs", KEY, FIELDS, [], PACKAGES)

OURS, PLAIN, FOREST, BOOSTING = "fit_orct_cv", "fit_orct depth 2", "random forest", "hist boosting"


def peers(number, threads):
    """Other classifiers at their defaults (500 trees in the forest), on scaled data where that matters."""
    return {
        FOREST: RandomForestClassifier(500, n_jobs=threads, random_state=number),
        BOOSTING: HistGradientBoostingClassifier(random_state=number),
        "xgboost": XGBClassifier(n_jobs=threads, random_state=number),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
        "l1 logistic": make_pipeline(
            StandardScaler(),
            LogisticRegressionCV(
                Cs=10, l1_ratios=(1.0,), solver="saga", max_iter=300, tol=1e-3, n_jobs=threads
            ),
        ),
        "stree": make_pipeline(StandardScaler(), Stree(random_state=number)),
        "cart": DecisionTreeClassifier(random_state=number),
    }


def run_ours(X_train, X_test, y_train, y_test, number, threads):
    began = time.perf_counter()
    model = softwood.fit_orct_cv(
        X_train, y_train, depths=(1, 2, 3, 4), random_state=number, n_threads=threads
    )
    seconds = time.perf_counter() - began
    table = model.report.cross_validation
    chosen = table.candidates[table.chosen]
    return {
        "accuracy": 100 * np.mean(model.predict(X_test) == y_test),
        "seconds": seconds,
        "chosen": f"depth {chosen.depth} {chosen.scaling} gamma {chosen.gamma:g} "
        f"local {chosen.local_penalty:.3g}",
    }


def run_plain(X_train, X_test, y_train, y_test, number, threads):
    began = time.perf_counter()
    model = softwood.fit_orct(
        X_train, y_train, 2, **PLAIN_SETTINGS, random_state=number, n_threads=threads
    )
    seconds = time.perf_counter() - began
    return {
        "accuracy": 100 * np.mean(model.predict(X_test) == y_test),
        "seconds": seconds,
        "chosen": "",
    }


def run_peer(X_train, X_test, y_train, y_test, method, number, threads):
    began = time.perf_counter()
    model = peers(number, threads)[method].fit(X_train, y_train)
    seconds = time.perf_counter() - began
    return {
        "accuracy": 100 * np.mean(model.predict(X_test) == y_test),
        "seconds": seconds,
        "chosen": "",
    }


def planned_runs(sets, arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for name in sets:
        X, y = load(arguments.data_folder, name)
        for number in range(arguments.splits):
            parts = split(X, y, number)
            yield (name, OURS, number), partial(run_ours, *parts, number, arguments.threads)
            yield (name, PLAIN, number), partial(run_plain, *parts, number, arguments.threads)
            for method in peers(number, arguments.threads):
                yield (
                    (name, method, number),
                    partial(run_peer, *parts, method, number, arguments.threads),
                )


def whole_splits(runs):
    """Without the splits that not every method has been through."""
    methods = runs.groupby(["dataset", "split"])["method"].transform("nunique")
    return runs[methods == runs["method"].nunique()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", help="default: every published set in the folder")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    parser.add_argument(
        "--summarize", action="store_true", help="report on the runs in the file, run nothing"
    )
    arguments = parser.parse_args()

    if arguments.summarize:
        runs = whole_splits(RUNS.read())
    else:
        sets = published_sets(arguments.data_folder, arguments.sets)
        runs = RUNS.carry_out(
            planned_runs(sets, arguments),
            arguments.resume,
            lambda row: f"{row['accuracy']:.2f} % {row['seconds']:.2f} s {row['chosen']}",
        )
    accuracy = runs.pivot_table(index="dataset", columns="method", values="accuracy", sort=False)
    accuracy.loc["mean"] = accuracy.mean()
    splits = runs.groupby("dataset")["split"].nunique()
    accuracy.insert(0, "splits", splits.reindex(accuracy.index).astype("Int64"))
    seconds = runs.pivot_table(index="dataset", columns="method", values="seconds", sort=False)
    mean = accuracy.loc["mean"]
    targets = [
        target(
            "mean accuracy minus that of fit_orct at depth 2", mean[OURS] - mean[PLAIN], ">=", 1
        ),
        target("mean accuracy minus the forest's", mean[OURS] - mean[FOREST], ">=", 0),
        target("mean accuracy minus the boosting's", mean[OURS] - mean[BOOSTING], ">=", 0),
    ]
    if "spambase" in seconds.index:
        at = seconds.loc["spambase", OURS]
        targets.append(target("seconds of fit_orct_cv on spambase", at, "<=", 60))
    sections = {
        "Targets": targets,
        "Test accuracy": accuracy.reset_index(),
        "Seconds": seconds.reset_index(),
        "How to read it": (
            "Test accuracy in %, mean over the splits (75/25); seconds per fit on "
            f"{arguments.threads} threads. fit_orct_cv chooses from depths 1 to 4 and its default grid on "
            "the training rows alone. Peers at their defaults, the forest with 500 trees; logistic "
            "regressions and stree on standardized features, the ℓ1 one chooses its penalty by "
            "cross-validation."
        ),
    }
    write_results(
        "orct_cv", "Accuracy with chosen settings", accuracy.reset_index(), sections, PACKAGES
    )


if __name__ == "__main__":
    main()
