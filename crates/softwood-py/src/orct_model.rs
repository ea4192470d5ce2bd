//! The fitted ORCT, as Python sees it.

use crate::arrays::Matrix;
use crate::exceptions::from_input_error;
use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use softwood::InputError;
use softwood::data::ClassLabels;
use softwood::fitted::Importance;

/// A fitted optimal randomized classification tree.
#[pyclass(frozen, module = "softwood")]
pub struct OrctModel(pub softwood::fitted::OrctModel);

/// Class labels from a NumPy array of distinct, sorted values.
pub fn class_labels(classes: &Bound<'_, PyAny>) -> PyResult<ClassLabels> {
    let kind: String = classes.getattr("dtype")?.getattr("kind")?.extract()?;
    let values = classes.call_method0("tolist")?;
    Ok(match kind.as_str() {
        "i" | "u" => ClassLabels::Int(values.extract()?),
        "f" => ClassLabels::Float(values.extract()?),
        "b" => ClassLabels::Bool(values.extract()?),
        "U" => ClassLabels::Text(values.extract()?),
        _ => return Err(PyTypeError::new_err(format!("y must hold numbers, truth values or strings, got dtype kind {kind:?}"))),
    })
}

/// N × width values as a NumPy matrix.
fn matrix<'py>(py: Python<'py>, values: Vec<f64>, width: usize) -> Bound<'py, PyArray2<f64>> {
    let shape = (values.len() / width.max(1), width);
    Array2::from_shape_vec(shape, values).expect("rows of equal width").into_pyarray(py)
}

#[pymethods]
impl OrctModel {
    /// Most probable class of each row.
    fn predict<'py>(&self, py: Python<'py>, x: Matrix<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = x.rows();
        let codes = py.detach(|| self.0.predict(rows)).map_err(from_input_error)?;
        let codes: Vec<i64> = codes.into_iter().map(i64::from).collect();
        self.classes(py)?.call_method1("take", (codes.into_pyarray(py),))
    }

    fn predict_proba<'py>(&self, py: Python<'py>, x: Matrix<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = x.rows();
        let values = py.detach(|| self.0.predict_proba(rows)).map_err(from_input_error)?;
        Ok(matrix(py, values, self.0.classes.len()))
    }

    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        match &self.0.classes {
            ClassLabels::Int(v) => numpy.call_method1("array", (v.clone(),)),
            ClassLabels::Float(v) => numpy.call_method1("array", (v.clone(),)),
            ClassLabels::Bool(v) => numpy.call_method1("array", (v.clone(),)),
            ClassLabels::Text(v) => numpy.call_method1("array", (v.clone(),)),
        }
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
        let codes: Vec<i64> = self.0.leaf_classes.iter().map(|k| i64::from(*k)).collect();
        self.classes(py)?.call_method1("take", (codes.into_pyarray(py),))
    }

    #[getter]
    fn report(&self) -> OrctReport {
        OrctReport(self.0.report.clone(), self.0.tree.scaling.kind)
    }
}

/// How a fit went.
#[pyclass(frozen, module = "softwood")]
pub struct OrctReport(softwood::fitted::OrctReport, softwood::data::ScalingKind);

#[pymethods]
impl OrctReport {
    #[getter]
    fn status(&self) -> &'static str { self.0.status.name() }
    #[getter]
    fn objective(&self) -> f64 { self.0.objective }
    #[getter]
    fn seconds(&self) -> f64 { self.0.seconds }
    #[getter]
    fn evaluations(&self) -> u64 { self.0.evaluations }
    #[getter]
    fn iterations(&self) -> u64 { self.0.iterations }
    #[getter]
    fn optimality(&self) -> f64 { self.0.optimality }
    #[getter]
    fn scaling(&self) -> &'static str { match self.1 { softwood::data::ScalingKind::MinMax => "minmax", _ => "quantile" } }
    #[getter]
    fn start_objectives<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> { self.0.start_objectives.clone().into_pyarray(py) }
}

#[pyfunction]
pub fn load(path: &str) -> PyResult<OrctModel> { Err(PyValueError::new_err("x")) }
