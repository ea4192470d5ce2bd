//! Handle on a fitted optimal randomized classification tree; `softwood.OrctModel` wraps it.

use crate::arrays::{Matrix, cube, empty_matrix, labels_to_numpy, matrix};
use crate::doorway::enter;
use crate::handle::{self, handle, read_rows};
use crate::results::{RuleFields, SplitFields};
use crate::settings::Named;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::{FittedModel, InputError, OrctModel};
use std::path::PathBuf;

handle! {
    /// Handle on a fitted ORCT.
    OrctHandle, OrctModel {
        /// Positions of the labels in `classes`.
        fn predict<'py>(
            &self,
            x: Matrix<'py>,
            n_threads: &Bound<'py, PyAny>,
        ) -> PyResult<Bound<'py, PyArray1<isize>>> {
            let (names, width) = (("predict", "the predictions"), self.0.classes.len() + 2);
            let py = n_threads.py();
            let codes = read_rows(py, names, &x, width, n_threads, |rows| {
                self.0.predict(rows)
            })?;
            let codes: Vec<isize> = codes.into_iter().map(|code| code as isize).collect();
            Ok(codes.into_pyarray(py))
        }

        fn predict_proba<'py>(
            &self,
            x: Matrix<'py>,
            n_threads: &Bound<'py, PyAny>,
        ) -> PyResult<Bound<'py, PyArray2<f64>>> {
            let (names, width) = (("predict_proba", "the predictions"), self.0.classes.len());
            let py = n_threads.py();
            let out = empty_matrix(py, names.1, x.rows().len(), width)?;
            let mut places = out.readwrite();
            let places = places.as_slice_mut()?;
            read_rows(py, names, &x, 0, n_threads, |rows| {
                self.0.predict_proba_into(rows, places)
            })?;
            Ok(out)
        }

        fn explain<'py>(
            &self,
            x: Matrix<'py>,
            n_threads: &Bound<'py, PyAny>,
        ) -> PyResult<Bound<'py, PyArray3<f64>>> {
            self.by_class("explain", &x, n_threads, |rows| self.0.explain(rows))
        }

        fn effects<'py>(
            &self,
            x: Matrix<'py>,
            n_threads: &Bound<'py, PyAny>,
        ) -> PyResult<Bound<'py, PyArray3<f64>>> {
            self.by_class("effects", &x, n_threads, |rows| self.0.effects(rows))
        }

        #[getter]
        fn gamma(&self) -> f64 {
            self.0.tree.gamma
        }

        #[getter]
        fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
            labels_to_numpy(py, &self.0.classes)
        }

        /// Positions of the leaves' labels in `classes`.
        #[getter]
        fn leaf_classes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<isize>> {
            let codes = self.0.leaf_classes.iter();
            let codes: Vec<isize> = codes.map(|code| *code as isize).collect();
            codes.into_pyarray(py)
        }

        #[getter]
        fn local_sparsity(&self) -> f64 {
            self.0.local_sparsity()
        }

        #[getter]
        fn global_sparsity(&self) -> f64 {
            self.0.global_sparsity()
        }
    }
}

impl OrctHandle {
    /// A value for each row, class and feature.
    fn by_class<'py>(
        &self,
        function: &str,
        x: &Matrix<'py>,
        n_threads: &Bound<'py, PyAny>,
        job: impl FnOnce(Rows<'_>) -> Result<Vec<f64>, InputError> + Send,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (classes, features) = (self.0.classes.len(), self.0.tree.features());
        let (names, py) = ((function, "the explanations"), n_threads.py());
        let values = read_rows(py, names, x, classes * features, n_threads, job)?;
        Ok(cube(py, values, classes, features))
    }
}
