"""The fitted optimal randomized regression tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from ..results import LeafModel, OrrtReport
from .from_core import fit_report, linear_form
from .regression import RegressionModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OrrtModel(RegressionModel):
    """A fitted optimal randomized regression tree.

    Made by :func:`softwood.fit_orrt` and :func:`softwood.load`. A row is predicted by the mean of
    all leaves' linear models, weighted by the probabilities that it reaches them: predictions are
    smooth. Methods that take rows accept what `fit_orrt` accepts; a data frame must have the
    columns of the training rows, in their order. Models do not change; they may be shared between
    threads, compared, copied and pickled.

    Attributes
    ----------
    depth : int
        Depth of the tree: splits on the longest way to a leaf.
    splits, leaves : tuple of int
        The B nodes that split, breadth first, and the L leaves, from left to right. Node 0 is the
        root, the children of node t are 2t + 1 (left) and 2t + 2 (right).
    gamma : float
        Steepness of the splits.
    scaling : str
        How features are mapped to [0, 1]: ``"minmax"`` or ``"quantile"``.
    feature_names : list of str
        Names of the features; x0, x1, … if the training rows had none.
    typical_values : ndarray, shape (p,)
        Typical value of each feature: the weighted median of the training rows.
    coefficients : ndarray, shape (B, p)
        Coefficients a of the splits, on scaled features u: a row for each of `splits`. A row of X
        goes left with probability 1/(1 + exp(−γ(aᵀu/p − μ))).
    intercepts : ndarray, shape (B,)
        Intercepts μ of the splits.
    leaf_coefficients : ndarray, shape (L, p)
        Coefficients β of the leaf models, on scaled features, in units of y.
    leaf_intercepts : ndarray, shape (L,)
        Intercepts β_0 of the leaf models, in units of y.
    leaf_weights : ndarray, shape (L,)
        Weight of the training rows that end in each leaf by their likelier branches.
    ridge_leaves, ridge_mean : ndarray, shape (p + 1,)
        The penalties λ_β and κ of the fit, as asked for or chosen: of each feature's leaf slopes
        around their mean over the leaves, and of these means; then of the intercepts.
    local_sparsity, global_sparsity : float
        Share of the coefficients of splits and leaves that are exactly 0, and of the features that
        neither splits nor leaves use, in percent.
    report : OrrtReport
        How the fit went.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> model = softwood.fit_orrt(X, abs(X[:, 0]), depth=1)
    >>> model.depth, model.coefficients.shape, model.leaf_coefficients.shape
    (1, (1, 2), (2, 2))
    """

    __slots__ = ()

    _handle: _core.OrrtHandle
    _handle_type = _core.OrrtHandle

    @property
    def gamma(self) -> float:
        """Steepness of the splits."""
        return self._handle.gamma

    @property
    def ridge_leaves(self) -> NDArray[np.float64]:
        """Penalties of each feature's leaf slopes, then of the intercepts, around their mean."""
        return self._handle.ridge_leaves

    @property
    def ridge_mean(self) -> NDArray[np.float64]:
        """Penalties κ of these means."""
        return self._handle.ridge_mean

    @property
    def local_sparsity(self) -> float:
        """δ_L: share of the coefficients of splits and leaves that are exactly 0, in percent."""
        return self._handle.local_sparsity

    @property
    def global_sparsity(self) -> float:
        """δ_G: share of features that neither splits nor leaves use, in percent."""
        return self._handle.global_sparsity

    @property
    def report(self) -> OrrtReport:
        """How the fit went."""
        return fit_report(OrrtReport, self._handle.report(), self.scaling)

    def explain(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Explain predictions by their derivatives, which are exact everywhere.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, p)
            Entry [i, j] tells by how much the prediction changes per unit of feature j where row i
            stands: within the leaves, and by moving the row between them.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        >>> model = softwood.fit_orrt(X, abs(X[:, 0]), depth=1)
        >>> step = np.array([[1e-6, 0.0]])
        >>> change = model.predict(X + step) - model.predict(X - step)
        >>> bool(np.allclose(model.explain(X)[:, 0], change / 2e-6, atol=1e-5))
        True
        """
        return self._handle.explain(self._rows(X, n_threads), n_threads)

    def leaf_model(self, leaf: int) -> LeafModel:
        """Write a leaf's linear model in the units and names of the training rows.

        Parameters
        ----------
        leaf : int
            Leaf, 0 to L − 1 from left to right.

        Returns
        -------
        LeafModel
            Features, weights and intercept; ``str(leaf_model)`` is the sum in words. Predictions
            mix all leaves by `leaf_probabilities`.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
        >>> model = softwood.fit_orrt(X, abs(X[:, 0]), depth=1)
        >>> leaves = [model.leaf_model(0), model.leaf_model(1)]
        >>> values = [leaf.intercept + X[:, leaf.features] @ leaf.weights for leaf in leaves]
        >>> mixed = (model.leaf_probabilities(X) * np.transpose(values)).sum(axis=1)
        >>> bool(np.allclose(mixed, model.predict(X)))
        True
        """
        return linear_form(LeafModel, self._handle.leaf_model(leaf))
