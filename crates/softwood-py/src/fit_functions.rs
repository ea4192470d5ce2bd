//! The functions that train, as the Python package calls them.

use crate::arrays::{Classes, Matrix, check_memory_for_splits};
use crate::doorway::{enter, run_fit, run_interruptible};
use crate::orct::OrctHandle;
use crate::orrt::OrrtHandle;
use crate::setting_tables::{
    fixed_gamma, fixed_scaling, orct_cv_settings, orct_settings, orrt_settings, row_selection,
    srt_cv_settings, srt_settings,
};
use crate::srt::SrtHandle;
use crate::values::integer;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::data::{Labels, Rows};
use softwood::tree::Topology;
use softwood::{Control, GroupRows, PenaltyGrid, RowGroup, SparsityPath, ValidationRows};

/// Rows with their coded labels and weights, as every function here takes them.
#[derive(FromPyObject)]
pub struct Training<'py>(
    Matrix<'py>,
    PyReadonlyArray1<'py, u32>,
    Classes,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// The same as the core takes it.
struct Data<'a> {
    rows: Rows<'a>,
    labels: Labels,
    weights: Option<Vec<f64>>,
}

impl Training<'_> {
    /// MemoryError if there is no room to look for splits of this depth.
    fn open(&self, py: Python<'_>, depth: usize) -> PyResult<Data<'_>> {
        let Self(x, codes, classes, weights) = self;
        let rows = x.rows(py)?;
        check_memory_for_splits(rows.features(), depth)?;
        Ok(Data {
            rows,
            labels: Labels {
                classes: classes.clone().into(),
                codes: codes.as_array().to_vec(),
            },
            weights: weights.as_ref().map(|weights| weights.as_array().to_vec()),
        })
    }
}

/// Fit an ORCT; `softwood.fit_orct` prepares the arguments.
#[pyfunction]
pub fn fit_orct(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
    selection: Option<&Bound<'_, PyDict>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrctHandle> {
    let (settings, selection) = (orct_settings(settings)?, row_selection(selection)?);
    let data = training.open(py, settings.depth)?;
    let fit = |control: &Control| {
        let (rows, labels, weights) = (data.rows, &data.labels, data.weights.as_deref());
        match &selection {
            None => softwood::fit_orct(rows, labels, weights, &settings, control),
            Some(selection) => {
                softwood::fit_orct_selected(rows, labels, weights, &settings, selection, control)
            }
        }
    };
    run_fit(py, "fit_orct", progress.as_ref(), fit, OrctHandle)
}

/// Choose settings by cross-validation and fit; `softwood.fit_orct_cv` prepares the arguments.
#[pyfunction]
pub fn fit_orct_cv(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
    choices: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrctHandle> {
    let settings = orct_cv_settings(orct_settings(settings)?, choices)?;
    let deepest = settings.depths.iter().max().copied().unwrap_or(1);
    let data = training.open(py, deepest)?;
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_orct_cv(data.rows, &data.labels, weights, &settings, control)
    };
    run_fit(py, "fit_orct_cv", progress.as_ref(), fit, OrctHandle)
}

/// A point of a path: places of λ_L and λ_G in their grids, the model, the score.
type Point = (usize, usize, OrctHandle, Option<f64>);

/// A path: the points done, the status and the seconds.
type PathFields = (Vec<Point>, &'static str, f64);

/// Fit along a grid of penalties; `softwood.sparsity_path` prepares the arguments.
#[pyfunction]
pub fn sparsity_path(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
    grid: (Vec<f64>, Vec<f64>),
    validation: Option<(Matrix<'_>, PyReadonlyArray1<'_, u32>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PathFields> {
    let settings = orct_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let grid = PenaltyGrid {
        local: grid.0,
        global: grid.1,
    };
    let held = validation.as_ref();
    let held = held.map(|(x, codes)| Ok::<_, PyErr>((x.rows(py)?, codes.as_array().to_vec())));
    let held = held.transpose()?;
    let held = held.as_ref().map(|(rows, codes)| ValidationRows {
        rows: rows.reborrow(),
        codes,
    });
    let fit = |control: &Control| {
        let (rows, labels, weights) = (data.rows, &data.labels, data.weights.as_deref());
        let held = held.as_ref();
        softwood::sparsity_path(rows, labels, weights, &grid, held, &settings, control)
    };
    run_fit(py, "sparsity_path", progress.as_ref(), fit, path_fields)
}

fn path_fields(path: SparsityPath) -> PathFields {
    let points = path.points.into_iter();
    let points = points.map(|p| (p.local, p.global, OrctHandle(p.model), p.score));
    (points.collect(), path.status.name(), path.seconds)
}

/// λ_max: local, global and, for depth 1 and two classes, at the bounds of the intercept.
#[pyfunction]
pub fn lambda_max(
    py: Python<'_>,
    training: Training<'_>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<(f64, f64, Option<f64>)> {
    let settings = orct_settings(settings)?;
    let kind = fixed_scaling(&settings)?;
    fixed_gamma(&settings)?;
    let data = training.open(py, settings.depth)?;
    run_interruptible(py, "lambda_max", |control| {
        let weights = data.weights.as_deref();
        let max = softwood::lambda_max(data.rows, &data.labels, weights, kind, &settings, control)?;
        Ok((max.local, max.global, max.at_bounds))
    })
}

/// Bounds on the VC dimension: lower bound and order of the upper bound.
#[pyfunction]
pub fn vc_bounds(
    py: Python<'_>,
    depth: &Bound<'_, PyAny>,
    features: &Bound<'_, PyAny>,
) -> PyResult<(f64, f64)> {
    let depth = integer("depth", depth, 1, Topology::MAX_DEPTH as u64, "")? as usize;
    let features = integer("features", features, 1, 1 << 31, "")? as usize;
    enter(py, "vc_bounds", || {
        softwood::tree::vc_bounds(depth, features).map(|bounds| (bounds.lower, bounds.upper_order))
    })
}

/// Rows with their response and weights, as the functions for regression take them.
#[derive(FromPyObject)]
pub struct Regression<'py>(
    Matrix<'py>,
    PyReadonlyArray1<'py, f64>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// The same as the core takes it.
struct RegressionData<'a> {
    rows: Rows<'a>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl Regression<'_> {
    /// MemoryError if there is no room to look for splits of this depth.
    fn open(&self, py: Python<'_>, depth: usize) -> PyResult<RegressionData<'_>> {
        let Self(x, y, weights) = self;
        let rows = x.rows(py)?;
        check_memory_for_splits(rows.features(), depth)?;
        Ok(RegressionData {
            rows,
            y: y.as_array().to_vec(),
            weights: weights.as_ref().map(|weights| weights.as_array().to_vec()),
        })
    }
}

/// Fit a soft regression tree; `softwood.fit_srt` prepares the arguments.
#[pyfunction]
pub fn fit_srt(
    py: Python<'_>,
    training: Regression<'_>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SrtHandle> {
    let settings = srt_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_srt(data.rows, &data.y, weights, &settings, control)
    };
    run_fit(py, "fit_srt", progress.as_ref(), fit, SrtHandle)
}

/// A group of rows: its name, positions of training rows or rows of its own, and its three bounds.
#[derive(FromPyObject)]
pub struct Group<'py>(
    String,
    Option<Vec<usize>>,
    Option<Regression<'py>>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
);

/// The same as the core takes it.
fn row_group<'a>((group, own): (&Group<'_>, &'a Option<RegressionData<'_>>)) -> RowGroup<'a> {
    RowGroup {
        name: group.0.clone(),
        rows: match own {
            Some(own) => GroupRows::Given {
                x: own.rows.reborrow(),
                y: &own.y,
                weights: own.weights.as_deref(),
            },
            None => GroupRows::Training(group.1.clone().unwrap_or_default()),
        },
        max_error: group.3,
        max_error_gap: group.4,
        max_mean_gap: group.5,
    }
}

/// Fit a randomized regression tree; `softwood.fit_orrt` prepares the arguments.
#[pyfunction]
pub fn fit_orrt(
    py: Python<'_>,
    training: Regression<'_>,
    groups: Vec<Group<'_>>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<OrrtHandle> {
    let settings = orrt_settings(settings)?;
    let data = training.open(py, settings.depth)?;
    let own: Vec<Option<RegressionData<'_>>> = groups
        .iter()
        .map(|group| group.2.as_ref().map(|rows| rows.open(py, 1)).transpose())
        .collect::<PyResult<_>>()?;
    let groups: Vec<RowGroup<'_>> = groups.iter().zip(&own).map(row_group).collect();
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_orrt(data.rows, &data.y, weights, &groups, &settings, control)
    };
    run_fit(py, "fit_orrt", progress.as_ref(), fit, OrrtHandle)
}

/// Choose settings by cross-validation and fit; `softwood.fit_srt_cv` prepares the arguments.
#[pyfunction]
pub fn fit_srt_cv(
    py: Python<'_>,
    training: Regression<'_>,
    settings: &Bound<'_, PyDict>,
    choices: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SrtHandle> {
    let settings = srt_cv_settings(srt_settings(settings)?, choices)?;
    let deepest = settings.depths.iter().max().copied().unwrap_or(1);
    let data = training.open(py, deepest)?;
    let fit = |control: &Control| {
        let weights = data.weights.as_deref();
        softwood::fit_srt_cv(data.rows, &data.y, weights, &settings, control)
    };
    run_fit(py, "fit_srt_cv", progress.as_ref(), fit, SrtHandle)
}
