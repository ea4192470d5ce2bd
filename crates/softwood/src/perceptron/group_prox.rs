//! The proximal map of half the squared sum of group norms.

/// By what each group must be multiplied: prox of (s/2)(Σ_h ‖·‖)² for groups of these norms.
///
/// With norms o_(1) ≥ o_(2) ≥ …, ρ = max{k : o_(k) > s/(1 + ks) Σ_{i≤k} o_(i)} and
/// θ = s/(1 + ρs) Σ_{i≤ρ} o_(i), group h is multiplied by max(0, 1 − θ/o_h). (Tan, Tsang and Wang 2014,
/// the modified accelerated proximal gradient method that paper 5 adapts.)
pub(super) fn shrinkage(norms: &[f64], step: f64) -> Vec<f64> {
    let mut sorted = norms.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut theta) = (0.0, 0.0);
    for (k, norm) in (1..).zip(&sorted) {
        let with = sum + norm;
        let bound = step / (1.0 + k as f64 * step) * with;
        if *norm <= bound {
            break;
        }
        (sum, theta) = (with, bound);
    }
    let factor = |norm: &f64| match *norm > theta {
        true => 1.0 - theta / norm,
        false => 0.0,
    };
    norms.iter().map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// 0 ∈ v − o + s (Σ v) ∂‖·‖: a group that stays is o_h − s Σ v, one that goes has o_h ≤ s Σ v.
        #[test]
        fn the_prox_meets_its_optimality_conditions(
            norms in prop::collection::vec(0.0..10.0f64, 1..12),
            step in 1e-3..100.0f64,
        ) {
            let factors = shrinkage(&norms, step);
            let moved: Vec<f64> = norms.iter().zip(&factors).map(|(o, f)| o * f).collect();
            let pull = step * moved.iter().sum::<f64>();
            for (o, v) in norms.iter().zip(&moved) {
                if *v > 0.0 {
                    prop_assert!((v - (o - pull)).abs() <= 1e-9 * (1.0 + o));
                } else {
                    prop_assert!(*o <= pull * (1.0 + 1e-12));
                }
            }
        }
    }
}
