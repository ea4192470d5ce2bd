"""What a fitted model tells about itself: the report of its fit and its splits as rules."""

from .cross_validation import (
    CvCandidate,
    CvTable,
    FunctionalCandidate,
    FunctionalOrctCandidate,
    FunctionalOrrtCandidate,
    OrctCandidate,
    OrrtCandidate,
    SpdtCandidate,
    SrtCandidate,
    Svm1OdtCandidate,
)
from .findings import BOUNDED, Constraint, Notice, SelectionReport, SelectionRound
from .linear_forms import Curve, LeafModel, LinearForm, Rule, SplitExplanation
from .reports import (
    FitReport,
    OrctReport,
    OrrtReport,
    Proof,
    ProofMoment,
    SpdtReport,
    SrtReport,
    Svm1OdtReport,
)

__all__ = [
    "BOUNDED",
    "Constraint",
    "Curve",
    "CvCandidate",
    "CvTable",
    "FitReport",
    "FunctionalCandidate",
    "FunctionalOrctCandidate",
    "FunctionalOrrtCandidate",
    "LeafModel",
    "LinearForm",
    "Notice",
    "OrctCandidate",
    "OrctReport",
    "OrrtCandidate",
    "OrrtReport",
    "Proof",
    "ProofMoment",
    "Rule",
    "SelectionReport",
    "SelectionRound",
    "SpdtCandidate",
    "SpdtReport",
    "SplitExplanation",
    "SrtCandidate",
    "SrtReport",
    "Svm1OdtCandidate",
    "Svm1OdtReport",
]
