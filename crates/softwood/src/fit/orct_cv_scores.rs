//! Scores of `fit_orct_cv`'s candidates on held-out rows, fold by fold, until racing drops them.

use super::cv_candidates::{candidates, choose, has_leaves_for};
use super::cv_settings::CvSettings;
use super::orct_problem::OrctProblem;
use crate::InputError;
use crate::data::{
    GatheredRows, Labels, Parallelism, RowSource, Rows, Scaling, ScalingKind, Source, scaled,
    scaled_once,
};
use crate::fitted::{CvCandidate, CvTable, global_sparsity, local_sparsity, most_probable};
use crate::progress::Progress;
use crate::search::descent::StartOutcome;
use crate::search::folds::Folds;
use crate::search::multistart::{
    Effort, run_starts, sharpen_starts, sharpened, warm_start_and_prune,
};
use crate::search::race::Race;
use crate::stop::{Interrupted, Stop};
use crate::tree::Topology;
use rayon::prelude::*;
use std::sync::Arc;

/// Starts for each fold and candidate: enough to compare.
const CV_STARTS: usize = 4;

/// Of which the best ones are the warm starts at other γ and penalties.
const CV_WARM_STARTS: usize = 2;

/// Quasi-Newton iterations of a run at most.
const CV_ITERATIONS: u64 = 60;

/// Rows the choice is made on at most; the final fit takes all of them.
const CV_ROWS: usize = 6_000;

/// Held-out predictions wanted for each candidate: few rows are folded anew until there are as many.
const CV_PREDICTIONS: usize = 1_500;

/// Foldings at most.
const MAX_FOLDINGS: usize = 3;

/// The data of a cross-validation and what is chosen from.
pub(crate) struct CvScores<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: Option<&'a [f64]>,
    pub costs: &'a [f64],
    pub settings: &'a CvSettings,
    pub stop: &'a Stop,
    pub progress: &'a Arc<Progress>,
}

/// A fold: rows to train on, rows held out, with their classes and weights.
struct Fold {
    train: Part,
    held: Part,
}

struct Part {
    rows: GatheredRows,
    labels: Labels,
    weights: Option<Vec<f64>>,
}

impl Part {
    /// Share of the weight of the rows for which it holds.
    fn weight_where(&self, holds: impl Iterator<Item = bool>) -> f64 {
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        // By the heaviest, as weights may be too small or too large to be added.
        let heaviest = (0..self.labels.codes.len()).map(weight).fold(0.0, f64::max);
        let (mut true_of, mut all) = (0.0, 0.0);
        for (i, holds) in holds.enumerate() {
            all += weight(i) / heaviest;
            true_of += if holds { weight(i) / heaviest } else { 0.0 };
        }
        true_of / all
    }
}

/// What a fold tells of a candidate.
struct FoldScore {
    costs: Vec<f64>,
    /// Share of the weight that is predicted right.
    accuracy: f64,
    local_sparsity: f64,
    global_sparsity: f64,
}

impl CvScores<'_> {
    /// The foldings, or an error if they cannot be made.
    pub fn foldings(&self) -> Result<Vec<Folds>, InputError> {
        let (settings, seed) = (self.settings, self.settings.fit.run.random_state);
        let fold = |repeat: usize| {
            let seed = seed.wrapping_add(repeat as u64);
            Folds::new(
                &self.rows,
                self.labels,
                self.weights,
                settings.folds,
                seed,
                CV_ROWS,
            )
        };
        let first = fold(0)?;
        let repeats = CV_PREDICTIONS.div_ceil(first.rows()).clamp(1, MAX_FOLDINGS);
        let others = (1..repeats).map(fold);
        [Ok(first)].into_iter().chain(others).collect()
    }

    /// Starts of all candidates on one fold, as long as none has fallen behind.
    pub fn starts_of_fold(&self) -> usize {
        let (s, classes) = (self.settings, self.labels.classes.len());
        let fresh = CV_STARTS.min(s.fit.n_starts);
        let warm = fresh.min(CV_WARM_STARTS);
        let larger_penalties = s.local_grid.len() * s.global_grid.len() - 1;
        let shape = |depth: &usize| {
            let sharper = (s.gammas.len() - 1) * sharpened(*depth, warm);
            fresh + sharper + s.gammas.len() * larger_penalties * warm
        };
        let depths = s.depths.iter();
        let depths = depths.filter(|depth| has_leaves_for(s, **depth, classes));
        s.scalings.len() * depths.map(shape).sum::<usize>()
    }

    /// The table of all candidates.
    pub fn table(&self, foldings: &[Folds]) -> Result<CvTable, Interrupted> {
        let mut candidates = candidates(
            self.settings,
            self.rows.features(),
            self.labels.classes.len(),
        );
        let mut race = Race::new(candidates.len());
        let folds = self.settings.folds;
        let mut cut_short = false;
        for (folding, fold) in foldings
            .iter()
            .flat_map(|f| (0..folds).map(move |k| (f, k)))
        {
            let fold = self.fold(folding, fold);
            self.progress.begin_phase(self.starts_of_fold());
            match self.score_fold(&candidates, &race, &fold) {
                Ok(scores) => add_fold(&mut candidates, &mut race, &fold.held, scores),
                Err(Interrupted::TimeLimit) => {
                    cut_short = true;
                    break;
                }
                Err(stopped) => return Err(stopped),
            }
        }
        Ok(CvTable {
            chosen: choose(self.settings.rule, &candidates, &race.finalists()),
            candidates,
            folds,
            repeats: foldings.len(),
            cut_short,
        })
    }

    fn fold(&self, folds: &Folds, fold: usize) -> Fold {
        let part = |held: bool| {
            let index = folds.part(fold, held);
            Part {
                rows: GatheredRows::of(&self.rows, &index),
                labels: Labels {
                    classes: self.labels.classes.clone(),
                    codes: index.iter().map(|i| self.labels.codes[*i]).collect(),
                },
                weights: self.weights.map(|w| index.iter().map(|i| w[*i]).collect()),
            }
        };
        Fold {
            train: part(false),
            held: part(true),
        }
    }

    /// Trains every candidate still in the race on the fold and scores it on the held-out rows.
    fn score_fold(
        &self,
        candidates: &[CvCandidate],
        race: &Race,
        fold: &Fold,
    ) -> Result<Vec<Option<FoldScore>>, Interrupted> {
        let (rows, weights) = (fold.train.rows.rows(), fold.train.weights.as_deref());
        let learn = |kind: &ScalingKind| (*kind, Scaling::learn(*kind, rows, weights));
        let scalings: Vec<(ScalingKind, Scaling)> =
            self.settings.scalings.iter().map(learn).collect();
        let of_kind = |kind: ScalingKind| {
            let (_, scaling) = scalings
                .iter()
                .find(|(k, _)| *k == kind)
                .expect("all learned");
            scaling
        };
        let s = self.settings;
        let per_shape = s.gammas.len() * s.local_grid.len() * s.global_grid.len();
        let scored: Vec<Vec<Option<FoldScore>>> = candidates
            .par_chunks(per_shape)
            .enumerate()
            .map(|(shape, candidates)| {
                let running = |i: usize| race.is_running(shape * per_shape + i);
                let scaling = of_kind(candidates[0].scaling);
                self.score_shape(candidates, &running, fold, scaling)
            })
            .collect::<Result<_, Interrupted>>()?;
        Ok(scored.into_iter().flatten().collect())
    }

    /// One path over the γ and the penalties of a (depth, scaling) that are still in the race: fresh
    /// starts at the softest γ; those of every other γ begin where the last one's, at its least
    /// penalty, have ended, and penalties grow from there.
    fn score_shape(
        &self,
        shape: &[CvCandidate],
        running: &impl Fn(usize) -> bool,
        fold: &Fold,
        scaling: &Scaling,
    ) -> Result<Vec<Option<FoldScore>>, Interrupted> {
        if !(0..shape.len()).any(running) {
            return Ok(shape.iter().map(|_| None).collect());
        }
        let part = &fold.train;
        let problem = OrctProblem {
            rows: part.rows.rows(),
            labels: &part.labels,
            weights: part.weights.as_deref(),
            costs: self.costs,
            topology: Topology::complete(shape[0].depth),
        };
        let scaled = scaled(problem.rows, scaling);
        let held = scaled_once(fold.held.rows.rows(), scaling);
        let mut warm: Option<WarmStarts> = None;
        let mut scores = Vec::with_capacity(shape.len());
        for (i, candidate) in shape.iter().enumerate() {
            if !running(i) {
                scores.push(None);
                continue;
            }
            self.stop.check()?;
            let outcomes = self.run_candidate(&problem, &scaled, candidate, warm.as_ref())?;
            self.stop.check()?;
            let score = self.score(&problem, &outcomes[0], candidate, &*held, &fold.held);
            scores.push(Some(score));
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
        Ok(scores)
    }

    /// The best starts of a candidate, best first: fresh ones, or from those of the one before.
    fn run_candidate<'b>(
        &self,
        problem: &OrctProblem<'b>,
        scaled: &Source<'b>,
        candidate: &CvCandidate,
        warm: Option<&WarmStarts>,
    ) -> Result<Vec<StartOutcome>, Interrupted> {
        let mut settings = candidate.settings(&self.settings.fit);
        settings.n_starts = CV_STARTS.min(self.settings.fit.n_starts);
        settings.max_iter = settings.max_iter.min(CV_ITERATIONS);
        let weights = problem.weights;
        let mut data = problem.classification(scaled, weights, settings.n_starts, self.stop);
        data.rows.parallelism = Parallelism::None; // shapes run side by side
        let descent = problem.descent(data, &settings, self.progress);
        let (n, seed) = (settings.n_starts, settings.run.random_state);
        let starts = match warm {
            None => run_starts(&descent, n, seed, Effort::Compare)?,
            Some(last) if last.gamma == settings.gamma => {
                warm_start_and_prune(&descent, &last.latest)?
            }
            Some(softer) => sharpen_starts(&descent, &softer.at_least_penalty, seed)?,
        };
        let mut outcomes = starts.outcomes;
        outcomes.sort_by(StartOutcome::order);
        outcomes.truncate(CV_WARM_STARTS);
        Ok(outcomes)
    }

    /// What the tree of a start predicts for held-out rows, and how sparse it is.
    fn score(
        &self,
        problem: &OrctProblem<'_>,
        start: &StartOutcome,
        candidate: &CvCandidate,
        held: &dyn RowSource<'_>,
        part: &Part,
    ) -> FoldScore {
        let k = self.labels.classes.len();
        let mut probabilities = vec![0.0; held.len() * k];
        let mixture = problem.mixture(start, candidate.gamma);
        let finite = mixture.fill(held, Parallelism::None, &mut probabilities);
        debug_assert!(finite, "the rows were checked");
        let predicted = probabilities.chunks_exact(k).map(most_probable);
        let held_out = predicted.zip(part.labels.codes.iter().copied());
        let (a, _) = problem.layout().split(&start.theta);
        FoldScore {
            accuracy: part.weight_where(held_out.clone().map(|(predicted, y)| predicted == y)),
            costs: held_out
                .map(|(predicted, y)| self.costs[y as usize * k + predicted as usize])
                .collect(),
            local_sparsity: local_sparsity(a),
            global_sparsity: global_sparsity(a, problem.rows.features()),
        }
    }
}

/// The best starts of a path so far.
struct WarmStarts {
    gamma: f64,
    /// At γ and the least penalty.
    at_least_penalty: Vec<StartOutcome>,
    /// At γ and the last penalty.
    latest: Vec<StartOutcome>,
}

/// Brings the race and the figures of all candidates up to date.
fn add_fold(
    candidates: &mut [CvCandidate],
    race: &mut Race,
    held: &Part,
    scores: Vec<Option<FoldScore>>,
) {
    for (c, score) in candidates.iter_mut().zip(&scores) {
        let Some(score) = score else { continue };
        let (before, now) = (c.folds as f64, (c.folds + 1) as f64);
        let mean = |old: f64, new: f64| {
            if before == 0.0 {
                new
            } else {
                (before * old + new) / now
            }
        };
        c.local_sparsity = mean(c.local_sparsity, score.local_sparsity);
        c.global_sparsity = mean(c.global_sparsity, score.global_sparsity);
        c.accuracy = mean(c.accuracy, score.accuracy);
        c.folds += 1;
    }
    let ones = vec![1.0; held.labels.codes.len()];
    let costs = scores
        .into_iter()
        .map(|score| score.map(|s| s.costs))
        .collect();
    race.add_fold(costs, held.weights.as_deref().unwrap_or(&ones));
    for (i, candidate) in candidates.iter_mut().enumerate() {
        if let Some((mean, error)) = race.standing(i).mean {
            (candidate.cost, candidate.standard_error) = (mean, error);
        }
    }
}
