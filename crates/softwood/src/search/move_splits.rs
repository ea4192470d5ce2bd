//! The step of a descent that moves splits, all or some, while labels are held: with bounds and without.

use super::continuation::Stage;
use super::descent::{Descent, RATE_SEARCH, RATE_TOL};
use crate::objective::{BoundedCost, ExpectedCost, Penalty};
use crate::solver::{
    AugmentedLagrangian, Constrained, Held, LbfgsSettings, Multipliers, Outcome, Proximal,
    ProximalBounded, minimize_by_tangents, minimize_constrained,
};
use crate::stop::Interrupted;

/// How bounds on rates are pursued in a soft stage.
const SOFT_RATE_SEARCH: AugmentedLagrangian = AugmentedLagrangian {
    rounds: 3,
    ..RATE_SEARCH
};

impl Descent<'_, '_> {
    /// Minimizes over θ, or over some places of it, with the labels held; the outcome is of what moves.
    pub(super) fn move_splits(
        &self,
        stage: &Stage,
        labels: &[u32],
        theta: Vec<f64>,
        places: Option<&[usize]>,
        limits: &LbfgsSettings,
        multipliers: &mut Multipliers,
    ) -> Result<Outcome, Interrupted> {
        let penalty = self.penalty_of(stage);
        if self.bounds.is_empty() {
            let objective = ExpectedCost::with_total_weight(
                self.data.clone(),
                self.topology.clone(),
                stage.gamma,
                &stage.costs,
                labels.to_vec(),
                self.total_weight(),
            );
            let objective = self.pulled(objective, &theta);
            let runs = penalty.tangents(stage.soft);
            let progress = self.progress;
            return minimize_by_tangents(&objective, &penalty, theta, runs, limits, progress);
        }
        let problem = BoundedCost {
            rows: &self.cells,
            topology: self.topology.clone(),
            gamma: stage.gamma,
            costs: &stage.costs,
            labels,
            bounds: &self.bounds.tightened(0.5 * RATE_TOL),
            total: self.total_weight(),
        };
        let Some(places) = places else {
            return self.move_bounded(&problem, &penalty, theta, stage, limits, multipliers);
        };
        let held = Held {
            problem: &problem,
            point: &theta,
            places,
        };
        let start = places.iter().map(|i| theta[*i]).collect();
        let penalty = penalty.on_places(&theta, places);
        self.move_bounded(&held, &penalty, start, stage, limits, multipliers)
    }

    /// Minimizes under the bounds.
    fn move_bounded(
        &self,
        problem: &impl Constrained,
        penalty: &Penalty,
        start: Vec<f64>,
        stage: &Stage,
        limits: &LbfgsSettings,
        multipliers: &mut Multipliers,
    ) -> Result<Outcome, Interrupted> {
        let problem = ProximalBounded(self.pulled(problem, &start));
        let search = if stage.soft {
            SOFT_RATE_SEARCH
        } else {
            RATE_SEARCH
        };
        minimize_constrained(
            &problem,
            penalty,
            start,
            multipliers,
            &search,
            limits,
            self.progress,
        )
    }

    /// A problem in splits with the proximal term of (21): on coefficients, not on intercepts.
    pub(super) fn pulled<P>(&self, problem: P, from: &[f64]) -> Proximal<P> {
        let p = self.data.features();
        let coefficients = from.len() / (p + 1) * p;
        let weight = |i: usize| {
            if i < coefficients {
                self.proximal_weight
            } else {
                0.0
            }
        };
        Proximal {
            problem,
            weights: (0..from.len()).map(weight).collect(),
            center: from.to_vec(),
        }
    }
}
