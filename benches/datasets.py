"""Data sets, their splits and the published figures that the benchmarks compare with."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, train_test_split

PUBLISHED = Path(__file__).parent / "published"
# Sets whose numbers are codes of categories, and those with an indicator for every level, as the papers have them.
NOMINAL_CODES = {"balance_scale", "hayes_roth_160"}
ALL_LEVELS = {"hayes_roth_160"}
LEVELS = {"all": slice(None), "first dropped": slice(1, None), "last dropped": slice(-1)}
# Drawn, not read.
FRIEDMAN = "friedman_artificial"


def load(folder, name, levels="first dropped"):
    """X as float64 with an indicator for each level of a nominal column, of which one may be dropped; y as class numbers."""
    frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    y = np.unique(frame.pop("target"), return_inverse=True)[1]
    if name in NOMINAL_CODES:
        frame = frame.astype(str)
    kept = LEVELS["all" if name in ALL_LEVELS else levels]
    numbers = frame.select_dtypes("number")
    nominal = [
        pd.get_dummies(frame[c]).iloc[:, kept]
        for c in frame.columns.difference(numbers.columns, sort=False)
    ]
    return pd.concat([numbers, *nominal], axis=1).to_numpy(float), y


def load_regression(folder, name):
    """X as float64 with nominal columns as indicators, y as float64; Friedman's artificial set is drawn."""
    if name == FRIEDMAN:
        return friedman(40768)
    frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    y = frame.pop("target").to_numpy(float)
    return pd.get_dummies(frame, drop_first=True).to_numpy(float), y


def friedman(rows):
    """Ten uniform features, of which five matter, and noise of variance 1 (Friedman 1991)."""
    rng = np.random.default_rng(0)
    X = rng.random((rows, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=rows)


def folds(X):
    """The four folds of the regression benchmarks, as (training rows, test rows)."""
    return list(KFold(4, shuffle=True, random_state=0).split(X))


def split(X, y, number):
    """The 75/25 split of that number: X_train, X_test, y_train, y_test."""
    return train_test_split(X, y, test_size=0.25, random_state=number)


def published_orct():
    """One row per (depth, dataset): test accuracy in % and seconds."""
    return pd.read_csv(PUBLISHED / "orct_accuracy.csv", comment="#")


def published_srt():
    """One row per (depth, dataset): test R² with its standard deviation, and seconds."""
    return pd.read_csv(PUBLISHED / "srt_r2.csv", comment="#")


def published_orrt():
    """One row per dataset: test R² of S-ORRT at depths 1 to 3 and of its rivals."""
    return pd.read_csv(PUBLISHED / "sorrt_r2.csv", comment="#")


def published_sse():
    """One row per (dataset, method): sum of squared errors of a fold for 1 to 10 intervals."""
    return pd.read_csv(PUBLISHED / "sorrt_fd_sse.csv", comment="#")


def published_fairness():
    """One row per bound on the gap of mean predictions: training error and mean predictions."""
    return pd.read_csv(PUBLISHED / "sorrt_boston_fairness.csv", comment="#")


def published_sparsity():
    """One row per published point: model, depth, kind of penalty, dataset, sparsity and accuracy in %."""
    return pd.read_csv(PUBLISHED / "sparsity.csv", comment="#")


def published_recall():
    """One row per imposed recall: recalls and accuracy in %."""
    return pd.read_csv(PUBLISHED / "pima_recall.csv", comment="#")


def published_sets(folder, wanted=None, published=published_orct):
    """The wanted sets (all by default) of the published table that the folder holds, in the table's order."""
    names = published()["dataset"].unique()
    unknown = set(wanted or ()) - set(names)
    if unknown:
        raise SystemExit(f"not in the published table: {', '.join(sorted(unknown))}")
    held = [n for n in names if n == FRIEDMAN or (Path(folder) / f"{n}.csv.gz").exists()]
    present = [n for n in held if not wanted or n in wanted]
    if not present:
        raise SystemExit(f"{folder} holds none of {', '.join(names)}")
    return present
