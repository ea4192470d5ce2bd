//! The fitted soft regression tree, as Python sees it.

use crate::arrays::{Matrix, check_memory, matrix};
use crate::exceptions::{from_file_error, from_input_error};
use crate::results::{
    curve, importance_kind, leaf_model, position, report, rule, scaling_name, tuple,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::path::PathBuf;

/// A fitted soft regression tree.
///
/// Made by :func:`softwood.fit_srt` and :func:`softwood.load`. A row takes the likelier branch at
/// every split and is predicted by the linear model of the one leaf it reaches. Methods that take
/// rows accept what `fit_srt` accepts; a data frame must have the columns of the training rows, in
/// their order. Models do not change; they may be shared between threads, copied and pickled.
///
/// Attributes
/// ----------
/// depth : int
///     Depth D of the tree, with B = 2**D − 1 branch nodes and L = 2**D leaves.
/// scaling : str
///     How features are mapped to [0, 1]: ``"minmax"`` or ``"quantile"``.
/// feature_names : list of str
///     Names of the features; x0, x1, … if the training rows had none.
/// coefficients : ndarray, shape (B, p)
///     Coefficients ω of the splits, on scaled features u. Node 0 is the root, the children of node
///     t are 2t + 1 (left, where ω_0 + ωᵀu/p ≥ 0) and 2t + 2 (right).
/// intercepts : ndarray, shape (B,)
///     Intercepts ω_0 of the splits.
/// leaf_coefficients : ndarray, shape (L, p)
///     Coefficients β of the leaf models, on scaled features, in units of y.
/// leaf_intercepts : ndarray, shape (L,)
///     Intercepts β_0 of the leaf models, in units of y. Curves, if the model has any, add to them.
/// ridge_branches, ridge_leaves : ndarray, shape (p + 1,)
///     The penalties λ_ω and λ_β of the fit, as asked for or chosen: of each feature's coefficients,
///     then of the intercepts.
/// report : SrtReport
///     How the fit went.
///
/// Examples
/// --------
/// >>> import numpy as np, softwood
/// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
/// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
/// >>> model.depth, model.coefficients.shape, model.leaf_coefficients.shape
/// (1, (1, 2), (2, 2))
#[pyclass(frozen, module = "softwood")]
pub struct SrtModel(pub softwood::SrtModel);

impl SrtModel {
    fn rows<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Matrix<'py>> {
        Matrix::from_user(x, &self.0.tree.feature_names)
    }
}

#[pymethods]
impl SrtModel {
    /// Predict the response of each row.
    ///
    /// Parameters
    /// ----------
    /// X : array_like or data frame, shape (N, p)
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (N,)
    ///     Predictions, in units of y.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    /// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    /// >>> model.predict([[0.5, 0.0], [-0.9, 0.0]]).round(1).tolist()
    /// [0.5, 0.9]
    #[pyo3(signature = (X))]
    #[allow(non_snake_case)]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = self.rows(X)?;
        let rows = x.rows();
        check_memory("the predictions", rows.len(), 1)?;
        let values = py
            .detach(|| self.0.predict(rows))
            .map_err(from_input_error)?;
        Ok(values.into_pyarray(py))
    }

    /// Tell which leaf predicts each row.
    ///
    /// Parameters
    /// ----------
    /// X : array_like or data frame, shape (N, p)
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// ndarray of int64, shape (N,)
    ///     Leaves, numbered 0 to L − 1 from left to right.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    /// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    /// >>> sorted(set(model.leaf_indices(X).tolist()))
    /// [0, 1]
    #[pyo3(signature = (X))]
    #[allow(non_snake_case)]
    fn leaf_indices<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let x = self.rows(X)?;
        let rows = x.rows();
        check_memory("the leaves", rows.len(), 2)?;
        let values = py
            .detach(|| self.0.leaf_indices(rows))
            .map_err(from_input_error)?;
        let leaves: Vec<i64> = values.into_iter().map(i64::from).collect();
        Ok(leaves.into_pyarray(py))
    }

    /// Compute the probability that a row ends in each leaf.
    ///
    /// Parameters
    /// ----------
    /// X : array_like or data frame, shape (N, p)
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (N, L)
    ///     Probabilities of the leaves from left to right, by which training weighs their errors;
    ///     rows sum to 1.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    /// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    /// >>> model.leaf_probabilities(X[:3]).sum(axis=1).round(6).tolist()
    /// [1.0, 1.0, 1.0]
    #[pyo3(signature = (X))]
    #[allow(non_snake_case)]
    fn leaf_probabilities<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = self.rows(X)?;
        let rows = x.rows();
        check_memory("the predictions", rows.len(), self.0.tree.topology.leaves())?;
        let values = py
            .detach(|| self.0.tree.leaf_probabilities(rows))
            .map_err(from_input_error)?;
        Ok(matrix(py, values, self.0.tree.topology.leaves()))
    }

    /// Explain predictions by their derivatives.
    ///
    /// Parameters
    /// ----------
    /// X : array_like or data frame, shape (N, p)
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (N, p)
    ///     Entry [i, j] tells by how much the prediction changes per unit of feature j where row i
    ///     stands: the slope of its leaf and of the feature's curve. Between leaves predictions jump.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    /// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    /// >>> model.explain([[0.5, 0.0], [-0.75, 0.0]])[:, 0].round(1).tolist()
    /// [1.0, -1.0]
    #[pyo3(signature = (X))]
    #[allow(non_snake_case)]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = self.rows(X)?;
        let rows = x.rows();
        check_memory("the explanations", rows.len(), self.0.tree.features())?;
        let values = py
            .detach(|| self.0.explain(rows))
            .map_err(from_input_error)?;
        Ok(matrix(py, values, self.0.tree.features()))
    }

    /// Measure how much each feature matters.
    ///
    /// Parameters
    /// ----------
    /// kind : {"sum", "max"}
    ///     Sum or maximum of the absolute coefficients, on scaled features.
    /// of : {"splits", "leaves"}
    ///     Whose coefficients.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (p,)
    ///     Importances, not negative.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    /// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    /// >>> bool((model.importance() == abs(model.coefficients[0])).all())
    /// True
    #[pyo3(signature = (kind = "sum", of = "splits"))]
    fn importance<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        of: &str,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let kind = importance_kind(kind)?;
        let importance = match of {
            "splits" => self.0.split_importance(kind),
            "leaves" => self.0.leaf_importance(kind),
            _ => {
                let text = format!("of must be \"splits\" or \"leaves\", got {of:?}");
                return Err(PyValueError::new_err(text));
            }
        };
        Ok(importance.into_pyarray(py))
    }

    /// Write a split in the units and names of the training rows.
    ///
    /// Parameters
    /// ----------
    /// t : int
    ///     Branch node, 0 to B − 1.
    ///
    /// Returns
    /// -------
    /// Rule
    ///     Features, weights and threshold; ``str(rule)`` is the rule in words.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    /// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    /// >>> rule = model.rule(0)
    /// >>> score = X[:, rule.features] @ rule.weights
    /// >>> bool(((score < rule.threshold) == (model.leaf_indices(X) == 1)).all())
    /// True
    fn rule<'py>(&self, py: Python<'py>, t: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        rule(py, &self.0.tree, t)
    }

    /// Write a leaf's linear model in the units and names of the training rows.
    ///
    /// Parameters
    /// ----------
    /// leaf : int
    ///     Leaf, 0 to L − 1 from left to right.
    ///
    /// Returns
    /// -------
    /// LeafModel
    ///     Features, weights and intercept; ``str(leaf_model)`` is the sum in words.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    /// >>> model = softwood.fit_srt(X, abs(X[:, 0]), depth=1)
    /// >>> leaf = model.leaf_model(0)
    /// >>> rows = X[model.leaf_indices(X) == 0]
    /// >>> predicted = leaf.intercept + rows[:, leaf.features] @ leaf.weights
    /// >>> bool(np.allclose(predicted, model.predict(rows)))
    /// True
    fn leaf_model<'py>(
        &self,
        py: Python<'py>,
        leaf: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let leaf = position("leaf", leaf, self.0.tree.topology.leaves())?;
        leaf_model(py, &self.0.leaf_model(leaf))
    }

    /// Write the curves that all leaves share in the units and names of the training rows.
    ///
    /// Returns
    /// -------
    /// tuple of Curve
    ///     The curve of each feature that has one, the highest first; empty if the model was fitted
    ///     without curves. A prediction is the leaf's linear model plus what they add.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, softwood
    /// >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    /// >>> model = softwood.fit_srt(X, np.exp(X[:, 0]) + abs(X[:, 1]), depth=1, curves=True)
    /// >>> leaf, curves = model.leaf_model(0), model.curves()
    /// >>> rows = X[model.leaf_indices(X) == 0]
    /// >>> line = leaf.intercept + rows[:, leaf.features] @ leaf.weights
    /// >>> bends = sum(np.interp(rows[:, c.feature], c.values, c.effects) for c in curves)
    /// >>> bool(np.allclose(line + bends, model.predict(rows)))
    /// True
    fn curves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let curves = self.0.curve_points();
        let curves: PyResult<Vec<_>> = curves.iter().map(|points| curve(py, points)).collect();
        tuple(py, curves?.into_iter())
    }

    /// Write the model to a file that :func:`softwood.load` reads, in any version from this on.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file; JSON in UTF-8. One that exists is replaced as a whole or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(from_file_error)
    }

    /// Return the model as text, the content of the file that `save` writes.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// Make a model from the text that `to_json` returns.
    #[classmethod]
    fn from_json(_: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        softwood::SrtModel::from_json(text)
            .map(Self)
            .map_err(from_input_error)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let make = slf.get_type().getattr("from_json")?;
        Ok((make, (slf.get().to_json(),)))
    }

    fn __repr__(&self) -> String {
        format!(
            "SrtModel(depth={}, features={}, scaling='{}', objective={:.6})",
            self.depth(),
            self.0.tree.features(),
            self.scaling(),
            self.0.report.objective,
        )
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    #[getter]
    fn depth(&self) -> usize {
        self.0.tree.topology.depth()
    }

    #[getter]
    fn scaling(&self) -> &'static str {
        scaling_name(self.0.tree.scaling.kind)
    }

    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.0.tree.feature_names.clone()
    }

    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        matrix(py, self.0.tree.coefficients.clone(), self.0.tree.features())
    }

    #[getter]
    fn intercepts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let intercepts: Vec<f64> = self.0.split_intercepts().collect();
        intercepts.into_pyarray(py)
    }

    #[getter]
    fn leaf_coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let values: Vec<f64> = self.0.leaf_coefficients().collect();
        matrix(py, values, self.0.tree.features())
    }

    #[getter]
    fn leaf_intercepts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let intercepts = self.0.leaf_intercepts.iter();
        let values: Vec<f64> = intercepts.map(|b| self.0.response.invert(*b)).collect();
        values.into_pyarray(py)
    }

    #[getter]
    fn ridge_branches<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.ridge_branches.to_pyarray(py)
    }

    #[getter]
    fn ridge_leaves<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.ridge_leaves.to_pyarray(py)
    }

    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        report(py, "SrtReport", &self.0.report, self.scaling(), None)
    }
}
