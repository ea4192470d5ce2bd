//! The model file: versioned JSON that any language can read; MODEL_FORMAT.md describes it.

use super::{Curve, FitReport, OrctModel, SoftTree, SrtModel};
use crate::InputError;
use crate::data::{ClassLabels, FeatureMap, Scaling, ScalingKind, Standardization};
use crate::tree::Topology;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const FORMAT: &str = "softwood";
const VERSION: u64 = 1;

/// Steepest γ a file may hold; fits allow no more.
const MAX_GAMMA: f64 = 1e9;

/// Why a model could not be saved or loaded.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// The system could not read or write the file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// "read" or "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file was read but holds no valid model.
    #[error("{}: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: InputError,
    },
}

/// What every version of the format begins with.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
    kind: String,
}

/// What every kind of model has. Fields it does not know are ignored, so that later versions may
/// add some.
#[derive(Deserialize)]
struct TreeBody {
    depth: usize,
    gamma: f64,
    scaling: ScalingKind,
    features: Vec<Feature>,
    coefficients: Vec<Vec<f64>>,
    intercepts: Vec<f64>,
    report: FitReport,
}

#[derive(Deserialize)]
struct OrctBody {
    classes: ClassLabels,
    leaf_classes: Vec<u32>,
}

#[derive(Deserialize)]
struct SrtBody {
    leaf_coefficients: Vec<Vec<f64>>,
    leaf_intercepts: Vec<f64>,
    #[serde(default)]
    curves: Vec<Curve>,
    response: Standardization,
    ridge_branches: Penalties,
    ridge_leaves: Penalties,
}

/// A penalty for all coefficients, or one for each feature and then one for the intercepts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Penalties {
    Same(f64),
    Each(Vec<f64>),
}

#[derive(Deserialize)]
struct Feature {
    name: String,
    #[serde(flatten)]
    map: FeatureMap,
}

/// [`Feature`] to be written.
#[derive(Serialize)]
struct FeatureRef<'a> {
    name: &'a str,
    #[serde(flatten)]
    map: &'a FeatureMap,
}

/// A fitted model of any kind, as a file may hold it.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// An optimal randomized classification tree.
    Orct(OrctModel),
    /// A soft regression tree.
    Srt(SrtModel),
}

impl Model {
    /// Reads what `to_json` of a model wrote, or anybody else: nothing in the text is trusted.
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        match read_kind(text)?.as_str() {
            OrctModel::KIND => OrctModel::parse(text).map(Self::Orct),
            SrtModel::KIND => SrtModel::parse(text).map(Self::Srt),
            kind => Err(InputError::ModelFile(format!(
                "kind is {kind:?}, not {:?} or {:?}",
                OrctModel::KIND,
                SrtModel::KIND
            ))),
        }
    }

    /// Reads a model from a file that `save` of a model wrote.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
        read_file(path.as_ref(), Self::from_json)
    }
}

/// A kind of model in a file.
trait Kind: Sized {
    /// Its name there.
    const KIND: &'static str;

    /// The model, if every size, range and order is as training makes it.
    fn parse(text: &str) -> Result<Self, InputError>;
}

/// The kind of model in a file of the format and version this release reads.
fn read_kind(text: &str) -> Result<String, InputError> {
    let header: Header = parse(text)?;
    check(header.format == FORMAT, || {
        format!("format is {:?}, not {FORMAT:?}", header.format)
    })?;
    check(header.version == VERSION, || {
        format!(
            "version is {}, but this release reads version {VERSION}",
            header.version
        )
    })?;
    Ok(header.kind)
}

/// The public methods, the same for every kind.
macro_rules! file_methods {
    ($model:ty) => {
        impl $model {
            /// Reads what [`Self::to_json`] wrote, or anybody else: nothing in the text is trusted.
            pub fn from_json(text: &str) -> Result<Self, InputError> {
                let kind = read_kind(text)?;
                check(kind == Self::KIND, || {
                    format!("kind is {kind:?}, not {:?}", Self::KIND)
                })?;
                Self::parse(text)
            }

            /// Writes the model to a file. An older file at `path` is replaced as a whole or not at all.
            pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelFileError> {
                let path = path.as_ref();
                replace_file(path, self.to_json().as_bytes()).map_err(|source| ModelFileError::Io {
                    action: "write",
                    path: path.into(),
                    source,
                })
            }

            /// Reads a model from a file that [`Self::save`] wrote.
            pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelFileError> {
                read_file(path.as_ref(), Self::from_json)
            }
        }
    };
}

file_methods!(OrctModel);
file_methods!(SrtModel);

impl OrctModel {
    /// The model as JSON, described in [`file_format`](super::file_format): every number keeps its
    /// bits. A field a line, a feature a line, a split a line.
    pub fn to_json(&self) -> String {
        let mut lines = tree_fields(Self::KIND, &self.tree, &self.tree.intercepts);
        lines.extend([
            field("classes", &self.classes),
            field("leaf_classes", &self.leaf_classes),
            field("report", &self.report),
        ]);
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }
}

impl SrtModel {
    /// The model as JSON, described in [`file_format`](super::file_format): every number keeps its
    /// bits. A field a line; a line for each feature, split and leaf.
    pub fn to_json(&self) -> String {
        let intercepts: Vec<f64> = self.split_intercepts().collect();
        let mut lines = tree_fields(Self::KIND, &self.tree, &intercepts);
        let leaves = self.leaf_slopes.chunks_exact(self.tree.features());
        lines.extend([
            list("leaf_coefficients", leaves.map(json)),
            field("leaf_intercepts", &self.leaf_intercepts),
            list("curves", self.curves.iter().map(json)),
            field("response", &self.response),
            field("ridge_branches", &self.ridge_branches),
            field("ridge_leaves", &self.ridge_leaves),
            field("report", &self.report),
        ]);
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }
}

/// What every kind begins with.
fn tree_fields(kind: &str, tree: &SoftTree, intercepts: &[f64]) -> Vec<String> {
    let features = tree.feature_names.iter().zip(&tree.scaling.features);
    vec![
        field("format", FORMAT),
        field("version", &VERSION),
        field("kind", kind),
        field("depth", &tree.topology.depth()),
        field("gamma", &tree.gamma),
        field("scaling", &tree.scaling.kind),
        list(
            "features",
            features.map(|(name, map)| json(&FeatureRef { name, map })),
        ),
        list(
            "coefficients",
            tree.coefficients.chunks_exact(tree.features()).map(json),
        ),
        field("intercepts", intercepts),
    ]
}

impl TreeBody {
    /// The splits, if every size, range and order is as training makes it; `check_values` judges
    /// coefficients and intercepts.
    fn into_tree(
        self,
        check_values: impl Fn(&[f64], &dyn Fn(usize) -> String) -> Result<(), InputError>,
    ) -> Result<(SoftTree, FitReport), InputError> {
        let depths = 1..=Topology::MAX_DEPTH;
        check(depths.contains(&self.depth), || {
            format!(
                "depth is {}, it must be 1…{}",
                self.depth,
                Topology::MAX_DEPTH
            )
        })?;
        let topology = Topology::complete(self.depth);
        check(self.gamma > 0.0 && self.gamma <= MAX_GAMMA, || {
            format!(
                "gamma is {}, it must be positive and at most {MAX_GAMMA:e}",
                self.gamma
            )
        })?;
        let (b, p) = (topology.branches(), self.features.len());
        check(p > 0, || "features is empty".into())?;
        for (j, feature) in self.features.iter().enumerate() {
            validate_map(&feature.map).map_err(|what| {
                InputError::ModelFile(format!("features[{j}] ({:?}): {what}", feature.name))
            })?;
        }
        check_matrix(
            "coefficients",
            &self.coefficients,
            b,
            p,
            self.depth,
            "splits",
        )?;
        for (t, row) in self.coefficients.iter().enumerate() {
            check_values(row, &|j| format!("coefficients[{t}][{j}]"))?;
        }
        check_count("intercepts", self.intercepts.len(), b, self.depth, "splits")?;
        check_values(&self.intercepts, &|t| format!("intercepts[{t}]"))?;
        let (best, starts) = (self.report.best_start, self.report.start_objectives.len());
        check(best < starts, || {
            format!("report.best_start is {best}, but there are {starts} start_objectives")
        })?;
        let (feature_names, maps) = self.features.into_iter().map(|f| (f.name, f.map)).unzip();
        let tree = SoftTree {
            topology,
            gamma: self.gamma,
            coefficients: self.coefficients.concat(),
            intercepts: self.intercepts,
            scaling: Scaling {
                kind: self.scaling,
                features: maps,
            },
            feature_names,
        };
        Ok((tree, self.report))
    }
}

impl Kind for OrctModel {
    const KIND: &'static str = "orct";

    fn parse(text: &str) -> Result<Self, InputError> {
        let (tree, report) = parse::<TreeBody>(text)?.into_tree(|values, name| {
            let inside = |x: f64| x.abs() <= 1.0;
            check_values(values, name, inside, "it must lie in [-1, 1]")
        })?;
        let body: OrctBody = parse(text)?;
        let (k, leaves) = (body.classes.len(), tree.topology.leaves());
        check(k >= 2, || {
            format!("classes has {k} values, there must be at least 2")
        })?;
        check(body.classes.is_increasing(), || {
            "the values of classes must be distinct and in increasing order".into()
        })?;
        let (count, depth) = (body.leaf_classes.len(), tree.topology.depth());
        check_count("leaf_classes", count, leaves, depth, "leaves")?;
        if let Some(t) = body
            .leaf_classes
            .iter()
            .position(|class| *class as usize >= k)
        {
            let what = format!(
                "leaf_classes[{t}] is {}, but there are {k} classes",
                body.leaf_classes[t]
            );
            return Err(InputError::ModelFile(what));
        }
        Ok(Self::new(tree, body.classes, body.leaf_classes, report))
    }
}

impl Kind for SrtModel {
    const KIND: &'static str = "srt";

    fn parse(text: &str) -> Result<Self, InputError> {
        let check_finite = |values: &[f64], name: &dyn Fn(usize) -> String| {
            check_values(values, name, f64::is_finite, "it must be finite")
        };
        let (mut tree, report) = parse::<TreeBody>(text)?.into_tree(check_finite)?;
        tree.intercepts
            .iter_mut()
            .for_each(|omega| *omega = -*omega);
        let body: SrtBody = parse(text)?;
        let (leaves, p, depth) = (
            tree.topology.leaves(),
            tree.features(),
            tree.topology.depth(),
        );
        check_matrix(
            "leaf_coefficients",
            &body.leaf_coefficients,
            leaves,
            p,
            depth,
            "leaves",
        )?;
        for (t, row) in body.leaf_coefficients.iter().enumerate() {
            check_finite(row, &|j| format!("leaf_coefficients[{t}][{j}]"))?;
        }
        let count = body.leaf_intercepts.len();
        check_count("leaf_intercepts", count, leaves, depth, "leaves")?;
        check_finite(&body.leaf_intercepts, &|t| format!("leaf_intercepts[{t}]"))?;
        let curves = body.curves.len();
        check(curves == 0 || curves == p, || {
            format!("curves has {curves} values, not one for each of {p} features or none")
        })?;
        for (j, curve) in body.curves.iter().enumerate() {
            let invalid = |what| InputError::ModelFile(format!("curves[{j}]: {what}"));
            curve.validate().map_err(invalid)?;
        }
        let Standardization { mean, scale } = body.response;
        check(mean.is_finite() && scale.is_finite() && scale > 0.0, || {
            format!("response has mean {mean} and scale {scale}, the scale must be positive")
        })?;
        let penalties = |name: &str, penalties: Penalties| {
            let penalties = match penalties {
                Penalties::Same(penalty) => vec![penalty; p + 1],
                Penalties::Each(penalties) => penalties,
            };
            check(penalties.len() == p + 1, || {
                let count = penalties.len();
                format!("{name} has {count} values, not {}", p + 1)
            })?;
            let allowed = |penalty: f64| penalty.is_finite() && penalty >= 0.0;
            check_values(
                &penalties,
                &|j| format!("{name}[{j}]"),
                allowed,
                "it must not be negative",
            )?;
            Ok(penalties)
        };
        let ridge_branches = penalties("ridge_branches", body.ridge_branches)?;
        let ridge_leaves = penalties("ridge_leaves", body.ridge_leaves)?;
        Ok(Self {
            tree,
            leaf_slopes: body.leaf_coefficients.concat(),
            leaf_intercepts: body.leaf_intercepts,
            curves: body.curves,
            response: body.response,
            ridge_branches,
            ridge_leaves,
            report,
        })
    }
}

fn check_count(
    name: &str,
    count: usize,
    wanted: usize,
    depth: usize,
    of: &str,
) -> Result<(), InputError> {
    check(count == wanted, || {
        format!("{name} has {count} values, a tree of depth {depth} has {wanted} {of}")
    })
}

/// A row for each of the tree's `rows` splits or leaves (`of`), each with a value a feature.
fn check_matrix(
    name: &str,
    matrix: &[Vec<f64>],
    rows: usize,
    p: usize,
    depth: usize,
    of: &str,
) -> Result<(), InputError> {
    check(matrix.len() == rows, || {
        let found = matrix.len();
        format!("{name} has {found} rows, a tree of depth {depth} has {rows} {of}")
    })?;
    match matrix.iter().position(|row| row.len() != p) {
        Some(t) => Err(InputError::ModelFile(format!(
            "{name}[{t}] has {} values for {p} features",
            matrix[t].len()
        ))),
        None => Ok(()),
    }
}

fn check_values(
    values: &[f64],
    name: &dyn Fn(usize) -> String,
    ok: impl Fn(f64) -> bool,
    rule: &str,
) -> Result<(), InputError> {
    match values.iter().position(|x| !ok(*x)) {
        Some(i) => Err(InputError::ModelFile(format!(
            "{} is {}, {rule}",
            name(i),
            values[i]
        ))),
        None => Ok(()),
    }
}

/// The text of a file, read as a model.
fn read_file<M>(
    path: &Path,
    read: impl Fn(&str) -> Result<M, InputError>,
) -> Result<M, ModelFileError> {
    let bytes = fs::read(path).map_err(|source| ModelFileError::Io {
        action: "read",
        path: path.into(),
        source,
    })?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| InputError::ModelFile(format!("not text: {error}")));
    text.and_then(read)
        .map_err(|source| ModelFileError::Invalid {
            path: path.into(),
            source,
        })
}

fn check(ok: bool, what: impl FnOnce() -> String) -> Result<(), InputError> {
    if ok {
        Ok(())
    } else {
        Err(InputError::ModelFile(what()))
    }
}

/// The text as JSON; what serde says if it is not, with line and column.
fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, InputError> {
    serde_json::from_str(text).map_err(|error| InputError::ModelFile(error.to_string()))
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

fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("plain data can be written")
}

fn field(name: &str, value: &(impl Serialize + ?Sized)) -> String {
    format!("  \"{name}\": {}", json(value))
}

fn list(name: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.map(|item| format!("    {item}")).collect();
    format!("  \"{name}\": [\n{}\n  ]", items.join(",\n"))
}

/// Writes beside `path` and renames, following a link to the file it stands for.
fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device is written to, never replaced.
        return fs::write(&target, bytes);
    }
    let temporary = name_beside(&target)?;
    let written = write_new(&temporary, bytes)
        .and_then(|()| {
            old.map_or(Ok(()), |old| {
                fs::set_permissions(&temporary, old.permissions())
            })
        })
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A hidden name in the same folder that no other save of this or another process uses.
fn name_beside(target: &Path) -> io::Result<PathBuf> {
    static SAVES: AtomicU64 = AtomicU64::new(0);
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not the name of a file",
        ));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(
        ".{}-{}.tmp",
        std::process::id(),
        SAVES.fetch_add(1, Ordering::Relaxed)
    ));
    Ok(target.with_file_name(hidden))
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
