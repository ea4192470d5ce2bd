//! Handle on a fitted optimal randomized regression tree; `softwood.OrrtModel` wraps it.

use crate::arrays::{Matrix, matrix};
use crate::doorway::enter;
use crate::encoding::{Features, TableFields, encode};
use crate::handle::{self, position, read_rows};
use crate::names::Named;
use crate::results::{Cell, LeafModelFields, RuleFields, SplitFields};
use numpy::{IntoPyArray, PyArray1, PyArray2, ToPyArray};
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::{FittedModel, FittedTree, InputError, OrrtModel};
use std::path::PathBuf;

/// Declares the handle `$handle` on a mixture of linear models, of type `$model`.
macro_rules! mixture_handle {
    ($(#[$doc:meta])* $handle:ident, $model:ty { $($own:tt)* }) => {
        crate::regression::regression_handle! {
            $(#[$doc])*
            $handle, $model {
                #[getter]
                fn gamma(&self) -> f64 {
                    self.0.tree().gamma
                }

                #[getter]
                fn ridge_leaves<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                    self.model().ridge_leaves.to_pyarray(py)
                }

                #[getter]
                fn ridge_mean<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                    self.model().ridge_mean.to_pyarray(py)
                }

                #[getter]
                fn local_sparsity(&self) -> f64 {
                    self.model().local_sparsity()
                }

                #[getter]
                fn global_sparsity(&self) -> f64 {
                    self.model().global_sparsity()
                }

                $($own)*
            }
        }
    };
}
pub(crate) use mixture_handle;

mixture_handle! {
    /// Handle on a fitted optimal randomized regression tree.
    OrrtHandle, OrrtModel {}
}

impl OrrtHandle {
    fn model(&self) -> &OrrtModel {
        &self.0
    }
}
