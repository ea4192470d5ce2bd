//! The ridge on the leaf models of a mixture: leaves are held to their common mean, and the mean to 0.
//!
//! For the coefficients b_1 … b_L of one feature, b̄ their mean over the leaves, it is
//! ½ (λ Σ_t (b_t − b̄)² + κ b̄²). With κ = Lλ that is the plain ridge ½ λ Σ_t b_t². It follows from
//! b_t = c + d_t with c ~ N(0, σ²/κ′) and d_t ~ N(0, σ²/λ) by eliminating c: κ = Lλκ′/(κ′ + Lλ).

/// λ and κ of each feature, on scaled features, then of the intercepts.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafRidge {
    /// λ.
    pub apart: Vec<f64>,
    /// κ.
    pub mean: Vec<f64>,
    /// L.
    pub leaves: usize,
}

/// What λ_j W/2 of features of variance 1, and λ W/2 of the intercepts, are at least.
#[derive(Clone, Copy)]
pub(crate) struct LeastLeafRidge {
    pub slopes: f64,
    pub intercepts: f64,
}

impl LeafRidge {
    /// The plain ridge λ of standardized features with these variances.
    pub fn plain(ridge: f64, variances: &[f64], leaves: usize) -> Self {
        let of_units = |ridge: f64| {
            let slopes = variances.iter().map(move |v| ridge * v);
            slopes.chain([ridge]).collect()
        };
        Self {
            apart: of_units(ridge),
            mean: of_units(ridge * leaves as f64),
            leaves,
        }
    }

    /// That of coefficients c + d_t, with a penalty on all c² and one on all d_t² of each feature.
    pub fn of_parts(common: &[f64], apart: Vec<f64>, leaves: usize) -> Self {
        let mean = |(own, apart): (&f64, &f64)| {
            let all = leaves as f64 * apart;
            if all == 0.0 {
                0.0
            } else {
                all * (own / (own + all))
            }
        };
        Self {
            mean: common.iter().zip(&apart).map(mean).collect(),
            apart,
            leaves,
        }
    }

    /// The same `factor` times as strong.
    pub fn scaled(mut self, factor: f64) -> Self {
        let all = self.apart.iter_mut().chain(&mut self.mean);
        all.for_each(|ridge| *ridge *= factor);
        self
    }

    /// Places of a feature's coefficients, the intercepts being the last feature, among the leaf models: slopes
    /// L × p, then intercepts.
    fn places(&self, feature: usize) -> impl Iterator<Item = usize> + Clone {
        let p = self.apart.len() - 1;
        let (first, step) = match feature == p {
            true => (self.leaves * p, 1),
            false => (feature, p),
        };
        (0..self.leaves).map(move |t| first + t * step)
    }

    /// Its value at these leaf models.
    pub fn value(&self, models: &[f64]) -> f64 {
        let of_feature = |j: usize| {
            let mean = self.mean_of(j, models);
            let spread: f64 = self.places(j).map(|i| (models[i] - mean).powi(2)).sum();
            0.5 * (self.apart[j] * spread + self.mean[j] * mean * mean)
        };
        (0..self.apart.len()).map(of_feature).sum()
    }

    /// gradient += that at these leaf models.
    pub fn add_gradient(&self, models: &[f64], gradient: &mut [f64]) {
        for j in 0..self.apart.len() {
            let mean = self.mean_of(j, models);
            let common = self.mean[j] * mean / self.leaves as f64;
            for i in self.places(j) {
                gradient[i] += self.apart[j] * (models[i] - mean) + common;
            }
        }
    }

    /// Adds its second derivatives, `factor` times, to the upper triangle of a matrix with rows of this length.
    pub fn add_to_matrix(&self, factor: f64, matrix: &mut [f64], stride: usize) {
        let leaves = self.leaves as f64;
        for j in 0..self.apart.len() {
            let beside = factor * (self.mean[j] / leaves - self.apart[j]) / leaves;
            for i in self.places(j) {
                matrix[i * stride + i] += factor * self.apart[j];
                for k in self.places(j).filter(|k| *k >= i) {
                    matrix[i * stride + k] += beside;
                }
            }
        }
    }

    fn mean_of(&self, feature: usize, models: &[f64]) -> f64 {
        let all: f64 = self.places(feature).map(|i| models[i]).sum();
        all / self.leaves as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODELS: [f64; 9] = [0.5, -1.0, 2.0, 0.25, -0.75, 1.5, 0.3, -0.2, 0.9];

    fn some() -> LeafRidge {
        // Three leaves, two features and the intercepts.
        LeafRidge::of_parts(&[0.4, 0.0, 2.0], vec![1.5, 0.7, 0.1], 3)
    }

    #[test]
    fn the_plain_ridge_is_one_of_squares() {
        let ridge = LeafRidge::plain(0.3, &[2.0, 0.5], 3);
        let slopes = MODELS[..6].chunks_exact(2);
        let squares: f64 = slopes.map(|b| 2.0 * b[0] * b[0] + 0.5 * b[1] * b[1]).sum();
        let intercepts: f64 = MODELS[6..].iter().map(|b| b * b).sum();
        assert!((ridge.value(&MODELS) - 0.15 * (squares + intercepts)).abs() < 1e-14);
    }

    #[test]
    fn it_is_the_least_that_a_common_part_and_what_is_added_cost() {
        let (common, apart) = (0.4, 1.5);
        let b = [0.5, 2.0, -0.75];
        let cost = |c: f64| {
            0.5 * (common * c * c + b.iter().map(|b| apart * (b - c).powi(2)).sum::<f64>())
        };
        let least = apart * b.iter().sum::<f64>() / (common + 3.0 * apart);
        let ridge = LeafRidge::of_parts(&[common, 0.0], vec![apart, 0.0], 3);
        let models = [b[0], b[1], b[2], 0.0, 0.0, 0.0];
        assert!((ridge.value(&models) - cost(least)).abs() < 1e-14);
    }

    #[test]
    fn gradient_and_matrix_are_its_derivatives() {
        let ridge = some();
        let mut gradient = vec![0.0; 9];
        ridge.add_gradient(&MODELS, &mut gradient);
        let mut matrix = vec![0.0; 81];
        ridge.add_to_matrix(1.0, &mut matrix, 9);
        for i in 0..9 {
            let (mut above, mut below) = (MODELS, MODELS);
            above[i] += 1e-5;
            below[i] -= 1e-5;
            let difference = (ridge.value(&above) - ridge.value(&below)) / 2e-5;
            assert!((gradient[i] - difference).abs() < 1e-9);
            let row = (0..9).map(|k| matrix[i.min(k) * 9 + i.max(k)] * MODELS[k]);
            assert!((gradient[i] - row.sum::<f64>()).abs() < 1e-14);
        }
    }
}
