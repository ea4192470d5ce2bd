//! How much each feature matters to a model.

/// How a feature's coefficients over all splits, or all leaves, are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Importance {
    /// SIM_j = Σ_t |a_jt|.
    Sum,
    /// MIM_j = max_t |a_jt|.
    Max,
}

impl Importance {
    /// Importance of each of `p` features from rows of `p` coefficients.
    pub(super) fn of(self, coefficients: &[f64], p: usize) -> Vec<f64> {
        let mut importance = vec![0.0f64; p];
        for node in coefficients.chunks_exact(p) {
            for (sum, a) in importance.iter_mut().zip(node) {
                *sum = match self {
                    Self::Sum => *sum + a.abs(),
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
    let unused = Importance::Max.of(coefficients, p);
    100.0 * unused.iter().filter(|a| **a == 0.0).count() as f64 / p as f64
}
