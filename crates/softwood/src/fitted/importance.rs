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
