//! What the classes of models that Python sees share, if their trees are hard.

/// A [`handle`](crate::handle::handle) on a hard tree of classes, with what all of them have.
macro_rules! hard_handle {
    ($(#[$doc:meta])* $handle:ident, $model:ty { $($own:tt)* }) => {
        crate::handle::handle! {
            $(#[$doc])*
            $handle, $model {
                /// Positions of the labels in `classes`.
                fn predict<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray1<isize>>> {
                    let (names, py) = (("predict", "the predictions"), n_threads.py());
                    let codes = read_rows(py, names, &x, 2, n_threads, |rows| self.0.predict(rows))?;
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
                    let values = read_rows(py, names, &x, width, n_threads, |rows| self.0.predict_proba(rows))?;
                    Ok(matrix(py, values, width))
                }

                #[getter]
                fn n_features(&self) -> usize {
                    self.0.tree.features()
                }

                /// The features that splits use, increasing.
                #[getter]
                fn used_features<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
                    let used = self.0.tree.used().iter();
                    let columns: Vec<i64> = used.map(|feature| i64::from(feature.column)).collect();
                    columns.into_pyarray(py)
                }

                /// The weights of the splits as the arrays of a CSR matrix, a row for each split.
                fn split_weights<'py>(&self, py: Python<'py>) -> handle::Csr<'py> {
                    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
                    for split in self.0.tree.splits() {
                        columns.extend(split.columns.iter().map(|j| i64::from(*j)));
                        values.extend(&split.weights);
                        starts.push(columns.len() as i64);
                    }
                    (starts.into_pyarray(py), columns.into_pyarray(py), values.into_pyarray(py))
                }

                #[getter]
                fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    labels_to_numpy(py, &self.0.classes)
                }

                /// Positions of the leaves' classes in `classes`.
                #[getter]
                fn leaf_classes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<isize>> {
                    let codes = self.0.leaf_classes.iter();
                    let codes: Vec<isize> = codes.map(|code| *code as isize).collect();
                    codes.into_pyarray(py)
                }

                #[getter]
                fn leaf_weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
                    matrix(py, self.0.leaf_weights.clone(), self.0.classes.len())
                }

                #[getter]
                fn global_sparsity(&self) -> f64 {
                    self.0.global_sparsity()
                }

                $($own)*
            }
        }
    };
}
pub(crate) use hard_handle;
