"""The objective of the ORCT by itself, for those with an optimizer of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, _inputs
from ._settings import ORCT, PLAIN_GAMMA, depth_of, open_classification

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class OrctObjective:
    """Mean expected misclassification cost of a tree with fixed leaf labels.

    A function of θ, the B·p coefficients of the splits, node after node, followed by their B
    intercepts, where B = 2**depth − 1. This is what :func:`softwood.fit_orct` minimizes over
    −1 ≤ θ ≤ 1.

    Parameters
    ----------
    X : array_like or sparse matrix, shape (N, p)
        Rows, finite. A float64 or float32 array, or the arrays of a CSR matrix, are kept by
        reference, never copied: changing their values changes the objective (the scaling stays
        as learned).
    y : array_like, shape (N,)
        Labels.
    leaf_classes : array_like, shape (2**depth,)
        Label of each leaf, from left to right, as `OrctModel.leaf_classes`.
    depth : int
        Depth of the tree.
    gamma, costs, sample_weight, n_threads
        As in :func:`softwood.fit_orct`.
    scaling : {"minmax", "quantile"}
        As in :func:`softwood.fit_orct`, learned on these rows.

    Notes
    -----
    The object keeps its threads between evaluations; a forked child makes its own. An
    evaluation releases the GIL, and its value does not depend on the number of threads.

    Examples
    --------
    >>> import numpy as np, softwood
    >>> X, y, names = softwood.load_example()
    >>> objective = softwood.OrctObjective(X, y, ["malignant", "benign"], depth=1)
    >>> objective.dim
    31
    >>> value, gradient = objective.value_and_gradient(np.zeros(objective.dim))
    >>> value, gradient.shape
    (0.25, (31,))
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        leaf_classes: Any,
        depth: int = ORCT["depth"],
        *,
        gamma: float = PLAIN_GAMMA,
        costs: ArrayLike | None = ORCT["costs"],
        sample_weight: ArrayLike | None = None,
        scaling: str = "minmax",
        n_threads: int | None = ORCT["n_threads"],
    ) -> None:
        settings = dict(locals())
        del settings["self"], settings["leaf_classes"]
        depth = depth_of(settings)
        rows, codes, classes, weights = open_classification(settings)
        leaf_codes = _inputs.as_leaf_codes(leaf_classes, classes, depth)
        self._core = _core.OrctObjective(rows, codes, classes, leaf_codes, weights, settings)

    @property
    def dim(self) -> int:
        """Length of θ, B·(p + 1)."""
        return self._core.dim

    def value_and_gradient(self, theta: ArrayLike) -> tuple[float, NDArray[np.float64]]:
        """Evaluate the objective and its gradient at θ, in one pass over the rows.

        Parameters
        ----------
        theta : array_like, shape (dim,)
            The point, finite; it may lie outside the box.

        Returns
        -------
        value : float
        gradient : ndarray, shape (dim,)
        """
        return self._core.value_and_gradient(_inputs.as_vector("theta", theta))

    def __repr__(self) -> str:
        return f"OrctObjective(dim={self.dim})"
