//! The file of an optimal randomized classification tree.

use super::checks::{NOT_NEGATIVE, WITHIN_ONE, WITHIN_ZERO_AND_ONE, check, check_total, parse};
use super::leaf_classes::check_classes;
use super::lines::to_lines;
use super::tree_fields::{TreeFields, check_report, leaf_count, rows};
use crate::InputError;
use crate::data::ClassLabels;
use crate::fitted::{Decision, FitReport, OrctModel};
use serde::{Deserialize, Serialize};

/// Its fields.
#[derive(Serialize, Deserialize)]
pub(in crate::fitted) struct OrctFile {
    #[serde(flatten)]
    tree: TreeFields,
    classes: ClassLabels,
    leaf_classes: Vec<u32>,
    /// None in version 1.
    leaf_weights: Option<Vec<Vec<f64>>>,
    /// None in version 1.
    leaf_frequencies: Option<Vec<Vec<f64>>>,
    /// By the labels of leaves in version 1.
    decision: Option<Decision>,
    report: FitReport,
}

pub(in crate::fitted) fn write(kind: &str, model: &OrctModel) -> String {
    to_lines(&fields(kind, model))
}

pub(in crate::fitted) fn fields(kind: &str, model: &OrctModel) -> OrctFile {
    let table = |values: &[f64]| {
        let of_classes = || rows(values, model.classes.len());
        (!values.is_empty()).then(of_classes)
    };
    OrctFile {
        tree: TreeFields::of(kind, &model.tree, model.tree.intercepts.clone()),
        classes: model.classes.clone(),
        leaf_classes: model.leaf_classes.clone(),
        leaf_weights: table(&model.leaf_weights),
        leaf_frequencies: table(&model.frequencies),
        decision: Some(model.decision.clone()),
        report: model.report.clone(),
    }
}

pub(in crate::fitted) fn read(text: &str) -> Result<OrctModel, InputError> {
    model(parse(text)?)
}

pub(in crate::fitted) fn model(file: OrctFile) -> Result<OrctModel, InputError> {
    let tree = file.tree.into_tree(WITHIN_ONE)?;
    let (classes, leaf_classes) = (file.classes, file.leaf_classes);
    let k = classes.len();
    let leaves = leaf_count(&tree.shape);
    check_classes(&classes, &leaf_classes, leaves)?;
    if let Some(weights) = &file.leaf_weights {
        leaves.check_matrix("leaf_weights", weights, (k, "classes"))?;
        NOT_NEGATIVE.check_matrix("leaf_weights", weights)?;
        check_total(weights.iter().flatten().copied())?;
    }
    if let Some(frequencies) = &file.leaf_frequencies {
        leaves.check_matrix("leaf_frequencies", frequencies, (k, "classes"))?;
        WITHIN_ZERO_AND_ONE.check_matrix("leaf_frequencies", frequencies)?;
    }
    let decision = file.decision.unwrap_or(Decision::LeafLabels);
    if let Decision::LeastCost(costs) = &decision {
        let square = costs.len() == k && costs.iter().all(|row| row.len() == k);
        check(square, || format!("decision needs {k} x {k} costs"))?;
        NOT_NEGATIVE.check_matrix("decision.least_cost", costs)?;
    }
    check_report(&file.report, k)?;
    Ok(OrctModel {
        tree,
        classes,
        leaf_classes,
        leaf_weights: file.leaf_weights.unwrap_or_default().concat(),
        frequencies: file.leaf_frequencies.unwrap_or_default().concat(),
        decision,
        report: file.report,
    })
}
