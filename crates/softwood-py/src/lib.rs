//! The Python module `softwood._core`: what it contains, nothing else.

mod arrays;
mod exceptions;
mod fit_functions;
mod kept_pool;
mod load;
mod orct_model;
mod orct_objective;
mod results;
mod run_interruptible;
mod selection_functions;
mod settings;
mod srt_model;

use pyo3::prelude::*;

/// Compiled core of softwood.
#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::fit_functions::{
        fit_orct, fit_orct_cv, fit_srt, lambda_max, sparsity_path, vc_bounds,
    };
    #[pymodule_export]
    use super::load::load;
    #[pymodule_export]
    use super::orct_model::OrctModel;
    #[pymodule_export]
    use super::orct_objective::OrctObjective;
    #[pymodule_export]
    use super::selection_functions::{balanced_relaxation, select_extreme_points, select_rows};
    #[pymodule_export]
    use super::srt_model::SrtModel;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
