//! A small problem in three classes, for the tests of this folder.

use super::continuation::stages;
use super::descent::Descent;
use super::working_sets::WorkingSets;
use crate::data::{Classes, ClassificationRows, Parallelism, ScaledRows, Scaling, ScalingKind};
use crate::objective::{CellRows, Penalty, PenaltySettings, RateBounds};
use crate::progress::Progress;
use crate::stop::Stop;
use crate::tree::Topology;
use ndarray::Array2;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;

pub const GAMMA: f64 = 20.0;
pub const FEATURES: usize = 3;

/// Rows in three classes that splits tell apart in part, with weights.
pub struct Data {
    x: Array2<f64>,
    pub codes: Vec<u32>,
    pub weights: Vec<f64>,
    scaling: Scaling,
    progress: Arc<Progress>,
}

impl Data {
    pub fn new(rows: usize, rng: &mut Pcg64) -> Self {
        let x = Array2::from_shape_fn((rows, FEATURES), |_| rng.random::<f64>());
        let codes = x.rows().into_iter().map(|row| {
            let noise = 0.2 * rng.random::<f64>();
            u32::from(row[0] + row[1] + noise > 1.1) + u32::from(row[2] + noise > 0.8)
        });
        let codes: Vec<u32> = codes.collect();
        let weights = (0..rows).map(|_| rng.random_range(0..4)).map(f64::from);
        Self {
            weights: weights.collect(),
            scaling: Scaling::learn(ScalingKind::MinMax, x.view().into(), None),
            progress: Arc::default(),
            codes,
            x,
        }
    }

    pub fn descent(
        &self,
        topology: Topology,
        penalty: &PenaltySettings,
        rule: WorkingSets,
    ) -> Descent<'_, '_> {
        let source = ScaledRows::new(self.x.view().into(), &self.scaling).shared();
        let classes = Classes::new(&self.codes, 3);
        let (weights, stop) = (Some(self.weights.as_slice()), Stop::default());
        let data = ClassificationRows::new(source, classes, weights, Parallelism::None, stop);
        let costs = [0.0, 0.5, 0.7, 0.5, 0.0, 0.5, 0.6, 0.5, 0.0];
        let class_weights = data.class_weights();
        Descent {
            stages: stages(GAMMA, &costs, &class_weights, FEATURES, false),
            penalty: Penalty::on_splits(penalty, &topology, FEATURES),
            node_penalty: Penalty::on_splits(penalty, &Topology::complete(1), FEATURES),
            cells: CellRows::of_classes(&data),
            split_penalty: 0.0,
            bounds: RateBounds::default(),
            gamma: GAMMA,
            cover_classes: true,
            tol: 1e-6,
            max_iter: 200,
            working_sets: rule,
            full_iterations: 0,
            proximal_weight: 0.0,
            seed: 3,
            class_weights,
            topology,
            data,
            progress: &self.progress,
        }
    }
}
