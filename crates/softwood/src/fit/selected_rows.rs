//! The ORCT trained on few rows that stand for all: tree → selection → tree, kept while no worse.
//!
//! A first tree is fitted to a random sample. Then each round selects rows by the present tree and fits
//! another one to them: first by algorithm 1 of Zhu et al. (NeurIPS 2020), from each class in each leaf,
//! then by their algorithm 3, all rows that the tree gets wrong and, of those it gets right, the
//! extreme points in each leaf. Their proposition 2 says that accuracy on all rows cannot fall if the
//! trainer is exact; ours is not, so accuracy on all rows is measured and a tree that loses any is refused.

use super::auto_settings::settle;
use super::class_fold::ClassData;
use super::few_features::starts_of_fit;
use super::notices::notices_of_classification;
use super::orct::fit_checked;
use super::orct_data::OrctData;
use super::orct_settings::OrctSettings;
use super::row_selection::RowSelection;
use crate::control::Control;
use crate::data::{GatheredRows, Labels, Rows, Scaling};
use crate::error::FitError;
use crate::fitted::{
    OrctCandidate, OrctModel, SelectionReport, SelectionRound, SelectionStep, most_probable,
};
use crate::selection::Hyperplanes;
use crate::selection::choose_rows::{Clusters, choose};
use crate::status::SolveStatus;
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use ndarray::Array2;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use std::time::Instant;

/// Rows of a class that the first sample has at least, if there are as many.
const SAMPLED_PER_CLASS: usize = 20;

/// Rows whose leaf probabilities are held in memory at a time.
const ROWS_AT_A_TIME: usize = 16_384;

/// As [`fit_orct`](crate::fit_orct), trained on a sample and on selected rows alone; every selected row
/// counts for the rows of its cluster, so classes weigh as much as in all rows. The report's
/// `selection` tells the share of rows and the accuracy on all rows, round by round.
pub fn fit_orct_selected<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &OrctSettings,
    selection: &RowSelection,
    control: &Control,
) -> Result<OrctModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    settings.check_rates_on_training()?;
    selection.validate(rows.features())?;
    let canonical = OrctData::checked(rows.reborrow(), labels, weights, settings)?;
    let data = canonical.data();
    let progress = &control.progress;
    let stop = settings.run.stop(control);
    let work = SelectedFit {
        weight: (data.weights).map_or_else(|| vec![1.0; data.rows.len()], <[f64]>::to_vec),
        rows: data.rows.reborrow(),
        labels: data.labels,
        costs: data.costs,
        settings,
        selection,
        control,
        began,
    };
    let sample = work.sample();
    let starts = (1 + selection.rounds) * starts_of_fit(settings, rows.features());
    let settled = work.with(&sample, |data| settle(data, settings, starts, control))?;
    let at = &settled.at;
    let first = work.fit_to(&sample, at, None)?;
    let mut model = match work.route(first.clone()) {
        Ok(first) => work.improve(first, sample.rows.len(), at, &stop)?,
        Err(FitError::Cancelled) => {
            let mut model = first; // nothing is known of all rows
            model.report.status = SolveStatus::Cancelled;
            model
        }
        Err(error) => return Err(error),
    };
    if !model.report.status.is_stopped() {
        progress.complete();
    }
    canonical.tell_weights(&mut model);
    model.report.rows = rows.len();
    model.report.seconds = began.elapsed().as_secs_f64();
    model.report.notices = notices_of_classification(&model, &data, at);
    settled.tell(&mut model.report);
    Ok(model)
}

/// Rows to fit to and their weights.
#[derive(Default)]
struct Chosen {
    rows: Vec<usize>,
    weights: Vec<f64>,
}

/// A tree with what it does to all rows.
struct Routed {
    model: OrctModel,
    /// Weight of the rows it gets right, as a share of all.
    accuracy: f64,
    /// For each row its most probable leaf, and whether its class is predicted.
    leaves: Vec<u32>,
    right: Vec<bool>,
}

/// What every step needs.
struct SelectedFit<'a> {
    rows: Rows<'a>,
    labels: &'a Labels,
    costs: &'a [f64],
    weight: Vec<f64>,
    settings: &'a OrctSettings,
    selection: &'a RowSelection,
    control: &'a Control,
    began: Instant,
}

impl SelectedFit<'_> {
    /// Selects and fits, round after round, from the first tree, fitted to so many rows; out of time or
    /// cancelled, it stays with the best tree so far.
    fn improve(
        &self,
        first: Routed,
        rows: usize,
        at: &OrctCandidate,
        stop: &Stop,
    ) -> Result<OrctModel, FitError> {
        let mut best = first;
        let (accuracy, step, accepted) = (best.accuracy, SelectionStep::Sample, true);
        let round = SelectionRound {
            step,
            rows,
            accuracy,
            accepted,
        };
        let mut report = SelectionReport {
            rows,
            share: 0.0,
            accuracy,
            rounds: vec![round],
        };
        let stopped = match self.rounds(&mut best, &mut report, at, stop) {
            Ok(stopped) => stopped,
            Err(FitError::Cancelled) => Some(Stopped::Cancelled),
            Err(error) => return Err(error),
        };
        report.share = report.rows as f64 / self.rows.len() as f64;
        let mut model = best.model;
        if let Some(stopped) = stopped {
            model.report.status = stopped.into();
        }
        model.report.selection = Some(report);
        Ok(model)
    }

    /// The rounds; says what kept it from making all that were worth it.
    fn rounds(
        &self,
        best: &mut Routed,
        report: &mut SelectionReport,
        at: &OrctCandidate,
        stop: &Stop,
    ) -> Result<Option<Stopped>, FitError> {
        let scaling = self.scaling(at)?;
        for round in 0..self.selection.rounds {
            let step = if round == 0 {
                SelectionStep::Clusters
            } else {
                SelectionStep::Mistakes
            };
            let selected = match self.select(step, best, stop)? {
                Ok(selected) => selected,
                Err(stopped) => return Ok(Some(stopped)),
            };
            let candidate = self.route(self.fit_to(&selected, at, Some(&scaling))?)?;
            let accepted = candidate.accuracy >= best.accuracy;
            report.rounds.push(SelectionRound {
                step,
                rows: selected.rows.len(),
                accuracy: candidate.accuracy,
                accepted,
            });
            if accepted {
                *best = candidate;
                report.rows = selected.rows.len();
                report.accuracy = best.accuracy;
            } else if step == SelectionStep::Mistakes {
                break; // the same tree would make the same selection again
            }
        }
        Ok(None)
    }

    /// A random sample of each class, with the class' weight.
    fn sample(&self) -> Chosen {
        let mut of_class = vec![Vec::new(); self.labels.classes.len()];
        for (row, class) in self.labels.codes.iter().enumerate() {
            if self.weight[row] > 0.0 {
                of_class[*class as usize].push(row);
            }
        }
        let n: usize = of_class.iter().map(Vec::len).sum();
        let share = self.selection.sample.min(n.div_ceil(4)) as f64 / n as f64;
        // A stream that no start draws from.
        let mut rng = Pcg64::new(u128::from(self.settings.run.random_state), u128::MAX);
        let mut chosen = Chosen::default();
        for mut members in of_class {
            let total = self.total(&members);
            let wanted = (share * members.len() as f64).ceil() as usize;
            let wanted = wanted.max(SAMPLED_PER_CLASS).min(members.len());
            let (members, _) = members.partial_shuffle(&mut rng, wanted);
            chosen.add(members, total, self);
        }
        chosen
    }

    fn total(&self, rows: &[usize]) -> f64 {
        rows.iter().map(|row| self.weight[*row]).sum()
    }

    /// The map of the features, learned on all rows.
    fn scaling(&self, at: &OrctCandidate) -> Result<Scaling, FitError> {
        let stop = Stop::new(&self.control.stop, None);
        let kind = at.scaling;
        in_pool(self.settings.run.n_threads, || {
            Scaling::learn_unless_stopped(kind, self.rows.reborrow(), Some(&self.weight), &stop)
        })?
        .map_err(|_: Stopped| FitError::Cancelled)
    }

    fn fit_to(
        &self,
        chosen: &Chosen,
        at: &OrctCandidate,
        scaling: Option<&Scaling>,
    ) -> Result<OrctModel, FitError> {
        let rest = self.settings.within(self.began);
        self.with(chosen, |data| {
            fit_checked(data, &rest, at, scaling, self.control)
        })
    }

    /// Does something with the chosen rows.
    fn with<T>(&self, chosen: &Chosen, act: impl FnOnce(&ClassData<'_>) -> T) -> T {
        let rows = GatheredRows::of(&self.rows, &chosen.rows);
        let labels = Labels {
            classes: self.labels.classes.clone(),
            codes: chosen.rows.iter().map(|i| self.labels.codes[*i]).collect(),
        };
        act(&ClassData {
            rows: rows.rows(),
            labels: &labels,
            weights: Some(&chosen.weights),
            costs: self.costs,
            grouping: None,
        })
    }

    /// Sends all rows down the tree.
    fn route(&self, model: OrctModel) -> Result<Routed, FitError> {
        let n = self.rows.len();
        let (mut leaves, mut right) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for first in (0..n).step_by(ROWS_AT_A_TIME) {
            if self.control.stop.is_raised() {
                return Err(FitError::Cancelled);
            }
            let range = first..n.min(first + ROWS_AT_A_TIME);
            let rows = self.rows.slice(range.clone());
            let probabilities = model.tree.leaf_probabilities(rows)?;
            let width = model.tree.shape.leaves().len();
            leaves.extend(probabilities.chunks_exact(width).map(most_probable));
            let predicted = model.predict(rows)?;
            let actual = &self.labels.codes[range];
            right.extend(predicted.iter().zip(actual).map(|(p, y)| p == y));
        }
        let all = self.weight.iter().zip(&right);
        let hits: f64 = all.filter(|(_, right)| **right).map(|(w, _)| w).sum();
        Ok(Routed {
            accuracy: hits / self.weight.iter().sum::<f64>(),
            model,
            leaves,
            right,
        })
    }

    /// The rows that stand for all by a tree.
    fn select(
        &self,
        step: SelectionStep,
        tree: &Routed,
        stop: &Stop,
    ) -> Result<Result<Chosen, Stopped>, FitError> {
        let mut settings = self.selection.settings();
        let all = (0..self.rows.len()).filter(|row| self.weight[*row] > 0.0);
        let (members, mistakes): (Vec<usize>, Vec<usize>) = match step {
            SelectionStep::Mistakes => {
                settings.beta1 = 1.0; // the extreme points of every cluster
                all.partition(|row| tree.right[*row])
            }
            _ => (all.collect(), Vec::new()),
        };
        let codes = &self.labels.codes;
        let clusters = Clusters {
            rows: self.rows.reborrow(),
            members: &members,
            classes: codes,
            leaves: &tree.leaves,
            scaling: Some(&tree.model.tree.scaling),
        };
        let hyperplanes = hyperplanes(&tree.model);
        let selected = in_pool(self.settings.run.n_threads, || {
            stop.check()?;
            let chosen = choose(&clusters, &hyperplanes, &settings, stop)?;
            stop.check()?;
            Ok(chosen)
        })?;
        Ok(selected.map(|selected| {
            let key = |row: usize| (tree.leaves[row], codes[row]);
            let place = |row: usize| {
                let places = &selected.clusters;
                let place = places.binary_search_by_key(&key(row), |c| (c.leaf, c.class));
                place.expect("every row is in a cluster")
            };
            let mut totals = vec![0.0; selected.clusters.len()];
            for row in &members {
                totals[place(*row)] += self.weight[*row];
            }
            let mut of_cluster = vec![Vec::new(); totals.len()];
            for (row, cluster) in selected.indices.iter().zip(&selected.cluster) {
                of_cluster[*cluster].push(*row);
            }
            let mut chosen = Chosen::default();
            for (rows, total) in of_cluster.iter().zip(totals) {
                chosen.add(rows, total, self);
            }
            chosen.add(&mistakes, self.total(&mistakes), self);
            chosen
        }))
    }
}

impl Chosen {
    /// Adds rows that weigh `total` together.
    fn add(&mut self, rows: &[usize], total: f64, all: &SelectedFit<'_>) {
        let factor = total / all.total(rows);
        self.rows.extend(rows);
        self.weights
            .extend(rows.iter().map(|row| all.weight[*row] * factor));
    }
}

/// The splits on scaled features, and those on the way to each leaf.
fn hyperplanes(model: &OrctModel) -> Hyperplanes {
    let (tree, p) = (&model.tree, model.tree.features());
    let splits = tree.shape.splits().len();
    let slopes = tree.coefficients.iter().map(|a| a / p as f64).collect();
    let path = |leaf: usize| {
        let path = tree.shape.path(leaf).into_iter().rev();
        path.map(|(split, _)| split).collect()
    };
    Hyperplanes {
        normals: Array2::from_shape_vec((splits, p), slopes).expect("a row for each split"),
        offsets: tree.intercepts.clone(),
        of_leaf: (0..tree.shape.leaves().len()).map(path).collect(),
    }
}
