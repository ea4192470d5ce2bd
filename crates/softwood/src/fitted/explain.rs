//! Local explanations: how predictions change with each feature, in the user's units.

use super::rule::per_unit;
use super::{OrctModel, OrrtModel, SoftTree, SrtModel};
use crate::InputError;
use crate::data::{EncodedColumn, FeatureMap, Rows};
use crate::tree::Child;
use std::ops::Range;

impl OrctModel {
    /// ∂P(class k | x)/∂x_j for each row, class and column, N × K × columns: how much the probability of
    /// class k rises per unit of column j, all else equal. Columns of truth values and of levels without an
    /// order have no derivative: NaN.
    ///
    /// It is 0 for features that no split uses, for constant ones, and beyond the ends of quantile
    /// maps; at a knot of such a map it is the derivative from the right. It is next to 0 wherever the
    /// row is far from every split, as steep splits leave most rows: [`Self::effects`] and
    /// [`SoftTree::explain_path`] tell what matters to such a row. With R_t the probability that the
    /// row reaches split t and V the probability of class k from a node on,
    ///
    /// ∂P/∂x_j = u_j′(x_j) Σ_t R_t p_t (1 − p_t) (V_left − V_right) γ a_tj/p.
    pub fn explain<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let width = self.classes.len() * self.tree.features();
        let scratch = || Scratch::new(&self.tree);
        let frequencies = self.leaf_frequencies();
        let values = self
            .tree
            .fill_rows(&rows.into(), width, scratch, |scratch, _, x, out| {
                self.explain_row(&frequencies, scratch, x, out);
            })?;
        Ok(self.tree.derivatives_by_column(values))
    }

    /// Fills K × p zeros for a row, given the classes' frequencies in the leaves.
    fn explain_row(&self, frequencies: &[f64], scratch: &mut Scratch, x: &[f64], out: &mut [f64]) {
        let tree = &self.tree;
        let (p, splits) = (tree.features(), tree.shape.splits().len());
        scratch.sweep_down(tree, x);
        for (class, out) in out.chunks_exact_mut(p).enumerate() {
            for (leaf, of_leaf) in frequencies.chunks_exact(self.classes.len()).enumerate() {
                scratch.inside[splits + leaf] = of_leaf[class];
                scratch.outside[splits + leaf] = all_but(of_leaf, class);
            }
            scratch.sweep_up(tree);
            scratch.add_changes(tree, out);
            for ((out, map), x) in out.iter_mut().zip(&tree.scaling.features).zip(x) {
                *out = times_slope(*out, map, *x);
            }
        }
    }
}

impl SrtModel {
    /// ∂prediction/∂x_j for each row and column, N × columns: the slope of the row's leaf and of the
    /// column's curve, in the user's units; NaN for truth values and levels without an order. Where a row would change its leaf the prediction jumps, and
    /// no derivative tells; [`Self::effects`] do.
    pub fn explain<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let (tree, rows) = (&self.tree, rows.into());
        let leaves = tree.leaf_indices(rows.reborrow())?;
        let values = tree.fill_rows(
            &rows,
            tree.features(),
            || (),
            |(), i, x, out| {
                self.explain_row(leaves[i] as usize, x, out);
            },
        )?;
        Ok(tree.derivatives_by_column(values))
    }

    /// Fills p derivatives for a row that ends in `leaf`.
    fn explain_row(&self, leaf: usize, x: &[f64], out: &mut [f64]) {
        let maps = &self.tree.scaling.features;
        out.copy_from_slice(&self.leaf_slopes[leaf * out.len()..][..out.len()]);
        for ((out, curve), (map, x)) in out.iter_mut().zip(&self.curves).zip(maps.iter().zip(x)) {
            *out += curve.slope(map.apply(*x));
        }
        for ((out, map), x) in out.iter_mut().zip(maps).zip(x) {
            *out = times_slope(*out * self.response.scale, map, *x);
        }
    }
}

impl OrrtModel {
    /// ∂prediction/∂x_j for each row and column, N × columns, in the user's units (4.10): what the feature
    /// changes within the leaves and by moving the row between them,
    ///
    /// ∂φ/∂x_j = u_j′(x_j) (Σ_t P_t β_tj + Σ_t R_t p_t (1 − p_t) (V_left − V_right) γ a_tj/p),
    ///
    /// V being the prediction from a node on. It is 0 for features that nothing uses, for constant ones,
    /// and beyond the ends of quantile maps, NaN for truth values and levels without an order.
    pub fn explain<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let scratch = || Scratch::new(&self.tree);
        let width = self.tree.features();
        let values =
            (self.tree).fill_rows(&rows.into(), width, scratch, |scratch, _, x, out| {
                self.explain_row(scratch, x, out);
            })?;
        Ok(self.tree.derivatives_by_column(values))
    }

    /// Fills p zeros for a row.
    fn explain_row(&self, scratch: &mut Scratch, x: &[f64], out: &mut [f64]) {
        let (tree, p) = (&self.tree, out.len());
        let splits = tree.shape.splits().len();
        scratch.sweep_down(tree, x);
        for (leaf, beta) in self.leaf_slopes.chunks_exact(p).enumerate() {
            let linear: f64 = beta.iter().zip(&scratch.u).map(|(b, u)| b * u).sum();
            let value = self.leaf_intercepts[leaf] + linear;
            scratch.inside[splits + leaf] = value;
            scratch.outside[splits + leaf] = -value; // so that either difference is that of values
            let chance = scratch.chance(tree, leaf);
            for (out, b) in out.iter_mut().zip(beta) {
                *out += chance * b;
            }
        }
        scratch.sweep_up(tree);
        scratch.add_changes(tree, out);
        for ((out, map), x) in out.iter_mut().zip(&tree.scaling.features).zip(x) {
            *out = times_slope(*out * self.response.scale, map, *x);
        }
    }
}

impl SoftTree {
    /// From derivatives by each feature, p after p, to those by the user's columns.
    fn derivatives_by_column(&self, by_feature: Vec<f64>) -> Vec<f64> {
        let Some(encoding) = &self.encoding else {
            return by_feature;
        };
        let columns = encoding.columns.iter().zip(encoding.ranges());
        let place = |(column, range): (&EncodedColumn, Range<usize>)| {
            (!column.is_indicator(0)).then_some(range.start)
        };
        let places: Vec<Option<usize>> = columns.map(place).collect();
        let rows = by_feature.chunks_exact(self.features());
        let of_row = |row: &[f64]| -> Vec<f64> {
            let at = |place: &Option<usize>| place.map_or(f64::NAN, |j| row[j]);
            places.iter().map(at).collect()
        };
        rows.flat_map(of_row).collect()
    }
}

/// Working memory for one row.
struct Scratch {
    /// The row scaled.
    u: Vec<f64>,
    /// Probabilities of going left and right at each split.
    sides: Vec<(f64, f64)>,
    /// Probability of reaching each split.
    reach: Vec<f64>,
    /// Probability of the class in question from each split, then each leaf, on.
    inside: Vec<f64>,
    /// Probability of the other classes; not formed as 1 − inside, which would
    /// have no digits left where the class is all but certain.
    outside: Vec<f64>,
    /// ∂P/∂(Σ_j a_tj u_j) for each split.
    changes: Vec<f64>,
}

impl Scratch {
    fn new(tree: &SoftTree) -> Self {
        let (splits, leaves) = (tree.shape.splits().len(), tree.shape.leaves().len());
        Self {
            u: vec![0.0; tree.features()],
            sides: vec![(0.5, 0.5); splits],
            reach: vec![1.0; splits],
            inside: vec![0.0; splits + leaves],
            outside: vec![0.0; splits + leaves],
            changes: vec![0.0; splits],
        }
    }

    /// Split and reach probabilities. They go to 0 in the far tails instead of staying at the tiny
    /// value where the kernel saturates: a steep feature map could make that large again.
    fn sweep_down(&mut self, tree: &SoftTree, x: &[f64]) {
        for ((u, map), x) in self.u.iter_mut().zip(&tree.scaling.features).zip(x) {
            *u = map.apply(*x);
        }
        for (t, children) in tree.shape.children().iter().enumerate() {
            let coefficients = tree.split_coefficients(t).iter();
            let products = coefficients.zip(&self.u).map(|(a, u)| a * u);
            let z = products.sum::<f64>() / tree.features() as f64 - tree.intercepts[t];
            let e = (-(tree.gamma * z).abs()).exp();
            let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
            self.sides[t] = if z >= 0.0 {
                (large, small)
            } else {
                (small, large)
            };
            let (p, q) = self.sides[t];
            for (child, side) in children.iter().zip([p, q]) {
                if let Child::Split(child) = child {
                    self.reach[*child] = self.reach[t] * side;
                }
            }
        }
    }

    /// Probability of reaching a leaf.
    fn chance(&self, tree: &SoftTree, leaf: usize) -> f64 {
        let path = tree.shape.path(leaf).into_iter();
        let side = |(split, left): (usize, bool)| match left {
            true => self.sides[split].0,
            false => self.sides[split].1,
        };
        path.map(side).product()
    }

    /// out_j += Σ_t ∂P/∂(Σ_j a_tj u_j) a_tj.
    fn add_changes(&self, tree: &SoftTree, out: &mut [f64]) {
        let all = self.changes.iter().enumerate();
        for (t, change) in all.filter(|(_, change)| **change != 0.0) {
            for (out, a) in out.iter_mut().zip(tree.split_coefficients(t)) {
                *out += change * a;
            }
        }
    }

    /// Class probabilities of all splits from those of the leaves, and the changes.
    fn sweep_up(&mut self, tree: &SoftTree) {
        let factor = tree.gamma / tree.features() as f64;
        let splits = tree.shape.splits().len();
        let place = |child: Child| match child {
            Child::Split(split) => split,
            Child::Leaf(leaf) => splits + leaf,
        };
        for (t, children) in tree.shape.children().iter().enumerate().rev() {
            let ((p, q), [left, right]) = (self.sides[t], children.map(place));
            // The difference of whichever is smaller loses less to rounding.
            let gain = if self.inside[left] + self.inside[right] <= 1.0 {
                self.inside[left] - self.inside[right]
            } else {
                self.outside[right] - self.outside[left]
            };
            self.changes[t] = factor * (self.reach[t] * p * q * gain);
            self.inside[t] = p * self.inside[left] + q * self.inside[right];
            self.outside[t] = p * self.outside[left] + q * self.outside[right];
        }
    }
}

/// The sum of all values but one: no difference from 1, which would lose the digits of small ones.
pub(super) fn all_but(values: &[f64], left_out: usize) -> f64 {
    let others = values[..left_out].iter().chain(&values[left_out + 1..]);
    others.sum()
}

/// g · u′(x), also where u′ alone would be too small or the width of a range too large for a double.
fn times_slope(g: f64, map: &FeatureMap, x: f64) -> f64 {
    match map {
        FeatureMap::Constant => 0.0,
        FeatureMap::Linear { min, max } => per_unit(g, *min, *max),
        FeatureMap::Knots { values, levels } => {
            let above = values.partition_point(|v| *v <= x);
            if above == 0 || above == values.len() {
                return 0.0;
            }
            per_unit(
                g * (levels[above] - levels[above - 1]),
                values[above - 1],
                values[above],
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::random_tree::{at_share, maps, random_model, row, with_mixed_leaves};
    use ndarray::Array2;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn derivatives_match_differences(
            seed in any::<u64>(),
            depth in 1usize..5,
            classes in 2usize..4,
            gamma in 1.0..64.0f64,
            shares in prop::collection::vec(-0.1..1.1f64, 5),
        ) {
            let (model, maps) = (random_model(seed, depth, classes, gamma, maps()), maps());
            let model = with_mixed_leaves(model, seed);
            let x: Vec<f64> = maps.iter().zip(&shares).map(|(map, s)| at_share(map, *s)).collect();
            let explained = model.explain(row(&x)).unwrap();
            for j in 0..5 {
                // Steps of a 10^5th of the range, and no knot in between.
                let width = at_share(&maps[j], 1.0) - at_share(&maps[j], 0.0);
                let h = 1e-5 * width;
                if let FeatureMap::Knots { values, .. } = &maps[j] {
                    prop_assume!(values.iter().all(|v| (v - x[j]).abs() > 2.0 * h));
                }
                let probabilities = |step: f64| {
                    let mut moved = x.clone();
                    moved[j] += step;
                    model.predict_proba(row(&moved)).unwrap()
                };
                let (below, above) = (probabilities(-h), probabilities(h));
                for k in 0..classes {
                    // Both per range of the feature, so that one tolerance does for all units.
                    let difference = (above[k] - below[k]) / (2e-5);
                    let derivative = explained[k * 5 + j] * width;
                    prop_assert!(
                        (derivative - difference).abs() <= 1e-5 * gamma.max(10.0),
                        "class {k}, feature {j}: {derivative} against {difference}"
                    );
                }
            }
        }

        #[test]
        fn derivatives_of_all_classes_cancel(seed in any::<u64>(), shares in prop::collection::vec(0.0..1.0f64, 5)) {
            let (model, maps) = (random_model(seed, 3, 3, 512.0, maps()), maps());
            let model = with_mixed_leaves(model, seed);
            let x: Vec<f64> = maps.iter().zip(&shares).map(|(map, s)| at_share(map, *s)).collect();
            let explained = model.explain(row(&x)).unwrap();
            // Per range of the feature, to have one unit.
            let width = |j: usize| at_share(&maps[j], 1.0) - at_share(&maps[j], 0.0);
            let scaled: Vec<f64> = explained.iter().enumerate().map(|(i, d)| d * width(i % 5)).collect();
            let largest = scaled.iter().fold(f64::MIN_POSITIVE, |m, d| m.max(d.abs()));
            for j in 0..5 {
                let sum = scaled[j] + scaled[5 + j] + scaled[10 + j];
                // Derivatives by a feature as wide as 1e300 may be subnormal.
                let rounding = 1e-11 * largest + 1e-322 * width(j);
                prop_assert!(sum.abs() <= rounding, "feature {j}: {sum} of {largest}");
            }
        }
    }

    #[test]
    fn quantile_features_are_flat_beyond_their_ends() {
        let model = random_model(1, 2, 2, 8.0, maps());
        for end in [-1.5, 8.0, 9.0] {
            let explained = model.explain(row(&[0.5, 2e300, 0.0, 0.0, end])).unwrap();
            assert_eq!([explained[4], explained[9]], [0.0; 2]);
            assert_ne!(explained[0], 0.0);
        }
    }

    #[test]
    fn the_widest_and_the_narrowest_ranges_have_finite_derivatives() {
        let maps = vec![
            FeatureMap::Linear {
                min: -1.7e308,
                max: 1.7e308,
            },
            FeatureMap::Knots {
                values: vec![-1.7e308, 1.7e308],
                levels: vec![0.0, 1.0],
            },
            FeatureMap::Linear {
                min: 0.0,
                max: 4.5e-308,
            },
        ];
        let mut model = random_model(2, 1, 2, 1.0, maps);
        model.leaf_classes = vec![0, 1];
        model.tree.intercepts = vec![0.0];
        model.tree.coefficients = vec![0.9, 0.9, 0.9];
        // γ a/p · p(1−p) = 0.3 · σ′(0.3) per range at the middle of the first two and 0 of the third.
        let explained = model.explain(row(&[0.0, 0.0, 0.0])).unwrap();
        let sigma = 1.0 / (1.0 + (-0.3f64).exp());
        let per_range = 0.3 * sigma * (1.0 - sigma);
        for (derivative, half_range) in [
            (explained[0], 1.7e308),
            (explained[1], 1.7e308),
            (explained[2], 2.25e-308),
        ] {
            assert!(
                (derivative * half_range * 2.0 / per_range - 1.0).abs() < 1e-9,
                "{derivative}"
            );
        }
        // Far outside, all is decided: exactly no change, however steep the map.
        let explained = model.explain(row(&[0.0, 0.0, 1.0])).unwrap();
        assert_eq!(explained, [0.0; 6]);
    }

    #[test]
    fn many_rows_in_parallel_give_the_bits_of_one_at_a_time() {
        let model = random_model(3, 2, 3, 64.0, maps());
        let x = Array2::from_shape_fn((25_000, 5), |(i, j)| {
            at_share(&maps()[j], (i * (j + 3) % 101) as f64 / 100.0)
        });
        let all = model.explain(x.view()).unwrap();
        for i in [0, 1, 16_383, 16_384, 24_999] {
            let one = model.explain(x.slice(ndarray::s![i..=i, ..])).unwrap();
            assert_eq!(one, all[i * 15..][..15]);
        }
        let single = x.mapv(|x| if x.abs() < 1e30 { x as f32 } else { 1.0 });
        assert_eq!(
            model.explain(single.view()).unwrap(),
            model.explain(single.mapv(f64::from).view()).unwrap()
        );
        assert!(
            model
                .explain(x.slice(ndarray::s![0..0, ..]))
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            model.explain(x.slice(ndarray::s![.., ..4])),
            Err(InputError::FeatureMismatch {
                expected: 5,
                got: 4
            })
        );
    }
}
