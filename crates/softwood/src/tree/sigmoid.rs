//! Vectorized logistic function with accurate tails.

use pulp::Simd;

/// Vectors worked on at a time: their long chains of operations overlap, and they share a division.
pub(crate) const VECTORS: usize = 4;

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
    z: [S::f64s; VECTORS],
    saturation: f64,
) -> ([S::f64s; VECTORS], [S::f64s; VECTORS]) {
    let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
    let saturation = simd.splat_f64s(saturation);
    let mut size = z;
    for v in 0..VECTORS {
        size[v] = simd.min_f64s(simd.abs_f64s(z[v]), saturation);
    }
    let e = exp_of_minus(simd, size);
    let mut a = e;
    for v in 0..VECTORS {
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
    for v in 0..VECTORS {
        let small = simd.mul_f64s(e[v], large[v]);
        let right = simd.less_than_f64s(z[v], zero);
        p[v] = simd.select_f64s(right, small, large[v]);
        q[v] = simd.select_f64s(right, large[v], small);
    }
    (p, q)
}

/// e^−x for 0 ≤ x ≤ 690, branch-free: −x = n ln 2 + r, e^r by a polynomial on |r| ≤ ln 2 / 2.
#[inline(always)]
fn exp_of_minus<S: Simd>(simd: S, x: [S::f64s; VECTORS]) -> [S::f64s; VECTORS] {
    #[allow(clippy::excessive_precision)] // ends in zero bits, so that n · LN2_HIGH is exact
    const LN2_HIGH: f64 = 6.931_471_803_691_238_2e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5·2^52 rounds to an integer and leaves it in the low bits of the mantissa; the 1023
    // is the bias of an exponent field.
    const ROUND: f64 = 6_755_399_441_055_744.0 + 1023.0;
    // Chebyshev fit of e^r, highest power first; off by less than 2^-57.
    #[allow(clippy::excessive_precision)]
    const COEFFICIENTS: [f64; 12] = [
        2.5110049204818658e-08,
        2.763265472252779e-07,
        2.755724088722987e-06,
        2.4801485441561313e-05,
        0.00019841269890076403,
        0.0013888888952352863,
        0.008333333333319589,
        0.04166666666648795,
        0.1666666666666668,
        0.5000000000000019,
        1.0,
        1.0,
    ];
    let round = simd.splat_f64s(ROUND);
    let mut out = x;
    for v in 0..VECTORS {
        let minus_log2 = simd.splat_f64s(-std::f64::consts::LOG2_E);
        let rounded = simd.mul_add_e_f64s(x[v], minus_log2, round);
        let minus_n = simd.sub_f64s(round, rounded);
        let r = simd.mul_add_e_f64s(minus_n, simd.splat_f64s(LN2_HIGH), simd.neg_f64s(x[v]));
        let r = simd.mul_add_e_f64s(minus_n, simd.splat_f64s(LN2_LOW), r);
        // Odd and even powers apart: two short chains of operations instead of one twice as long.
        let square = simd.mul_f64s(r, r);
        let mut odd = simd.splat_f64s(COEFFICIENTS[0]);
        let mut even = simd.splat_f64s(COEFFICIENTS[1]);
        for pair in COEFFICIENTS[2..].chunks_exact(2) {
            odd = simd.mul_add_e_f64s(odd, square, simd.splat_f64s(pair[0]));
            even = simd.mul_add_e_f64s(even, square, simd.splat_f64s(pair[1]));
        }
        let sum = simd.mul_add_e_f64s(odd, r, even);
        // 2^n: n ≥ −1022, so it stays a normal number.
        out[v] = simd.mul_f64s(sum, low_bits_as_exponent(simd, rounded));
    }
    out
}

/// The twelve lowest bits of each double moved to where sign and exponent stand.
#[inline(always)]
fn low_bits_as_exponent<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    #[cfg(target_arch = "x86_64")]
    {
        use pulp::x86::{V3, V4};
        let any: &dyn std::any::Any = &simd;
        if let Some(v4) = any.downcast_ref::<V4>() {
            return bytemuck::cast(v4.avx512f._mm512_slli_epi64::<52>(bytemuck::cast(x)));
        }
        if let Some(v3) = any.downcast_ref::<V3>() {
            return bytemuck::cast(v3.avx2._mm256_slli_epi64::<52>(bytemuck::cast(x)));
        }
    }
    let mut x = simd.transmute_u64s_f64s(x);
    let lanes: &mut [u64] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut x));
    for lane in lanes {
        *lane <<= 52;
    }
    simd.transmute_f64s_u64s(x)
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
                let mut vectors = [simd.splat_f64s(0.0); VECTORS];
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
