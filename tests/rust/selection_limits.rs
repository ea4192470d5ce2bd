//! Is what a selection of rows says at its time limit sound, wherever the limit strikes?

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use softwood::StopFlag;
use softwood::selection::{
    ExtremePoints, Hyperplanes, SelectionSettings, balanced_relaxation, select_balanced_rows,
    select_extreme_points, select_rows,
};
use softwood::status::SolveStatus;
use softwood::stop::Stop;
use std::time::Duration;

/// Stops from at once to later than any search here takes.
fn stops() -> impl Iterator<Item = Stop> {
    let limits = (0..26).map(|k| Duration::from_micros((1 << k) - 1));
    limits.map(|limit| Stop::new(&StopFlag::default(), Some(limit)))
}

/// On a grid extreme points are named in directions in which others come as near, and some are withdrawn.
fn grid_and_noise() -> Array2<f64> {
    let mut rng = Pcg64::seed_from_u64(1);
    Array2::from_shape_fn((1500, 3), |(i, k)| match i {
        0..1000 => (i / [1, 10, 100][k] % 10) as f64,
        _ => rng.random_range(-1.0..10.0),
    })
}

fn assert_sound(x: &Array2<f64>, found: &ExtremePoints, whole: &ExtremePoints) {
    for i in 0..x.nrows() {
        assert!(
            !found.extreme[i] || whole.extreme[i],
            "row {i} is not extreme"
        );
        assert!(!found.extreme[i] || !found.covered[i]);
        if !found.covered[i] {
            assert_eq!(found.weights(i).count(), 0);
            continue;
        }
        assert!(whole.covered[i], "row {i} is not covered");
        let mut mixed = vec![0.0; x.ncols()];
        for (j, weight) in found.weights(i) {
            assert!(weight > 0.0 && !found.covered[j], "row {j} carries row {i}");
            let row = x.row(j);
            mixed
                .iter_mut()
                .zip(row)
                .for_each(|(m, x)| *m += weight * x);
        }
        for (mixed, x) in mixed.iter().zip(x.row(i)) {
            assert!((mixed - x).abs() < 1e-7, "row {i}: {mixed} for {x}");
        }
    }
    let known = |e: &ExtremePoints| e.covered.iter().chain(&e.extreme).filter(|k| **k).count();
    assert_eq!(known(found) + found.unresolved, x.nrows());
}

#[test]
fn rows_covered_at_a_limit_are_covered_by_rows_that_are_not() {
    let x = grid_and_noise();
    let whole = select_extreme_points(x.view(), 0.0, Some(2), &Stop::default()).unwrap();
    assert_eq!(whole.status, SolveStatus::Completed);
    let mut statuses = Vec::new();
    for stop in stops() {
        let found = select_extreme_points(x.view(), 0.0, Some(2), &stop).unwrap();
        assert_sound(&x, &found, &whole);
        if found.status == SolveStatus::Completed {
            assert_eq!(found, whole);
        }
        statuses.push(found.status);
    }
    assert_eq!(statuses[0], SolveStatus::TimeLimit);
    assert_eq!(statuses.pop(), Some(SolveStatus::Completed));
}

#[test]
fn at_once_no_row_is_known_to_be_covered() {
    let x = grid_and_noise();
    let stop = stops().next().unwrap();
    for tolerance in [0.0, 0.5] {
        let found = select_extreme_points(x.view(), tolerance, None, &stop).unwrap();
        assert!(!found.covered.contains(&true) && !found.extreme.contains(&true));
        assert_eq!(found.unresolved, x.nrows());
    }
}

#[test]
fn every_cluster_keeps_rows_at_a_limit() {
    let x = grid_and_noise();
    let halves = |k: usize| x.column(k).iter().map(|x| u32::from(*x > 4.5)).collect();
    let (classes, leaves): (Vec<u32>, Vec<u32>) = (halves(0), halves(1));
    let planes = Hyperplanes {
        normals: Array2::from_shape_vec((1, 3), vec![0.0, 1.0, 0.0]).unwrap(),
        offsets: vec![4.5],
        of_leaf: vec![vec![0]; 2],
    };
    let settings = SelectionSettings::default();
    for stop in stops() {
        let chosen = select_rows(x.view(), &classes, &leaves, &planes, &settings, &stop).unwrap();
        assert_eq!(chosen.clusters.len(), 4);
        assert!(chosen.clusters.iter().all(|cluster| cluster.selected > 0));
        if stop.check().is_ok() {
            assert_eq!(chosen.status, SolveStatus::Completed);
        }
    }
    let stop = stops().next().unwrap();
    let hasty = select_rows(x.view(), &classes, &leaves, &planes, &settings, &stop).unwrap();
    assert_eq!(hasty.status, SolveStatus::TimeLimit);
}

#[test]
fn balanced_selections_at_a_limit_are_within_their_bound() {
    let mut rng = Pcg64::seed_from_u64(5);
    let x = Array2::from_shape_fn((24, 2), |_| rng.random_range(0.0..1.0));
    let best = select_balanced_rows(x.view(), usize::MAX, &Stop::default()).unwrap();
    assert_eq!(best.status, SolveStatus::Optimal);
    let few = select_balanced_rows(x.view(), 1, &Stop::default()).unwrap();
    assert!(few.status == SolveStatus::IterationLimit || few.objective == few.bound);
    for stop in stops() {
        let found = select_balanced_rows(x.view(), usize::MAX, &stop).unwrap();
        let covered = found.covered.iter().filter(|covered| **covered).count();
        assert_eq!(found.objective, covered as i64 - found.indices.len() as i64);
        assert!(found.objective <= best.objective && best.objective <= found.bound);
        assert_eq!(
            found.status == SolveStatus::Optimal,
            found.objective == found.bound
        );
    }
    let stop = stops().next().unwrap();
    let hasty = balanced_relaxation(x.view(), &stop).unwrap();
    assert_eq!(hasty.status, SolveStatus::TimeLimit);
    assert!(!hasty.solved && hasty.selected == [0.0; 24] && hasty.covered == [0.0; 24]);
    let patient = balanced_relaxation(x.view(), &Stop::default()).unwrap();
    assert_eq!(patient.status, SolveStatus::Completed);
}
