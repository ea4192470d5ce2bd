//! The functions around `fit_orrt`, as the Python package calls them.

use super::data::{Regression, RegressionData};
use crate::doorway::run_fit;
use crate::orrt::OrrtHandle;
use crate::setting_tables::orrt_settings;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::{Control, GroupRows, RowGroup};

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
