//! The starts of an SRT, by successive halving: some macro-iterations for all, the rest for the better half.

use super::choose_ridges::{first_ridges, ridges_of_most_evidence};
use super::srt_settings::{RegressionStart, SrtSettings};
use crate::data::{RegressionRows, WeightedRows};
use crate::progress::Progress;
use crate::search::nodec_run::{NodecRules, RegressionOutcome, Ridges, Run};
use crate::search::replace_subtrees::replace_subtrees;
use crate::search::starts::{Starts, best_of_starts, side_by_side, why_stopped};
use crate::start::{clustered_splits, random_splits};
use crate::stop::Interrupted;
use crate::tree::second_moments::SecondMoments;
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
    /// penalties have the most evidence. With these, the better half goes on to the end. Cancelled,
    /// every start that has begun ends where it stands.
    pub fn run(&self) -> Result<Starts<RegressionOutcome>, Interrupted> {
        let rules = NodecRules {
            imbalance: self.settings.imbalance,
            convergent_after: self.settings.convergent_after,
            tol: self.settings.tol,
        };
        let first = first_ridges(self.data, self.settings);
        let mut begun = self.first_rung(&first, &rules)?;
        if let Err(interrupted) = self.go_on(&mut begun, &first) {
            for run in &mut begun.outcomes {
                run.end(interrupted.clone())?;
            }
        }
        let (spread, stop) = (self.data.rows.parallelism, &self.data.rows.stop);
        let outcomes = side_by_side(begun.outcomes, spread, Run::finish)?;
        let order = |a: &RegressionOutcome, b: &RegressionOutcome| {
            a.ending.objective.total_cmp(&b.ending.objective)
        };
        let stopped = why_stopped(stop, begun.stopped.is_some());
        let starts = Starts::ranked(outcomes, order, stopped);
        let best = &starts.outcomes[starts.best];
        self.progress.reach(best.ending.objective);
        Ok(starts)
    }

    /// From the first rung on.
    fn go_on(&self, begun: &mut Starts<Run<'_, 'd>>, first: &Ridges) -> Result<(), Interrupted> {
        self.data.rows.stop.check()?;
        let settings = self.settings;
        let asked = settings.ridge_branches.is_some() && settings.ridge_leaves.is_some();
        let ridges = if asked {
            None
        } else {
            let best = begun.outcomes[begun.best].best();
            Some(ridges_of_most_evidence(self.data, best, first, settings)?)
        };
        self.halve(&mut begun.outcomes, ridges.as_ref())?;
        // Steps that must be accepted lead to a point that is to stay.
        if settings.convergent_after.is_none() {
            self.replace_subtrees_of_best(&mut begun.outcomes)?;
        }
        Ok(())
    }

    /// All starts after the macro-iterations that each of them gets.
    fn first_rung<'r>(
        &'r self,
        ridges: &Ridges,
        rules: &'r NodecRules,
    ) -> Result<Starts<Run<'r, 'd>>, Interrupted> {
        let begin = |start: usize| {
            match self.begin(start, ridges, rules) {
                // Without any start there is no answer: that of all rows is one, and takes no time.
                Err(Interrupted::TimeLimit) if start == 0 => {
                    let shape = self.topology.clone();
                    Ok(Run::without_splits(
                        self.data,
                        shape,
                        ridges.clone(),
                        rules,
                        self.progress,
                    ))
                }
                begun => begun,
            }
        };
        let rows = &self.data.rows;
        let (n, parallelism) = (self.settings.n_starts, rows.parallelism);
        best_of_starts(n, parallelism, &rows.stop, begin, by_objective)
    }

    /// A start after its first macro-iterations. The time limit waits for the splits and leaf models of the first one
    /// if they are quick.
    fn begin<'r>(
        &'r self,
        start: usize,
        ridges: &Ridges,
        rules: &'r NodecRules,
    ) -> Result<Run<'r, 'd>, Interrupted> {
        let (rows, p, leaves) = (
            self.data.len(),
            self.data.features(),
            self.topology.leaves(),
        );
        let waits = start == 0 && SecondMoments::make_quick_start(p, rows, leaves);
        let first = match waits {
            true => self.data.without_deadline(),
            false => self.data.clone(),
        };
        let splits = self.first_splits(&first.rows, self.topology.clone(), start)?;
        let (ridges, progress) = (ridges.clone(), self.progress);
        let mut run = Run::new(self.data, &first, splits, ridges, rules, progress)?;
        run.advance(self.settings.macro_iterations.min(FIRST_RUNG))?;
        Ok(run)
    }

    /// Takes the better half to the end, with other penalties for all if there are any.
    fn halve(&self, runs: &mut [Run<'_, 'd>], ridges: Option<&Ridges>) -> Result<(), Interrupted> {
        let mut ranked: Vec<f64> = runs.iter().map(Run::objective).collect();
        ranked.sort_by(f64::total_cmp);
        let median = ranked[(ranked.len() - 1) / 2];
        let runs: Vec<&mut Run<'_, 'd>> = runs.iter_mut().collect();
        side_by_side(runs, self.data.rows.parallelism, |run| {
            let goes_on = run.objective() <= median;
            if let Some(ridges) = ridges {
                run.penalize(ridges)?;
            }
            if goes_on {
                run.advance(self.settings.macro_iterations)?;
            }
            self.progress.finish_start(Some(run.objective()));
            Ok(())
        })?;
        Ok(())
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
