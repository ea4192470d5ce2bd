//! The fields of a file that every kind of soft tree has.

use super::checks::{Count, FINITE, Range, check};
use super::{FORMAT, VERSION};
use crate::InputError;
use crate::data::{Encoding, FeatureMap, Scaling, ScalingKind};
use crate::fitted::{FitReport, SoftTree};
use crate::tree::{Shape, Topology};
use serde::{Deserialize, Serialize};

/// Steepest γ a file may hold; fits allow no more.
const MAX_GAMMA: f64 = 1e9;

/// Header, splits and features. Fields it does not know are ignored, so that later releases may add
/// some.
#[derive(Serialize, Deserialize)]
pub(super) struct TreeFields {
    format: String,
    version: u64,
    kind: String,
    /// 0 for a single leaf.
    depth: usize,
    gamma: f64,
    scaling: ScalingKind,
    /// Whether the features' names were given; in version 1, if they are not x0, x1, ….
    named: Option<bool>,
    features: Vec<Feature>,
    /// How the columns of a table become the features, if the model was fitted to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<Encoding>,
    /// Nodes that split; all down to `depth` in version 1.
    splits: Option<Vec<usize>>,
    coefficients: Vec<Vec<f64>>,
    intercepts: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct Feature {
    name: String,
    #[serde(flatten)]
    map: FeatureMap,
    /// Missing in version 1.
    typical: Option<f64>,
}

impl Feature {
    fn typical(&self) -> f64 {
        self.typical.unwrap_or_else(|| self.map.middle())
    }
}

impl TreeFields {
    pub fn of(kind: &str, tree: &SoftTree, intercepts: Vec<f64>) -> Self {
        let maps = tree.scaling.features.iter().zip(&tree.scaling.typical);
        let features = tree.feature_names.iter().zip(maps);
        let feature = |(name, (map, typical)): (&String, (&FeatureMap, &f64))| Feature {
            name: name.clone(),
            map: map.clone(),
            typical: Some(*typical),
        };
        Self {
            format: FORMAT.into(),
            version: VERSION,
            kind: kind.into(),
            depth: tree.shape.depth(),
            gamma: tree.gamma,
            scaling: tree.scaling.kind,
            named: Some(tree.named),
            features: features.map(feature).collect(),
            encoding: tree.encoding.clone(),
            splits: Some(tree.shape.splits().to_vec()),
            coefficients: rows(&tree.coefficients, tree.features()),
            intercepts,
        }
    }

    /// The splits, if every size, range and order is as training makes it; `allowed` are coefficients and
    /// intercepts.
    pub fn into_tree(self, allowed: Range) -> Result<SoftTree, InputError> {
        let shape = shape_of(self.depth, self.splits.as_deref())?;
        check(self.gamma > 0.0 && self.gamma <= MAX_GAMMA, || {
            format!(
                "gamma is {}, it must be positive and at most {MAX_GAMMA:e}",
                self.gamma
            )
        })?;
        let p = self.features.len();
        check(p > 0, || "features is empty".into())?;
        for (j, feature) in self.features.iter().enumerate() {
            validate_map(&feature.map).map_err(|what| {
                InputError::ModelFile(format!("features[{j}] ({:?}): {what}", feature.name))
            })?;
        }
        if let Some(encoding) = &self.encoding {
            check_encoding(encoding, p)?;
        }
        let typical = self.features.iter().map(Feature::typical);
        let typical: Vec<f64> = typical.collect();
        FINITE.check("typical", &typical)?;
        let splits = split_count(&shape);
        splits.check_matrix("coefficients", &self.coefficients, (p, "features"))?;
        allowed.check_matrix("coefficients", &self.coefficients)?;
        splits.check("intercepts", self.intercepts.len())?;
        allowed.check("intercepts", &self.intercepts)?;
        let (feature_names, features): (Vec<String>, _) =
            self.features.into_iter().map(|f| (f.name, f.map)).unzip();
        let numbered = |(j, name): (usize, &String)| *name == format!("x{j}");
        Ok(SoftTree {
            shape,
            gamma: self.gamma,
            coefficients: self.coefficients.concat(),
            intercepts: self.intercepts,
            scaling: Scaling {
                kind: self.scaling,
                features,
                typical,
            },
            named: (self.named).unwrap_or_else(|| !feature_names.iter().enumerate().all(numbered)),
            feature_names,
            encoding: self.encoding,
        })
    }
}

/// The tree that splits at these nodes, or at all nodes down to `depth`, which it must have.
pub(super) fn shape_of(depth: usize, splits: Option<&[usize]>) -> Result<Shape, InputError> {
    let most = Topology::MAX_DEPTH;
    let least = usize::from(splits.is_none());
    check((least..=most).contains(&depth), || {
        format!("depth is {depth}, it must be {least}…{most}")
    })?;
    let Some(splits) = splits else {
        return Ok(Shape::complete(depth));
    };
    let shape = Shape::of_splits(splits.to_vec()).ok_or_else(|| {
        let rule = format!("each with its parent and none deeper than {most} levels");
        InputError::ModelFile(format!("splits must be increasing nodes, {rule}"))
    })?;
    check(shape.depth() == depth, || {
        format!(
            "depth is {depth}, but the splits have depth {}",
            shape.depth()
        )
    })?;
    Ok(shape)
}

/// One that gives `features` features.
pub(super) fn check_encoding(encoding: &Encoding, features: usize) -> Result<(), InputError> {
    encoding.validate().map_err(InputError::ModelFile)?;
    let got = encoding.features();
    check(got == features, || {
        format!("encoding gives {got} features, but there are {features}")
    })
}

/// As many as there are splits.
pub(super) fn split_count(shape: &Shape) -> Count {
    Count {
        wanted: shape.splits().len(),
        depth: shape.depth(),
        of: "splits",
    }
}

/// As many as there are leaves.
pub(super) fn leaf_count(shape: &Shape) -> Count {
    Count {
        wanted: shape.leaves().len(),
        depth: shape.depth(),
        of: "leaves",
    }
}

/// A matrix with rows of `width` values, as files hold it.
pub(super) fn rows(values: &[f64], width: usize) -> Vec<Vec<f64>> {
    values.chunks_exact(width).map(<[f64]>::to_vec).collect()
}

/// Positions that a report names must exist; `classes` are those of the model.
pub(super) fn check_report(report: &FitReport, classes: usize) -> Result<(), InputError> {
    let (best, starts) = (report.best_start, report.start_objectives.len());
    check(best < starts, || {
        format!("report.best_start is {best}, but there are {starts} start_objectives")
    })?;
    for (i, constraint) in report.constraints.iter().enumerate() {
        let class = constraint.class.unwrap_or(0);
        check(constraint.class.is_none() || class < classes, || {
            format!("report.constraints[{i}].class is {class}, but there are {classes} classes")
        })?;
    }
    let Some(table) = &report.cross_validation else {
        return Ok(());
    };
    let (chosen, count) = (table.chosen, table.candidates.len());
    check(chosen < count, || {
        format!("report.cross_validation.chosen is {chosen}, but there are {count} candidates")
    })
}

/// As training makes it, steps wide enough to divide by included.
fn validate_map(map: &FeatureMap) -> Result<(), String> {
    map.validate()?;
    let ends = match map {
        FeatureMap::Constant => &[][..],
        FeatureMap::Linear { min, max } => &[*min, *max],
        FeatureMap::Knots { values, .. } => values,
    };
    let too_close = |w: &[f64]| w[1] * 0.5 - w[0] * 0.5 < f64::MIN_POSITIVE;
    match ends.windows(2).find(|w| too_close(w)) {
        Some(w) => Err(format!(
            "{:e} and {:e} are too close to divide by their distance",
            w[0], w[1]
        )),
        None => Ok(()),
    }
}
