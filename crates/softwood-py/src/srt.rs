//! Handle on a fitted soft regression tree; `softwood.SrtModel` wraps it.

use crate::arrays::{Matrix, matrix};
use crate::doorway::enter;
use crate::encoding::{Features, TableFields, encode};
use crate::handle::{self, position, read_rows};
use crate::names::Named;
use crate::regression::regression_handle;
use crate::results::{Cell, CurveFields, LeafModelFields, RuleFields, SplitFields};
use numpy::{IntoPyArray, PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::{FittedModel, FittedTree, InputError, SrtModel};
use std::path::PathBuf;

regression_handle! {
    /// Handle on a fitted soft regression tree.
    SrtHandle, SrtModel {
        fn curves(&self, py: Python<'_>) -> PyResult<Vec<CurveFields>> {
            enter(py, "curves", || {
                let points = self.0.curve_points().into_iter();
                Ok::<_, InputError>(points.map(Into::into).collect())
            })
        }

        #[getter]
        fn ridge_branches<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
            self.0.ridge_branches.to_pyarray(py)
        }

        #[getter]
        fn ridge_leaves<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
            self.0.ridge_leaves.to_pyarray(py)
        }
    }
}

impl SrtHandle {
    fn model(&self) -> &SrtModel {
        &self.0
    }
}
