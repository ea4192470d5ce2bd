//! Handle on a fitted hard oblique tree with a proven bound; `softwood.Svm1OdtModel` wraps it.

use crate::arrays::{Matrix, labels_to_numpy, matrix};
use crate::doorway::enter;
use crate::encoding::{Features, TableFields, encode};
use crate::handle::{self, read_rows};
use crate::hard_handle::hard_handle;
use crate::results::{Cell, RuleFields, SplitFields};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use softwood::{FittedModel, FittedTree, InputError, Svm1OdtModel};
use std::path::PathBuf;

hard_handle! {
    /// Handle on a fitted SVM1-ODT tree.
    Svm1OdtHandle, Svm1OdtModel {
        #[getter]
        fn leaf_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
            matrix(py, self.0.leaf_frequencies(), self.0.classes.len())
        }
    }
}
