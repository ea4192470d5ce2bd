//! The fitted ORCT, as Python sees it.

use crate::arrays::{Matrix, check_memory, cube, empty_matrix, labels_to_numpy, matrix};
use crate::exceptions::{from_file_error, from_input_error};
use crate::results::{importance_kind, report, rule, scaling_name};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::path::PathBuf;

/// A fitted optimal randomized classification tree.
///
/// Made by :func:`softwood.fit_orct` and :func:`softwood.load`. Methods that take rows accept what
/// `fit_orct` accepts; a data frame must have the columns of the training rows, in their order.
/// Models do not change; they may be shared between threads, copied and pickled.
///
/// Attributes
/// ----------
/// depth : int
///     Depth D of the tree, with B = 2**D − 1 branch nodes and L = 2**D leaves.
/// gamma : float
///     Steepness of the splits.
/// scaling : str
///     How features are mapped to [0, 1]: ``"minmax"`` or ``"quantile"``.
/// classes : ndarray, shape (K,)
///     Distinct labels in increasing order.
/// feature_names : list of str
///     Names of the features; x0, x1, … if the training rows had none.
/// coefficients : ndarray, shape (B, p)
///     Coefficients a of the splits, on scaled features. Node 0 is the root, the children of node t
///     are 2t + 1 (left) and 2t + 2 (right).
/// intercepts : ndarray, shape (B,)
///     Intercepts μ of the splits.
/// leaf_classes : ndarray, shape (L,)
///     Label of each leaf, from left to right.
/// local_sparsity : float
///     Share of coefficients that are exactly 0, in percent.
/// global_sparsity : float
///     Share of features that no split uses, in percent.
/// report : OrctReport
///     How the fit went.
///
/// Examples
/// --------
/// >>> import softwood
/// >>> X, y, names = softwood.load_example()
/// >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
/// >>> model.depth, model.coefficients.shape, sorted(model.leaf_classes.tolist())
/// (1, (1, 30), ['benign', 'malignant'])
#[pyclass(frozen, module = "softwood")]
pub struct OrctModel(pub softwood::fitted::OrctModel);

impl OrctModel {
    fn rows<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Matrix<'py>> {
        Matrix::from_user(x, &self.0.tree.feature_names)
    }

    /// Labels of the classes at these positions.
    fn labels_at<'py>(&self, py: Python<'py>, codes: &[u32]) -> PyResult<Bound<'py, PyAny>> {
        let codes: Vec<isize> = codes.iter().map(|code| *code as isize).collect();
        self.classes(py)?
            .call_method1("take", (codes.into_pyarray(py),))
    }
}

#[pymethods]
impl OrctModel {
    /// Predict the most probable class of each row.
    ///
    /// Parameters
    /// ----------
    /// X : array_like or data frame, shape (N, p)
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (N,)
    ///     Labels.
    ///
    /// Examples
    /// --------
    /// >>> import softwood
    /// >>> X, y, names = softwood.load_example()
    /// >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    /// >>> model.predict(X[:1]).tolist()
    /// ['malignant']
    #[pyo3(signature = (X))]
    #[allow(non_snake_case)]
    fn predict<'py>(&self, py: Python<'py>, X: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let x = self.rows(X)?;
        let rows = x.rows();
        check_memory("the predictions", rows.len(), self.0.classes.len() + 2)?;
        let codes = py
            .detach(|| self.0.predict(rows))
            .map_err(from_input_error)?;
        self.labels_at(py, &codes)
    }

    /// Predict the probability of each class.
    ///
    /// Parameters
    /// ----------
    /// X : array_like or data frame, shape (N, p)
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (N, K)
    ///     Probabilities, in the order of `classes`; rows sum to 1.
    ///
    /// Examples
    /// --------
    /// >>> import softwood
    /// >>> X, y, names = softwood.load_example()
    /// >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    /// >>> model.predict_proba(X).shape
    /// (569, 2)
    #[pyo3(signature = (X))]
    #[allow(non_snake_case)]
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let x = self.rows(X)?;
        let rows = x.rows();
        let out = empty_matrix(py, "the predictions", rows.len(), self.0.classes.len())?;
        let mut places = out.readwrite();
        let places = places.as_slice_mut()?;
        py.detach(|| self.0.predict_proba_into(rows, places))
            .map_err(from_input_error)?;
        Ok(out)
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
    ///     Probabilities of the leaves from left to right; rows sum to 1.
    ///
    /// Examples
    /// --------
    /// >>> import softwood
    /// >>> X, y, names = softwood.load_example()
    /// >>> model = softwood.fit_orct(X, y, depth=2, n_starts=2)
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
        let (rows, width) = (x.rows(), self.0.tree.topology.leaves());
        check_memory("the predictions", rows.len(), width)?;
        let values = py
            .detach(|| self.0.tree.leaf_probabilities(rows))
            .map_err(from_input_error)?;
        Ok(matrix(py, values, width))
    }

    /// Explain predictions by the derivatives of the class probabilities.
    ///
    /// Parameters
    /// ----------
    /// X : array_like or data frame, shape (N, p)
    ///     Rows.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (N, K, p)
    ///     Entry [i, k, j] tells by how much the probability of class k changes, per unit of feature
    ///     j, where row i stands. Summed over the classes they are 0.
    ///
    /// Examples
    /// --------
    /// >>> import softwood
    /// >>> X, y, names = softwood.load_example()
    /// >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    /// >>> model.explain(X[:10]).shape
    /// (10, 2, 30)
    #[pyo3(signature = (X))]
    #[allow(non_snake_case)]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let x = self.rows(X)?;
        let (rows, classes, features) = (x.rows(), self.0.classes.len(), self.0.tree.features());
        check_memory("the explanations", rows.len(), classes * features)?;
        let values = py
            .detach(|| self.0.explain(rows))
            .map_err(from_input_error)?;
        Ok(cube(py, values, classes, features))
    }

    /// Measure how much each feature matters to the splits.
    ///
    /// Parameters
    /// ----------
    /// kind : {"sum", "max"}
    ///     Sum or maximum over the splits of the absolute coefficients.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (p,)
    ///     Importances, not negative.
    ///
    /// Examples
    /// --------
    /// >>> import softwood
    /// >>> X, y, names = softwood.load_example()
    /// >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    /// >>> bool((model.importance() == abs(model.coefficients[0])).all())
    /// True
    #[pyo3(signature = (kind = "sum"))]
    fn importance<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let kind = importance_kind(kind)?;
        Ok(self.0.importance(kind).into_pyarray(py))
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
    /// >>> import softwood
    /// >>> X, y, names = softwood.load_example()
    /// >>> model = softwood.fit_orct(X, y, depth=1, n_starts=2)
    /// >>> rule = model.rule(0)
    /// >>> score = X[:, rule.features] @ rule.weights
    /// >>> bool(((score > rule.threshold) == (model.leaf_probabilities(X)[:, 0] > 0.5)).all())
    /// True
    fn rule<'py>(&self, py: Python<'py>, t: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        rule(py, &self.0.tree, t)
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
        softwood::fitted::OrctModel::from_json(text)
            .map(Self)
            .map_err(from_input_error)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let make = slf.get_type().getattr("from_json")?;
        Ok((make, (slf.get().to_json(),)))
    }

    fn __repr__(&self) -> String {
        format!(
            "OrctModel(depth={}, features={}, classes={}, gamma={}, scaling='{}', objective={:.6})",
            self.depth(),
            self.0.tree.features(),
            self.0.classes.len(),
            self.gamma(),
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
    fn gamma(&self) -> f64 {
        self.0.tree.gamma
    }

    #[getter]
    fn scaling(&self) -> &'static str {
        scaling_name(self.0.tree.scaling.kind)
    }

    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        labels_to_numpy(py, &self.0.classes)
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
        self.0.tree.intercepts.clone().into_pyarray(py)
    }

    #[getter]
    fn leaf_classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.labels_at(py, &self.0.leaf_classes)
    }

    #[getter]
    fn local_sparsity(&self) -> f64 {
        self.0.local_sparsity()
    }

    #[getter]
    fn global_sparsity(&self) -> f64 {
        self.0.global_sparsity()
    }

    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let labels = self.classes(py)?.call_method0("tolist")?;
        report(
            py,
            "OrctReport",
            &self.0.report,
            self.scaling(),
            Some(labels),
        )
    }
}
