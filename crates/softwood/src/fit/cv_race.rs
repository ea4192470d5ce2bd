//! The race of a cross-validation: candidates are scored fold by fold, and those far behind leave it.

use super::descent::StartOutcome;
use super::folds::assign_folds;
use super::multistart::{Effort, carry_and_prune_starts, run_starts, sharpen_starts, sharpened};
use super::orct::OrctProblem;
use super::orct_cv::{CvRule, CvSettings};
use crate::data::{Labels, Parallelism, RowSource, Rows, ScaledRows, Scaling, ScalingKind};
use crate::fitted::{CvCandidate, CvTable, class_probabilities, most_probable};
use crate::progress::Progress;
use crate::stop::{Stop, Stopped};
use crate::tree::Topology;
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Starts for each fold and candidate: enough to compare.
const STARTS: usize = 4;

/// Of which the best ones are taken along to other γ and penalties.
const CARRIED: usize = 2;

/// Quasi-Newton iterations of a run at most.
const ITERATIONS: u64 = 60;

/// Rows the choice is made on at most; the final fit takes all of them.
const MAX_ROWS: usize = 6_000;

/// Held-out predictions wanted for each candidate: few rows are folded anew until there are as many.
const PREDICTIONS: usize = 1_500;

/// Foldings at most.
const MAX_REPEATS: usize = 3;

/// After one fold, two, and more, a candidate leaves the race if its held-out costs exceed those of the
/// best by this many standard errors of the paired difference. One fold is one training: that it went
/// badly by chance is not in the standard error, hence the care at first.
const BEHIND: [f64; 3] = [4.0, 3.0, 2.0];

/// The data of a race and its rules.
pub(crate) struct Race<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: Option<&'a [f64]>,
    pub costs: &'a [f64],
    pub settings: &'a CvSettings,
    pub stop: &'a Stop,
    pub progress: &'a Arc<Progress>,
}

/// A candidate in the race.
struct Runner {
    candidate: CvCandidate,
    /// Cost of its prediction for every held-out row so far.
    costs: Vec<f64>,
    running: bool,
}

/// A fold: rows to train on, rows held out, with their classes and weights.
struct Fold {
    train: Part,
    held: Part,
}

struct Part {
    rows: ndarray::Array2<f64>,
    labels: Labels,
    weights: Option<Vec<f64>>,
}

impl Race<'_> {
    /// The table of all candidates; Err only if cancelled.
    pub fn run(&self) -> Result<CvTable, Stopped> {
        let n = self.rows.len().min(MAX_ROWS);
        let repeats = PREDICTIONS.div_ceil(n).clamp(1, MAX_REPEATS);
        let mut runners = self.line_up();
        let mut held_weights: Vec<f64> = Vec::new();
        let mut cut_short = false;
        'race: for repeat in 0..repeats {
            let seed = self.settings.fit.random_state.wrapping_add(repeat as u64);
            let folds = self.settings.folds;
            let fold_of = assign_folds(self.labels, folds, seed);
            let sample = sample(self.rows.len(), n, seed);
            for fold in 0..folds {
                match self.score_fold(&mut runners, &self.fold(&sample, &fold_of, fold)) {
                    Ok(weights) => held_weights.extend(weights),
                    Err(Stopped::TimeLimit) => {
                        cut_short = true;
                        break 'race;
                    }
                    Err(Stopped::Cancelled) => return Err(Stopped::Cancelled),
                }
                drop_those_behind(&mut runners, &held_weights);
            }
        }
        let chosen = self.choose(&runners);
        let candidates = runners.into_iter().map(|runner| runner.candidate).collect();
        Ok(CvTable {
            candidates,
            chosen,
            folds: self.settings.folds,
            repeats,
            cut_short,
        })
    }

    /// All candidates; those of one (depth, scaling) stand together, γ and then penalties increasing.
    fn line_up(&self) -> Vec<Runner> {
        let s = self.settings;
        let p = self.rows.features() as f64;
        let mut gammas = s.gammas.clone();
        gammas.sort_by(f64::total_cmp);
        let mut runners = Vec::new();
        for depth in &s.depths {
            let b = Topology::complete(*depth).branches() as f64;
            // A tree too small for the classes is no candidate.
            if s.fit.cover_classes && self.labels.classes.len() > 1 << depth {
                continue;
            }
            for scaling in &s.scalings {
                for gamma in &gammas {
                    for global in &s.global_grid {
                        for local in &s.local_grid {
                            runners.push(Runner {
                                candidate: CvCandidate {
                                    depth: *depth,
                                    scaling: *scaling,
                                    gamma: *gamma,
                                    local_penalty: local / (p * b),
                                    global_penalty: global / p,
                                    cost: f64::NAN,
                                    standard_error: f64::NAN,
                                    accuracy: f64::NAN,
                                    local_sparsity: f64::NAN,
                                    global_sparsity: f64::NAN,
                                    folds: 0,
                                },
                                costs: Vec::new(),
                                running: true,
                            });
                        }
                    }
                }
            }
        }
        runners
    }

    fn fold(&self, sample: &[usize], fold_of: &[usize], fold: usize) -> Fold {
        let part = |held: bool| {
            let index: Vec<usize> = sample
                .iter()
                .copied()
                .filter(|i| (fold_of[*i] == fold) == held)
                .collect();
            Part {
                rows: self.rows.gather(&index),
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

    /// Trains every runner still in the race on the fold and adds its held-out costs; returns the
    /// weights of the held-out rows. Nothing is added if time runs out.
    fn score_fold(&self, runners: &mut [Runner], fold: &Fold) -> Result<Vec<f64>, Stopped> {
        let scalings: Vec<(ScalingKind, Scaling)> = self
            .settings
            .scalings
            .iter()
            .map(|kind| {
                let rows = fold.train.rows.view().into();
                (
                    *kind,
                    Scaling::learn(*kind, rows, fold.train.weights.as_deref()),
                )
            })
            .collect();
        let of_kind = |kind: ScalingKind| {
            let (_, scaling) = scalings
                .iter()
                .find(|(k, _)| *k == kind)
                .expect("all learned");
            scaling
        };
        let s = self.settings;
        let per_shape = s.gammas.len() * s.local_grid.len() * s.global_grid.len();
        let scored: Vec<Vec<Option<FoldScore>>> = runners
            .par_chunks(per_shape)
            .map(|shape| {
                let scaling = of_kind(shape[0].candidate.scaling);
                self.score_shape(shape, fold, scaling)
            })
            .collect::<Result<_, Stopped>>()?;
        for (runner, score) in runners.iter_mut().zip(scored.into_iter().flatten()) {
            if let Some(score) = score {
                runner.add(score);
            }
        }
        let held = fold.held.labels.codes.len();
        let weights = fold.held.weights.clone();
        Ok(weights.unwrap_or_else(|| vec![1.0; held]))
    }

    /// One path over the γ and the penalties of a (depth, scaling) that are still in the race: fresh
    /// starts at the softest γ; those of every other γ begin where the last one's, at its least
    /// penalty, have ended, and penalties grow from there.
    fn score_shape(
        &self,
        shape: &[Runner],
        fold: &Fold,
        scaling: &Scaling,
    ) -> Result<Vec<Option<FoldScore>>, Stopped> {
        if shape.iter().all(|runner| !runner.running) {
            return Ok(shape.iter().map(|_| None).collect());
        }
        let part = &fold.train;
        let weights = part.weights.as_deref();
        let problem = OrctProblem {
            rows: part.rows.view().into(),
            labels: &part.labels,
            weights,
            costs: self.costs,
            topology: Topology::complete(shape[0].candidate.depth),
        };
        let scaled = ScaledRows::new(problem.rows, scaling).shared();
        let held = ScaledRows::passing_once(fold.held.rows.view().into(), scaling);
        let mut carried: Option<Carried> = None;
        let mut scores = Vec::with_capacity(shape.len());
        for runner in shape {
            if !runner.running {
                scores.push(None);
                continue;
            }
            self.stop.check()?;
            let mut settings = runner.candidate.settings(&self.settings.fit);
            settings.n_starts = STARTS.min(self.settings.fit.n_starts);
            settings.max_iter = settings.max_iter.min(ITERATIONS);
            let mut data = problem.classification(&scaled, weights, settings.n_starts, self.stop);
            data.rows.parallelism = Parallelism::None; // shapes run side by side
            let descent = problem.descent(data, &settings, self.progress);
            let gamma = settings.gamma;
            let expect = |starts| self.progress.expect_starts(starts);
            let starts = match &carried {
                None => {
                    expect(settings.n_starts);
                    run_starts(&descent, Effort::Compare)?
                }
                Some(last) if last.gamma == gamma => {
                    expect(last.latest.len());
                    carry_and_prune_starts(&descent, &last.latest)?
                }
                Some(softer) => {
                    expect(sharpened(settings.depth, &softer.at_least_penalty));
                    sharpen_starts(&descent, &softer.at_least_penalty)?
                }
            };
            self.stop.check()?;
            let model = problem.model(&starts, &settings, scaling, Instant::now());
            let k = self.labels.classes.len();
            let mut probabilities = vec![0.0; held.len() * k];
            let finite = class_probabilities(
                &held,
                problem.topology,
                &starts.outcomes[starts.best].theta,
                settings.gamma,
                &model.leaf_classes,
                k,
                Parallelism::None,
                &mut probabilities,
            );
            debug_assert!(finite, "the rows were checked");
            let held_out = probabilities
                .chunks_exact(k)
                .map(most_probable)
                .zip(fold.held.labels.codes.iter().copied());
            scores.push(Some(FoldScore {
                right: held_out
                    .clone()
                    .filter(|(predicted, y)| predicted == y)
                    .count(),
                costs: held_out
                    .map(|(predicted, y)| self.costs[y as usize * k + predicted as usize])
                    .collect(),
                local_sparsity: model.local_sparsity(),
                global_sparsity: model.global_sparsity(),
            }));
            let latest = best_few(starts.outcomes);
            carried = Some(match carried {
                Some(last) if last.gamma == gamma => Carried { latest, ..last },
                _ => Carried {
                    gamma,
                    at_least_penalty: latest.clone(),
                    latest,
                },
            });
        }
        Ok(scores)
    }

    /// The winner by the rule. Only those scored on most folds can win.
    fn choose(&self, runners: &[Runner]) -> usize {
        let most = runners.iter().map(|r| r.candidate.folds).max();
        let finalists: Vec<usize> = (0..runners.len())
            .filter(|i| Some(runners[*i].candidate.folds) == most)
            .collect();
        let candidate = |i: &usize| &runners[*i].candidate;
        // Shallow and sparse first, so that they win ties.
        let sparsest = |a: &usize, b: &usize| {
            let (a, b) = (candidate(a), candidate(b));
            (a.depth.cmp(&b.depth))
                .then(b.global_sparsity.total_cmp(&a.global_sparsity))
                .then(b.local_sparsity.total_cmp(&a.local_sparsity))
        };
        let best = finalists
            .iter()
            .min_by(|a, b| {
                (candidate(a).cost.total_cmp(&candidate(b).cost)).then_with(|| sparsest(a, b))
            })
            .expect("there is a candidate");
        match self.settings.rule {
            CvRule::Best => *best,
            CvRule::OneStandardError => {
                let limit = candidate(best).cost + candidate(best).standard_error;
                *finalists
                    .iter()
                    .filter(|i| candidate(i).cost <= limit)
                    .min_by(|a, b| sparsest(a, b))
                    .expect("the best is within the limit")
            }
        }
    }
}

/// The best starts of a path so far.
struct Carried {
    gamma: f64,
    /// At γ and the least penalty.
    at_least_penalty: Vec<StartOutcome>,
    /// At γ and the last penalty.
    latest: Vec<StartOutcome>,
}

fn best_few(mut outcomes: Vec<StartOutcome>) -> Vec<StartOutcome> {
    outcomes.sort_by(StartOutcome::order);
    outcomes.truncate(CARRIED);
    outcomes
}

/// What a fold tells of a candidate.
struct FoldScore {
    costs: Vec<f64>,
    right: usize,
    local_sparsity: f64,
    global_sparsity: f64,
}

impl Runner {
    fn add(&mut self, score: FoldScore) {
        let c = &mut self.candidate;
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
        c.accuracy = mean(c.accuracy, score.right as f64 / score.costs.len() as f64);
        c.folds += 1;
        self.costs.extend(score.costs);
    }
}

/// Brings costs up to date and takes out of the race who is significantly behind.
fn drop_those_behind(runners: &mut [Runner], weights: &[f64]) {
    for runner in runners.iter_mut().filter(|runner| runner.running) {
        let (mean, error) = weighted_mean(&runner.costs, weights);
        (runner.candidate.cost, runner.candidate.standard_error) = (mean, error);
    }
    let best = (0..runners.len())
        .filter(|i| runners[*i].running)
        .min_by(|a, b| {
            let cost = |i: &usize| runners[*i].candidate.cost;
            cost(a).total_cmp(&cost(b))
        })
        .expect("the best never leaves the race");
    let ahead = runners[best].costs.clone();
    for runner in runners.iter_mut().filter(|runner| runner.running) {
        let behind: Vec<f64> = runner
            .costs
            .iter()
            .zip(&ahead)
            .map(|(c, a)| c - a)
            .collect();
        let (mean, error) = weighted_mean(&behind, weights);
        let allowed = BEHIND[(runner.candidate.folds - 1).min(BEHIND.len() - 1)];
        runner.running = mean <= allowed * error || mean == 0.0;
    }
}

/// Weighted mean and its standard error.
fn weighted_mean(values: &[f64], weights: &[f64]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let mean = values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / total;
    let spread: f64 = values
        .iter()
        .zip(weights)
        .map(|(v, w)| (w * (v - mean)).powi(2))
        .sum();
    (mean, spread.sqrt() / total)
}

/// `wanted` of the rows 0…n−1 in their order, all if there are no more.
fn sample(n: usize, wanted: usize, seed: u64) -> Vec<usize> {
    let mut index: Vec<usize> = (0..n).collect();
    if wanted < n {
        let mut rng = Pcg64::new(u128::from(seed), u128::MAX - 1);
        for i in 0..wanted {
            index.swap(i, rng.random_range(i..n));
        }
        index.truncate(wanted);
        index.sort_unstable();
    }
    index
}
