//! How much each feature matters to a model.

/// How a feature's coefficients over all splits, or all leaves, are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Importance {
    /// SIM_j = Σ_t |a_jt|.
    Sum,
    /// MIM_j = max_t |a_jt|.
    Max,
    /// Σ_t r_t |a_jt|, r_t being the share of the training rows that pass split t, or end in leaf t, on
    /// their likelier branches.
    Weighted,
}

impl Importance {
    /// Importance of each of `p` features from rows of `p` coefficients, one for each of `shares`
    /// (which only [`Self::Weighted`] takes); None if they are needed and not known.
    pub(super) fn of(
        self,
        coefficients: &[f64],
        p: usize,
        shares: Option<Vec<f64>>,
    ) -> Option<Vec<f64>> {
        let nodes = coefficients.len() / p;
        let shares = match self {
            Self::Weighted => shares?,
            _ => vec![1.0; nodes],
        };
        Some(self.with_shares(coefficients, p, &shares))
    }

    fn with_shares(self, coefficients: &[f64], p: usize, shares: &[f64]) -> Vec<f64> {
        let mut importance = vec![0.0f64; p];
        for (node, share) in coefficients.chunks_exact(p).zip(shares) {
            for (sum, a) in importance.iter_mut().zip(node) {
                *sum = match self {
                    Self::Sum | Self::Weighted => *sum + share * a.abs(),
                    Self::Max => sum.max(a.abs()),
                };
            }
        }
        importance
    }
}

/// δ_L: share of coefficients that are exactly 0, in percent; all of them if there are no splits.
pub(crate) fn local_sparsity(coefficients: &[f64]) -> f64 {
    if coefficients.is_empty() {
        return 100.0;
    }
    let zeros = coefficients.iter().filter(|a| **a == 0.0).count();
    100.0 * zeros as f64 / coefficients.len() as f64
}

/// δ_G: share of `p` features whose coefficients are all exactly 0, in percent.
pub(crate) fn global_sparsity(coefficients: &[f64], p: usize) -> f64 {
    let unused = Importance::Max.with_shares(coefficients, p, &vec![1.0; coefficients.len() / p]);
    100.0 * unused.iter().filter(|a| **a == 0.0).count() as f64 / p as f64
}
