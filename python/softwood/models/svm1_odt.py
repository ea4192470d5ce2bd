"""The fitted hard oblique tree with a proven bound."""

from __future__ import annotations

from .. import _core
from ..results import Svm1OdtReport
from .from_core import fit_report
from .hard import HardClassifierModel


class Svm1OdtModel(HardClassifierModel):
    """A fitted tree of hard oblique splits with a proven bound on its errors.

    Made by :func:`softwood.fit_svm1_odt` and :func:`softwood.load`. A row goes left at a split
    where the weighted sum of its features is at least the threshold. Methods that take rows accept
    what `fit_svm1_odt` accepts. Models do not change; they may be shared between threads, compared,
    copied and pickled.

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
        Frequencies of the classes among the training rows of each leaf.
    leaf_weights : ndarray, shape (L, K)
        Weight of the training rows of each class that end in each leaf.
    global_sparsity : float
        Share of features that no split uses, in percent.
    report : Svm1OdtReport
        How the fit went, and what is proven.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> model = softwood.fit_svm1_odt(X[:80], y[:80], max_nodes=0, feature_names=names)
    >>> model.report.objective >= model.report.proof.bound
    True
    """

    __slots__ = ()

    _handle: _core.Svm1OdtHandle
    _handle_type = _core.Svm1OdtHandle

    @property
    def report(self) -> Svm1OdtReport:
        """How the fit went."""
        handle = self._handle
        return fit_report(Svm1OdtReport, handle.report(), "none", handle.classes.tolist())
