//! Does the randomized regression tree minimize what it says, and find what it should?

use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{Parallelism, RegressionRows, ScaledRows, Scaling, ScalingKind};
use softwood::objective::{MixtureError, ProjectedMixtureError};
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::Topology;

/// Rows uniform in [−1, 1]^p and a response with a kink and some noise.
fn kinked(rows: usize, features: usize, noise: f64) -> (Array2<f64>, Vec<f64>) {
    let mut rng = Pcg64::new(5, 0);
    let x: Array2<f64> =
        Array2::from_shape_simple_fn((rows, features), || rng.random_range(-1.0..1.0));
    let y = x
        .rows()
        .into_iter()
        .map(|r| (r[0] + 0.3_f64 * r[1]).abs() - 2.0 * r[1] + noise * rng.random_range(-1.0..1.0))
        .collect();
    (x, y)
}

/// (4.1) without penalties in plain loops, with leaf intercepts at the mean row.
fn plain_objective(
    u: &Array2<f64>,
    (y, w): (&[f64], &[f64]),
    objective: &MixtureError<'_, '_>,
    x: &[f64],
) -> f64 {
    let (p, topology) = (u.ncols(), objective.topology);
    let (b, l) = (topology.branches(), topology.leaves());
    let leaves = &x[b * (p + 1)..];
    let mut sum = 0.0;
    for (i, row) in u.rows().into_iter().enumerate() {
        let left = |t: usize| {
            let a = &x[t * p..][..p];
            let z = row.iter().zip(a).map(|(u, a)| u * a).sum::<f64>() / p as f64 - x[b * p + t];
            1.0 / (1.0 + (-objective.gamma * z).exp())
        };
        let mut predicted = 0.0;
        for leaf in 0..l {
            let side = |(t, is_left)| if is_left { left(t) } else { 1.0 - left(t) };
            let chance: f64 = topology.path(leaf).map(side).product();
            let terms = row.iter().zip(objective.centers).zip(&leaves[leaf * p..]);
            let linear: f64 = terms.map(|((u, center), beta)| (u - center) * beta).sum();
            predicted += chance * (linear + leaves[l * p + leaf]);
        }
        sum += w[i] * (predicted - y[i]).powi(2);
    }
    let squares: f64 = leaves.iter().map(|b| b * b).sum();
    sum / w.iter().sum::<f64>() + 0.5 * objective.ridge * squares
}

/// Central differences of an objective at x.
fn differences(objective: &impl Objective, x: &[f64], h: f64) -> Vec<f64> {
    let mut ignored = vec![0.0; x.len()];
    let mut value = |x: &[f64]| objective.value_and_gradient(x, &mut ignored).unwrap();
    let mut moved = x.to_vec();
    let mut difference = |i: usize| {
        moved[i] = x[i] + h;
        let above = value(&moved);
        moved[i] = x[i] - h;
        let below = value(&moved);
        moved[i] = x[i];
        (above - below) / (2.0 * h)
    };
    (0..x.len()).map(&mut difference).collect()
}

#[test]
fn the_objective_is_that_of_the_thesis_and_gradients_are_those_of_differences() {
    let mut rng = Pcg64::new(8, 1);
    for (rows, features, depth) in [(7, 1, 1), (150, 3, 2), (300, 5, 3)] {
        let (x, y) = kinked(rows, features.max(2), 0.1);
        let x = x.slice_move(ndarray::s![.., ..features]);
        let weights: Vec<f64> = (0..rows).map(|i| (i % 3) as f64).collect();
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), Some(&weights));
        let mut u = x.clone();
        for (j, mut column) in u.columns_mut().into_iter().enumerate() {
            column.mapv_inplace(|x| scaling.features[j].apply(x));
        }
        let data = RegressionRows::new(
            ScaledRows::new(x.view().into(), &scaling),
            &y,
            Some(&weights),
            Parallelism::None,
            Stop::default(),
        );
        let centers: Vec<f64> = (0..features).map(|j| 0.4 + 0.05 * j as f64).collect();
        let objective = MixtureError {
            data: &data,
            topology: Topology::complete(depth),
            gamma: 7.0,
            centers: &centers,
            ridge: 0.03,
        };
        let at: Vec<f64> = (0..objective.dim())
            .map(|_| rng.random_range(-1.0..1.0))
            .collect();
        let mut gradient = vec![0.0; at.len()];
        let value = objective.value_and_gradient(&at, &mut gradient).unwrap();
        let plain = plain_objective(&u, (&y, &weights), &objective, &at);
        assert!((value / plain - 1.0).abs() < 1e-12, "{value}, {plain}");
        for (g, d) in gradient.iter().zip(differences(&objective, &at, 1e-6)) {
            assert!((g - d).abs() < 1e-7, "{g} against {d}");
        }
        // The best leaves leave no slope, and the projected objective follows its gradient.
        let theta = &at[objective.splits()];
        let best = [theta, &objective.best_leaves(theta).unwrap()].concat();
        let least = objective.value_and_gradient(&best, &mut gradient).unwrap();
        let in_leaves = &gradient[theta.len()..];
        assert!(in_leaves.iter().all(|g| g.abs() < 1e-10), "{in_leaves:?}");
        assert!(least <= value);
        let projected = ProjectedMixtureError(objective.clone());
        let mut gradient = vec![0.0; theta.len()];
        let same = projected.value_and_gradient(theta, &mut gradient).unwrap();
        assert_eq!(same, least);
        for (g, d) in gradient.iter().zip(differences(&projected, theta, 1e-5)) {
            assert!((g - d).abs() < 1e-7, "{g} against {d}");
        }
    }
}
