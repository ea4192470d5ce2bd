"""What fitted regression trees of every kind have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .soft import SoftTreeModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RegressionModel(SoftTreeModel):
    """A fitted regression tree of any kind, with a linear model in every leaf."""

    __slots__ = ()

    _handle: _core._RegressionHandle

    @property
    def leaf_coefficients(self) -> NDArray[np.float64]:
        """Coefficients β of the leaf models, in units of y, shape (L, p)."""
        return self._handle.leaf_coefficients

    @property
    def leaf_intercepts(self) -> NDArray[np.float64]:
        """Intercepts β_0 of the leaf models, in units of y, shape (L,)."""
        return self._handle.leaf_intercepts

    @property
    def leaf_weights(self) -> NDArray[np.float64]:
        """Weight of the training rows that end in each leaf, shape (L,), or (0,) if not known."""
        return self._handle.leaf_weights

    def predict(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Predict the response of each row.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            Threads to use, by default one for each core. The result does not depend on it.

        Returns
        -------
        ndarray, shape (N,)
            Predictions, in units of y.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
        >>> model.predict([[0.5, 0.0], [-0.9, 0.0]]).round(1).tolist()
        [0.5, 0.9]
        """
        return self._handle.predict(self._rows(X, n_threads), n_threads)

    def effects(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Explain predictions by what they owe to each feature's not being typical.

        Feature ablation with the typical values as baseline: exact differences, changes of leaf
        included.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, columns)
            Entry [i, j] tells by how much the prediction of row i is higher than it would be if
            feature j alone were set back to its typical value (`typical_values`). Effects of
            several features need not add up to that of all of them.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
        >>> row, back = X[:1], X[:1].copy()
        >>> back[0, 0] = model.typical_values[0]
        >>> change = model.predict(row) - model.predict(back)
        >>> bool(np.allclose(model.effects(row)[:, 0], change))
        True
        """
        return self._handle.effects(self._rows(X, n_threads), n_threads)

    def importance(self, kind: str = "sum", of: str = "splits") -> NDArray[np.float64]:
        """Measure how much each feature matters.

        Parameters
        ----------
        kind : {"sum", "max", "weighted"}
            Sum or maximum of the absolute coefficients, on scaled features, or their sum with
            each split and leaf counted by the share of the training rows that get there.
        of : {"splits", "leaves"}
            Whose coefficients.

        Returns
        -------
        ndarray, shape (p,)
            Importances, not negative.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
        >>> bool((model.importance() == abs(model.coefficients[0])).all())
        True
        """
        return self._handle.importance(kind, of)
