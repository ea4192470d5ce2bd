"""Rows, labels, responses and weights: usual, at the ends of the range, and wrong ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from draw import Draw

LARGEST = np.finfo(float).max


class Data:
    """Rows with all that may stand beside them."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        extreme = draw.mood == "extreme"
        self.rows = draw.one([1, 2, 3, 5, 8, 40]) if extreme else draw.whole(8, 60)
        self.columns = (
            draw.one([1, 2, 40, 200, 500]) if extreme and draw.chance(0.5) else draw.whole(1, 6)
        )
        self.X = self._values(extreme)
        self.classes = draw.one([2, 2, 2, 3, 4])
        self.codes = self._codes()

    def _values(self, extreme: bool) -> np.ndarray:
        draw, shape = self.draw, (self.rows, self.columns)
        kind = draw.one(["normal", "normal", "integers", "binary", "few"])
        if kind == "normal":
            X = draw.numpy.normal(size=shape)
        elif kind == "integers":
            X = draw.numpy.integers(-50, 50, size=shape).astype(float)
        elif kind == "binary":
            X = draw.numpy.integers(0, 2, size=shape).astype(float)
        else:
            X = draw.numpy.choice(draw.numpy.normal(size=3), size=shape)
        if not extreme:
            return X
        with np.errstate(all="ignore"):
            scales = np.array(
                [draw.magnitude(draw.one([0.0, 12.0, 307.0])) for _ in range(shape[1])]
            )
            shifts = np.array([draw.one([0.0, 0.0, 1e6, -1e12, 1e300]) for _ in range(shape[1])])
            X = np.clip(np.nan_to_num(X * scales + shifts), -LARGEST, LARGEST)
        if draw.chance(0.2):
            X[:, draw.whole(0, shape[1] - 1)] = draw.one([0.0, 5e-324, -LARGEST, 7.0])
        if draw.chance(0.1):
            X[draw.whole(0, shape[0] - 1)] = draw.one([LARGEST, -LARGEST, 5e-324])
        return X

    def _codes(self) -> np.ndarray:
        draw, column = self.draw, self.X[:, 0]
        if draw.chance(0.7) and len(np.unique(column)) > self.classes:
            codes = np.searchsorted(
                np.quantile(column / 4, np.linspace(0, 1, self.classes + 1)[1:-1]), column / 4
            )
        else:
            codes = draw.numpy.integers(0, self.classes, size=self.rows)
        codes[: self.classes] = np.arange(self.classes)[: self.rows]
        return codes

    def as_rows(self) -> Any:
        """X in one of the forms it may take."""
        forms = {
            "array": lambda X: X,
            "fortran": np.asfortranarray,
            "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
            "list": lambda X: X.tolist(),
            "csr": sparse.csr_matrix,
            "csc": sparse.csc_array,
            "frame": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
            "float32": self._single,
        }
        return forms[self.draw.one(["array", *forms])](self.X)

    @staticmethod
    def _single(X: np.ndarray) -> np.ndarray:
        most = np.finfo(np.float32).max
        return np.clip(X, -most, most).astype(np.float32)

    def labels(self) -> Any:
        """One class for each row."""
        names = {
            "int": np.arange(self.classes),
            "far": np.array([-(2**62), 0, 5, 2**62])[: self.classes],
            "text": np.array(["a", "b", "a\0", "ä b"], dtype=object)[: self.classes],
            "float": np.array([-0.5, 0.25, 1e300, 1e301])[: self.classes],
        }
        return names[self.draw.one(list(names))][self.codes]

    def response(self) -> Any:
        """A number for each row."""
        with np.errstate(all="ignore"):
            y = np.tanh(
                self.X[:, 0] / (np.abs(self.X[:, 0]).max() or 1.0)
            ) + 0.1 * self.draw.numpy.normal(size=self.rows)
            if self.draw.mood == "extreme":
                y = np.clip(
                    y * self.draw.magnitude(307.0) + self.draw.one([0, 0, 1e12]), -LARGEST, LARGEST
                )
        return np.zeros(self.rows) if self.draw.chance(0.05) else y

    def weights(self) -> Any:
        """A weight for each row, or None."""
        draw = self.draw
        kind = draw.one(["none", "none", "uniform", "integers", "zeros", "unit", "spread"])
        if kind == "none":
            return None
        if kind == "integers":
            return draw.numpy.integers(0, 4, size=self.rows)
        weights = draw.numpy.uniform(0.1, 3, size=self.rows)
        if kind == "zeros":
            weights[draw.numpy.random(self.rows) < 0.5] = 0
        if draw.mood == "extreme" and kind == "unit":
            weights *= draw.one([1e-307, 1e-300, 1e-12, 1e12, 1e290, 1e305])
        if draw.mood == "extreme" and kind == "spread":
            weights = 10.0 ** draw.numpy.uniform(-300, 290, size=self.rows)
        return weights


def wrong_rows(draw: Draw, data: Data) -> Any:
    """X as nobody should give it."""
    X = data.X.copy()

    def with_value(value: float) -> np.ndarray:
        X[draw.whole(0, data.rows - 1), draw.whole(0, data.columns - 1)] = value
        return X

    kinds = [
        lambda: with_value(np.nan),
        lambda: with_value(np.inf),
        lambda: with_value(-np.inf),
        lambda: X[:0],
        lambda: X[:, :0],
        lambda: X[0],
        lambda: X[None],
        lambda: X.astype(complex),
        lambda: X.astype(str),
        lambda: X.astype(object),
        lambda: np.where(X > 0, None, X),
        lambda: np.ma.masked_array(X, X > 0),
        lambda: [[1.0], [1.0, 2.0]],
        lambda: np.full((3, 2), np.datetime64("2020-01-01")),
        lambda: X[:-1],
        lambda: np.hstack([X, X]),
        lambda: pd.DataFrame({"a": ["x"] * data.rows, "b": range(data.rows)}),
        lambda: pd.DataFrame(np.zeros((data.rows, 2)), columns=["a", "a"]),
        lambda: sparse.csr_matrix((data.rows, 0)),
        lambda: sparse.coo_matrix(X).tocsr().astype(complex),
        lambda: broken_csr(data),
        lambda: iter(X),
    ]
    return draw.one(kinds)()


def broken_csr(data: Data) -> Any:
    """A sparse matrix whose own arrays contradict each other."""
    matrix = sparse.csr_matrix(np.where(data.X == 0, 1.0, data.X))
    matrix.indices = matrix.indices.copy()
    matrix.indices[-1] = data.draw.one([-1, data.columns, 2**31 - 1])
    return matrix
