//! Natural logarithm without branches or tables, which a compiler turns into vector instructions.

/// ln x for normal x > 0, off by at most 2 units in the last place or 3·10⁻¹⁷.
///
/// x = 2^n m with m in [√½, √2); with s = (m − 1)/(m + 1), ln m = 2 artanh s = 2s + 2s³/3 + 2s⁵/5 + …
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1; // ends in zero bits: n · LN2_HIGH is exact
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Bits of √½ with the exponent taken out of those of 1: subtracting them makes [√½, √2) the
    // stretch that shares an exponent field.
    const OFFSET: u64 = 0x3FE6_A09E_667F_3BCD;
    // An integer below 2^52 in the low bits of this is that much above 2^52.
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    const BIAS: u64 = 1 << 11;
    let shifted = x.to_bits().wrapping_sub(OFFSET);
    // n may be negative: a multiple of 2^11 keeps it positive in twelve bits.
    let exponent = (shifted >> 52).wrapping_add(BIAS) & (2 * BIAS - 1);
    let n = f64::from_bits(exponent | TWO_52.to_bits()) - (TWO_52 + BIAS as f64);
    let m = f64::from_bits((shifted & ((1 << 52) - 1)).wrapping_add(OFFSET));
    let f = m - 1.0;
    let s = f / (m + 1.0);
    let q = s * s;
    let mut series = 2.0 / 21.0;
    for k in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = series * q + 2.0 / k;
    }
    // 2s = f − sf to the last bit.
    n * LN2_HIGH + (f - (s * (f - q * series) - n * LN2_LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_close(x: f64) -> bool {
        let (ours, theirs) = (ln(x), x.ln());
        (ours - theirs).abs() <= (2.0 * f64::EPSILON * theirs.abs()).max(3e-17)
    }

    proptest! {
        #[test]
        fn logarithms_are_those_of_the_standard_library(
            exponent in -1022..1023i32, mantissa in 1.0..2.0f64, near_one in 0.6..1.6f64
        ) {
            let x = mantissa * f64::powi(2.0, exponent);
            prop_assert!(is_close(x), "ln {x} = {}", ln(x));
            prop_assert!(is_close(near_one), "ln {near_one} = {}", ln(near_one));
        }
    }

    #[test]
    fn one_and_its_neighbours_are_exact() {
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(1.0 - f64::EPSILON / 2.0), -f64::EPSILON / 2.0);
        assert!(is_close(f64::MIN_POSITIVE) && is_close(f64::MAX));
    }
}
