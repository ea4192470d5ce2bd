//! `max_features`: a tree of few features, those that a growing penalty keeps, fitted to them alone.

use super::orct_settings::OrctSettings;
use super::scaled_fit::ScaledFit;
use crate::data::Source;
use crate::fitted::ConstraintReport;
use crate::fitted::OrctModel;
use crate::objective::{LambdaMax, Penalty, PenaltySettings, PenaltyShape};
use crate::progress::Progress;
use crate::search::descent::{Descent, StartOutcome};
use crate::search::multistart::{Effort, run_starts, warm_start_and_prune};
use crate::solver::Work;
use crate::status::SolveStatus;
use crate::stop::Interrupted;
use crate::tree::Topology;
use std::sync::Arc;

/// Starts with all features at most: they only tell which matter.
const SCOUTS: usize = 6;

/// Of these the best ones follow the growing penalty.
const FOLLOWED: usize = 2;

/// λ_G begins at this share of the one that empties the tree, and grows by this factor.
const FIRST_SHARE: f64 = 1.0 / 4096.0;
const GROWTH: f64 = 2.0;

/// Penalties tried at most, far beyond the one that empties the tree.
const MOST_PENALTIES: usize = 24;

/// Shares of a time limit that finding the features, and fitting to the first choice, may take.
const SCOUTING_TIME: f64 = 0.4;
const FIRST_FIT_TIME: f64 = 0.7;

/// Sets of features that are fitted to at most.
const CHOICES: usize = 2;

/// Starts of a fit with these settings to so many features, scaling aside.
pub(super) fn starts_of_fit(settings: &OrctSettings, features: usize) -> usize {
    match most_features(settings, features) {
        None => settings.n_starts,
        Some(_) => SCOUTS.min(settings.n_starts) + CHOICES * settings.n_starts,
    }
}

/// How many features, or groups of them, there may be, if that is fewer than there are.
pub(super) fn most_features(settings: &OrctSettings, features: usize) -> Option<usize> {
    let groups = Groups::of(settings, features);
    settings.max_features.filter(|most| *most < groups.count)
}

/// The best tree of `most` features.
///
/// Which ones: those strongest in a tree of all features, and those left when the penalty on features
/// grows from there until no more are. To either choice a tree is fitted, the coefficients of all other
/// features held at 0. Out of time, the tree is what is left of that of all features.
pub(super) fn fit_few_features<'b, 'p: 'b>(
    fit: &ScaledFit<'b, 'p>,
    scaled: &Source<'b>,
    most: usize,
) -> Result<OrctModel, Interrupted> {
    let features = fit.problem.rows.features();
    let groups = Groups::of(fit.settings, features);
    let scouting = fit.within(SCOUTING_TIME);
    let descent = scouting.descent(scaled, fit.scaling);
    let scouts = SCOUTS.min(fit.settings.n_starts);
    let progress = &fit.control.progress;
    progress.begin_phase(scouts);
    let seed = fit.settings.run.random_state;
    let mut found = run_starts(&descent, scouts, seed, Effort::Compare)?;
    let cut_short = found.stopped;
    found.outcomes.sort_by(StartOutcome::order);
    let best = &found.outcomes[0];
    let strongest = groups.strongest(most, &[&best.theta]);
    let mut choices = vec![strongest.clone()];
    let mut work: Work = found.outcomes.iter().map(|start| start.ending.work).sum();
    if cut_short.is_none() {
        let (kept, walked) = kept_along_path(fit, &descent, &groups, &found.outcomes, most)?;
        work += walked;
        choices.extend(kept.filter(|kept| *kept != strongest));
    }
    let mut fitted: Option<OrctModel> = None;
    for (choice, kept) in choices.iter().enumerate() {
        let share = if choice + 1 < choices.len() {
            FIRST_FIT_TIME
        } else {
            1.0
        };
        let part = fit.within(share);
        if part.stop.check().is_err() {
            continue;
        }
        progress.begin_phase(fit.settings.n_starts);
        match part.on_features(kept) {
            Ok(model) => fitted = Some(better(fitted, model)),
            Err(Interrupted::Source(error)) => return Err(error.into()),
            Err(_) => break, // stopped: what there is stays
        }
    }
    let mut model = match fitted {
        Some(model) => model,
        None => fit.truncated(&descent, best, &strongest)?,
    };
    model.report.iterations += work.iterations;
    model.report.evaluations += work.evaluations;
    if let (Some(stopped), false) = (cut_short, model.report.status.is_stopped()) {
        model.report.status = SolveStatus::from(stopped);
    }
    Ok(model)
}

/// The one whose constraints are met, or of the lower objective; the work of both.
fn better(first: Option<OrctModel>, mut second: OrctModel) -> OrctModel {
    let Some(mut first) = first else {
        return second;
    };
    let missed = |model: &OrctModel| {
        let constraints = model.report.constraints.iter();
        let missed = constraints.filter(|c| !c.feasible);
        missed.map(ConstraintReport::excess).fold(0.0, f64::max)
    };
    let order = (missed(&second).total_cmp(&missed(&first)))
        .then(second.report.objective.total_cmp(&first.report.objective));
    if order.is_lt() {
        std::mem::swap(&mut first, &mut second);
    }
    first.report.iterations += second.report.iterations;
    first.report.evaluations += second.report.evaluations;
    first
}

/// The features that the best tree uses under the least penalty that leaves no more than `most` of them,
/// filled up by the strongest before; None if time is up. And the work of it.
fn kept_along_path(
    fit: &ScaledFit<'_, '_>,
    descent: &Descent<'_, '_>,
    groups: &Groups,
    scouts: &[StartOutcome],
    most: usize,
) -> Result<(Option<Vec<bool>>, Work), Interrupted> {
    let norm = PenaltySettings {
        local: Some(0.0),
        share: None,
        global: 0.0,
        shape: PenaltyShape::Norm,
        groups: Some(groups.of_feature.clone()),
    };
    let (depth, gamma) = (descent.topology.depth(), descent.gamma);
    let emptying = LambdaMax::of(&descent.data, fit.problem.costs, depth, gamma, &norm);
    let mut weight = match emptying {
        Ok(emptying) => FIRST_SHARE * emptying.global,
        Err(interrupted) => return stopped_early(interrupted, Work::default()),
    };
    let aside = Arc::new(Progress::default()); // how many penalties it takes is not known before
    let features = descent.data.features();
    let mut before: Vec<StartOutcome> = scouts.iter().take(FOLLOWED).cloned().collect();
    let mut work = Work::default();
    for _ in 0..MOST_PENALTIES {
        let penalty = PenaltySettings {
            global: weight,
            ..norm.clone()
        };
        let here = Descent {
            penalty: Penalty::on_splits(&penalty, &descent.topology, features),
            node_penalty: Penalty::on_splits(&penalty, &Topology::complete(1), features),
            progress: &aside,
            ..descent.clone()
        };
        let next = match warm_start_and_prune(&here, &before) {
            Ok(next) => next,
            Err(interrupted) => return stopped_early(interrupted, work),
        };
        work += next.outcomes.iter().map(|start| start.ending.work).sum();
        let best = &next.outcomes[next.best];
        if groups.used(&best.theta) <= most {
            let kept = groups.strongest(most, &[&best.theta, &before[0].theta]);
            return Ok((Some(kept), work));
        }
        before = next.outcomes;
        before.sort_by(StartOutcome::order);
        if descent.data.rows.stop.check().is_err() {
            break;
        }
        weight *= GROWTH;
    }
    Ok((None, work))
}

/// Stopped, it leaves the choice to others.
fn stopped_early<T>(
    interrupted: Interrupted,
    work: Work,
) -> Result<(Option<T>, Work), Interrupted> {
    match interrupted {
        Interrupted::Source(error) => Err(error.into()),
        _ => Ok((None, work)),
    }
}

/// Which columns count as one feature.
struct Groups {
    /// Numbers 0…count−1, one a column.
    of_feature: Vec<usize>,
    count: usize,
}

impl Groups {
    fn of(settings: &OrctSettings, features: usize) -> Self {
        let ids = settings.penalty.group_of_features(features);
        let mut known = ids.clone();
        known.sort_unstable();
        known.dedup();
        let place = |id: &usize| known.binary_search(id).expect("one of them");
        Self {
            of_feature: ids.iter().map(place).collect(),
            count: known.len(),
        }
    }

    /// Σ |a| of each group, over all splits.
    fn strengths(&self, theta: &[f64]) -> Vec<f64> {
        let features = self.of_feature.len();
        let coefficients = &theta[..theta.len() / (features + 1) * features];
        let mut strengths = vec![0.0; self.count];
        for split in coefficients.chunks_exact(features) {
            for (group, a) in self.of_feature.iter().zip(split) {
                strengths[*group] += a.abs();
            }
        }
        strengths
    }

    /// Groups that a tree uses.
    fn used(&self, theta: &[f64]) -> usize {
        let strengths = self.strengths(theta);
        strengths.iter().filter(|strength| **strength > 0.0).count()
    }

    /// The columns of the `most` groups that are strongest in the first tree or, where that does not
    /// use them, in the next one.
    fn strongest(&self, most: usize, trees: &[&[f64]]) -> Vec<bool> {
        let strengths: Vec<Vec<f64>> = trees.iter().map(|theta| self.strengths(theta)).collect();
        let mut order: Vec<usize> = (0..self.count).collect();
        order.sort_by(|a, b| {
            let trees = strengths.iter().map(|of| of[*b].total_cmp(&of[*a]));
            trees.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let kept = &order[..most];
        self.of_feature
            .iter()
            .map(|group| kept.contains(group))
            .collect()
    }
}
