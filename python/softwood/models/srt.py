"""The fitted soft regression tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from ..results import Curve, LeafModel, SrtReport
from .from_core import fit_report, linear_form
from .regression import RegressionModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SrtModel(RegressionModel):
    """A fitted soft regression tree.

    Made by :func:`softwood.fit_srt` and :func:`softwood.load`. A row takes the likelier branch at
    every split and is predicted by the linear model of the one leaf it reaches. Methods that take
    rows accept what `fit_srt` accepts; a data frame must have the columns of the training rows, in
    any order. Models do not change; they may be shared between threads, compared, copied and
    pickled.

    Attributes
    ----------
    depth : int
        Depth of the tree: splits on the longest way to a leaf.
    splits, leaves : tuple of int
        The B nodes that split, breadth first, and the L leaves, from left to right. Node 0 is the
        root, the children of node t are 2t + 1 (left) and 2t + 2 (right).
    scaling : str
        How features are mapped to [0, 1]: ``"minmax"`` or ``"quantile"``.
    feature_names : list of str
        Names of the columns of the training rows; x0, x1, … if they had none.
    encoded_names : list of str
        Names of the p features that stand for the columns of a table; else the same.
    typical_values : ndarray
        Typical value of each column: the weighted median of the training rows, or a level.
    coefficients : ndarray, shape (B, p)
        Coefficients ω of the splits, on scaled features u: a row for each of `splits`. A row of X
        goes left where ω_0 + ωᵀu/p ≥ 0.
    intercepts : ndarray, shape (B,)
        Intercepts ω_0 of the splits.
    leaf_coefficients : ndarray, shape (L, p)
        Coefficients β of the leaf models, on scaled features, in units of y.
    leaf_intercepts : ndarray, shape (L,)
        Intercepts β_0 of the leaf models, in units of y. Curves, if the model has any, are 0 up to
        their first bend and add to the leaf models beyond: to read signs use `leaf_model` and
        `curves`, which report total effects.
    leaf_weights : ndarray, shape (L,)
        Weight of the training rows that end in each leaf; empty if the model's file does not tell.
    ridge_branches, ridge_leaves : ndarray, shape (p + 1,)
        The penalties λ_ω and λ_β of the fit, as asked for or chosen: of each feature's
        coefficients, then of the intercepts.
    report : SrtReport
        How the fit went.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    >>> model.depth, model.coefficients.shape, model.leaf_coefficients.shape
    (1, (1, 2), (2, 2))
    """

    __slots__ = ()

    _handle: _core.SrtHandle
    _handle_type = _core.SrtHandle

    @property
    def ridge_branches(self) -> NDArray[np.float64]:
        """Penalties λ_ω of each feature, then of the intercepts, shape (p + 1,)."""
        return self._handle.ridge_branches

    @property
    def ridge_leaves(self) -> NDArray[np.float64]:
        """Penalties λ_β of each feature, then of the intercepts, shape (p + 1,)."""
        return self._handle.ridge_leaves

    @property
    def report(self) -> SrtReport:
        """How the fit went."""
        return fit_report(SrtReport, self._handle.report(), self.scaling)

    def explain(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Explain predictions by their derivatives.

        A derivative tells of small changes within a leaf only; `effects` tell of larger ones, and
        `explain_path` why a row is in its leaf.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, columns)
            Entry [i, j] tells by how much the prediction changes per unit of column j where row i
            stands: the slope of its leaf and of the column's curve. Between leaves predictions
            jump. NaN for bools and levels of tables, which have no derivative.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
        >>> model.explain([[0.5, 0.0], [-0.75, 0.0]])[:, 0].round(1).tolist()
        [1.0, -1.0]
        """
        return self._handle.explain(self._rows(X, n_threads), n_threads)

    def leaf_model(self, leaf: int) -> LeafModel:
        """Write a leaf's linear model in the units and names of the training rows.

        Where a feature has a curve (`curves`), the weight is what the leaf adds to the mean slope
        of all leaves, which is part of the curve.

        Parameters
        ----------
        leaf : int
            Leaf, 0 to L − 1 from left to right.

        Returns
        -------
        LeafModel
            Features, weights and intercept; ``str(leaf_model)`` is the sum in words.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
        >>> leaf = model.leaf_model(0)
        >>> rows = X[model.apply(X) == 0]
        >>> predicted = leaf.intercept + rows[:, leaf.features] @ leaf.weights
        >>> bool(np.allclose(predicted, model.predict(rows)))
        True
        """
        return linear_form(LeafModel, self._handle.leaf_model(leaf))

    def curves(self) -> tuple[Curve, ...]:
        """Write the curves that all leaves share in the units and names of the training rows.

        A curve is the total of a feature's effect that leaves share: the mean of their slopes along
        it and all that bends, 0 at the typical value. Where it is above 0, the feature raises
        predictions. A prediction is the leaf's linear model (`leaf_model`) plus what curves add.

        Returns
        -------
        tuple of Curve
            The curve of each feature that has one, the widest range of effects first; empty if the
            model was fitted without curves.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
        >>> y = np.exp(X[:, 0]) + np.where(X[:, 0] > X[:, 1], 2, X[:, 1])
        >>> model = softwood.fit_srt(X, y, depth=1, curves=True)
        >>> leaf, curves = model.leaf_model(0), model.curves()
        >>> rows = X[model.apply(X) == 0]
        >>> line = leaf.intercept + rows[:, leaf.features] @ leaf.weights
        >>> bends = sum(np.interp(rows[:, c.feature], c.values, c.effects) for c in curves)
        >>> bool(np.allclose(line + bends, model.predict(rows)))
        True
        >>> typical = model.typical_values
        >>> [bool(np.interp(typical[c.feature], c.values, c.effects) < 1e-9) for c in curves]
        [True, True]
        """
        return tuple(linear_form(Curve, fields) for fields in self._handle.curves())
