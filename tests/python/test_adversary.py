"""Nothing public crashes, hangs, panics or answers NaN: a quick part of the long run."""

import inspect

import pytest

import softwood
import softwood.export
import softwood.html
import softwood.plotting
import softwood.sklearn
from parameters import DRAWN, USUAL, Call
from registry import (
    CLASSES,
    ESTIMATORS,
    EXPORTS,
    FITS,
    FUNCTIONS,
    INPUTS,
    PAGES,
    PLOTS,
    RESULTS,
    entries,
)
from run import is_sound, run

pytest.importorskip("matplotlib")

KNOWN = {
    softwood: {*FITS, *FUNCTIONS, *CLASSES, *INPUTS, *RESULTS},
    softwood.sklearn: {*ESTIMATORS, "LimitConvergenceWarning"},
    softwood.plotting: set(PLOTS),
    softwood.export: {*EXPORTS, "register_skl2onnx"},
    softwood.html: {*PAGES, "report_page"},
}


@pytest.mark.parametrize("module", KNOWN, ids=lambda module: module.__name__)
def test_every_public_name_is_registered(module):
    models = {type(Call.example_of(fit)).__name__ for fit in FITS} if module is softwood else set()
    missing = set(module.__all__) - KNOWN[module] - models
    assert not missing, f"add to tests/adversary/registry.py: {missing}"


def test_every_parameter_has_values():
    call_names = {}
    for fit in FITS:
        model = Call.example_of(fit)
        for name in dir(type(model)):
            member = getattr(type(model), name)
            if not name.startswith("_") and inspect.isfunction(member):
                call_names[f"{type(model).__name__}.{name}"] = member
    for module in KNOWN:
        for name in (
            KNOWN[module]
            - RESULTS
            - INPUTS
            - {"LimitConvergenceWarning", "report_page", "register_skl2onnx"}
        ):
            call_names[name] = getattr(module, name)
    known = {*DRAWN, *USUAL, "self"}
    unknown = {
        (name, parameter)
        for name, function in call_names.items()
        for parameter in inspect.signature(function).parameters
        if parameter not in known
    }
    assert not unknown, f"add to tests/adversary/parameters.py: {sorted(unknown)}"


@pytest.mark.timeout(600)
def test_a_part_of_the_calls_is_answered_or_refused():
    calls = run(seed=1, calls=400, jobs=2)
    assert len(calls) == 400
    assert not [call for call in calls if not is_sound(call)]
    assert {call["verdict"] for call in calls} == {"answered", "refused"}
    assert len({call["name"] for call in calls}) > len(entries()) / 3
