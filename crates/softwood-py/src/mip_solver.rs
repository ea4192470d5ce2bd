//! A solver of mixed-integer programs that is written in Python.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::StopFlag;
use softwood::mip::{MipSolution, MipSolver, Program};
use std::time::Duration;

/// `solve(program, start, seconds or None, stopped)` returns the values or None, the bound, nodes, whether
/// they are optimal, and triples of seconds, objective and bound.
pub struct PythonSolver(pub Py<PyAny>);

/// What the solver asks whether it should end.
#[pyclass(frozen)]
struct Stopped(StopFlag);

#[pymethods]
impl Stopped {
    fn __call__(&self) -> bool {
        self.0.is_raised()
    }
}

type Answer = (Option<Vec<f64>>, f64, u64, bool, Vec<(f64, f64, f64)>);

impl MipSolver for PythonSolver {
    fn solve(
        &self,
        program: &Program,
        start: &[f64],
        limit: Option<Duration>,
        stop: &StopFlag,
    ) -> Result<MipSolution, String> {
        let asked = Python::attach(|py| -> PyResult<Answer> {
            let start = start.to_vec().into_pyarray(py);
            let seconds = limit.map(|limit| limit.as_secs_f64());
            let stopped = Bound::new(py, Stopped(stop.clone()))?;
            let arguments = (fields(py, program)?, start, seconds, stopped);
            self.0.bind(py).call1(arguments)?.extract()
        });
        let (values, bound, nodes, optimal, course) = asked.map_err(|error| error.to_string())?;
        Ok(MipSolution {
            values,
            bound,
            nodes,
            optimal,
            course,
        })
    }
}

/// The program as arrays.
fn fields<'py>(py: Python<'py>, program: &Program) -> PyResult<Bound<'py, PyDict>> {
    let of_doubles = [
        ("lower", &program.lower),
        ("upper", &program.upper),
        ("cost", &program.cost),
        ("row_lower", &program.row_lower),
        ("row_upper", &program.row_upper),
        ("values", &program.values),
    ];
    let fields = PyDict::new(py);
    for (name, values) in of_doubles {
        fields.set_item(name, values.clone().into_pyarray(py))?;
    }
    let starts: Vec<i64> = program.starts.iter().map(|s| *s as i64).collect();
    let indices: Vec<i64> = program.indices.iter().map(|k| i64::from(*k)).collect();
    fields.set_item("starts", starts.into_pyarray(py))?;
    fields.set_item("indices", indices.into_pyarray(py))?;
    fields.set_item("integer", program.integer.clone().into_pyarray(py))?;
    let blocks = PyDict::new(py);
    for (name, range) in &program.blocks {
        blocks.set_item(name, (range.start, range.end))?;
    }
    fields.set_item("blocks", blocks)?;
    Ok(fields)
}
