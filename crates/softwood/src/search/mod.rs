//! Search over trees, apart from what is fitted: folds, races, starts, continuation, moves.

mod accepted_step;
pub(crate) mod continuation;
pub(crate) mod descent;
mod ending;
pub(crate) mod folds;
pub(crate) mod multistart;
pub(crate) mod nodec;
mod one_start;
mod prune;
pub(crate) mod race;
mod regrow;
pub(crate) mod replace_subtrees;
mod update_branch_node;
