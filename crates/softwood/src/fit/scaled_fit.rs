//! The fit of an ORCT once its features are scaled: to all of them, or to some.

use super::orct_problem::OrctProblem;
use super::orct_settings::OrctSettings;
use crate::control::Control;
use crate::data::{Scaling, Source, scaled};
use crate::fitted::{OrctCandidate, OrctModel};
use crate::search::descent::{Descent, StartOutcome};
use crate::search::multistart::{Effort, run_starts};
use crate::search::starts::Starts;
use crate::stop::{Interrupted, Stop};
use crate::tree::ParameterLayout;
use std::time::{Duration, Instant};

/// What there is to fit with.
#[derive(Clone)]
pub(super) struct ScaledFit<'a, 'p> {
    pub problem: &'a OrctProblem<'p>,
    pub settings: &'a OrctSettings,
    /// What is fixed of the settings.
    pub at: &'a OrctCandidate,
    pub scaling: &'a Scaling,
    pub stop: Stop,
    pub control: &'a Control,
    pub began: Instant,
}

impl<'a, 'p> ScaledFit<'a, 'p> {
    /// The same with this share of the time limit, counted from the beginning.
    pub fn within(&self, share: f64) -> Self {
        let limit = self.settings.run.time_limit;
        let left = |limit: Duration| limit.mul_f64(share).saturating_sub(self.began.elapsed());
        Self {
            stop: Stop::new(&self.control.stop, limit.map(left)),
            ..self.clone()
        }
    }

    /// The problem on rows that stand in for all of them.
    pub fn descent<'b>(&self, rows: &Source<'b>, scaling: &'b Scaling) -> Descent<'_, 'b>
    where
        'p: 'b,
    {
        let (problem, settings) = (self.problem, self.settings);
        let data = problem.classification(rows, problem.weights, settings.n_starts, &self.stop);
        problem.descent(data, scaling, settings, self.at, &self.control.progress)
    }

    /// The best tree of all starts.
    pub fn on_all_features<'b>(&self, scaled: &Source<'b>) -> Result<OrctModel, Interrupted>
    where
        'a: 'b,
        'p: 'b,
    {
        self.best_of_starts(&self.descent(scaled, self.scaling))
    }

    /// The same with the coefficients of all features but those kept held at 0.
    pub fn on_features(&self, kept: &[bool]) -> Result<OrctModel, Interrupted> {
        // Mapped to 0 as well, so that no start looks at them.
        let scaling = self.scaling.keeping(kept);
        let scaled = scaled(self.problem.rows.reborrow(), &scaling);
        let descent = self.descent(&scaled, &scaling).keeping(kept);
        self.best_of_starts(&descent)
    }

    /// The tree of a start with the coefficients of all features but those kept set to 0.
    pub fn truncated(
        &self,
        descent: &Descent<'_, '_>,
        start: &StartOutcome,
        kept: &[bool],
    ) -> Result<OrctModel, Interrupted> {
        let mut theta = start.theta.clone();
        let layout = ParameterLayout::new(&start.topology, kept.len());
        for t in 0..start.topology.branches() {
            let coefficients = theta[layout.coefficients(t)].iter_mut().zip(kept);
            coefficients.for_each(|(a, kept)| *a = if *kept { *a } else { 0.0 });
        }
        let descent = descent.clone().keeping(kept).at(&start.topology);
        let unstopped = descent.with_stop(&Stop::default());
        let outcome = unstopped.assess(theta)?;
        let stopped = self.stop.check().err();
        let starts = Starts::ranked(vec![outcome], StartOutcome::order, stopped);
        self.model(&descent, &starts)
    }

    fn best_of_starts(&self, descent: &Descent<'_, '_>) -> Result<OrctModel, Interrupted> {
        let (n, seed) = (self.settings.n_starts, self.settings.run.random_state);
        let starts = run_starts(descent, n, seed, Effort::Full)?;
        self.model(descent, &starts)
    }

    fn model(
        &self,
        descent: &Descent<'_, '_>,
        starts: &Starts<StartOutcome>,
    ) -> Result<OrctModel, Interrupted> {
        let (settings, scaling) = (self.settings, self.scaling);
        self.problem
            .model(descent, starts, settings, scaling, self.began)
    }
}
