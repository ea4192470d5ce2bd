//! Depth, scaling, steepness and penalties chosen by cross-validation, then the tree fitted with them.

use super::notices::notices_of_classification;
use super::orct::{OrctSettings, fit_checked, validate_data};
use super::orct_cv_scores::{CvScores, STARTS, WARM_STARTS};
use super::validate::{check_grid, check_setting};
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{Labels, Rows, ScalingChoice, ScalingKind};
use crate::error::{FitError, InputError};
use crate::fitted::{CvCandidate, CvTable, OrctModel};
use crate::objective::PenaltySettings;
use crate::search::multistart::sharpened;
use crate::status::SolveStatus;
use crate::stop::Stop;
use crate::threads::in_pool;
use std::time::Instant;

/// Share of a time limit that the choice may take.
const TIME_SHARE: f64 = 0.6;

/// What [`fit_orct_cv`] chooses from.
#[derive(Clone, Debug)]
pub struct CvSettings {
    /// All that is not chosen; its depth, γ, scaling and penalty weights are not used.
    pub fit: OrctSettings,
    /// Depths.
    pub depths: Vec<usize>,
    /// Scalings.
    pub scalings: Vec<ScalingKind>,
    /// Values of γ.
    pub gammas: Vec<f64>,
    /// Values of λ_L · pB, increasing.
    pub local_grid: Vec<f64>,
    /// Values of λ_G · p, increasing.
    pub global_grid: Vec<f64>,
    /// Folds, at least 2.
    pub folds: usize,
    /// How to choose.
    pub rule: CvRule,
}

impl Default for CvSettings {
    fn default() -> Self {
        Self {
            fit: OrctSettings::default(),
            depths: vec![1, 2, 3],
            scalings: vec![ScalingKind::MinMax, ScalingKind::Quantile],
            gammas: vec![128.0, 512.0, 2048.0, 8192.0],
            local_grid: vec![0.0, 1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0],
            global_grid: vec![0.0],
            folds: 5,
            rule: CvRule::Best,
        }
    }
}

/// Which candidate is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CvRule {
    /// The one of least cost on held-out rows.
    Best,
    /// The sparsest of those within one standard error of it.
    OneStandardError,
}

impl CvSettings {
    /// Checks every setting that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        check_setting(self.folds >= 2, "folds", "at least 2", self.folds)?;
        let empty = |name, empty: bool| check_setting(!empty, name, "at least one value", "none");
        empty("depths", self.depths.is_empty())?;
        empty("scalings", self.scalings.is_empty())?;
        empty("gammas", self.gammas.is_empty())?;
        check_grid("local_grid", &self.local_grid)?;
        check_grid("global_grid", &self.global_grid)?;
        for depth in &self.depths {
            for gamma in &self.gammas {
                OrctSettings {
                    depth: *depth,
                    gamma: *gamma,
                    ..self.fit.clone()
                }
                .validate()?;
            }
        }
        Ok(())
    }
}

/// Chooses depth, scaling, γ and penalties by cross-validation on the rows, and fits with them.
///
/// Candidates race over stratified folds: those of one (depth, scaling) share their starts, the best
/// of which are warm starts from soft to sharp γ and on to larger penalties, and a candidate whose
/// held-out costs fall significantly behind the best is dropped. The model's report keeps the table. Deterministic for a given seed unless a time limit interferes.
pub fn fit_orct_cv<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &CvSettings,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    let deepest = *settings.depths.iter().max().expect("checked");
    let costs = validate_data(
        &rows,
        labels,
        weights,
        &OrctSettings {
            depth: deepest,
            ..settings.fit.clone()
        },
    )?;
    let limit = settings.fit.time_limit;
    let stop = Stop::new(&control.stop, limit.map(|limit| limit.mul_f64(TIME_SHARE)));
    let table = in_pool(settings.fit.n_threads, || -> Result<CvTable, FitError> {
        check_finite(&rows)?;
        let scores = CvScores {
            rows: rows.reborrow(),
            labels,
            weights,
            costs: &costs,
            settings,
            stop: &stop,
            progress: &control.progress,
        };
        let foldings = scores.foldings()?;
        let choice = foldings.len() * settings.folds * starts_of_fold(&scores);
        control.progress.announce(choice + settings.fit.n_starts);
        Ok(scores.table(&foldings)?)
    })??;
    let chosen = &table.candidates[table.chosen];
    let mut fit = chosen.settings(&settings.fit);
    fit.time_limit = limit.map(|limit| limit.saturating_sub(began.elapsed()));
    fit.validate()?;
    let mut model = fit_checked(rows, labels, weights, &costs, &fit, None, control)?;
    if table.cut_short && model.report.status != SolveStatus::Cancelled {
        model.report.status = SolveStatus::TimeLimit;
    }
    model.report.seconds = began.elapsed().as_secs_f64();
    model.report.cross_validation = Some(table);
    model.report.notices = notices_of_classification(&model, &rows, weights, &fit.penalty);
    Ok(model)
}

/// Starts of all candidates on one fold, as long as none has fallen behind.
pub(super) fn starts_of_fold(scores: &CvScores<'_>) -> usize {
    let s = scores.settings;
    let fresh = STARTS.min(s.fit.n_starts);
    let warm = fresh.min(WARM_STARTS);
    let larger_penalties = s.local_grid.len() * s.global_grid.len() - 1;
    let shape = |depth: &usize| {
        let sharper = (s.gammas.len() - 1) * sharpened(*depth, warm);
        fresh + sharper + s.gammas.len() * larger_penalties * warm
    };
    let depths = s.depths.iter().filter(|depth| scores.fits(**depth));
    s.scalings.len() * depths.map(shape).sum::<usize>()
}

impl CvCandidate {
    /// `base` with what this candidate fixes.
    pub(crate) fn settings(&self, base: &OrctSettings) -> OrctSettings {
        OrctSettings {
            depth: self.depth,
            gamma: self.gamma,
            scaling: ScalingChoice::Fixed(self.scaling),
            penalty: PenaltySettings {
                local: self.local_penalty,
                global: self.global_penalty,
                ..base.penalty.clone()
            },
            ..base.clone()
        }
    }
}
