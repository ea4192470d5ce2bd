//! The choice of C on folds of the rows, features chosen anew on each.

use super::spdt_settings::{COSTS, SpdtSettings};
use crate::control::Control;
use crate::data::{ClassLabels, Labels};
use crate::fitted::{ClassScoring, CvCandidate, CvTable, Scoring, SpdtCandidate, TriedSettings};
use crate::perceptron::{GrowSettings, TreeRows, grow};
use crate::search::folds::Folds;
use crate::stop::Stop;

/// C where the rows are too few for folds.
const WITHOUT_FOLDS: f64 = 1.0;

/// Rows that folds are made of, at most.
const MOST_ROWS: usize = 20_000;

/// Fits that the choice takes.
pub(super) fn tries(settings: &SpdtSettings) -> usize {
    match settings.cost {
        Some(_) => 0,
        None => COSTS.len() * settings.folds,
    }
}

/// The C with which the root's split, its features chosen without the held-out rows, errs least on them; the
/// least of such. None of the table if there are no folds.
pub(super) fn choose_cost(
    data: &TreeRows<'_>,
    classes: &ClassLabels,
    settings: &GrowSettings<'_>,
    stop: &Stop,
    control: &Control,
) -> (f64, Option<CvTable>) {
    let labels = Labels {
        classes: classes.clone(),
        codes: data.codes.to_vec(),
    };
    let (weights, wanted) = (Some(data.weights), settings.folds);
    let count = Folds::possible(&data.rows, weights, wanted);
    let Ok(folds) = Folds::new(
        &data.rows,
        &labels,
        weights,
        count,
        settings.seed,
        MOST_ROWS,
    ) else {
        return (WITHOUT_FOLDS, None);
    };
    control.progress.begin_phase(COSTS.len() * count);
    let parts: Vec<(Vec<usize>, Vec<usize>)> = folds.all().collect();
    let mut table = CvTable {
        scoring: Scoring::Classes(ClassScoring::Accuracy),
        candidates: Vec::new(),
        chosen: 0,
        folds: count,
        repeats: 1,
        cut_short: false,
    };
    for cost in COSTS {
        if stop.check().is_err() && !table.candidates.is_empty() {
            table.cut_short = true;
            break;
        }
        let candidate = candidate(
            data,
            &GrowSettings {
                cost,
                depth: 1,
                ..settings.clone()
            },
            &parts,
            stop,
            control,
        );
        let last = table.candidates.len();
        table.candidates.push(candidate);
        if table.candidates[last].score > table.candidates[table.chosen].score {
            table.chosen = last;
        }
    }
    (COSTS[table.chosen], Some(table))
}

/// How the root's split does on all held-out rows.
fn candidate(
    data: &TreeRows<'_>,
    settings: &GrowSettings<'_>,
    parts: &[(Vec<usize>, Vec<usize>)],
    stop: &Stop,
    control: &Control,
) -> CvCandidate {
    let (mut wrong, mut total, mut features) = (0.0, 0.0, 0);
    for (training, held_out) in parts {
        let mut weights = vec![0.0; data.weights.len()];
        training
            .iter()
            .for_each(|row| weights[*row] = data.weights[*row]);
        let part = TreeRows {
            rows: data.rows.reborrow(),
            codes: data.codes,
            weights: &weights,
            classes: data.classes,
        };
        let grown = grow(&part, settings, stop, &control.progress);
        let root = grown.splits.get(&0);
        features += root.map_or(0, |split| split.columns.len());
        for row in held_out {
            let leaf = root.map_or(0, |split| match split.goes_left(&data.rows, *row) {
                true => 1,
                false => 2,
            });
            let missed = grown.leaves[&leaf].class != data.codes[*row] as usize;
            wrong += if missed { data.weights[*row] } else { 0.0 };
            total += data.weights[*row];
        }
        control.progress.finish_start(None);
    }
    let errors = wrong / total;
    CvCandidate {
        settings: TriedSettings::Spdt(SpdtCandidate {
            cost: settings.cost,
            features: features.div_ceil(parts.len()),
        }),
        score: 1.0 - errors,
        standard_error: (errors * (1.0 - errors) / data.codes.len() as f64)
            .max(0.0)
            .sqrt(),
        folds: parts.len(),
        figures: None,
    }
}
