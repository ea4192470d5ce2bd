//! The choice of C and B on folds of the root's rows, features chosen anew for each.

use super::spdt_settings::{BUDGETS, COSTS, SpdtSettings};
use crate::control::Control;
use crate::fitted::{ClassScoring, CvCandidate, CvTable, Scoring, SpdtCandidate, TriedSettings};
use crate::perceptron::{GrowSettings, RootTrial, RootTrials, TreeRows};
use crate::stop::Stop;

/// C where the rows are too few for folds.
const WITHOUT_FOLDS: f64 = 1.0;

/// Rows that folds are made of, at most.
const MOST_ROWS: usize = 20_000;

/// What is tried where C, or B, is not given; least first.
pub(super) fn trials(settings: &SpdtSettings, features: usize) -> Vec<RootTrial> {
    let costs = settings.cost.map_or(COSTS.to_vec(), |cost| vec![cost]);
    let most = settings.split_features.unwrap_or(features).min(features);
    let sensible = |budget: &usize| *budget == BUDGETS[0] || *budget <= most;
    let budgets = settings.budget.map_or_else(
        || BUDGETS.into_iter().filter(sensible).collect(),
        |budget| vec![budget],
    );
    let of_cost = |cost: f64| budgets.iter().map(move |budget| (cost, *budget));
    let all = costs.iter().flat_map(|cost| of_cost(*cost));
    all.map(|(cost, budget)| RootTrial { cost, budget })
        .collect()
}

/// The C and B with which the root's split, its features chosen without the held-out rows, errs least on them;
/// the least of such. They share the root's columns and folds, and the number of features is chosen along each
/// one's path. No table if there is nothing to choose, or no folds.
pub(super) fn choose(
    data: &TreeRows<'_>,
    trials: &[RootTrial],
    settings: &GrowSettings<'_>,
    stop: &Stop,
    control: &Control,
) -> (RootTrial, Option<CvTable>) {
    if let [only] = trials {
        return (*only, None);
    }
    control.progress.begin_phase(trials.len());
    let members = sampled(data);
    let tried = RootTrials::of(data, &members, settings, stop);
    let Some(tried) = tried.filter(|_| stop.check().is_ok()) else {
        let first = trials[0].budget;
        let plain = |trial: &&RootTrial| trial.cost == WITHOUT_FOLDS && trial.budget == first;
        return (*trials.iter().find(plain).unwrap_or(&trials[0]), None);
    };
    let total: f64 = data.class_weights(&members).iter().sum();
    let mut table = CvTable {
        scoring: Scoring::Classes(ClassScoring::Accuracy),
        candidates: Vec::new(),
        chosen: 0,
        folds: tried.folds(),
        repeats: 1,
        cut_short: false,
    };
    for trial in trials {
        if stop.check().is_err() && !table.candidates.is_empty() {
            table.cut_short = true;
            break;
        }
        let (wrong, features) = tried.run(*trial);
        let errors = wrong / total;
        let last = table.candidates.len();
        table.candidates.push(CvCandidate {
            settings: TriedSettings::Spdt(SpdtCandidate {
                cost: trial.cost,
                budget: trial.budget,
                features,
            }),
            score: 1.0 - errors,
            standard_error: (errors * (1.0 - errors) / members.len() as f64).sqrt(),
            folds: table.folds,
            figures: None,
        });
        if table.candidates[last].score > table.candidates[table.chosen].score {
            table.chosen = last;
        }
        control.progress.finish_start(None);
    }
    (trials[table.chosen], Some(table))
}

/// The rows that weigh or, of very many, an even share of each class.
fn sampled(data: &TreeRows<'_>) -> Vec<u32> {
    let weighs = |row: &u32| data.weights[*row as usize] > 0.0;
    let mut rows: Vec<u32> = (0..data.codes.len() as u32).filter(weighs).collect();
    if rows.len() > MOST_ROWS {
        rows.sort_by_key(|row| data.codes[*row as usize]);
        rows = (0..MOST_ROWS)
            .map(|k| rows[k * rows.len() / MOST_ROWS])
            .collect();
        rows.sort_unstable();
    }
    rows
}
