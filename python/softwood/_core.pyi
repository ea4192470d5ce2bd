import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MAX_DEPTH",
    "InternalError",
    "OrctHandle",
    "OrctObjective",
    "SrtHandle",
    "__version__",
    "balanced_relaxation",
    "defaults",
    "fit_orct",
    "fit_orct_cv",
    "fit_srt",
    "integer",
    "lambda_max",
    "load",
    "number",
    "select_extreme_points",
    "select_rows",
    "sparsity_path",
    "vc_bounds",
]

MAX_DEPTH: int
__version__: str

_Rows = NDArray[np.float64] | NDArray[np.float32]
_Training = tuple[_Rows, NDArray[np.uint32], list[Any], NDArray[np.float64] | None]
_Update = Callable[[int, int, int, float | None, float], object]
_Settings = dict[str, Any]

class InternalError(RuntimeError): ...

# What handles on models of every kind have; the binary has no such class.
class _Handle:
    def to_json(self) -> str: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def leaf_probabilities(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def importance(self, kind: str, of: str) -> NDArray[np.float64]: ...
    def rule(self, t: Any) -> dict[str, Any]: ...
    def text(self) -> str: ...
    def report(self) -> str: ...
    @property
    def depth(self) -> int: ...
    @property
    def scaling(self) -> str: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def named(self) -> bool: ...
    @property
    def splits(self) -> list[int]: ...
    @property
    def leaves(self) -> list[int]: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def intercepts(self) -> NDArray[np.float64]: ...

@final
class OrctHandle(_Handle):
    @staticmethod
    def from_json(text: str) -> OrctHandle: ...
    def predict(self, x: _Rows, n_threads: Any) -> NDArray[np.intp]: ...
    def predict_proba(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def explain(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    @property
    def gamma(self) -> float: ...
    @property
    def classes(self) -> NDArray[Any]: ...
    @property
    def leaf_classes(self) -> NDArray[np.intp]: ...
    @property
    def local_sparsity(self) -> float: ...
    @property
    def global_sparsity(self) -> float: ...

@final
class SrtHandle(_Handle):
    @staticmethod
    def from_json(text: str) -> SrtHandle: ...
    def predict(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def leaf_indices(self, x: _Rows, n_threads: Any) -> NDArray[np.int64]: ...
    def explain(self, x: _Rows, n_threads: Any) -> NDArray[np.float64]: ...
    def leaf_model(self, leaf: Any) -> dict[str, Any]: ...
    def curves(self) -> list[dict[str, Any]]: ...
    @property
    def leaf_coefficients(self) -> NDArray[np.float64]: ...
    @property
    def leaf_intercepts(self) -> NDArray[np.float64]: ...
    @property
    def ridge_branches(self) -> NDArray[np.float64]: ...
    @property
    def ridge_leaves(self) -> NDArray[np.float64]: ...

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
def number(name: str, value: Any, otherwise: str = "") -> float: ...
def fit_orct(
    training: _Training,
    settings: _Settings,
    selection: _Settings | None,
    progress: _Update | None,
) -> OrctHandle: ...
def fit_orct_cv(
    training: _Training, settings: _Settings, choices: _Settings, progress: _Update | None
) -> OrctHandle: ...
def sparsity_path(
    training: _Training,
    settings: _Settings,
    grid: tuple[NDArray[np.float64], NDArray[np.float64]],
    validation: tuple[NDArray[Any], NDArray[np.uint32]] | None,
    progress: _Update | None,
) -> tuple[list[tuple[int, int, OrctHandle, float | None]], str, float]: ...
def lambda_max(training: _Training, settings: _Settings) -> tuple[float, float, float | None]: ...
def vc_bounds(depth: Any, features: Any) -> tuple[float, float]: ...
def fit_srt(
    x: _Rows,
    y: NDArray[np.float64],
    sample_weight: NDArray[np.float64] | None,
    settings: _Settings,
    progress: _Update | None,
) -> SrtHandle: ...
def load(path: str | os.PathLike[str]) -> OrctHandle | SrtHandle: ...
def select_extreme_points(
    x: _Rows, settings: _Settings
) -> tuple[
    NDArray[np.bool_],
    NDArray[np.bool_],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    int,
]: ...
def select_rows(
    x: _Rows,
    codes: NDArray[np.uint32],
    leaves: NDArray[np.uint32],
    normals: NDArray[np.float64],
    offsets: NDArray[np.float64],
    of_leaf: list[list[int]],
    settings: _Settings,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    list[tuple[int, int, int, int, int, int, str]],
]: ...
def balanced_relaxation(
    x: _Rows,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, bool]: ...
