//! The ORCT of checked rows, labels and costs: what its starts need, and the model of the best one.

use super::orct_settings::OrctSettings;
use crate::data::{Classes, ClassificationRows, Labels, Rows, Scaling, Source};
use crate::fitted::{
    ConstraintKind, ConstraintReport, FitReport, LinearSplits, Mixture, OrctModel, SoftTree,
};
use crate::objective::{ClassRates, Penalty};
use crate::progress::Progress;
use crate::search::continuation::stages;
use crate::search::descent::{Descent, StartOutcome};
use crate::search::starts::{Starts, parallelism};
use crate::stop::Stop;
use crate::tree::{ParameterLayout, Shape, Topology};
use std::sync::Arc;
use std::time::Instant;

/// The validated problem, before scaling.
#[derive(Clone, Copy)]
pub(crate) struct OrctProblem<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: Option<&'a [f64]>,
    pub costs: &'a [f64],
    pub topology: Topology,
}

impl<'a> OrctProblem<'a> {
    /// The problem on scaled rows, with starts or rows to run in parallel.
    pub fn classification<'b>(
        &self,
        rows: &Source<'b>,
        weights: Option<&[f64]>,
        n_starts: usize,
        stop: &Stop,
    ) -> ClassificationRows<'b>
    where
        'a: 'b,
    {
        let spread = parallelism(rows.chunks(), n_starts);
        let classes = Classes::new(&self.labels.codes, self.labels.classes.len());
        ClassificationRows::new(rows.clone(), classes, weights, spread, stop.clone())
    }

    /// Where splits are in θ.
    pub fn layout(&self) -> ParameterLayout {
        ParameterLayout::new(self.topology, self.rows.features())
    }

    /// What the tree of a start predicts.
    pub fn mixture(&self, start: &StartOutcome, gamma: f64) -> Mixture {
        let (coefficients, intercepts) = self.layout().split(&start.theta);
        let splits = LinearSplits {
            shape: &Shape::complete(self.topology.depth()),
            coefficients,
            intercepts,
            gamma,
        };
        splits.mixture_of_labels(&start.labels, self.labels.classes.len())
    }

    /// The model of the best start.
    pub fn model(
        &self,
        starts: &Starts<StartOutcome>,
        settings: &OrctSettings,
        scaling: &Scaling,
        began: Instant,
    ) -> OrctModel {
        let best = &starts.outcomes[starts.best];
        let names = settings.run.feature_names.as_deref();
        let tree = SoftTree::of(self.topology, settings.gamma, &best.theta, scaling, names);
        let report = FitReport {
            constraints: constraints(settings, best),
            loss_unit: Some(1.0),
            ..starts.report(self.rows.len(), began)
        };
        OrctModel {
            tree,
            classes: self.labels.classes.clone(),
            leaf_classes: best.labels.clone(),
            report,
        }
    }

    /// All that a start needs.
    pub fn descent<'b, 'd>(
        &self,
        data: ClassificationRows<'d>,
        settings: &OrctSettings,
        progress: &'b Arc<Progress>,
    ) -> Descent<'b, 'd> {
        let features = data.features();
        let class_weights = data.class_weights();
        Descent {
            stages: stages(settings.gamma, self.costs, &class_weights, features),
            penalty: Penalty::on_splits(&settings.penalty, self.topology, features),
            node_penalty: Penalty::on_splits(&settings.penalty, Topology::complete(1), features),
            rates: ClassRates {
                bounds: settings.min_class_rate.clone(),
            },
            gamma: settings.gamma,
            cover_classes: settings.cover_classes,
            tol: settings.tol,
            max_iter: settings.max_iter,
            class_weights,
            topology: self.topology,
            data,
            progress,
        }
    }
}

/// The bounds on class rates, as asked and as reached.
fn constraints(settings: &OrctSettings, best: &StartOutcome) -> Vec<ConstraintReport> {
    let both = settings.min_class_rate.iter().zip(&best.rates);
    both.map(|((class, asked), reached)| ConstraintReport {
        kind: ConstraintKind::ClassRate,
        class: Some(*class),
        group: None,
        asked: *asked,
        reached: reached.rate,
        multiplier: reached.multiplier,
        feasible: reached.feasible,
    })
    .collect()
}
