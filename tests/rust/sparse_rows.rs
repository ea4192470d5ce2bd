//! Do sparse rows give what the same rows give when they are dense?

use ndarray::Array2;
use proptest::prelude::*;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{
    Classes, ClassificationRows, CsrRows, Indices, Labels, Parallelism, RowSource, Rows,
    ScaledRows, Scaling, ScalingKind, Source, SparseRows, Values, scaled,
};
use softwood::objective::{ExpectedCost, PenaltySettings};
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::{ParameterLayout, Topology};
use softwood::{
    Control, FitError, FittedTree, InputError, OrctCvSettings, OrctModel, OrctSettings,
    PenaltyGrid, RowSelection, RunSettings, SrtSettings, fit_orct, fit_orct_cv, fit_orct_selected,
    fit_srt, lambda_max, sparsity_path,
};
use std::sync::Arc;

/// A CSR matrix with 64-bit places and 32-bit columns.
struct Csr {
    features: usize,
    starts: Vec<i64>,
    columns: Vec<i32>,
    values: Vec<f64>,
}

impl Csr {
    fn of(x: &Array2<f64>) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in x.rows() {
            for (j, value) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                columns.push(j as i32);
                values.push(*value);
            }
            starts.push(values.len() as i64);
        }
        Self {
            features: x.ncols(),
            starts,
            columns,
            values,
        }
    }

    fn csr(&self) -> CsrRows<'_> {
        let columns = self.columns.as_slice();
        CsrRows::new(
            self.features,
            self.starts.as_slice(),
            columns,
            self.values.as_slice(),
        )
        .unwrap()
    }

    fn rows(&self) -> Rows<'_> {
        self.csr().into()
    }
}

/// Rows with `share` of the values not 0. Column 4 and every 25th from there is moved: it is never 0; every seventh
/// is never anything else.
fn random_rows(rng: &mut Pcg64, n: usize, p: usize, share: f64) -> Array2<f64> {
    Array2::from_shape_fn((n, p), |(_, j)| match j {
        j if j % 7 == 6 => 0.0,
        j if j % 25 == 4 => 1e9 + f64::from(rng.random_range(0..9u8)),
        _ if rng.random_bool(share) => rng.random_range(-1.0..2.0f64),
        _ => 0.0,
    })
}

/// Two classes, told apart by a line through the first columns.
fn classes_of(x: &Array2<f64>) -> Vec<i64> {
    let class = |row: ndarray::ArrayView1<'_, f64>| i64::from(row[0] + row[1] - row[2] > 0.3);
    let mut y: Vec<i64> = x.rows().into_iter().map(class).collect();
    (y[0], y[1]) = (0, 1);
    y
}

fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(1.0)
}

/// An objective on given blocks.
struct Problem {
    y: Vec<u32>,
    weights: Option<Vec<f64>>,
    depth: usize,
    gamma: f64,
    theta: Vec<f64>,
}

impl Problem {
    fn evaluate<'a>(&'a self, source: Source<'a>, parallelism: Parallelism) -> (f64, Vec<f64>) {
        let classes = Classes::new(&self.y, 2);
        let weights = self.weights.as_deref();
        let data = ClassificationRows::new(source, classes, weights, parallelism, Stop::default());
        let labels = (0..1 << self.depth).map(|t| t % 2).collect();
        let topology = Topology::complete(self.depth);
        let costs = [0.0, 0.5, 0.7, 0.0];
        let objective = ExpectedCost::new(data, topology, self.gamma, &costs, labels);
        let mut gradient = vec![f64::NAN; objective.dim()];
        let value = objective
            .value_and_gradient(&self.theta, &mut gradient)
            .unwrap();
        (value, gradient)
    }

    fn random(rng: &mut Pcg64, n: usize, p: usize, depth: usize, weighted: bool) -> Self {
        let dim = ParameterLayout::new(&Topology::complete(depth), p).dim();
        Self {
            y: (0..n).map(|_| rng.random_range(0..2)).collect(),
            weights: weighted.then(|| (0..n).map(|i| (i % 3) as f64).collect()),
            depth,
            gamma: 8.0 * p as f64,
            theta: (0..dim).map(|_| rng.random_range(-1.0..1.0)).collect(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn value_and_gradient_are_those_of_dense_rows(
        seed in any::<u64>(),
        n in 2usize..700,
        p in 1usize..40,
        depth in 1usize..5,
        share in 0.0..0.6f64,
        weighted in any::<bool>(),
        quantile in any::<bool>(),
    ) {
        let mut rng = Pcg64::new(u128::from(seed), 0);
        let x = random_rows(&mut rng, n, p, share);
        let problem = Problem::random(&mut rng, n, p, depth, weighted);
        let kind = if quantile { ScalingKind::Quantile } else { ScalingKind::MinMax };
        let weights = problem.weights.as_deref();
        let csr = Csr::of(&x);
        let scaling = Scaling::learn(kind, x.view().into(), weights);
        prop_assert_eq!(&Scaling::learn(kind, csr.rows(), weights), &scaling);
        let dense = ScaledRows::new(x.view().into(), &scaling).shared();
        let (value, gradient) = problem.evaluate(dense, Parallelism::None);
        // Dense blocks of sparse rows have the same bits.
        let packed = ScaledRows::new(csr.rows(), &scaling).shared();
        prop_assert_eq!(&problem.evaluate(packed, Parallelism::None), &(value, gradient.clone()));
        let kept: Source<'_> = Arc::new(SparseRows::new(csr.csr(), &scaling));
        let once: Source<'_> = Arc::new(SparseRows::passing_once(csr.csr(), &scaling));
        let sparse = problem.evaluate(kept, Parallelism::Rows);
        prop_assert_eq!(&problem.evaluate(once, Parallelism::None), &sparse);
        prop_assert!(close(sparse.0, value, 1e-12), "{} and {value}", sparse.0);
        let largest = gradient.iter().fold(1.0f64, |m, g| m.max(g.abs()));
        for (found, expected) in sparse.1.iter().zip(&gradient) {
            prop_assert!((found - expected).abs() <= 1e-11 * largest, "{found} and {expected}");
        }
    }

    #[test]
    fn some_of_the_rows_are_those_rows(seed in any::<u64>(), n in 2usize..300) {
        let mut rng = Pcg64::new(u128::from(seed), 0);
        let x = random_rows(&mut rng, n, 6, 0.3);
        let csr = Csr::of(&x);
        let scaling = Scaling::learn(ScalingKind::MinMax, csr.rows(), None);
        let picked: Vec<u32> = (0..n as u32).rev().step_by(2).collect();
        let problem = Problem::random(&mut rng, picked.len(), 6, 2, false);
        let all = SparseRows::new(csr.csr(), &scaling);
        let indices: Vec<usize> = picked.iter().map(|i| *i as usize).collect();
        let some = Csr::of(&x.select(ndarray::Axis(0), &indices));
        let own: Source<'_> = Arc::new(SparseRows::new(some.csr(), &scaling));
        let whole: Vec<u32> = (0..picked.len() as u32).collect();
        let selected = all.select(&picked).select(&whole);
        prop_assert_eq!(
            problem.evaluate(selected, Parallelism::None),
            problem.evaluate(own, Parallelism::None)
        );
    }
}

/// 400 sparse rows of 30 features with two classes.
fn example() -> (Array2<f64>, Labels) {
    let x = random_rows(&mut Pcg64::new(3, 0), 400, 30, 0.12);
    let labels = Labels::from(classes_of(&x).as_slice());
    (x, labels)
}

fn settings(threads: usize) -> OrctSettings {
    OrctSettings {
        depth: 1,
        gamma: Some(64.0),
        balance: Some(false),
        penalty: PenaltySettings {
            local: Some(3e-6),
            ..PenaltySettings::default()
        },
        n_starts: 4,
        run: RunSettings {
            n_threads: Some(threads),
            ..RunSettings::default()
        },
        ..OrctSettings::default()
    }
}

fn fit(rows: Rows<'_>, labels: &Labels, settings: &OrctSettings) -> OrctModel {
    let mut model = fit_orct(rows, labels, None, settings, &Control::default()).unwrap();
    model.report.seconds = 0.0;
    model
}

#[test]
fn a_fit_is_as_good_as_that_of_dense_rows() {
    let (x, labels) = example();
    let csr = Csr::of(&x);
    for scaling in ["minmax", "quantile", "auto"] {
        let settings = OrctSettings {
            scaling: scaling.parse().unwrap(),
            ..settings(2)
        };
        let dense = fit(x.view().into(), &labels, &settings);
        let sparse = fit(csr.rows(), &labels, &settings);
        let (found, expected) = (sparse.report.objective, dense.report.objective);
        assert!(
            close(found, expected, 1e-5),
            "{scaling}: {found}, {expected}"
        );
        let same = |rows: Rows<'_>| sparse.predict(rows).unwrap();
        let differ = same(csr.rows())
            .iter()
            .zip(dense.predict(x.view()).unwrap())
            .filter(|(a, b)| **a != *b)
            .count();
        assert!(differ <= 2, "{differ} of 400 predictions differ");
        assert_eq!(same(csr.rows()), same(x.view().into()));
    }
}

#[test]
fn a_fit_has_the_same_bits_on_any_number_of_threads() {
    let x = random_rows(&mut Pcg64::new(5, 0), 9_000, 12, 0.1);
    let labels = Labels::from(classes_of(&x).as_slice());
    let csr = Csr::of(&x);
    let fit_on = |threads: usize| {
        let settings = OrctSettings {
            max_iter: 10,
            n_starts: 2,
            ..settings(threads)
        };
        fit(csr.rows(), &labels, &settings)
    };
    let one = fit_on(1);
    assert_eq!(fit_on(2), one);
    assert_eq!(fit_on(3), one);
}

/// Whatever a model tells of rows, it tells the same of their sparse form, up to rounding.
#[test]
fn all_that_a_model_tells_of_rows_is_that_of_dense_rows() {
    let (x, labels) = example();
    // New rows may be 0 where no training row is, and anywhere else.
    let new = Array2::from_shape_fn((50, 30), |(i, j)| match (i + 3 * j) % 11 {
        0 => 1e9,
        1 => -3.0,
        2 => 0.7,
        _ => 0.0,
    });
    for (depth, scaling) in [(2, "minmax"), (3, "quantile"), (6, "minmax")] {
        let settings = OrctSettings {
            depth,
            gamma: Some(512.0),
            scaling: scaling.parse().unwrap(),
            max_iter: 50,
            n_starts: 1,
            ..settings(2)
        };
        let model = fit(x.view().into(), &labels, &settings);
        for x in [&x, &new] {
            let csr = Csr::of(x);
            let near = |found: Vec<f64>, expected: Vec<f64>| {
                assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(&expected) {
                    assert!(close(*found, *expected, 1e-9), "{found} and {expected}");
                }
            };
            let (rows, dense) = (csr.rows(), Rows::from(x.view()));
            near(
                model.predict_proba(rows).unwrap(),
                model.predict_proba(dense).unwrap(),
            );
            near(
                model.label_probabilities(rows).unwrap(),
                model.label_probabilities(dense).unwrap(),
            );
            let tree = &model.tree;
            near(
                tree.leaf_probabilities(rows).unwrap(),
                tree.leaf_probabilities(dense).unwrap(),
            );
            assert_eq!(
                tree.leaf_indices(rows).unwrap(),
                tree.leaf_indices(dense).unwrap()
            );
            assert_eq!(
                tree.decision_path(rows).unwrap(),
                tree.decision_path(dense).unwrap()
            );
            assert_eq!(
                tree.explain_path(rows).unwrap(),
                tree.explain_path(dense).unwrap()
            );
            assert_eq!(model.explain(rows).unwrap(), model.explain(dense).unwrap());
            assert_eq!(model.effects(rows).unwrap(), model.effects(dense).unwrap());
        }
    }
}

#[test]
fn a_row_of_weight_two_counts_as_two() {
    let (x, labels) = example();
    let twice: Vec<usize> = (0..400).flat_map(|i| vec![i; i % 3]).collect();
    let weights: Vec<f64> = (0..400).map(|i| (i % 3) as f64).collect();
    let (csr, repeated) = (Csr::of(&x), Csr::of(&x.select(ndarray::Axis(0), &twice)));
    let mut rng = Pcg64::new(7, 0);
    let mut problem = Problem::random(&mut rng, 400, 30, 2, false);
    problem.y = labels.codes;
    problem.weights = Some(weights);
    let again = Problem {
        y: twice.iter().map(|i| problem.y[*i]).collect(),
        weights: None,
        theta: problem.theta.clone(),
        ..problem
    };
    for kind in [ScalingKind::MinMax, ScalingKind::Quantile] {
        let scaling = Scaling::learn(kind, csr.rows(), problem.weights.as_deref());
        assert_eq!(Scaling::learn(kind, repeated.rows(), None), scaling);
        let (value, gradient) = problem.evaluate(scaled(csr.rows(), &scaling), Parallelism::None);
        let (other, others) = again.evaluate(scaled(repeated.rows(), &scaling), Parallelism::None);
        assert!(close(value, other, 1e-13));
        for (a, b) in gradient.iter().zip(&others) {
            assert!(close(*a, *b, 1e-11), "{a} and {b}");
        }
    }
}

#[test]
fn penalties_of_dense_and_sparse_rows_agree() {
    let (x, labels) = example();
    let csr = Csr::of(&x);
    let (settings, control) = (settings(2), Control::default());
    for kind in [ScalingKind::MinMax, ScalingKind::Quantile] {
        let max =
            |rows: Rows<'_>| lambda_max(rows, &labels, None, kind, &settings, &control).unwrap();
        let (found, expected) = (max(csr.rows()), max(x.view().into()));
        assert!(close(found.local, expected.local, 1e-12));
        assert!(close(found.global, expected.global, 1e-12));
    }
    let grid = PenaltyGrid {
        local: vec![0.0, 1e-3],
        global: vec![0.0],
    };
    let path =
        |rows: Rows<'_>| sparsity_path(rows, &labels, None, &grid, None, &settings, &control);
    let (found, expected) = (path(csr.rows()).unwrap(), path(x.view().into()).unwrap());
    for (found, expected) in found.points.iter().zip(&expected.points) {
        let (found, expected) = (
            found.model.report.objective,
            expected.model.report.objective,
        );
        assert!(close(found, expected, 1e-4), "{found} and {expected}");
    }
}

#[test]
fn rows_are_folded_and_selected_as_they_are() {
    let (x, labels) = example();
    let (csr, control) = (Csr::of(&x), Control::default());
    let cv = OrctCvSettings {
        depths: vec![1, 2],
        fit: settings(2),
        ..OrctCvSettings::default()
    };
    let chosen = |rows: Rows<'_>| fit_orct_cv(rows, &labels, None, &cv, &control).unwrap();
    let (found, expected) = (chosen(csr.rows()), chosen(x.view().into()));
    let accuracy = |model: &OrctModel| {
        let predicted = model.predict(x.view()).unwrap();
        let right = predicted.iter().zip(&labels.codes).filter(|(a, b)| a == b);
        right.count() as f64 / 400.0
    };
    let (found, expected) = (accuracy(&found), accuracy(&expected));
    assert!((found - expected).abs() < 0.03, "{found} and {expected}");
    let x = x.slice_move(ndarray::s![.., ..4]);
    let csr = Csr::of(&x);
    let selected = |rows: Rows<'_>| {
        let selection = RowSelection::default();
        fit_orct_selected(rows, &labels, None, &settings(2), &selection, &control).unwrap()
    };
    let (found, expected) = (selected(csr.rows()), selected(x.view().into()));
    let rows = |model: &OrctModel| model.report.selection.as_ref().unwrap().rows;
    assert!(rows(&found) < 400 && rows(&expected) < 400);
}

#[test]
fn regressions_of_dense_and_sparse_rows_have_the_same_bits() {
    let mut rng = Pcg64::new(9, 0);
    let x = random_rows(&mut rng, 300, 5, 0.4);
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|r| r[0] * r[1] + r[2].max(0.3))
        .collect();
    let csr = Csr::of(&x);
    for curves in [false, true] {
        let settings = SrtSettings {
            curves,
            ..SrtSettings::default()
        };
        let fit = |rows: Rows<'_>| {
            let mut model = fit_srt(rows, &y, None, &settings, &Control::default()).unwrap();
            model.report.seconds = 0.0;
            model
        };
        let model = fit(x.view().into());
        assert_eq!(fit(csr.rows()), model);
        let few = Csr::of(&x.mapv(|x| if x > 1.0 { x } else { 0.0 }));
        let dense = x.mapv(|x| if x > 1.0 { x } else { 0.0 });
        let (found, expected) = (model.predict(few.rows()), model.predict(dense.view()));
        for (found, expected) in found.unwrap().iter().zip(expected.unwrap()) {
            assert!(close(*found, expected, 1e-9), "{found} and {expected}");
        }
    }
}

#[test]
fn extreme_rows_are_fitted() {
    let control = Control::default();
    let two = Labels::from([0i64, 1].as_slice());
    let one_value = |at: (usize, usize), p: usize, value: f64| {
        let mut x = Array2::zeros((2, p));
        x[at] = value;
        Csr::of(&x)
    };
    for (csr, parts) in [
        (one_value((0, 3), 1000, 1e-300), true),
        (one_value((1, 999), 1000, -1e300), true),
        (one_value((1, 0), 1, f64::MAX), true),
        (one_value((0, 0), 50, 0.0), false),
    ] {
        let weights = [1e-307, 1e-307];
        for weights in [None, Some(weights.as_slice())] {
            let settings = settings(1);
            let model = fit_orct(csr.rows(), &two, weights, &settings, &control).unwrap();
            let right = model.predict(csr.rows()).unwrap() == [0, 1];
            assert_eq!(right, parts, "{}", csr.features);
        }
    }
    // Rows and columns that are all 0, on their own and in between.
    let mut x = Array2::zeros((60, 9));
    (0..60)
        .filter(|i| i % 4 > 0)
        .for_each(|i| x[[i, i % 4 * 2]] = (i % 7) as f64);
    let y: Vec<i64> = (0..60).map(|i| i64::from(x[[i, 2]] > 2.0)).collect();
    let (csr, labels) = (Csr::of(&x), Labels::from(y.as_slice()));
    let sharp = OrctSettings {
        gamma: Some(512.0),
        ..settings(2)
    };
    let model = fit(csr.rows(), &labels, &sharp);
    assert_eq!(model.predict(csr.rows()).unwrap(), labels.codes);
    let none = CsrRows::new(9, &[0i32][..], &[] as &[i32], &[] as &[f64]).unwrap();
    assert!(model.predict(none).unwrap().is_empty());
    let refused = fit_orct(
        none,
        &Labels::from([0i64; 0].as_slice()),
        None,
        &settings(1),
        &control,
    );
    assert!(matches!(
        refused,
        Err(FitError::Input(InputError::Empty {
            rows: 0,
            columns: 9
        }))
    ));
}

#[test]
fn the_first_value_that_is_not_finite_is_named() {
    let (x, labels) = example();
    let model = fit(x.view().into(), &labels, &settings(2));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut wrong = x.clone();
        (wrong[[7, 4]], wrong[[7, 9]], wrong[[300, 0]]) = (bad, bad, bad);
        let csr = Csr::of(&wrong);
        let told = format!("X[7, 4] is {bad}; every value must be finite");
        let error = fit_orct(csr.rows(), &labels, None, &settings(2), &Control::default());
        assert_eq!(error.unwrap_err().to_string(), told);
        assert_eq!(model.predict(csr.rows()).unwrap_err().to_string(), told);
        assert_eq!(model.effects(csr.rows()).unwrap_err().to_string(), told);
    }
}

#[test]
fn every_kind_of_index_and_value_reads_the_same() {
    let (x, labels) = example();
    let x = x.mapv(|x| f64::from(x as f32));
    let csr = Csr::of(&x);
    let model = fit(csr.rows(), &labels, &settings(2));
    let starts: Vec<i32> = csr.starts.iter().map(|k| *k as i32).collect();
    let columns: Vec<i64> = csr.columns.iter().map(|j| i64::from(*j)).collect();
    let single: Vec<f32> = csr.values.iter().map(|x| *x as f32).collect();
    for starts in [Indices::I32(&starts), Indices::I64(&csr.starts)] {
        for columns in [Indices::I32(&csr.columns), Indices::I64(&columns)] {
            for values in [Values::F64(&csr.values), Values::F32(&single)] {
                let rows = CsrRows::new(30, starts, columns, values).unwrap();
                assert_eq!(fit(rows.into(), &labels, &settings(2)), model);
            }
        }
    }
}
