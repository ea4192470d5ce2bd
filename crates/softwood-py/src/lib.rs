//! The Python module `softwood._core`: what it contains, nothing else.

mod arrays;
mod exceptions;
mod fit_functions;
mod orct_model;
mod orct_objective;
mod run_interruptible;

use pyo3::prelude::*;

/// Compiled core of softwood.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::fit_functions::fit_orct;
    #[pymodule_export]
    use super::orct_model::{OrctModel, OrctReport, load};
    #[pymodule_export]
    use super::orct_objective::OrctObjective;
}
