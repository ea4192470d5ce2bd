//! Are extreme points and selected rows those of the definition, on any threads, scale and order?

use ndarray::{Array2, ArrayView2, Axis, array};
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use softwood::selection::{
    BalancedChoice, ClusterRule, ExtremePoints, Hyperplanes, SelectionSettings,
    balanced_relaxation, select_balanced_rows, select_extreme_points, select_rows,
};
use softwood::stop::Stop;
use softwood::{FitError, StopFlag};

fn select(x: ArrayView2<'_, f64>, tolerance: f64) -> ExtremePoints {
    select_extreme_points(x, tolerance, Some(2), &Stop::default()).expect("valid rows")
}

fn kept(answer: &ExtremePoints) -> Vec<usize> {
    let covered = answer.covered.iter().enumerate();
    covered.filter(|(_, c)| !**c).map(|(i, _)| i).collect()
}

/// Weights are convex, few, never on the row itself, and reproduce the row within `error` of each range.
fn check_weights(x: &Array2<f64>, answer: &ExtremePoints, tolerance: f64) {
    let d = x.ncols();
    for i in 0..x.nrows() {
        let weights: Vec<(usize, f64)> = answer.weights(i).collect();
        assert_eq!(answer.covered[i], !weights.is_empty());
        assert!(weights.len() <= d + 1, "{} weights", weights.len());
        assert!(weights.iter().all(|(j, w)| *j != i && *w > 0.0));
        if weights.is_empty() {
            continue;
        }
        let sum: f64 = weights.iter().map(|(_, w)| w).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        for k in 0..d {
            let column = x.column(k);
            let range = column.fold(f64::NEG_INFINITY, |a, b| a.max(*b))
                - column.fold(f64::INFINITY, |a, b| a.min(*b));
            let mean: f64 = weights.iter().map(|(j, w)| w * x[[*j, k]]).sum();
            let limit = tolerance + 1.001e-9 * range + 1e-14 * x[[i, k]].abs();
            assert!((mean - x[[i, k]]).abs() <= limit, "row {i} column {k}");
        }
        if tolerance == 0.0 {
            assert!(weights.iter().all(|(j, _)| !answer.covered[*j]));
        }
    }
}

/// Rows of a kind that depends on `seed`: clouds, grids, flat and collinear sets, repeated rows.
fn rows(seed: u64, n: usize, d: usize) -> Array2<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut random = |low: f64, high: f64| rng.random_range(low..high);
    match seed % 5 {
        0 => Array2::from_shape_fn((n, d), |_| random(-1.0, 1.0)),
        1 => Array2::from_shape_fn((n, d), |_| random(0.0, 4.0).floor()),
        2 => {
            let plane = Array2::from_shape_fn((d.div_ceil(2), d), |_| random(-1.0, 1.0));
            Array2::from_shape_fn((n, d.div_ceil(2)), |_| random(-1.0, 1.0)).dot(&plane)
        }
        3 => {
            let line: Vec<f64> = (0..n).map(|_| random(0.0, 9.0).floor()).collect();
            Array2::from_shape_fn((n, d), |(i, k)| line[i] * (k + 1) as f64)
        }
        _ => {
            let few = Array2::from_shape_fn((n.div_ceil(3), d), |_| random(-1.0, 1.0));
            Array2::from_shape_fn((n, d), |(i, k)| few[[i % few.nrows(), k]])
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn weights_reproduce_every_covered_row(
        seed in any::<u64>(), n in 1usize..60, d in 1usize..9, tolerance in prop_oneof![Just(0.0), 0.0..0.5f64],
    ) {
        let x = rows(seed, n, d);
        let answer = select(x.view(), tolerance);
        prop_assert_eq!(answer.unresolved, 0);
        check_weights(&x, &answer, tolerance);
    }

    #[test]
    fn every_direction_has_an_extreme_point_farthest(
        seed in any::<u64>(), n in 1usize..60, d in 1usize..9,
    ) {
        let x = rows(seed, n, d);
        let answer = select(x.view(), 0.0);
        let extreme = x.select(Axis(0), &kept(&answer));
        let mut rng = Pcg64::seed_from_u64(!seed);
        for _ in 0..50 {
            let w = Array2::from_shape_fn((d, 1), |_| rng.random_range(-1.0..1.0));
            let far = |x: &Array2<f64>| x.dot(&w).fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            prop_assert!(far(&extreme) >= far(&x) - 1e-7);
        }
    }

    #[test]
    fn a_larger_tolerance_covers_no_less(seed in any::<u64>(), n in 1usize..50, d in 1usize..7) {
        let x = rows(seed, n, d);
        let mut before = select(x.view(), 0.0).covered;
        for tolerance in [1e-3, 0.03, 0.1, 0.4] {
            let now = select(x.view(), tolerance).covered;
            prop_assert!(before.iter().zip(&now).all(|(before, now)| now >= before));
            before = now;
        }
    }

    #[test]
    fn order_and_scale_of_rows_do_not_matter(
        seed in any::<u64>(), n in 1usize..60, d in 1usize..7, exponents in prop::collection::vec(-300i32..300, 7),
    ) {
        let x = rows(seed, n, d);
        let answer = select(x.view(), 0.0);
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut Pcg64::seed_from_u64(seed));
        let shuffled = select(x.select(Axis(0), &order).view(), 0.0);
        // Of rows that are alike another one may stay, so compare values.
        let values = |rows: Vec<usize>| {
            let mut values: Vec<Vec<u64>> = rows
                .into_iter()
                .map(|i| x.row(i).iter().map(|v| v.to_bits()).collect())
                .collect();
            values.sort();
            values
        };
        let back = kept(&shuffled).into_iter().map(|i| order[i]).collect();
        prop_assert_eq!(values(kept(&answer)), values(back));
        let mut scaled = x.clone();
        for (mut column, exponent) in scaled.columns_mut().into_iter().zip(exponents) {
            column *= 2f64.powi(exponent);
        }
        prop_assert_eq!(select(scaled.view(), 0.0), answer);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let x = rows(0, 3000, 6);
    let run = |threads, tolerance| {
        select_extreme_points(x.view(), tolerance, Some(threads), &Stop::default())
            .expect("valid rows")
    };
    for tolerance in [0.0, 0.05] {
        let one = run(1, tolerance);
        assert!(one.covered.contains(&true) && one.covered.contains(&false));
        assert_eq!(one, run(2, tolerance));
        assert_eq!(one, run(5, tolerance));
    }
}

#[test]
fn known_sets_have_known_extreme_points() {
    // A grid's corners: every other row lies on a face or an edge.
    let grid = Array2::from_shape_fn((125, 3), |(i, k)| (i / 5usize.pow(k as u32) % 5) as f64);
    assert_eq!(
        kept(&select(grid.view(), 0.0)),
        [0, 4, 20, 24, 100, 104, 120, 124]
    );
    // In one dimension the ends.
    let line = array![[3.0], [1.0], [2.0], [1.0], [3.0]];
    let answer = select(line.view(), 0.0);
    assert_eq!(kept(&answer), [0, 1]);
    assert_eq!(answer.weights(2).collect::<Vec<_>>(), [(0, 0.5), (1, 0.5)]);
    assert_eq!(answer.weights(3).collect::<Vec<_>>(), [(1, 1.0)]);
    // Rows that are all alike, and one row.
    assert_eq!(
        kept(&select(array![[7.0, 7.0], [7.0, 7.0]].view(), 0.0)),
        [0]
    );
    assert_eq!(kept(&select(array![[7.0]].view(), 9.0)), [0]);
    // Points on a circle are all extreme, whatever lies within.
    let circle = Array2::from_shape_fn((720, 2), |(i, k)| {
        let radius = if i < 360 { 1.0 } else { 0.99 };
        radius * ((i as f64).to_radians() + k as f64 * std::f64::consts::FRAC_PI_2).sin()
    });
    assert_eq!(
        kept(&select(circle.view(), 0.0)),
        (0..360).collect::<Vec<_>>()
    );
}

#[test]
fn a_tolerance_reaches_from_the_hull_of_the_other_rows() {
    // Alone, each of 0 and 1 is 0.1 away from the others.
    let line = Array2::from_shape_fn((11, 1), |(i, _)| i as f64 / 10.0);
    assert_eq!(kept(&select(line.view(), 0.09)), [0, 10]);
    assert_eq!(kept(&select(line.view(), 0.11)), [0usize; 0]);
    // The tolerance is in the units of each column: this corner is 0.5 away in both.
    let square = array![[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [1.5, 1.5]];
    assert_eq!(kept(&select(square.view(), 0.49)), [0, 1, 2, 3]);
    assert_eq!(kept(&select(square.view(), 0.51)), [0, 1, 2]);
    assert_eq!(kept(&select(square.view(), 1e300)), [0usize; 0]);
}

#[test]
fn single_precision_rows_are_read_where_they_are() {
    let x = rows(0, 200, 3).mapv(|v| v as f32);
    let wide = x.mapv(f64::from);
    let stop = Stop::default();
    let narrow = select_extreme_points(x.t().to_owned().t(), 0.0, None, &stop).expect("valid rows");
    assert_eq!(narrow, select(wide.view(), 0.0));
}

#[test]
fn a_raised_flag_ends_the_search() {
    let flag = StopFlag::default();
    flag.raise();
    let x = rows(0, 500, 4);
    let error = select_extreme_points(x.view(), 0.0, None, &Stop::new(&flag, None));
    assert_eq!(error, Err(FitError::Cancelled));
}

#[test]
fn bad_input_is_refused() {
    let stop = Stop::default();
    let text = |x: Array2<f64>, tolerance| {
        let error = select_extreme_points(x.view(), tolerance, None, &stop);
        error.expect_err("bad input").to_string()
    };
    let nan = array![[0.0, 1.0], [0.0, f64::NAN]];
    assert_eq!(text(nan, 0.0), "X[1, 1] is NaN; every value must be finite");
    assert!(text(Array2::zeros((0, 3)), 0.0).contains("shape (0, 3)"));
    assert!(text(array![[1.0]], -1.0).starts_with("tolerance must be a finite number"));
    let ask = |beta1, beta2, leaves: &[u32]| {
        let settings = SelectionSettings {
            beta1,
            beta2,
            ..SelectionSettings::default()
        };
        let x = array![[0.0], [1.0]];
        let error = select_rows(x.view(), &[0, 0], leaves, &no_planes(1), &settings, &stop);
        error.expect_err("bad input").to_string()
    };
    assert!(ask(1.0, 0.1, &[0, 0]).starts_with("beta1 must be"));
    assert!(ask(0.1, 0.0, &[0, 0]).starts_with("beta2 must be"));
    assert!(ask(0.6, 0.9, &[0, 0]).starts_with("beta2 must be less than"));
    assert_eq!(ask(0.1, 0.1, &[0]), "X has 2 rows but leaves has 1 values");
    assert!(ask(0.1, 0.1, &[0, 1]).contains("1 for row 1, but 1 leaves"));
}

fn no_planes(features: usize) -> Hyperplanes {
    Hyperplanes {
        normals: Array2::zeros((0, features)),
        offsets: vec![],
        of_leaf: vec![vec![]],
    }
}

#[test]
fn each_cluster_is_chosen_by_its_rule() {
    // Leaf 0, class 0: a square with 96 rows inside. Class 1: a circle of 40 rows, none covered.
    // Leaf 1, class 0: a square with a circle's worth of rows inside, half of them covered.
    let mut rng = Pcg64::seed_from_u64(1);
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let mut x = Vec::new();
    let (mut classes, mut leaves) = (vec![], vec![]);
    let mut add = |point: [f64; 2], class, leaf| {
        x.extend(point);
        classes.push(class);
        leaves.push(leaf);
    };
    corners.iter().for_each(|corner| add(*corner, 0, 0));
    for _ in 0..96 {
        add(
            [rng.random_range(0.1..0.9), rng.random_range(0.1..0.9)],
            0,
            0,
        );
    }
    for i in 0..40 {
        let angle = i as f64 / 40.0 * std::f64::consts::TAU + 0.01;
        add([angle.cos(), angle.sin()], 1, 0);
    }
    for i in 0..20 {
        let angle = i as f64 / 20.0 * std::f64::consts::TAU;
        add([angle.cos(), angle.sin()], 0, 1);
        add([0.1 * angle.cos(), 0.1 * angle.sin()], 0, 1);
    }
    let x = Array2::from_shape_vec((x.len() / 2, 2), x).expect("pairs");
    let planes = Hyperplanes {
        normals: array![[2.0, 0.0], [0.0, 1.0]],
        offsets: vec![2.2, 5.0],
        of_leaf: vec![vec![0], vec![0, 1]],
    };
    let settings = SelectionSettings {
        beta1: 0.1,
        beta2: 0.1,
        ..SelectionSettings::default()
    };
    let run = |x: ArrayView2<'_, f64>, classes: &[u32], leaves: &[u32]| {
        select_rows(x, classes, leaves, &planes, &settings, &Stop::default()).expect("valid rows")
    };
    let chosen = run(x.view(), &classes, &leaves);
    let [square, circle, rings] = chosen.clusters.as_slice() else {
        panic!("three clusters, not {:?}", chosen.clusters)
    };
    assert_eq!(
        (square.rule, square.rows, square.covered),
        (ClusterRule::Extreme, 100, 96)
    );
    assert_eq!(chosen.indices[..4], [0, 1, 2, 3]);
    // Nothing is covered, so the tenth part nearest to the hyperplane x₀ = 1.1.
    assert_eq!(
        (circle.rule, circle.carriers),
        (ClusterRule::CarriersAndNearest, 0)
    );
    assert_eq!(chosen.indices[4..8], [100, 101, 138, 139]);
    // The inner ring rests on the outer one.
    assert_eq!((rings.rule, rings.covered), (ClusterRule::Carriers, 20));
    assert!(rings.carriers > 4 && rings.selected == rings.carriers);
    assert!(chosen.indices[8..].iter().all(|i| (i - 140) % 2 == 0));
    let of_cluster = |c| chosen.cluster.iter().filter(|x| **x == c).count();
    for (c, account) in chosen.clusters.iter().enumerate() {
        assert_eq!(of_cluster(c), account.selected);
    }
    // Rows in another order: the same rows are chosen.
    let mut order: Vec<usize> = (0..x.nrows()).collect();
    order.shuffle(&mut rng);
    let at = |values: &[u32]| order.iter().map(|i| values[*i]).collect::<Vec<u32>>();
    let shuffled = run(
        x.select(Axis(0), &order).view(),
        &at(&classes),
        &at(&leaves),
    );
    let mut back: Vec<usize> = shuffled.indices.iter().map(|i| order[*i]).collect();
    back.sort_unstable();
    assert_eq!(back, chosen.indices);
}

#[test]
fn rows_that_cover_each_other_do_not_all_go() {
    // Each row of the line is within 0.11 of its neighbours.
    let line = Array2::from_shape_fn((11, 1), |(i, _)| i as f64 / 10.0);
    let settings = SelectionSettings {
        tolerance: 0.11,
        ..SelectionSettings::default()
    };
    let planes = no_planes(1);
    let chosen = select_rows(
        line.view(),
        &[0; 11],
        &[0; 11],
        &planes,
        &settings,
        &Stop::default(),
    )
    .expect("valid rows");
    assert_eq!(chosen.clusters[0].covered, 11);
    assert_eq!(chosen.indices, [1, 9]);
}

#[test]
fn balanced_rows_gain_no_less_than_four_corners_that_cover_all() {
    let mut rng = Pcg64::seed_from_u64(4);
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let x = Array2::from_shape_fn((24, 2), |(i, k)| match i {
        0..4 => corners[i][k],
        _ => rng.random_range(0.3..0.7),
    });
    let found = select_balanced_rows(x.view(), 500, &Stop::default()).expect("valid rows");
    let covered = found.covered.iter().filter(|covered| **covered).count();
    assert_eq!(found.objective, covered as i64 - found.indices.len() as i64);
    assert!(found.indices.iter().all(|i| !found.covered[*i]));
    assert!(found.objective >= 24 - 4 - 4);
    let relaxed = balanced_relaxation(x.view(), &Stop::default()).expect("valid rows");
    assert!(found.objective <= found.bound && found.bound as f64 <= relaxed.objective + 1e-6);
    let hasty = select_balanced_rows(x.view(), 0, &Stop::default()).expect("valid rows");
    assert_eq!(hasty.nodes, 1);
    assert!(hasty.objective <= found.objective && found.bound <= hasty.bound);
}

#[test]
fn the_balanced_relaxation_keeps_what_it_promises() {
    let mut rng = Pcg64::seed_from_u64(3);
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let x = Array2::from_shape_fn((40, 2), |(i, k)| match i {
        0..4 => corners[i][k],
        _ => rng.random_range(0.05..0.95),
    });
    let answer = balanced_relaxation(x.view(), &Stop::default()).expect("valid rows");
    assert!(answer.solved);
    let total = |values: &[f64]| values.iter().sum::<f64>();
    let objective = total(&answer.covered) - total(&answer.selected);
    assert!((answer.objective - objective).abs() < 1e-5);
    // Selecting the four corners, which cover all others, is feasible.
    assert!(answer.objective >= 36.0 - 4.0 - 1e-5);
    // Remark 1: b = 0 for what cannot be covered; a = 0 leaves b 0 or 1; both positive add up to 1.
    let covered = select(x.view(), 0.0).covered;
    for (i, (a, b)) in answer.selected.iter().zip(&answer.covered).enumerate() {
        assert!(a + b <= 1.0 + 1e-6);
        assert!(covered[i] || *b == 0.0);
        assert!(
            *a > 1e-5 || !(1e-5..1.0 - 1e-5).contains(b),
            "a = {a}, b = {b}"
        );
        assert!(
            *a < 1e-5 || *b < 1e-5 || (a + b - 1.0).abs() < 1e-5,
            "a = {a}, b = {b}"
        );
    }
    let choices = answer.choices();
    assert!(
        choices[..4]
            .iter()
            .all(|c| *c == BalancedChoice::NotCovered)
    );
    let many = balanced_relaxation(rows(0, 101, 2).view(), &Stop::default());
    assert!(
        many.expect_err("too many")
            .to_string()
            .contains("at most 100 rows")
    );
    assert_eq!(
        balanced_relaxation(array![[1.0], [1.0]].view(), &Stop::default())
            .expect("valid rows")
            .selected
            .len(),
        2
    );
    let one = balanced_relaxation(array![[1.0, 2.0]].view(), &Stop::default());
    assert_eq!(one.expect("valid rows").covered, [0.0]);
}
