//! Trees that the search for the best hard tree begins with.

use super::orct::fit_orct;
use super::orct_settings::OrctSettings;
use super::svm1_odt_settings::{StartSplit, Svm1OdtSettings, Svm1OdtStart};
use crate::control::Control;
use crate::data::{FeatureMap, Labels, Rows, Scaling};
use crate::error::FitError;
use crate::exact::{Hyperplane, ObliqueTree, Paths, Points, axis_tree};
use crate::fitted::OrctModel;
use std::sync::Arc;

/// Share of the time limit that a randomized tree may take.
const ORCT_SHARE: f64 = 0.25;

/// The rows a start is made of.
pub(super) struct StartRows<'a> {
    pub rows: Rows<'a>,
    pub labels: &'a Labels,
    pub weights: Option<&'a [f64]>,
    pub points: &'a Points,
    pub scaling: &'a Scaling,
}

/// The trees that the settings ask for; none if random ones are to do.
pub(super) fn start_trees(
    data: &StartRows<'_>,
    settings: &Svm1OdtSettings,
    control: &Control,
) -> Result<Vec<ObliqueTree>, FitError> {
    let paths = Paths::new(settings.depth);
    let cart = || axis_tree(data.points, &paths);
    Ok(match &settings.start {
        Svm1OdtStart::Auto => vec![orct_tree(data, settings, control)?, cart()],
        Svm1OdtStart::Orct => vec![orct_tree(data, settings, control)?],
        Svm1OdtStart::Cart => vec![cart()],
        Svm1OdtStart::Random => Vec::new(),
        Svm1OdtStart::Tree(splits) => vec![given_tree(data, &paths, splits)],
    })
}

/// A randomized tree whose splits are taken as hard ones.
fn orct_tree(
    data: &StartRows<'_>,
    settings: &Svm1OdtSettings,
    control: &Control,
) -> Result<ObliqueTree, FitError> {
    let mut of_orct = OrctSettings {
        depth: settings.depth,
        cover_classes: false,
        n_starts: settings.n_starts,
        ..OrctSettings::plain()
    };
    of_orct.run.random_state = settings.run.random_state;
    of_orct.run.n_threads = settings.run.n_threads;
    of_orct.run.time_limit = settings
        .run
        .time_limit
        .map(|limit| limit.mul_f64(ORCT_SHARE));
    let control = Control {
        stop: control.stop.clone(),
        progress: Arc::default(),
    };
    let model = fit_orct(
        data.rows.reborrow(),
        data.labels,
        data.weights,
        &of_orct,
        &control,
    )?;
    Ok(hardened(&model, settings.depth))
}

/// h = −a/p and g = −μ: the side where the probability is above one half.
fn hardened(model: &OrctModel, depth: usize) -> ObliqueTree {
    let (tree, paths, p) = (&model.tree, Paths::new(depth), model.tree.features());
    let mut splits = vec![Hyperplane::all_left(p); paths.splits()];
    for (split, node) in tree.shape.splits().iter().enumerate() {
        let a = &tree.coefficients[split * p..][..p];
        splits[*node] = Hyperplane {
            h: a.iter().map(|a| -a / p as f64).collect(),
            g: -tree.intercepts[split],
        };
    }
    let mut labels = vec![0; paths.leaves()];
    for (leaf, label) in labels.iter_mut().enumerate() {
        let (mut node, mut last) = (leaf + paths.splits(), None);
        while last.is_none() {
            last = tree.shape.leaves().iter().position(|n| *n == node);
            node = node.saturating_sub(1) / 2;
        }
        *label = last.map_or(0, |l| model.leaf_classes[l] as usize);
    }
    ObliqueTree { splits, labels }
}

/// The tree of splits in the user's units.
fn given_tree(data: &StartRows<'_>, paths: &Paths, given: &[StartSplit]) -> ObliqueTree {
    let p = data.points.features();
    let mut splits = vec![Hyperplane::all_left(p); paths.splits()];
    for split in given {
        let (mut h, mut g) = (vec![0.0; p], -split.threshold);
        for (j, weight) in &split.weights {
            match &data.scaling.features[*j] {
                FeatureMap::Linear { min, max } => {
                    h[*j] = -weight * (max - min);
                    g += weight * min;
                }
                _ => g += weight * data.scaling.typical[*j],
            }
        }
        splits[split.node] = Hyperplane { h, g };
    }
    let labels = vec![0; paths.leaves()];
    let mut tree = ObliqueTree { splits, labels };
    tree.relabel(data.points);
    tree
}
