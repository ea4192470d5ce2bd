//! The fitted ORCT, as Python sees it.

use crate::arrays::{Matrix, check_memory, cube, labels_to_numpy, matrix};
use crate::exceptions::{from_file_error, from_input_error};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple, PyType};
use softwood::data::ScalingKind;
use softwood::fitted::{Importance, Measure, SelectionReport};
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

/// Name of a scaling, as `fit_orct` takes it.
fn scaling_name(kind: ScalingKind) -> &'static str {
    match kind {
        ScalingKind::MinMax => "minmax",
        ScalingKind::Quantile => "quantile",
    }
}

/// Values as a Python tuple.
fn tuple<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl Iterator<Item = T>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyTuple::new(py, values.collect::<Vec<_>>())?.into_any())
}

/// The report of a selection as an object of `softwood.results`, None if there was none.
fn selection_report<'py>(
    py: Python<'py>,
    selection: Option<&SelectionReport>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(selection) = selection else {
        return Ok(py.None().into_bound(py));
    };
    let results = py.import("softwood.results")?;
    let round = results.getattr("SelectionRound")?;
    let rounds = selection.rounds.iter().map(|r| {
        let fields = (r.step.name(), r.rows, r.accuracy, r.accepted);
        round.call1(fields)
    });
    let rounds = PyTuple::new(py, rounds.collect::<PyResult<Vec<_>>>()?)?;
    let fields = (selection.rows, selection.share, selection.accuracy, rounds);
    results.getattr("SelectionReport")?.call1(fields)
}

/// Read a model from a file; `softwood.load` is documented.
#[pyfunction]
pub fn load(path: PathBuf) -> PyResult<OrctModel> {
    softwood::fitted::OrctModel::load(path)
        .map(OrctModel)
        .map_err(from_file_error)
}

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
        let (rows, width) = (x.rows(), self.0.classes.len());
        check_memory("the predictions", rows.len(), width)?;
        let values = py
            .detach(|| self.0.predict_proba(rows))
            .map_err(from_input_error)?;
        Ok(matrix(py, values, width))
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
        let kind = match kind {
            "sum" => Importance::Sum,
            "max" => Importance::Max,
            _ => {
                let text = format!("kind must be \"sum\" or \"max\", got {kind:?}");
                return Err(PyValueError::new_err(text));
            }
        };
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
        let branches = self.0.tree.topology.branches();
        let inputs = py.import("softwood._inputs")?;
        let t: usize = inputs
            .call_method1("integer", ("t", t, 0, branches - 1))?
            .extract()?;
        let rule = self.0.tree.rule(t);
        let terms = &rule.terms;
        let measures = terms.iter().map(|term| match term.measure {
            Measure::Value => "value",
            Measure::Quantile => "quantile",
        });
        let fields = [
            ("node", rule.node.into_pyobject(py)?.into_any()),
            (
                "features",
                tuple(py, terms.iter().map(|term| term.feature))?,
            ),
            ("names", tuple(py, terms.iter().map(|term| &term.name))?),
            ("weights", tuple(py, terms.iter().map(|term| term.weight))?),
            ("measures", tuple(py, measures)?),
            ("effects", tuple(py, terms.iter().map(|term| term.effect))?),
            ("threshold", rule.threshold.into_pyobject(py)?.into_any()),
            ("steepness", rule.steepness.into_pyobject(py)?.into_any()),
            ("text", rule.to_string().into_pyobject(py)?.into_any()),
        ];
        py.import("softwood.results")?
            .getattr("Rule")?
            .call((), Some(&fields.into_py_dict(py)?))
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
        let report = &self.0.report;
        let fields = [
            ("status", report.status.name().into_pyobject(py)?.into_any()),
            ("objective", report.objective.into_pyobject(py)?.into_any()),
            ("loss", report.loss.into_pyobject(py)?.into_any()),
            ("seconds", report.seconds.into_pyobject(py)?.into_any()),
            (
                "iterations",
                report.iterations.into_pyobject(py)?.into_any(),
            ),
            (
                "evaluations",
                report.evaluations.into_pyobject(py)?.into_any(),
            ),
            (
                "optimality",
                report.optimality.into_pyobject(py)?.into_any(),
            ),
            (
                "start_objectives",
                tuple(py, report.start_objectives.iter().copied())?,
            ),
            (
                "best_start",
                report.best_start.into_pyobject(py)?.into_any(),
            ),
            ("constraints", PyTuple::empty(py).into_any()),
            ("scaling", self.scaling().into_pyobject(py)?.into_any()),
            ("rows", report.rows.into_pyobject(py)?.into_any()),
            (
                "selection",
                selection_report(py, report.selection.as_ref())?,
            ),
        ];
        let class = py.import("softwood.results")?.getattr("OrctReport")?;
        class.call((), Some(&fields.into_py_dict(py)?))
    }
}
