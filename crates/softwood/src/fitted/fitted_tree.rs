//! What every fitted tree has, soft or hard: its shape, the user's columns, ways of rows.

use super::{Rule, SplitExplanation};
use crate::InputError;
use crate::data::{Coding, EncodedColumn, Encoding, Missing, Rows, Value};
use crate::tree::Shape;
use std::borrow::Cow;
use std::ops::Range;

/// The splits of a fitted tree with all that is needed to route a row of the user's.
pub trait FittedTree: Send + Sync {
    /// Which nodes split.
    fn shape(&self) -> &Shape;

    /// p.
    fn features(&self) -> usize;

    /// Names of the features; x0, x1, … if they have none.
    fn feature_names(&self) -> Cow<'_, [String]>;

    /// Whether names were given.
    fn is_named(&self) -> bool;

    /// How the columns of a table become the features; None if they are the columns of X themselves.
    fn encoding(&self) -> Option<&Encoding>;

    /// Typical value of each feature.
    fn typical(&self) -> Cow<'_, [f64]>;

    /// The split at node `node` in the user's units; None if the tree does not split there.
    fn rule(&self, node: usize) -> Option<Rule>;

    /// The leaf at the end of each row's branches, the likelier ones if splits are soft, from left to right.
    fn leaf_indices<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError>;

    /// For each row the splits on its path, from the root on.
    fn explain_path<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
    ) -> Result<Vec<Vec<SplitExplanation>>, InputError>;

    /// For each row the nodes from the root to its leaf, N × (D + 1), −1 beyond the leaf.
    fn decision_path<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<i64>, InputError> {
        let shape = self.shape();
        let width = shape.depth() + 1;
        let paths = (0..shape.leaves().len()).flat_map(|leaf| {
            let splits = shape.path(leaf).into_iter();
            let splits = splits.map(|(split, _)| shape.splits()[split]);
            let nodes = splits.chain([shape.leaves()[leaf]]);
            let beyond = std::iter::repeat(-1);
            nodes.map(|node| node as i64).chain(beyond).take(width)
        });
        let paths: Vec<i64> = paths.collect();
        let leaves = self.leaf_indices(rows)?;
        let path = |leaf: &u32| &paths[*leaf as usize * width..][..width];
        Ok(leaves.iter().flat_map(path).copied().collect())
    }

    /// The user's columns: those of the table, or the features if they are what the user has.
    fn columns(&self) -> usize {
        let table = self.encoding();
        table.map_or(self.features(), |table| table.columns.len())
    }

    /// The names of the user's columns.
    fn column_names(&self) -> Vec<String> {
        let table = self.encoding();
        table.map_or_else(|| self.feature_names().into_owned(), Encoding::names)
    }

    /// The features of each of the user's columns.
    fn column_features(&self) -> Vec<Range<usize>> {
        let themselves = || (0..self.features()).map(|j| j..j + 1).collect();
        self.encoding().map_or_else(themselves, Encoding::ranges)
    }

    /// The values of the user's columns in a row of features; None for a level never seen in training.
    fn column_values(&self, row: &[f64]) -> Vec<Option<Value>> {
        let numbers = || row.iter().map(|x| Some(Value::Number(*x))).collect();
        self.encoding()
            .map_or_else(numbers, |table| table.values(row))
    }

    /// How tables become features: the encoding, or, without one, columns of numbers by their names.
    fn column_encoding(&self) -> Cow<'_, Encoding> {
        let number = |(name, typical): (&String, &f64)| EncodedColumn {
            name: name.clone(),
            coding: Coding::Number { typical: *typical },
            missing: Missing::Refused,
        };
        let numbers = || {
            let (names, typical) = (self.feature_names(), self.typical());
            let columns = names.iter().zip(typical.iter()).map(number).collect();
            Cow::Owned(Encoding { columns })
        };
        self.encoding().map_or_else(numbers, Cow::Borrowed)
    }
}
