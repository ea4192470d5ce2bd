//! The choice among settings by folds, and the table of it: what all kinds of trees share.

use super::run_settings::RunSettings;
use crate::fitted::{ClassFigures, CvCandidate, CvTable, FitReport, Scoring, TriedSettings};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, cross_validate};
use crate::search::folds::Folds;
use crate::search::race::{CvRule, Standing};
use crate::status::SolveStatus;
use crate::stop::Interrupted;
use std::cmp::Ordering;
use std::time::Duration;

/// Share of a time limit that the choice may take.
const CV_TIME_SHARE: f64 = 0.6;

/// Settings to choose from.
pub(super) trait Candidate: Sync {
    /// The simpler one first; those of a classification that are equal go by the sparsity of their trees.
    fn simpler(&self, other: &Self) -> Ordering;

    /// As a table has them.
    fn tried(&self) -> TriedSettings;
}

/// The time that a choice may take of a fit's.
pub(super) fn time_of_choice(run: &RunSettings) -> Option<Duration> {
    run.time_limit.map(|limit| limit.mul_f64(CV_TIME_SHARE))
}

/// The table of all candidates, as `trees` of them do on the foldings, and which is taken.
pub(super) fn table<C: Candidate>(
    candidates: &[C],
    trees: &impl Candidates,
    foldings: &[Folds],
    (scoring, rule): (Scoring, CvRule),
    progress: &Progress,
) -> Result<CvTable, Interrupted> {
    let (race, cut_short) = cross_validate(trees, foldings, progress)?;
    let of_classes = matches!(scoring, Scoring::Classes(_));
    let row = |(candidate, standing): (&C, &Standing)| CvCandidate {
        settings: candidate.tried(),
        score: scoring.of_loss(standing.mean),
        standard_error: standing.standard_error,
        folds: standing.folds,
        figures: of_classes.then(|| figures(standing)),
    };
    let rows: Vec<CvCandidate> = candidates.iter().zip(race.standings()).map(row).collect();
    let simpler = |a: usize, b: usize| {
        let by_settings = candidates[a].simpler(&candidates[b]);
        by_settings.then_with(|| sparser(rows[a].figures, rows[b].figures))
    };
    Ok(CvTable {
        scoring,
        chosen: race.winner(rule, simpler),
        folds: foldings.first().map_or(0, Folds::count),
        repeats: foldings.len(),
        cut_short,
        candidates: rows,
    })
}

/// Puts the table of a choice into the report of the fit after it.
pub(super) fn report_choice(report: &mut FitReport, table: CvTable) {
    if table.cut_short && report.status != SolveStatus::Cancelled {
        report.status = SolveStatus::TimeLimit;
    }
    report.cross_validation = Some(table);
}

/// Few features first, then few coefficients.
fn sparser(one: Option<ClassFigures>, other: Option<ClassFigures>) -> Ordering {
    let (Some(one), Some(other)) = (one, other) else {
        return Ordering::Equal;
    };
    (other.global_sparsity.total_cmp(&one.global_sparsity))
        .then(other.local_sparsity.total_cmp(&one.local_sparsity))
}

/// Means of the figures of all trials of a classification; NaN before the first.
fn figures(standing: &Standing) -> ClassFigures {
    let [right, all, local, global] = standing.figures[..] else {
        return ClassFigures {
            accuracy: f64::NAN,
            local_sparsity: f64::NAN,
            global_sparsity: f64::NAN,
        };
    };
    ClassFigures {
        accuracy: right / all,
        local_sparsity: local / standing.folds as f64,
        global_sparsity: global / standing.folds as f64,
    }
}
