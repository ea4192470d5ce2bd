"""The fitted optimal randomized classification tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from ..results import OrctReport
from .from_core import fit_report
from .soft import SoftTreeModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OrctModel(SoftTreeModel):
    """A fitted optimal randomized classification tree.

    Made by :func:`softwood.fit_orct` and :func:`softwood.load`. Methods that take rows accept what
    `fit_orct` accepts; a data frame must have the columns of the training rows, in any order.
    Models do not change; they may be shared between threads, compared, copied and pickled.

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
    classes : ndarray, shape (K,)
        Distinct labels in increasing order.
    feature_names : list of str
        Names of the columns of the training rows; x0, x1, … if they had none.
    encoded_names : list of str
        Names of the p features that stand for the columns of a table; else the same.
    typical_values : ndarray
        Typical value of each column: the weighted median of the training rows, or a level.
    coefficients : ndarray, shape (B, p)
        Coefficients a of the splits, on scaled features: a row for each of `splits`.
    intercepts : ndarray, shape (B,)
        Intercepts μ of the splits.
    leaf_classes : ndarray, shape (L,)
        Label of each leaf, from left to right, that training gave it.
    leaf_frequencies, hard_frequencies : ndarray, shape (L, K)
        Frequencies of the classes in each leaf, as soft and as hard routing uses them.
    leaf_weights : ndarray, shape (L, K)
        Weight of the training rows of each class that end in each leaf.
    decision : str
        How `predict` chooses a class.
    local_sparsity : float
        Share of coefficients that are exactly 0, in percent.
    global_sparsity : float
        Share of features that no split uses, in percent.
    report : OrctReport
        How the fit went.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    >>> model.depth, model.coefficients.shape, sorted(model.leaf_classes.tolist())
    (1, (1, 30), ['benign', 'malignant'])
    """

    __slots__ = ()

    _handle: _core.OrctHandle
    _handle_type = _core.OrctHandle

    @property
    def gamma(self) -> float:
        """Steepness of the splits."""
        return self._handle.gamma

    @property
    def classes(self) -> NDArray[Any]:
        """Distinct labels in increasing order, shape (K,)."""
        return self._handle.classes

    @property
    def leaf_classes(self) -> NDArray[Any]:
        """Label of each leaf that training gave it, from left to right, shape (L,)."""
        return self.classes.take(self._handle.leaf_classes)

    @property
    def leaf_frequencies(self) -> NDArray[np.float64]:
        """Frequency of each class in each leaf, as soft routing mixes them, shape (L, K).

        Together they make the classes of the training rows most probable; where splits are hard
        they are the shares of the classes in the leaf. In models saved by version 0.1 it is 1 for
        the leaf's label, else 0.
        """
        return self._handle.leaf_frequencies

    @property
    def hard_frequencies(self) -> NDArray[np.float64]:
        """Share of each class in the training rows that end in each leaf, shape (L, K).

        That is `leaf_weights` with m = min(1, W/200) rows of all rows' classes added to each leaf,
        W being the sum of the weights.
        """
        return self._handle.hard_frequencies

    @property
    def leaf_weights(self) -> NDArray[np.float64]:
        """Weight of the training rows of each class that end in each leaf, shape (L, K).

        Every row ends in one leaf, as by `apply`. It has no rows in models saved by version 0.1.
        """
        return self._handle.leaf_weights

    @property
    def decision(self) -> str:
        """How `predict` chooses.

        ``"most_probable"``: the class of largest probability. ``"least_cost"``, if the model was
        fitted with a matrix of costs: the class of least expected cost. ``"leaf_labels"``, if rates
        of classes were bounded, since the bounds hold for the labels of leaves: the class of
        largest `label_probabilities`.
        """
        return self._handle.decision[0]

    @property
    def local_sparsity(self) -> float:
        """Share of coefficients that are exactly 0, in percent."""
        return self._handle.local_sparsity

    @property
    def global_sparsity(self) -> float:
        """Share of features that no split uses, in percent."""
        return self._handle.global_sparsity

    @property
    def report(self) -> OrctReport:
        """How the fit went."""
        handle = self._handle
        return fit_report(OrctReport, handle.report(), self.scaling, handle.classes.tolist())

    def predict(
        self, X: Any, *, routing: str = "soft", n_threads: int | None = None
    ) -> NDArray[Any]:
        """Predict the class of each row, as `decision` says.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        routing : {"soft", "hard"}
            Whether a row goes to all leaves by their probabilities, or to the one at the end of its
            likelier branches, as who follows the printed tree by hand does. The report's
            `hard_disagreement` tells for which share of the training rows that differs.
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
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> model.predict(X[:1]).tolist()
        ['malignant']
        """
        return self.classes.take(self._handle.predict(self._rows(X, n_threads), routing, n_threads))

    def predict_proba(
        self, X: Any, *, routing: str = "soft", n_threads: int | None = None
    ) -> NDArray[np.float64]:
        """Predict the probability of each class.

        It is Σ_t P_xt f_tk: the row's probabilities of the leaves times the frequencies of the
        classes in them (`leaf_frequencies`).

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        routing : {"soft", "hard"}
            As in `predict`; hard routing gives the `hard_frequencies` of one leaf.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, K)
            Probabilities, in the order of `classes`; rows sum to 1.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> probabilities = model.predict_proba(X)
        >>> mixed = model.leaf_probabilities(X) @ model.leaf_frequencies
        >>> bool(np.allclose(probabilities, mixed, rtol=0, atol=1e-14))
        True
        """
        return self._handle.predict_proba(self._rows(X, n_threads), routing, n_threads)

    def label_probabilities(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Compute the share with which the randomized tree predicts each class.

        It is Σ_t C_kt P_xt, the sum of the row's probabilities of all leaves with the label k: the
        probability of a class in the papers, where each leaf stands for one class alone. Training
        minimizes its expected cost, and `min_class_rate` bounds its mean over the rows of a class.
        It says how sure the tree is of the way, not how sure the leaf is of the class: for that see
        `predict_proba`.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, K)
            Shares, in the order of `classes`; rows sum to 1.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, min_class_rate={"malignant": 0.97}, n_starts=2)
        >>> malignant = model.label_probabilities(X[y == "malignant"])[:, 1]
        >>> bool(abs(malignant.mean() - model.report.constraints[0].reached) < 1e-9)
        True
        """
        return self._handle.label_probabilities(self._rows(X, n_threads), n_threads)

    def explain(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Explain predictions by the derivatives of the class probabilities.

        A derivative tells of small changes only. It is next to 0, for all features, wherever a row
        is far from every split, and splits of the usual steepness leave most rows there: what
        matters to such a row is told by `effects` and `explain_path`.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, K, columns)
            Entry [i, k, j] tells by how much the probability of class k changes, per unit of
            column j, where row i stands. Summed over the classes they are 0. NaN for bools and
            levels of tables, which have no derivative.

        Examples
        --------
        >>> import softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
        >>> model.explain(X[:10]).shape
        (10, 2, 30)
        """
        return self._handle.explain(self._rows(X, n_threads), n_threads)

    def effects(self, X: Any, *, n_threads: int | None = None) -> NDArray[np.float64]:
        """Explain predictions by what they owe to each feature's not being typical.

        Feature ablation with the typical values as baseline: exact differences of the whole step
        back, not of a small one as in `explain`. An effect is next to 0 where the step leaves the
        row all but certainly in its leaf; `explain_path` then tells how far each feature moves it.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.
        n_threads : int, optional
            As in `predict`.

        Returns
        -------
        ndarray, shape (N, K, columns)
            Entry [i, k, j] tells by how much the log odds ln(P/(1 − P)) of class k in
            `predict_proba` are higher for row i than they would be if feature j alone were set back
            to its typical value (`typical_values`): above 0, the value speaks for the class.
            Effects of several features need not add up to that of all of them. A probability less
            than 2.2e-308 counts as 2.2e-308.

        Examples
        --------
        >>> import numpy as np, softwood
        >>> X, y, names = softwood.load_example()
        >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2, gamma=64)
        >>> row, back = X[:1], X[:1].copy()
        >>> back[0, 7] = model.typical_values[7]
        >>> p, q = model.predict_proba(row)[0], model.predict_proba(back)[0]
        >>> change = np.log(p / (1 - p)) - np.log(q / (1 - q))
        >>> bool(np.allclose(model.effects(row)[0, :, 7], change))
        True
        """
        return self._handle.effects(self._rows(X, n_threads), n_threads)

    def _shown(self) -> dict[str, object]:
        return super()._shown() | {"classes": len(self.classes), "gamma": _short(self.gamma)}


class _short(float):
    """A number whose repr has no ".0"."""

    def __repr__(self) -> str:
        return str(int(self)) if self.is_integer() else float.__repr__(self)
