//! Settings that are one of a few names.

use crate::exceptions::CoreError;
use crate::settings::Kind;
use crate::values::{beginning, text};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use softwood::data::{ScalingChoice, ScalingKind};
use softwood::fitted::{ClassScoring, ResponseScoring, Routing};
use softwood::mip::Formulation;
use softwood::objective::PenaltyShape;
use softwood::{CvRule, InputError, OrctSolver, RatesOn, RegressionStart, SpdtScaling};

/// One of a few names.
pub struct Name;

/// Values that have names.
pub trait Named: Sized {
    fn parse(name: &str) -> Result<Self, InputError>;
    fn name(&self) -> &'static str;
}

impl<T: Named> Kind<T> for Name {
    fn take(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
        let said = text(name, value)?;
        T::parse(&said).map_err(|error| match error {
            // The core does not know which of the user's arguments it was.
            InputError::Setting { expected, .. } => {
                let said = beginning(format!("{said:?}"));
                PyValueError::new_err(format!("{name} must be {expected}, got {said}"))
            }
            error => CoreError::from(error).into(),
        })
    }

    fn show<'py>(&self, py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
        value.name().into_bound_py_any(py)
    }
}

/// InputError for a name nobody knows; `Name` puts in what the setting is called.
fn no_such(expected: &'static str) -> InputError {
    let (name, got) = ("", String::new());
    InputError::Setting {
        name,
        expected,
        got,
    }
}

impl Named for ScalingKind {
    fn parse(name: &str) -> Result<Self, InputError> {
        match name.parse() {
            Ok(ScalingChoice::Fixed(kind)) => Ok(kind),
            _ => Err(no_such("\"minmax\" or \"quantile\"")),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::MinMax => "minmax",
            Self::Quantile => "quantile",
        }
    }
}

impl Named for ScalingChoice {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Fixed(kind) => kind.name(),
            Self::Auto => "auto",
        }
    }
}

impl Named for SpdtScaling {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        (*self).name()
    }
}

impl Named for Formulation {
    fn parse(name: &str) -> Result<Self, InputError> {
        match name {
            "paper" => Ok(Self::Paper),
            "mip" => Ok(Self::CorrectRows),
            _ => Err(no_such("\"native\", \"mip\" or \"paper\"")),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::CorrectRows => "mip",
        }
    }
}

impl Named for Routing {
    fn parse(name: &str) -> Result<Self, InputError> {
        match name {
            "soft" => Ok(Self::Soft),
            "hard" => Ok(Self::Hard),
            _ => Err(no_such("\"soft\" or \"hard\"")),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Hard => "hard",
        }
    }
}

impl Named for RegressionStart {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::Clusters => "clusters",
            Self::Random => "random",
        }
    }
}

impl Named for ClassScoring {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        (*self).name()
    }
}

impl Named for ResponseScoring {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        (*self).name()
    }
}

impl Named for RatesOn {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Folds => "folds",
        }
    }
}

impl Named for OrctSolver {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Nodes => "nodes",
            Self::Convergent => "convergent",
            Self::Auto => "auto",
        }
    }
}

impl Named for CvRule {
    fn parse(name: &str) -> Result<Self, InputError> {
        match name {
            "best" => Ok(Self::Best),
            "one_se" => Ok(Self::OneStandardError),
            _ => Err(no_such("\"best\" or \"one_se\"")),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::OneStandardError => "one_se",
        }
    }
}

impl Named for PenaltyShape {
    fn parse(name: &str) -> Result<Self, InputError> {
        name.parse()
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Norm => "norm",
            Self::Exp { .. } => "exp",
            Self::Power { .. } => "power",
            Self::Inverse { .. } => "inverse",
            Self::Log { .. } => "log",
        }
    }
}
