//! The starts of an SRT, by successive halving: some macro-iterations for all, the rest for the better half.

use super::choose_ridges::{first_ridges, ridges_of_most_evidence};
use super::srt_settings::{RegressionStart, SrtSettings};
use crate::data::{RegressionRows, WeightedRows};
use crate::progress::Progress;
use crate::search::nodec_run::{NodecRules, RegressionOutcome, Ridges, Run};
use crate::search::replace_subtrees::replace_subtrees;
use crate::search::starts::{Starts, best_of_starts, side_by_side};
use crate::start::{clustered_splits, random_splits};
use crate::stop::Interrupted;
use crate::tree::{RegressionParameters, Topology};
use rand_pcg::Pcg64;
use std::cmp::Ordering;
use std::sync::Arc;

/// The first rung: macro-iterations after which the worse half of the starts is given up.
const FIRST_RUNG: u64 = 4;

/// What every start needs.
pub(super) struct SrtStarts<'a, 'd> {
    pub data: &'a RegressionRows<'d>,
    pub topology: Topology,
    pub settings: &'a SrtSettings,
    pub progress: &'a Arc<Progress>,
}

fn by_objective(a: &Run<'_, '_>, b: &Run<'_, '_>) -> Ordering {
    a.objective().total_cmp(&b.objective())
}

impl<'d> SrtStarts<'_, 'd> {
    /// Runs the starts. All of them climb the first rung with weak penalties; the best one tells which
    /// penalties have the most evidence. With these, the better half goes on to the end.
    pub fn run(&self) -> Result<(Starts<RegressionOutcome>, Ridges), Interrupted> {
        let (data, settings) = (self.data, self.settings);
        let rules = NodecRules {
            imbalance: settings.imbalance,
            convergent_after: settings.convergent_after,
            tol: settings.tol,
        };
        let first = first_ridges(data, settings);
        let begun = self.first_rung(&first, &rules)?;
        let asked = settings.ridge_branches.is_some() && settings.ridge_leaves.is_some();
        let ridges = if asked {
            first
        } else {
            let best = begun.outcomes[begun.best].best();
            ridges_of_most_evidence(data, best, &first, settings)?
        };
        let cut_short = begun.cut_short;
        let mut runs = self.halve(begun, (!asked).then_some(&ridges))?;
        // Steps that must be accepted lead to a point that is to stay.
        if settings.convergent_after.is_none() {
            self.replace_subtrees_of_best(&mut runs)?;
        }
        let outcomes = side_by_side(runs, data.rows.parallelism, |run| {
            let outcome = run.finish()?;
            self.progress.finish_start(Some(outcome.ending.objective));
            Ok(outcome)
        })?;
        let order = |a: &RegressionOutcome, b: &RegressionOutcome| {
            a.ending.objective.total_cmp(&b.ending.objective)
        };
        Ok((Starts::ranked(outcomes, order, cut_short), ridges))
    }

    /// All starts after the macro-iterations that each of them gets.
    fn first_rung<'r>(
        &'r self,
        ridges: &Ridges,
        rules: &'r NodecRules,
    ) -> Result<Starts<Run<'r, 'd>>, Interrupted> {
        let begin = |start: usize| {
            let patient = self.data.without_deadline();
            let splits = self.first_splits(&patient.rows, self.topology, start)?;
            let mut run = Run::new(self.data, splits, ridges.clone(), rules, self.progress)?;
            run.advance(self.settings.macro_iterations.min(FIRST_RUNG))?;
            Ok(run)
        };
        let rows = &self.data.rows;
        let (n, parallelism) = (self.settings.n_starts, rows.parallelism);
        best_of_starts(n, parallelism, &rows.stop, begin, by_objective)
    }

    /// Takes the better half to the end, with other penalties for all if there are any.
    fn halve<'r>(
        &self,
        begun: Starts<Run<'r, 'd>>,
        ridges: Option<&Ridges>,
    ) -> Result<Vec<Run<'r, 'd>>, Interrupted> {
        let mut ranked: Vec<f64> = begun.outcomes.iter().map(Run::objective).collect();
        ranked.sort_by(f64::total_cmp);
        let median = ranked[(ranked.len() - 1) / 2];
        side_by_side(begun.outcomes, self.data.rows.parallelism, |mut run| {
            let goes_on = run.objective() <= median;
            if let Some(ridges) = ridges {
                run.penalize(ridges)?;
            }
            if goes_on {
                run.advance(self.settings.macro_iterations)?;
            }
            Ok(run)
        })
    }

    /// Grows subtrees of the best run anew.
    fn replace_subtrees_of_best(&self, runs: &mut [Run<'_, '_>]) -> Result<(), Interrupted> {
        let (n, rounds) = (self.settings.n_starts, self.settings.macro_iterations);
        let best = runs.iter_mut().min_by(|a, b| by_objective(a, b));
        let splits = |rows: &RegressionRows<'_>, shape, attempt| {
            self.first_splits(&rows.rows, shape, n + attempt)
        };
        replace_subtrees(best.expect("at least one start"), n / 2, rounds, &splits)
    }

    /// Splits to begin with.
    fn first_splits(
        &self,
        rows: &WeightedRows<'_>,
        topology: Topology,
        start: usize,
    ) -> Result<RegressionParameters, Interrupted> {
        let seed = self.settings.run.random_state;
        let mut rng = Pcg64::new(u128::from(seed), start as u128);
        let clusters = match self.settings.start {
            RegressionStart::Clusters => true,
            RegressionStart::Random => false,
            RegressionStart::Mixed => start.is_multiple_of(2),
        };
        if clusters {
            clustered_splits(rows, topology, self.progress, &mut rng)
        } else {
            random_splits(rows, topology, &mut rng)
        }
    }
}
