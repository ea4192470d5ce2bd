//! Trees that the search for the best hard tree begins with.

use super::orct::fit_orct;
use super::orct_settings::OrctSettings;
use super::run_settings::RunSettings;
use super::svm1_odt_rows::SearchRows;
use super::svm1_odt_settings::{StartSplit, Svm1OdtSettings, Svm1OdtStart};
use crate::control::Control;
use crate::data::{FeatureMap, Scaling, ScalingChoice, ScalingKind};
use crate::error::FitError;
use crate::exact::{Hyperplane, ObliqueTree, Paths, Points, axis_tree};
use crate::fitted::{CvTable, OrctCandidate, Svm1OdtTree, TriedSettings};
use std::sync::Arc;

/// Share of the time limit that a randomized tree may take.
const ORCT_SHARE: f64 = 0.25;

/// The trees that the settings ask for; none if random ones are to do.
pub(super) fn start_trees(
    data: &SearchRows<'_>,
    (points, scaling): (&Points, &Scaling),
    settings: &Svm1OdtSettings,
    control: &Control,
) -> Result<Vec<ObliqueTree>, FitError> {
    let paths = Paths::new(settings.depth);
    let cart = || axis_tree(points, &paths);
    let orct = || {
        let plain = of_orct(settings, OrctSettings::plain());
        Ok::<_, FitError>(orct_tree(data, (points, scaling), &plain, control)?.0)
    };
    Ok(match &settings.start {
        Svm1OdtStart::Auto => vec![orct()?, cart()],
        Svm1OdtStart::Orct => vec![orct()?],
        Svm1OdtStart::Cart => vec![cart()],
        Svm1OdtStart::Random => Vec::new(),
        Svm1OdtStart::Tree(splits) => vec![tree_of(points, scaling, &paths, splits)],
    })
}

/// A start that is kept as it is, every hyperplane scaled: none for the tree of the search. A randomized tree
/// has the settings `at`, or those that folds of the rows choose.
pub(super) fn kept_tree(
    which: Svm1OdtTree,
    data: &SearchRows<'_>,
    (points, scaling): (&Points, &Scaling),
    (settings, at): (&Svm1OdtSettings, Option<&OrctCandidate>),
    control: &Control,
) -> Result<Option<ObliqueTree>, FitError> {
    let paths = Paths::new(settings.depth);
    let mut tree = match (which, &settings.start) {
        (Svm1OdtTree::Orct, _) => {
            let orct = open_orct(settings, at);
            orct_tree(data, (points, scaling), &orct, control)?.0
        }
        (Svm1OdtTree::Cart, _) => axis_tree(points, &paths),
        (Svm1OdtTree::Given, Svm1OdtStart::Tree(splits)) => {
            tree_of(points, scaling, &paths, splits)
        }
        (Svm1OdtTree::Search | Svm1OdtTree::Given, _) => return Ok(None),
    };
    tree.splits.iter_mut().for_each(|split| split.scale(points));
    tree.relabel(points);
    Ok(Some(tree))
}

/// The settings of a randomized tree that folds of the rows choose; none if these are too few.
pub(super) fn orct_by_folds(
    data: &SearchRows<'_>,
    scaled: (&Points, &Scaling),
    settings: &Svm1OdtSettings,
    control: &Control,
) -> Result<Option<OrctCandidate>, FitError> {
    let (_, table) = orct_tree(data, scaled, &open_orct(settings, None), control)?;
    Ok(
        table.and_then(|table| match &table.candidates[table.chosen].settings {
            TriedSettings::Orct(at) => Some(at.clone()),
            _ => None,
        }),
    )
}

/// Settings of a randomized tree with linear splits, open but for what `at` has.
fn open_orct(settings: &Svm1OdtSettings, at: Option<&OrctCandidate>) -> OrctSettings {
    let mut orct = OrctSettings {
        scaling: ScalingChoice::Fixed(ScalingKind::MinMax),
        ..OrctSettings::default()
    };
    if let Some(at) = at {
        (orct.gamma, orct.balance) = (Some(at.gamma), Some(at.balanced));
        orct.penalty.local = Some(at.local_penalty);
    }
    of_orct(settings, orct)
}

/// The same with all that both kinds of trees have.
fn of_orct(settings: &Svm1OdtSettings, orct: OrctSettings) -> OrctSettings {
    let limit = settings.run.time_limit;
    OrctSettings {
        depth: settings.depth,
        cover_classes: false,
        n_starts: settings.n_starts,
        run: RunSettings {
            random_state: settings.run.random_state,
            n_threads: settings.run.n_threads,
            time_limit: limit.map(|limit| limit.mul_f64(ORCT_SHARE)),
            ..RunSettings::default()
        },
        ..orct
    }
}

/// A randomized tree with its splits taken as hard ones: the side where the probability is above one half.
fn orct_tree(
    data: &SearchRows<'_>,
    (points, scaling): (&Points, &Scaling),
    settings: &OrctSettings,
    control: &Control,
) -> Result<(ObliqueTree, Option<CvTable>), FitError> {
    let control = Control {
        stop: control.stop.clone(),
        progress: Arc::default(),
    };
    let (rows, weights) = (data.rows.reborrow(), Some(data.weights));
    let model = fit_orct(rows, data.labels, weights, settings, &control)?;
    let split = |node: &usize| {
        let rule = model.tree.rule(*node).expect("the tree splits there");
        StartSplit {
            node: *node,
            weights: rule.terms.iter().map(|t| (t.feature, t.weight)).collect(),
            threshold: rule.threshold,
        }
    };
    let splits: Vec<StartSplit> = model.tree.shape.splits().iter().map(split).collect();
    let tree = tree_of(points, scaling, &Paths::new(settings.depth), &splits);
    Ok((tree, model.report.cross_validation))
}

/// The tree of splits in the user's units, leaves labelled by majority.
fn tree_of(points: &Points, scaling: &Scaling, paths: &Paths, given: &[StartSplit]) -> ObliqueTree {
    let p = points.features();
    let mut splits = vec![Hyperplane::all_left(p); paths.splits()];
    for split in given {
        let (mut h, mut g) = (vec![0.0; p], -split.threshold);
        for (j, weight) in &split.weights {
            match &scaling.features[*j] {
                FeatureMap::Linear { min, max } => {
                    h[*j] = -weight * (max - min);
                    g += weight * min;
                }
                _ => g += weight * scaling.typical[*j],
            }
        }
        splits[split.node] = Hyperplane { h, g };
    }
    let labels = vec![0; paths.leaves()];
    let mut tree = ObliqueTree { splits, labels };
    tree.relabel(points);
    tree
}
