"""Tables fitted as they come from their CSV files, beside hand-made dummies and hist boosting's own categories."""

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import r2_score
from sklearn.preprocessing import OneHotEncoder

import softwood
from datasets import split
from record import target, write_results
from runs import Runs

PACKAGES = ("scikit-learn", "pandas")
KEY = ["dataset", "method", "split"]
RUNS = Runs("tables_runs", KEY, [*KEY, "score", "features"], [], PACKAGES)

# Columns of numbers that are names.
CODES = {"heart_cleveland": ["cp", "restecg", "slope", "thal"]}
REGRESSION = {"auto_mpg"}
SETS = ("credit_approval", "heart_cleveland", "hepatitis", "auto_mpg", "adult")

TABLE, ALL_LEVELS, FIRST_DROPPED = "table", "dummies, all levels", "dummies, first dropped"
BOOSTING = "hist boosting"

# From so many rows on there are fewer starts, and fewer splits.
MANY_ROWS, FEW_STARTS = 10_000, 2

# Rows and levels of the table that is encoded for its time.
LARGE = 1_000_000
LEVELS = (2, 3, 5, 8, 12)


def read(folder, name):
    """The columns as the file has them, and the target."""
    frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    y = frame.pop("target")
    for column in CODES.get(name, ()):
        frame[column] = frame[column].astype("category")
    return frame, y.to_numpy()


def fit(X, y, name, arguments, **settings):
    """A tree at its defaults, deep enough for the classes; a regression with curves."""
    settings |= {"n_threads": arguments.threads}
    if name in REGRESSION:
        return softwood.fit_srt(X, y, 3, curves=True, **settings)
    depth = 2 if len(np.unique(y)) <= 4 else 3
    if len(y) >= MANY_ROWS:
        settings["n_starts"] = FEW_STARTS
    return softwood.fit_orct(X, y, depth, **settings)


def dummies(frame, training, drop_first):
    """Indicators by hand: medians for missing numbers, nothing for missing levels or those of no training row."""
    parts = []
    for name, column in frame.items():
        if pd.api.types.is_numeric_dtype(column):
            parts.append(column.fillna(training[name].median()))
        else:
            levels = sorted(training[name].dropna().unique())[int(drop_first) :]
            parts += [column == level for level in levels]
    return np.column_stack(parts).astype(float)


def run_table(train, test, y_train, y_test, name, number, arguments):
    model = fit(train, y_train, name, arguments, missing="indicator", random_state=number)
    return {
        "score": score(y_test, model.predict(test), name),
        "features": len(model.encoded_names),
    }


def run_dummies(train, test, y_train, y_test, name, number, arguments, drop_first):
    X, X_test = (dummies(frame, train, drop_first) for frame in (train, test))
    model = fit(X, y_train, name, arguments, random_state=number)
    return {"score": score(y_test, model.predict(X_test), name), "features": X.shape[1]}


def run_boosting(train, test, y_train, y_test, name, number, _):
    kind = HistGradientBoostingRegressor if name in REGRESSION else HistGradientBoostingClassifier
    nominal = train.select_dtypes(exclude="number").columns
    as_categories = {c: pd.CategoricalDtype(sorted(train[c].dropna().unique())) for c in nominal}
    model = kind(categorical_features="from_dtype", random_state=number)
    model.fit(train.astype(as_categories), y_train)
    predicted = model.predict(test.astype(as_categories))
    return {"score": score(y_test, predicted, name), "features": train.shape[1]}


def score(y, predicted, name):
    """Test accuracy or R², in points of a hundred."""
    return 100 * (r2_score(y, predicted) if name in REGRESSION else np.mean(predicted == y))


METHODS = {
    TABLE: run_table,
    ALL_LEVELS: partial(run_dummies, drop_first=False),
    FIRST_DROPPED: partial(run_dummies, drop_first=True),
    BOOSTING: run_boosting,
}


def planned_runs(arguments):
    """Every (key, work) of this call."""
    for name in arguments.sets:
        frame, y = read(arguments.data_folder, name)
        for number in range(arguments.splits if len(frame) < MANY_ROWS else arguments.large_splits):
            parts = split(frame, y, number)
            for method, run in METHODS.items():
                yield (name, method, number), partial(run, *parts, name, number, arguments)


def encoding_times(threads):
    """Best of three: seconds to encode a large table of five numbers and five columns of text."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=LARGE) for j in range(5)}
    for count in LEVELS:
        columns[f"c{count}"] = np.array([f"level {k}" for k in range(count)], object)[
            rng.integers(0, count, LARGE)
        ]
    frame = pd.DataFrame(columns)
    categories = frame.astype({f"c{count}": "category" for count in LEVELS})
    few = frame[:2000]
    model = softwood.fit_orct(few, few["x0"] > 0, 1, n_starts=1, n_threads=threads)
    numbers, nominal = frame.columns[:5], frame.columns[5:]
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(few[nominal])
    ways = {
        "softwood, text": lambda: model.encode(frame, n_threads=threads),
        "softwood, categories": lambda: model.encode(categories, n_threads=threads),
        "softwood, text, predict": lambda: model.predict(frame, n_threads=threads),
        "pandas.get_dummies, text": lambda: pd.get_dummies(frame).to_numpy(float),
        "OneHotEncoder, text": lambda: np.hstack(
            [frame[numbers].to_numpy(), encoder.transform(frame[nominal])]
        ),
    }
    seconds = dict.fromkeys(ways, np.inf)
    for _ in range(3):
        for name, encode in ways.items():
            began = time.perf_counter()
            encode()
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    return [{"way": name, "seconds": value} for name, value in seconds.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_folder")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--large-splits", type=int, default=1, help="of sets from 10,000 rows on")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--resume", action="store_true", help="keep the runs already in the file")
    arguments = parser.parse_args()

    runs = RUNS.carry_out(
        planned_runs(arguments), arguments.resume, lambda row: f"{row['score']:.2f}"
    )
    scores = runs.pivot_table(index="dataset", columns="method", values="score", sort=False)
    scores.loc["mean"] = scores.mean()
    splits = runs.groupby("dataset")["split"].nunique()
    table = scores[list(METHODS)].copy()
    table.insert(0, "splits", splits.reindex(table.index).astype("Int64"))
    features = runs.pivot_table(index="dataset", columns="method", values="features", sort=False)
    mean = scores.loc["mean"]
    times = encoding_times(arguments.threads)
    seconds = {row["way"]: row["seconds"] for row in times}
    targets = [
        target(
            "mean score minus that of dummies, all levels", mean[TABLE] - mean[ALL_LEVELS], ">=", 0
        ),
        target(
            "mean score minus that of dummies, first dropped",
            mean[TABLE] - mean[FIRST_DROPPED],
            ">=",
            0,
        ),
        target("mean score minus hist boosting's", mean[TABLE] - mean[BOOSTING], ">=", -0.5),
        target("seconds to encode 10⁶ × 10, text", seconds["softwood, text"], "<=", 10),
    ]
    sections = {
        "Targets": targets,
        "Test score": table.reset_index(),
        "Features": features[list(METHODS)].reset_index(),
        "Encoding a table of 10⁶ rows, 5 columns of numbers and 5 of text": times,
        "How to read it": (
            "Test accuracy in %, of auto_mpg 100 R², mean over the splits (75/25). `table` is one call with the columns "
            "as pandas reads them from the file (heart_cleveland: four columns of codes made categories) and "
            '`missing="indicator"`: `fit_orct` at its defaults (depth 2, for the five classes of heart_cleveland 3; for adult 2 starts), for auto_mpg `fit_srt(depth=3, curves=True)`. Dummies: '
            "the same fits of hand-made indicators. Hist boosting at its defaults with the same columns as categories. "
            "Seconds: best of three, in turns."
        ),
    }
    write_results("tables", "Tables as they come", table.reset_index(), sections, PACKAGES)


if __name__ == "__main__":
    main()
