//! The Python module `softwood._core`: what it contains, nothing else.

mod arrays;
mod exceptions;
mod fit_functions;
mod kept_pool;
mod orct_model;
mod orct_objective;
mod run_interruptible;
mod settings;

use pyo3::prelude::*;

/// Compiled core of softwood.
#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::fit_functions::{fit_orct, fit_orct_cv, lambda_max, sparsity_path, vc_bounds};
    #[pymodule_export]
    use super::orct_model::{OrctModel, load};
    #[pymodule_export]
    use super::orct_objective::OrctObjective;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
