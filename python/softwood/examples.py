"""A data set that ships with the package, for examples and a first try."""

from __future__ import annotations

import csv
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray


def load_example() -> tuple[NDArray[np.float64], NDArray[np.str_], list[str]]:
    """Load the Breast Cancer Wisconsin (Diagnostic) data.

    569 samples of breast tissue, 30 measurements of the cell nuclei in each, and whether the
    tumour was ``"malignant"`` (212) or ``"benign"`` (357).

    Returns
    -------
    X : ndarray of float64, shape (569, 30)
        Measurements: mean, standard error (``_se``) and mean of the three largest values
        (``_worst``) of ten features.
    y : ndarray of str, shape (569,)
        Diagnoses.
    names : list of str
        Names of the columns.

    References
    ----------
    W. Wolberg, O. Mangasarian, N. Street, W. Street: Breast Cancer Wisconsin (Diagnostic). UCI
    Machine Learning Repository (1993), https://doi.org/10.24432/C5DW2B, CC BY 4.0.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> X.shape, str(y[0]), names[0]
    ((569, 30), 'malignant', 'radius_mean')
    """
    path = files("softwood").joinpath("data", "breast_cancer.csv")
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    X = np.array([row[:-1] for row in rows], dtype=np.float64)
    return X, np.array([row[-1] for row in rows]), header[:-1]
