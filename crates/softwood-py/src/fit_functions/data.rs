//! What functions that train take from Python: rows with labels or responses, and weights.

use crate::arrays::{Classes, Matrix, check_memory_for_splits};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use softwood::OrctSettings;
use softwood::data::{Labels, Rows};

/// Rows with their coded labels and weights, as every function here takes them.
#[derive(FromPyObject)]
pub struct Training<'py>(
    Matrix<'py>,
    PyReadonlyArray1<'py, u32>,
    Classes,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// The same as the core takes it.
pub struct Data<'a> {
    pub rows: Rows<'a>,
    pub labels: Labels,
    pub weights: Option<Vec<f64>>,
}

impl Training<'_> {
    /// MemoryError if there is no room to look for splits of this depth.
    pub fn open(&self, py: Python<'_>, depth: usize) -> PyResult<Data<'_>> {
        let data = self.open_rows(py)?;
        check_memory_for_splits(
            data.rows.features(),
            OrctSettings::most_splits(depth, data.rows.len()),
        )?;
        Ok(data)
    }

    /// Whatever the tree.
    pub fn open_rows(&self, py: Python<'_>) -> PyResult<Data<'_>> {
        let Self(x, codes, classes, weights) = self;
        Ok(Data {
            rows: x.rows(py)?,
            labels: Labels {
                classes: classes.clone().into(),
                codes: codes.as_array().to_vec(),
            },
            weights: weights.as_ref().map(|weights| weights.as_array().to_vec()),
        })
    }
}

/// Rows with their response and weights, as the functions for regression take them.
#[derive(FromPyObject)]
pub struct Regression<'py>(
    Matrix<'py>,
    PyReadonlyArray1<'py, f64>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// The same as the core takes it.
pub struct RegressionData<'a> {
    pub rows: Rows<'a>,
    pub y: Vec<f64>,
    pub weights: Option<Vec<f64>>,
}

impl Regression<'_> {
    /// MemoryError if there is no room to look for splits of this depth.
    pub fn open(&self, py: Python<'_>, depth: usize) -> PyResult<RegressionData<'_>> {
        let Self(x, y, weights) = self;
        let rows = x.rows(py)?;
        check_memory_for_splits(rows.features(), (1 << depth) - 1)?;
        Ok(RegressionData {
            rows,
            y: y.as_array().to_vec(),
            weights: weights.as_ref().map(|weights| weights.as_array().to_vec()),
        })
    }
}
