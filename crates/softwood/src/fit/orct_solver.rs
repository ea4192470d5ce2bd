//! How the splits of an ORCT are moved: all at once, or node by node.

use crate::error::InputError;
use crate::search::multistart::GROWN_FROM;
use crate::search::working_sets::WorkingSets;
use std::str::FromStr;

/// How the splits of an ORCT are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrctSolver {
    /// All splits at once, labels revised once or twice.
    Full,
    /// S-NB-DEC of paper 1: one split after the other, in random order, each with the labels of all leaves.
    Nodes,
    /// C-NB-DEC of paper 1: all splits, then all labels, until neither changes.
    Convergent,
    /// `Nodes` where that was measured to be faster, else `Full`.
    Auto,
}

impl OrctSolver {
    /// The rule for a tree of this depth; `bounded` if rates are, for which nodes cannot be told apart cheaply. Trees that
    /// are grown come to the descent with every node in place: there all splits together get further.
    pub(super) fn working_sets(self, depth: usize, bounded: bool) -> WorkingSets {
        match self {
            Self::Full => WorkingSets::Full,
            Self::Nodes => WorkingSets::Nodes,
            Self::Convergent => WorkingSets::Convergent,
            Self::Auto if depth == 1 || depth >= GROWN_FROM || bounded => WorkingSets::Full,
            Self::Auto => WorkingSets::Nodes,
        }
    }
}

impl FromStr for OrctSolver {
    type Err = InputError;

    fn from_str(name: &str) -> Result<Self, InputError> {
        match name {
            "full" => Ok(Self::Full),
            "nodes" => Ok(Self::Nodes),
            "convergent" => Ok(Self::Convergent),
            "auto" => Ok(Self::Auto),
            _ => Err(InputError::Setting {
                name: "solver",
                expected: "\"full\", \"nodes\", \"convergent\" or \"auto\"",
                got: format!("{name:?}"),
            }),
        }
    }
}
