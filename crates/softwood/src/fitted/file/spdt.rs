//! The file of a sparse perceptron decision tree.

use super::checks::{NOT_NEGATIVE, WITHIN_ZERO_AND_ONE, check, check_total, parse};
use super::hard_fields::HardFields;
use super::leaf_classes::check_classes;
use super::lines::to_lines;
use super::tree_fields::{check_report, leaf_count, rows};
use crate::InputError;
use crate::data::ClassLabels;
use crate::fitted::{FitReport, SpdtModel};
use serde::{Deserialize, Serialize};

/// Its fields.
#[derive(Serialize, Deserialize)]
struct SpdtFile {
    #[serde(flatten)]
    tree: HardFields,
    classes: ClassLabels,
    leaf_classes: Vec<u32>,
    leaf_weights: Vec<Vec<f64>>,
    leaf_frequencies: Vec<Vec<f64>>,
    leaf_slopes: Vec<f64>,
    report: FitReport,
}

pub(in crate::fitted) fn write(kind: &str, model: &SpdtModel) -> String {
    let k = model.classes.len();
    to_lines(&SpdtFile {
        tree: HardFields::of(kind, &model.tree),
        classes: model.classes.clone(),
        leaf_classes: model.leaf_classes.clone(),
        leaf_weights: rows(&model.leaf_weights, k),
        leaf_frequencies: rows(&model.frequencies, k),
        leaf_slopes: model.leaf_slopes.clone(),
        report: model.report.clone(),
    })
}

pub(in crate::fitted) fn read(text: &str) -> Result<SpdtModel, InputError> {
    let file: SpdtFile = parse(text)?;
    let tree = file.tree.into_tree()?;
    let leaves = leaf_count(&tree.shape);
    check_classes(&file.classes, &file.leaf_classes, leaves)?;
    let k = file.classes.len();
    leaves.check_matrix("leaf_weights", &file.leaf_weights, (k, "classes"))?;
    NOT_NEGATIVE.check_matrix("leaf_weights", &file.leaf_weights)?;
    check_total(file.leaf_weights.iter().flatten().copied())?;
    leaves.check_matrix("leaf_frequencies", &file.leaf_frequencies, (k, "classes"))?;
    WITHIN_ZERO_AND_ONE.check_matrix("leaf_frequencies", &file.leaf_frequencies)?;
    leaves.check("leaf_slopes", file.leaf_slopes.len())?;
    NOT_NEGATIVE.check("leaf_slopes", &file.leaf_slopes)?;
    for (t, (class, frequencies)) in file
        .leaf_classes
        .iter()
        .zip(&file.leaf_frequencies)
        .enumerate()
    {
        let most = frequencies[*class as usize];
        check(frequencies.iter().all(|f| *f <= most), || {
            format!(
                "leaf_classes[{t}] is {class}, which leaf_frequencies[{t}] holds less likely than another"
            )
        })?;
    }
    check_report(&file.report, k)?;
    Ok(SpdtModel {
        tree,
        classes: file.classes,
        leaf_classes: file.leaf_classes,
        leaf_weights: file.leaf_weights.concat(),
        frequencies: file.leaf_frequencies.concat(),
        leaf_slopes: file.leaf_slopes,
        report: file.report,
    })
}
