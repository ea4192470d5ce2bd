//! Tables: their columns from Python, the encoding that a model keeps, and the features it makes.

use crate::arrays::{Classes, check_memory};
use crate::doorway::enter;
use crate::handle::on_threads;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use softwood::InputError;
use softwood::data::{Column, Encoding, EncodingSettings, LevelColumn, Table};
use std::borrow::Cow;

/// A column as `softwood._tables` reads it: numbers with NaN where they are missing, or distinct levels,
/// their codes with −1 where they are missing, whether it is declared as one of categories, and whether
/// these have an order.
#[derive(FromPyObject)]
pub enum ColumnFields<'py> {
    #[pyo3(transparent)]
    Numbers(PyReadonlyArray1<'py, f64>),
    #[pyo3(transparent)]
    Levels((Classes, PyReadonlyArray1<'py, i32>, bool, bool)),
}

/// Names, none if columns go by their order, and columns of a table.
#[derive(FromPyObject)]
pub struct TableFields<'py>(Vec<String>, Vec<ColumnFields<'py>>);

impl ColumnFields<'_> {
    fn open(&self) -> PyResult<Column<'_>> {
        Ok(match self {
            Self::Numbers(numbers) => Column::Numbers(Cow::Borrowed(numbers.as_slice()?)),
            Self::Levels((levels, codes, declared, ordered)) => Column::Levels(LevelColumn {
                levels: levels.clone().into(),
                codes: Cow::Borrowed(codes.as_slice()?),
                declared: *declared,
                ordered: *ordered,
            }),
        })
    }
}

impl TableFields<'_> {
    fn open(&self) -> PyResult<Table<'_>> {
        let columns = self.1.iter().map(ColumnFields::open);
        Ok(Table {
            names: self.0.clone(),
            columns: columns.collect::<PyResult<_>>()?,
        })
    }
}

/// A column, levels that training has not seen, and rows with one of them.
type Unseen = (String, Vec<String>, usize);

/// The features of a table, and the levels that training has not seen.
pub type Features<'py> = (Bound<'py, PyArray2<f64>>, Vec<Unseen>);

/// How the columns of a table become features.
#[pyclass(frozen, module = "softwood._core", name = "Encoding")]
pub struct EncodingHandle(pub Encoding);

#[pymethods]
impl EncodingHandle {
    #[staticmethod]
    fn learn(
        py: Python<'_>,
        table: TableFields<'_>,
        sample_weight: Option<PyReadonlyArray1<'_, f64>>,
        fill_missing: bool,
        ordered: Vec<(String, Classes)>,
    ) -> PyResult<Self> {
        let table = table.open()?;
        let weights = sample_weight.as_ref().map(|weights| weights.as_slice());
        let weights = weights.transpose()?;
        let ordered = ordered.into_iter();
        let settings = EncodingSettings {
            fill_missing,
            ordered: ordered
                .map(|(name, levels)| (name, levels.into()))
                .collect(),
        };
        let learn = || Encoding::learn(&table, weights, &settings);
        enter(py, "encoding", learn).map(Self)
    }

    /// The features of a table, and the levels that training has not seen.
    fn encode<'py>(
        &self,
        table: TableFields<'py>,
        n_threads: &Bound<'py, PyAny>,
    ) -> PyResult<Features<'py>> {
        encode(&self.0, &table, n_threads)
    }

    /// The group of each feature, given an id for each column or None.
    fn groups(&self, py: Python<'_>, ids: Option<Vec<usize>>) -> PyResult<Vec<usize>> {
        enter(py, "groups", || {
            let (got, columns) = (ids.as_ref().map_or(0, Vec::len), self.0.columns.len());
            if ids.is_some() && got != columns {
                return Err(InputError::Setting {
                    name: "groups",
                    expected: "one id for each column of X",
                    got: format!("{got} ids for {columns} columns"),
                });
            }
            Ok(self.0.groups(ids.as_deref()))
        })
    }
}

/// The features of a table.
pub fn encode<'py>(
    encoding: &Encoding,
    table: &TableFields<'py>,
    n_threads: &Bound<'py, PyAny>,
) -> PyResult<Features<'py>> {
    let (py, table) = (n_threads.py(), table.open()?);
    let rows = table.columns.first().map_or(0, Column::len);
    check_memory("the features of the table", rows, encoding.features())?;
    let encoded = on_threads(py, "encode", rows, n_threads, || encoding.encode(&table))?;
    let unseen = encoded.unseen.into_iter();
    let unseen = unseen.map(|unseen| (unseen.column, unseen.levels, unseen.rows));
    Ok((encoded.rows.into_pyarray(py), unseen.collect()))
}

/// ValueError with all columns that have missing values.
#[pyfunction]
pub fn refuse_missing(py: Python<'_>, table: TableFields<'_>) -> PyResult<()> {
    let table = table.open()?;
    enter(py, "refuse_missing", || table.refuse_missing())
}
