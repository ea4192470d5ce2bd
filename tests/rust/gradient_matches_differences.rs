//! Are value and gradient of the expected cost those of the formula, whatever the rows' layout?

use ndarray::{Array2, ArrayView2, ShapeBuilder, s};
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{
    Classes, ClassificationRows, Parallelism, Rows, ScaledRows, Scaling, ScalingKind,
};
use softwood::objective::ExpectedCost;
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::{ParameterLayout, Topology};

/// A classification problem with a tree to evaluate.
#[derive(Debug)]
struct Problem {
    x: Array2<f64>,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    n_classes: usize,
    costs: Vec<f64>,
    labels: Vec<u32>,
    depth: usize,
    gamma: f64,
    kind: ScalingKind,
    theta: Vec<f64>,
}

impl Problem {
    fn random(
        seed: u64,
        rows: usize,
        features: usize,
        depth: usize,
        n_classes: usize,
        gamma: f64,
    ) -> Self {
        let mut rng = Pcg64::new(u128::from(seed), 0);
        let k = n_classes as u32;
        let layout = ParameterLayout::new(&Topology::complete(depth), features);
        // Rounded to single precision, so that both precisions hold the same numbers.
        let x = Array2::from_shape_simple_fn((rows, features), || {
            f64::from(rng.random_range(-5.0..20.0f64) as f32)
        });
        Self {
            x,
            classes: (0..rows).map(|_| rng.random_range(0..k)).collect(),
            weights: rng
                .random_bool(0.5)
                .then(|| (0..rows).map(|_| rng.random_range(0.1..3.0)).collect()),
            n_classes,
            costs: (0..n_classes * n_classes)
                .map(|i| {
                    if i / n_classes == i % n_classes {
                        0.0
                    } else {
                        rng.random_range(0.0..2.0)
                    }
                })
                .collect(),
            labels: (0..1 << depth).map(|_| rng.random_range(0..k)).collect(),
            depth,
            gamma,
            kind: if rng.random_bool(0.5) {
                ScalingKind::MinMax
            } else {
                ScalingKind::Quantile
            },
            theta: (0..layout.dim())
                .map(|_| rng.random_range(-1.0..1.0))
                .collect(),
        }
    }

    fn scaling(&self) -> Scaling {
        Scaling::learn(self.kind, self.x.view().into(), self.weights.as_deref())
    }

    /// Value and gradient by the library, on this view of the rows.
    fn evaluate<T>(
        &self,
        view: ArrayView2<'_, T>,
        theta: &[f64],
        parallelism: Parallelism,
    ) -> (f64, Vec<f64>)
    where
        for<'a> ArrayView2<'a, T>: Into<Rows<'a>>,
    {
        let scaling = self.scaling();
        let scaled = ScaledRows::new(view.reborrow().into(), &scaling).shared();
        let classes = Classes::new(&self.classes, self.n_classes);
        let weights = self.weights.as_deref();
        let data = ClassificationRows::new(scaled, classes, weights, parallelism, Stop::default());
        let topology = Topology::complete(self.depth);
        let objective =
            ExpectedCost::new(data, topology, self.gamma, &self.costs, self.labels.clone());
        let mut gradient = vec![f64::NAN; objective.dim()];
        let value = objective.value_and_gradient(theta, &mut gradient).unwrap();
        (value, gradient)
    }

    /// (1/W) Σ_i w_i Σ_t P_it cost(y_i, label_t), term by term.
    fn value_by_formula(&self) -> f64 {
        let (scaling, p) = (self.scaling(), self.x.ncols());
        let branches = (1 << self.depth) - 1;
        let (mut sum, mut total) = (0.0, 0.0);
        for (i, row) in self.x.rows().into_iter().enumerate() {
            let weight = self.weights.as_ref().map_or(1.0, |w| w[i]);
            total += weight;
            let left: Vec<f64> = (0..branches)
                .map(|t| {
                    let dot: f64 = (0..p)
                        .map(|j| self.theta[t * p + j] * scaling.features[j].apply(row[j]))
                        .sum();
                    let z = dot / p as f64 - self.theta[branches * p + t];
                    1.0 / (1.0 + (-self.gamma * z).exp())
                })
                .collect();
            for (leaf, label) in self.labels.iter().enumerate() {
                let (mut node, mut probability) = (0, 1.0);
                for level in (0..self.depth).rev() {
                    let goes_left = leaf >> level & 1 == 0;
                    probability *= if goes_left {
                        left[node]
                    } else {
                        1.0 - left[node]
                    };
                    node = 2 * node + if goes_left { 1 } else { 2 };
                }
                let cost = self.costs[self.classes[i] as usize * self.n_classes + *label as usize];
                sum += weight * probability * cost;
            }
        }
        sum / total
    }
}

fn problems(max_rows: usize) -> impl Strategy<Value = Problem> {
    (
        any::<u64>(),
        2..max_rows,
        1usize..8,
        1usize..5,
        2usize..5,
        0.5..64.0f64,
    )
        .prop_map(|(seed, rows, p, depth, k, gamma)| {
            Problem::random(seed, rows, p, depth, k, gamma)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn value_is_that_of_the_formula(problem in problems(300)) {
        let (value, _) = problem.evaluate(problem.x.view(), &problem.theta, Parallelism::None);
        let expected = problem.value_by_formula();
        prop_assert!((value - expected).abs() <= 1e-12 * expected.max(1e-3), "{value} against {expected}");
    }

    #[test]
    fn gradient_is_that_of_central_differences(problem in problems(200)) {
        let rows = || problem.x.view();
        let (_, gradient) = problem.evaluate(rows(), &problem.theta, Parallelism::None);
        let h = 1e-6;
        for (i, g) in gradient.iter().enumerate() {
            let at = |step: f64| {
                let mut theta = problem.theta.clone();
                theta[i] += step;
                problem.evaluate(rows(), &theta, Parallelism::None).0
            };
            let difference = (at(h) - at(-h)) / (2.0 * h);
            prop_assert!((g - difference).abs() <= 1e-6 * difference.abs() + 1e-8, "{i}: {g} against {difference}");
        }
    }

    #[test]
    fn every_layout_and_precision_has_the_same_bits(problem in problems(400)) {
        let x = &problem.x;
        let (n, p) = x.dim();
        let expected = problem.evaluate(x.view(), &problem.theta, Parallelism::Rows);
        let same = |view: ArrayView2<'_, f64>| problem.evaluate(view, &problem.theta, Parallelism::None) == expected;
        let same_single =
            |view: ArrayView2<'_, f32>| problem.evaluate(view, &problem.theta, Parallelism::None) == expected;

        let columns_first = Array2::from_shape_fn((n, p).f(), |i| x[i]);
        prop_assert!(same(columns_first.view()));
        let mut gaps = Array2::from_elem((2 * n, 3 * p), f64::NAN);
        gaps.slice_mut(s![..;2, 1..;3]).assign(x);
        prop_assert!(same(gaps.slice(s![..;2, 1..;3])));
        let reversed = Array2::from_shape_fn((n, p), |(i, j)| x[[n - 1 - i, p - 1 - j]]);
        prop_assert!(same(reversed.slice(s![..;-1, ..;-1])));
        let row_reversed = Array2::from_shape_fn((n, p), |(i, j)| x[[n - 1 - i, j]]);
        prop_assert!(same(row_reversed.slice(s![..;-1, ..])));

        let single = x.mapv(|x| x as f32);
        prop_assert!(same_single(single.view()));
        let single_columns_first = Array2::from_shape_fn((n, p).f(), |i| single[i]);
        prop_assert!(same_single(single_columns_first.view()));
        let single_reversed = reversed.mapv(|x| x as f32);
        prop_assert!(same_single(single_reversed.slice(s![..;-1, ..;-1])));
    }
}

#[test]
fn one_row_repeated_by_a_zero_stride_is_many_rows() {
    let problem = Problem::random(3, 200, 4, 2, 3, 16.0);
    let first = problem.x.row(0);
    let repeated: ArrayView2<'_, f64> = first.broadcast((200, 4)).unwrap();
    let copied = repeated.to_owned();
    let evaluate =
        |rows: ArrayView2<'_, f64>| problem.evaluate(rows, &problem.theta, Parallelism::None);
    assert_eq!(evaluate(repeated), evaluate(copied.view()));
}
