"""Every public function, model method and estimator, and how calls of it are drawn.

A new kind of tree is one line in `FITS`; what its parameters may be follows from their names, and a
name not met before is a line in `parameters.py`. Names missing here fail
`tests/python/test_adversary.py`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import softwood
import softwood.export
import softwood.html
import softwood.plotting
import softwood.sklearn
from parameters import Call, parameter

FITS: dict[str, str] = {
    "fit_functional_orct": "labels",
    "fit_functional_orct_cv": "labels",
    "fit_functional_orrt": "response",
    "fit_functional_orrt_cv": "response",
    "fit_orct": "labels",
    "fit_orct_cv": "labels",
    "fit_orrt": "response",
    "fit_orrt_cv": "response",
    "fit_spdt": "labels",
    "fit_srt": "response",
    "fit_srt_cv": "response",
    "fit_svm1_odt": "labels",
}
"""Functions that fit a model, and what their y is."""

FUNCTIONS: dict[str, str] = {
    "balanced_relaxation": "labels",
    "lambda_max": "labels",
    "leaf_regions": "labels",
    "load": "labels",
    "load_example": "labels",
    "orrt_lambda_max": "response",
    "orrt_sparsity_path": "response",
    "select_balanced_rows": "labels",
    "select_extreme_points": "labels",
    "select_rows": "labels",
    "sparsity_path": "labels",
    "vc_bounds": "labels",
}

CLASSES = ("OrctObjective",)
"""Public classes that users make and call."""

INPUTS = {"Hyperplanes", "RowGroup", "RowSelection"}
"""Public classes that only hold arguments: they are drawn as such."""

RESULTS = {
    "BalancedRelaxation",
    "BalancedRows",
    "Cluster",
    "Constraint",
    "Curve",
    "CvCandidate",
    "CvTable",
    "FunctionalCandidate",
    "FunctionalOrctCandidate",
    "FunctionalOrrtCandidate",
    "ExtremePoints",
    "InternalError",
    "LambdaMax",
    "LeafModel",
    "LinearForm",
    "Notice",
    "OrctCandidate",
    "OrctReport",
    "OrrtCandidate",
    "OrrtLambdaMax",
    "OrrtReport",
    "Progress",
    "Proof",
    "ProofMoment",
    "Rule",
    "SelectedRows",
    "SelectionReport",
    "SelectionRound",
    "SoftwoodWarning",
    "SparsityPath",
    "SpdtCandidate",
    "SpdtReport",
    "SplitExplanation",
    "SrtCandidate",
    "SrtReport",
    "Svm1OdtCandidate",
    "Svm1OdtReport",
    "VcBounds",
    "__version__",
}
"""What comes from functions, or says no more than its name."""

ESTIMATORS: dict[str, str] = {
    "FunctionalORCTClassifier": "labels",
    "FunctionalORCTClassifierCV": "labels",
    "FunctionalORRTRegressor": "response",
    "FunctionalORRTRegressorCV": "response",
    "ORCTClassifier": "labels",
    "ORCTClassifierCV": "labels",
    "ORRTRegressor": "response",
    "ORRTRegressorCV": "response",
    "SPDTClassifier": "labels",
    "SRTRegressor": "response",
    "SRTRegressorCV": "response",
    "SVM1ODTClassifier": "labels",
}

PLOTS = tuple(softwood.plotting.__all__)
EXPORTS = tuple(name for name in softwood.export.__all__ if name != "register_skl2onnx")
PAGES = ("model_html",)  # report_page puts together what the others make


@dataclass(frozen=True)
class Entry:
    """What is called under a name: `make` gives the callable, whose parameters are then drawn."""

    name: str
    make: Callable[[Call], Callable[..., Any]]
    target: str = "labels"
    share: float = 1.0
    own: dict[str, Callable[[Call], Any]] = field(default_factory=dict)
    """Parameters that mean something else here than elsewhere."""

    def arguments(self, call: Call) -> tuple[Callable[..., Any], dict[str, Any]]:
        """The callable and its arguments, some of them wrong if the mood is bad."""
        function = self.make(call)
        known = inspect.signature(function).parameters.values()
        plain = [p for p in known if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        always = {p.name for p in plain if p.default is p.empty} | call.always
        optional = [p.name for p in plain if p.name not in always]
        count = min(len(optional), call.draw.one([0, 1, 2, 4, 8]))
        chosen = always & {p.name for p in plain} | set(call.draw.random.sample(optional, count))
        names = [p.name for p in plain if p.name in chosen]
        wrong = set()
        if call.draw.mood == "bad" and names:
            wrong = set(
                call.draw.random.sample(names, min(len(names), call.draw.one([1, 1, 1, 2])))
            )
        drawn = {name: make for name, make in self.own.items() if name not in wrong}
        return function, {
            name: drawn[name](call) if name in drawn else parameter(call, name, wrong=name in wrong)
            for name in names
        }


def attribute(module: Any, name: str) -> Callable[[Call], Callable[..., Any]]:
    """The function of that name."""
    return lambda call: getattr(module, name)


def method(fit: str, name: str) -> Callable[[Call], Callable[..., Any]]:
    """The method of a model that `fit` has made."""
    return lambda call: getattr(call.model_of(fit), name)


def estimator(name: str) -> Callable[[Call], Callable[..., Any]]:
    """Makes an estimator, fits it and predicts."""

    def make(call: Call) -> Callable[..., Any]:
        kind = getattr(softwood.sklearn, name)

        @functools.wraps(kind)
        def fit_and_predict(**settings: Any) -> Any:
            rows, y = parameter(call, "X"), parameter(call, "y")
            fitted = kind(**settings).fit(rows, y)
            return [fitted.predict(rows), fitted.model_]

        return fit_and_predict

    return make


def public_methods(model: Any) -> list[str]:
    """Names of a model's own methods."""
    kind = type(model)
    return [n for n in dir(kind) if not n.startswith("_") and callable(getattr(kind, n))]


def public_properties(model: Any) -> list[str]:
    """Names of what a model tells without being called."""
    kind = type(model)
    return [n for n in dir(kind) if not n.startswith("_") and not callable(getattr(kind, n))]


@functools.cache
def entries() -> tuple[Entry, ...]:
    """All entries; fits come up more often than the rest, for they have most to get wrong."""
    rows = {"curves": lambda call: call.data.as_rows()}
    found = [
        Entry(n, attribute(softwood, n), target, 6.0, rows if "functional" in n else {})
        for n, target in FITS.items()
    ]
    found += [Entry(n, attribute(softwood, n), t, 2.0) for n, t in FUNCTIONS.items()]
    found += [Entry(n, attribute(softwood, n)) for n in CLASSES]
    found += [Entry(n, estimator(n), target, 1.5) for n, target in ESTIMATORS.items()]
    a_path = {"path": lambda call: Call.path()}
    found += [Entry(n, attribute(softwood.plotting, n), share=0.3, own=a_path) for n in PLOTS]
    found += [Entry(n, attribute(softwood.export, n), share=0.7) for n in EXPORTS]
    found += [Entry(n, attribute(softwood.html, n), share=0.3) for n in PAGES]
    for fit in FITS:
        model = Call.example_of(fit)
        kind = type(model).__name__
        if kind in {entry.name.split(".")[0] for entry in found}:
            continue  # of another fit, too
        found += [
            Entry(f"{kind}.{name}", method(fit, name), FITS[fit], 0.6, rows)
            for name in public_methods(model)
        ]
    return tuple(found)
