//! The ORCT objective by itself, as `softwood.objective` wraps it.

use crate::arrays::{Classes, Matrix, check_memory_for_splits};
use crate::doorway::{Call, enter, run_interruptible};
use crate::kept_pool::KeptPool;
use crate::setting_tables::{fixed_gamma, fixed_scaling, orct_settings};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use softwood::data::{
    Classes as RowClasses, ClassificationRows, Labels, Parallelism, RowWeights, Rows, Scaling,
    scaled_once,
};
use softwood::objective::ExpectedCost;
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::{ParameterLayout, Topology};
use softwood::{Control, FitError, OrctSettings, check_orct_input};

/// Values of X from which an evaluation may take longer than anybody likes to wait for Ctrl-C; below, a
/// thread to wait for it would cost more than it helps.
const LONG: usize = 1 << 24;

/// Mean expected misclassification cost; `softwood.OrctObjective` prepares the arguments.
#[pyclass(frozen, module = "softwood._core")]
pub struct OrctObjective {
    /// The user's array: kept alive, never copied.
    x: Py<PyAny>,
    labels: Labels,
    weights: RowWeights,
    costs: Vec<f64>,
    leaf_codes: Vec<u32>,
    scaling: Scaling,
    topology: Topology,
    gamma: f64,
    dim: usize,
    pool: KeptPool,
}

#[pymethods]
impl OrctObjective {
    #[new]
    fn new(
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        codes: PyReadonlyArray1<'_, u32>,
        classes: Classes,
        leaf_codes: PyReadonlyArray1<'_, u32>,
        sample_weight: Option<PyReadonlyArray1<'_, f64>>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let settings = OrctSettings {
            cover_classes: false, // the labels are given
            ..orct_settings(settings)?
        };
        let (kind, gamma) = (fixed_scaling(&settings)?, fixed_gamma(&settings)?);
        let depth = settings.depth;
        let labels = Labels {
            classes: classes.into(),
            codes: codes.as_array().to_vec(),
        };
        let weights: Option<Vec<f64>> = sample_weight.map(|weights| weights.as_array().to_vec());
        let matrix: Matrix<'_> = x.extract()?;
        let rows = matrix.rows(py)?;
        check_memory_for_splits(rows.features(), (1 << depth) - 1)?;
        let pool = KeptPool::new(settings.run.n_threads);
        let learn = |control: &Control| {
            let weights = weights.as_deref();
            let costs = check_orct_input(rows, &labels, weights, &settings)?;
            let scaling = Scaling::learn_until(kind, rows, weights, &control.stop)?;
            let weights = RowWeights::new(&*scaled_once(rows.reborrow(), &scaling), weights);
            Ok((costs, scaling, weights))
        };
        let call = Call::on(&rows, "OrctObjective");
        let (costs, scaling, weights) = interruptible_if_long(py, call, rows, |control| {
            let learned = pool.run(|| learn(control));
            learned.map_err(|error| pool.not_started(&error))?
        })?;
        let topology = Topology::complete(depth);
        Ok(Self {
            dim: ParameterLayout::new(&topology, rows.features()).dim(),
            x: x.clone().unbind(),
            leaf_codes: leaf_codes.as_array().to_vec(),
            labels,
            weights,
            costs,
            scaling,
            topology,
            gamma,
            pool,
        })
    }

    #[getter]
    fn dim(&self) -> usize {
        self.dim
    }

    /// Value and gradient at theta.
    fn value_and_gradient<'py>(
        &self,
        py: Python<'py>,
        theta: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>)> {
        let theta = theta.as_array().to_vec();
        if theta.len() != self.dim {
            let text = format!("theta must hold {} values, got {}", self.dim, theta.len());
            return Err(PyValueError::new_err(text));
        }
        if let Some(j) = theta.iter().position(|value| !value.is_finite()) {
            let text = format!("theta[{j}] is {}; every value must be finite", theta[j]);
            return Err(PyValueError::new_err(text));
        }
        let matrix: Matrix<'_> = self.x.bind(py).extract()?;
        let rows = matrix.rows(py)?;
        let call = Call::on(&rows, "value_and_gradient");
        let (value, gradient) = interruptible_if_long(py, call, rows, |control| {
            self.evaluate(rows, &theta, control)
        })?;
        Ok((value, gradient.into_pyarray(py)))
    }
}

/// Does work on rows that are passed over once, on a thread of its own if they are many.
fn interruptible_if_long<T: Send>(
    py: Python<'_>,
    call: Call<'_>,
    rows: Rows<'_>,
    job: impl FnOnce(&Control) -> Result<T, FitError> + Send,
) -> PyResult<T> {
    if rows.len().saturating_mul(rows.features()) < LONG {
        enter(py, call, || job(&Control::default()))
    } else {
        run_interruptible(py, call, job)
    }
}

impl OrctObjective {
    fn evaluate(
        &self,
        rows: Rows<'_>,
        theta: &[f64],
        control: &Control,
    ) -> Result<(f64, Vec<f64>), FitError> {
        let scaled = scaled_once(rows.reborrow(), &self.scaling);
        let classes = RowClasses::new(&self.labels.codes, self.labels.classes.len());
        let (weights, stop) = (self.weights.clone(), Stop::new(&control.stop, None));
        let data = ClassificationRows::sharing(scaled, classes, weights, Parallelism::Rows, stop);
        let cost = ExpectedCost::with_total_weight(
            data,
            self.topology.clone(),
            self.gamma,
            &self.costs,
            self.leaf_codes.clone(),
            self.weights.total(),
        );
        let mut gradient = vec![0.0; self.dim];
        let evaluated = self
            .pool
            .run(|| cost.value_and_gradient(theta, &mut gradient));
        let value = evaluated.map_err(|error| self.pool.not_started(&error))??;
        Ok((value, gradient))
    }
}
