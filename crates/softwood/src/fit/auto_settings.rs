//! What `fit_orct` is not told of γ, scaling, balance and penalty: chosen on folds of the training rows.

use super::class_fold::ClassData;
use super::cv_table::report_choice;
use super::orct_candidates::{OrctCandidates, OrctEffort};
use super::orct_settings::{OrctSettings, PLAIN_GAMMA};
use crate::control::Control;
use crate::data::{Scaling, ScalingChoice, ScalingKind, scaled_once};
use crate::error::FitError;
use crate::fitted::{ClassScoring, CvTable, FitReport, OrctCandidate};
use crate::objective::LambdaMax;
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::folds::Folds;
use crate::search::multistart::GROWN_FROM;
use crate::search::race::CvRule;
use crate::stop::{Interrupted, Stop};
use crate::threads::in_pool;
use std::sync::Arc;

/// Values of γ to choose from.
const GAMMAS: [f64; 3] = [128.0, PLAIN_GAMMA, 2048.0];

/// Penalties to choose from, in units of the usual one.
const PENALTIES: [f64; 2] = [1.0, 4.0];

/// Values of γ and penalties to choose from for trees that are grown: each of their many splits matters to few
/// rows, and is penalized in full.
const GROWN_GAMMAS: [f64; 2] = [PLAIN_GAMMA, 2048.0];
const GROWN_PENALTIES: [f64; 3] = [0.025, 0.1, 0.4];

/// λ_L p by the largest cost of a mistake: the usual penalty at γ = 512.
const USUAL_SHARE: f64 = 1.0 / 16.0;

/// The largest penalty there may be.
const MAX_PENALTY: f64 = 1e100;

/// Maps of the features to choose from.
const SCALINGS: [ScalingKind; 2] = [ScalingKind::MinMax, ScalingKind::Quantile];

/// Judges probabilities, and whether the printed tree decides as they do.
const SCORING: ClassScoring = ClassScoring::BrierAndAgreement;

/// Enough to choose by, little enough to stay quick.
const EFFORT: OrctEffort = OrctEffort {
    folds: CvEffort {
        folds: 5,
        foldings: 2,
        predictions: 500,
        rows: 2_000,
    },
    starts: 3,
    warm_starts: 1,
};

/// The same for trees that are grown, which a small part of the rows does not tell much of.
const GROWN_EFFORT: OrctEffort = OrctEffort {
    folds: CvEffort {
        folds: 3,
        foldings: 1,
        predictions: 500,
        rows: 8_000,
    },
    starts: 1,
    warm_starts: 1,
};

/// Share of a time limit that the choice may take.
const AUTO_TIME_SHARE: f64 = 0.5;

/// The settings to fit with, and how they were chosen if there was anything to choose.
pub(super) struct Settled {
    pub at: OrctCandidate,
    table: Option<CvTable>,
}

impl Settled {
    /// Puts the choice into the report of the model that was fitted with it.
    pub fn tell(&self, report: &mut FitReport) {
        let Some(table) = &self.table else { return };
        report_choice(report, table.clone());
    }
}

/// Chooses what `settings` leave open, and announces the starts of the choice and `starts` to come.
pub(super) fn settle(
    data: &ClassData<'_>,
    settings: &OrctSettings,
    starts: usize,
    control: &Control,
) -> Result<Settled, FitError> {
    let limit = settings.run.time_limit;
    let limit = limit.map(|limit| limit.mul_f64(AUTO_TIME_SHARE));
    let stop = Stop::new(&control.stop, limit);
    in_pool(settings.run.n_threads, || {
        let open = OpenSettings::new(data.reborrow(), settings, &stop, &control.progress)?;
        control.progress.announce(open.starts() + starts);
        Ok(open.settle()?)
    })?
}

/// The open settings of a fit.
struct OpenSettings<'a> {
    candidates: OrctCandidates<'a>,
    usual: OrctCandidate,
    /// None if there is nothing to choose, or too few rows to choose by.
    foldings: Option<Vec<Folds>>,
}

impl<'a> OpenSettings<'a> {
    /// Those of `settings`, to be chosen on folds of the data.
    fn new(
        data: ClassData<'a>,
        settings: &'a OrctSettings,
        stop: &'a Stop,
        progress: &'a Arc<Progress>,
    ) -> Result<Self, Interrupted> {
        let grid = Grid::of(settings, &data);
        let (mut tried, mut usual) = (grid.candidates(settings), grid.usual(settings));
        if let Some(share) = settings.penalty.share {
            for at in tried.iter_mut().chain([&mut usual]) {
                at.local_penalty = share * emptying_penalty(&data, settings, at, stop)?;
            }
        }
        let candidates = OrctCandidates {
            data,
            settings,
            candidates: tried,
            scoring: SCORING,
            effort: effort(settings.depth),
            stop,
            progress,
        };
        let open = candidates.count() > 1;
        let foldings = open.then(|| candidates.foldings().ok()).flatten();
        Ok(Self {
            candidates,
            usual,
            foldings,
        })
    }

    /// Starts that the choice takes.
    fn starts(&self) -> usize {
        let foldings = self.foldings.as_deref().unwrap_or_default();
        foldings.len() * self.candidates.effort.folds.folds * self.candidates.starts_of_fold()
    }

    /// Makes the choice.
    fn settle(&self) -> Result<Settled, Interrupted> {
        let mut settled = Settled {
            at: self.usual.clone(),
            table: None,
        };
        if let Some(foldings) = &self.foldings {
            let table = self.candidates.table(foldings, CvRule::Best)?;
            // Without a fold there was no time to choose.
            if table.candidates[table.chosen].folds > 0 {
                settled.at = self.candidates.candidates[table.chosen].clone();
                settled.table = Some(table);
            }
        }
        Ok(settled)
    }
}

fn effort(depth: usize) -> OrctEffort {
    if depth < GROWN_FROM {
        EFFORT
    } else {
        GROWN_EFFORT
    }
}

/// λ_L that empties the tree at `at`.
fn emptying_penalty(
    data: &ClassData<'_>,
    settings: &OrctSettings,
    at: &OrctCandidate,
    stop: &Stop,
) -> Result<f64, Interrupted> {
    let (problem, patient) = (data.problem(at.depth), stop.without_deadline());
    let (rows, weights) = (problem.rows, problem.weights);
    let scaling = Scaling::learn_unless_stopped(at.scaling, rows, weights, &patient)?;
    let scaled = scaled_once(rows, &scaling);
    let rows = problem.classification(&scaled, weights, 1, &patient);
    let penalty = &settings.penalty;
    Ok(LambdaMax::of(&rows, problem.costs, at.depth, at.gamma, penalty)?.local)
}

/// What each setting may be.
struct Grid {
    scalings: Vec<ScalingKind>,
    gammas: Vec<f64>,
    balances: Vec<bool>,
    /// λ_L said (0 where it will be, as a share of the one that empties the tree), or None if it is open.
    local: Option<f64>,
    /// The usual λ_L by γ, and the multiples of it to choose from.
    usual: f64,
    units: &'static [f64],
    usual_units: f64,
}

impl Grid {
    fn of(settings: &OrctSettings, data: &ClassData<'_>) -> Self {
        let (features, costs) = (data.rows.features(), data.costs);
        // Who says what mistakes cost, or which rates to keep, has balanced the classes.
        let bounded = !settings.min_class_rate.is_empty() || data.grouping.is_some();
        let settled = settings.costs.is_some() || bounded;
        let penalty = &settings.penalty;
        let share = penalty.share.is_some();
        let other = share || penalty.global > 0.0 || !penalty.shape.is_norm();
        let largest = costs.iter().copied().fold(0.0, f64::max);
        let grown = settings.depth >= GROWN_FROM;
        let gammas: &[f64] = if grown { &GROWN_GAMMAS } else { &GAMMAS };
        Self {
            scalings: match settings.scaling {
                ScalingChoice::Fixed(kind) => vec![kind],
                ScalingChoice::Auto => SCALINGS.to_vec(),
            },
            balances: match settings.balance {
                Some(balance) => vec![balance],
                None if settled || grown => vec![false],
                None => vec![false, true],
            },
            gammas: settings.gamma.map_or(gammas.to_vec(), |gamma| vec![gamma]),
            local: penalty.local.or(other.then_some(0.0)),
            usual: USUAL_SHARE / PLAIN_GAMMA / features as f64 * largest,
            units: if grown { &GROWN_PENALTIES } else { &PENALTIES },
            usual_units: if grown {
                GROWN_PENALTIES[1]
            } else {
                PENALTIES[0]
            },
        }
    }

    /// The candidate with this penalty, in units of the usual one, and all else as in `like`. A split as
    /// sharp takes coefficients twice as large at half the steepness, so the usual penalty grows with γ.
    fn penalized(&self, units: f64, like: OrctCandidate) -> OrctCandidate {
        let usual = || (units * self.usual * like.gamma).min(MAX_PENALTY);
        OrctCandidate {
            local_penalty: self.local.unwrap_or_else(usual),
            ..like
        }
    }

    /// What is taken if folds cannot tell.
    fn usual(&self, settings: &OrctSettings) -> OrctCandidate {
        let like = OrctCandidate {
            depth: settings.depth,
            scaling: self.scalings[0],
            gamma: settings.gamma.unwrap_or(PLAIN_GAMMA),
            local_penalty: 0.0,
            global_penalty: settings.penalty.global,
            balanced: self.balances[0],
        };
        self.penalized(self.usual_units, like)
    }

    /// All there is to choose from, as chains for [`OrctCandidates`].
    fn candidates(&self, settings: &OrctSettings) -> Vec<OrctCandidate> {
        let units = match self.local {
            Some(_) => &self.units[..1],
            None => self.units,
        };
        let mut candidates = Vec::new();
        for scaling in &self.scalings {
            for balanced in &self.balances {
                for gamma in &self.gammas {
                    let like = OrctCandidate {
                        scaling: *scaling,
                        balanced: *balanced,
                        gamma: *gamma,
                        ..self.usual(settings)
                    };
                    let penalties = units.iter();
                    candidates.extend(penalties.map(|u| self.penalized(*u, like.clone())));
                }
            }
        }
        candidates
    }
}
