"""The fitted sparse perceptron decision tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..results import SpdtReport
from .from_core import fit_report
from .hard import HardClassifierModel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SpdtModel(HardClassifierModel):
    """A fitted sparse perceptron decision tree.

    Made by :func:`softwood.fit_spdt` and :func:`softwood.load`. Splits are hard: a row goes left at
    a split where the weighted sum of its features is at least the threshold. Methods that take rows
    accept what `fit_spdt` accepts. Models do not change; they may be shared between threads,
    compared, copied and pickled.

    Attributes
    ----------
    depth : int
        Depth of the tree: splits on the longest way to a leaf.
    splits, leaves : tuple of int
        The B nodes that split, breadth first, and the L leaves, from left to right. Node 0 is the
        root, the children of node t are 2t + 1 (left) and 2t + 2 (right).
    classes : ndarray, shape (K,)
        Distinct labels in increasing order.
    n_features : int
        Columns of the training rows, or features that stand for them.
    features_ : ndarray of int64
        The features that splits use, increasing.
    feature_names : list of str
        Names of the columns of the training rows; x0, x1, … if they had none.
    intercepts : ndarray, shape (B,)
        Thresholds of the splits.
    leaf_classes : ndarray, shape (L,)
        Class of each leaf, from left to right.
    leaf_frequencies : ndarray, shape (L, K)
        Frequencies of the classes in each leaf, far from the split above it, on held-out rows.
    leaf_weights : ndarray, shape (L, K)
        Weight of the training rows of each class that end in each leaf.
    global_sparsity : float
        Share of features that no split uses, in percent.
    report : SpdtReport
        How the fit went.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_spdt(X, y, split_features=5, feature_names=names)
    >>> len(model.features_) <= 5 * len(model.splits)
    True
    """

    __slots__ = ()

    _handle: _core.SpdtHandle
    _handle_type = _core.SpdtHandle

    @property
    def leaf_frequencies(self) -> NDArray[np.float64]:
        """Frequencies of the classes in each leaf, on held-out rows, shape (L, K).

        Those of rows far from the split above the leaf; nearer to it they are less certain.
        """
        return self._handle.leaf_frequencies

    @property
    def report(self) -> SpdtReport:
        """How the fit went."""
        handle = self._handle
        return fit_report(SpdtReport, handle.report(), "none", handle.classes.tolist())

    def select(self, X: Any) -> NDArray[np.float64]:
        """Return the features that splits use, those of `features_`, as dense rows.

        Few enough for trees of other kinds, which then make more of them than hard splits do.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.

        Returns
        -------
        ndarray, shape (N, len(features_))
            The features.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> few = softwood.fit_spdt(X, y, max_features=5)
        >>> tree = softwood.fit_orct(few.select(X), y, depth=1, n_starts=1)
        >>> bool((tree.predict(few.select(X)) == y).mean() > 0.9)
        True
        """
        rows, features = self._rows(X), self.features_
        if rows.shape[1] != self.n_features:
            raise ValueError(f"X has {rows.shape[1]} columns, the model {self.n_features}")
        if isinstance(rows, np.ndarray):
            return rows[:, features].astype(np.float64)
        selected = np.zeros((len(rows), len(features)))
        if len(features):
            places = np.searchsorted(features, rows.indices).clip(max=len(features) - 1)
            used = features[places] == rows.indices
            owners = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
            selected[owners[used], places[used]] = rows.data[used]
        return selected

    def predict_proba(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Predict the probability of each class.

        That of the leaf, calibrated on rows which the classifiers of the split above it had not
        seen: the nearer a row is to that split, the more alike are its two most probable classes.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, K)
            Probabilities, in the order of `classes`; rows sum to 1. The largest is that of the
            class that `predict` tells.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_spdt(X, y)
        >>> bool((model.classes[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all())
        True
        """
        return self._handle.predict_proba(self._rows(X, n_threads), n_threads)

    def decision_values(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Compute how strongly rows speak for the classes.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N,) or (N, K)
            Of two classes the log odds of the second, above 0 where it is predicted; of more the
            logarithms of their probabilities.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_spdt(X, y)
        >>> bool(((model.decision_values(X) > 0) == (model.predict(X) == "malignant")).all())
        True
        """
        return self._handle.decision_values(self._rows(X, n_threads), n_threads)
