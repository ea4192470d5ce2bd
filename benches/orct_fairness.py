"""Gaps between the sexes of adult bounded in training: what is left of them on new rows, and the price in accuracy beside fairlearn's reductions."""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from fairlearn.reductions import DemographicParity, ExponentiatedGradient, TruePositiveRateParity
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import softwood
from record import target, write_results
from runs import Runs

POSITIVE = ">50K"
# What is bounded, and by how much.
MEASURES = {"selection": [None, 0.15, 0.10, 0.05, 0.02, 0.01], "recall": [0.05, 0.01]}
PACKAGES = ["fairlearn", "scikit-learn"]
KEY = ["split", "method", "measure", "bound"]
FIGURES = [
    *(
        f"{part}_{figure}"
        for figure in ("selection_gap", "recall_gap")
        for part in ("train", "test")
    ),
    "train_accuracy",
    "test_accuracy",
    "seconds",
]


def load(folder):
    frame = pd.read_csv(Path(folder) / "adult.csv.gz").fillna("missing")
    y = frame.pop("target").to_numpy(str)
    return frame, y


def gap(measure, positive, y, sex):
    """How far apart the sexes' shares of positive predictions are, of all rows or of those that are positive."""
    counted = y == POSITIVE if measure == "recall" else np.full(len(y), True)
    rates = [positive[counted & (sex == s)].mean() for s in ("Female", "Male")]
    return abs(rates[0] - rates[1])


def fit_softwood(X, y, sex, measure, bound, arguments):
    """The shares of positive predictions of new rows (0 or 1), and the status."""
    groups = None
    if bound is not None:
        bounds = {f"max_{measure}_gap": {POSITIVE: bound}}
        women = softwood.RowGroup(where="Female", compared_with="Male", **bounds)
        groups = [women, softwood.RowGroup(where="Male")]
    model = softwood.fit_orct(
        X,
        y,
        arguments.depth,
        n_starts=arguments.starts,
        row_groups=groups,
        sensitive_features=sex,
        n_threads=arguments.threads,
    )
    return lambda new: (model.predict(new) == POSITIVE).astype(float), model.report.status


def fit_reduction(learner, X, y, sex, measure, bound):
    """The same of fairlearn's randomized classifier, in expectation."""
    numbers = X.select_dtypes("number").columns
    nominal = X.columns.difference(numbers)
    prepare = make_column_transformer(
        (StandardScaler(), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), nominal),
    )
    positive = y == POSITIVE
    ready = prepare.fit_transform(X)
    if bound is None:
        learner.fit(ready, positive)
        return lambda new: learner.predict(prepare.transform(new)).astype(float), ""
    # Its bound is on the distance of either sex from all rows that count, ours on that between the sexes.
    counted = positive if measure == "recall" else np.full(len(y), True)
    share = max((sex[counted] == s).mean() for s in ("Female", "Male"))
    parity = TruePositiveRateParity if measure == "recall" else DemographicParity
    reduction = ExponentiatedGradient(learner, parity(difference_bound=share * bound))
    reduction.fit(ready, positive, sensitive_features=sex)
    return lambda new: reduction._pmf_predict(prepare.transform(new))[:, 1], ""


METHODS = {
    "softwood": fit_softwood,
    "reduction of logistic regression": lambda *a: fit_reduction(
        LogisticRegression(solver="newton-cholesky"), *a[:-1]
    ),
    "reduction of CART": lambda *a: fit_reduction(
        DecisionTreeClassifier(max_depth=8, random_state=0), *a[:-1]
    ),
}


def run(data, split, method, measure, bound, arguments):
    X, y = data
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.25, train_size=arguments.train_rows, random_state=split
    )
    began = time.perf_counter()
    sex = X_train["sex"].to_numpy(str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predict, status = METHODS[method](X_train, y_train, sex, measure, bound, arguments)
    row = {"status": status, "seconds": time.perf_counter() - began}
    for part, rows, labels in (("train", X_train, y_train), ("test", X_test, y_test)):
        positive = predict(rows)
        right = np.where(labels == POSITIVE, positive, 1 - positive)
        row[f"{part}_accuracy"] = 100 * right.mean()
        for what in MEASURES:
            row[f"{part}_{what}_gap"] = gap(what, positive, labels, rows["sex"].to_numpy(str))
    return row


def summary(runs):
    """Means over the splits: a row per method, what is bounded, and bound."""
    of = ["measure", "bound", "method"]
    means = runs.groupby(of, sort=False)[FIGURES].mean().reset_index()
    worst = runs.assign(excess=excess(runs)).groupby(of, sort=False)["excess"].max().reset_index()
    return means.merge(worst, on=of).sort_values(["measure", "bound", "method"], ascending=False)


def excess(runs):
    """By how much the gap on training rows is beyond its bound."""
    gaps = np.where(
        runs["measure"] == "recall", runs["train_recall_gap"], runs["train_selection_gap"]
    )
    return gaps - pd.to_numeric(runs["bound"], errors="coerce")


def targets(table):
    """Whether bounds are kept, and what they cost beside the reduction of logistic regression."""
    ours = table[(table["method"] == "softwood") & (table["bound"] != "none")]
    rows = [
        target("worst excess of a gap on training rows", ours["excess"].max(), "<=", 0.01),
    ]
    accuracy = table.pivot(index=["measure", "bound"], columns="method", values="test_accuracy")
    for rival in (name for name in METHODS if name != "softwood" and name in accuracy):
        lead = (accuracy["softwood"] - accuracy[rival]).dropna()
        what = f"mean test accuracy minus that of the {rival}, over all bounds, in points"
        rows.append(target(what, lead.mean(), ">=", 0))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--train-rows", type=int, help="by default all that are not test rows")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument("--bounds", type=float, nargs="+", help="some of the bounds alone")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--resume", action="store_true", help="keep the runs already in the table")
    arguments = parser.parse_args()

    data = load(arguments.data_folder)
    jobs = [
        (
            (split, method, measure, "none" if bound is None else f"{bound:.2f}"),
            lambda args=(split, method, measure, bound): run(data, *args, arguments),
        )
        for split in range(arguments.splits)
        for method in arguments.methods
        for measure in arguments.measures
        for bound in MEASURES[measure]
        if arguments.bounds is None or bound is None or bound in arguments.bounds
    ]
    runs = Runs("orct_fairness_runs", KEY, [*KEY, *FIGURES, "status"], FIGURES, PACKAGES)
    done = runs.carry_out(jobs, arguments.resume, lambda row: f"{row['test_accuracy']:.2f} %")
    table = summary(done)
    explanation = (
        f"Means over {arguments.splits} splits (a quarter of the rows for tests, "
        f"{arguments.train_rows or 'the rest'} for training), accuracy in percent. softwood: depth {arguments.depth}, "
        f"{arguments.starts} starts, defaults else; gaps and accuracy of what predict returns. Reductions: "
        "fairlearn's ExponentiatedGradient with DemographicParity or TruePositiveRateParity at bounds that mean the "
        "same gap between the sexes, on standardized and one-hot encoded features; their classifiers are randomized, "
        "gaps and accuracy are expectations. Every method sees the column sex. excess: the worst gap on training rows "
        "beyond its bound. Other programs ran at the same time: seconds tell orders of magnitude alone."
    )
    sections = {"Targets": targets(table), "Every bound": table, "How to read it": explanation}
    write_results("orct_fairness", "Gaps between the sexes of adult", table, sections, PACKAGES)


if __name__ == "__main__":
    main()
