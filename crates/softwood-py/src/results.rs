//! What models tell about themselves, as plain dicts: `softwood.results` has a class for each.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use softwood::data::Value;
use softwood::fitted::{CurvePoints, LeafModel, Measure, Rule, SplitExplanation, Term};

/// A weighted sum of features.
#[derive(IntoPyObject)]
pub struct Terms {
    features: Vec<usize>,
    names: Vec<String>,
    weights: Vec<f64>,
    measures: Vec<&'static str>,
    effects: Vec<f64>,
}

impl From<&[Term]> for Terms {
    fn from(terms: &[Term]) -> Self {
        let measure = |term: &Term| match term.measure {
            Measure::Value => "value",
            Measure::Quantile => "quantile",
            Measure::Indicator => "indicator",
        };
        Self {
            features: terms.iter().map(|term| term.feature).collect(),
            names: terms.iter().map(|term| term.name.clone()).collect(),
            weights: terms.iter().map(|term| term.weight).collect(),
            measures: terms.iter().map(measure).collect(),
            effects: terms.iter().map(|term| term.effect).collect(),
        }
    }
}

/// A split.
#[derive(IntoPyObject)]
pub struct RuleFields {
    node: usize,
    terms: Terms,
    threshold: f64,
    steepness: f64,
    text: String,
}

impl From<Rule> for RuleFields {
    fn from(rule: Rule) -> Self {
        Self {
            node: rule.node,
            text: rule.to_string(),
            terms: rule.terms.as_slice().into(),
            threshold: rule.threshold,
            steepness: rule.steepness,
        }
    }
}

/// A leaf's linear model.
#[derive(IntoPyObject)]
pub struct LeafModelFields {
    leaf: usize,
    terms: Terms,
    intercept: f64,
    text: String,
}

impl From<LeafModel> for LeafModelFields {
    fn from(model: LeafModel) -> Self {
        Self {
            leaf: model.leaf,
            text: model.to_string(),
            terms: model.terms.as_slice().into(),
            intercept: model.intercept,
        }
    }
}

/// A curve that all leaves share.
#[derive(IntoPyObject)]
pub struct CurveFields {
    feature: usize,
    name: String,
    values: Vec<f64>,
    effects: Vec<f64>,
    text: String,
}

impl From<CurvePoints> for CurveFields {
    fn from(points: CurvePoints) -> Self {
        Self {
            feature: points.feature,
            text: points.to_string(),
            name: points.name,
            values: points.values,
            effects: points.effects,
        }
    }
}

/// A value of a table: a float, a string, a bool, or None where it is missing.
pub struct Cell(pub Value);

impl<'py> IntoPyObject<'py> for Cell {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self.0 {
            Value::Number(x) => x.into_bound_py_any(py),
            Value::Text(text) => text.into_bound_py_any(py),
            Value::Truth(truth) => truth.into_bound_py_any(py),
            Value::Missing => Ok(py.None().into_bound(py)),
        }
    }
}

/// None for a level never seen in training, too.
fn cell(value: &Option<Value>) -> Option<Cell> {
    value.clone().map(Cell)
}

/// A split on the path of a row.
#[derive(IntoPyObject)]
pub struct SplitFields {
    node: usize,
    goes_left: bool,
    margin: f64,
    probability: f64,
    base: f64,
    features: Vec<usize>,
    names: Vec<String>,
    values: Vec<Option<Cell>>,
    typical: Vec<Option<Cell>>,
    contributions: Vec<f64>,
    text: String,
}

impl From<SplitExplanation> for SplitFields {
    fn from(split: SplitExplanation) -> Self {
        let parts = &split.contributions;
        Self {
            node: split.node,
            goes_left: split.goes_left,
            margin: split.margin,
            probability: split.probability(),
            base: split.base,
            features: parts.iter().map(|part| part.feature).collect(),
            names: parts.iter().map(|part| part.name.clone()).collect(),
            values: parts.iter().map(|part| cell(&part.value)).collect(),
            typical: parts.iter().map(|part| cell(&part.typical)).collect(),
            contributions: parts.iter().map(|part| part.contribution).collect(),
            text: split.to_string(),
        }
    }
}
