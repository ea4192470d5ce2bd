"""The estimators, one for each tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..functions import (
    fit_functional_orct,
    fit_functional_orct_cv,
    fit_functional_orrt,
    fit_functional_orrt_cv,
    fit_orct,
    fit_orct_cv,
    fit_orrt,
    fit_orrt_cv,
    fit_spdt,
    fit_srt,
    fit_srt_cv,
    fit_svm1_odt,
)
from .base import CurveTree, GroupedTree, TreeClassifier, TreeRegressor


class FunctionalORCTClassifier(CurveTree, TreeClassifier, function=fit_functional_orct):
    """A classification tree on curves, as :func:`softwood.fit_functional_orct` fits it.

    Each row of X holds the points of a curve, or of several side by side, which `spans` names.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : FunctionalOrctModel
        The tree: intervals, rules, explanations, the report of the fit.
    {attributes}

    See Also
    --------
    FunctionalORCTClassifierCV : Chooses intervals, derivatives and steepness by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood.sklearn import FunctionalORCTClassifier
    >>> X = np.cumsum(np.random.default_rng(0).normal(size=(120, 50)), axis=1) / 7
    >>> y = np.where(X[:, 20:30].mean(axis=1) > 0, "up", "down")
    >>> FunctionalORCTClassifier(n_intervals=1, n_starts=4).fit(X, y).score(X, y) > 0.95
    True
    """


class FunctionalORCTClassifierCV(CurveTree, TreeClassifier, function=fit_functional_orct_cv):
    """A classification tree on curves with its intervals and settings chosen by cross-validation.

    As :func:`softwood.fit_functional_orct_cv` fits it; ``model_.report.cross_validation`` holds the
    table.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : FunctionalOrctModel
        The tree: intervals, rules, explanations, the report of the fit.
    {attributes}

    See Also
    --------
    FunctionalORCTClassifier : Fits a tree with given settings.
    """


class FunctionalORRTRegressor(CurveTree, TreeRegressor, function=fit_functional_orrt):
    """A regression tree on curves, as :func:`softwood.fit_functional_orrt` fits it.

    Each row of X holds the points of a curve, or of several side by side, which `spans` names.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : FunctionalOrrtModel
        The tree: intervals, rules, explanations, the report of the fit.
    {attributes}

    See Also
    --------
    FunctionalORRTRegressorCV : Chooses intervals, derivatives and steepness by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood.sklearn import FunctionalORRTRegressor
    >>> X = np.cumsum(np.random.default_rng(0).normal(size=(120, 50)), axis=1) / 7
    >>> y = abs(X[:, 20:30].mean(axis=1))
    >>> FunctionalORRTRegressor(n_intervals=1, n_starts=4).fit(X, y).score(X, y) > 0.98
    True
    """


class FunctionalORRTRegressorCV(CurveTree, TreeRegressor, function=fit_functional_orrt_cv):
    """A regression tree on curves with its intervals and settings chosen by cross-validation.

    As :func:`softwood.fit_functional_orrt_cv` fits it; ``model_.report.cross_validation`` holds the
    table.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : FunctionalOrrtModel
        The tree: intervals, rules, explanations, the report of the fit.
    {attributes}

    See Also
    --------
    FunctionalORRTRegressor : Fits a tree with given settings.
    """


class ORCTClassifier(TreeClassifier, GroupedTree, function=fit_orct):
    """An optimal randomized classification tree, as :func:`softwood.fit_orct` fits it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : OrctModel
        The tree: rules, explanations, the report of the fit.
    {attributes}

    See Also
    --------
    ORCTClassifierCV : Chooses depth, scaling, steepness and penalties by cross-validation.

    Notes
    -----
    There is no `decision_function`: with `costs`, `min_class_rate` or `row_groups` the predicted
    class is not the most probable one, and no score would rank rows as `predict` decides.

    Examples
    --------
    >>> import softwood
    >>> from softwood.sklearn import ORCTClassifier
    >>> X, y, names = softwood.load_example()
    >>> tree = ORCTClassifier(depth=1, n_starts=4).fit(X[::2], y[::2])
    >>> tree.score(X[1::2], y[1::2]) > 0.93
    True
    """


class ORCTClassifierCV(TreeClassifier, GroupedTree, function=fit_orct_cv):
    """An optimal randomized classification tree with its settings chosen by cross-validation.

    As :func:`softwood.fit_orct_cv` fits it; ``model_.report.cross_validation`` holds the table.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : OrctModel
        The tree: rules, explanations, the report of the fit.
    {attributes}

    See Also
    --------
    ORCTClassifier : Fits a tree with given settings.

    Examples
    --------
    >>> import softwood
    >>> from softwood.sklearn import ORCTClassifierCV
    >>> X, y, names = softwood.load_example()
    >>> tree = ORCTClassifierCV(depths=(1,), gammas=(512,), n_starts=2).fit(X[::2], y[::2])
    >>> tree.score(X[1::2], y[1::2]) > 0.93
    True
    """


class ORRTRegressor(TreeRegressor, GroupedTree, function=fit_orrt):
    """An optimal randomized regression tree, as :func:`softwood.fit_orrt` fits it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : OrrtModel
        The tree, with all that softwood tells of it: rules, explanations, the report of the fit.
    feature_importances_ : ndarray, shape (p,)
        Share of each feature in the absolute coefficients of the splits.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray, shape (p,)
        Their names, if X had names that are all strings.
    n_iter_ : int
        Iterations of the solver, over all starts.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood.sklearn import ORRTRegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> ORRTRegressor(depth=1).fit(X, y).score(X, y) > 0.98
    True
    """


class ORRTRegressorCV(TreeRegressor, GroupedTree, function=fit_orrt_cv):
    """An optimal randomized regression tree with its settings chosen by cross-validation.

    As :func:`softwood.fit_orrt_cv` fits it; ``model_.report.cross_validation`` holds the table.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : OrrtModel
        The tree: rules, explanations, the report of the fit.
    {attributes}

    See Also
    --------
    ORRTRegressor : Fits a tree with given settings.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood.sklearn import ORRTRegressorCV
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> tree = ORRTRegressorCV(depths=(1,), gammas=(32, 512), n_starts=2).fit(X, y)
    >>> tree.score(X, y) > 0.95
    True
    """


class SPDTClassifier(TreeClassifier, function=fit_spdt):
    """A sparse perceptron decision tree, as :func:`softwood.fit_spdt` fits it.

    For very many columns, sparse ones above all: CSR matrices are read where they are.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : SpdtModel
        The tree: rules, explanations, the report of the fit.
    {attributes}

    Examples
    --------
    >>> import softwood
    >>> from softwood.sklearn import SPDTClassifier
    >>> X, y, names = softwood.load_example()
    >>> tree = SPDTClassifier(split_features=10).fit(X[::2], y[::2])
    >>> tree.score(X[1::2], y[1::2]) > 0.93
    True
    """

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Compute how strongly rows speak for the classes.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.

        Returns
        -------
        ndarray, shape (N,) or (N, K)
            Of two classes the log odds of the second; of more the logarithms of probabilities.
        """
        values: NDArray[np.float64] = self._ask("decision_values", X)
        return values

    @property
    def features_(self) -> NDArray[np.int64]:
        """The features that splits use, increasing."""
        check_is_fitted(self)
        features: NDArray[np.int64] = self.model_.features_
        return features


class SRTRegressor(TreeRegressor, function=fit_srt):
    """A soft regression tree, a linear model in every leaf, as :func:`softwood.fit_srt` fits it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : SrtModel
        The tree: rules, explanations, the report of the fit.
    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from softwood.sklearn import SRTRegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> SRTRegressor(depth=1).fit(X, y).score(X, y) > 0.98
    True
    """


class SRTRegressorCV(TreeRegressor, function=fit_srt_cv):
    """A soft regression tree with depth, curves and ridge chosen by cross-validation.

    As :func:`softwood.fit_srt_cv` fits it; ``model_.report.cross_validation`` holds the table.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : SrtModel
        The tree, with all that softwood tells of it: rules, explanations, the report of the fit.
    feature_importances_ : ndarray, shape (p,)
        Share of each feature in the absolute coefficients of the splits.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray, shape (p,)
        Their names, if X had names that are all strings.
    n_iter_ : int
        Iterations of the solver, over all starts.

    See Also
    --------
    SRTRegressor : Fits a tree with given settings.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood.sklearn import SRTRegressorCV
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], 3 * X[:, 0], 1 - X[:, 1])
    >>> SRTRegressorCV(depths=(1,), curves=(False,)).fit(X, y).score(X, y) > 0.95
    True
    """


class SVM1ODTClassifier(TreeClassifier, function=fit_svm1_odt):
    """A hard oblique tree with a proven bound, as :func:`softwood.fit_svm1_odt` fits it.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    model_ : Svm1OdtModel
        The tree: rules, explanations, the report of the fit with bound and gap.
    {attributes}

    Examples
    --------
    >>> import softwood
    >>> from softwood.sklearn import SVM1ODTClassifier
    >>> X, y, names = softwood.load_example()
    >>> tree = SVM1ODTClassifier(depth=1, max_nodes=0).fit(X[::2], y[::2])
    >>> tree.score(X[1::2], y[1::2]) > 0.9
    True
    """
