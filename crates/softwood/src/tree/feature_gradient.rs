//! The gradient of a sum over rows by the features of its rows, where these move.

use super::splits::Splits;
use pulp::Arch;

/// out_j += Σ_n slope_nj d_n, d_n being the derivative by the value of function n at each row; `d` is
/// functions × stride and `out` p × stride.
pub(crate) fn add_feature_gradient(functions: &Splits, d: &[f64], out: &mut [f64]) {
    let count = functions.offsets.len();
    let stride = d.len() / count;
    let slopes = functions.slopes.chunks_exact(count);
    Arch::new().dispatch(|| {
        for (out, slopes) in out.chunks_exact_mut(stride).zip(slopes) {
            for (slope, d) in slopes.iter().zip(d.chunks_exact(stride)) {
                for (out, d) in out.iter_mut().zip(d) {
                    *out += slope * d;
                }
            }
        }
    });
}
