//! The rows of a problem: distinct points, each with the weight of every class there.

use std::collections::BTreeMap;

/// Distinct points with features scaled to [0, 1], and the weights of the classes at each.
///
/// Identical rows are one point, and so are rows that differ in their class alone: whatever leaf such a
/// point ends in, all but one of its classes are wrong there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Points {
    features: usize,
    classes: usize,
    /// n × p.
    x: Vec<f64>,
    /// n × K.
    weights: Vec<f64>,
    totals: Vec<f64>,
}

impl Points {
    /// Merges identical rows of `x`, N × p. Points come in increasing order of their features.
    pub fn merge(
        x: &[f64],
        features: usize,
        codes: &[u32],
        weights: &[f64],
        classes: usize,
    ) -> Self {
        let mut merged: BTreeMap<Vec<u64>, Vec<f64>> = BTreeMap::new();
        for ((row, code), weight) in x.chunks_exact(features).zip(codes).zip(weights) {
            let of_point = merged
                .entry(row.iter().map(|x| ordered_bits(*x)).collect())
                .or_insert_with(|| vec![0.0; classes]);
            of_point[*code as usize] += weight;
        }
        let mut points = Self {
            features,
            classes,
            x: Vec::with_capacity(merged.len() * features),
            weights: Vec::with_capacity(merged.len() * classes),
            totals: Vec::with_capacity(merged.len()),
        };
        for (key, weights) in merged {
            points.x.extend(key.into_iter().map(from_ordered_bits));
            points.totals.push(weights.iter().sum());
            points.weights.extend(weights);
        }
        points
    }

    /// The same points with the weights of other classes, n × K.
    pub fn with_weights(&self, classes: usize, weights: &[f64]) -> Self {
        Self {
            features: self.features,
            classes,
            x: self.x.clone(),
            weights: weights.to_vec(),
            totals: weights
                .chunks_exact(classes)
                .map(|w| w.iter().sum())
                .collect(),
        }
    }

    /// n.
    pub fn len(&self) -> usize {
        self.totals.len()
    }

    /// p.
    pub fn features(&self) -> usize {
        self.features
    }

    /// K.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The features of point `i`.
    pub fn x(&self, i: usize) -> &[f64] {
        &self.x[i * self.features..][..self.features]
    }

    /// The weight of each class at point `i`.
    pub fn weights(&self, i: usize) -> &[f64] {
        &self.weights[i * self.classes..][..self.classes]
    }

    /// The weight of point `i`: what it costs if no class of it is right.
    pub fn total(&self, i: usize) -> f64 {
        self.totals[i]
    }

    /// What point `i` costs if it ends in a leaf of class `k`.
    pub fn cost(&self, i: usize, k: usize) -> f64 {
        let others = self.weights(i).iter().enumerate().filter(|(c, _)| *c != k);
        others.map(|(_, w)| w).sum()
    }

    /// The class of the largest weight at point `i`.
    pub fn majority(&self, i: usize) -> usize {
        heaviest(self.weights(i))
    }

    /// What any tree costs: the classes that lose at points that have several.
    pub fn unavoidable(&self) -> f64 {
        (0..self.len())
            .map(|i| self.cost(i, self.majority(i)))
            .sum()
    }

    /// The weight of all rows.
    pub fn all(&self) -> f64 {
        self.totals.iter().sum()
    }
}

/// The first of the largest weights.
pub(crate) fn heaviest(weights: &[f64]) -> usize {
    let of_two = |best: usize, k: usize| if weights[k] > weights[best] { k } else { best };
    (1..weights.len()).fold(0, of_two)
}

/// Bits that order as the numbers do; −0 is 0.
fn ordered_bits(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | (1 << 63)
    }
}

fn from_ordered_bits(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 {
        bits & !(1 << 63)
    } else {
        !bits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identical_rows_are_one_point_with_the_weights_of_their_classes() {
        let x = [0.5, 1.0, 0.0, -1.0, 0.5, 1.0, 0.5, 1.0];
        let points = Points::merge(&x, 2, &[0, 1, 1, 0], &[1.0, 2.0, 4.0, 8.0], 2);
        assert_eq!(points.len(), 2);
        assert_eq!(
            (points.x(0), points.weights(0)),
            (&[0.0, -1.0][..], &[0.0, 2.0][..])
        );
        assert_eq!(
            (points.x(1), points.weights(1)),
            (&[0.5, 1.0][..], &[9.0, 4.0][..])
        );
        assert_eq!(
            (points.cost(1, 0), points.total(1), points.majority(1)),
            (4.0, 13.0, 0)
        );
    }
}
