//! Do values, gradients and fits have the same bits on any number of threads?

use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use softwood::data::{
    Classes, ClassificationRows, Labels, Parallelism, ScaledRows, Scaling, ScalingChoice,
    ScalingKind,
};
use softwood::objective::ExpectedCost;
use softwood::solver::Objective;
use softwood::stop::Stop;
use softwood::tree::Topology;
use softwood::{Control, OrctModel, OrctSettings, RunSettings, fit_orct};

/// Rows of three noisy classes.
fn noisy(rows: usize, features: usize) -> (Array2<f64>, Vec<i64>) {
    let mut rng = Pcg64::new(11, 0);
    let x = Array2::from_shape_simple_fn((rows, features), || rng.random_range(0.0..1.0));
    let y = x
        .rows()
        .into_iter()
        .map(|r| (2.0 * r[0] + r[1] * r[2] + rng.random_range(0.0..0.5)) as i64)
        .collect();
    (x, y)
}

fn same_on_all_thread_counts(rows: usize, settings: &OrctSettings) {
    let (x, y) = noisy(rows, 4);
    let labels = Labels::from(y.as_slice());
    let fit = |threads: usize| -> OrctModel {
        let settings = OrctSettings {
            run: RunSettings {
                n_threads: Some(threads),
                ..RunSettings::default()
            },
            ..settings.clone()
        };
        let mut model = fit_orct(x.view(), &labels, None, &settings, &Control::default()).unwrap();
        model.report.seconds = 0.0;
        model
    };
    let one = fit(1);
    for threads in [2, 3] {
        assert_eq!(fit(threads), one, "{threads} threads");
    }
}

#[test]
fn starts_in_parallel_fit_the_same_tree() {
    let scaling = ScalingChoice::Fixed(ScalingKind::Quantile);
    same_on_all_thread_counts(
        300,
        &OrctSettings {
            n_starts: 6,
            max_iter: 60,
            scaling,
            ..OrctSettings::plain()
        },
    );
    same_on_all_thread_counts(
        300,
        &OrctSettings {
            n_starts: 1,
            depth: 3,
            max_iter: 60,
            ..OrctSettings::plain()
        },
    );
}

#[test]
fn the_choice_of_scaling_is_the_same() {
    let scaling = ScalingChoice::Auto;
    same_on_all_thread_counts(
        200,
        &OrctSettings {
            n_starts: 2,
            max_iter: 20,
            scaling,
            ..OrctSettings::plain()
        },
    );
}

#[test]
fn rows_in_parallel_fit_the_same_tree() {
    same_on_all_thread_counts(
        75_000,
        &OrctSettings {
            n_starts: 2,
            max_iter: 3,
            ..OrctSettings::plain()
        },
    );
}

#[test]
fn values_gradients_and_predictions_are_the_same() {
    let (x, y) = noisy(75_001, 5);
    let labels = Labels::from(y.as_slice());
    let weights: Vec<f64> = (0..y.len()).map(|i| 0.5 + (i % 7) as f64 / 3.0).collect();
    let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), Some(&weights));
    let scaled = ScaledRows::new(x.view().into(), &scaling).shared();
    let topology = Topology::complete(3);
    let k = labels.classes.len();
    let evaluate = |parallelism| {
        let classes = Classes::new(&labels.codes, k);
        let weights = Some(weights.as_slice());
        let stop = Stop::default();
        let data = ClassificationRows::new(scaled.clone(), classes, weights, parallelism, stop);
        let costs: Vec<f64> = (0..k * k)
            .map(|i| if i % (k + 1) == 0 { 0.0 } else { 0.5 })
            .collect();
        let objective = ExpectedCost::new(
            data.clone(),
            topology.clone(),
            64.0,
            &costs,
            (0..8).map(|t| t % k as u32).collect(),
        );
        let theta: Vec<f64> = (0..objective.dim())
            .map(|i| (i as f64 * 0.7).sin())
            .collect();
        let mut gradient = vec![0.0; theta.len()];
        let value = objective.value_and_gradient(&theta, &mut gradient).unwrap();
        (
            value,
            gradient,
            data.leaf_masses(&topology, &theta, 64.0).unwrap(),
        )
    };
    let alone = evaluate(Parallelism::None);
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert_eq!(
            pool.install(|| evaluate(Parallelism::Rows)),
            alone,
            "{threads} threads"
        );
    }
}
