"""Test R² of fit_orrt beside the published S-ORRT, OLS, LASSO, CART, a random forest and fit_srt, on the same splits."""

import argparse
import time
from functools import partial

from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LassoCV, LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeRegressor

import softwood
from datasets import load_regression, published_orrt, published_sets, split
from record import target, write_results
from runs import Runs

PACKAGES = ("scikit-learn",)
KEY = ["dataset", "method", "depth", "split"]
FIELDS = [*KEY, "r2", "seconds", "objective", "status"]
RUNS = Runs("orrt_accuracy_runs", KEY, FIELDS, ["objective"], PACKAGES)
CHOICE_FOLDS = 3


def fit_with_steepness_by_folds(X, y, depth, **settings):
    """fit_orrt_cv where the depth is given: γ is chosen on folds of the training rows."""
    return softwood.fit_orrt_cv(X, y, (depth,), folds=CHOICE_FOLDS, **settings)


TREES = {
    "fit_orrt": softwood.fit_orrt,
    "fit_orrt_cv": fit_with_steepness_by_folds,
    "fit_srt": softwood.fit_srt,
}
FOREST_TREES = 500


def peers(threads):
    """The other methods, which have no depth of their own."""
    pruned = {"ccp_alpha": [0.0, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2]}
    return {
        "OLS": lambda: LinearRegression(),
        "LASSO": lambda: make_pipeline(MinMaxScaler(), LassoCV(cv=5, max_iter=100_000)),
        "CART": lambda: StandardizedResponse(
            GridSearchCV(DecisionTreeRegressor(random_state=0), pruned, cv=5)
        ),
        "rpart": lambda: StandardizedResponse(
            DecisionTreeRegressor(min_impurity_decrease=0.01, min_samples_leaf=7, random_state=0)
        ),
        "forest": lambda: RandomForestRegressor(FOREST_TREES, n_jobs=threads, random_state=0),
    }


class StandardizedResponse:
    """A regressor of (y − mean)/deviation: pruning by a cost of variance then means the same everywhere."""

    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y):
        self.mean, self.scale = y.mean(), y.std()
        self.inner.fit(X, (y - self.mean) / self.scale)
        return self

    def predict(self, X):
        return self.mean + self.scale * self.inner.predict(X)


def r2(model, X, y):
    return 1 - ((model.predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def run_tree(fit, X_train, X_test, y_train, y_test, **settings):
    began = time.perf_counter()
    model = fit(X_train, y_train, **settings)
    seconds = time.perf_counter() - began
    return {
        "r2": r2(model, X_test, y_test),
        "seconds": seconds,
        "objective": model.report.objective,
        "status": model.report.status,
    }


def run_peer(make, X_train, X_test, y_train, y_test):
    began = time.perf_counter()
    model = make().fit(X_train, y_train)
    return {"r2": r2(model, X_test, y_test), "seconds": time.perf_counter() - began}


def planned_runs(sets, arguments):
    """Every (key, work) of this call, in the order in which they run."""
    for number in range(arguments.splits):
        for name in sets:
            rows = split(*load_regression(arguments.data_folder, name), number)
            for method, make in peers(arguments.threads).items():
                yield (name, method, 0, number), partial(run_peer, make, *rows)
            for method, fit in TREES.items():
                for depth in arguments.depths:
                    settings = {"depth": depth, "n_threads": arguments.threads}
                    key = (name, method, depth, number)
                    yield key, partial(run_tree, fit, *rows, **settings)


def summarize(runs):
    """One row per depth × set: means over the splits beside the published figures."""
    means = runs.groupby(["method", "depth", "dataset"])["r2"].mean()
    seconds = runs.groupby(["method", "depth", "dataset"])["seconds"].mean()
    published = published_orrt().set_index("dataset")
    rows = []
    for depth in sorted(runs.loc[runs["method"] == "fit_orrt", "depth"].unique()):
        for name in runs["dataset"].unique():
            row = {"depth": depth, "dataset": name, "r2": means["fit_orrt", depth, name]}
            row["published"] = published.loc[name, f"S-ORRT_D{depth}"]
            row["fit_orrt_cv"] = means["fit_orrt_cv", depth, name]
            row["fit_srt"] = means["fit_srt", depth, name]
            row |= {method: means[method, 0, name] for method in peers(1)}
            row["seconds"] = seconds["fit_orrt", depth, name]
            row["seconds_cv"] = seconds["fit_orrt_cv", depth, name]
            rows.append(row)
    return rows


def judge(rows):
    """The targets, for every depth that ran: of the published steepness, and of the one chosen on folds."""
    targets = []
    for depth in sorted({row["depth"] for row in rows}):
        group = [row for row in rows if row["depth"] == depth]
        at = f"depth {depth}, {len(group)} sets"
        mean = {
            what: sum(row[what] for row in group) / len(group)
            for what in group[0]
            if what != "dataset"
        }
        for name, column in (("defaults", "r2"), ("γ by folds", "fit_orrt_cv")):
            gain = mean[column] - mean["published"]
            targets.append(target(f"{at}, {name}: mean R² minus the published", gain, ">=", 0))
            if depth == 3:
                for method in ("OLS", "LASSO", "CART", "rpart"):
                    what = f"{at}, {name}: mean R² minus that of {method}"
                    targets.append(target(what, mean[column] - mean[method], ">=", 0.1))
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", help="default: every published set in the folder")
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--resume", action="store_true", help="keep the runs already in the file and do the others"
    )
    arguments = parser.parse_args()

    sets = published_sets(arguments.data_folder, arguments.sets, published_orrt)
    runs = RUNS.carry_out(
        planned_runs(sets, arguments),
        arguments.resume,
        lambda row: f"{row['r2']:.4f} {row['seconds']:.2f} s",
    )
    table = summarize(runs)
    explanation = (
        f"Test R², mean over {arguments.splits} splits of 75/25. r2: fit_orrt with default settings (γ of 32, 128 or 512 by folds; the rows in the table with γ = 128); "
        f"fit_orrt_cv: γ of 32, 128 or 512 by {CHOICE_FOLDS} folds of the training rows. seconds: a fit on "
        f"{arguments.threads} threads, with much other work on the machine. published: S-ORRT without penalties, "
        "γ = 512, 1000 starts, on splits of its own. LASSO and CART are chosen by five folds of the training rows; "
        "rpart: splits that lower the error by 1 % of the response's variance, at least 7 rows a leaf, which is R's "
        f"default and near the CART of the published table; forest: {FOREST_TREES} trees."
    )
    sections = {"Targets": judge(table), "Per set": table, "How to read it": explanation}
    write_results("orrt_accuracy", "Accuracy of ORRT", table, sections, PACKAGES)


if __name__ == "__main__":
    main()
