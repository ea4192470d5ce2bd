//! The file of a soft regression tree.

use super::checks::{FINITE, NOT_NEGATIVE, check, check_total, parse};
use super::lines::to_lines;
use super::tree_fields::{TreeFields, check_report, leaf_count, rows};
use crate::InputError;
use crate::data::Standardization;
use crate::fitted::{Curve, FitReport, FittedModel, SrtModel};
use serde::{Deserialize, Serialize};

/// Its fields.
#[derive(Serialize, Deserialize)]
struct SrtFile {
    #[serde(flatten)]
    tree: TreeFields,
    leaf_coefficients: Vec<Vec<f64>>,
    leaf_intercepts: Vec<f64>,
    #[serde(default)]
    curves: Vec<Curve>,
    response: Standardization,
    ridge_branches: Penalties,
    ridge_leaves: Penalties,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    leaf_weights: Vec<f64>,
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
        leaf_coefficients: rows(&model.leaf_slopes, model.tree.features()),
        leaf_intercepts: model.leaf_intercepts.clone(),
        curves: model.curves.clone(),
        response: model.response,
        ridge_branches: Penalties::Each(model.ridge_branches.clone()),
        ridge_leaves: Penalties::Each(model.ridge_leaves.clone()),
        leaf_weights: model.leaf_weights.clone(),
        report: model.report.clone(),
    })
}

pub(in crate::fitted) fn read(text: &str) -> Result<SrtModel, InputError> {
    let file: SrtFile = parse(text)?;
    let mut tree = file.tree.into_tree(FINITE)?;
    tree.intercepts.iter_mut().for_each(|mu| *mu = -*mu);
    let (leaves, p) = (leaf_count(&tree.shape), tree.features());
    leaves.check_matrix(
        "leaf_coefficients",
        &file.leaf_coefficients,
        (p, "features"),
    )?;
    FINITE.check_matrix("leaf_coefficients", &file.leaf_coefficients)?;
    leaves.check("leaf_intercepts", file.leaf_intercepts.len())?;
    FINITE.check("leaf_intercepts", &file.leaf_intercepts)?;
    let curves = file.curves.len();
    check(curves == 0 || curves == p, || {
        format!("curves has {curves} values, not one for each of {p} features or none")
    })?;
    for (j, curve) in file.curves.iter().enumerate() {
        let invalid = |what| InputError::ModelFile(format!("curves[{j}]: {what}"));
        curve.validate().map_err(invalid)?;
    }
    let Standardization { mean, scale } = file.response;
    check(mean.is_finite() && scale.is_finite() && scale > 0.0, || {
        format!("response has mean {mean} and scale {scale}, the scale must be positive")
    })?;
    if !file.leaf_weights.is_empty() {
        leaves.check("leaf_weights", file.leaf_weights.len())?;
        NOT_NEGATIVE.check("leaf_weights", &file.leaf_weights)?;
        check_total(file.leaf_weights.iter().copied())?;
    }
    check_report(&file.report, 0)?;
    Ok(SrtModel {
        tree,
        leaf_slopes: file.leaf_coefficients.concat(),
        leaf_intercepts: file.leaf_intercepts,
        curves: file.curves,
        response: file.response,
        ridge_branches: file.ridge_branches.of_each("ridge_branches", p + 1)?,
        ridge_leaves: file.ridge_leaves.of_each("ridge_leaves", p + 1)?,
        leaf_weights: file.leaf_weights,
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
        check(penalties.len() == wanted, || {
            format!("{name} has {} values, not {wanted}", penalties.len())
        })?;
        NOT_NEGATIVE.check(name, &penalties)?;
        Ok(penalties)
    }
}
