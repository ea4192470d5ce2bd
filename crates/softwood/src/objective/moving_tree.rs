//! A tree on means over intervals that move: its parameters (a, μ, s), and what they are to the kernel.
//!
//! With J series, curves and their derivatives, and H intervals, p_it = F((1/J) Σ_j Σ_h a_jht m_ijh − μ_t) (5.2),
//! m_ijh being the mean of series j over interval h. The kernel has q = JH features and divides by q; its
//! steepness is therefore γ q/J, and its intercepts are μ J/q.

use crate::functional::IntervalFeature;
use crate::solver::{Bounds, Interval, Ordered};
use crate::tree::{ParameterLayout, Topology};
use std::sync::Arc;

/// Where ends lie.
pub(crate) const ORDERED_ENDS: Ordered = Ordered {
    lower: 0.0,
    upper: 1.0,
};

/// The shape of the tree, its features and its steepness.
#[derive(Clone, Debug)]
pub(crate) struct MovingTree {
    pub topology: Topology,
    pub features: Arc<[IntervalFeature]>,
    /// J.
    pub series: usize,
    /// H.
    pub intervals: usize,
    /// γ.
    pub gamma: f64,
    /// λ_len.
    pub length_penalty: f64,
}

impl MovingTree {
    /// Length of (a, μ).
    pub fn splits(&self) -> usize {
        self.layout().dim()
    }

    /// 2H.
    pub fn ends(&self) -> usize {
        2 * self.intervals
    }

    pub fn layout(&self) -> ParameterLayout {
        ParameterLayout::new(&self.topology, self.features.len())
    }

    /// q/J.
    pub fn features_a_series(&self) -> f64 {
        self.features.len() as f64 / self.series as f64
    }

    /// The steepness that the kernel is told.
    pub fn kernel_gamma(&self) -> f64 {
        self.gamma * self.features_a_series()
    }

    /// (a, μ) as the kernel takes it.
    pub fn kernel_splits(&self, splits: &[f64]) -> Vec<f64> {
        let mut theta = splits.to_vec();
        let share = 1.0 / self.features_a_series();
        let (_, intercepts) = self.layout().split_mut(&mut theta);
        intercepts.iter_mut().for_each(|mu| *mu *= share);
        theta
    }

    /// And back.
    pub fn own_splits(&self, theta: &[f64]) -> Vec<f64> {
        let mut splits = theta.to_vec();
        let times = self.features_a_series();
        let (_, intercepts) = self.layout().split_mut(&mut splits);
        intercepts.iter_mut().for_each(|mu| *mu *= times);
        splits
    }

    /// Takes the gradient by the kernel's (a, μ), in place, to that by its own.
    pub fn own_gradient(&self, gradient: &mut [f64]) {
        let share = 1.0 / self.features_a_series();
        let (_, intercepts) = self.layout().split_mut(gradient);
        intercepts.iter_mut().for_each(|g| *g *= share);
    }

    /// |a| ≤ 1, and μ so far that the splits still lie within [−1, 1] once features are mapped to [0, 1].
    pub fn split_bounds(&self) -> Bounds {
        let farthest = (0.5 * self.features_a_series()).min(1.0);
        let slopes = self.topology.branches() * self.features.len();
        let own = |i: usize| match i < slopes {
            true => Interval::new(-1.0, 1.0),
            false => Interval::new(-farthest, farthest),
        };
        (0..self.splits()).map(own).collect()
    }

    /// λ_len Σ_h (s_2h − s_2h−1) (5.7); its gradient is added to `gradient`.
    pub fn add_lengths(&self, ends: &[f64], gradient: &mut [f64]) -> f64 {
        for (g, sign) in gradient.iter_mut().zip([-1.0, 1.0].iter().cycle()) {
            *g += sign * self.length_penalty;
        }
        self.lengths(ends)
    }

    /// The same without a gradient.
    pub fn lengths(&self, ends: &[f64]) -> f64 {
        let covered: f64 = ends.chunks_exact(2).map(|s| s[1] - s[0]).sum();
        self.length_penalty * covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Classes, ClassificationRows, Parallelism, RegressionRows};
    use crate::functional::{
        CurveLayout, MovingData, MovingRows, PackedCurves, Predictor, features_of,
    };
    use crate::objective::{
        LeafRidge, MovingCost, MovingMixture, ProjectedMovingMixture, VARIANCE,
    };
    use crate::solver::Objective;
    use crate::stop::Stop;
    use ndarray::Array2;
    use proptest::prelude::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    const ROWS: usize = 37;

    /// Wavy curves on two grids and a scalar, with their layout.
    fn curves(rng: &mut Pcg64) -> (CurveLayout, Array2<f64>) {
        let grid = |n: usize| {
            (0..n)
                .map(|k| (k as f64 / (n - 1) as f64).powf(1.3))
                .collect()
        };
        let curve = |name: &str, n: usize| Predictor {
            name: name.into(),
            grid: Some(grid(n)),
        };
        let scalar = Predictor {
            name: "age".into(),
            grid: None,
        };
        let layout = CurveLayout {
            predictors: vec![curve("a", 14), scalar, curve("b", 9)],
        };
        let mut x = Array2::zeros((ROWS, layout.columns()));
        for mut row in x.rows_mut() {
            let (phase, speed) = (rng.random_range(0.0..6.0), rng.random_range(2.0..9.0));
            for (k, x) in row.iter_mut().enumerate() {
                *x = (phase + speed * k as f64 / 14.0f64).sin();
            }
        }
        (layout, x)
    }

    fn tree(layout: &CurveLayout, depth: usize, gamma: f64) -> MovingTree {
        let features = |h| features_of(layout.predictors.iter(), &[0, 1], h);
        MovingTree {
            topology: Topology::complete(depth),
            features: features(2).into(),
            series: features(1).len(),
            intervals: 2,
            gamma,
            length_penalty: 0.3,
        }
    }

    /// Gradients against differences, coordinate by coordinate.
    fn compare(objective: &impl Objective, x: &[f64]) -> Result<(), TestCaseError> {
        let mut gradient = vec![0.0; x.len()];
        objective.value_and_gradient(x, &mut gradient).unwrap();
        let at = |i: usize, step: f64| {
            let mut moved = x.to_vec();
            moved[i] += step;
            objective
                .value_and_gradient(&moved, &mut vec![0.0; x.len()])
                .unwrap()
        };
        for (i, slope) in gradient.iter().enumerate() {
            let h = 1e-6;
            let difference = (at(i, h) - at(i, -h)) / (2.0 * h);
            prop_assert!(
                (slope - difference).abs() <= 2e-5 * (1.0 + difference.abs()),
                "{i} of {}: {} for {difference}",
                x.len(),
                slope
            );
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn gradients_by_splits_leaves_and_ends_match_differences(
            seed in any::<u64>(),
            depth in 1usize..3,
            gamma in 1.0..12.0f64,
            weighted in any::<bool>(),
            smoothing in prop_oneof![Just(0.0), Just(1e-4)],
        ) {
            let mut rng = Pcg64::new(u128::from(seed), 0);
            let (layout, x) = curves(&mut rng);
            let weights: Vec<f64> = (0..ROWS).map(|_| rng.random_range(0.1..3.0)).collect();
            let weights = weighted.then_some(weights.as_slice());
            let packed = Arc::new(PackedCurves::new(&x.view().into(), &layout, weights, Some(smoothing), &Stop::default()).unwrap());
            let tree = tree(&layout, depth, gamma);
            let random = |rng: &mut Pcg64, n: usize, most: f64| -> Vec<f64> {
                (0..n).map(|_| rng.random_range(-most..most)).collect()
            };
            let y = random(&mut rng, ROWS, 1.0);
            let source = || MovingRows::at_start(&packed, &tree.features);
            let rows = RegressionRows::new(source(), &y, weights, Parallelism::None, Stop::default());
            let data = MovingData::of(&packed, rows);
            let q = tree.features.len();
            let ridge = LeafRidge::plain(1e-2, &vec![VARIANCE; q], tree.topology.leaves());
            let centers = vec![0.0; q];
            let mixture = MovingMixture { data: &data, tree: &tree, ridge: &ridge, centers: &centers };
            // Within pieces: second derivatives of curves jump in their slope at the knots.
            let ends = [0.11, 0.27, 0.52, 0.93];
            let splits = random(&mut rng, tree.splits(), 0.5);
            let leaves = random(&mut rng, tree.topology.leaves() * (q + 1), 1.0);
            compare(&mixture, &[&splits[..], &leaves, &ends].concat())?;
            compare(&ProjectedMovingMixture(mixture), &[&splits[..], &ends].concat())?;

            let codes: Vec<u32> = (0..ROWS).map(|_| rng.random_range(0..3)).collect();
            let rows = ClassificationRows::new(
                Arc::new(source()), Classes::new(&codes, 3), weights, Parallelism::None, Stop::default(),
            );
            let data = MovingData::of(&packed, rows);
            let labels: Vec<u32> = (0..tree.topology.leaves()).map(|t| t as u32 % 3).collect();
            let costs = [0.0, 0.5, 0.7, 0.5, 0.0, 0.9, 1.0, 0.5, 0.0];
            let cost = MovingCost { data: &data, tree: &tree, costs: &costs, labels: &labels };
            compare(&cost, &[&splits[..], &ends].concat())?;
        }
    }
}
