//! softwood
pub mod data;
mod error;
mod fit;
pub mod fitted;
mod leaves;
pub mod objective;
mod progress;
pub mod solver;
mod start;
pub mod stop;
mod threads;
pub mod tree;

pub use error::InputError;
pub use fit::orct::{OrctSettings, check_orct_input, fit_orct};
pub use fit::{Control, FitError};
pub use progress::{Progress, ProgressSnapshot};
pub use stop::StopFlag;
