//! Vectorized logistic function with accurate tails.

use super::VECTOR_TILE;
use super::exponential::exp_of_minus;
use pulp::Simd;

/// |z| at which σ saturates in a tree of the given depth: e^−z times itself on every level is then
/// still a normal number, and arithmetic on subnormal ones is a hundred times slower.
pub(crate) fn saturation(depth: usize) -> f64 {
    690.0 / (depth + 1) as f64
}

/// (σ(z), 1 − σ(z)), both to full *relative* accuracy up to |z| = `saturation` ≤ 690.
///
/// With e = exp(−|z|) the larger of the two is 1/(1+e) and the smaller e/(1+e); neither is formed
/// by subtraction, so σ(1−σ) keeps its digits where σ is within rounding of 0 or 1. Four values
/// share one division, which costs as much as the rest: 1/a = bcd/(abcd).
#[inline(always)]
pub(crate) fn sigmoid_pairs<S: Simd>(
    simd: S,
    z: [S::f64s; VECTOR_TILE],
    saturation: f64,
) -> ([S::f64s; VECTOR_TILE], [S::f64s; VECTOR_TILE]) {
    let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
    let saturation = simd.splat_f64s(saturation);
    let mut size = z;
    for v in 0..VECTOR_TILE {
        size[v] = simd.min_f64s(simd.abs_f64s(z[v]), saturation);
    }
    let e = exp_of_minus(simd, size);
    let mut a = e;
    for v in 0..VECTOR_TILE {
        a[v] = simd.add_f64s(e[v], one);
    }
    let (a01, a23) = (simd.mul_f64s(a[0], a[1]), simd.mul_f64s(a[2], a[3]));
    let inverse = simd.div_f64s(one, simd.mul_f64s(a01, a23));
    let (inverse01, inverse23) = (simd.mul_f64s(inverse, a23), simd.mul_f64s(inverse, a01));
    let large = [
        simd.mul_f64s(inverse01, a[1]),
        simd.mul_f64s(inverse01, a[0]),
        simd.mul_f64s(inverse23, a[3]),
        simd.mul_f64s(inverse23, a[2]),
    ];
    let (mut p, mut q) = (large, large);
    for v in 0..VECTOR_TILE {
        let small = simd.mul_f64s(e[v], large[v]);
        let right = simd.less_than_f64s(z[v], zero);
        p[v] = simd.select_f64s(right, small, large[v]);
        q[v] = simd.select_f64s(right, large[v], small);
    }
    (p, q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulp::{Arch, Scalar, WithSimd};

    /// (σ, 1−σ) as the kernel computes them on this machine, and without vectors.
    fn both_ways(z: [f64; 4]) -> [([f64; 4], [f64; 4]); 2] {
        struct Run([f64; 4]);
        impl WithSimd for Run {
            type Output = ([f64; 4], [f64; 4]);
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
                let mut vectors = [simd.splat_f64s(0.0); VECTOR_TILE];
                for (vector, z) in vectors.iter_mut().zip(self.0) {
                    *vector = simd.splat_f64s(z);
                }
                let (p, q) = sigmoid_pairs(simd, vectors, 690.0);
                let first = |v: S::f64s| bytemuck::cast_slice::<_, f64>(&[v])[0];
                (p.map(first), q.map(first))
            }
        }
        [Arch::new().dispatch(Run(z)), Run(z).with_simd(Scalar)]
    }

    proptest! {
        #[test]
        fn both_tails_have_full_relative_accuracy(z in prop::array::uniform4(-690.0..690.0f64)) {
            for (p, q) in both_ways(z) {
                for k in 0..4 {
                    let (p_ref, q_ref) = (1.0 / (1.0 + (-z[k]).exp()), 1.0 / (1.0 + z[k].exp()));
                    prop_assert!((p[k] / p_ref - 1.0).abs() < 2e-15, "σ({}) = {}", z[k], p[k]);
                    prop_assert!((q[k] / q_ref - 1.0).abs() < 2e-15, "1−σ({}) = {}", z[k], q[k]);
                }
            }
        }
    }

    #[test]
    fn extremes_stay_finite_and_positive() {
        for z in [0.0, 1e-300, 709.0, 1e6, 1e308, f64::MAX] {
            for (p, q) in both_ways([z, -z, z, -z]) {
                for k in 0..4 {
                    assert!(
                        p[k] > 0.0 && q[k] > 0.0 && p[k] <= 1.0 && q[k] <= 1.0,
                        "{z}"
                    );
                    assert!((p[k] + q[k] - 1.0).abs() < 1e-15);
                }
                assert_eq!((p[0], q[0]), (q[1], p[1]));
            }
        }
        assert_eq!(both_ways([0.0; 4])[0].0, [0.5; 4]);
    }
}
