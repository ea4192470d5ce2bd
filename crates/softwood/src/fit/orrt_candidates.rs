//! Settings of an ORRT tried on folds: what `fit_orrt_cv` chooses from.

use super::orrt_problem::OrrtProblem;
use super::orrt_settings::OrrtSettings;
use super::orrt_starts::{Frame, OrrtOutcome, OrrtStarts};
use super::response_choice::{ResponseCandidate, ResponseChoice};
use super::response_fold::ResponseFold;
use crate::data::Parallelism;
use crate::fitted::{OrrtCandidate, TriedSettings};
use crate::objective::GroupBounds;
use crate::search::cross_validate::Candidates;
use crate::search::race::Trial;
use crate::stop::Interrupted;
use crate::tree::Topology;
use std::cmp::Ordering;
use std::ops::Range;
use std::time::Instant;

/// Starts for each fold and γ at most, of which the best go on to penalties, and iterations of a stage: enough
/// to compare.
const CV_STARTS: usize = 4;
const CV_WARM_STARTS: usize = 2;
const CV_ITERATIONS: u64 = 60;

/// What is chosen from.
pub(super) struct OrrtCandidates<'a> {
    pub choice: &'a ResponseChoice<'a, OrrtCandidate>,
    /// All that is not chosen.
    pub settings: &'a OrrtSettings,
}

impl OrrtCandidates<'_> {
    fn starts(&self) -> usize {
        CV_STARTS.min(self.settings.n_starts)
    }
}

impl ResponseCandidate for OrrtCandidate {
    /// Shallow first, then with larger penalties, then with softer splits.
    fn simpler(&self, other: &Self) -> Ordering {
        let ridge = |c: &OrrtCandidate| c.ridge_leaves.unwrap_or(0.0);
        (self.depth.cmp(&other.depth))
            .then(other.global_penalty.total_cmp(&self.global_penalty))
            .then(other.local_penalty.total_cmp(&self.local_penalty))
            .then(self.gamma.total_cmp(&other.gamma))
            .then(ridge(other).total_cmp(&ridge(self)))
    }

    fn tried(&self) -> TriedSettings {
        TriedSettings::Orrt(self.clone())
    }
}

/// What the candidates of a chain have in common but for penalties: they share their starts.
fn steepness(candidate: &OrrtCandidate) -> (usize, u64) {
    (candidate.depth, candidate.gamma.to_bits())
}

impl Candidates for OrrtCandidates<'_> {
    type Fold = ResponseFold;

    fn count(&self) -> usize {
        self.choice.candidates.len()
    }

    /// The penalties of one depth, scaling, γ and ridge.
    fn chain(&self) -> usize {
        let all = &self.choice.candidates;
        let mut chains = all.chunk_by(|a, b| {
            let grows = a.local_penalty < b.local_penalty || a.global_penalty < b.global_penalty;
            steepness(a) == steepness(b) && a.scaling == b.scaling && grows
        });
        chains.next().map_or(1, <[OrrtCandidate]>::len)
    }

    fn starts_of_fold(&self) -> usize {
        let chains = self.count() / self.chain();
        chains * self.starts() + (self.count() - chains) * self.starts().min(CV_WARM_STARTS)
    }

    fn fold(&self, train: &[usize], held: &[usize]) -> ResponseFold {
        self.choice.data.fold(train, held)
    }

    fn held_weights(fold: &ResponseFold) -> &[f64] {
        &fold.held_weights
    }

    /// Fresh starts at the least penalties; those of larger ones begin where the last ones have ended.
    fn try_chain(
        &self,
        chain: Range<usize>,
        running: &(dyn Fn(usize) -> bool + Sync),
        fold: &ResponseFold,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        let (choice, stop) = (self.choice, self.choice.stop);
        stop.check()?;
        let first = &choice.candidates[chain.start];
        let problem = OrrtProblem::learn(fold.train.data(), first.scaling, stop)?;
        let mut training = problem.training(self.starts(), stop);
        training.rows.parallelism = Parallelism::None; // chains run side by side
        let frame = Frame::of(&training)?;
        let mut before: Option<OrrtOutcome> = None;
        let mut trials = Vec::with_capacity(chain.len());
        for i in chain {
            if !running(i) {
                trials.push(None);
                continue;
            }
            let mut settings = choice.candidates[i].settings(self.settings);
            settings.n_starts = self.starts();
            settings.max_iter = settings.max_iter.min(CV_ITERATIONS);
            let starts = OrrtStarts {
                frame: &frame,
                data: &training,
                bounds: &GroupBounds::default(),
                topology: Topology::complete(settings.depth),
                settings: &settings,
                // Objectives on parts of the rows are not those of the model in the making.
                progress: &Default::default(),
            };
            let found = match &before {
                None => starts.run()?,
                Some(before) => starts.go_on_from(before, CV_WARM_STARTS)?,
            };
            stop.check()?;
            (0..found.all.outcomes.len()).for_each(|_| choice.progress.finish_start(None));
            let model = problem.model(&found, &settings, Instant::now());
            let predicted = model.predict(fold.held.rows()).expect("checked rows");
            trials.push(Some(choice.trial(fold, &predicted)));
            before = Some(found);
        }
        Ok(trials)
    }
}
