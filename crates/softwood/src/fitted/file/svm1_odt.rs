//! The file of a hard oblique tree with a proven bound.

use super::checks::{NOT_NEGATIVE, check, check_total, parse};
use super::hard_fields::HardFields;
use super::leaf_classes::check_classes;
use super::lines::to_lines;
use super::tree_fields::{check_report, leaf_count, rows};
use crate::InputError;
use crate::data::ClassLabels;
use crate::fitted::{FitReport, Svm1OdtModel};
use serde::{Deserialize, Serialize};

/// Its fields.
#[derive(Serialize, Deserialize)]
struct Svm1OdtFile {
    #[serde(flatten)]
    tree: HardFields,
    classes: ClassLabels,
    leaf_classes: Vec<u32>,
    leaf_weights: Vec<Vec<f64>>,
    report: FitReport,
}

pub(in crate::fitted) fn write(kind: &str, model: &Svm1OdtModel) -> String {
    to_lines(&Svm1OdtFile {
        tree: HardFields::of(kind, &model.tree),
        classes: model.classes.clone(),
        leaf_classes: model.leaf_classes.clone(),
        leaf_weights: rows(&model.leaf_weights, model.classes.len()),
        report: model.report.clone(),
    })
}

pub(in crate::fitted) fn read(text: &str) -> Result<Svm1OdtModel, InputError> {
    let file: Svm1OdtFile = parse(text)?;
    let tree = file.tree.into_tree()?;
    let leaves = leaf_count(&tree.shape);
    check_classes(&file.classes, &file.leaf_classes, leaves)?;
    let k = file.classes.len();
    leaves.check_matrix("leaf_weights", &file.leaf_weights, (k, "classes"))?;
    NOT_NEGATIVE.check_matrix("leaf_weights", &file.leaf_weights)?;
    check_total(file.leaf_weights.iter().flatten().copied())?;
    for (t, (class, weights)) in file.leaf_classes.iter().zip(&file.leaf_weights).enumerate() {
        let own = weights[*class as usize];
        check(weights.iter().all(|w| *w <= own), || {
            format!("leaf_classes[{t}] is {class}, but leaf_weights[{t}] has more of another")
        })?;
    }
    check_report(&file.report, k)?;
    Ok(Svm1OdtModel {
        tree,
        classes: file.classes,
        leaf_classes: file.leaf_classes,
        leaf_weights: file.leaf_weights.concat(),
        report: file.report,
    })
}
