"""What theory says of penalties and capacity: `lambda_max`, `vc_bounds`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._parameters import public
from .._settings import ORCT, PLAIN_GAMMA, open_classification

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class LambdaMax(NamedTuple):
    """Penalties above which the tree that uses no feature is stationary."""

    local_penalty: float
    global_penalty: float
    at_bounds: float | None


@public()
def lambda_max(
    X: Any,
    y: Any,
    depth: int = ORCT["depth"],
    *,
    gamma: float = PLAIN_GAMMA,
    costs: ArrayLike | None = ORCT["costs"],
    sample_weight: ArrayLike | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    scaling: str = "minmax",
    penalty_shape: str = ORCT["penalty_shape"],
    penalty_parameters: Mapping[str, float] | None = ORCT["penalty_parameters"],
    groups: ArrayLike | None = ORCT["groups"],
    cover_classes: bool = ORCT["cover_classes"],
    missing: str = "error",
    ordered: Mapping[str, Sequence[Any]] | None = None,
) -> LambdaMax:
    """Bound the penalties worth trying: beyond them a = 0, no feature at all, is stationary.

    Parameters
    ----------
    {X, labels, depth, gamma, costs, sample_weight, class_weight, fixed_scaling, penalty_shape}
    {cover_classes, missing}

    Returns
    -------
    LambdaMax
        `local_penalty` and `global_penalty`, each with the other at 0: a = 0 is stationary
        whatever intercepts and labels are. `at_bounds`, for depth 1 and two classes: the same
        for intercepts at ±1, where splits are saturated; None otherwise.

    Examples
    --------
    >>> import softwood
    >>> X, y, names = softwood.load_example()
    >>> top = softwood.lambda_max(X, y, depth=1)
    >>> model = softwood.fit_orct(X, y, 1, local_penalty=0.01 * top.local_penalty, n_starts=2)
    >>> 0 < model.local_sparsity < 100
    True
    """
    settings = dict(locals())
    training = open_classification(settings)
    return LambdaMax(*_core.lambda_max(training, settings))


class VcBounds(NamedTuple):
    """Bounds on a VC dimension: at least `lower`, at most a constant times `upper_order`."""

    lower: float
    upper_order: float


def vc_bounds(depth: int, features: int) -> VcBounds:
    """Bound the Vapnik–Chervonenkis dimension of an ORCT with two classes.

    p + 1 exactly at depth 1; at least 2(p + 1) at depth 2 and 2**(D−1)·(p − D + 3) at a depth D of
    3 and more as long as p is large enough for it; at most of the order of 2**(4(D−1))·p**2.

    Parameters
    ----------
    depth : int
        D, 1 to 12.
    features : int
        p, at least 1.

    Returns
    -------
    VcBounds

    References
    ----------
    E. Amaldi, A. Consolo, A. Manno: On multivariate randomized classification trees: ℓ0-based
    sparsity, VC dimension and decomposition methods. Computers & Operations Research 151 (2023).

    Examples
    --------
    >>> import softwood
    >>> softwood.vc_bounds(3, 10)
    VcBounds(lower=40.0, upper_order=25600.0)
    """
    return VcBounds(*_core.vc_bounds(depth, features))
