//! NumPy arrays in, borrowed; NumPy arrays out.

use crate::exceptions::CoreError;
use ndarray::{Array2, Array3};
use numpy::{Element, IntoPyArray, PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use softwood::data::{ClassLabels, CsrRows, Indices, Rows, Values};
use std::hint::black_box;

/// A two-dimensional float array or sparse rows of either precision, borrowed for as long as this lives.
///
/// Arguments come through `softwood._inputs.as_rows`: they are aligned and of native byte order.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    #[pyo3(transparent)]
    F64(PyReadonlyArray2<'py, f64>),
    #[pyo3(transparent)]
    F32(PyReadonlyArray2<'py, f32>),
    #[pyo3(transparent)]
    Sparse(SparseMatrix<'py>),
}

/// The arrays of a `softwood._sparse.CsrRows`, each in one piece.
#[derive(FromPyObject)]
pub struct SparseMatrix<'py> {
    indptr: IndexArray<'py>,
    indices: IndexArray<'py>,
    data: ValueArray<'py>,
    shape: (usize, usize),
}

#[derive(FromPyObject)]
enum IndexArray<'py> {
    #[pyo3(transparent)]
    I32(PyReadonlyArray1<'py, i32>),
    #[pyo3(transparent)]
    I64(PyReadonlyArray1<'py, i64>),
}

#[derive(FromPyObject)]
enum ValueArray<'py> {
    #[pyo3(transparent)]
    F64(PyReadonlyArray1<'py, f64>),
    #[pyo3(transparent)]
    F32(PyReadonlyArray1<'py, f32>),
}

impl Matrix<'_> {
    /// The rows as the core sees them; ValueError if they are sparse and no valid CSR matrix.
    pub fn rows(&self, py: Python<'_>) -> PyResult<Rows<'_>> {
        match self {
            Self::F64(array) => Ok(array.as_array().into()),
            Self::F32(array) => Ok(array.as_array().into()),
            Self::Sparse(matrix) => matrix.rows(py),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(array) => array.as_array().nrows(),
            Self::F32(array) => array.as_array().nrows(),
            Self::Sparse(matrix) => matrix.shape.0,
        }
    }
}

impl SparseMatrix<'_> {
    fn rows(&self, py: Python<'_>) -> PyResult<Rows<'_>> {
        let (indptr, indices) = (self.indptr.indices()?, self.indices.indices()?);
        let (values, (_, columns)) = (self.data.values()?, self.shape);
        // All indices are looked at.
        let rows = py.detach(|| CsrRows::new(columns, indptr, indices, values));
        Ok(rows.map_err(CoreError::from)?.into())
    }
}

impl IndexArray<'_> {
    fn indices(&self) -> PyResult<Indices<'_>> {
        Ok(match self {
            Self::I32(array) => array.as_slice()?.into(),
            Self::I64(array) => array.as_slice()?.into(),
        })
    }
}

impl ValueArray<'_> {
    fn values(&self) -> PyResult<Values<'_>> {
        Ok(match self {
            Self::F64(array) => array.as_slice()?.into(),
            Self::F32(array) => array.as_slice()?.into(),
        })
    }
}

/// Distinct labels in increasing order, as `softwood._inputs.as_labels` gives them.
#[derive(Clone, FromPyObject)]
pub enum Classes {
    #[pyo3(transparent)]
    Bool(Vec<bool>),
    #[pyo3(transparent)]
    Int(Vec<i64>),
    #[pyo3(transparent)]
    Float(Vec<f64>),
    #[pyo3(transparent)]
    Text(Vec<String>),
}

impl From<Classes> for ClassLabels {
    fn from(classes: Classes) -> Self {
        match classes {
            Classes::Bool(values) => Self::Bool(values),
            Classes::Int(values) => Self::Int(values),
            Classes::Float(values) => Self::Float(values),
            Classes::Text(values) => Self::Text(values),
        }
    }
}

/// Labels as a NumPy array.
pub fn labels_to_numpy<'py>(py: Python<'py>, labels: &ClassLabels) -> PyResult<Bound<'py, PyAny>> {
    Ok(match labels {
        ClassLabels::Bool(values) => values.clone().into_pyarray(py).into_any(),
        ClassLabels::Int(values) => values.clone().into_pyarray(py).into_any(),
        ClassLabels::Float(values) => values.clone().into_pyarray(py).into_any(),
        ClassLabels::Text(values) => {
            // NumPy's text of fixed length takes NULs at the end for padding.
            let ends_in_nul = values.iter().any(|label| label.ends_with('\0'));
            let dtype = if ends_in_nul { "object" } else { "str" };
            py.import("numpy")?.call_method1("array", (values, dtype))?
        }
    })
}

/// MemoryError if `count` × `width` doubles for `what` cannot be had: the core would abort the process.
pub fn check_memory(what: &str, count: usize, width: usize) -> PyResult<()> {
    let mut room = Vec::<f64>::new();
    let had = count
        .checked_mul(width)
        .is_some_and(|all| room.try_reserve_exact(all).is_ok());
    black_box(room); // an allocation nobody uses may be optimized away
    if had {
        return Ok(());
    }
    let text = format!("no memory for {what}: {count} × {width} values of 8 bytes");
    Err(PyMemoryError::new_err(text))
}

/// Vectors of the size of θ that a solver holds at the least: ten pairs of L-BFGS and a few more.
const VECTORS: usize = 24;

/// MemoryError if there is no room to look for so many splits.
pub fn check_memory_for_splits(features: usize, splits: usize) -> PyResult<()> {
    let parameters = (features + 1).saturating_mul(splits);
    check_memory(
        "the parameters and a solver's memory of them",
        parameters,
        VECTORS,
    )
}

/// Rows of `width` values as a NumPy matrix.
pub fn matrix<T: Element>(py: Python<'_>, values: Vec<T>, width: usize) -> Bound<'_, PyArray2<T>> {
    let shape = (values.len() / width, width);
    Array2::from_shape_vec(shape, values)
        .expect("rows of equal width")
        .into_pyarray(py)
}

/// A matrix for `what`, to be filled. From NumPy, which takes memory that nobody need clear and large
/// pages: a twentieth of the time of predicting a million rows.
pub fn empty_matrix<'py>(
    py: Python<'py>,
    what: &str,
    count: usize,
    width: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    check_memory(what, count, width)?;
    let empty = py
        .import("numpy")?
        .call_method1("empty", ((count, width),))?;
    Ok(empty.cast_into()?)
}

/// Rows of `height` × `width` values as a NumPy array.
pub fn cube(
    py: Python<'_>,
    values: Vec<f64>,
    height: usize,
    width: usize,
) -> Bound<'_, PyArray3<f64>> {
    let shape = (values.len() / (height * width), height, width);
    Array3::from_shape_vec(shape, values)
        .expect("rows of equal size")
        .into_pyarray(py)
}
