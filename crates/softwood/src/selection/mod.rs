//! Rows that stand for the others: extreme points, and the choice of rows to train on.
//!
//! After Zhu, Murali, Phan, Nguyen and Kalagnanam, *A scalable MIP-based method for learning optimal
//! multivariate decision trees* (NeurIPS 2020), section 3: if all extreme points of a cluster are
//! classified alike by one leaf, so is everything within their hull. Equation and algorithm numbers
//! in this folder are theirs.

mod balanced;
mod balanced_rows;
pub(crate) mod choose_rows;
mod cover_within;
mod distinct_points;
mod extreme_points;
mod hull;
mod hull_search;
mod nearest_point;
mod point_set;
mod tied_points;

pub use balanced::{BalancedChoice, BalancedRelaxation, balanced_relaxation};
pub use balanced_rows::{BalancedRows, select_balanced_rows};
pub use choose_rows::{
    ClusterAccount, ClusterRule, Hyperplanes, SelectedRows, SelectionSettings, select_rows,
};
pub(crate) use extreme_points::extreme_points;
pub use extreme_points::{ExtremePoints, select_extreme_points};

/// Distances below this, in units of each column's range, cannot be told from 0: rounding of the
/// scaled rows and of the small problems stays some orders of magnitude below.
const RESOLUTION: f64 = 1e-9;
