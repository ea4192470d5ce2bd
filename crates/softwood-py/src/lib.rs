//! The Python module `softwood._core`: what it contains, nothing else.
#![forbid(unsafe_code)]

mod arrays;
mod doorway;
mod encoding;
mod exceptions;
mod fit_functions;
mod functional;
mod handle;
mod hard_handle;
mod kept_pool;
mod load;
mod mip_solver;
mod names;
mod orct;
mod orct_objective;
mod orrt;
mod regression;
mod results;
mod selection_functions;
mod setting_tables;
mod settings;
mod spdt;
mod srt;
mod svm1_odt;
mod values;

use pyo3::prelude::*;
use softwood::tree::Topology;

/// Compiled core of softwood.
#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::encoding::{EncodingHandle, refuse_missing};
    #[pymodule_export]
    use super::exceptions::InternalError;
    #[pymodule_export]
    use super::fit_functions::functional::{
        fit_functional_orct, fit_functional_orct_cv, fit_functional_orrt, fit_functional_orrt_cv,
    };
    #[pymodule_export]
    use super::fit_functions::orct::{fit_orct, fit_orct_cv, lambda_max, sparsity_path, vc_bounds};
    #[pymodule_export]
    use super::fit_functions::orrt::{fit_orrt, fit_orrt_cv, orrt_lambda_max, orrt_sparsity_path};
    #[pymodule_export]
    use super::fit_functions::spdt::fit_spdt;
    #[pymodule_export]
    use super::fit_functions::srt::{fit_srt, fit_srt_cv};
    #[pymodule_export]
    use super::fit_functions::svm1_odt::{fit_svm1_odt, fit_svm1_odt_by_mip};
    #[pymodule_export]
    use super::functional::{FunctionalOrctHandle, FunctionalOrrtHandle};
    #[pymodule_export]
    use super::load::load;
    #[pymodule_export]
    use super::orct::OrctHandle;
    #[pymodule_export]
    use super::orct_objective::OrctObjective;
    #[pymodule_export]
    use super::orrt::OrrtHandle;
    #[pymodule_export]
    use super::selection_functions::{
        balanced_relaxation, select_balanced_rows, select_extreme_points, select_rows,
    };
    #[pymodule_export]
    use super::setting_tables::defaults;
    #[pymodule_export]
    use super::spdt::SpdtHandle;
    #[pymodule_export]
    use super::srt::SrtHandle;
    #[pymodule_export]
    use super::svm1_odt::Svm1OdtHandle;
    #[pymodule_export]
    use super::values::{integer, number};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("MAX_DEPTH", Topology::MAX_DEPTH)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
