//! Squared hinge losses of several classifiers on the same rows, each with its own costs of rows and with
//! its bias at the minimum.

/// Iterations for a bias at most; a handful is usual.
const BIAS_ITERATIONS: usize = 60;

/// Σ_v Σ_i (c_iv/2) max(0, 1 − y_i(z_iv + b_v))² of n rows and `blocks` classifiers.
pub(super) struct SquaredHinge<'a> {
    /// y, 1 or −1.
    pub signs: &'a [f64],
    /// c, n × `blocks`: 0 for rows that a classifier does not see.
    pub costs: &'a [f64],
    pub blocks: usize,
}

/// The losses at margins z, biases minimizing them.
pub(super) struct HingeValue {
    pub loss: f64,
    pub biases: Vec<f64>,
    /// α_iv = c_iv max(0, 1 − y_i(z_iv + b_v)), n × blocks; Σ_i α_iv y_i = 0 up to rounding.
    pub alphas: Vec<f64>,
}

impl SquaredHinge<'_> {
    /// At margins `z`, n × blocks, biases sought from `near` on.
    pub fn at(&self, z: &[f64], near: &[f64]) -> HingeValue {
        let biases: Vec<f64> = (0..self.blocks).map(|v| self.bias(z, v, near[v])).collect();
        let (mut loss, mut alphas) = (0.0, vec![0.0; z.len()]);
        let rows = z.chunks_exact(self.blocks).zip(self.signs);
        let costs = self.costs.chunks_exact(self.blocks);
        for (((z, y), costs), alphas) in rows.zip(costs).zip(alphas.chunks_exact_mut(self.blocks)) {
            for v in 0..self.blocks {
                let slack = (1.0 - y * (z[v] + biases[v])).max(0.0);
                loss += 0.5 * costs[v] * slack * slack;
                alphas[v] = costs[v] * slack;
            }
        }
        HingeValue {
            loss,
            biases,
            alphas,
        }
    }

    /// The bias of least loss: the derivative −Σ c y max(0, 1 − y(z + b)) grows with b, piecewise linearly,
    /// so that Newton's method ends at its zero; halving keeps it from going round in circles.
    fn bias(&self, z: &[f64], v: usize, near: f64) -> f64 {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut b = near;
        for _ in 0..BIAS_ITERATIONS {
            let (mut slope, mut curvature, mut size) = (0.0, 0.0, 0.0);
            for (i, y) in self.signs.iter().enumerate() {
                let slack = 1.0 - y * (z[i * self.blocks + v] + b);
                if slack > 0.0 {
                    let cost = self.costs[i * self.blocks + v];
                    slope -= cost * y * slack;
                    size += cost * slack;
                    curvature += cost;
                }
            }
            if slope.abs() <= 1e-14 * size || curvature <= 0.0 {
                break;
            }
            match slope > 0.0 {
                true => high = b,
                false => low = b,
            }
            let step = b - slope / curvature;
            let inside = step > low && step < high;
            let next = if inside { step } else { 0.5 * (low + high) };
            if next == b || !next.is_finite() {
                break;
            }
            b = next;
        }
        b
    }
}

/// −α_iv y_i: the derivatives by the margins.
pub(super) fn slopes(alphas: &[f64], signs: &[f64], blocks: usize) -> Vec<f64> {
    let rows = alphas.chunks_exact(blocks).zip(signs);
    rows.flat_map(|(alphas, y)| alphas.iter().map(move |alpha| -alpha * y))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNS: [f64; 5] = [1.0, -1.0, 1.0, -1.0, 1.0];
    const COSTS: [f64; 10] = [1.0, 2.0, 0.5, 0.0, 3.0, 1.0, 1.0, 1.0, 0.0, 4.0];
    const MARGINS: [f64; 10] = [0.3, 1.4, -0.2, 0.8, -2.0, 0.1, 0.6, -0.7, 0.0, 0.9];

    #[test]
    fn slopes_are_the_derivatives_at_the_best_biases() {
        let hinge = SquaredHinge {
            signs: &SIGNS,
            costs: &COSTS,
            blocks: 2,
        };
        let at = hinge.at(&MARGINS, &[0.0; 2]);
        let slopes = slopes(&at.alphas, &SIGNS, 2);
        for v in 0..2 {
            let sum: f64 = slopes.iter().skip(v).step_by(2).sum();
            assert!(sum.abs() < 1e-12, "the bias is at its minimum: {sum}");
        }
        let h = 1e-6;
        for (k, slope) in slopes.iter().enumerate() {
            let loss = |step: f64| {
                let mut z = MARGINS;
                z[k] += step;
                hinge.at(&z, &at.biases).loss
            };
            let difference = (loss(h) - loss(-h)) / (2.0 * h);
            assert!(
                (difference - slope).abs() < 1e-7,
                "{k}: {difference} {slope}"
            );
        }
    }
}
