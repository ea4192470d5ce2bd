//! Handle on a fitted sparse perceptron decision tree; `softwood.SpdtModel` wraps it.

use crate::arrays::{Matrix, labels_to_numpy, matrix};
use crate::doorway::enter;
use crate::encoding::{Features, TableFields, encode};
use crate::handle::{self, read_rows};
use crate::hard_handle::hard_handle;
use crate::results::{Cell, RuleFields, SplitFields};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use softwood::{FittedModel, FittedTree, InputError, SpdtModel};
use std::path::PathBuf;

hard_handle! {
    /// Handle on a fitted SPDT.
    SpdtHandle, SpdtModel {
        /// A value for each row of two classes, else one for each row and class.
        fn decision_values<'py>(
            &self,
            x: Matrix<'py>,
            n_threads: &Bound<'py, PyAny>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let (names, width) = (("decision_values", "the values"), self.0.classes.len());
            let py = n_threads.py();
            let values = read_rows(py, names, &x, width, n_threads, |rows| self.0.decision_values(rows))?;
            Ok(match width {
                2 => values.into_pyarray(py).into_any(),
                _ => matrix(py, values, width).into_any(),
            })
        }

        #[getter]
        fn leaf_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
            matrix(py, self.0.frequencies.clone(), self.0.classes.len())
        }
    }
}
