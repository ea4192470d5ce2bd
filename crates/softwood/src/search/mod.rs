//! Search over trees, apart from what is fitted: folds, racing, starts, continuation, moves.

mod alternate;
pub(crate) mod continuation;
pub(crate) mod cross_validate;
mod crumbs;
mod decomposition;
pub(crate) mod descent;
mod ending;
pub(crate) mod few_leaves;
pub(crate) mod folds;
mod grow_tree;
pub(crate) mod interval_chain;
pub(crate) mod interval_cost;
pub(crate) mod interval_mixture;
mod interval_problem;
mod keep_bounds;
pub(crate) mod losses;
mod macro_iterations;
pub(crate) mod mixture_descent;
pub(crate) mod mixture_outcome;
mod move_splits;
pub(crate) mod multistart;
mod node_split;
mod nodec;
pub(crate) mod nodec_run;
mod one_start;
mod prune;
pub(crate) mod race;
mod regrow;
pub(crate) mod replace_subtrees;
pub(crate) mod simplify;
#[cfg(test)]
mod small_problem;
pub(crate) mod starts;
mod update_branch_node;
pub(crate) mod working_sets;
