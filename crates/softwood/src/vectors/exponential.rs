//! Vectorized e^−x, the costliest part of the logistic function.

use super::VECTOR_TILE;
use pulp::Simd;
#[cfg(target_arch = "x86_64")]
use {
    pulp::x86::{V3, V4},
    std::any::Any,
    std::arch::x86_64::__m512d,
};

/// ln 2 in two parts, of which the first ends in 21 zero bits: its product with an integer of as
/// many bits is exact.
#[allow(clippy::excessive_precision)]
const LN2_HIGH: f64 = 6.931_471_803_691_238_2e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// e^−x for 0 ≤ x ≤ 690, branch-free and to full relative accuracy.
#[inline(always)]
pub(super) fn exp_of_minus<S: Simd>(simd: S, x: [S::f64s; VECTOR_TILE]) -> [S::f64s; VECTOR_TILE] {
    #[cfg(target_arch = "x86_64")]
    {
        let any: &dyn Any = &simd;
        if let Some(v4) = any.downcast_ref::<V4>() {
            return bytemuck::cast(by_table(*v4, bytemuck::cast(x)));
        }
    }
    by_polynomial(simd, x)
}

/// As in [`by_polynomial`]; the lowest four bits of the integer are k.
#[cfg(target_arch = "x86_64")]
const TABLE_ROUND: f64 = 6_755_399_441_055_744.0 + 16.0 * 1023.0;

/// Chebyshev fit of (e^r − 1 − r)/r², highest power first; e^r is off by less than 2^-54.
#[cfg(target_arch = "x86_64")]
const TABLE_COEFFICIENTS: [f64; 5] = [
    0.0013889034348599464,
    0.008333449701253456,
    0.04166666666496045,
    0.1666666666530169,
    0.5,
];

/// 2^(k/16), in bits: without the exponent's bias, which is in `TABLE_ROUND`, and less k where the shift
/// leaves it.
#[cfg(target_arch = "x86_64")]
const ROOTS: [u64; 16] = {
    const POWERS: [f64; 16] = [
        1.0,
        1.0442737824274138,
        1.0905077326652577,
        1.1387886347566916,
        1.189207115002721,
        1.241857812073484,
        1.2968395546510096,
        1.3542555469368927,
        std::f64::consts::SQRT_2,
        1.4768261459394993,
        1.5422108254079407,
        1.6104903319492543,
        1.681792830507429,
        1.7562521603732995,
        1.8340080864093424,
        1.9152065613971474,
    ];
    let mut bits = [0; 16];
    let mut k = 0;
    while k < 16 {
        bits[k] = POWERS[k]
            .to_bits()
            .wrapping_sub((1023 << 52) + ((k as u64) << 48));
        k += 1;
    }
    bits
};

/// −x = (16 n + k) ln 2 / 16 + r, e^r by a short polynomial on |r| ≤ ln 2 / 32 and 2^(k/16) from a
/// table that AVX-512 keeps in two registers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn by_table(simd: V4, x: [__m512d; VECTOR_TILE]) -> [__m512d; VECTOR_TILE] {
    let f = simd.avx512f;
    let (low, high) = ROOTS.split_at(8);
    let table: [__m512d; 2] = [
        bytemuck::cast(<[u64; 8]>::try_from(low).expect("half of 16")),
        bytemuck::cast(<[u64; 8]>::try_from(high).expect("half of 16")),
    ];
    // Not by closures: they would not inherit the instruction set.
    let round = f._mm512_set1_pd(TABLE_ROUND);
    let minus_log2 = f._mm512_set1_pd(-16.0 * std::f64::consts::LOG2_E);
    let (ln2_high, ln2_low) = (
        f._mm512_set1_pd(LN2_HIGH / 16.0),
        f._mm512_set1_pd(LN2_LOW / 16.0),
    );
    let mut c = [round; 5];
    for k in 0..c.len() {
        c[k] = f._mm512_set1_pd(TABLE_COEFFICIENTS[k]);
    }
    let mut out = x;
    for v in 0..VECTOR_TILE {
        let rounded = f._mm512_fmadd_pd(x[v], minus_log2, round);
        let minus_n = f._mm512_sub_pd(round, rounded);
        let r = f._mm512_fmsub_pd(minus_n, ln2_high, x[v]);
        let r = f._mm512_fmadd_pd(minus_n, ln2_low, r);
        let square = f._mm512_mul_pd(r, r);
        let even = f._mm512_fmadd_pd(f._mm512_fmadd_pd(c[0], square, c[2]), square, c[4]);
        let odd = f._mm512_fmadd_pd(c[1], square, c[3]);
        let rest = f._mm512_fmadd_pd(odd, r, even);
        let sum = f._mm512_fmadd_pd(rest, square, r); // e^r − 1
        let bits = bytemuck::cast(rounded);
        let root = f._mm512_permutex2var_pd(table[0], bits, table[1]);
        let shifted = f._mm512_slli_epi64::<48>(bits);
        let power: __m512d = bytemuck::cast(f._mm512_add_epi64(bytemuck::cast(root), shifted));
        out[v] = f._mm512_fmadd_pd(sum, power, power);
    }
    out
}

/// −x = n ln 2 + r, e^r by a polynomial on |r| ≤ ln 2 / 2.
#[inline(always)]
fn by_polynomial<S: Simd>(simd: S, x: [S::f64s; VECTOR_TILE]) -> [S::f64s; VECTOR_TILE] {
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
    for v in 0..VECTOR_TILE {
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
        let any: &dyn Any = &simd;
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
