//! Trees that the search for the best hard tree begins with.

use super::orct::fit_orct;
use super::orct_settings::OrctSettings;
use super::svm1_odt_rows::SearchRows;
use super::svm1_odt_settings::{StartSplit, Svm1OdtSettings, Svm1OdtStart};
use crate::control::Control;
use crate::data::{FeatureMap, Scaling};
use crate::error::FitError;
use crate::exact::{Hyperplane, ObliqueTree, Paths, Points, axis_tree};
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
    let of_splits = |splits: &[StartSplit]| tree_of(points, scaling, &paths, splits);
    let orct = || Ok::<_, FitError>(of_splits(&orct_splits(data, settings, control)?));
    Ok(match &settings.start {
        Svm1OdtStart::Auto => vec![orct()?, cart()],
        Svm1OdtStart::Orct => vec![orct()?],
        Svm1OdtStart::Cart => vec![cart()],
        Svm1OdtStart::Random => Vec::new(),
        Svm1OdtStart::Tree(splits) => vec![of_splits(splits)],
    })
}

/// The splits of a randomized tree, taken as hard ones: the side where the probability is above one half.
fn orct_splits(
    data: &SearchRows<'_>,
    settings: &Svm1OdtSettings,
    control: &Control,
) -> Result<Vec<StartSplit>, FitError> {
    let mut of_orct = OrctSettings {
        depth: settings.depth,
        cover_classes: false,
        n_starts: settings.n_starts,
        ..OrctSettings::plain()
    };
    of_orct.run.random_state = settings.run.random_state;
    of_orct.run.n_threads = settings.run.n_threads;
    let limit = settings.run.time_limit;
    of_orct.run.time_limit = limit.map(|limit| limit.mul_f64(ORCT_SHARE));
    let control = Control {
        stop: control.stop.clone(),
        progress: Arc::default(),
    };
    let (rows, weights) = (data.rows.reborrow(), Some(data.weights));
    let model = fit_orct(rows, data.labels, weights, &of_orct, &control)?;
    let split = |node: &usize| {
        let rule = model.tree.rule(*node).expect("the tree splits there");
        StartSplit {
            node: *node,
            weights: rule.terms.iter().map(|t| (t.feature, t.weight)).collect(),
            threshold: rule.threshold,
        }
    };
    Ok(model.tree.shape.splits().iter().map(split).collect())
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
