"""Probabilities of fit_orct at its defaults beside other classifiers': log loss, Brier score, AUC, accuracy."""

import argparse
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from interpret.glassbox import ExplainableBoostingClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import softwood
from datasets import load, split
from plain_orct import PLAIN_SETTINGS
from record import target, write_results
from runs import Runs

PACKAGES = ("scikit-learn", "interpret")
KEY = ["dataset", "method", "split"]
SCORES = ["log_loss", "brier", "auc", "accuracy"]
FIELDS = [*KEY, *SCORES, "disagreement", "seconds"]
RUNS = Runs("orct_probabilities_runs", KEY, FIELDS, ["disagreement"], PACKAGES)

OURS, PLAIN = "fit_orct", "papers' plain ORCT"
LOGISTIC, CART, FOREST = "logistic", "cart", "forest"
PEERS = (LOGISTIC, CART, FOREST, "hist_boosting", "ebm")
# What fit_orct was before it had defaults of its own.
PLAIN_ORCT = PLAIN_SETTINGS | {"depth": 2, "n_starts": 20}
# At most four classes, as a tree of depth 2 can hold, each with enough rows to be in both parts of a split.
SETS = (
    *("monks_1", "monks_2", "monks_3", "sonar", "wisconsin_diagnostic", "breast_cancer_wisconsin"),
    *("credit_approval", "pima_diabetes", "banknote", "ozone_one", "spambase", "magic_gamma"),
    *("iris", "hayes_roth_160", "wine", "balance_scale", "ann_thyroid", "car_evaluation"),
    *("congressional_voting", "spectf_heart", "indian_liver", "parkinsons", "haberman"),
    *("hepatitis", "planning_relax", "seismic_bumps", "adult"),
)
# A probability of 0 for what happened costs -log of this, not infinity.
SMALLEST_PROBABILITY = 1e-15


def peers(number, threads):
    """Other classifiers at their defaults (500 trees in the forest), on scaled data where that matters."""
    models = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
        DecisionTreeClassifier(random_state=number),
        RandomForestClassifier(500, n_jobs=threads, random_state=number),
        HistGradientBoostingClassifier(random_state=number),
        ExplainableBoostingClassifier(n_jobs=threads, random_state=number),
    )
    return dict(zip(PEERS, models, strict=True))


def scores(probabilities, y):
    """Scores of probabilities (N, K) of the classes 0…K − 1; the most probable one is the prediction."""
    happened = np.eye(probabilities.shape[1])[y]
    of_truth = (probabilities * happened).sum(axis=1)
    return {
        "log_loss": -np.log(np.maximum(of_truth, SMALLEST_PROBABILITY)).mean(),
        "brier": ((probabilities - happened) ** 2).sum(axis=1).mean(),
        "auc": np.mean(
            [
                roc_auc_score(happened[:, k], probabilities[:, k])
                for k in range(happened.shape[1])
                if 0 < happened[:, k].sum() < len(y)
            ]
        ),
        "accuracy": 100 * np.mean(probabilities.argmax(axis=1) == y),
    }


def run_tree(X_train, X_test, y_train, y_test, settings, number, threads):
    began = time.perf_counter()
    warnings.simplefilter("ignore", softwood.warnings.SoftwoodWarning)
    model = softwood.fit_orct(X_train, y_train, random_state=number, n_threads=threads, **settings)
    seconds = time.perf_counter() - began
    differ = model.predict(X_train) != model.predict(X_train, routing="hard")
    return scores(model.predict_proba(X_test), y_test) | {
        "disagreement": 100 * differ.mean(),
        "seconds": seconds,
    }


def run_peer(X_train, X_test, y_train, y_test, method, number, threads):
    began = time.perf_counter()
    model = peers(number, threads)[method].fit(X_train, y_train)
    seconds = time.perf_counter() - began
    return scores(model.predict_proba(X_test), y_test) | {"disagreement": "", "seconds": seconds}


def planned_runs(sets, arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for name in sets:
        X, y = load(arguments.data_folder, name)
        for number in range(arguments.splits):
            X_train, X_test, y_train, y_test = split(X, y, number)
            # The rows of a split are in random order, so the first ones are a sample.
            parts = X_train[: arguments.rows], X_test, y_train[: arguments.rows], y_test
            for method, settings in {OURS: {}, PLAIN: PLAIN_ORCT}.items():
                work = partial(run_tree, *parts, settings, number, arguments.threads)
                yield (name, method, number), work
            for method in arguments.peers:
                work = partial(run_peer, *parts, method, number, arguments.threads)
                yield (name, method, number), work


def judge(means, table):
    """The targets; `means` over the sets by method, `table` by set and method."""
    ours = means.loc[OURS]
    auc = table["auc"].unstack("method")
    gap = auc[OURS] - auc[[LOGISTIC, FOREST]].max(axis=1)
    return [
        target(
            "mean log loss ÷ that of logistic regression",
            ours["log_loss"] / means.loc[LOGISTIC, "log_loss"],
            "<=",
            1.10,
        ),
        target(
            "mean log loss minus CART's", ours["log_loss"] - means.loc[CART, "log_loss"], "<=", 0
        ),
        target(
            "mean Brier score minus the forest's",
            ours["brier"] - means.loc[FOREST, "brier"],
            "<=",
            0.01,
        ),
        target(
            "share of sets with an AUC at most 0.005 below the better of logistic regression and forest",
            (gap >= -0.005).mean(),
            ">=",
            0.5,
        ),
        target(
            "mean accuracy minus that of the papers' plain ORCT",
            ours["accuracy"] - means.loc[PLAIN, "accuracy"],
            ">=",
            1.0,
        ),
        target(
            "training rows where hard and soft routing disagree, in %, mean",
            ours["disagreement"],
            "<=",
            0.5,
        ),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument(
        "--peers",
        nargs="+",
        choices=PEERS,
        default=PEERS,
        help="the targets need the first three; ebm takes by far the longest",
    )
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=5000, help="training rows at most")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    arguments = parser.parse_args()

    missing = {LOGISTIC, CART, FOREST} - set(arguments.peers)
    if missing:
        parser.error(f"the targets compare with {', '.join(sorted(missing))} too")
    folder = Path(arguments.data_folder)
    sets = [name for name in arguments.sets if (folder / f"{name}.csv.gz").exists()]
    if not sets:
        raise SystemExit(f"{folder} holds none of {', '.join(arguments.sets)}")
    runs = RUNS.carry_out(
        planned_runs(sets, arguments),
        arguments.resume,
        lambda row: f"log loss {row['log_loss']:.3f} AUC {row['auc']:.3f} {row['accuracy']:.2f} %",
    )
    measured = [*SCORES, "disagreement", "seconds"]
    table = runs.groupby(["dataset", "method"], sort=False)[measured].mean()
    means = table.groupby("method", sort=False).mean()
    explanation = (
        f"Test rows of {arguments.splits} splits (75/25), at most {arguments.rows} training rows; means over the splits, then over the {len(sets)} sets. "
        f"{OURS}: at its defaults; {PLAIN}: depth 2, γ = 512, min-max scaling, no penalty, classes not balanced, 20 starts, at most 200 iterations. "
        f"log_loss: a probability counts as {SMALLEST_PROBABILITY:g} at least. brier: squared errors summed over the classes. auc: mean over the classes, each against the others. "
        f"disagreement: training rows, in %, of which soft and hard routing predict different classes. seconds: of the fit, {arguments.threads} threads."
    )
    sections = {
        "Targets": judge(means, table),
        "Means over the sets": means.reset_index(),
        "Per set": table.reset_index(),
        "How to read it": explanation,
    }
    write_results(
        "orct_probabilities", "Probabilities of ORCT", table.reset_index(), sections, PACKAGES
    )


if __name__ == "__main__":
    main()
