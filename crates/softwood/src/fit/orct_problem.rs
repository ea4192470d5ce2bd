//! The ORCT of checked rows, labels and costs: what its starts need, and the model of the best one.

use super::class_groups::Grouping;
use super::orct_settings::OrctSettings;
use crate::data::{Classes, ClassificationRows, Labels, Rows, Scaling, Source};
use crate::fitted::{
    ConstraintKind, ConstraintReport, Decision, FitReport, OrctCandidate, OrctModel, Routing,
    SoftTree,
};
use crate::leaves::likely_frequencies;
use crate::objective::{
    CellRows, Limit, Penalty, PenaltySettings, RateBound, RateBounds, Share, Wanted,
};
use crate::progress::Progress;
use crate::search::continuation::stages;
use crate::search::descent::{Descent, StartOutcome, is_kept};
use crate::search::few_leaves::{pruned_tree, with_few_leaves};
use crate::search::multistart::GROWN_FROM;
use crate::search::simplify::Simplified;
use crate::search::starts::{Starts, parallelism};
use crate::search::working_sets::WorkingSets;
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::tree::Topology;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Instant;

/// The validated problem, before scaling.
#[derive(Clone)]
pub(crate) struct OrctProblem<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: Option<&'a [f64]>,
    pub costs: &'a [f64],
    /// The groups that bounds are on, if there are any.
    pub grouping: Option<Grouping<'a>>,
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
            None => pruned_tree(descent, best)?,
            Some(most) => with_few_leaves(descent, starts, most)?,
        };
        let mut report = FitReport {
            objective: tree.objective,
            loss: tree.loss,
            constraints: self.constraints(settings, descent, &tree, best),
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
        let mut model = self.with_leaves(descent, tree, settings, scaling, report)?;
        self.measure_disagreement(&mut model);
        Ok(model)
    }

    /// The tree of one start, without splits that do nothing, and no more of a report than that of its start.
    pub fn tree(
        &self,
        descent: &Descent<'_, '_>,
        start: &StartOutcome,
        settings: &OrctSettings,
        scaling: &Scaling,
    ) -> Result<OrctModel, Interrupted> {
        let one = Starts::ranked(vec![start], |_, _| Ordering::Equal, None);
        let report = one.report(self.rows.len(), Instant::now());
        let (tree, _) = pruned_tree(descent, start)?;
        self.with_leaves(descent, tree, settings, scaling, report)
    }

    /// The tree with the classes of its leaves.
    fn with_leaves(
        &self,
        descent: &Descent<'_, '_>,
        tree: Simplified,
        settings: &OrctSettings,
        scaling: &Scaling,
        report: FitReport,
    ) -> Result<OrctModel, Interrupted> {
        let masses = (descent.cells).class_masses(&tree.masses, tree.labels.len());
        let frequencies = likely_frequencies(
            &descent.data,
            &tree.splits(descent.gamma).all(),
            &transposed(&masses, self.labels.classes.len(), tree.labels.len()),
        )?;
        let columns = settings.run.columns();
        let splits = (tree.coefficients, tree.intercepts);
        let soft = SoftTree::new(tree.shape, descent.gamma, splits, scaling, columns);
        Ok(OrctModel {
            classes: self.labels.classes.clone(),
            leaf_classes: tree.labels,
            leaf_weights: self.leaf_weights(&soft),
            tree: soft,
            frequencies,
            decision: self.decision(settings),
            report,
        })
    }

    /// L × K: weight of the rows of each class that end in each leaf.
    fn leaf_weights(&self, tree: &SoftTree) -> Vec<f64> {
        let leaves = tree.leaf_indices(self.rows).expect("checked rows");
        let k = self.labels.classes.len();
        let mut leaf_weights = vec![0.0; tree.shape.leaves().len() * k];
        for (i, (leaf, class)) in leaves.iter().zip(&self.labels.codes).enumerate() {
            let place = *leaf as usize * k + *class as usize;
            leaf_weights[place] += self.weights.map_or(1.0, |weights| weights[i]);
        }
        leaf_weights
    }

    /// Puts down the share of the rows, by weight, whose class is another with hard routing.
    fn measure_disagreement(&self, model: &mut OrctModel) {
        let [soft, hard] = [Routing::Soft, Routing::Hard]
            .map(|routing| model.predict_by(self.rows, routing).expect("checked rows"));
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
        if !settings.min_class_rate.is_empty() || self.grouping.is_some() {
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

    /// The rows in cells, and the bounds on them: those on classes, then those on groups.
    fn bounds<'d>(
        &self,
        data: &ClassificationRows<'d>,
        scaling: &'d Scaling,
        settings: &OrctSettings,
    ) -> (CellRows<'d>, Vec<RateBound>)
    where
        'a: 'd,
    {
        let (cells, of_groups) = match self.grouping {
            None => (CellRows::of_classes(data), Vec::new()),
            Some(grouping) => grouping.bounds(data, scaling),
        };
        let of_class = |(class, rate): &(usize, f64)| {
            let rows = cells.training().filter(|cell| cells.class(*cell) == *class);
            let share = Share::new(rows.collect(), Wanted::Class(*class), &cells)?;
            Some(RateBound {
                share,
                compared_with: None,
                limit: Limit::AtLeast(*rate),
                of_decisions: false,
                shift: 0.0,
                slack: 0.0,
            })
        };
        let bounds = settings.min_class_rate.iter().filter_map(of_class);
        let bounds = bounds.chain(of_groups).collect();
        (cells, bounds)
    }

    /// The bounds, as asked and as reached.
    fn constraints(
        &self,
        settings: &OrctSettings,
        descent: &Descent<'_, '_>,
        tree: &Simplified,
        best: &StartOutcome,
    ) -> Vec<ConstraintReport> {
        let of_class = |(class, asked): &(usize, f64)| ConstraintReport {
            class: Some(*class),
            ..ConstraintReport::asked(ConstraintKind::ClassRate, *asked)
        };
        let of_classes = settings.min_class_rate.iter().map(of_class);
        let of_groups = self.grouping.iter().flat_map(Grouping::asked).cloned();
        let prices = descent.bounds.prices(&best.multipliers);
        let reached = tree.reached.iter().zip(prices);
        let told = of_classes.chain(of_groups).zip(reached);
        told.map(|(asked, (reached, multiplier))| {
            let gap = asked.kind.is_gap();
            let signless = |value: f64| if gap { value.abs() } else { value };
            let of_group = asked.group.is_some();
            ConstraintReport {
                reached: signless(reached.value),
                expected: of_group.then_some(signless(reached.expected)),
                multiplier,
                feasible: is_kept(reached),
                ..asked
            }
        })
        .collect()
    }

    /// All that a start needs, with what `at` fixes of the settings.
    pub fn descent<'b, 'd>(
        &self,
        data: ClassificationRows<'d>,
        scaling: &'d Scaling,
        settings: &OrctSettings,
        at: &OrctCandidate,
        progress: &'b Arc<Progress>,
    ) -> Descent<'b, 'd>
    where
        'a: 'd,
    {
        let features = data.features();
        let class_weights = data.class_weights();
        let penalty = PenaltySettings {
            local: Some(at.local_penalty),
            share: None,
            global: at.global_penalty,
            ..settings.penalty.clone()
        };
        let (cells, bounds) = self.bounds(&data, scaling, settings);
        let node_penalty = Penalty::on_splits(&penalty, &Topology::complete(1), features);
        let working_sets = settings
            .solver
            .working_sets(self.topology.depth(), !bounds.is_empty());
        Descent {
            stages: stages(at.gamma, self.costs, &class_weights, features, at.balanced),
            penalty: match self.topology.depth() < GROWN_FROM {
                true => Penalty::on_splits(&penalty, &self.topology, features),
                // There is a tree to penalize once it has been grown, far smaller than the complete one.
                false => node_penalty.clone(),
            },
            node_penalty,
            split_penalty: settings.split_penalty(self.topology.depth(), self.costs, data.len()),
            bounds: RateBounds { bounds },
            cells,
            gamma: at.gamma,
            cover_classes: settings.cover_classes,
            tol: settings.tol,
            max_iter: settings.max_iter,
            working_sets,
            full_iterations: match working_sets {
                WorkingSets::Nodes => settings.full_iterations,
                _ => 0,
            },
            proximal_weight: match working_sets {
                WorkingSets::Full => 0.0,
                _ => settings.proximal_weight,
            },
            seed: settings.run.random_state,
            class_weights,
            topology: self.topology.clone(),
            data,
            progress,
        }
    }
}

/// From `rows` × `columns` to `columns` × `rows`.
fn transposed(matrix: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    let value = |i: usize| matrix[i % rows * columns + i / rows];
    (0..matrix.len()).map(value).collect()
}
