//! The sparse perceptron decision tree: settings → rows → splits, level by level → model.

use super::check_orct_data::{check_labels, classes_present};
use super::spdt_choice::{choose, trials};
use super::spdt_settings::{SpdtScaling, SpdtSettings};
use super::validate::{check_weights, check_x_and_names};
use crate::control::Control;
use crate::data::finite::check_finite;
use crate::data::{CanonicalRows, ClassLabels, Labels, Rows};
use crate::error::{FitError, InputError};
use crate::fitted::{FitReport, HardSplit, HardTree, Notice, SpdtModel};
use crate::perceptron::{ColumnScale, GrowSettings, Grown, GrownLeaf, TreeRows, figures, grow};
use crate::status::SolveStatus;
use crate::stop::Stop;
use crate::threads::in_pool;
use crate::tree::Shape;
use std::collections::BTreeSet;
use std::time::Instant;

/// Sums of weights beyond which they are brought to the number of rows: C has no meaning there.
const USUAL_WEIGHT: std::ops::Range<f64> = 1e-3..1e15;

/// Fits a sparse perceptron decision tree (SPDT): hard splits on few features out of very many.
///
/// Every node parts its rows by a linear classifier on a few features. They are found by feature generation
/// for all folds of the node's rows at once (paper 5, (7)): the B features of largest
/// Σ_v (Σ_i α_iv y_i x_ij)² are added, then
///
/// min ½(Σ_h ‖W_h‖)² + (C/2) Σ_v Σ_i w_i max(0, 1 − y_i(w_vᵀx_i + b_v))²
///
/// over the groups so far, in turn; classifiers are refitted on the features in the end, one for each fold
/// and one for all rows, which is the split (or it is the mean of the others: `vote`). Children that err, on rows held out of training, no less than
/// their parent does there are pruned. Of more than two classes a node parts one from the rest, or two sets of
/// them, whichever tells more. Same seed, same bits, on any number of threads.
pub fn fit_spdt<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &SpdtSettings,
    control: &Control,
) -> Result<SpdtModel, FitError> {
    let rows = rows.into();
    let began = Instant::now();
    settings.validate()?;
    check_data(&rows, labels, weights, settings)?;
    let stop = settings.run.stop(control);
    in_pool(settings.run.n_threads, || {
        check_finite(&rows)?;
        let canonical = CanonicalRows::of(rows.reborrow(), &labels.codes, weights);
        let weights = usual_weights(canonical.weights(), canonical.target.len());
        let data = TreeRows {
            rows: canonical.rows(),
            codes: &canonical.target,
            weights: &weights,
            classes: labels.classes.len(),
        };
        let mut model = fit_rows(&data, &labels.classes, settings, &stop, control);
        model.report.rows = rows.len();
        model.report.seconds = began.elapsed().as_secs_f64();
        Ok(model)
    })?
}

/// Checks all but the values of the rows.
fn check_data(
    rows: &Rows<'_>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: &SpdtSettings,
) -> Result<(), InputError> {
    check_x_and_names(rows, settings.run.columns())?;
    check_labels(rows.len(), labels)?;
    check_weights(rows.len(), weights)?;
    let present = classes_present(labels, weights);
    let got = present.iter().filter(|p| **p).count();
    if got < 2 {
        return Err(InputError::TooFewClasses { got });
    }
    Ok(())
}

/// The weights, or as many ones; of a sum that C can be compared with.
fn usual_weights(weights: Option<&[f64]>, rows: usize) -> Vec<f64> {
    let weights = weights.map_or_else(|| vec![1.0; rows], <[f64]>::to_vec);
    let total: f64 = weights.iter().sum();
    match USUAL_WEIGHT.contains(&total) {
        true => weights,
        false => weights.iter().map(|w| w / total * rows as f64).collect(),
    }
}

/// Chooses C and B, if that is asked for, grows the tree and makes a model of it.
fn fit_rows(
    data: &TreeRows<'_>,
    classes: &ClassLabels,
    settings: &SpdtSettings,
    stop: &Stop,
    control: &Control,
) -> SpdtModel {
    let deviations = match settings.scaling {
        SpdtScaling::Deviation => true,
        SpdtScaling::Plain => false,
        SpdtScaling::Auto => !matches!(data.rows, Rows::Sparse(_)),
    };
    let scale = ColumnScale::of(&data.rows, data.weights, deviations);
    let trials = trials(settings, data.rows.features());
    let of_tree = GrowSettings {
        cost: trials[trials.len() / 2].cost,
        budget: trials[0].budget,
        split_features: settings.split_features,
        max_features: settings.max_features,
        depth: settings.depth,
        min_rows: settings.min_rows,
        folds: settings.folds,
        vote: settings.vote,
        interactions: settings.interactions,
        tol: settings.tol,
        seed: settings.run.random_state,
        factors: &scale.factors,
    };
    let tries = if trials.len() > 1 { trials.len() } else { 0 };
    control.progress.announce(tries + 1);
    let (chosen, table) = choose(data, &trials, &of_tree, stop, control);
    control.progress.begin_phase(1);
    let grown = grow(
        data,
        &GrowSettings {
            cost: chosen.cost,
            budget: chosen.budget,
            ..of_tree
        },
        stop,
        &control.progress,
    );
    control.progress.complete();
    let mut model = to_model(data, classes, settings, grown);
    model.report.cross_validation = table;
    model
}

/// Weight of the rows that classifiers which have not seen them get wrong, over all leaves.
fn held_out_errors(data: &TreeRows<'_>, grown: &Grown) -> f64 {
    if grown.splits.is_empty() {
        let all: Vec<u32> = (0..data.codes.len() as u32).collect();
        let weights = data.class_weights(&all);
        return weights.iter().sum::<f64>() - weights.iter().fold(0.0, |a: f64, w| a.max(*w));
    }
    let sides = grown.splits.iter().flat_map(|(node, split)| {
        let ends = move |side: &usize| !grown.splits.contains_key(&(2 * node + 1 + side));
        (0..2).filter(ends).map(|side| split.side_errors[side])
    });
    sides.sum()
}

/// Columns of all splits, each once, in their order.
fn used_columns(grown: &Grown) -> Vec<u32> {
    let columns = grown.splits.values().flat_map(|split| &split.columns);
    let used: BTreeSet<u32> = columns.copied().collect();
    used.into_iter().collect()
}

fn to_model(
    data: &TreeRows<'_>,
    classes: &ClassLabels,
    settings: &SpdtSettings,
    grown: Grown,
) -> SpdtModel {
    let total: f64 = data.weights.iter().sum();
    let report = report(
        data,
        settings,
        &grown,
        held_out_errors(data, &grown) / total,
    );
    let nodes: Vec<usize> = grown.splits.keys().copied().collect();
    let shape = Shape::of_splits(nodes).expect("splits come with their parents");
    let used = figures(data, &used_columns(&grown));
    let leaves: Vec<&GrownLeaf> = shape
        .leaves()
        .iter()
        .map(|node| &grown.leaves[node])
        .collect();
    let of_leaves = |values: fn(&GrownLeaf) -> &[f64]| -> Vec<f64> {
        leaves
            .iter()
            .flat_map(|leaf| values(leaf))
            .copied()
            .collect()
    };
    let (leaf_weights, frequencies) = (
        of_leaves(|leaf| &leaf.weights),
        of_leaves(|leaf| &leaf.frequencies),
    );
    let leaf_classes = leaves.iter().map(|leaf| leaf.class as u32).collect();
    let leaf_slopes = leaves.iter().map(|leaf| leaf.slope).collect();
    let splits = grown.splits.into_values().map(|split| HardSplit {
        columns: split.columns,
        weights: split.weights,
        threshold: split.threshold,
    });
    let tree = HardTree::new(
        shape,
        data.rows.features(),
        splits.collect(),
        used,
        settings.run.columns(),
    );
    SpdtModel {
        tree,
        classes: classes.clone(),
        leaf_classes,
        leaf_weights,
        frequencies,
        leaf_slopes,
        report,
    }
}

fn report(data: &TreeRows<'_>, settings: &SpdtSettings, grown: &Grown, errors: f64) -> FitReport {
    let root = grown.splits.get(&0);
    let status = grown
        .stopped
        .map_or(SolveStatus::Converged, SolveStatus::from);
    let objective = root.map_or(0.0, |split| split.objective);
    let mut notices = Vec::new();
    if status == SolveStatus::TimeLimit {
        notices.push(Notice::LimitReached { status });
    }
    let classes: BTreeSet<usize> = grown.leaves.values().map(|leaf| leaf.class).collect();
    if let [class] = classes.into_iter().collect::<Vec<_>>()[..] {
        notices.push(Notice::OneClass { class });
    }
    if let Some(split) = root.filter(|split| split.folds < settings.folds) {
        notices.push(Notice::FewerFolds {
            asked: settings.folds,
            folds: split.folds,
        });
    }
    FitReport {
        status,
        objective,
        loss: errors,
        loss_unit: Some(1.0),
        seconds: 0.0,
        iterations: grown.iterations,
        evaluations: grown.evaluations,
        optimality: root.map_or(f64::INFINITY, |split| split.gap),
        start_objectives: vec![objective],
        best_start: 0,
        constraints: Vec::new(),
        cross_validation: None,
        hard_disagreement: None,
        proof: None,
        rows: data.codes.len(),
        selection: None,
        notices: if status == SolveStatus::Cancelled {
            Vec::new()
        } else {
            notices
        },
    }
}
