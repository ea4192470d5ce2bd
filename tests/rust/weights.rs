//! Is a row of weight 2 the row twice, and a row of weight 0 no row at all?

use ndarray::{Array2, Axis};
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use softwood::data::{
    Classes, ClassificationRows, Labels, Parallelism, ScaledRows, Scaling, ScalingChoice,
    ScalingKind,
};
use softwood::objective::ExpectedCost;
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::Topology;
use softwood::{
    Control, OrctCvSettings, OrctModel, OrctSettings, RowSelection, RunSettings, SrtSettings,
    fit_orct, fit_orct_cv, fit_orct_selected, fit_srt,
};

/// Rows, classes and integer weights; and the same rows repeated as often as the weights say.
struct Pair {
    weighted: (Array2<f64>, Vec<i64>, Vec<f64>),
    repeated: (Array2<f64>, Vec<i64>),
}

impl Pair {
    fn random(seed: u64, rows: usize) -> Self {
        let mut rng = Pcg64::new(u128::from(seed), 5);
        let x = Array2::from_shape_simple_fn((rows, 3), || rng.random_range(0.0..1.0));
        let y: Vec<i64> = x
            .rows()
            .into_iter()
            .map(|r| i64::from(r[0] + 0.3 * r[1] > 0.6))
            .collect();
        // The first rows of both classes count; a row of weight 0 may be the farthest of all.
        let weights: Vec<f64> = (0..rows)
            .map(|i| {
                if i < 10 {
                    1.0
                } else {
                    f64::from(rng.random_range(0..4u8))
                }
            })
            .collect();
        let mut far = x.clone();
        for (mut row, weight) in far.rows_mut().into_iter().zip(&weights) {
            if *weight == 0.0 {
                row.mapv_inplace(|x| 50.0 * x - 20.0);
            }
        }
        let order: Vec<usize> = (0..rows)
            .flat_map(|i| vec![i; weights[i] as usize])
            .collect();
        let repeated = (
            far.select(Axis(0), &order),
            order.iter().map(|i| y[*i]).collect(),
        );
        Self {
            weighted: (far, y, weights),
            repeated,
        }
    }
}

/// Value, gradient and class masses in leaves.
fn evaluate(
    x: &Array2<f64>,
    y: &[i64],
    weights: Option<&[f64]>,
    kind: ScalingKind,
) -> (Scaling, f64, Vec<f64>, Vec<f64>) {
    let labels = Labels::from(y);
    let scaling = Scaling::learn(kind, x.view().into(), weights);
    let scaled = ScaledRows::new(x.view().into(), &scaling).shared();
    let classes = Classes::new(&labels.codes, 2);
    let data =
        ClassificationRows::new(scaled, classes, weights, Parallelism::None, Stop::default());
    let topology = Topology::complete(2);
    let objective = ExpectedCost::new(
        data.clone(),
        topology.clone(),
        32.0,
        &[0.0, 0.5, 0.7, 0.0],
        vec![0, 1, 1, 0],
    );
    let theta: Vec<f64> = (0..objective.dim())
        .map(|i| (1.0 + i as f64).cos())
        .collect();
    let mut gradient = vec![0.0; theta.len()];
    let value = objective.value_and_gradient(&theta, &mut gradient).unwrap();
    let masses = data.leaf_masses(&topology, &theta, 32.0).unwrap();
    (scaling.clone(), value, gradient, masses)
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let size = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| (a - b).abs() <= tolerance * size)
}

fn fit(x: &Array2<f64>, y: &[i64], weights: Option<&[f64]>, settings: &OrctSettings) -> OrctModel {
    fit_orct(
        x.view(),
        &Labels::from(y),
        weights,
        settings,
        &Control::default(),
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn values_and_gradients_count_weights_as_repetitions(seed in any::<u64>(), rows in 20usize..400, quantile: bool) {
        let kind = if quantile { ScalingKind::Quantile } else { ScalingKind::MinMax };
        let pair = Pair::random(seed, rows);
        let (x, y, weights) = &pair.weighted;
        let weighted = evaluate(x, y, Some(weights), kind);
        let repeated = evaluate(&pair.repeated.0, &pair.repeated.1, None, kind);
        prop_assert_eq!(weighted.0, repeated.0);
        prop_assert!(close(&[weighted.1], &[repeated.1], 1e-12));
        prop_assert!(close(&weighted.2, &repeated.2, 1e-12));
        prop_assert!(close(&weighted.3, &repeated.3, 1e-12));
    }

    #[test]
    fn starts_count_weights_as_repetitions(seed in any::<u64>()) {
        let pair = Pair::random(seed, 150);
        let (x, y, weights) = &pair.weighted;
        // One step from each start: still as near as the starts are.
        let settings = OrctSettings { n_starts: 4, max_iter: 1, gamma: Some(24.0), run: RunSettings { random_state: seed, ..RunSettings::default() }, ..OrctSettings::plain() };
        let weighted = fit(x, y, Some(weights), &settings).report.start_objectives;
        let repeated = fit(&pair.repeated.0, &pair.repeated.1, None, &settings).report.start_objectives;
        prop_assert!(close(&weighted, &repeated, 1e-9), "{weighted:?} against {repeated:?}");
    }
}

#[test]
fn fits_count_weights_as_repetitions() {
    for (seed, kind) in [
        (1, ScalingKind::MinMax),
        (2, ScalingKind::Quantile),
        (3, ScalingKind::MinMax),
    ] {
        let pair = Pair::random(seed, 200);
        let (x, y, weights) = &pair.weighted;
        let settings = OrctSettings {
            // One split: every start ends in the same minimum, so rounding cannot lead elsewhere.
            depth: 1,
            n_starts: 4,
            gamma: Some(64.0),
            tol: 1e-8,
            max_iter: 2000,
            scaling: ScalingChoice::Fixed(kind),
            ..OrctSettings::plain()
        };
        let weighted = fit(x, y, Some(weights), &settings);
        let repeated = fit(&pair.repeated.0, &pair.repeated.1, None, &settings);
        let (a, b) = (weighted.report.objective, repeated.report.objective);
        assert!((a - b).abs() <= 1e-5 * a.max(1e-3), "{a} against {b}");
        assert_eq!(
            weighted.predict(x.view()).unwrap(),
            repeated.predict(x.view()).unwrap()
        );
    }
}

#[test]
fn all_weights_times_a_constant_change_nothing_but_the_leaves() {
    let pair = Pair::random(4, 200);
    let (x, y, weights) = &pair.weighted;
    let settings = OrctSettings {
        n_starts: 2,
        ..OrctSettings::plain()
    };
    let mut model = fit(x, y, Some(weights), &settings);
    for factor in [0.25, 1024.0] {
        let scaled: Vec<f64> = weights.iter().map(|w| w * factor).collect();
        let mut other = fit(x, y, Some(&scaled), &settings);
        model.report.seconds = other.report.seconds;
        other.leaf_weights.iter_mut().for_each(|w| *w /= factor);
        // Smoothed by a row of weight 1, or by less if all weights are small.
        for (a, b) in model.frequencies.iter().zip(&other.frequencies) {
            assert!((a - b).abs() < 0.06, "{a} against {b}");
        }
        other.frequencies.clone_from(&model.frequencies);
        assert_eq!(model, other, "powers of two change no bit");
    }
}

/// The rows of a pair repeated as their weights say, in another order.
fn shuffled(pair: &Pair, seed: u64) -> (Array2<f64>, Vec<i64>) {
    let mut order: Vec<usize> = (0..pair.repeated.1.len()).collect();
    order.shuffle(&mut Pcg64::new(u128::from(seed), 6));
    let y = order.iter().map(|i| pair.repeated.1[*i]).collect();
    (pair.repeated.0.select(Axis(0), &order), y)
}

/// The same model, whatever it was told of the number of rows and however long it took.
fn same(mut a: OrctModel, b: &OrctModel) -> bool {
    (a.report.seconds, a.report.rows) = (b.report.seconds, b.report.rows);
    a == *b
}

/// As [`Pair::random`], in two or three classes.
fn pair_of(seed: u64, rows: usize, classes: i64) -> Pair {
    let mut pair = Pair::random(seed, rows);
    let third = |x: ndarray::ArrayView1<'_, f64>| i64::from(classes == 3 && x[2] > 0.5);
    let (x, y, _) = &mut pair.weighted;
    y.iter_mut().zip(x.rows()).for_each(|(y, x)| *y += third(x));
    let (x, y) = &mut pair.repeated;
    y.iter_mut().zip(x.rows()).for_each(|(y, x)| *y += third(x));
    pair
}

#[test]
fn weighted_rows_and_repeated_rows_in_any_order_are_classified_by_one_tree_to_the_bit() {
    for seed in 0..4u64 {
        for classes in [2, 3] {
            let pair = pair_of(seed, 40 + 60 * seed as usize, classes);
            let (x, y, weights) = &pair.weighted;
            let (other_x, other_y) = shuffled(&pair, seed);
            let settings = OrctSettings {
                n_starts: 4,
                ..OrctSettings::default()
            };
            let weighted = fit(x, y, Some(weights), &settings);
            let repeated = fit(&other_x, &other_y, None, &settings);
            assert!(same(weighted, &repeated), "seed {seed}, {classes} classes");
        }
    }
}

#[test]
fn weighted_rows_and_repeated_rows_in_any_order_are_cross_validated_to_the_bit() {
    let settings = OrctCvSettings {
        fit: OrctSettings {
            n_starts: 2,
            ..OrctSettings::default()
        },
        depths: vec![1, 2],
        gammas: vec![128.0, 512.0],
        local_grid: vec![0.0, 0.5],
        folds: 3,
        ..OrctCvSettings::default()
    };
    for (seed, classes) in [(0, 2), (1, 3)] {
        let pair = pair_of(seed, 90, classes);
        let (x, y, weights) = &pair.weighted;
        let (other_x, other_y) = shuffled(&pair, seed);
        let control = Control::default();
        let choose = |x: &Array2<f64>, y: &[i64], weights: Option<&[f64]>| {
            fit_orct_cv(x.view(), &Labels::from(y), weights, &settings, &control).unwrap()
        };
        let weighted = choose(x, y, Some(weights));
        let repeated = choose(&other_x, &other_y, None);
        assert!(same(weighted, &repeated), "seed {seed}, {classes} classes");
    }
}

#[test]
fn weighted_rows_and_repeated_rows_in_any_order_are_regressed_by_one_tree_to_the_bit() {
    for (seed, curves) in [(0, false), (1, true), (2, false)] {
        let pair = Pair::random(seed, 120);
        let (x, _, weights) = &pair.weighted;
        let (other_x, _) = shuffled(&pair, seed);
        let settings = SrtSettings {
            n_starts: 4,
            curves,
            ..SrtSettings::default()
        };
        let regress = |x: &Array2<f64>, weights: Option<&[f64]>| {
            let rows = x.rows().into_iter();
            let y: Vec<f64> = rows.map(|x| (5.0 * x[0]).sin() + x[1] * x[2]).collect();
            fit_srt(x.view(), &y, weights, &settings, &Control::default()).unwrap()
        };
        let mut weighted = regress(x, Some(weights));
        let repeated = regress(&other_x, None);
        weighted.report.seconds = repeated.report.seconds;
        weighted.report.rows = repeated.report.rows;
        assert_eq!(weighted, repeated, "seed {seed}");
    }
}

#[test]
fn rows_are_selected_by_their_weighted_distribution_alone() {
    let pair = pair_of(5, 400, 2);
    let (x, y, weights) = &pair.weighted;
    let (other_x, other_y) = shuffled(&pair, 5);
    let settings = OrctSettings {
        n_starts: 2,
        ..OrctSettings::plain()
    };
    let select = |x: &Array2<f64>, y: &[i64], weights: Option<&[f64]>| {
        let (labels, selection) = (Labels::from(y), RowSelection::default());
        let control = Control::default();
        fit_orct_selected(x.view(), &labels, weights, &settings, &selection, &control).unwrap()
    };
    let weighted = select(x, y, Some(weights));
    assert!(same(weighted, &select(&other_x, &other_y, None)));
}
