//! The choice of ε and α₂ on folds of the rows: trees with every margin, their errors on held-out rows.

use super::svm1_odt_rows::{SearchRows, points, scaled};
use super::svm1_odt_settings::Svm1OdtSettings;
use super::svm1_odt_starts::start_trees;
use crate::control::Control;
use crate::data::{GatheredRows, Labels};
use crate::error::FitError;
use crate::exact::{Paths, Problem, SolveSettings, solve, widen};
use crate::fitted::{ClassScoring, CvCandidate, CvTable, Scoring, Svm1OdtCandidate, TriedSettings};
use crate::search::folds::Folds;
use crate::stop::Stop;
use std::sync::Arc;

/// Margins that are tried where none is given.
const MARGINS: [f64; 6] = [0.003, 0.01, 0.03, 0.1, 0.2, 0.4];
/// The same of α₂.
const NORM_PENALTIES: [f64; 3] = [0.0, 0.1, 1.0];
/// Where the rows are too few for folds.
const WITHOUT_FOLDS: (f64, f64) = (0.01, 0.0);
/// Folds, and rows that they are made of at most.
const FOLDS: usize = 3;
const MOST_ROWS: usize = 5000;
/// Share of the time limit for the choice.
const SHARE: f64 = 0.4;

/// The chosen values, and how they were chosen.
pub(super) struct ChosenMargin {
    pub epsilon: f64,
    pub alpha2: f64,
    pub table: Option<CvTable>,
}

impl ChosenMargin {
    /// What a table has chosen.
    fn of(table: CvTable) -> Self {
        let TriedSettings::Svm1Odt(chosen) = &table.candidates[table.chosen].settings else {
            unreachable!("candidates are of this kind");
        };
        Self {
            epsilon: chosen.epsilon,
            alpha2: chosen.alpha2,
            table: Some(table),
        }
    }
}

/// The (ε, α₂) whose trees get least of the held-out rows wrong; the first of such, narrow margins first, as
/// they get fewer training rows wrong.
pub(super) fn choose_margin(
    data: &SearchRows<'_>,
    settings: &Svm1OdtSettings,
    (stop, control): (&Stop, &Control),
) -> Result<ChosenMargin, FitError> {
    if let (Some(epsilon), Some(alpha2)) = (settings.epsilon, settings.alpha2) {
        let table = None;
        return Ok(ChosenMargin {
            epsilon,
            alpha2,
            table,
        });
    }
    let seed = settings.run.random_state;
    let weights = Some(data.weights);
    let count = Folds::possible(&data.rows, weights, FOLDS);
    let Ok(folds) = Folds::new(&data.rows, data.labels, weights, count, seed, MOST_ROWS) else {
        return Ok(ChosenMargin {
            epsilon: settings.epsilon.unwrap_or(WITHOUT_FOLDS.0),
            alpha2: settings.alpha2.unwrap_or(WITHOUT_FOLDS.1),
            table: None,
        });
    };
    let limit = settings.run.time_limit.map(|limit| limit.mul_f64(SHARE));
    let within = limit.map_or_else(|| stop.clone(), |limit| stop.within(limit));
    let margins = tried_values(settings.epsilon, &MARGINS);
    let norms = tried_values(settings.alpha2, &NORM_PENALTIES);
    let mut wrong = vec![0.0; margins.len() * norms.len()];
    let (mut total, mut done) = (0.0, 0);
    for (training, held_out) in folds.all() {
        let fold = errors(
            data,
            (&training, &held_out),
            settings,
            (&margins, &norms),
            (&within, control),
        )?;
        // All margins are tried on the same folds.
        if within.check().is_err() && done > 0 {
            break;
        }
        wrong
            .iter_mut()
            .zip(fold)
            .for_each(|(sum, one)| *sum += one);
        total += held_out.iter().map(|row| data.weights[*row]).sum::<f64>();
        done += 1;
    }
    let tried = margins
        .iter()
        .flat_map(|e| norms.iter().map(|a| (*e, *a)))
        .collect();
    let mut table = table(tried, &wrong, total, data.labels.codes.len());
    (table.folds, table.cut_short) = (count, done < count);
    table.candidates.iter_mut().for_each(|one| one.folds = done);
    Ok(ChosenMargin::of(table))
}

/// The one value that is given, or all.
fn tried_values(given: Option<f64>, all: &[f64]) -> Vec<f64> {
    given.map_or_else(|| all.to_vec(), |one| vec![one])
}

/// The table of the values tried, by the weight that each got wrong; the first of the best is chosen.
fn table(tried: Vec<(f64, f64)>, wrong: &[f64], total: f64, rows: usize) -> CvTable {
    let candidate = |((epsilon, alpha2), wrong): ((f64, f64), &f64)| {
        let share = wrong / total;
        CvCandidate {
            settings: TriedSettings::Svm1Odt(Svm1OdtCandidate { epsilon, alpha2 }),
            score: 1.0 - share,
            standard_error: (share * (1.0 - share) / rows as f64).max(0.0).sqrt(),
            folds: 0,
            figures: None,
        }
    };
    CvTable {
        scoring: Scoring::Classes(ClassScoring::Accuracy),
        candidates: tried.into_iter().zip(wrong).map(candidate).collect(),
        chosen: (1..wrong.len()).fold(0, |best, k| if wrong[k] < wrong[best] { k } else { best }),
        folds: 0,
        repeats: 1,
        cut_short: false,
    }
}

/// Weight of the held-out rows that trees of each (ε, α₂) get wrong.
fn errors(
    data: &SearchRows<'_>,
    (training, held_out): (&[usize], &[usize]),
    settings: &Svm1OdtSettings,
    (margins, norms): (&[f64], &[f64]),
    (stop, control): (&Stop, &Control),
) -> Result<Vec<f64>, FitError> {
    let rows = GatheredRows::of(&data.rows, training);
    let labels = Labels {
        classes: data.labels.classes.clone(),
        codes: training.iter().map(|row| data.labels.codes[*row]).collect(),
    };
    let weights: Vec<f64> = training.iter().map(|row| data.weights[*row]).collect();
    let fold = SearchRows {
        rows: rows.rows(),
        labels: &labels,
        weights: &weights,
    };
    let (scaling, points) = points(&fold, stop)?;
    let paths = Paths::new(settings.depth);
    // Progress is that of the fit, not of its folds.
    let silent = Control {
        stop: control.stop.clone(),
        progress: Arc::default(),
    };
    let starts = start_trees(&fold, (&points, &scaling), settings, &silent)?;
    let x = scaled(&data.rows, held_out, &scaling);
    let mut wrong = Vec::with_capacity(margins.len() * norms.len());
    for margin in margins {
        let problem = Problem {
            points: &points,
            paths: &paths,
            margin: *margin,
        };
        let plain = SolveSettings {
            seed: settings.run.random_state,
            restarts: settings.restarts,
            random_starts: 0,
            max_nodes: Some(0),
            improve_limit: None,
        };
        let found = solve(&problem, starts.clone(), &plain, stop, &|_| {}).tree;
        for norm in norms {
            let mut tree = widen(&problem, &found, *norm, stop);
            tree.relabel(&points);
            let missed = held_out.iter().zip(x.rows()).filter(|(row, x)| {
                let x = x.as_slice().expect("rows lie together");
                tree.labels[tree.leaf(x)] != data.labels.codes[**row] as usize
            });
            wrong.push(missed.map(|(row, _)| data.weights[*row]).sum());
        }
    }
    Ok(wrong)
}
