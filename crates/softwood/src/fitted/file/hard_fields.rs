//! The fields of a file that every kind of hard tree has.

use super::checks::{FINITE, check};
use super::tree_fields::{check_encoding, shape_of, split_count};
use super::{FORMAT, VERSION};
use crate::InputError;
use crate::data::Encoding;
use crate::fitted::{FittedTree, HardSplit, HardTree, UsedFeature};
use serde::{Deserialize, Serialize};

/// Header, splits and features.
#[derive(Serialize, Deserialize)]
pub(super) struct HardFields {
    format: String,
    version: u64,
    kind: String,
    /// 0 for a single leaf.
    depth: usize,
    /// p.
    n_features: usize,
    /// Names of all features, if they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    feature_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<Encoding>,
    used_features: Vec<Used>,
    /// Nodes that split.
    splits: Vec<usize>,
    forms: Vec<Form>,
}

#[derive(Serialize, Deserialize)]
struct Used {
    column: u32,
    typical: f64,
    low: f64,
    high: f64,
}

/// A row goes left where Σ weights · features[columns] ≥ threshold.
#[derive(Serialize, Deserialize)]
struct Form {
    threshold: f64,
    columns: Vec<u32>,
    weights: Vec<f64>,
}

impl HardFields {
    pub fn of(kind: &str, tree: &HardTree) -> Self {
        let used = |feature: &UsedFeature| Used {
            column: feature.column,
            typical: feature.typical,
            low: feature.low,
            high: feature.high,
        };
        let form = |split: &HardSplit| Form {
            threshold: split.threshold,
            columns: split.columns.clone(),
            weights: split.weights.clone(),
        };
        let names = tree
            .encoding()
            .is_none()
            .then(|| tree.given_names())
            .flatten();
        Self {
            format: FORMAT.into(),
            version: VERSION,
            kind: kind.into(),
            depth: tree.shape.depth(),
            n_features: tree.features(),
            feature_names: names.map(<[String]>::to_vec),
            encoding: tree.encoding().cloned(),
            used_features: tree.used().iter().map(used).collect(),
            splits: tree.shape.splits().to_vec(),
            forms: tree.splits().iter().map(form).collect(),
        }
    }

    /// The splits, if every size, range and order is as training makes it.
    pub fn into_tree(self) -> Result<HardTree, InputError> {
        let shape = shape_of(self.depth, Some(&self.splits))?;
        let p = self.n_features;
        check(p > 0 && u32::try_from(p).is_ok(), || {
            format!("n_features is {p}")
        })?;
        if let Some(names) = &self.feature_names {
            check(names.len() == p, || {
                format!("feature_names has {} values for {p} features", names.len())
            })?;
        }
        if let Some(encoding) = &self.encoding {
            check_encoding(encoding, p)?;
        }
        let columns: Vec<u32> = self.used_features.iter().map(|used| used.column).collect();
        check_columns("used_features", &columns, |j| (j as usize) < p)?;
        for (k, used) in self.used_features.iter().enumerate() {
            let figures = [used.typical, used.low, used.high];
            FINITE.check(&format!("used_features[{k}]"), &figures)?;
        }
        split_count(&shape).check("forms", self.forms.len())?;
        for (t, form) in self.forms.iter().enumerate() {
            let (name, known) = (format!("forms[{t}]"), |j: u32| {
                columns.binary_search(&j).is_ok()
            });
            check_columns(&name, &form.columns, known)?;
            let (got, wanted) = (form.weights.len(), form.columns.len());
            check(got == wanted, || {
                format!("{name} has {got} weights for {wanted} columns")
            })?;
            FINITE.check(&format!("{name}.weights"), &form.weights)?;
            FINITE.check(&format!("{name}.threshold"), &[form.threshold])?;
        }
        let used = self.used_features.into_iter().map(|used| UsedFeature {
            column: used.column,
            typical: used.typical,
            low: used.low,
            high: used.high,
        });
        let splits = self.forms.into_iter().map(|form| HardSplit {
            columns: form.columns,
            weights: form.weights,
            threshold: form.threshold,
        });
        let names = (self.feature_names.as_deref(), self.encoding.as_ref());
        Ok(HardTree::new(
            shape,
            p,
            splits.collect(),
            used.collect(),
            names,
        ))
    }
}

/// Increasing, and all of them known.
fn check_columns(
    name: &str,
    columns: &[u32],
    known: impl Fn(u32) -> bool,
) -> Result<(), InputError> {
    check(columns.is_sorted_by(|a, b| a < b), || {
        format!("the columns of {name} must increase")
    })?;
    match columns.iter().find(|j| !known(**j)) {
        Some(j) => Err(InputError::ModelFile(format!(
            "{name} has column {j}, which is not among the features"
        ))),
        None => Ok(()),
    }
}
