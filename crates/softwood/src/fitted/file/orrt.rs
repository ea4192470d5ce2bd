//! The file of an optimal randomized regression tree.

use super::checks::{WITHIN_ONE, check_penalties, parse};
use super::leaf_models::LeafModels;
use super::lines::to_lines;
use super::tree_fields::{TreeFields, check_report};
use crate::InputError;
use crate::fitted::{FitReport, FittedModel, OrrtModel};
use serde::{Deserialize, Serialize};

/// Its fields.
#[derive(Serialize, Deserialize)]
pub(in crate::fitted) struct OrrtFile {
    #[serde(flatten)]
    tree: TreeFields,
    #[serde(flatten)]
    leaves: LeafModels,
    ridge_leaves: Vec<f64>,
    ridge_mean: Vec<f64>,
    report: FitReport,
}

pub(in crate::fitted) fn write(kind: &str, model: &OrrtModel) -> String {
    to_lines(&fields(kind, model))
}

pub(in crate::fitted) fn fields(kind: &str, model: &OrrtModel) -> OrrtFile {
    OrrtFile {
        tree: TreeFields::of(kind, &model.tree, model.split_intercepts()),
        leaves: LeafModels::of(
            &model.leaf_slopes,
            &model.leaf_intercepts,
            model.response,
            model.tree.features(),
            &model.leaf_weights,
        ),
        ridge_leaves: model.ridge_leaves.clone(),
        ridge_mean: model.ridge_mean.clone(),
        report: model.report.clone(),
    }
}

pub(in crate::fitted) fn read(text: &str) -> Result<OrrtModel, InputError> {
    model(parse(text)?)
}

pub(in crate::fitted) fn model(file: OrrtFile) -> Result<OrrtModel, InputError> {
    let tree = file.tree.into_tree(WITHIN_ONE)?;
    file.leaves.check(&tree)?;
    for (name, penalties) in [
        ("ridge_leaves", &file.ridge_leaves),
        ("ridge_mean", &file.ridge_mean),
    ] {
        check_penalties(name, penalties, tree.features() + 1)?;
    }
    check_report(&file.report, 0)?;
    Ok(OrrtModel {
        tree,
        leaf_slopes: file.leaves.leaf_coefficients.concat(),
        leaf_intercepts: file.leaves.leaf_intercepts,
        response: file.leaves.response,
        ridge_leaves: file.ridge_leaves,
        ridge_mean: file.ridge_mean,
        leaf_weights: file.leaves.leaf_weights,
        report: file.report,
    })
}
