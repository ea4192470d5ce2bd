//! What models tell about themselves, as the classes of `softwood.results`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};
use softwood::data::ScalingKind;
use softwood::fitted::{
    ClassRate, CurvePoints, CvTable, FitReport, Importance, LeafModel, Measure, SelectionReport,
    SoftTree, Term,
};

/// Name of a scaling, as the fit functions take it.
pub fn scaling_name(kind: ScalingKind) -> &'static str {
    match kind {
        ScalingKind::MinMax => "minmax",
        ScalingKind::Quantile => "quantile",
    }
}

pub fn importance_kind(kind: &str) -> PyResult<Importance> {
    match kind {
        "sum" => Ok(Importance::Sum),
        "max" => Ok(Importance::Max),
        _ => {
            let text = format!("kind must be \"sum\" or \"max\", got {kind:?}");
            Err(PyValueError::new_err(text))
        }
    }
}

/// A position of Python's within 0 … count − 1.
pub fn position(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<usize> {
    let inputs = value.py().import("softwood._inputs")?;
    inputs
        .call_method1("integer", (name, value, 0, count - 1))?
        .extract()
}

/// Values as a Python tuple.
pub fn tuple<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl Iterator<Item = T>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyTuple::new(py, values.collect::<Vec<_>>())?.into_any())
}

/// An object of a class in `softwood.results`.
fn make<'py, const N: usize>(
    py: Python<'py>,
    class: &str,
    fields: [(&str, Bound<'py, PyAny>); N],
) -> PyResult<Bound<'py, PyAny>> {
    py.import("softwood.results")?
        .getattr(class)?
        .call((), Some(&fields.into_py_dict(py)?))
}

/// Fields of a sum of terms.
fn term_fields<'py>(
    py: Python<'py>,
    terms: &[Term],
) -> PyResult<[(&'static str, Bound<'py, PyAny>); 5]> {
    let measures = terms.iter().map(|term| match term.measure {
        Measure::Value => "value",
        Measure::Quantile => "quantile",
    });
    Ok([
        (
            "features",
            tuple(py, terms.iter().map(|term| term.feature))?,
        ),
        ("names", tuple(py, terms.iter().map(|term| &term.name))?),
        ("weights", tuple(py, terms.iter().map(|term| term.weight))?),
        ("measures", tuple(py, measures)?),
        ("effects", tuple(py, terms.iter().map(|term| term.effect))?),
    ])
}

/// Split `t` as a `Rule`.
pub fn rule<'py>(
    py: Python<'py>,
    tree: &SoftTree,
    t: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let rule = tree.rule(position("t", t, tree.topology.branches())?);
    let [features, names, weights, measures, effects] = term_fields(py, &rule.terms)?;
    let fields = [
        ("node", rule.node.into_pyobject(py)?.into_any()),
        features,
        names,
        weights,
        measures,
        effects,
        ("threshold", rule.threshold.into_pyobject(py)?.into_any()),
        ("steepness", rule.steepness.into_pyobject(py)?.into_any()),
        ("text", rule.to_string().into_pyobject(py)?.into_any()),
    ];
    make(py, "Rule", fields)
}

/// A leaf's linear model as a `LeafModel`.
pub fn leaf_model<'py>(py: Python<'py>, model: &LeafModel) -> PyResult<Bound<'py, PyAny>> {
    let [features, names, weights, measures, effects] = term_fields(py, &model.terms)?;
    let fields = [
        ("leaf", model.leaf.into_pyobject(py)?.into_any()),
        features,
        names,
        weights,
        measures,
        effects,
        ("intercept", model.intercept.into_pyobject(py)?.into_any()),
        ("text", model.to_string().into_pyobject(py)?.into_any()),
    ];
    make(py, "LeafModel", fields)
}

/// A curve that all leaves share as a `Curve`.
pub fn curve<'py>(py: Python<'py>, points: &CurvePoints) -> PyResult<Bound<'py, PyAny>> {
    let numbers = |values: &[f64]| tuple(py, values.iter().copied());
    let fields = [
        ("feature", points.feature.into_pyobject(py)?.into_any()),
        ("name", points.name.as_str().into_pyobject(py)?.into_any()),
        ("values", numbers(&points.values)?),
        ("effects", numbers(&points.effects)?),
        ("text", points.to_string().into_pyobject(py)?.into_any()),
    ];
    make(py, "Curve", fields)
}

/// The bounds on class rates as a tuple of `ClassRate`; `labels` is the list of all labels.
fn class_rates<'py>(
    py: Python<'py>,
    rates: &[ClassRate],
    labels: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(labels) = labels else {
        return tuple(py, std::iter::empty::<f64>());
    };
    let rates = rates.iter().map(|rate| {
        let fields = [
            ("label", labels.get_item(rate.class)?),
            ("asked", rate.asked.into_pyobject(py)?.into_any()),
            ("reached", rate.reached.into_pyobject(py)?.into_any()),
            ("multiplier", rate.multiplier.into_pyobject(py)?.into_any()),
            (
                "feasible",
                rate.feasible.into_pyobject(py)?.to_owned().into_any(),
            ),
        ];
        make(py, "ClassRate", fields)
    });
    tuple(py, rates.collect::<PyResult<Vec<_>>>()?.into_iter())
}

/// The table of a cross-validation as a `CvTable`, or None.
fn cv_table<'py>(py: Python<'py>, table: Option<&CvTable>) -> PyResult<Bound<'py, PyAny>> {
    let Some(table) = table else {
        return Ok(py.None().into_bound(py));
    };
    let results = py.import("softwood.results")?;
    let class = results.getattr("CvCandidate")?;
    let candidates = table.candidates.iter().map(|c| {
        class.call1((
            c.depth,
            scaling_name(c.scaling),
            c.gamma,
            c.local_penalty,
            c.global_penalty,
            c.cost,
            c.standard_error,
            c.accuracy,
            c.local_sparsity,
            c.global_sparsity,
            c.folds,
        ))
    });
    let candidates = tuple(py, candidates.collect::<PyResult<Vec<_>>>()?.into_iter())?;
    let (folds, repeats) = (table.folds, table.repeats);
    results
        .getattr("CvTable")?
        .call1((candidates, table.chosen, folds, repeats, table.cut_short))
}

/// The report of a selection as an object of `softwood.results`, None if there was none.
fn selection_report<'py>(
    py: Python<'py>,
    selection: Option<&SelectionReport>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(selection) = selection else {
        return Ok(py.None().into_bound(py));
    };
    let results = py.import("softwood.results")?;
    let round = results.getattr("SelectionRound")?;
    let rounds = selection.rounds.iter().map(|r| {
        let fields = (r.step.name(), r.rows, r.accuracy, r.accepted);
        round.call1(fields)
    });
    let rounds = PyTuple::new(py, rounds.collect::<PyResult<Vec<_>>>()?)?;
    let fields = (selection.rows, selection.share, selection.accuracy, rounds);
    results.getattr("SelectionReport")?.call1(fields)
}

/// The report of a fit as an object of `class`; `labels` is the list of a classifier's labels.
pub fn report<'py>(
    py: Python<'py>,
    class: &str,
    report: &FitReport,
    scaling: &str,
    labels: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = [
        ("status", report.status.name().into_pyobject(py)?.into_any()),
        ("objective", report.objective.into_pyobject(py)?.into_any()),
        ("loss", report.loss.into_pyobject(py)?.into_any()),
        ("seconds", report.seconds.into_pyobject(py)?.into_any()),
        (
            "iterations",
            report.iterations.into_pyobject(py)?.into_any(),
        ),
        (
            "evaluations",
            report.evaluations.into_pyobject(py)?.into_any(),
        ),
        (
            "optimality",
            report.optimality.into_pyobject(py)?.into_any(),
        ),
        (
            "start_objectives",
            tuple(py, report.start_objectives.iter().copied())?,
        ),
        (
            "best_start",
            report.best_start.into_pyobject(py)?.into_any(),
        ),
        ("constraints", class_rates(py, &report.constraints, labels)?),
        (
            "cross_validation",
            cv_table(py, report.cross_validation.as_ref())?,
        ),
        (
            "selection",
            selection_report(py, report.selection.as_ref())?,
        ),
        ("scaling", scaling.into_pyobject(py)?.into_any()),
        ("rows", report.rows.into_pyobject(py)?.into_any()),
    ];
    make(py, class, fields)
}
