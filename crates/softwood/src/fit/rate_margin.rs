//! Rates of classes that are to hold on new rows: how much more must be asked for in training is learned
//! on folds.

use super::class_fold::{ClassData, ClassFold};
use super::orct_settings::{OrctSettings, RatesOn};
use crate::control::Control;
use crate::data::{Parallelism, Scaling, scaled};
use crate::error::{FitError, InputError};
use crate::fitted::{FitReport, OrctCandidate, OrctModel};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort, cross_validate};
use crate::search::descent::StartOutcome;
use crate::search::folds::Folds;
use crate::search::multistart::{Effort, run_starts, warm_start};
use crate::search::race::Trial;
use crate::status::SolveStatus;
use crate::stop::{Interrupted, Stop};
use crate::threads::in_pool;
use std::ops::Range;
use std::sync::Arc;

/// Margins to try; rates do not go beyond 1.
const MARGINS: [f64; 8] = [0.0, 0.02, 0.04, 0.06, 0.08, 0.11, 0.14, 0.18];

/// Few rows are folded anew, since the margin is to be known better than a single folding tells it.
const EFFORT: CvEffort = CvEffort {
    folds: 5,
    foldings: 3,
    predictions: 2_500,
    rows: 6_000,
};

/// Fresh starts of a fold, of which the best ones are followed to larger margins.
const STARTS: usize = 4;
const WARM_STARTS: usize = 2;

/// Share of a time limit that may go into it.
const TIME_SHARE: f64 = 0.3;

/// The folds that margins are learned on; none if rates are asked for on training rows alone.
pub(super) struct RateFolds(Option<Vec<Folds>>);

/// Rates to impose in training, beside those asked for.
pub(super) struct ImposedRates {
    /// (k, ρ), as [`OrctSettings::min_class_rate`].
    pub bounds: Vec<(usize, f64)>,
    /// What was asked for, and the rate on held-out rows with these bounds, for each of them.
    told: Vec<(f64, f64)>,
    cut_short: bool,
}

impl RateFolds {
    /// Those of the data, if the settings ask for them.
    pub fn of(data: &ClassData<'_>, settings: &OrctSettings) -> Result<Self, InputError> {
        if settings.rates_on == RatesOn::Training || settings.min_class_rate.is_empty() {
            return Ok(Self(None));
        }
        let foldings = EFFORT.foldings(|number, most| {
            let seed = settings.run.random_state.wrapping_add(number);
            let (labels, weights) = (data.labels, data.weights);
            Folds::new(&data.rows, labels, weights, EFFORT.folds, seed, most)
        })?;
        Ok(Self(Some(foldings)))
    }

    /// Starts that learning takes.
    pub fn starts(&self, settings: &OrctSettings) -> usize {
        let foldings = self.0.as_deref().unwrap_or_default();
        foldings.len() * EFFORT.folds * starts_of_fold(settings)
    }

    /// The rates to impose on a tree with what `at` fixes, as asked for if there are no folds.
    pub fn learn(
        &self,
        data: &ClassData<'_>,
        settings: &OrctSettings,
        at: &OrctCandidate,
        control: &Control,
    ) -> Result<ImposedRates, FitError> {
        let Some(foldings) = &self.0 else {
            return Ok(ImposedRates {
                bounds: settings.min_class_rate.clone(),
                told: Vec::new(),
                cut_short: false,
            });
        };
        let limit = settings
            .run
            .time_limit
            .map(|limit| limit.mul_f64(TIME_SHARE));
        let stop = Stop::new(&control.stop, limit);
        let margins = Margins {
            data,
            settings,
            at,
            stop: &stop,
            progress: &control.progress,
        };
        in_pool(settings.run.n_threads, || Ok(margins.learn(foldings)?))?
    }
}

impl ImposedRates {
    /// Puts the rates asked for and those on held-out rows into the report of a fit with these bounds.
    pub fn tell(&self, report: &mut FitReport) {
        for (constraint, (asked, held_out)) in report.constraints.iter_mut().zip(&self.told) {
            constraint.imposed = Some(constraint.asked);
            constraint.asked = *asked;
            constraint.cross_validated = Some(*held_out).filter(|rate| rate.is_finite());
        }
        if self.cut_short && report.status != SolveStatus::Cancelled {
            report.status = SolveStatus::TimeLimit;
        }
    }
}

fn starts_of_fold(settings: &OrctSettings) -> usize {
    let fresh = STARTS.min(settings.n_starts);
    fresh + (MARGINS.len() - 1) * fresh.min(WARM_STARTS)
}

/// The bounds with a margin.
fn with_margin(bounds: &[(usize, f64)], margin: f64) -> Vec<(usize, f64)> {
    let raised = |(class, rate): &(usize, f64)| (*class, (rate + margin).min(1.0));
    bounds.iter().map(raised).collect()
}

/// The least margin from which on the rate on held-out rows is as `asked`, between two tried margins by
/// straight line, or else the largest; and the rate there. `rates` are those of the margins tried.
fn least_margin(asked: f64, rates: &[f64]) -> (f64, f64) {
    let last_short = rates.iter().rposition(|rate| *rate < asked);
    match last_short {
        None => (MARGINS[0], rates[0]),
        Some(i) if i + 1 == rates.len() => (MARGINS[i], rates[i]),
        Some(i) => {
            let share = (asked - rates[i]) / (rates[i + 1] - rates[i]);
            let step = MARGINS[i + 1] - MARGINS[i];
            (MARGINS[i] + share * step, asked)
        }
    }
}

/// Trees of all margins.
struct Margins<'a, 'd> {
    data: &'a ClassData<'d>,
    settings: &'a OrctSettings,
    at: &'a OrctCandidate,
    stop: &'a Stop,
    progress: &'a Arc<Progress>,
}

impl Margins<'_, '_> {
    fn learn(&self, foldings: &[Folds]) -> Result<ImposedRates, Interrupted> {
        let (race, cut_short) = cross_validate(self, foldings, self.progress)?;
        let asked = &self.settings.min_class_rate;
        let (mut bounds, mut told) = (Vec::new(), Vec::new());
        for (place, (class, rate)) in asked.iter().enumerate() {
            let of_margin = race.standings().iter().map(|standing| {
                let figures = standing.figures.get(2 * place..2 * place + 2);
                figures.map_or(f64::NAN, |figures| figures[0] / figures[1])
            });
            let of_margin: Vec<f64> = of_margin.collect();
            let (margin, held_out) = least_margin(*rate, &of_margin);
            bounds.push((*class, (rate + margin).min(1.0)));
            told.push((*rate, held_out));
        }
        Ok(ImposedRates {
            bounds,
            told,
            cut_short,
        })
    }

    /// For each bound, the weight of its class's rows that are predicted as such, and of all of them.
    fn hits(&self, model: &OrctModel, fold: &ClassFold) -> Vec<f64> {
        let predicted = model.predict(fold.held.rows()).expect("checked rows");
        let rows = || {
            let codes = predicted.iter().zip(&fold.held.labels.codes);
            codes.zip(&fold.held_weights)
        };
        let bounds = self.settings.min_class_rate.iter();
        let hits = bounds.flat_map(|(class, _)| {
            let of_class = rows().filter(|((_, y), _)| **y as usize == *class);
            let (mut right, mut all) = (0.0, 0.0);
            for ((predicted, y), weight) in of_class {
                all += weight;
                right += if predicted == y { *weight } else { 0.0 };
            }
            [right, all]
        });
        hits.collect()
    }
}

impl Candidates for Margins<'_, '_> {
    type Fold = ClassFold;

    fn count(&self) -> usize {
        MARGINS.len()
    }

    fn chain(&self) -> usize {
        MARGINS.len()
    }

    fn starts_of_fold(&self) -> usize {
        starts_of_fold(self.settings)
    }

    fn fold(&self, train: &[usize], held: &[usize]) -> ClassFold {
        self.data.fold(train, held)
    }

    fn held_weights(fold: &ClassFold) -> &[f64] {
        &fold.held_weights
    }

    /// Each margin starts where the one before has ended. No loss: none is to fall behind.
    fn try_chain(
        &self,
        chain: Range<usize>,
        _: &(dyn Fn(usize) -> bool + Sync),
        fold: &ClassFold,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        let train = fold.train.data(self.data);
        let problem = train.problem(self.at.depth);
        let scaling = Scaling::learn(self.at.scaling, problem.rows, problem.weights);
        let scaled = scaled(problem.rows.reborrow(), &scaling);
        let mut before: Option<Vec<StartOutcome>> = None;
        let mut trials = Vec::with_capacity(chain.len());
        for i in chain {
            self.stop.check()?;
            let settings = OrctSettings {
                min_class_rate: with_margin(&self.settings.min_class_rate, MARGINS[i]),
                ..self.settings.clone()
            };
            let n = STARTS.min(settings.n_starts);
            let mut rows = problem.classification(&scaled, problem.weights, n, self.stop);
            rows.rows.parallelism = Parallelism::None;
            let descent = problem.descent(rows, &scaling, &settings, self.at, self.progress);
            let starts = match &before {
                None => run_starts(&descent, n, settings.run.random_state, Effort::Compare)?,
                Some(before) => warm_start(&descent, before)?,
            };
            self.stop.check()?;
            let best = &starts.outcomes[starts.best];
            let model = problem.tree(&descent, best, &settings, &scaling)?;
            trials.push(Some(Trial {
                losses: vec![0.0; fold.held_weights.len()],
                figures: self.hits(&model, fold),
            }));
            let mut outcomes = starts.outcomes;
            outcomes.sort_by(StartOutcome::order);
            outcomes.truncate(WARM_STARTS);
            before = Some(outcomes);
        }
        Ok(trials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_the_least_from_which_on_held_out_rows_reach_the_rate() {
        let mut rates = [0.7, 0.74, 0.78, 0.82, 0.84, 0.86, 0.88, 0.9];
        let (margin, held_out) = least_margin(0.8, &rates);
        assert!((margin - 0.05).abs() < 1e-12);
        assert_eq!(held_out, 0.8);
        // A later fall counts.
        rates[4] = 0.79;
        assert!(least_margin(0.8, &rates).0 > MARGINS[4]);
        assert_eq!(least_margin(0.6, &rates), (0.0, 0.7));
        assert_eq!(least_margin(0.95, &rates), (0.18, 0.9));
    }

    #[test]
    fn without_a_fold_nothing_is_added() {
        assert_eq!(least_margin(0.8, &[f64::NAN; 8]).0, 0.0);
    }

    #[test]
    fn rates_stay_within_one() {
        assert_eq!(with_margin(&[(1, 0.95)], 0.1), [(1, 1.0)]);
    }
}
