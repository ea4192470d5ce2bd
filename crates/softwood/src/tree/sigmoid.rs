//! Vectorized logistic function with accurate tails.

use pulp::Simd;

/// a·b + c, fused where the vectors of `S` can (elsewhere a library call would be far slower).
#[inline(always)]
pub(crate) fn mul_add<S: Simd>(a: f64, b: f64, c: f64) -> f64 {
    if S::F64_LANES > 1 {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// |z| at which σ saturates in a tree of the given depth: e^−z times itself on every level is then
/// still a normal number, and arithmetic on subnormal ones is a hundred times slower.
pub(crate) fn saturation(depth: usize) -> f64 {
    690.0 / (depth + 1) as f64
}

/// Replaces each z in `left` by σ(z) and writes 1 − σ(z) to `right`, both to full *relative*
/// accuracy up to |z| = `saturation` ≤ 690; the length must be a multiple of four.
///
/// With e = exp(−|z|) the larger of the two is 1/(1+e) and the smaller e/(1+e); neither is formed
/// by subtraction, so σ(1−σ) keeps its digits where σ is within rounding of 0 or 1. Four values
/// share one division, which costs as much as the rest: 1/a = bcd/(abcd).
#[inline(always)]
pub(crate) fn sigmoid_pairs<S: Simd>(left: &mut [f64], right: &mut [f64], saturation: f64) {
    let quarter = left.len() / 4;
    let (l0, l1) = left.split_at_mut(quarter);
    let (l1, l2) = l1.split_at_mut(quarter);
    let (l2, l3) = l2.split_at_mut(quarter);
    let (r0, r1) = right.split_at_mut(quarter);
    let (r1, r2) = r1.split_at_mut(quarter);
    let (r2, r3) = r2.split_at_mut(quarter);
    let (l3, r0, r1) = (&mut l3[..quarter], &mut r0[..quarter], &mut r1[..quarter]);
    let (r2, r3) = (&mut r2[..quarter], &mut r3[..quarter]);
    for i in 0..quarter {
        let z = [l0[i], l1[i], l2[i], l3[i]];
        let e = z.map(|z| exp_of_negative::<S>(-z.abs().min(saturation)));
        let a = e.map(|e| 1.0 + e);
        let (a01, a23) = (a[0] * a[1], a[2] * a[3]);
        let inverse = 1.0 / (a01 * a23);
        let (inverse01, inverse23) = (inverse * a23, inverse * a01);
        let large = [
            inverse01 * a[1],
            inverse01 * a[0],
            inverse23 * a[3],
            inverse23 * a[2],
        ];
        (l0[i], r0[i]) = by_sign(z[0], large[0], e[0] * large[0]);
        (l1[i], r1[i]) = by_sign(z[1], large[1], e[1] * large[1]);
        (l2[i], r2[i]) = by_sign(z[2], large[2], e[2] * large[2]);
        (l3[i], r3[i]) = by_sign(z[3], large[3], e[3] * large[3]);
    }
}

#[inline(always)]
fn by_sign(z: f64, large: f64, small: f64) -> (f64, f64) {
    if z >= 0.0 {
        (large, small)
    } else {
        (small, large)
    }
}

/// e^x for −690 ≤ x ≤ 0, branch-free: x = n ln 2 + r, e^r by a polynomial on |r| ≤ ln 2 / 2.
#[inline(always)]
fn exp_of_negative<S: Simd>(x: f64) -> f64 {
    #[allow(clippy::excessive_precision)] // ends in zero bits, so that n · LN2_HIGH is exact
    const LN2_HIGH: f64 = 6.931_471_803_691_238_2e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5·2^52 rounds to an integer and leaves it in the low bits of the mantissa.
    const ROUND: f64 = 6_755_399_441_055_744.0;
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
    let rounded = mul_add::<S>(x, std::f64::consts::LOG2_E, ROUND);
    let n = rounded - ROUND;
    let r = mul_add::<S>(-n, LN2_HIGH, x);
    let r = mul_add::<S>(-n, LN2_LOW, r);
    let mut sum = COEFFICIENTS[0];
    for c in &COEFFICIENTS[1..] {
        sum = mul_add::<S>(sum, r, *c);
    }
    // 2^n by writing n into the exponent field; n ≥ −1022, so it stays a normal number.
    let power = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    sum * power
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
            fn with_simd<S: Simd>(self, _: S) -> Self::Output {
                let (mut left, mut right) = (self.0, [0.0; 4]);
                sigmoid_pairs::<S>(&mut left, &mut right, 690.0);
                (left, right)
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
