//! The file of an optimal randomized classification tree.

use super::checks::{WITHIN_ONE, check, parse};
use super::lines::to_lines;
use super::tree_fields::{TreeFields, check_report, leaf_count};
use crate::InputError;
use crate::data::ClassLabels;
use crate::fitted::{FitReport, OrctModel};
use serde::{Deserialize, Serialize};

/// Its fields.
#[derive(Serialize, Deserialize)]
struct OrctFile {
    #[serde(flatten)]
    tree: TreeFields,
    classes: ClassLabels,
    leaf_classes: Vec<u32>,
    report: FitReport,
}

pub(in crate::fitted) fn write(kind: &str, model: &OrctModel) -> String {
    to_lines(&OrctFile {
        tree: TreeFields::of(kind, &model.tree, model.tree.intercepts.clone()),
        classes: model.classes.clone(),
        leaf_classes: model.leaf_classes.clone(),
        report: model.report.clone(),
    })
}

pub(in crate::fitted) fn read(text: &str) -> Result<OrctModel, InputError> {
    let file: OrctFile = parse(text)?;
    let tree = file.tree.into_tree(WITHIN_ONE)?;
    let (classes, k) = (file.classes, file.leaf_classes);
    check(classes.len() >= 2, || {
        let k = classes.len();
        format!("classes has {k} values, there must be at least 2")
    })?;
    check(classes.is_increasing(), || {
        "the values of classes must be distinct and in increasing order".into()
    })?;
    leaf_count(&tree.shape).check("leaf_classes", k.len())?;
    if let Some(t) = k.iter().position(|class| *class as usize >= classes.len()) {
        return Err(InputError::ModelFile(format!(
            "leaf_classes[{t}] is {}, but there are {} classes",
            k[t],
            classes.len()
        )));
    }
    check_report(&file.report, classes.len())?;
    Ok(OrctModel {
        tree,
        classes,
        leaf_classes: k,
        report: file.report,
    })
}
