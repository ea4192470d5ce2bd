"""What fitted trees of soft splits on scaled features have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .base import TreeModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SoftTreeModel(TreeModel):
    """A fitted tree whose splits send a row left with a probability."""

    __slots__ = ()

    _handle: _core._SoftHandle

    @property
    def scaling(self) -> str:
        """How features are mapped to [0, 1]: ``"minmax"`` or ``"quantile"``."""
        return self._handle.scaling

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Coefficients on scaled features, shape (B, p): a row for each of `splits`."""
        return self._handle.coefficients

    def leaf_probabilities(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Compute the probability that a row ends in each leaf.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            Threads to use, by default one for each core. The result does not depend on it.

        Returns
        -------
        ndarray, shape (N, L)
            Probabilities of the leaves from left to right, by which training weighs them; rows sum
            to 1.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=2, n_starts=2)
        >>> model.leaf_probabilities(X[:3]).sum(axis=1).round(6).tolist()
        [1.0, 1.0, 1.0]
        """
        return self._handle.leaf_probabilities(self._rows(X, n_threads), n_threads)

    def __repr__(self) -> str:
        head, tail = super().__repr__().rsplit(", objective=", 1)
        return f"{head}, scaling={self.scaling!r}, objective={tail}"
