//! Handles on fitted trees on curves; `softwood.FunctionalOrrtModel` and its like wrap them.
//!
//! Rows of all methods but `interval_means` are means over the intervals.

use crate::arrays::{Matrix, cube, empty_matrix, labels_to_numpy, matrix};
use crate::doorway::enter;
use crate::encoding::{Features, TableFields, encode};
use crate::handle::{self, position, read_rows};
use crate::names::{Name, Named};
use crate::orct::classification_handle;
use crate::orrt::mixture_handle;
use crate::results::{Cell, LeafModelFields, RuleFields, SplitFields};
use crate::settings::Kind;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use softwood::data::Rows;
use softwood::fitted::Decision;
use softwood::functional::{CurveLayout, IntervalMeans, Predictor};
use softwood::{
    FittedModel, FittedTree, FunctionalOrctModel, FunctionalOrrtModel, InputError, OrctModel,
    OrrtModel,
};
use std::path::PathBuf;

/// The intervals of a model and what they are of.
#[derive(IntoPyObject)]
pub struct IntervalFields {
    /// Name, grid (None for a scalar), and smoothing.
    predictors: Vec<(String, Option<Vec<f64>>, f64)>,
    derivatives: Vec<usize>,
    /// On [0, 1].
    ends: Vec<f64>,
    length_sparsity: f64,
    /// Of each feature, its predictor and, unless that is a scalar, order and interval.
    features: Vec<(usize, Option<(usize, usize)>)>,
}

impl From<&IntervalMeans> for IntervalFields {
    fn from(means: &IntervalMeans) -> Self {
        let predictors = means.predictors.iter().map(|p| {
            let Predictor { name, grid } = p.predictor.clone();
            (name, grid, p.smoothing)
        });
        let features = means.features().into_iter();
        Self {
            predictors: predictors.collect(),
            derivatives: means.orders.clone(),
            ends: means.ends.clone(),
            length_sparsity: means.length_sparsity(),
            features: features.map(|f| (f.predictor, f.mean)).collect(),
        }
    }
}

/// Names and grids, None for scalars.
pub type Predictors = Vec<(String, Option<Vec<f64>>)>;

/// What the columns of X are.
pub fn curve_layout(predictors: Predictors) -> CurveLayout {
    let predictor = |(name, grid)| Predictor { name, grid };
    CurveLayout {
        predictors: predictors.into_iter().map(predictor).collect(),
    }
}

fn interval_means<'py>(
    means: &IntervalMeans,
    x: &Matrix<'py>,
    n_threads: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (names, width) = (("interval_means", "the means"), means.features().len());
    let values = read_rows(n_threads.py(), names, x, width, n_threads, |rows| {
        means.of(rows)
    })?;
    Ok(values.into_pyarray(n_threads.py()))
}

mixture_handle! {
    /// Handle on a fitted regression tree on curves.
    FunctionalOrrtHandle, FunctionalOrrtModel {
        fn interval_means<'py>(
            &self,
            x: Matrix<'py>,
            n_threads: &Bound<'py, PyAny>,
        ) -> PyResult<Bound<'py, PyArray2<f64>>> {
            interval_means(&self.0.intervals, &x, n_threads)
        }

        fn intervals(&self) -> IntervalFields {
            (&self.0.intervals).into()
        }
    }
}

impl FunctionalOrrtHandle {
    fn model(&self) -> &OrrtModel {
        &self.0.on_means
    }
}

classification_handle! {
    /// Handle on a fitted classification tree on curves.
    FunctionalOrctHandle, FunctionalOrctModel {
        fn interval_means<'py>(
            &self,
            x: Matrix<'py>,
            n_threads: &Bound<'py, PyAny>,
        ) -> PyResult<Bound<'py, PyArray2<f64>>> {
            interval_means(&self.0.intervals, &x, n_threads)
        }

        fn intervals(&self) -> IntervalFields {
            (&self.0.intervals).into()
        }
    }
}

impl FunctionalOrctHandle {
    fn model(&self) -> &OrctModel {
        &self.0.on_means
    }
}
