import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from .results import OrctReport, Rule

__all__ = [
    "OrctModel",
    "OrctObjective",
    "__version__",
    "fit_orct",
    "fit_orct_cv",
    "lambda_max",
    "load",
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

_Training = tuple[
    NDArray[np.float64] | NDArray[np.float32],
    NDArray[np.uint32],
    list[Any],
    NDArray[np.float64] | None,
]
_Update = Callable[[int, int, int, float | None, float], object]

def fit_orct(
    training: _Training, settings: dict[str, Any], progress: _Update | None
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
def load(path: str | os.PathLike[str]) -> OrctModel: ...
