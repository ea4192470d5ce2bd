//! Effects: how much of a prediction is owed to a feature's not having its typical value.

use super::explain::all_but;
use super::set_back::{LinearFunctions, Outcome, effects};
use super::{FittedTree, OrctModel, OrrtModel, SoftTree, SrtModel};
use crate::InputError;
use crate::data::Rows;
use crate::tree::Child;
use crate::vectors::saturation;

impl OrctModel {
    /// For each row, class and column, N × K × columns: by how much the log odds ln(P/(1 − P)) of the class
    /// are higher than if that column alone had its typical value ([`Scaling`](crate::data::Scaling)).
    ///
    /// P is what [`Self::predict_proba`] gives; a probability less than 2^−1022 counts as 2^−1022, so
    /// that the log odds of a class that no leaf holds are finite. Unlike derivatives, effects are those
    /// of the whole step back; they are small where it leaves the row in its leaf. Effects of several
    /// columns need not add up to that of setting back all of them. All features of an encoded column are
    /// set back together.
    pub fn effects<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let (tree, classes) = (&self.tree, self.classes.len());
        let log_odds = LogOdds {
            tree,
            frequencies: self.leaf_frequencies(),
            limit: saturation(tree.shape.depth()),
        };
        effects(tree, &log_odds, &rows.into(), classes, &each_column(tree))
    }
}

impl SrtModel {
    /// For each row and column, N × columns: by how much the prediction is higher than if that column alone
    /// had its typical value ([`Scaling`](crate::data::Scaling)), a change of leaf included.
    pub fn effects<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let tree = &self.tree;
        effects(tree, self, &rows.into(), 1, &each_column(tree))
    }
}

impl OrrtModel {
    /// For each row and column, N × columns: by how much the prediction is higher than if that column alone
    /// had its typical value ([`Scaling`](crate::data::Scaling)), within leaves and between them.
    pub fn effects<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let tree = &self.tree;
        effects(tree, self, &rows.into(), 1, &each_column(tree))
    }
}

/// The features of each of the user's columns, which change together.
fn each_column(tree: &SoftTree) -> Vec<Vec<usize>> {
    let columns = tree.column_features().into_iter();
    columns.map(Iterator::collect).collect()
}

impl SoftTree {
    /// γ z_t of every split.
    fn margins(&self) -> LinearFunctions {
        let per_feature = self.gamma / self.features() as f64;
        LinearFunctions {
            coefficients: self.coefficients.iter().map(|a| per_feature * a).collect(),
            offsets: self.intercepts.iter().map(|mu| self.gamma * mu).collect(),
        }
    }

    /// Calls `arrive` with each leaf and the probability of reaching it, given γ z_t of every split, of
    /// which no more than `limit` counts, as in the kernel; `reach` is working memory.
    fn reach_leaves(
        &self,
        margins: &[f64],
        limit: f64,
        reach: &mut Vec<f64>,
        mut arrive: impl FnMut(usize, f64),
    ) {
        reach.clear();
        reach.resize(margins.len(), 0.0);
        match reach.first_mut() {
            Some(root) => *root = 1.0,
            None => arrive(0, 1.0),
        }
        let children = self.shape.children();
        for (t, (margin, children)) in margins.iter().zip(children).enumerate() {
            let e = (-margin.abs().min(limit)).exp();
            let (likelier, other) = (1.0 / (1.0 + e), e / (1.0 + e));
            let sides = if *margin >= 0.0 {
                [likelier, other]
            } else {
                [other, likelier]
            };
            for (child, side) in children.iter().zip(sides) {
                match child {
                    Child::Split(child) => reach[*child] = reach[t] * side,
                    Child::Leaf(leaf) => arrive(*leaf, reach[t] * side),
                }
            }
        }
    }

    /// γ z_t of every split, then the models of leaves, slopes and intercepts in units of the response.
    fn margins_and_models(
        &self,
        slopes: &[f64],
        intercepts: &[f64],
        scale: f64,
    ) -> LinearFunctions {
        let mut functions = self.margins();
        let coefficients = slopes.iter().map(|b| b * scale);
        functions.coefficients.extend(coefficients);
        functions
            .offsets
            .extend(intercepts.iter().map(|b| -b * scale));
        functions
    }
}

/// The log odds of each class of a mixture of leaves.
struct LogOdds<'a> {
    tree: &'a SoftTree,
    /// L × K.
    frequencies: Vec<f64>,
    /// Largest |γ z| that counts, as in the kernel.
    limit: f64,
}

impl Outcome for LogOdds<'_> {
    fn functions(&self) -> LinearFunctions {
        self.tree.margins()
    }

    fn outcomes(&self, margins: &[f64], reach: &mut Vec<f64>, out: &mut [f64]) {
        let mut probabilities = vec![0.0; out.len()];
        self.tree
            .reach_leaves(margins, self.limit, reach, |leaf, reached| {
                let frequencies = &self.frequencies[leaf * out.len()..][..out.len()];
                for (p, frequency) in probabilities.iter_mut().zip(frequencies) {
                    *p += reached * frequency;
                }
            });
        let ln = |p: f64| p.max(f64::MIN_POSITIVE).ln();
        for (k, out) in out.iter_mut().enumerate() {
            *out = ln(probabilities[k]) - ln(all_but(&probabilities, k));
        }
    }
}

/// The model of the leaf at the end of the likelier branches, in units of the response and without
/// its mean.
impl Outcome for SrtModel {
    fn functions(&self) -> LinearFunctions {
        let scale = self.response.scale;
        self.tree
            .margins_and_models(&self.leaf_slopes, &self.leaf_intercepts, scale)
    }

    fn outcomes(&self, values: &[f64], _: &mut Vec<f64>, out: &mut [f64]) {
        let children = self.tree.shape.children();
        let (margins, models) = values.split_at(children.len());
        let step = |split: usize| children[split][usize::from(margins[split] < 0.0)];
        let mut place = if margins.is_empty() {
            Child::Leaf(0)
        } else {
            step(0)
        };
        while let Child::Split(split) = place {
            place = step(split);
        }
        if let Child::Leaf(leaf) = place {
            out[0] = models[leaf];
        }
    }

    fn added(&self, feature: usize, u: f64) -> f64 {
        let curve = self.curves.get(feature);
        curve.map_or(0.0, |curve| self.response.scale * curve.value(u))
    }
}

/// The mixture of the leaves' models, in units of the response and without its mean.
impl Outcome for OrrtModel {
    fn functions(&self) -> LinearFunctions {
        let scale = self.response.scale;
        self.tree
            .margins_and_models(&self.leaf_slopes, &self.leaf_intercepts, scale)
    }

    fn outcomes(&self, values: &[f64], reach: &mut Vec<f64>, out: &mut [f64]) {
        let (margins, models) = values.split_at(self.tree.shape.splits().len());
        let limit = saturation(self.tree.shape.depth());
        out[0] = 0.0;
        self.tree
            .reach_leaves(margins, limit, reach, |leaf, reached| {
                out[0] += reached * models[leaf];
            });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{FeatureMap, Standardization};
    use crate::fitted::Curve;
    use crate::fitted::random_tree::{at_share, maps, random_model, row, with_mixed_leaves};
    use crate::tree::Shape;
    use ndarray::Array2;
    use proptest::prelude::*;

    /// A regression tree with the splits of a random classification tree, and a curve of one feature.
    fn random_srt(seed: u64, depth: usize) -> SrtModel {
        let OrctModel { tree, report, .. } = random_model(seed, depth, 2, 1.0, maps());
        let (leaves, p) = (tree.shape.leaves().len(), tree.features());
        let wave = |i: usize| (seed as f64 % 1e3 + i as f64).sin();
        let mut curves = vec![Curve::default(); p];
        curves[4] = Curve {
            knots: vec![0.25, 0.5],
            bends: vec![2.0, -3.0],
        };
        SrtModel {
            leaf_slopes: (0..leaves * p).map(wave).collect(),
            leaf_intercepts: (0..leaves).map(|l| wave(l + 1000)).collect(),
            curves,
            response: Standardization {
                mean: -7.0,
                scale: 3.0,
            },
            ridge_branches: vec![0.0; p + 1],
            ridge_leaves: vec![0.0; p + 1],
            leaf_weights: Vec::new(),
            tree,
            report,
        }
    }

    /// Random typical values.
    fn with_typical(tree: &mut SoftTree, shares: &[f64]) {
        let typical = maps()
            .iter()
            .zip(shares)
            .map(|(map, s)| at_share(map, *s))
            .collect();
        tree.scaling.typical = typical;
    }

    fn set_back(x: &[f64], tree: &SoftTree, j: usize) -> Vec<f64> {
        let mut moved = x.to_vec();
        moved[j] = tree.scaling.typical[j];
        moved
    }

    fn row_at(shares: &[f64]) -> Vec<f64> {
        maps()
            .iter()
            .zip(shares)
            .map(|(map, s)| at_share(map, *s))
            .collect()
    }

    proptest! {
        #[test]
        fn effects_are_differences_of_log_odds(
            seed in any::<u64>(),
            depth in 1usize..5,
            classes in 2usize..4,
            gamma in 1.0..64.0f64,
            typical in prop::collection::vec(0.0..1.0f64, 5),
            shares in prop::collection::vec(-0.5..1.5f64, 5),
        ) {
            let model = random_model(seed, depth, classes, gamma, maps());
            let mut model = with_mixed_leaves(model, seed);
            with_typical(&mut model.tree, &typical);
            let x = row_at(&shares);
            let effects = model.effects(row(&x)).unwrap();
            let probabilities = |x: &[f64]| model.predict_proba(row(x)).unwrap();
            let log_odds = |p: &[f64], k: usize| {
                let ln = |p: f64| p.max(f64::MIN_POSITIVE).ln();
                ln(p[k]) - ln(all_but(p, k))
            };
            let before = probabilities(&x);
            for j in 0..5 {
                let after = probabilities(&set_back(&x, &model.tree, j));
                for k in 0..classes {
                    let wanted = log_odds(&before, k) - log_odds(&after, k);
                    let got = effects[k * 5 + j];
                    prop_assert!((got - wanted).abs() < 1e-8, "class {k}, feature {j}: {got}, {wanted}");
                }
            }
        }

        #[test]
        fn effects_are_differences_of_predictions(
            seed in any::<u64>(),
            depth in 1usize..5,
            typical in prop::collection::vec(0.0..1.0f64, 5),
            shares in prop::collection::vec(-0.5..1.5f64, 5),
        ) {
            let mut model = random_srt(seed, depth);
            with_typical(&mut model.tree, &typical);
            let x = row_at(&shares);
            let effects = model.effects(row(&x)).unwrap();
            let predicted = |x: &[f64]| model.predict(row(x)).unwrap()[0];
            for (j, effect) in effects.iter().enumerate() {
                let wanted = predicted(&x) - predicted(&set_back(&x, &model.tree, j));
                prop_assert!((effect - wanted).abs() < 1e-9, "feature {j}: {effect}, {wanted}");
            }
        }
    }

    #[test]
    fn values_far_outside_leave_the_others_their_digits() {
        let mut model = random_model(5, 3, 2, 64.0, maps());
        let srt = random_srt(5, 3);
        for far in [1e300, -1e300] {
            let x = [far, 2e300, 1e-301, 0.0, 0.1];
            let effects = model.effects(row(&x)).unwrap();
            let probabilities = |x: &[f64]| model.predict_proba(row(x)).unwrap();
            let log_odds = |p: &[f64]| p[0].ln() - p[1].ln();
            let after = log_odds(&probabilities(&set_back(&x, &model.tree, 0)));
            let wanted = log_odds(&probabilities(&x)) - after;
            assert!(
                (effects[0] - wanted).abs() < 1e-9 * wanted.abs(),
                "{effects:?}"
            );
            assert!(effects.iter().all(|effect| effect.is_finite()));
            let effect = srt.effects(row(&x)).unwrap()[0];
            let predicted = |x: &[f64]| srt.predict(row(x)).unwrap()[0];
            let wanted = predicted(&x) - predicted(&set_back(&x, &srt.tree, 0));
            assert!((effect - wanted).abs() <= 1e-9 * wanted.abs());
        }
        // Log odds of a class that no leaf holds are finite, and do not change.
        model.leaf_classes.fill(0);
        let effects = model.effects(row(&[3.0, 1e300, 0.0, 0.0, 2.0])).unwrap();
        assert_eq!(effects, [0.0; 10]);
    }

    #[test]
    fn typical_rows_constants_and_trees_without_splits_have_no_effects() {
        let mut model = random_model(6, 2, 3, 64.0, maps());
        model.leaf_classes = vec![0, 1, 2, 0];
        let typical = model.tree.scaling.typical.clone();
        assert_eq!(model.effects(row(&typical)).unwrap(), [0.0; 15]);
        let effects = model
            .effects(row(&[2.0, 1e300, 1e-300, 77.0, 3.0]))
            .unwrap();
        assert!(effects.iter().any(|effect| *effect != 0.0));
        assert_eq!(FeatureMap::Constant, maps()[3]);
        assert!(effects.chunks_exact(5).all(|of_class| of_class[3] == 0.0));
        let mut single = model;
        single.tree.shape = Shape::of_splits(Vec::new()).unwrap();
        (single.tree.coefficients, single.tree.intercepts) = (Vec::new(), Vec::new());
        single.leaf_classes = vec![1];
        let x = [2.0, 1e300, 1e-300, 77.0, 3.0];
        assert_eq!(single.effects(row(&x)).unwrap(), [0.0; 15]);
        let mut line = random_srt(7, 1);
        line.tree = single.tree;
        line.leaf_slopes.truncate(5);
        line.leaf_intercepts.truncate(1);
        let predicted = line.predict(row(&x)).unwrap()[0];
        let moved = line.predict(row(&set_back(&x, &line.tree, 4))).unwrap()[0];
        let effects = line.effects(row(&x)).unwrap();
        assert!((effects[4] - (predicted - moved)).abs() < 1e-12);
    }

    #[test]
    fn many_rows_in_parallel_have_the_effects_of_one_at_a_time() {
        let (model, srt) = (random_model(3, 2, 3, 64.0, maps()), random_srt(3, 2));
        let x = Array2::from_shape_fn((25_000, 5), |(i, j)| {
            at_share(&maps()[j], (i * (j + 3) % 101) as f64 / 100.0)
        });
        let (all, of_srt) = (
            model.effects(x.view()).unwrap(),
            srt.effects(x.view()).unwrap(),
        );
        for i in [0, 1, 16_383, 16_384, 24_999] {
            let one = x.slice(ndarray::s![i..=i, ..]);
            assert_eq!(model.effects(one).unwrap(), all[i * 15..][..15]);
            assert_eq!(srt.effects(one).unwrap(), of_srt[i * 5..][..5]);
        }
        let mismatch = InputError::FeatureMismatch {
            expected: 5,
            got: 4,
        };
        assert_eq!(model.effects(x.slice(ndarray::s![.., ..4])), Err(mismatch));
    }
}
