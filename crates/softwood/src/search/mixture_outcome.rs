//! Where the descent of a mixture of linear models ended, and which of two ends is better.

use super::ending::Ending;

/// Where a descent ended.
#[derive(Clone, Debug)]
pub(crate) struct MixtureOutcome {
    /// (a, μ, β, β_0), leaf intercepts at the mean row.
    pub x: Vec<f64>,
    /// What became of each bound.
    pub reached: Vec<BoundReached>,
    /// The worst excess beyond what counts as kept; 0 if all bounds are.
    pub excess: f64,
    pub ending: Ending,
}

/// What became of a bound, in units of the standardized response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundReached {
    pub value: f64,
    pub multiplier: f64,
    pub kept: bool,
}

impl AsRef<Ending> for MixtureOutcome {
    fn as_ref(&self) -> &Ending {
        &self.ending
    }
}

impl MixtureOutcome {
    /// Bounds that are kept first, then the lower objective.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_excess = self.excess.total_cmp(&other.excess);
        by_excess.then(self.ending.objective.total_cmp(&other.ending.objective))
    }
}
