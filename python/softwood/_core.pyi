import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ._sparse import CsrRows

__all__ = [
    "MAX_DEPTH",
    "Encoding",
    "FunctionalOrctHandle",
    "FunctionalOrrtHandle",
    "InternalError",
    "OrctHandle",
    "OrctObjective",
    "OrrtHandle",
    "SpdtHandle",
    "SrtHandle",
    "Svm1OdtHandle",
    "__version__",
    "balanced_relaxation",
    "defaults",
    "fit_functional_orct",
    "fit_functional_orct_cv",
    "fit_functional_orrt",
    "fit_functional_orrt_cv",
    "fit_orct",
    "fit_orct_cv",
    "fit_orrt",
    "fit_orrt_cv",
    "fit_spdt",
    "fit_srt",
    "fit_srt_cv",
    "fit_svm1_odt",
    "fit_svm1_odt_by_mip",
    "integer",
    "lambda_max",
    "load",
    "number",
    "orrt_lambda_max",
    "orrt_sparsity_path",
    "refuse_missing",
    "select_balanced_rows",
    "select_extreme_points",
    "select_rows",
    "sparsity_path",
    "vc_bounds",
]

MAX_DEPTH: int
__version__: str

_Rows = NDArray[np.float64] | NDArray[np.float32] | CsrRows
_Training = tuple[_Rows, NDArray[np.uint32], list[Any], NDArray[np.float64] | None]
_Regression = tuple[_Rows, NDArray[np.float64], NDArray[np.float64] | None]
_OwnRows = tuple[_Rows, NDArray[np.uint32] | NDArray[np.float64], NDArray[np.float64] | None]
_Group = tuple[
    str, list[int] | None, _OwnRows | None, str | None, list[tuple[str, int | None, float]]
]
_Update = Callable[[int, int, int, float | None, float], object]
_Settings = dict[str, Any]
_Table = tuple[list[str], list[Any]]
_Predictors = list[tuple[str, list[float] | None]]
_Unseen = list[tuple[str, list[str], int]]

class InternalError(RuntimeError): ...

# What handles on models of every kind have; the binary has no such class.
class _Handle:
    def to_json(self) -> str: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def apply(self, x: _Rows, n_threads: Any) -> NDArray[np.int64]: ...
    def decision_path(self, x: _Rows, n_threads: Any) -> NDArray[np.int64]: ...
    def explain_path(self, x: _Rows) -> list[dict[str, Any]]: ...
    def importance(self, kind: str, of: str) -> NDArray[np.float64]: ...
    def rule(self, t: Any) -> dict[str, Any]: ...
    def text(self, terms: Any) -> str: ...
    def report(self) -> str: ...
    def encode(self, table: _Table, n_threads: Any) -> tuple[NDArray[np.float64], _Unseen]: ...
    @property
    def depth(self) -> int: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def encoded_names(self) -> list[str]: ...
    @property
    def encoded(self) -> bool: ...
    @property
    def typical_values(self) -> list[float | str | bool | None]: ...
    @property
    def named(self) -> bool: ...
    @property
    def splits(self) -> list[int]: ...
    @property
    def leaves(self) -> list[int]: ...
    @property
    def intercepts(self) -> NDArray[np.float64]: ...

# What handles on trees of soft splits have; the binary has no such class.
class _SoftHandle(_Handle):
    def leaf_probabilities(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    @property
    def scaling(self) -> str: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...

# What handles on classification trees have; the binary has no such class.
class _ClassificationHandle(_SoftHandle):
    def predict(self, x: _Rows, routing: Any, n_threads: Any) -> NDArray[np.intp]: ...
    def predict_proba(self, x: _Rows, routing: Any, n_threads: Any) -> NDArray[np.float64]: ...
    def label_probabilities(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def explain(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def effects(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    @property
    def gamma(self) -> float: ...
    @property
    def classes(self) -> NDArray[Any]: ...
    @property
    def leaf_classes(self) -> NDArray[np.intp]: ...
    @property
    def leaf_decisions(self) -> NDArray[np.intp]: ...
    @property
    def leaf_frequencies(self) -> NDArray[np.float64]: ...
    @property
    def hard_frequencies(self) -> NDArray[np.float64]: ...
    @property
    def leaf_weights(self) -> NDArray[np.float64]: ...
    @property
    def decision(self) -> tuple[str, NDArray[np.float64] | None]: ...
    @property
    def local_sparsity(self) -> float: ...
    @property
    def global_sparsity(self) -> float: ...

@final
class OrctHandle(_ClassificationHandle):
    @staticmethod
    def from_json(text: str) -> OrctHandle: ...

# What handles on regression trees have; the binary has no such class.
class _RegressionHandle(_SoftHandle):
    def predict(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def explain(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def effects(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def leaf_model(self, leaf: Any) -> dict[str, Any]: ...
    @property
    def leaf_coefficients(self) -> NDArray[np.float64]: ...
    @property
    def leaf_intercepts(self) -> NDArray[np.float64]: ...
    @property
    def leaf_weights(self) -> NDArray[np.float64]: ...

# What handles on mixtures of linear models have; the binary has no such class.
class _MixtureHandle(_RegressionHandle):
    @property
    def gamma(self) -> float: ...
    @property
    def ridge_leaves(self) -> NDArray[np.float64]: ...
    @property
    def ridge_mean(self) -> NDArray[np.float64]: ...
    @property
    def local_sparsity(self) -> float: ...
    @property
    def global_sparsity(self) -> float: ...

@final
class OrrtHandle(_MixtureHandle):
    @staticmethod
    def from_json(text: str) -> OrrtHandle: ...

@final
class FunctionalOrrtHandle(_MixtureHandle):
    @staticmethod
    def from_json(text: str) -> FunctionalOrrtHandle: ...
    def interval_means(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def intervals(self) -> dict[str, Any]: ...

@final
class FunctionalOrctHandle(_ClassificationHandle):
    @staticmethod
    def from_json(text: str) -> FunctionalOrctHandle: ...
    def interval_means(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def intervals(self) -> dict[str, Any]: ...

@final
class SpdtHandle(_Handle):
    @staticmethod
    def from_json(text: str) -> SpdtHandle: ...
    def predict(self, x: _Rows, n_threads: Any) -> NDArray[np.intp]: ...
    def predict_proba(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def decision_values(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def split_weights(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    @property
    def n_features(self) -> int: ...
    @property
    def used_features(self) -> NDArray[np.int64]: ...
    @property
    def classes(self) -> NDArray[Any]: ...
    @property
    def leaf_classes(self) -> NDArray[np.intp]: ...
    @property
    def leaf_frequencies(self) -> NDArray[np.float64]: ...
    @property
    def leaf_weights(self) -> NDArray[np.float64]: ...
    @property
    def global_sparsity(self) -> float: ...

@final
class SrtHandle(_RegressionHandle):
    @staticmethod
    def from_json(text: str) -> SrtHandle: ...
    def curves(self) -> list[dict[str, Any]]: ...
    @property
    def ridge_branches(self) -> NDArray[np.float64]: ...
    @property
    def ridge_leaves(self) -> NDArray[np.float64]: ...

@final
class Svm1OdtHandle(_Handle):
    @staticmethod
    def from_json(text: str) -> Svm1OdtHandle: ...
    def predict(self, x: _Rows, n_threads: Any) -> NDArray[np.intp]: ...
    def predict_proba(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def split_weights(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    @property
    def n_features(self) -> int: ...
    @property
    def used_features(self) -> NDArray[np.int64]: ...
    @property
    def classes(self) -> NDArray[Any]: ...
    @property
    def leaf_classes(self) -> NDArray[np.intp]: ...
    @property
    def leaf_frequencies(self) -> NDArray[np.float64]: ...
    @property
    def leaf_weights(self) -> NDArray[np.float64]: ...
    @property
    def global_sparsity(self) -> float: ...

@final
class Encoding:
    @staticmethod
    def learn(
        table: _Table,
        sample_weight: NDArray[np.float64] | None,
        fill_missing: bool,
        ordered: list[tuple[str, list[Any]]],
    ) -> Encoding: ...
    def encode(self, table: _Table, n_threads: Any) -> tuple[NDArray[np.float64], _Unseen]: ...
    def groups(self, ids: list[int] | None) -> list[int]: ...

@final
class OrctObjective:
    def __new__(
        cls,
        x: _Rows,
        codes: NDArray[np.uint32],
        classes: list[Any],
        leaf_codes: NDArray[np.uint32],
        sample_weight: NDArray[np.float64] | None,
        settings: _Settings,
    ) -> OrctObjective: ...
    @property
    def dim(self) -> int: ...
    def value_and_gradient(
        self, theta: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]: ...

def defaults() -> dict[str, dict[str, Any]]: ...
def integer(name: str, value: Any, low: int, high: int, otherwise: str = "") -> int: ...
def refuse_missing(table: _Table) -> None: ...
def number(name: str, value: Any, otherwise: str = "") -> float: ...
def fit_functional_orct(
    training: _Training,
    predictors: _Predictors,
    settings: _Settings,
    progress: _Update | None,
) -> FunctionalOrctHandle: ...
def fit_functional_orct_cv(
    training: _Training,
    predictors: _Predictors,
    settings: _Settings,
    choices: _Settings,
    progress: _Update | None,
) -> FunctionalOrctHandle: ...
def fit_functional_orrt_cv(
    training: _Regression,
    predictors: _Predictors,
    settings: _Settings,
    choices: _Settings,
    progress: _Update | None,
) -> FunctionalOrrtHandle: ...
def fit_functional_orrt(
    training: _Regression,
    predictors: _Predictors,
    settings: _Settings,
    progress: _Update | None,
) -> FunctionalOrrtHandle: ...
def fit_orct(
    training: _Training,
    groups: list[_Group],
    settings: _Settings,
    selection: _Settings | None,
    progress: _Update | None,
) -> OrctHandle: ...
def fit_orct_cv(
    training: _Training,
    groups: list[_Group],
    settings: _Settings,
    choices: _Settings,
    progress: _Update | None,
) -> OrctHandle: ...
def sparsity_path(
    training: _Training,
    settings: _Settings,
    grid: tuple[NDArray[np.float64], NDArray[np.float64]],
    validation: tuple[_Rows, NDArray[np.uint32]] | None,
    progress: _Update | None,
) -> tuple[list[tuple[int, int, OrctHandle, float | None]], str, float]: ...
def lambda_max(training: _Training, settings: _Settings) -> tuple[float, float, float | None]: ...
def vc_bounds(depth: Any, features: Any) -> tuple[float, float]: ...
def fit_spdt(training: _Training, settings: _Settings, progress: _Update | None) -> SpdtHandle: ...
def fit_svm1_odt(
    training: _Training, settings: _Settings, progress: _Update | None
) -> Svm1OdtHandle: ...
def fit_svm1_odt_by_mip(
    training: _Training,
    settings: _Settings,
    of_mip: _Settings,
    solve: Callable[..., Any],
    progress: _Update | None,
) -> Svm1OdtHandle: ...
def fit_srt(training: _Regression, settings: _Settings, progress: _Update | None) -> SrtHandle: ...
def fit_orrt(
    training: _Regression,
    groups: list[_Group],
    settings: _Settings,
    progress: _Update | None,
) -> OrrtHandle: ...
def fit_orrt_cv(
    training: _Regression,
    groups: list[_Group],
    settings: _Settings,
    choices: _Settings,
    progress: _Update | None,
) -> OrrtHandle: ...
def orrt_sparsity_path(
    training: _Regression,
    settings: _Settings,
    grid: tuple[NDArray[np.float64], NDArray[np.float64]],
    validation: tuple[_Rows, NDArray[np.float64]] | None,
    progress: _Update | None,
) -> tuple[list[tuple[int, int, OrrtHandle, float | None]], str, float]: ...
def orrt_lambda_max(training: _Regression, settings: _Settings) -> tuple[float, float]: ...
def fit_srt_cv(
    training: _Regression, settings: _Settings, choices: _Settings, progress: _Update | None
) -> SrtHandle: ...
def load(path: str | os.PathLike[str]) -> Any: ...
def select_extreme_points(
    x: _Rows, settings: _Settings, time_limit: object
) -> tuple[
    NDArray[np.bool_],
    NDArray[np.bool_],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    int,
    str,
]: ...
def select_rows(
    x: _Rows,
    codes: NDArray[np.uint32],
    leaves: NDArray[np.uint32],
    normals: NDArray[np.float64],
    offsets: NDArray[np.float64],
    of_leaf: list[list[int]],
    settings: _Settings,
    time_limit: object,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    list[tuple[int, int, int, int, int, int, str]],
    str,
]: ...
def select_balanced_rows(
    x: _Rows, max_nodes: object, time_limit: object
) -> tuple[NDArray[np.int64], NDArray[np.bool_], int, int, int, str]: ...
def balanced_relaxation(
    x: _Rows, time_limit: object
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, bool, str]: ...
