"""What the compiled core tells of a model, made into the classes of `softwood.results`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from ..notices import as_notice
from ..results import (
    Constraint,
    Curve,
    CvCandidate,
    CvTable,
    FitReport,
    FunctionalOrctCandidate,
    FunctionalOrrtCandidate,
    LinearForm,
    OrctCandidate,
    OrrtCandidate,
    Proof,
    ProofMoment,
    SelectionReport,
    SelectionRound,
    SpdtCandidate,
    SplitExplanation,
    SrtCandidate,
    Svm1OdtCandidate,
)

R = TypeVar("R", bound=FitReport)
L = TypeVar("L", bound=LinearForm | Curve | SplitExplanation)
T = TypeVar("T")


def linear_form(kind: type[L], told: Mapping[str, Any]) -> L:
    """Return a rule, a leaf's model, a curve or a split on a path; lists become tuples."""
    flat = {**told.get("terms", {}), **told}
    return _make(kind, {k: tuple(v) if isinstance(v, list) else v for k, v in flat.items()})


def fit_report(kind: type[R], text: str, scaling: str, labels: Sequence[object] = ()) -> R:
    """Return the report in `text`, which is JSON; `labels` are those of a classifier."""
    told = json.loads(text)
    table, selection = told.get("cross_validation"), told.get("selection")
    optimality = told["optimality"]
    return _make(
        kind,
        told
        | {
            "optimality": math.inf if optimality is None else optimality,  # JSON has no infinity
            "start_objectives": tuple(told["start_objectives"]),
            "constraints": tuple(_constraint(c, labels) for c in told.get("constraints", ())),
            "cross_validation": None if table is None else _cv_table(table),
            "proof": _proof(told.get("proof")),
            "scaling": scaling,
            "selection": None if selection is None else _selection(selection),
            "notices": tuple(
                as_notice(notice, labels, kind._ITERATIONS) for notice in told.get("notices", ())
            ),
        },
    )


def _make(kind: type[T], told: Mapping[str, Any]) -> T:
    """Return an object of a data class; what it has no field for is left out."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: told[name] for name in names if name in told})


def _constraint(told: Mapping[str, Any], labels: Sequence[object]) -> Constraint:
    label = labels[told["class"]] if "class" in told else None
    return _make(Constraint, {**told, "label": label})


def _cv_table(told: Mapping[str, Any]) -> CvTable:
    candidates = tuple(map(_candidate, told["candidates"]))
    return _make(CvTable, {**told, "candidates": candidates})


def _candidate(told: Mapping[str, Any]) -> CvCandidate:
    by_fields: dict[frozenset[str], type[CvCandidate]] = {
        frozenset({"n_intervals", "ridge_leaves"}): FunctionalOrrtCandidate,
        frozenset({"n_intervals"}): FunctionalOrctCandidate,
        frozenset({"curves"}): SrtCandidate,
        frozenset({"epsilon"}): Svm1OdtCandidate,
        frozenset({"features"}): SpdtCandidate,
        frozenset({"ridge_leaves"}): OrrtCandidate,
        frozenset({"gamma"}): OrctCandidate,
    }
    kind = next(kind for names, kind in by_fields.items() if names <= told.keys())
    # A candidate that was never scored has NaN, which JSON cannot say; a setting may be None.
    unknown = {name: math.nan for name, value in told.items() if value is None}
    known = {name: told.get(name) for name in ("ridge_leaves", "alpha1")}
    return _make(kind, {**told, **unknown, **known})


def _proof(told: Mapping[str, Any] | None) -> Proof | None:
    if told is None:
        return None
    course = tuple(_make(ProofMoment, moment) for moment in told["course"])
    margin = told["reached_margin"]
    known = {"course": course, "reached_margin": math.inf if margin is None else margin}
    return _make(Proof, {**told, **known})


def _selection(told: Mapping[str, Any]) -> SelectionReport:
    rounds = tuple(_make(SelectionRound, one) for one in told["rounds"])
    return _make(SelectionReport, {**told, "rounds": rounds})
