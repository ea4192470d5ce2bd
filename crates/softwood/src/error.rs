//! What can be wrong with the input, said with the values at fault, and how a fit can fail.

use crate::stop::{Interrupted, SourceError, Stopped};
use crate::table_error::TableError;

/// Input that cannot be fitted, predicted or loaded; found before any work is done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// X without rows or without columns.
    #[error("X must have at least one row and one column, got shape ({rows}, {columns})")]
    Empty {
        /// Rows of X.
        rows: usize,
        /// Columns of X.
        columns: usize,
    },
    /// X with more rows or columns than can be numbered.
    #[error("X must have fewer than 2^32 rows and columns, got shape ({rows}, {columns})")]
    TooLarge {
        /// Rows of X.
        rows: usize,
        /// Columns of X.
        columns: usize,
    },
    /// A per-row argument of another length than X.
    #[error("X has {rows} rows but {name} has {len} values")]
    RowMismatch {
        /// The argument.
        name: &'static str,
        /// Rows of X.
        rows: usize,
        /// Values given.
        len: usize,
    },
    /// Prediction on another number of features than the model knows.
    #[error("X has {got} columns but the model was fitted on {expected}")]
    FeatureMismatch {
        /// Features of the model.
        expected: usize,
        /// Columns of X.
        got: usize,
    },
    /// NaN or infinity in X.
    #[error("X[{row}, {column}] is {value}; every value must be finite")]
    NotFinite {
        /// Row of the first such value.
        row: usize,
        /// Its column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// Sparse rows whose indices are no CSR matrix.
    #[error("X is not a valid CSR matrix: {problem}")]
    SparseRows {
        /// What is wrong, and where.
        problem: String,
    },
    /// X was not finite in one pass and finite in the next.
    #[error("X was changed while it was read; nothing may write to it during a call")]
    RowsChanged,
    /// NaN or infinity in the response of a regression.
    #[error("y[{row}] is {value}; every value must be finite")]
    Response {
        /// Row of the first such value.
        row: usize,
        /// The value.
        value: f64,
    },
    /// A bad row weight.
    #[error("sample_weight[{row}] is {value:?}; weights must be finite and not negative")]
    Weight {
        /// Row of the first such weight.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// No row carries weight.
    #[error("sample_weight is zero for all {rows} rows; at least one must be positive")]
    NoWeight {
        /// Number of rows.
        rows: usize,
    },
    /// Nothing to tell apart.
    #[error("y must hold at least two classes with positive weight, got {got}")]
    TooFewClasses {
        /// Classes seen.
        got: usize,
    },
    /// More classes than leaves although every class is to own one.
    #[error(
        "y has {classes} classes but a tree of depth {depth} has {leaves} leaves; \
         use depth {needed} or more, or switch cover_classes off"
    )]
    TooManyClasses {
        /// Classes in y.
        classes: usize,
        /// Depth asked for.
        depth: usize,
        /// Leaves at that depth.
        leaves: usize,
        /// Smallest depth that gives each class a leaf.
        needed: usize,
    },
    /// More curves than one regression can tell apart.
    #[error(
        "curves can bend at most {most} features, X has {features} with {values} values or more; \
         use fewer features or switch curves off"
    )]
    TooManyCurves {
        /// Features that take so many values.
        features: usize,
        /// How many.
        values: usize,
        /// How many features may.
        most: usize,
    },
    /// Curves that cannot be fitted or predicted.
    #[error("curve {name:?} {reason}")]
    Curves {
        /// Name of the predictor.
        name: String,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// Rows whose columns are not the points of the curves.
    #[error("X has {got} columns but the grids of its curves have {expected} points in all")]
    CurveColumns {
        /// Columns of X.
        got: usize,
        /// Points of all curves, and scalars.
        expected: usize,
    },
    /// A cost that is no cost.
    #[error(
        "costs[{row}, {column}] is {value:?}; costs must be numbers from 0 to 1e100, and 0 on the diagonal"
    )]
    Cost {
        /// True class.
        row: usize,
        /// Predicted class.
        column: usize,
        /// The cost.
        value: f64,
    },
    /// A group of rows that bounds cannot be kept on.
    #[error("row group {name:?} {reason}")]
    RowGroup {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A setting out of range.
    #[error("{name} must be {expected}, got {}", shortened(got))]
    Setting {
        /// The setting.
        name: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// A table that cannot be encoded.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A model file that cannot be trusted.
    #[error("not a valid softwood model: {}", clipped(.0, QUOTED))]
    ModelFile(String),
}

impl InputError {
    /// The same of rows of which these were those from `first` on.
    pub fn in_rows_from(self, first: usize) -> Self {
        match self {
            Self::NotFinite { row, column, value } => Self::NotFinite {
                row: first + row,
                column,
                value,
            },
            other => other,
        }
    }
}

/// Digits of a number that are told.
const MOST_DIGITS: usize = 30;

/// A number of very many digits by its exponent, the ends of a long text.
fn shortened(shown: &str) -> String {
    match shown.parse::<f64>() {
        Ok(number) if shown.len() > MOST_DIGITS => format!("{number:e}"),
        _ => clipped(shown, [60, 20]),
    }
}

/// Characters that are quoted of a file, at its beginning and at its end, where its place is told.
const QUOTED: [usize; 2] = [200, 100];

/// The ends, of so many characters, of what may quote anything of any length.
fn clipped(text: &str, ends: [usize; 2]) -> String {
    let length = text.chars().count();
    if length <= ends[0] + ends[1] {
        return text.to_owned();
    }
    let beginning = text.chars().take(ends[0]);
    let end = text.chars().skip(length - ends[1]);
    beginning.chain(['…']).chain(end).collect()
}

/// Why there is no model. Reaching a limit is not an error: see the report's status.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// The input cannot be fitted.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The stop flag was raised before there was anything to return; later on a fit returns the best it
    /// has, with status `Cancelled`.
    #[error("the fit was cancelled")]
    Cancelled,
    /// The source of the rows failed while they were passed over.
    #[error("the rows could not be read: {0}")]
    Source(SourceError),
    /// The solver of mixed-integer programs gave up.
    #[error("the solver failed: {0}")]
    Solver(String),
    /// The threads asked for could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

impl From<Stopped> for FitError {
    /// Of what must be finished to have an answer at all, which no time limit ends.
    fn from(_: Stopped) -> Self {
        Self::Cancelled
    }
}

impl From<Interrupted> for FitError {
    /// The same, and rows that could not be had.
    fn from(interrupted: Interrupted) -> Self {
        match interrupted {
            Interrupted::Source(error) => Self::Source(error),
            Interrupted::Cancelled | Interrupted::TimeLimit => Self::Cancelled,
        }
    }
}
