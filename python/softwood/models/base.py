"""What fitted models of every kind have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np

from .. import _core, _inputs
from .._features import features_of
from ..results import FitReport, Rule, SplitExplanation
from .from_core import linear_form

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

M = TypeVar("M", bound="TreeModel")


class TreeModel:
    """A fitted tree of any kind.

    Models do not change; they may be shared between threads, compared, copied and pickled.
    """

    __slots__ = ("_handle",)

    _handle: _core._Handle
    _handle_type: ClassVar[Any]

    def __init__(self, handle: Any) -> None:
        if not isinstance(handle, self._handle_type):
            raise TypeError(
                f"{type(self).__name__} is made by the functions that fit, softwood.load and "
                f"from_json, not from {type(handle).__name__}"
            )
        object.__setattr__(self, "_handle", handle)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} does not change: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} does not change: {name} cannot be deleted")

    def _rows(self, X: Any, n_threads: int | None = None) -> _inputs.Rows:
        """Return the features of X, if its columns are those of the training rows."""
        return features_of(self._handle, X, n_threads)

    @property
    def depth(self) -> int:
        """Depth of the tree: splits on the longest way to a leaf."""
        return self._handle.depth

    @property
    def splits(self) -> tuple[int, ...]:
        """The B nodes that split, breadth first.

        Node 0 is the root, the children of node t are 2t + 1 (left) and 2t + 2 (right).
        """
        return tuple(self._handle.splits)

    @property
    def leaves(self) -> tuple[int, ...]:
        """The L nodes that are leaves, from left to right; numbered as the splits."""
        return tuple(self._handle.leaves)

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of the training rows; x0, x1, … if they had none."""
        return self._handle.feature_names

    @property
    def encoded_names(self) -> list[str]:
        """Names of the p features that stand for the columns of a table, as ``"colour is red"``.

        The same as `feature_names` if the model was fitted to numbers.
        """
        return self._handle.encoded_names

    @property
    def typical_values(self) -> NDArray[Any]:
        """Typical value of each column: the weighted median of the training rows, or a level.

        The smallest value that at least half of the weight does not exceed; of levels without an
        order, the most frequent one. Objects if the model was fitted to a table that is not all
        numbers. Files of version 1 have none; the value in the middle of the scaled range takes
        its place.
        """
        values = self._handle.typical_values
        return np.array(values, dtype=object if self._handle.encoded else np.float64)

    def encode(self, X: Any, *, n_threads: int | None = None) -> NDArray[Any]:
        """Return the features that stand for the columns of a table.

        What `coefficients` and the `features` of rules speak of.

        Parameters
        ----------
        X : array_like, data frame or mapping
            Rows with the columns of the training rows: found by their names, in any order, or,
            without names, by their order.
        n_threads : int, optional
            Threads to use, by default one for each core.

        Returns
        -------
        ndarray, shape (N, p)
            A feature for each of `encoded_names`.

        Warns
        -----
        UnseenLevelsWarning
            If a column holds levels that training has not seen: none of its features is 1 then.

        Examples
        --------
        >>> import softwood
        >>> table = {"size": [1.0, 2.0, 3.0, 4.0] * 5, "colour": ["red", "blue"] * 10}
        >>> model = softwood.fit_orct(table, [0, 1] * 10, depth=1, n_starts=1)
        >>> model.encoded_names
        ['size', 'colour is blue', 'colour is red']
        >>> model.encode({"colour": ["red"], "size": [9.0]})
        array([[9., 0., 1.]])
        """
        rows = self._rows(X, n_threads)
        encoded = rows if isinstance(rows, np.ndarray) else _inputs.as_dense_rows(X)
        _inputs.refuse_rows_not_finite(encoded)
        return encoded

    @property
    def intercepts(self) -> NDArray[np.float64]:
        """Intercepts of `splits`, in their order, or thresholds of hard ones, shape (B,)."""
        return self._handle.intercepts

    @property
    def report(self) -> FitReport:
        """How the fit went."""
        raise NotImplementedError

    def apply(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.int64]:
        """Tell at which leaf each row ends if it takes the likelier branch at every split.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            Threads to use, by default one for each core. The result does not depend on it.

        Returns
        -------
        ndarray of int64, shape (N,)
            Leaves, numbered 0 to L − 1 from left to right.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> bool((model.apply(X) == model.leaf_probabilities(X).argmax(axis=1)).all())
        True
        """
        return self._handle.apply(self._rows(X, n_threads), n_threads)

    def decision_path(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.int64]:
        """List the nodes from the root to the leaf that the likelier branches lead to.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            Threads to use, by default one for each core. The result does not depend on it.

        Returns
        -------
        ndarray of int64, shape (N, depth + 1)
            Nodes, numbered as in `splits` and `leaves`; −1 beyond the leaf of a row that ends above
            the deepest level.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> path = model.decision_path(X)
        >>> left = model.leaf_probabilities(X)[:, 0] > 0.5
        >>> bool((path[:, 0] == 0).all()), bool((path[:, 1] == 2 - left).all())
        (True, True)
        """
        return self._handle.decision_path(self._rows(X, n_threads), n_threads)

    def explain_path(self, x: Any) -> tuple[SplitExplanation, ...]:
        """Explain the way of one row through the tree, split by split.

        At every split on the row's `decision_path`, the log odds of going left are those of a
        typical row plus a contribution of each feature, for the difference of its value from the
        typical one. Nothing vanishes where a split is all but certain.

        Parameters
        ----------
        x : array_like, shape (p,), or table of one row
            The row.

        Returns
        -------
        tuple of SplitExplanation
            The splits from the root on; empty if the tree has none.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> (split,) = model.explain_path(X[0])
        >>> abs(split.base + sum(split.contributions) - split.margin) < 1e-9
        True
        >>> first = split.features[0]
        >>> bool(split.values[0] == X[0, first])
        True
        """
        rows = self._rows(_inputs.as_row(x))
        if len(rows) != 1:
            raise ValueError(f"x must be one row, got {len(rows)}")
        told = self._handle.explain_path(rows)
        return tuple(linear_form(SplitExplanation, split) for split in told)

    def describe(self, terms: int | None = None) -> str:
        """Return the tree as text.

        Parameters
        ----------
        terms : int, optional
            Up to so many terms of each split on lines of their own, largest effect first, each
            with the change of the log odds of going left from the smallest to the largest training
            value of its feature. By default splits show their largest terms in one line, as
            ``print(model)`` does.

        Returns
        -------
        str
            A few lines about the fit, then a line for each split and each leaf.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> lines = len(model.describe(terms=30).splitlines()) - len(str(model).splitlines())
        >>> bool(lines == (model.coefficients != 0).sum())
        True
        """
        return self._handle.text(terms)

    def importance(self, kind: str = "sum") -> NDArray[np.float64]:
        """Measure how much each column of the training rows matters to the splits.

        A column that stands for several features counts by the range of what it adds over its
        levels, as |a| is the range of what a number adds.

        Parameters
        ----------
        kind : {"sum", "max", "weighted"}
            Sum or maximum over the splits of the absolute coefficients, or their sum with each
            split counted by the share of the training rows that pass it on their likelier
            branches: a split deep in the tree that few rows see then matters little.

        Returns
        -------
        ndarray, shape (columns,)
            Importances, not negative, one for each of `feature_names`.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> bool((model.importance() == abs(model.coefficients[0])).all())
        True
        """
        return self._handle.importance(kind, "splits")

    def rule(self, t: int) -> Rule:
        """Write a split in the units and names of the training rows.

        Parameters
        ----------
        t : int
            Node, one of `splits`.

        Returns
        -------
        Rule
            Features, weights and threshold; ``str(rule)`` is the rule in words.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> rule = model.rule(0)
        >>> score = X[:, rule.features] @ rule.weights
        >>> bool(((score > rule.threshold) == (model.leaf_probabilities(X)[:, 0] > 0.5)).all())
        True
        """
        return linear_form(Rule, self._handle.rule(t))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that :func:`softwood.load` reads, in any version from this on.

        Parameters
        ----------
        path : str or path-like
            The file; JSON in UTF-8. One that exists is replaced as a whole or not at all.
        """
        self._handle.save(path)

    def to_json(self) -> str:
        """Return the model as text, the content of the file that `save` writes."""
        return self._handle.to_json()

    @classmethod
    def from_json(cls: type[M], text: str) -> M:
        """Make a model from the text that `to_json` returns."""
        return cls(cls._handle_type.from_json(text))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        from . import restore

        return restore, (type(self).__name__, self.to_json())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def _shown(self) -> dict[str, object]:
        """Return what `repr` shows between depth and objective."""
        return {"features": len(self.feature_names)}

    def __repr__(self) -> str:
        shown = {"depth": self.depth, **self._shown()}
        parts = [f"{name}={value!r}" for name, value in shown.items()]
        return f"{type(self).__name__}({', '.join(parts)}, objective={self.report.objective:.6f})"

    def __str__(self) -> str:
        return self._handle.text(None)

    def _repr_html_(self) -> str:
        from ..html import model_html

        return model_html(self)
