//! The raw handle on a fitted model: what every kind has, once.

use crate::arrays::{Matrix, check_memory, matrix};
use crate::doorway::{Call, enter};
use crate::exceptions::CoreError;
use crate::kept_pool::in_kept_pool;
use crate::results::SplitFields;
use crate::values::{beginning, integer, threads};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::fitted::{FitReport, Importance, Rule, SoftTree};
use softwood::{FittedModel, FittedTree, InputError};
use std::fmt::Display;

/// From so many rows on threads are worth their while, and `n_threads` counts.
const ROWS_FOR_A_POOL: usize = 20_000;

/// Hands the user's rows to `job`, on the threads it may use, once there is memory for `width` values
/// for each row. The one way from a model's methods into the core.
pub fn read_rows<T: Send>(
    py: Python<'_>,
    (function, what): (&str, &str),
    x: &Matrix<'_>,
    width: usize,
    n_threads: &Bound<'_, PyAny>,
    job: impl FnOnce(Rows<'_>) -> Result<T, InputError> + Send,
) -> PyResult<T> {
    let rows = x.rows(py)?;
    check_memory(what, rows.len(), width)?;
    on_threads(py, Call::on(&rows, function), rows.len(), n_threads, || {
        job(rows)
    })
}

/// Values that are read at a time by what takes long for each row.
const VALUES_OF_A_PART: usize = 1 << 20;

/// The same for what takes long for each row: in parts, with a look at signals after each of them.
pub fn read_rows_in_parts(
    py: Python<'_>,
    (function, what): (&str, &str),
    x: &Matrix<'_>,
    width: usize,
    n_threads: &Bound<'_, PyAny>,
    job: impl Fn(Rows<'_>) -> Result<Vec<f64>, InputError> + Send + Sync,
) -> PyResult<Vec<f64>> {
    let rows = x.rows(py)?;
    check_memory(what, rows.len(), width)?;
    let part = (VALUES_OF_A_PART / width.max(rows.features()).max(1)).max(1);
    let mut values = Vec::with_capacity(rows.len() * width);
    let mut start = 0;
    loop {
        let end = rows.len().min(start + part);
        let of_part = || {
            let told = job(rows.slice(start..end));
            told.map_err(|error| error.in_rows_from(start))
        };
        let call = Call::on(&rows, function);
        values.extend(on_threads(py, call, rows.len(), n_threads, of_part)?);
        if end == rows.len() {
            return Ok(values);
        }
        py.check_signals()?;
        start = end;
    }
}

/// Does `job`, which is about so many rows, on the threads it may use.
pub fn on_threads<T: Send>(
    py: Python<'_>,
    call: impl Display + Sync,
    rows: usize,
    n_threads: &Bound<'_, PyAny>,
    job: impl FnOnce() -> Result<T, InputError> + Send,
) -> PyResult<T> {
    let n_threads = threads(n_threads)?;
    if rows < ROWS_FOR_A_POOL {
        return enter(py, call, job);
    }
    // Where no threads are to be had, the core does with those it has.
    enter(py, call, || {
        let mut job = Some(job);
        let mut run = || job.take().map(|job| job());
        match in_kept_pool(n_threads, &mut run) {
            Ok(Some(done)) => done,
            _ => run().expect("it has not run yet"),
        }
    })
}

pub fn leaf_probabilities<'py>(
    py: Python<'py>,
    tree: &SoftTree,
    x: &Matrix<'py>,
    n_threads: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let names = ("leaf_probabilities", "the predictions");
    let width = tree.shape.leaves().len();
    let values = read_rows(py, names, x, width, n_threads, |rows| {
        tree.leaf_probabilities(rows)
    })?;
    Ok(matrix(py, values, width))
}

pub fn apply<'py>(
    py: Python<'py>,
    tree: &impl FittedTree,
    x: &Matrix<'py>,
    n_threads: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let names = ("apply", "the leaves");
    let leaves = read_rows(py, names, x, 2, n_threads, |rows| tree.leaf_indices(rows))?;
    let leaves: Vec<i64> = leaves.into_iter().map(i64::from).collect();
    Ok(leaves.into_pyarray(py))
}

/// The nodes on the way of each row, −1 beyond its leaf.
pub fn decision_path<'py>(
    py: Python<'py>,
    tree: &impl FittedTree,
    x: &Matrix<'py>,
    n_threads: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let (names, width) = (("decision_path", "the paths"), tree.shape().depth() + 1);
    let nodes = read_rows(py, names, x, width, n_threads, |rows| {
        tree.decision_path(rows)
    })?;
    Ok(matrix(py, nodes, width))
}

/// The splits on the way of the first row.
pub fn explain_path<'py>(
    py: Python<'py>,
    tree: &impl FittedTree,
    x: &Matrix<'py>,
) -> PyResult<Vec<SplitFields>> {
    let rows = x.rows(py)?;
    enter(py, "explain_path", || {
        let paths = tree.explain_path(rows)?;
        let splits = paths.into_iter().take(1).flatten();
        Ok::<_, InputError>(splits.map(Into::into).collect())
    })
}

pub fn importance<M: FittedModel>(model: &M, kind: &str, of: &str) -> PyResult<Vec<f64>> {
    let refuse = |name: &str, expected: &str, got: &str| {
        let got = beginning(format!("{got:?}"));
        PyValueError::new_err(format!("{name} must be {expected}, got {got}"))
    };
    let known = match kind {
        "sum" => Importance::Sum,
        "max" => Importance::Max,
        "weighted" => Importance::Weighted,
        _ => {
            let kinds = "\"sum\", \"max\" or \"weighted\"";
            return Err(refuse("kind", kinds, kind));
        }
    };
    model.importance_of(of, known).ok_or_else(|| {
        if M::PARTS.contains(&of) {
            let unknown = "the file of this model does not tell how many rows end in its leaves";
            return PyValueError::new_err(unknown);
        }
        let parts: Vec<String> = M::PARTS.iter().map(|part| format!("{part:?}")).collect();
        refuse("of", &parts.join(" or "), of)
    })
}

/// The split at a node; ValueError if the tree does not split there.
pub fn rule(tree: &impl FittedTree, t: &Bound<'_, PyAny>) -> PyResult<Rule> {
    let nodes = tree.shape().splits();
    let last = nodes.last().copied().unwrap_or(0);
    let node = integer("t", t, 0, last as u64, "")? as usize;
    tree.rule(node).ok_or_else(|| {
        let known = match nodes {
            [] => "the tree splits nowhere".into(),
            nodes => format!("it must be one of the splits {nodes:?}"),
        };
        PyValueError::new_err(format!("t is {node}, but {known}"))
    })
}

/// How many terms of each split are asked for.
pub fn most_terms(terms: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(integer("terms", terms, 1, 1 << 32, "")? as usize)
}

/// A position of Python's within 0 … count − 1.
pub fn position(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<usize> {
    Ok(integer(name, value, 0, count as u64 - 1, "")? as usize)
}

/// The report as JSON; `softwood.results` makes its classes of it.
pub fn report_json(report: &FitReport) -> PyResult<String> {
    serde_json::to_string(report)
        .map_err(|error| CoreError::from(InputError::ModelFile(error.to_string())).into())
}

/// Sparse rows as SciPy makes them: starts, columns, values.
pub type Csr<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

/// Declares the handle `$handle` on a model of type `$model` with the methods that every kind has
/// and, in the braces, its own.
macro_rules! handle {
    ($(#[$doc:meta])* $handle:ident, $model:ty { $($own:tt)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "softwood._core")]
        pub struct $handle(pub $model);

        #[pymethods]
        impl $handle {
            #[staticmethod]
            fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
                enter(py, "from_json", || <$model>::from_json(text)).map(Self)
            }

            fn to_json(&self, py: Python<'_>) -> PyResult<String> {
                enter(py, "to_json", || Ok::<_, InputError>(self.0.to_json()))
            }

            fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
                enter(py, "save", || self.0.save(path))
            }

            fn apply<'py>(
                &self,
                x: Matrix<'py>,
                n_threads: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyArray1<i64>>> {
                handle::apply(n_threads.py(), self.0.tree(), &x, n_threads)
            }

            fn decision_path<'py>(
                &self,
                x: Matrix<'py>,
                n_threads: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyArray2<i64>>> {
                handle::decision_path(n_threads.py(), self.0.tree(), &x, n_threads)
            }

            /// The splits on the way of the one row.
            fn explain_path<'py>(
                &self,
                py: Python<'py>,
                x: Matrix<'py>,
            ) -> PyResult<Vec<SplitFields>> {
                handle::explain_path(py, self.0.tree(), &x)
            }

            fn importance<'py>(
                &self,
                py: Python<'py>,
                kind: &str,
                of: &str,
            ) -> PyResult<Bound<'py, PyArray1<f64>>> {
                Ok(handle::importance(&self.0, kind, of)?.into_pyarray(py))
            }

            fn rule(&self, py: Python<'_>, t: &Bound<'_, PyAny>) -> PyResult<RuleFields> {
                let rule = handle::rule(self.0.tree(), t)?;
                enter(py, "rule", || Ok::<_, InputError>(rule.into()))
            }

            /// The tree as text; with `terms`, so many of each split's on lines of their own.
            fn text(&self, py: Python<'_>, terms: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
                let terms = terms.map(|terms| handle::most_terms(terms)).transpose()?;
                enter(py, "describe", || Ok::<_, InputError>(self.0.describe(terms)))
            }

            fn report(&self) -> PyResult<String> {
                handle::report_json(self.0.report())
            }

            #[getter]
            fn depth(&self) -> usize {
                self.0.tree().shape().depth()
            }

            /// The names of the user's columns.
            #[getter]
            fn feature_names(&self) -> Vec<String> {
                self.0.tree().column_names()
            }

            /// The names of the features that stand for them.
            #[getter]
            fn encoded_names(&self) -> Vec<String> {
                self.0.tree().feature_names().into_owned()
            }

            /// Whether the model was fitted to features that stand for the columns of a table.
            #[getter]
            fn encoded(&self) -> bool {
                self.0.tree().encoding().is_some()
            }

            /// The features of a table, and the levels that training has not seen.
            fn encode<'py>(
                &self,
                table: TableFields<'py>,
                n_threads: &Bound<'py, PyAny>,
            ) -> PyResult<Features<'py>> {
                encode(&self.0.tree().column_encoding(), &table, n_threads)
            }

            /// Typical value of each column, in the user's units.
            #[getter]
            fn typical_values(&self) -> Vec<Option<Cell>> {
                let tree = self.0.tree();
                let values = tree.column_values(&tree.typical()).into_iter();
                values.map(|value| value.map(Cell)).collect()
            }

            /// Whether the features' names were given.
            #[getter]
            fn named(&self) -> bool {
                self.0.tree().is_named()
            }

            /// The nodes that split, breadth first.
            #[getter]
            fn splits(&self) -> Vec<usize> {
                self.0.tree().shape().splits().to_vec()
            }

            /// The nodes that are leaves, from left to right.
            #[getter]
            fn leaves(&self) -> Vec<usize> {
                self.0.tree().shape().leaves().to_vec()
            }

            #[getter]
            fn intercepts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                self.0.split_intercepts().into_pyarray(py)
            }

            $($own)*
        }
    };
}
pub(crate) use handle;

/// The same for a tree of soft splits on scaled features.
macro_rules! soft_handle {
    ($(#[$doc:meta])* $handle:ident, $model:ty { $($own:tt)* }) => {
        crate::handle::handle! {
            $(#[$doc])*
            $handle, $model {
                fn leaf_probabilities<'py>(
                    &self,
                    x: Matrix<'py>,
                    n_threads: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyArray2<f64>>> {
                    handle::leaf_probabilities(n_threads.py(), self.0.tree(), &x, n_threads)
                }

                #[getter]
                fn scaling(&self) -> &'static str {
                    self.0.tree().scaling.kind.name()
                }

                #[getter]
                fn coefficients<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
                    let tree = self.0.tree();
                    matrix(py, tree.coefficients.clone(), tree.features())
                }

                $($own)*
            }
        }
    };
}
pub(crate) use soft_handle;
