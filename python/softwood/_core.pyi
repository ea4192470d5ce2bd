import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from .results import Curve, LeafModel, OrctReport, Rule, SrtReport

__all__ = [
    "OrctModel",
    "OrctObjective",
    "SrtModel",
    "__version__",
    "balanced_relaxation",
    "fit_orct",
    "fit_orct_cv",
    "fit_srt",
    "lambda_max",
    "load",
    "select_extreme_points",
    "select_rows",
    "sparsity_path",
    "vc_bounds",
]

__version__: str

@final
class OrctModel:
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def leaf_probabilities(self, X: Any) -> NDArray[np.float64]: ...
    def explain(self, X: Any) -> NDArray[np.float64]: ...
    def importance(self, kind: str = "sum") -> NDArray[np.float64]: ...
    def rule(self, t: int) -> Rule: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def to_json(self) -> str: ...
    @classmethod
    def from_json(cls, text: str) -> OrctModel: ...
    def __reduce__(self) -> tuple[Callable[[str], OrctModel], tuple[str]]: ...
    @property
    def depth(self) -> int: ...
    @property
    def gamma(self) -> float: ...
    @property
    def scaling(self) -> str: ...
    @property
    def classes(self) -> NDArray[Any]: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def intercepts(self) -> NDArray[np.float64]: ...
    @property
    def leaf_classes(self) -> NDArray[Any]: ...
    @property
    def local_sparsity(self) -> float: ...
    @property
    def global_sparsity(self) -> float: ...
    @property
    def report(self) -> OrctReport: ...

@final
class OrctObjective:
    def __new__(
        cls,
        x: NDArray[np.float64] | NDArray[np.float32],
        codes: NDArray[np.uint32],
        classes: list[Any],
        leaf_codes: NDArray[np.uint32],
        *,
        depth: int,
        gamma: float,
        costs: NDArray[np.float64] | None,
        sample_weight: NDArray[np.float64] | None,
        scaling: str,
        n_threads: int | None,
    ) -> OrctObjective: ...
    @property
    def dim(self) -> int: ...
    def value_and_gradient(
        self, theta: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]: ...

@final
class SrtModel:
    def predict(self, X: Any) -> NDArray[np.float64]: ...
    def leaf_indices(self, X: Any) -> NDArray[np.int64]: ...
    def leaf_probabilities(self, X: Any) -> NDArray[np.float64]: ...
    def explain(self, X: Any) -> NDArray[np.float64]: ...
    def importance(self, kind: str = "sum", of: str = "splits") -> NDArray[np.float64]: ...
    def rule(self, t: int) -> Rule: ...
    def leaf_model(self, leaf: int) -> LeafModel: ...
    def curves(self) -> tuple[Curve, ...]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def to_json(self) -> str: ...
    @classmethod
    def from_json(cls, text: str) -> SrtModel: ...
    def __reduce__(self) -> tuple[Callable[[str], SrtModel], tuple[str]]: ...
    @property
    def depth(self) -> int: ...
    @property
    def scaling(self) -> str: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def intercepts(self) -> NDArray[np.float64]: ...
    @property
    def leaf_coefficients(self) -> NDArray[np.float64]: ...
    @property
    def leaf_intercepts(self) -> NDArray[np.float64]: ...
    @property
    def ridge_branches(self) -> NDArray[np.float64]: ...
    @property
    def ridge_leaves(self) -> NDArray[np.float64]: ...
    @property
    def report(self) -> SrtReport: ...

_Training = tuple[
    NDArray[np.float64] | NDArray[np.float32],
    NDArray[np.uint32],
    list[Any],
    NDArray[np.float64] | None,
]
_Update = Callable[[int, int, int, float | None, float], object]

def fit_orct(
    training: _Training,
    settings: dict[str, Any],
    progress: _Update | None,
    selection: tuple[float, float, float, int, int] | None,
) -> OrctModel: ...
def fit_orct_cv(
    training: _Training,
    settings: dict[str, Any],
    choices: dict[str, Any],
    progress: _Update | None,
) -> OrctModel: ...
def sparsity_path(
    training: _Training,
    settings: dict[str, Any],
    grid: tuple[NDArray[np.float64], ...],
    validation: tuple[NDArray[Any], NDArray[np.uint32]] | None,
    progress: _Update | None,
) -> tuple[list[tuple[int, int, OrctModel, float | None]], str, float]: ...
def lambda_max(
    training: _Training, settings: dict[str, Any]
) -> tuple[float, float, float | None]: ...
def vc_bounds(depth: int, features: int) -> tuple[float, float]: ...
def fit_srt(
    x: NDArray[np.float64] | NDArray[np.float32],
    y: NDArray[np.float64],
    sample_weight: NDArray[np.float64] | None,
    settings: dict[str, Any],
    progress: _Update | None,
) -> SrtModel: ...
def load(path: str | os.PathLike[str]) -> OrctModel | SrtModel: ...
def select_extreme_points(
    x: NDArray[np.float64] | NDArray[np.float32], *, tolerance: float, n_threads: int | None
) -> tuple[
    NDArray[np.bool_],
    NDArray[np.bool_],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    int,
]: ...
def select_rows(
    x: NDArray[np.float64] | NDArray[np.float32],
    codes: NDArray[np.uint32],
    leaves: NDArray[np.uint32],
    normals: NDArray[np.float64],
    offsets: NDArray[np.float64],
    of_leaf: list[list[int]],
    *,
    beta1: float,
    beta2: float,
    tolerance: float,
    n_threads: int | None,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    list[tuple[int, int, int, int, int, int, str]],
]: ...
def balanced_relaxation(
    x: NDArray[np.float64] | NDArray[np.float32],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, bool]: ...
