"""What the estimators have in common: a fit by one of softwood's functions, predictions, paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._tables import is_table
from ..models import restore
from ..progress import follow
from .callbacks import CallbackSupportMixin, EndedByCallback, Tasks, with_callbacks
from .parameters import ATTRIBUTES, CLASSES, make_init, parameters_of, with_texts

# Rows that the functions read where they are.
ROWS: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


class TreeEstimator(CallbackSupportMixin, BaseEstimator):
    """An estimator whose parameters are those of the function that fits it.

    A subclass names the function, ``class MyTree(TreeClassifier, function=fit_my_tree)``, and gets
    its parameters, their defaults and what is said of them.
    """

    _function: ClassVar[Callable[..., Any]]
    _attributes: ClassVar[str] = ATTRIBUTES  # their documentation
    model_: Any
    missing: str
    n_jobs: int | None
    random_state: Any

    def __init_subclass__(cls, function: Callable[..., Any] | None = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if function is not None:
            cls._function = staticmethod(function)
            cls.__init__ = make_init(parameters_of(function))  # type: ignore[method-assign]
            cls.__doc__ = with_texts(cls.__doc__ or "", function, cls._attributes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "indicator"
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Fit the tree.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Training rows: finite numbers; the columns of a frame may also hold text and categories.
        y : array_like, shape (N,)
            Labels of a classifier, response of a regressor.
        sample_weight : array_like, shape (N,), optional
            Weights of the rows, not negative; weight 2 counts as the row twice.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight=sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **of_rows: Any) -> Any:
        """Fit to what is in order; `of_rows` is what else there is for each row."""
        y = self._check_targets(y)
        X = self._check_rows(X, reset=True, ensure_min_samples=2)
        check_consistent_length(X, y, *of_rows.values())
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self.model_ = self._fit_model(X, y, {"sample_weight": sample_weight} | of_rows)
        self.n_iter_ = self.model_.report.iterations
        return self

    def _check_targets(self, y: Any) -> NDArray[Any]:
        """Return labels or a response as an array, if they are in order."""
        raise NotImplementedError

    def _check_rows(self, X: Any, **checks: Any) -> Any:
        """Return rows, if they are in order: a table as it is, anything else as an array."""
        if is_table(X):  # which softwood reads, text and categories included
            return validate_data(self, X, skip_check_array=True, reset=checks["reset"])
        finite = "allow-nan" if self.missing == "indicator" else True
        return validate_data(self, X, ensure_all_finite=finite, **ROWS, **checks)

    def _fit_model(self, X: Any, y: NDArray[Any], of_rows: dict[str, Any]) -> Any:
        """Return the tree, the best so far if a callback ends the fit."""
        settings = self.get_params(deep=False)
        settings |= {
            "random_state": self._seed(),
            "n_threads": effective_n_jobs(settings.pop("n_jobs")),
            **self._names(),
            **of_rows,
        }
        if not getattr(self, "_skl_callbacks", None):
            return self._function(X, y, **settings)
        training = {"X": X, "y": y, "metadata": of_rows}
        with follow(settings["progress"], settings.pop("verbose")) as show:
            tasks = Tasks(self, training, show)
            try:
                model = self._function(X, y, **settings | {"progress": tasks})
            except EndedByCallback as end:
                if end.partial is None:
                    raise
                model = end.partial
        self.model_ = model
        tasks.close()
        return model

    def _names(self) -> dict[str, Any]:
        """Return what the function is told of the names of columns."""
        return {"feature_names": getattr(self, "feature_names_in_", None)}

    def _seed(self) -> Any:
        """Return the seed: an int as it is, another one at each fit from anything else."""
        given = self.random_state
        if given is None or isinstance(given, np.random.RandomState):
            return int(check_random_state(given).randint(2**31))
        return given

    def _ask(self, method: str, X: Any) -> Any:
        """Return what a method of the model says of rows, if they are in order."""
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        return getattr(self.model_, method)(rows, n_threads=effective_n_jobs(self.n_jobs))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label or the response of each row.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.

        Returns
        -------
        ndarray, shape (N,)
            Labels, or values of the response.
        """
        predicted: NDArray[Any] = self._ask("predict", X)
        return predicted

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Tell at which leaf each row ends if it takes the likelier branch at every split.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.

        Returns
        -------
        ndarray of int64, shape (N,)
            Leaves by their number as nodes: the root is 0, the children of node t are 2t + 1
            (left) and 2t + 2 (right).
        """
        leaves: NDArray[np.int64] = self._ask("apply", X)
        return np.asarray(self.model_.leaves).take(leaves)

    def decision_path(self, X: Any) -> Any:
        """Tell which nodes each row passes if it takes the likelier branch at every split.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.

        Returns
        -------
        CSR matrix, shape (N, nodes)
            1 where a row passes a node, numbered as by `apply`.
        """
        path = self._ask("decision_path", X)
        passed = path >= 0
        ends = np.concatenate([[0], passed.sum(axis=1).cumsum()])
        nodes = max(self.model_.leaves) + 1
        ones = np.ones(ends[-1], np.int64)
        return csr_matrix((ones, path[passed], ends), shape=(len(path), nodes))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the absolute coefficients of the splits, shape (p,).

        They sum to 1, or are 0 if no split uses any feature.
        """
        check_is_fitted(self)
        importance: NDArray[np.float64] = self.model_.importance()
        return importance / (importance.sum() or 1.0)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")  # a fit that failed has left the number of features

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "model_" in state:
            # Plain text: for skops too, which restores no types that it does not know.
            state["model_"] = (type(self.model_).__name__, self.model_.to_json())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model_" in state:
            state = state | {"model_": restore(*state["model_"])}
        super().__setstate__(state)


class CurveTree(TreeEstimator):
    """An estimator whose rows are curves, one or several side by side (`spans`)."""

    missing = "error"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        # Columns in no order, as scikit-learn's checks have them, are no curves.
        for own in (tags.classifier_tags, tags.regressor_tags):
            if own is not None:
                own.poor_score = True
        return tags

    def _check_rows(self, X: Any, **checks: Any) -> Any:
        if checks["reset"]:
            checks["ensure_min_features"] = 2
        return validate_data(self, X, dtype=np.float64, **checks)

    def _names(self) -> dict[str, Any]:
        return {}


class GroupedTree(TreeEstimator):
    """An estimator whose tree can keep bounds on groups of rows."""

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        sensitive_features: ArrayLike | None = None,
    ) -> Any:
        """Fit the tree.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Training rows: finite numbers; the columns of a frame may also hold text and categories.
        y : array_like, shape (N,)
            Labels of a classifier, response of a regressor.
        sample_weight : array_like, shape (N,), optional
            Weights of the rows, not negative; weight 2 counts as the row twice.
        sensitive_features : array_like, shape (N,), optional
            A value for each row, by which `row_groups` name their rows
            (``RowGroup(where=...)``). Scikit-learn's metadata routing hands it on.

        Returns
        -------
        self
        """
        groups = {"sensitive_features": sensitive_features}
        return self._fit(X, y, sample_weight, **groups)


class TreeClassifier(ClassifierMixin, TreeEstimator):
    """A classifier by one of softwood's trees."""

    _attributes = f"{CLASSES}\n{ATTRIBUTES}"

    @property
    def classes_(self) -> NDArray[Any]:
        """Distinct labels in increasing order, shape (K,)."""
        check_is_fitted(self)
        classes: NDArray[Any] = self.model_.classes
        return classes

    def _check_targets(self, y: Any) -> NDArray[Any]:
        labels: NDArray[Any] = validate_data(self, y=y)
        check_classification_targets(labels)
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Compute the probability of each class.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.

        Returns
        -------
        ndarray, shape (N, K)
            Probabilities in the order of `classes_`; rows sum to 1.
        """
        probabilities: NDArray[np.float64] = self._ask("predict_proba", X)
        return probabilities

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Compute the logarithm of the probability of each class.

        Parameters
        ----------
        X : array_like, data frame or sparse matrix, shape (N, p)
            Rows.

        Returns
        -------
        ndarray, shape (N, K)
            Logarithms in the order of `classes_`; −∞ where a class is impossible.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class TreeRegressor(RegressorMixin, TreeEstimator):
    """A regressor by one of softwood's trees."""

    def _check_targets(self, y: Any) -> NDArray[Any]:
        response: NDArray[Any] = validate_data(self, y=y, y_numeric=True)
        return response
