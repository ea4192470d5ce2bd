"""What fitted classification trees of hard splits have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import TreeModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .. import _core


class HardClassifierModel(TreeModel):
    """A tree whose splits send every row one way for certain, each leaf with a class."""

    __slots__ = ()

    _handle: _core.SpdtHandle | _core.Svm1OdtHandle

    @property
    def classes(self) -> NDArray[Any]:
        """Distinct labels in increasing order, shape (K,)."""
        return self._handle.classes

    @property
    def n_features(self) -> int:
        """Columns of the training rows, or features that stand for them."""
        return self._handle.n_features

    @property
    def features_(self) -> NDArray[np.int64]:
        """The features that splits use, increasing."""
        return self._handle.used_features

    @property
    def leaf_classes(self) -> NDArray[Any]:
        """Class of each leaf, from left to right, shape (L,)."""
        return self.classes.take(self._handle.leaf_classes)

    @property
    def leaf_frequencies(self) -> NDArray[np.float64]:
        """Frequencies of the classes among the training rows of each leaf, shape (L, K)."""
        return self._handle.leaf_frequencies

    @property
    def leaf_weights(self) -> NDArray[np.float64]:
        """Weight of the training rows of each class that end in each leaf, shape (L, K)."""
        return self._handle.leaf_weights

    @property
    def global_sparsity(self) -> float:
        """Share of features that no split uses, in percent."""
        return self._handle.global_sparsity

    def split_weights(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the weights of all splits as a sparse matrix.

        Returns
        -------
        indptr, indices, data : ndarray
            A CSR matrix with a row for each of `splits` and a column for each feature:
            ``scipy.sparse.csr_array((data, indices, indptr), (B, n_features))``.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_spdt(X, y, depth=1, split_features=5)
        >>> indptr, indices, data = model.split_weights()
        >>> left = X[:, indices] @ data >= model.intercepts[0]
        >>> bool((left == (model.apply(X) == 0)).all())
        True
        """
        return self._handle.split_weights()

    def predict(self, X: Any, *, n_threads: int | None = None) -> NDArray[Any]:
        """Predict the class of each row: that of the leaf at which it ends.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            Threads to use, by default one for each core. The result does not depend on it.

        Returns
        -------
        ndarray, shape (N,)
            Labels.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_spdt(X, y)
        >>> model.predict(X[:1]).tolist()
        ['malignant']
        """
        return self.classes.take(self._handle.predict(self._rows(X, n_threads), n_threads))

    def predict_proba(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Those of the training rows that end in the same leaf.

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
        >>> model = softwood.fit_svm1_odt(X, y, depth=1, max_nodes=0)
        >>> bool((model.classes[model.predict_proba(X).argmax(axis=1)] == model.predict(X)).all())
        True
        """
        return self._handle.predict_proba(self._rows(X, n_threads), n_threads)

    def _shown(self) -> dict[str, object]:
        classes, used = len(self.classes), len(self.features_)
        return {"features": f"{used} of {self.n_features}", "classes": classes}
