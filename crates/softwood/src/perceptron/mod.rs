//! The node of a sparse perceptron tree (paper 5): few features out of very many, found by feature
//! generation, and a linear classifier on them; and the tree that is grown of such nodes.

mod calibrate;
mod columns;
mod dichotomy;
mod figures;
mod generate;
mod group_prox;
mod grow;
mod grown;
mod held_out;
mod interactions;
mod master;
mod node_folds;
mod node_problem;
mod node_rows;
mod packed;
mod prune;
mod refit;
mod root_trials;
mod sign_sketch;
mod split;
mod squared_hinge;
mod vote;

pub(crate) use columns::ColumnScale;
pub(crate) use figures::figures;
pub(crate) use grow::{GrowSettings, Grown, grow};
pub(crate) use grown::GrownLeaf;
pub(crate) use node_rows::TreeRows;
pub(crate) use root_trials::{RootTrial, RootTrials};
