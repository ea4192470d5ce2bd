//! What can be wrong with a table, said by column, row and value.

/// Names that a message lists at most.
const SHOWN: usize = 6;

/// A table that cannot be encoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TableError {
    /// Other columns than in training.
    #[error(
        "the table must have the columns the model was fitted on: {}",
        differences(absent, unknown)
    )]
    Columns {
        /// Those it lacks.
        absent: Vec<String>,
        /// Those the model does not know.
        unknown: Vec<String>,
    },
    /// Another number of columns, where they go by their order.
    #[error("X has {got} columns but the model was fitted on {expected}")]
    Count {
        /// Columns in training.
        expected: usize,
        /// Columns of the table.
        got: usize,
    },
    /// Columns of the same name.
    #[error("two columns of X are called {name:?}; names must be distinct")]
    Repeated {
        /// The name.
        name: String,
    },
    /// Columns of different lengths.
    #[error("column {column:?} has {len} rows where the first column has {rows}")]
    Length {
        /// The column.
        column: String,
        /// Its rows.
        len: usize,
        /// Rows of the first one.
        rows: usize,
    },
    /// Missing values that nobody asked to be filled.
    #[error(
        "values are missing in {}; fill them or leave such rows out, or fit with \
         missing=\"indicator\", which fills them and marks where they were",
        holes(.0)
    )]
    MissingValues(
        /// Columns with the number of missing values and the first such row.
        Vec<(String, usize, usize)>,
    ),
    /// Nothing to learn from.
    #[error("column {column:?} holds no values; leave it out")]
    NoValues {
        /// The column.
        column: String,
    },
    /// A value of another kind than the column holds.
    #[error("column {column:?} must hold {expected}, row {row} holds {value}")]
    Kind {
        /// The column.
        column: String,
        /// What it must hold.
        expected: String,
        /// Row of the first value that is something else.
        row: usize,
        /// That value.
        value: String,
    },
    /// More levels than a tree of such features can be read, or held in memory.
    #[error(
        "column {column:?} has {levels} levels, at most {most} are allowed; put rare ones together, \
         leave it out if it is a name or a number of the row, or give numbers in its place"
    )]
    TooManyLevels {
        /// The column.
        column: String,
        /// Its levels.
        levels: usize,
        /// How many are allowed.
        most: usize,
    },
    /// Text that should be numbers.
    #[error(
        "column {column:?} holds text, but {numbers} of its {levels} levels are numbers (row {row}: \
         {value:?}); make them numbers, missing where there is none, or, if they are names, \
         make it a categorical column"
    )]
    NumbersAsText {
        /// The column.
        column: String,
        /// Levels that are numbers.
        numbers: usize,
        /// All levels.
        levels: usize,
        /// The first row whose text is none, or the first row if all are.
        row: usize,
        /// What it holds.
        value: String,
    },
    /// An order for a column that cannot have one.
    #[error("ordered names the column {column:?}, {what}")]
    Ordered {
        /// The column.
        column: String,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// "a", "b" and 3 more.
fn listed(items: &[String]) -> String {
    let shown = items.iter().take(SHOWN).cloned().collect::<Vec<_>>();
    let more = items.len() - shown.len();
    match more {
        0 => shown.join(", "),
        _ => format!("{} and {more} more", shown.join(", ")),
    }
}

fn differences(absent: &[String], unknown: &[String]) -> String {
    let quoted = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        listed(&names)
    };
    match (absent, unknown) {
        (absent, []) => format!("it lacks {}", quoted(absent)),
        ([], unknown) => format!("it has {} besides", quoted(unknown)),
        _ => format!(
            "it lacks {} and has {} besides",
            quoted(absent),
            quoted(unknown)
        ),
    }
}

fn holes(columns: &[(String, usize, usize)]) -> String {
    let told = |(name, count, first): &(String, usize, usize)| match count {
        1 => format!("column {name:?} (row {first})"),
        _ => format!("column {name:?} ({count} rows, the first is row {first})"),
    };
    listed(&columns.iter().map(told).collect::<Vec<_>>())
}
