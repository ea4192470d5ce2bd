//! The ORCT objective by itself, as `softwood.objective` wraps it.

use crate::arrays::{Classes, Matrix, check_memory_for_splits};
use crate::exceptions::{from_input_error, no_threads};
use crate::kept_pool::KeptPool;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use softwood::data::{
    Classes as RowClasses, ClassificationRows, Labels, Parallelism, Rows, ScaledRows, Scaling,
    ScalingChoice,
};
use softwood::objective::ExpectedCost;
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::{ParameterLayout, Topology};
use softwood::{InputError, OrctSettings, check_orct_input};

/// Mean expected misclassification cost; `softwood.OrctObjective` prepares the arguments.
#[pyclass(frozen, module = "softwood._core")]
pub struct OrctObjective {
    /// The user's array: kept alive, never copied.
    x: Py<PyAny>,
    labels: Labels,
    weights: Option<Vec<f64>>,
    total_weight: f64,
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
    #[pyo3(signature = (x, codes, classes, leaf_codes, *, depth, gamma, costs, sample_weight, scaling, n_threads))]
    #[allow(clippy::too_many_arguments)] // the Python signature
    fn new(
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        codes: PyReadonlyArray1<'_, u32>,
        classes: Classes,
        leaf_codes: PyReadonlyArray1<'_, u32>,
        depth: usize,
        gamma: f64,
        costs: Option<PyReadonlyArray2<'_, f64>>,
        sample_weight: Option<PyReadonlyArray1<'_, f64>>,
        scaling: &str,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let ScalingChoice::Fixed(kind) = scaling.parse().map_err(from_input_error)? else {
            let (name, expected) = ("scaling", "\"minmax\" or \"quantile\"");
            let got = format!("{scaling:?}");
            return Err(from_input_error(InputError::Setting {
                name,
                expected,
                got,
            }));
        };
        let settings = OrctSettings {
            depth,
            gamma,
            costs: costs.map(|costs| costs.as_array().iter().copied().collect()),
            cover_classes: false, // the labels are given
            ..OrctSettings::default()
        };
        let labels = Labels {
            classes: classes.into(),
            codes: codes.as_array().to_vec(),
        };
        let weights: Option<Vec<f64>> = sample_weight.map(|weights| weights.as_array().to_vec());
        let matrix: Matrix<'_> = x.extract()?;
        let rows = matrix.rows();
        check_memory_for_splits(rows.features(), depth)?;
        let pool = KeptPool::new(n_threads);
        let learn = || {
            let costs = check_orct_input(rows, &labels, weights.as_deref(), &settings)?;
            Ok((costs, Scaling::learn(kind, rows, weights.as_deref())))
        };
        let (costs, scaling) = py
            .detach(|| pool.run(learn))
            .map_err(no_threads)?
            .map_err(from_input_error)?;
        let topology = Topology::complete(depth);
        Ok(Self {
            total_weight: weights
                .as_ref()
                .map_or(rows.len() as f64, |weights| weights.iter().sum()),
            dim: ParameterLayout::new(topology, rows.features()).dim(),
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
        let rows = matrix.rows();
        let (value, gradient) = py
            .detach(|| self.pool.run(|| self.evaluate(rows, &theta)))
            .map_err(no_threads)?;
        Ok((value, gradient.into_pyarray(py)))
    }
}

impl OrctObjective {
    fn evaluate(&self, rows: Rows<'_>, theta: &[f64]) -> (f64, Vec<f64>) {
        let scaled = ScaledRows::passing_once(rows.reborrow(), &self.scaling).shared();
        let classes = RowClasses::new(&self.labels.codes, self.labels.classes.len());
        let (weights, stop) = (self.weights.as_deref(), Stop::default());
        let data = ClassificationRows::new(scaled, classes, weights, Parallelism::Rows, stop);
        let cost = ExpectedCost::with_total_weight(
            data,
            self.topology,
            self.gamma,
            &self.costs,
            self.leaf_codes.clone(),
            self.total_weight,
        );
        let mut gradient = vec![0.0; self.dim];
        let value = cost
            .value_and_gradient(theta, &mut gradient)
            .expect("nothing stops an evaluation");
        (value, gradient)
    }
}
