//! Random trees for the tests of what models tell of rows.

use super::{Decision, FitReport, OrctModel, SoftTree};
use crate::data::{ClassLabels, FeatureMap, Scaling, ScalingKind};
use crate::status::SolveStatus;
use crate::tree::{Shape, Topology};
use ndarray::ArrayView2;
use rand::RngExt;
use rand_pcg::Pcg64;

/// A random tree over features with these maps.
pub fn random_model(
    seed: u64,
    depth: usize,
    classes: usize,
    gamma: f64,
    maps: Vec<FeatureMap>,
) -> OrctModel {
    let mut rng = Pcg64::new(u128::from(seed), 1);
    let (topology, p) = (Topology::complete(depth), maps.len());
    let mut coefficients = || {
        (0..p)
            .map(|_| rng.random_range(-1.0..1.0))
            .collect::<Vec<f64>>()
    };
    let coefficients: Vec<Vec<f64>> = (0..topology.branches()).map(|_| coefficients()).collect();
    // Through the middle of the unit box, so that every split has a slope there.
    let middle = |a: &Vec<f64>| a.iter().sum::<f64>() / (2.0 * p as f64);
    OrctModel {
        tree: SoftTree {
            shape: Shape::complete(depth),
            named: false,
            encoding: None,
            gamma,
            intercepts: coefficients.iter().map(middle).collect(),
            coefficients: coefficients.concat(),
            feature_names: (0..p).map(|j| format!("x{j}")).collect(),
            scaling: Scaling {
                kind: ScalingKind::MinMax,
                typical: maps.iter().map(FeatureMap::middle).collect(),
                features: maps,
            },
        },
        classes: ClassLabels::Int((0..classes as i64).collect()),
        leaf_classes: (0..topology.leaves())
            .map(|_| rng.random_range(0..classes as u32))
            .collect(),
        leaf_weights: Vec::new(),
        frequencies: Vec::new(),
        decision: Decision::LeafLabels,
        report: FitReport {
            status: SolveStatus::Converged,
            objective: 0.0,
            loss: 0.0,
            loss_unit: None,
            seconds: 0.0,
            iterations: 0,
            evaluations: 0,
            optimality: 0.0,
            start_objectives: vec![0.0],
            best_start: 0,
            constraints: Vec::new(),
            cross_validation: None,
            selection: None,
            notices: Vec::new(),
            hard_disagreement: None,
            proof: None,
            rows: 1,
        },
    }
}

/// Leaves that hold several classes, for every other seed.
pub fn with_mixed_leaves(mut model: OrctModel, seed: u64) -> OrctModel {
    if seed % 2 == 1 {
        let count = model.leaf_classes.len() * model.classes.len();
        let weight = |i: usize| 1e3 * ((seed % 1000) as f64 + i as f64).sin().powi(8);
        model.leaf_weights = (0..count).map(weight).collect();
        model.frequencies = model.hard_frequencies();
    }
    model
}

/// Widths of all scales; the last feature has knots with steep and flat pieces.
pub fn maps() -> Vec<FeatureMap> {
    vec![
        FeatureMap::Linear {
            min: -2.0,
            max: 3.0,
        },
        FeatureMap::Linear {
            min: 1e300,
            max: 3e300,
        },
        FeatureMap::Linear {
            min: -1e-300,
            max: 1e-300,
        },
        FeatureMap::Constant,
        FeatureMap::Knots {
            values: vec![-1.0, 0.0, 0.25, 8.0],
            levels: vec![0.0, 0.2, 0.9, 1.0],
        },
    ]
}

/// The value at a share of a feature's range.
pub fn at_share(map: &FeatureMap, share: f64) -> f64 {
    match map {
        FeatureMap::Constant => share,
        FeatureMap::Linear { min, max } => min + share * (max - min),
        FeatureMap::Knots { values, .. } => {
            values[0] + share * (values[values.len() - 1] - values[0])
        }
    }
}

pub fn row(x: &[f64]) -> ArrayView2<'_, f64> {
    ArrayView2::from_shape((1, x.len()), x).unwrap()
}
