//! What handles on regression trees of every kind have: predictions, explanations and leaf models.

/// Declares the handle `$handle` on a regression tree of type `$model`: what [`soft_handle!`](crate::handle)
/// makes, what every regression tree has and, in the braces, its own. `$handle::model` is the tree on features.
macro_rules! regression_handle {
    ($(#[$doc:meta])* $handle:ident, $model:ty { $($own:tt)* }) => {
        crate::handle::soft_handle! {
            $(#[$doc])*
            $handle, $model {
                fn predict<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray1<f64>>> {
                    let (names, py) = (("predict", "the predictions"), n_threads.py());
                    let values = read_rows(py, names, &x, 1, n_threads, |rows| self.model().predict(rows))?;
                    Ok(values.into_pyarray(py))
                }

                fn explain<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                    self.by_feature("explain", &x, n_threads, |rows| self.model().explain(rows))
                }

                fn effects<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                    self.by_feature("effects", &x, n_threads, |rows| self.model().effects(rows))
                }

                fn leaf_model(
                    &self,
                    py: Python<'_>,
                    leaf: &Bound<'_, PyAny>,
                ) -> PyResult<LeafModelFields> {
                    let leaf = position("leaf", leaf, self.0.tree().shape.leaves().len())?;
                    enter(py, "leaf_model", || {
                        Ok::<_, InputError>(self.model().leaf_model(leaf).into())
                    })
                }

                #[getter]
                fn leaf_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
                    matrix(py, self.model().leaf_coefficients(), self.0.tree().features())
                }

                #[getter]
                fn leaf_intercepts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                    let model = self.model();
                    let intercepts = model.leaf_intercepts.iter();
                    let values: Vec<f64> = intercepts.map(|b| model.response.invert(*b)).collect();
                    values.into_pyarray(py)
                }

                #[getter]
                fn leaf_weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                    self.model().leaf_weights.to_pyarray(py)
                }

                $($own)*
            }
        }

        impl $handle {
            /// A value for each row and column.
            fn by_feature<'py>(
                &self,
                function: &str,
                x: &Matrix<'py>,
                n_threads: &Bound<'py, PyAny>,
                job: impl Fn(Rows<'_>) -> Result<Vec<f64>, InputError> + Send + Sync,
            ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                let (names, py) = ((function, "the explanations"), n_threads.py());
                let tree = self.0.tree();
                let values = crate::handle::read_rows_in_parts(py, names, x, tree.features(), n_threads, job)?;
                Ok(matrix(py, values, tree.columns()))
            }
        }
    };
}
pub(crate) use regression_handle;
