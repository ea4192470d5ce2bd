//! The file of a soft regression tree.

use super::checks::{FINITE, check, check_penalties, parse};
use super::leaf_models::LeafModels;
use super::lines::to_lines;
use super::tree_fields::{TreeFields, check_report};
use crate::InputError;
use crate::fitted::{Curve, FitReport, FittedModel, SrtModel};
use serde::{Deserialize, Serialize};

/// Its fields.
#[derive(Serialize, Deserialize)]
struct SrtFile {
    #[serde(flatten)]
    tree: TreeFields,
    #[serde(flatten)]
    leaves: LeafModels,
    #[serde(default)]
    curves: Vec<Curve>,
    ridge_branches: Penalties,
    ridge_leaves: Penalties,
    report: FitReport,
}

/// One penalty for each feature and then one for the intercepts, or, in early files, one for all.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Penalties {
    Same(f64),
    Each(Vec<f64>),
}

pub(in crate::fitted) fn write(kind: &str, model: &SrtModel) -> String {
    to_lines(&SrtFile {
        tree: TreeFields::of(kind, &model.tree, model.split_intercepts()),
        leaves: LeafModels::of(
            &model.leaf_slopes,
            &model.leaf_intercepts,
            model.response,
            model.tree.features(),
            &model.leaf_weights,
        ),
        curves: model.curves.clone(),
        ridge_branches: Penalties::Each(model.ridge_branches.clone()),
        ridge_leaves: Penalties::Each(model.ridge_leaves.clone()),
        report: model.report.clone(),
    })
}

pub(in crate::fitted) fn read(text: &str) -> Result<SrtModel, InputError> {
    let file: SrtFile = parse(text)?;
    let mut tree = file.tree.into_tree(FINITE)?;
    tree.intercepts.iter_mut().for_each(|mu| *mu = -*mu);
    file.leaves.check(&tree)?;
    let p = tree.features();
    let curves = file.curves.len();
    check(curves == 0 || curves == p, || {
        format!("curves has {curves} values, not one for each of {p} features or none")
    })?;
    for (j, curve) in file.curves.iter().enumerate() {
        let invalid = |what| InputError::ModelFile(format!("curves[{j}]: {what}"));
        curve.validate().map_err(invalid)?;
    }
    check_report(&file.report, 0)?;
    Ok(SrtModel {
        tree,
        leaf_slopes: file.leaves.leaf_coefficients.concat(),
        leaf_intercepts: file.leaves.leaf_intercepts,
        curves: file.curves,
        response: file.leaves.response,
        ridge_branches: file.ridge_branches.of_each("ridge_branches", p + 1)?,
        ridge_leaves: file.ridge_leaves.of_each("ridge_leaves", p + 1)?,
        leaf_weights: file.leaves.leaf_weights,
        report: file.report,
    })
}

impl Penalties {
    /// `wanted` penalties, none of them negative.
    fn of_each(self, name: &str, wanted: usize) -> Result<Vec<f64>, InputError> {
        let penalties = match self {
            Self::Same(penalty) => vec![penalty; wanted],
            Self::Each(penalties) => penalties,
        };
        check_penalties(name, &penalties, wanted)?;
        Ok(penalties)
    }
}
