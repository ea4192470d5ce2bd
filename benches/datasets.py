"""Data sets, their splits and the published figures that the benchmarks compare with."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

PUBLISHED = Path(__file__).parent / "published"


def load(folder, name):
    """X as float64 with nominal columns as indicators, y as class numbers."""
    frame = pd.read_csv(Path(folder) / f"{name}.csv.gz")
    y = np.unique(frame.pop("target"), return_inverse=True)[1]
    return pd.get_dummies(frame, drop_first=True).to_numpy(float), y


def split(X, y, number):
    """The 75/25 split of that number: X_train, X_test, y_train, y_test."""
    return train_test_split(X, y, test_size=0.25, random_state=number)


def published_orct():
    """One row per (depth, dataset): test accuracy in % and seconds."""
    return pd.read_csv(PUBLISHED / "orct_accuracy.csv", comment="#")


def published_sets(folder, wanted=None):
    """The wanted sets (all by default) of the published table that the folder holds, in the table's order."""
    names = published_orct()["dataset"].unique()
    unknown = set(wanted or ()) - set(names)
    if unknown:
        raise SystemExit(f"not in the published table: {', '.join(sorted(unknown))}")
    present = [
        n for n in names if (Path(folder) / f"{n}.csv.gz").exists() and (not wanted or n in wanted)
    ]
    if not present:
        raise SystemExit(f"{folder} holds none of {', '.join(names)}")
    return present
