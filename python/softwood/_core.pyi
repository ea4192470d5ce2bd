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
    "balanced_relaxation",
    "fit_orct",
    "load",
    "select_extreme_points",
    "select_rows",
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

def fit_orct(
    x: NDArray[np.float64] | NDArray[np.float32],
    codes: NDArray[np.uint32],
    classes: list[Any],
    *,
    depth: int,
    gamma: float,
    costs: NDArray[np.float64] | None,
    sample_weight: NDArray[np.float64] | None,
    scaling: str,
    cover_classes: bool,
    n_starts: int,
    random_state: int,
    n_threads: int | None,
    max_iter: int,
    tol: float,
    time_limit: float | None,
    feature_names: list[str] | None,
    progress: Callable[[int, int, int, float | None, float], object] | None,
    selection: tuple[float, float, float, int, int] | None,
) -> OrctModel: ...
def load(path: str | os.PathLike[str]) -> OrctModel: ...
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
