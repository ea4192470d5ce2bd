//! Settings of an ORRT tried on folds: what `fit_orrt_cv` chooses from.

use super::cv_table::Candidate;
use super::orrt_frame::Frame;
use super::orrt_problem::OrrtProblem;
use super::orrt_settings::OrrtSettings;
use super::orrt_starts::{OrrtOutcome, OrrtStarts};
use super::response_choice::ResponseChoice;
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

/// Fresh starts for each fold and chain at most, of which the best go on to other γ and penalties, and iterations
/// of a stage: enough to compare.
const CV_STARTS: usize = 4;
const CV_WARM_STARTS: usize = 2;
const CV_ITERATIONS: u64 = 60;

/// What is chosen from.
pub(super) struct OrrtCandidates<'a> {
    pub choice: &'a ResponseChoice<'a, OrrtCandidate>,
    /// All that is not chosen.
    pub settings: &'a OrrtSettings,
}

/// The starts of a chain so far.
struct WarmStarts {
    gamma: f64,
    /// At γ and the least penalties.
    at_least_penalty: OrrtOutcome,
    /// At γ and the last penalties.
    latest: OrrtOutcome,
}

impl OrrtCandidates<'_> {
    fn starts(&self) -> usize {
        CV_STARTS.min(self.settings.n_starts)
    }
}

impl Candidate for OrrtCandidate {
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

impl Candidates for OrrtCandidates<'_> {
    type Fold = ResponseFold;

    fn count(&self) -> usize {
        self.choice.candidates.len()
    }

    /// All of one ridge, depth and scaling, from soft to sharp splits and on to larger penalties.
    fn chain(&self) -> usize {
        let shape = |c: &OrrtCandidate| (c.depth, c.scaling, c.ridge_leaves.map(f64::to_bits));
        let first = shape(&self.choice.candidates[0]);
        let chain = self.choice.candidates.iter();
        chain.take_while(|c| shape(c) == first).count()
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

    /// Fresh starts at the softest γ; those of every other γ begin where the last one's, at its least penalties,
    /// have ended, and penalties grow from there.
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
        let mut warm: Option<WarmStarts> = None;
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
            let found = match &warm {
                None => starts.run()?,
                Some(last) if last.gamma == settings.steepness() => {
                    starts.go_on_from(&last.latest, CV_WARM_STARTS)?
                }
                Some(softer) => starts.sharpen(&softer.at_least_penalty, CV_WARM_STARTS)?,
            };
            stop.check()?;
            (0..found.all.outcomes.len()).for_each(|_| choice.progress.finish_start(None));
            let model = problem.model(&found, &settings, Instant::now());
            let predicted = model.predict(fold.held.rows()).expect("checked rows");
            trials.push(Some(choice.trial(fold, &predicted)));
            warm = Some(match warm {
                Some(last) if last.gamma == settings.steepness() => WarmStarts {
                    latest: found,
                    ..last
                },
                _ => WarmStarts {
                    gamma: settings.steepness(),
                    at_least_penalty: found.clone(),
                    latest: found,
                },
            });
        }
        Ok(trials)
    }
}
