//! A fitted tree on curves: critical intervals, and a tree on the means over them.

use super::{FitReport, FittedModel, Importance, OrctModel, OrrtModel, SoftTree, file};
use crate::InputError;
use crate::data::Rows;
use crate::functional::IntervalMeans;
use std::fmt;

/// Intervals, and a tree whose features are the means of curves over them. Rows are the points of the curves;
/// all that the tree tells of rows is asked of it by their [`IntervalMeans`].
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionalModel<M> {
    /// From the points of curves to features.
    pub intervals: IntervalMeans,
    /// The tree on these features.
    pub on_means: M,
}

/// A regression tree on curves (S-ORRT-FD).
pub type FunctionalOrrtModel = FunctionalModel<OrrtModel>;

/// A classification tree on curves.
pub type FunctionalOrctModel = FunctionalModel<OrctModel>;

/// A tree that may stand on means over intervals.
pub trait OnMeans: FittedModel<Tree = SoftTree> {
    /// The name in files of such a tree on curves.
    const FUNCTIONAL_KIND: &'static str;

    /// The model on curves as JSON.
    #[doc(hidden)]
    fn write_functional(model: &FunctionalModel<Self>) -> String;

    /// Reads it; nothing in the text is trusted.
    #[doc(hidden)]
    fn read_functional(text: &str) -> Result<FunctionalModel<Self>, InputError>;
}

impl OnMeans for OrrtModel {
    const FUNCTIONAL_KIND: &'static str = "functional_orrt";

    fn write_functional(model: &FunctionalModel<Self>) -> String {
        file::functional::write(
            &model.intervals,
            file::orrt::fields(Self::FUNCTIONAL_KIND, &model.on_means),
        )
    }

    fn read_functional(text: &str) -> Result<FunctionalModel<Self>, InputError> {
        file::functional::read(text, file::orrt::model)
    }
}

impl OnMeans for OrctModel {
    const FUNCTIONAL_KIND: &'static str = "functional_orct";

    fn write_functional(model: &FunctionalModel<Self>) -> String {
        file::functional::write(
            &model.intervals,
            file::orct::fields(Self::FUNCTIONAL_KIND, &model.on_means),
        )
    }

    fn read_functional(text: &str) -> Result<FunctionalModel<Self>, InputError> {
        file::functional::read(text, file::orct::model)
    }
}

impl<M: OnMeans> FittedModel for FunctionalModel<M> {
    const KIND: &'static str = M::FUNCTIONAL_KIND;
    const PARTS: &'static [&'static str] = M::PARTS;

    type Tree = SoftTree;

    fn tree(&self) -> &SoftTree {
        self.on_means.tree()
    }

    fn report(&self) -> &FitReport {
        self.on_means.report()
    }

    fn split_intercepts(&self) -> Vec<f64> {
        self.on_means.split_intercepts()
    }

    fn importance_of(&self, part: &str, kind: Importance) -> Option<Vec<f64>> {
        self.on_means.importance_of(part, kind)
    }

    fn describe(&self, terms: Option<usize>) -> String {
        format!("{}{}", self.header(), self.on_means.describe(terms))
    }

    fn to_json(&self) -> String {
        M::write_functional(self)
    }

    fn read_fields(text: &str) -> Result<Self, InputError> {
        M::read_functional(text)
    }
}

impl<M> FunctionalModel<M> {
    /// A line on the intervals.
    fn header(&self) -> String {
        let intervals = &self.intervals;
        let (count, curves) = (intervals.intervals(), &intervals.predictors);
        let names: Vec<&str> = curves.iter().map(|p| p.predictor.name.as_str()).collect();
        let plural = if count == 1 { "" } else { "s" };
        format!(
            "{count} critical interval{plural} of {}, {:.1} % of the domain unused\n",
            names.join(", "),
            intervals.length_sparsity()
        )
    }
}

/// The line on the intervals, then the tree on their means.
impl<M: OnMeans> fmt::Display for FunctionalModel<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(None))
    }
}

impl FunctionalOrrtModel {
    /// The response of each row of curves.
    pub fn predict<'a>(&self, curves: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        self.on_means.predict(self.intervals.of(curves)?.view())
    }

    /// ∂prediction/∂mean for each row and feature, in the curves' own units.
    pub fn explain<'a>(&self, curves: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        self.on_means.explain(self.intervals.of(curves)?.view())
    }
}

impl FunctionalOrctModel {
    /// The class of each row of curves, by its position.
    pub fn predict<'a>(&self, curves: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        self.on_means.predict(self.intervals.of(curves)?.view())
    }

    /// Probabilities of the classes, N × K.
    pub fn predict_proba<'a>(&self, curves: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        self.on_means
            .predict_proba(self.intervals.of(curves)?.view())
    }
}
