//! Handle on a fitted optimal randomized classification tree; `softwood.OrctModel` wraps it.

use crate::arrays::{Matrix, cube, empty_matrix, labels_to_numpy, matrix};
use crate::doorway::enter;
use crate::encoding::{Features, TableFields, encode};
use crate::handle::{self, read_rows};
use crate::names::{Name, Named};
use crate::results::{Cell, RuleFields, SplitFields};
use crate::settings::Kind;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::fitted::Decision;
use softwood::{FittedModel, FittedTree, InputError, OrctModel};
use std::path::PathBuf;

/// Declares the handle `$handle` on an optimal randomized classification tree, of type `$model`; `$handle::model`
/// is the tree on features.
macro_rules! classification_handle {
    ($(#[$doc:meta])* $handle:ident, $model:ty { $($own:tt)* }) => {
        crate::handle::soft_handle! {
            $(#[$doc])*
            $handle, $model {
                /// Positions of the labels in `classes`.
                fn predict<'py>(
                    &self,
                    x: Matrix<'py>,
                    routing: &Bound<'py, PyAny>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray1<isize>>> {
                    let (names, width) = (("predict", "the predictions"), self.model().classes.len() + 2);
                    let (py, routing) = (n_threads.py(), Name.take("routing", routing)?);
                    let codes = read_rows(py, names, &x, width, n_threads, |rows| {
                        let mut codes = vec![0; rows.len()];
                        self.model()
                            .predict_into(rows, routing, |class| class as isize, &mut codes)?;
                        Ok(codes)
                    })?;
                    Ok(codes.into_pyarray(py))
                }

                fn predict_proba<'py>(
                    &self,
                    x: Matrix<'py>,
                    routing: &Bound<'py, PyAny>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                    let (names, width) = (("predict_proba", "the predictions"), self.model().classes.len());
                    let (py, routing) = (n_threads.py(), Name.take("routing", routing)?);
                    let out = empty_matrix(py, names.1, x.len(), width)?;
                    let mut places = out.readwrite();
                    let places = places.as_slice_mut()?;
                    read_rows(py, names, &x, 0, n_threads, |rows| {
                        self.model().predict_proba_into(rows, routing, places)
                    })?;
                    Ok(out)
                }

                fn label_probabilities<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                    let (names, width) = (("label_probabilities", "the shares"), self.model().classes.len());
                    let py = n_threads.py();
                    let values = read_rows(py, names, &x, width, n_threads, |rows| {
                        self.model().label_probabilities(rows)
                    })?;
                    Ok(matrix(py, values, width))
                }

                fn explain<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray3<f64>>> {
                    self.by_class("explain", &x, n_threads, |rows| self.model().explain(rows))
                }

                fn effects<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray3<f64>>> {
                    self.by_class("effects", &x, n_threads, |rows| self.model().effects(rows))
                }

                #[getter]
                fn gamma(&self) -> f64 {
                    self.0.tree().gamma
                }

                #[getter]
                fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    labels_to_numpy(py, &self.model().classes)
                }

                /// Positions of the leaves' labels in `classes`.
                #[getter]
                fn leaf_classes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<isize>> {
                    let codes = self.model().leaf_classes.iter();
                    let codes: Vec<isize> = codes.map(|code| *code as isize).collect();
                    codes.into_pyarray(py)
                }

                /// Positions of the leaves' classes, as they are decided, in `classes`.
                #[getter]
                fn leaf_decisions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<isize>> {
                    let codes = self.model().leaf_decisions().into_iter();
                    let codes: Vec<isize> = codes.map(|code| code as isize).collect();
                    codes.into_pyarray(py)
                }

                #[getter]
                fn leaf_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
                    matrix(py, self.model().leaf_frequencies(), self.model().classes.len())
                }

                #[getter]
                fn hard_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
                    matrix(py, self.model().hard_frequencies(), self.model().classes.len())
                }

                /// Empty in models of version 1.
                #[getter]
                fn leaf_weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
                    matrix(py, self.model().leaf_weights.clone(), self.model().classes.len())
                }

                /// The rule, and the costs if it is by costs.
                #[getter]
                fn decision<'py>(&self, py: Python<'py>) -> (&'static str, Option<Bound<'py, PyArray2<f64>>>) {
                    match &self.model().decision {
                        Decision::MostProbable => ("most_probable", None),
                        Decision::LeafLabels => ("leaf_labels", None),
                        Decision::LeastCost(costs) => {
                            let costs = matrix(py, costs.concat(), costs.len());
                            ("least_cost", Some(costs))
                        }
                    }
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

        impl $handle {
            /// A value for each row, class and column.
            fn by_class<'py>(
                &self,
                function: &str,
                x: &Matrix<'py>,
                n_threads: &Bound<'py, PyAny>,
                job: impl Fn(Rows<'_>) -> Result<Vec<f64>, InputError> + Send + Sync,
            ) -> PyResult<Bound<'py, PyArray3<f64>>> {
                let (classes, tree) = (self.model().classes.len(), self.0.tree());
                let (names, py) = ((function, "the explanations"), n_threads.py());
                let values = crate::handle::read_rows_in_parts(py, names, x, classes * tree.features(), n_threads, job)?;
                Ok(cube(py, values, classes, tree.columns()))
            }
        }
    };
}
pub(crate) use classification_handle;

classification_handle! {
    /// Handle on a fitted ORCT.
    OrctHandle, OrctModel {}
}

impl OrctHandle {
    fn model(&self) -> &OrctModel {
        &self.0
    }
}
