//! The model file: versioned JSON that any language can read; MODEL_FORMAT.md describes it.

use super::{OrctModel, FitReport, SoftTree};
use crate::InputError;
use crate::data::{ClassLabels, FeatureMap, Scaling, ScalingKind};
use crate::tree::Topology;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const FORMAT: &str = "softwood";
const VERSION: u64 = 1;
const KIND: &str = "orct";

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

/// The rest of the file. Fields it does not know are ignored, so that later versions may add some.
#[derive(Deserialize)]
struct Body {
    depth: usize,
    gamma: f64,
    scaling: ScalingKind,
    features: Vec<Feature>,
    coefficients: Vec<Vec<f64>>,
    intercepts: Vec<f64>,
    classes: ClassLabels,
    leaf_classes: Vec<u32>,
    report: FitReport,
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

impl OrctModel {
    /// The model as JSON, described in [`file_format`](super::file_format): every number keeps its
    /// bits. A field a line, a feature a line, a split a line.
    pub fn to_json(&self) -> String {
        let tree = &self.tree;
        let features = tree.feature_names.iter().zip(&tree.scaling.features);
        let lines = [
            field("format", FORMAT),
            field("version", &VERSION),
            field("kind", KIND),
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
            field("intercepts", &tree.intercepts),
            field("classes", &self.classes),
            field("leaf_classes", &self.leaf_classes),
            field("report", &self.report),
        ];
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// Reads what [`Self::to_json`] wrote, or anybody else: nothing in the text is trusted.
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        let header: Header = serde_json::from_str(text).map_err(syntax)?;
        check(header.format == FORMAT, || {
            format!("format is {:?}, not {FORMAT:?}", header.format)
        })?;
        check(header.version == VERSION, || {
            format!(
                "version is {}, but this release reads version {VERSION}",
                header.version
            )
        })?;
        check(header.kind == KIND, || {
            format!("kind is {:?}, not {KIND:?}", header.kind)
        })?;
        serde_json::from_str::<Body>(text)
            .map_err(syntax)?
            .into_model()
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
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| ModelFileError::Io {
            action: "read",
            path: path.into(),
            source,
        })?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| InputError::ModelFile(format!("not text: {error}")));
        text.and_then(Self::from_json)
            .map_err(|source| ModelFileError::Invalid {
                path: path.into(),
                source,
            })
    }
}

impl Body {
    /// The model, if every size, range and order is as training makes it.
    fn into_model(self) -> Result<OrctModel, InputError> {
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
        let (b, p, k) = (topology.branches(), self.features.len(), self.classes.len());
        check(p > 0, || "features is empty".into())?;
        for (j, feature) in self.features.iter().enumerate() {
            validate_map(&feature.map).map_err(|what| {
                InputError::ModelFile(format!("features[{j}] ({:?}): {what}", feature.name))
            })?;
        }
        check(self.coefficients.len() == b, || {
            format!(
                "coefficients has {} rows, a tree of depth {} has {b} splits",
                self.coefficients.len(),
                self.depth
            )
        })?;
        for (t, row) in self.coefficients.iter().enumerate() {
            check(row.len() == p, || {
                format!(
                    "coefficients[{t}] has {} values for {p} features",
                    row.len()
                )
            })?;
            check_box(row, |j| format!("coefficients[{t}][{j}]"))?;
        }
        check(self.intercepts.len() == b, || {
            format!(
                "intercepts has {} values, a tree of depth {} has {b} splits",
                self.intercepts.len(),
                self.depth
            )
        })?;
        check_box(&self.intercepts, |t| format!("intercepts[{t}]"))?;
        check(k >= 2, || {
            format!("classes has {k} values, there must be at least 2")
        })?;
        check(self.classes.is_increasing(), || {
            "the values of classes must be distinct and in increasing order".into()
        })?;
        let leaves = topology.leaves();
        check(self.leaf_classes.len() == leaves, || {
            format!(
                "leaf_classes has {} values, a tree of depth {} has {leaves} leaves",
                self.leaf_classes.len(),
                self.depth
            )
        })?;
        if let Some(t) = self
            .leaf_classes
            .iter()
            .position(|class| *class as usize >= k)
        {
            let what = format!(
                "leaf_classes[{t}] is {}, but there are {k} classes",
                self.leaf_classes[t]
            );
            return Err(InputError::ModelFile(what));
        }
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
        Ok(OrctModel::new(
            tree,
            self.classes,
            self.leaf_classes,
            self.report,
        ))
    }
}

fn check(ok: bool, what: impl FnOnce() -> String) -> Result<(), InputError> {
    if ok {
        Ok(())
    } else {
        Err(InputError::ModelFile(what()))
    }
}

/// What serde says, with line and column.
fn syntax(error: serde_json::Error) -> InputError {
    InputError::ModelFile(error.to_string())
}

/// a, μ ∈ [−1, 1].
fn check_box(values: &[f64], name: impl Fn(usize) -> String) -> Result<(), InputError> {
    match values.iter().position(|x| x.is_nan() || x.abs() > 1.0) {
        Some(i) => Err(InputError::ModelFile(format!(
            "{} is {}, it must lie in [-1, 1]",
            name(i),
            values[i]
        ))),
        None => Ok(()),
    }
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
