//! Hard trees with a proven bound, from outside the crate: optima by brute force, bounds, bits, weights, starts.

use ndarray::{Array2, Axis};
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::Labels;
use softwood::status::SolveStatus;
use softwood::{Control, RunSettings, Svm1OdtModel, Svm1OdtSettings, Svm1OdtStart, fit_svm1_odt};
use std::collections::BTreeSet;
use std::time::Duration;

/// Points are on a grid of so many by so many: lines part them by far more than the margin, or not at all.
const GRID: i64 = 6;
const MARGIN: f64 = 1e-4;

/// Rows on a grid, their classes and weights; several rows may share a point.
struct Drawn {
    at: Vec<(i64, i64)>,
    classes: Vec<i64>,
    weights: Vec<f64>,
}

impl Drawn {
    fn new(n: usize, classes: i64, seed: u64) -> Self {
        let mut rng = Pcg64::new(u128::from(seed), 3);
        let mut at: Vec<(i64, i64)> = (0..n)
            .map(|_| (rng.random_range(0..GRID), rng.random_range(0..GRID)))
            .collect();
        // The corners keep the scale of the grid.
        (at[0], at[1]) = ((0, 0), (GRID - 1, GRID - 1));
        let mut drawn: Vec<i64> = (0..n).map(|_| rng.random_range(0..classes)).collect();
        (0..classes).for_each(|class| drawn[class as usize] = class);
        let weights = (0..n).map(|_| f64::from(rng.random_range(1..4u8)));
        Self {
            at,
            classes: drawn,
            weights: weights.collect(),
        }
    }

    fn x(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.at.len(), 2), |(i, j)| {
            (if j == 0 { self.at[i].0 } else { self.at[i].1 }) as f64
        })
    }

    /// The sets of rows that some line has on one of its sides, for all lines, as masks.
    fn half_planes(&self) -> BTreeSet<u64> {
        let n = self.at.len();
        let all = (1u64 << n) - 1;
        let mask = |of: &dyn Fn(usize) -> bool| {
            (0..n).fold(0u64, |mask, i| mask | (u64::from(of(i)) << i))
        };
        let mut found = BTreeSet::from([0, all]);
        for a in 0..n {
            for b in 0..n {
                let direction = (self.at[b].0 - self.at[a].0, self.at[b].1 - self.at[a].1);
                if direction == (0, 0) {
                    continue;
                }
                let from = |i: usize| (self.at[i].0 - self.at[a].0, self.at[i].1 - self.at[a].1);
                let side = |i: usize| direction.0 * from(i).1 - direction.1 * from(i).0;
                let along = |i: usize| direction.0 * from(i).0 + direction.1 * from(i).1;
                let above = mask(&|i| side(i) > 0);
                // A line next to this one, turned a little about a point of it, has above it those on it
                // that come before or after that point.
                for c in (0..n).filter(|c| side(*c) == 0) {
                    let before = mask(&|i| side(i) == 0 && along(i) < along(c));
                    let up_to = mask(&|i| side(i) == 0 && along(i) <= along(c));
                    let on = mask(&|i| side(i) == 0);
                    for part in [before, up_to, on & !before, on & !up_to] {
                        found.extend([above | part, all & !(above | part)]);
                    }
                }
            }
        }
        found
    }

    /// Weight of the rows in a mask that are not of the heaviest class there.
    fn as_leaf(&self, mask: u64) -> f64 {
        let mut of_class = [0.0; 8];
        for i in (0..self.at.len()).filter(|i| mask >> i & 1 == 1) {
            of_class[self.classes[i] as usize] += self.weights[i];
        }
        of_class.iter().sum::<f64>() - of_class.iter().copied().fold(0.0, f64::max)
    }

    /// The least weight that trees of a depth get wrong among the rows in a mask.
    fn least(&self, sides: &BTreeSet<u64>, mask: u64, depth: usize) -> f64 {
        if depth == 0 {
            return self.as_leaf(mask);
        }
        let of_side = |side: &u64| {
            self.least(sides, mask & side, depth - 1) + self.least(sides, mask & !side, depth - 1)
        };
        sides.iter().map(of_side).fold(f64::INFINITY, f64::min)
    }

    fn fit(&self, settings: &Svm1OdtSettings) -> Svm1OdtModel {
        let labels = Labels::from(self.classes.as_slice());
        let weights = Some(&self.weights[..]);
        fit_svm1_odt(
            self.x().view(),
            &labels,
            weights,
            settings,
            &Control::default(),
        )
        .unwrap()
    }

    /// Weight of the rows that a model predicts wrong.
    fn wrong(&self, model: &Svm1OdtModel) -> f64 {
        let told = model.predict(self.x().view()).unwrap();
        let labels = Labels::from(self.classes.as_slice());
        let rows = told.iter().zip(&labels.codes).zip(&self.weights);
        rows.filter(|((told, code), _)| told != code)
            .map(|(_, weight)| weight)
            .sum()
    }
}

fn settings(depth: usize) -> Svm1OdtSettings {
    Svm1OdtSettings {
        depth,
        epsilon: Some(MARGIN),
        start: Svm1OdtStart::Cart,
        restarts: 2,
        run: RunSettings {
            time_limit: None,
            n_threads: Some(1),
            ..RunSettings::default()
        },
        ..Svm1OdtSettings::default()
    }
}

#[test]
fn the_proven_optimum_is_the_least_of_all_trees() {
    let mut above_zero = 0;
    for seed in 0..40 {
        let depth = 1 + usize::from(seed % 4 == 0);
        let n = if depth == 1 { 16 } else { 11 };
        let drawn = Drawn::new(n, 2 + seed as i64 % 2, seed);
        let expected = drawn.least(&drawn.half_planes(), (1 << n) - 1, depth);
        let model = drawn.fit(&settings(depth));
        let proof = model.report.proof.as_ref().unwrap();
        assert_eq!(model.report.status, SolveStatus::Optimal, "seed {seed}");
        assert_eq!(
            (model.report.objective, proof.bound, drawn.wrong(&model)),
            (expected, expected, expected),
            "seed {seed}"
        );
        above_zero += usize::from(expected > 0.0);
    }
    assert!(above_zero > 20, "{above_zero}");
}

#[test]
fn the_optimum_is_never_below_the_bound_nor_above_the_tree() {
    let mut open = 0;
    for seed in 100..110 {
        let drawn = Drawn::new(16, 2, seed);
        let optimum = drawn.least(&drawn.half_planes(), (1 << 16) - 1, 1);
        for nodes in [0, 20, 100, 500] {
            let limited = Svm1OdtSettings {
                max_nodes: Some(nodes),
                restarts: 1,
                start: Svm1OdtStart::Random,
                ..settings(1)
            };
            let model = drawn.fit(&limited);
            let proof = model.report.proof.as_ref().unwrap();
            assert!(proof.bound <= optimum && optimum <= model.report.objective);
            assert!(drawn.wrong(&model) <= model.report.objective);
            for moment in &proof.course {
                assert!(moment.bound <= optimum && optimum <= moment.objective);
            }
            open += usize::from(proof.bound < model.report.objective);
        }
    }
    assert!(open > 5, "{open}");
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let drawn = Drawn::new(60, 3, 7);
    let on = |threads: usize| {
        let mut settings = Svm1OdtSettings {
            max_nodes: Some(3000),
            start: Svm1OdtStart::Auto,
            n_starts: 3,
            ..settings(2)
        };
        settings.run.n_threads = Some(threads);
        let model = drawn.fit(&settings);
        let proof = model.report.proof.unwrap();
        (model.tree, model.leaf_weights, proof.bound, proof.nodes)
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn a_row_of_weight_two_is_two_rows() {
    for seed in 20..24 {
        let drawn = Drawn::new(30, 3, seed);
        let times = |i: usize| std::iter::repeat_n(i, drawn.weights[i] as usize);
        let rows: Vec<usize> = (0..30).flat_map(times).collect();
        let repeated = Drawn {
            at: rows.iter().map(|i| drawn.at[*i]).collect(),
            classes: rows.iter().map(|i| drawn.classes[*i]).collect(),
            weights: vec![1.0; rows.len()],
        };
        assert_eq!(repeated.x().len_of(Axis(0)), rows.len());
        let limited = Svm1OdtSettings {
            max_nodes: Some(1000),
            ..settings(2)
        };
        let (one, other) = (drawn.fit(&limited), repeated.fit(&limited));
        assert_eq!(one.tree.splits(), other.tree.splits());
        assert_eq!(one.leaf_weights, other.leaf_weights);
        assert_eq!(one.report.objective, other.report.objective);
        assert_eq!(
            one.report.proof.unwrap().bound,
            other.report.proof.unwrap().bound
        );
    }
}

#[test]
fn a_start_is_what_is_left_of_no_time() {
    let drawn = Drawn::new(60, 2, 5);
    let mut at_once = settings(2);
    at_once.run.time_limit = Some(Duration::from_nanos(1));
    let model = drawn.fit(&at_once);
    assert_eq!(model.report.status, SolveStatus::TimeLimit);
    assert_eq!(model.report.start_objectives, [model.report.objective]);
    assert!(drawn.wrong(&model) <= model.report.objective);
    let longer = drawn.fit(&Svm1OdtSettings {
        max_nodes: Some(0),
        ..settings(2)
    });
    assert!(longer.report.objective <= longer.report.start_objectives[0]);
    assert!(longer.report.objective < model.report.objective);
}
