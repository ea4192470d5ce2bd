//! Row selection, as `softwood.selection` calls it.

use crate::arrays::Matrix;
use crate::doorway::{Call, run_interruptible};
use crate::setting_tables::selection_settings;
use crate::settings::{Kind, Seconds, Whole};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::selection::{ClusterRule, Hyperplanes};
use softwood::stop::Stop;

/// The answer of `select_extreme_points`: covered, extreme, indptr, indices, values, unresolved, status.
type Covering<'py> = (
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    usize,
    &'static str,
);

fn as_int64(values: Vec<usize>) -> Vec<i64> {
    values.into_iter().map(|value| value as i64).collect()
}

/// Rows in the hull of the others; `softwood.select_extreme_points` prepares the arguments.
#[pyfunction]
pub fn select_extreme_points<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    settings: &Bound<'py, PyDict>,
    time_limit: &Bound<'py, PyAny>,
) -> PyResult<Covering<'py>> {
    let (rows, settings) = (x.rows(py)?, selection_settings(settings)?);
    let limit = Seconds.take("time_limit", time_limit)?;
    let answer = run_interruptible(py, Call::on(&rows, "select_extreme_points"), |control| {
        let (tolerance, n_threads) = (settings.tolerance, settings.n_threads);
        let stop = Stop::new(&control.stop, limit);
        softwood::selection::select_extreme_points(rows, tolerance, n_threads, &stop)
    })?;
    Ok((
        answer.covered.into_pyarray(py),
        answer.extreme.into_pyarray(py),
        as_int64(answer.indptr).into_pyarray(py),
        as_int64(answer.indices).into_pyarray(py),
        answer.values.into_pyarray(py),
        answer.unresolved,
        answer.status.name(),
    ))
}

/// The answer of `select_rows`: indices, cluster of each, for every cluster leaf, class, rows, covered,
/// carriers, selected and rule, and the status.
type Selected<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Vec<(u32, u32, usize, usize, usize, usize, &'static str)>,
    &'static str,
);

fn rule_name(rule: ClusterRule) -> &'static str {
    match rule {
        ClusterRule::Extreme => "extreme",
        ClusterRule::Carriers => "carriers",
        ClusterRule::CarriersAndNearest => "carriers and nearest",
    }
}

/// Rows to train on; `softwood.select_rows` prepares the arguments.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the Python signature
pub fn select_rows<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    leaves: PyReadonlyArray1<'py, u32>,
    normals: PyReadonlyArray2<'py, f64>,
    offsets: PyReadonlyArray1<'py, f64>,
    of_leaf: Vec<Vec<usize>>,
    settings: &Bound<'py, PyDict>,
    time_limit: &Bound<'py, PyAny>,
) -> PyResult<Selected<'py>> {
    let (codes, leaves) = (codes.as_array().to_vec(), leaves.as_array().to_vec());
    let hyperplanes = Hyperplanes {
        normals: normals.as_array().to_owned(),
        offsets: offsets.as_array().to_vec(),
        of_leaf,
    };
    let (rows, settings) = (x.rows(py)?, selection_settings(settings)?);
    let limit = Seconds.take("time_limit", time_limit)?;
    let chosen = run_interruptible(py, Call::on(&rows, "select_rows"), |control| {
        let stop = Stop::new(&control.stop, limit);
        softwood::selection::select_rows(rows, &codes, &leaves, &hyperplanes, &settings, &stop)
    })?;
    let accounts = chosen.clusters.iter().map(|cluster| {
        let rule = rule_name(cluster.rule);
        let (leaf, class, rows) = (cluster.leaf, cluster.class, cluster.rows);
        let (covered, carriers) = (cluster.covered, cluster.carriers);
        (leaf, class, rows, covered, carriers, cluster.selected, rule)
    });
    let accounts = accounts.collect();
    Ok((
        as_int64(chosen.indices).into_pyarray(py),
        as_int64(chosen.cluster).into_pyarray(py),
        accounts,
        chosen.status.name(),
    ))
}

/// The answer of `select_balanced_rows`: rows, covered, objective, bound, nodes, status.
type BalancedRows<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<bool>>,
    i64,
    i64,
    usize,
    &'static str,
);

/// Balanced selection; `softwood.select_balanced_rows` prepares the arguments.
#[pyfunction]
pub fn select_balanced_rows<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    max_nodes: &Bound<'py, PyAny>,
    time_limit: &Bound<'py, PyAny>,
) -> PyResult<BalancedRows<'py>> {
    let rows = x.rows(py)?;
    let max_nodes: Option<usize> = Whole(0, 1_000_000_000).take("max_nodes", max_nodes)?;
    let limit = Seconds.take("time_limit", time_limit)?;
    let answer = run_interruptible(py, Call::on(&rows, "select_balanced_rows"), |control| {
        let stop = Stop::new(&control.stop, limit);
        softwood::selection::select_balanced_rows(rows, max_nodes.unwrap_or(usize::MAX), &stop)
    })?;
    Ok((
        as_int64(answer.indices).into_pyarray(py),
        answer.covered.into_pyarray(py),
        answer.objective,
        answer.bound,
        answer.nodes,
        answer.status.name(),
    ))
}

/// The answer of `balanced_relaxation`: selected, covered, objective, solved, status.
type Balanced<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    f64,
    bool,
    &'static str,
);

/// Relaxation of balanced selection; `softwood.balanced_relaxation` prepares the arguments.
#[pyfunction]
pub fn balanced_relaxation<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    time_limit: &Bound<'py, PyAny>,
) -> PyResult<Balanced<'py>> {
    let rows = x.rows(py)?;
    let limit = Seconds.take("time_limit", time_limit)?;
    let answer = run_interruptible(py, Call::on(&rows, "balanced_relaxation"), |control| {
        softwood::selection::balanced_relaxation(rows, &Stop::new(&control.stop, limit))
    })?;
    Ok((
        answer.selected.into_pyarray(py),
        answer.covered.into_pyarray(py),
        answer.objective,
        answer.solved,
        answer.status.name(),
    ))
}
