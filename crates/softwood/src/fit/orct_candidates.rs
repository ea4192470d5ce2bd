//! Settings of an ORCT tried on folds: `fit_orct_cv` and the open settings of `fit_orct` choose from them.

use super::class_fold::{ClassData, ClassFold};
use super::cv_table::{Candidate, table};
use super::orct_problem::OrctProblem;
use super::orct_settings::OrctSettings;
use crate::data::{Parallelism, Scaling, Source, scaled};
use crate::error::InputError;
use crate::fitted::{ClassScoring, CvTable, OrctCandidate, Scoring, TriedSettings};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::descent::{Descent, StartOutcome};
use crate::search::folds::Folds;
use crate::search::multistart::{
    Effort, GROWN_FROM, run_starts, sharpen_starts, sharpened, warm_start_and_prune,
};
use crate::search::race::{CvRule, Trial};
use crate::stop::{Interrupted, Stop};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Quasi-Newton iterations of a run at most.
const CV_ITERATIONS: u64 = 60;

/// The data of a choice and what is chosen from.
pub(super) struct OrctCandidates<'a> {
    pub data: ClassData<'a>,
    /// All that is not chosen.
    pub settings: &'a OrctSettings,
    /// Those of one depth, scaling and balance stand together, γ and then penalties increasing; each such
    /// chain is of the same length.
    pub candidates: Vec<OrctCandidate>,
    pub scoring: ClassScoring,
    pub effort: OrctEffort,
    pub stop: &'a Stop,
    pub progress: &'a Arc<Progress>,
}

/// How much goes into a choice.
#[derive(Clone, Copy)]
pub(super) struct OrctEffort {
    pub folds: CvEffort,
    /// Fresh starts for each fold and chain: enough to compare.
    pub starts: usize,
    /// Of which the best ones are the warm starts at other γ and penalties.
    pub warm_starts: usize,
}

/// The best starts of a chain so far.
struct WarmStarts {
    gamma: f64,
    /// At γ and the least penalty.
    at_least_penalty: Vec<StartOutcome>,
    /// At γ and the last penalty.
    latest: Vec<StartOutcome>,
}

impl OrctCandidates<'_> {
    /// The foldings, or an error if they cannot be made.
    pub fn foldings(&self) -> Result<Vec<Folds>, InputError> {
        let seed = self.settings.run.random_state;
        self.data.foldings(&self.effort.folds, seed)
    }

    /// The table of all candidates, and which is taken.
    pub fn table(&self, foldings: &[Folds], rule: CvRule) -> Result<CvTable, Interrupted> {
        let how = (Scoring::Classes(self.scoring), rule);
        table(&self.candidates, self, foldings, how, self.progress)
    }

    /// All that a start of a candidate needs.
    fn descent<'b>(
        &self,
        problem: &OrctProblem<'b>,
        (scaled, scaling): (&Source<'b>, &'b Scaling),
        candidate: &OrctCandidate,
    ) -> Descent<'_, 'b> {
        let mut settings = self.settings.clone();
        settings.max_iter = settings.max_iter.min(CV_ITERATIONS);
        let mut data = problem.classification(scaled, problem.weights, 1, self.stop);
        data.rows.parallelism = Parallelism::None; // chains run side by side
        problem.descent(data, scaling, &settings, candidate, self.progress)
    }

    /// The best starts of a candidate, best first: fresh ones, or from those of the one before.
    fn run(
        &self,
        descent: &Descent<'_, '_>,
        warm: Option<&WarmStarts>,
    ) -> Result<Vec<StartOutcome>, Interrupted> {
        let seed = self.settings.run.random_state;
        // Which splits are grown depends on the penalty, and growing them is quick.
        let grown = descent.topology.depth() >= GROWN_FROM;
        let starts = match warm.filter(|_| !grown) {
            None => run_starts(descent, self.fresh_starts(), seed, Effort::Compare)?,
            Some(last) if last.gamma == descent.gamma => {
                warm_start_and_prune(descent, &last.latest)?
            }
            Some(softer) => sharpen_starts(descent, &softer.at_least_penalty, seed)?,
        };
        let mut outcomes = starts.outcomes;
        outcomes.sort_by(StartOutcome::order);
        outcomes.truncate(self.effort.warm_starts);
        Ok(outcomes)
    }

    fn fresh_starts(&self) -> usize {
        self.effort.starts.min(self.settings.n_starts)
    }
}

impl Candidate for OrctCandidate {
    /// Shallow first.
    fn simpler(&self, other: &Self) -> Ordering {
        self.depth.cmp(&other.depth)
    }

    fn tried(&self) -> TriedSettings {
        TriedSettings::Orct(self.clone())
    }
}

impl Candidates for OrctCandidates<'_> {
    type Fold = ClassFold;

    fn count(&self) -> usize {
        self.candidates.len()
    }

    fn chain(&self) -> usize {
        let shape = |c: &OrctCandidate| (c.depth, c.scaling, c.balanced);
        let first = shape(&self.candidates[0]);
        let chain = self.candidates.iter().take_while(|c| shape(c) == first);
        chain.count()
    }

    fn starts_of_fold(&self) -> usize {
        let fresh = self.fresh_starts();
        let warm = fresh.min(self.effort.warm_starts);
        let chains = self.candidates.chunks(self.chain());
        let starts = chains.map(|chain| {
            if chain[0].depth >= GROWN_FROM {
                return fresh * chain.len();
            }
            let gammas = chain.chunk_by(|a, b| a.gamma == b.gamma).count();
            let sharper = (gammas - 1) * sharpened(chain[0].depth, warm);
            fresh + sharper + (chain.len() - gammas) * warm
        });
        starts.sum()
    }

    fn fold(&self, train: &[usize], held: &[usize]) -> ClassFold {
        self.data.fold(train, held)
    }

    fn held_weights(fold: &ClassFold) -> &[f64] {
        &fold.held_weights
    }

    /// Fresh starts at the softest γ; those of every other γ begin where the last one's, at its least
    /// penalty, have ended, and penalties grow from there.
    fn try_chain(
        &self,
        chain: Range<usize>,
        running: &(dyn Fn(usize) -> bool + Sync),
        fold: &ClassFold,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        let first = &self.candidates[chain.start];
        let train = fold.train.data(&self.data);
        let problem = train.problem(first.depth);
        let scaling = Scaling::learn(first.scaling, problem.rows, problem.weights);
        let scaled = scaled(problem.rows.reborrow(), &scaling);
        let mut warm: Option<WarmStarts> = None;
        let mut trials = Vec::with_capacity(chain.len());
        for i in chain {
            if !running(i) {
                trials.push(None);
                continue;
            }
            self.stop.check()?;
            let candidate = &self.candidates[i];
            let descent = self.descent(&problem, (&scaled, &scaling), candidate);
            let outcomes = self.run(&descent, warm.as_ref())?;
            self.stop.check()?;
            let model = problem.tree(&descent, &outcomes[0], self.settings, &scaling)?;
            let rows = || fold.held.rows();
            trials.push(Some(fold.trial(
                &model,
                &rows,
                self.data.costs,
                self.scoring,
            )));
            warm = Some(match warm {
                Some(last) if last.gamma == candidate.gamma => WarmStarts {
                    latest: outcomes,
                    ..last
                },
                _ => WarmStarts {
                    gamma: candidate.gamma,
                    at_least_penalty: outcomes.clone(),
                    latest: outcomes,
                },
            });
        }
        Ok(trials)
    }
}
