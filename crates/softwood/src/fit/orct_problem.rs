//! The ORCT of checked rows, labels and costs: what its starts need, and the model of the best one.

use super::orct_settings::OrctSettings;
use crate::data::{Classes, ClassificationRows, Labels, Rows, Scaling, Source};
use crate::fitted::{
    ConstraintKind, ConstraintReport, Decision, FitReport, LinearSplits, Mixture, OrctModel,
    SoftTree,
};
use crate::leaves::likely_frequencies;
use crate::objective::{ClassRates, LambdaMax, Penalty};
use crate::progress::Progress;
use crate::search::continuation::stages;
use crate::search::descent::{Descent, StartOutcome};
use crate::search::few_leaves::with_few_leaves;
use crate::search::simplify::Simplified;
use crate::search::starts::{Starts, parallelism};
use crate::solver::Work;
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::tree::{ParameterLayout, Shape, Topology};
use std::borrow::Cow;
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
            features: self.rows.features(),
            coefficients,
            intercepts,
            gamma,
        };
        splits.mixture_of_labels(&start.labels, self.labels.classes.len())
    }

    /// The model of the best start, without splits that do nothing.
    pub fn model(
        &self,
        descent: &Descent<'_, '_>,
        starts: &Starts<StartOutcome>,
        settings: &OrctSettings,
        scaling: &Scaling,
        began: Instant,
    ) -> Result<OrctModel, Interrupted> {
        let best = &starts.outcomes[starts.best];
        let (tree, work) = match settings.max_leaves {
            None => (Simplified::of(descent, best)?, Work::default()),
            Some(most) => with_few_leaves(descent, starts, most)?,
        };
        let frequencies = likely_frequencies(
            &descent.data,
            &tree.splits(descent.gamma).all(),
            tree.shape.leaves(),
            &transposed(&tree.masses, self.labels.classes.len(), tree.labels.len()),
        )?;
        let mut report = FitReport {
            objective: tree.objective,
            loss: tree.loss,
            constraints: constraints(descent, &tree, best),
            loss_unit: Some(1.0),
            ..starts.report(self.rows.len(), began)
        };
        report.start_objectives[starts.best] = tree.objective;
        report.iterations += work.iterations;
        report.evaluations += work.evaluations;
        let missed = report.constraints.iter().any(|bound| !bound.feasible);
        if missed && !report.status.is_stopped() {
            report.status = SolveStatus::Infeasible;
        }
        let names = settings.run.feature_names.as_deref();
        let (coefficients, intercepts) = (tree.coefficients, tree.intercepts);
        let mut model = OrctModel {
            tree: SoftTree::new(
                tree.shape,
                settings.gamma,
                (coefficients, intercepts),
                scaling,
                names,
            ),
            classes: self.labels.classes.clone(),
            leaf_classes: tree.labels,
            leaf_weights: Vec::new(),
            frequencies,
            decision: self.decision(settings),
            report,
        };
        self.route_hard(&mut model);
        Ok(model)
    }

    /// Puts down which rows end in each leaf, and the share of them, by weight, whose class is another
    /// then.
    fn route_hard(&self, model: &mut OrctModel) {
        let leaves = model.tree.leaf_indices(self.rows).expect("checked rows");
        let k = self.labels.classes.len();
        let mut leaf_weights = vec![0.0; model.leaf_classes.len() * k];
        for (i, (leaf, class)) in leaves.iter().zip(&self.labels.codes).enumerate() {
            let place = *leaf as usize * k + *class as usize;
            leaf_weights[place] += self.weights.map_or(1.0, |weights| weights[i]);
        }
        model.leaf_weights = leaf_weights;
        let decisions = model.leaf_decisions();
        let hard = leaves.iter().map(|leaf| decisions[*leaf as usize]);
        let soft = model.predict(self.rows).expect("checked rows");
        let weight = |i: usize| self.weights.map_or(1.0, |weights| weights[i]);
        let heaviest = (0..self.rows.len()).map(weight).fold(0.0, f64::max);
        let (mut other, mut all) = (0.0, 0.0);
        for (i, (soft, hard)) in soft.into_iter().zip(hard).enumerate() {
            // By the heaviest, as weights may be too small or too large to be added.
            let weight = weight(i) / heaviest;
            all += weight;
            other += if soft == hard { 0.0 } else { weight };
        }
        model.report.hard_disagreement = Some(other / all);
    }

    /// How the model chooses a class.
    fn decision(&self, settings: &OrctSettings) -> Decision {
        let classes = self.labels.classes.len();
        if !settings.min_class_rate.is_empty() {
            return Decision::LeafLabels;
        }
        match &settings.costs {
            Some(costs) => {
                let rows = costs.chunks_exact(classes);
                Decision::LeastCost(rows.map(<[f64]>::to_vec).collect())
            }
            None => Decision::MostProbable,
        }
    }

    /// The settings with λ_L said where it is a share of the penalty that empties the tree.
    pub fn with_penalty<'s>(
        &self,
        settings: &'s OrctSettings,
        data: &ClassificationRows<'_>,
    ) -> Result<Cow<'s, OrctSettings>, Interrupted> {
        let Some(share) = settings.penalty.share else {
            return Ok(Cow::Borrowed(settings));
        };
        let (depth, gamma) = (self.topology.depth(), settings.gamma);
        let patient = data.without_deadline();
        let emptying = LambdaMax::of(&patient, self.costs, depth, gamma, &settings.penalty)?;
        let mut said = settings.clone();
        said.penalty.share = None;
        said.penalty.local = Some(share * emptying.local);
        Ok(Cow::Owned(said))
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
        let penalty = settings
            .penalty
            .resolved(features, self.costs, settings.gamma);
        Descent {
            stages: stages(settings.gamma, self.costs, &class_weights, features),
            penalty: Penalty::on_splits(&penalty, self.topology, features),
            node_penalty: Penalty::on_splits(&penalty, Topology::complete(1), features),
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
fn constraints(
    descent: &Descent<'_, '_>,
    tree: &Simplified,
    best: &StartOutcome,
) -> Vec<ConstraintReport> {
    let reached = descent.rates_reached(&tree.masses, &tree.labels);
    let both = descent
        .rates
        .bounds
        .iter()
        .zip(&best.multipliers)
        .zip(reached);
    both.map(
        |(((class, asked), multiplier), (rate, feasible))| ConstraintReport {
            kind: ConstraintKind::ClassRate,
            class: Some(*class),
            group: None,
            asked: *asked,
            reached: rate,
            multiplier: *multiplier,
            feasible,
        },
    )
    .collect()
}

/// From `rows` × `columns` to `columns` × `rows`.
fn transposed(matrix: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    let value = |i: usize| matrix[i % rows * columns + i / rows];
    (0..matrix.len()).map(value).collect()
}
