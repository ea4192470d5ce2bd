//! The ORCT objective by itself, for users with an optimizer of their own.

use crate::arrays::Matrix;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use softwood::data::{ScaledRows, Scaling, ScalingKind};
use softwood::objective::{ClassificationRows, ExpectedCost, Objective};

/// Value and gradient of the expected misclassification cost.
#[pyclass(frozen, module = "softwood")]
pub struct OrctObjective {
}
