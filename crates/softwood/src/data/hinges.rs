//! Hinges max(u − κ, 0) of scaled features: of them curves are made.

use super::{FeatureMap, Rows, Scaling, ScalingKind};
use crate::InputError;
use crate::stop::{Stop, Stopped};

/// Hinges of a feature at most…
const MOST_HINGES_OF_A_FEATURE: usize = 12;
/// …and of all features together: their coefficients are the unknowns of one regression.
const MOST_HINGES: usize = 400;

/// Values a feature must take to have hinges: indicators and the like have none.
const LEAST_VALUES: usize = 4;

/// √h · max(u_j − κ, 0), h being half the distance between the knots beside κ: so weighted, equal
/// coefficients are equally rough, however close the knots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hinge {
    /// j.
    pub feature: usize,
    /// κ.
    pub knot: f64,
    /// √h.
    pub weight: f64,
}

/// The distribution of each feature's values, to place hinges by.
pub(crate) struct Distributions(Vec<FeatureMap>);

impl Distributions {
    /// Those of the rows, weighted; Err only if stopped.
    pub fn learn(rows: Rows<'_>, weights: Option<&[f64]>, stop: &Stop) -> Result<Self, Stopped> {
        let maps = Scaling::learn_unless_stopped(ScalingKind::Quantile, rows, weights, stop)?;
        Ok(Self(maps.features))
    }

    /// Err if there are too many features that curves could bend.
    pub fn check(&self) -> Result<(), InputError> {
        match self.bendable() {
            features if features > MOST_HINGES => Err(InputError::TooManyCurves {
                features,
                values: LEAST_VALUES,
                most: MOST_HINGES,
            }),
            _ => Ok(()),
        }
    }

    fn bendable(&self) -> usize {
        let bends = |d: &&FeatureMap| !inner_knots(d).0.is_empty();
        self.0.iter().filter(bends).count()
    }

    /// Hinges at values between which equally many rows lie, feature after feature, of what passes
    /// [`Self::check`].
    pub fn hinges(&self, scaling: &Scaling) -> Vec<Hinge> {
        let count = MOST_HINGES_OF_A_FEATURE.min(MOST_HINGES / self.bendable().max(1));
        let features = self.0.iter().zip(&scaling.features).enumerate();
        features
            .flat_map(|(feature, (distribution, map))| {
                let mut bounds = vec![0.0];
                bounds.extend(evenly(distribution, count).map(|x| map.apply(x)));
                bounds.push(1.0);
                bounds.dedup();
                let hinge = |beside: &[f64]| Hinge {
                    feature,
                    knot: beside[1],
                    weight: (0.5 * (beside[2] - beside[0])).sqrt(),
                };
                bounds.windows(3).map(hinge).collect::<Vec<_>>()
            })
            .collect()
    }
}

/// Up to `count` inner values at equal steps of the distribution, some perhaps more than once.
fn evenly(distribution: &FeatureMap, count: usize) -> impl Iterator<Item = f64> {
    let (values, levels) = inner_knots(distribution);
    let count = if values.is_empty() { 0 } else { count };
    (1..=count).map(move |k| {
        let level = k as f64 / (count + 1) as f64;
        let at = levels.partition_point(|l| *l < level);
        values[at.min(values.len() - 1)]
    })
}

/// Values strictly between the smallest and the largest, and their levels; none if a feature takes
/// too few.
fn inner_knots(distribution: &FeatureMap) -> (&[f64], &[f64]) {
    match distribution {
        FeatureMap::Knots { values, levels } if values.len() >= LEAST_VALUES => {
            let inner = 1..values.len() - 1;
            (&values[inner.clone()], &levels[inner])
        }
        _ => (&[], &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn hinges(x: &Array2<f64>, weights: Option<&[f64]>) -> Vec<Hinge> {
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), weights);
        let distributions = Distributions::learn(x.view().into(), weights, &Stop::default());
        distributions.unwrap().hinges(&scaling)
    }

    #[test]
    fn hinges_part_the_rows_evenly_and_spare_indicators() {
        let x = Array2::from_shape_fn((1300, 3), |(i, j)| match j {
            0 => (i as f64 / 1299.0).powi(2),
            1 => (i % 3) as f64,
            _ => (i % 5) as f64,
        });
        let hinges = hinges(&x, None);
        let of = |j: usize| -> Vec<f64> {
            let own = hinges.iter().filter(|h| h.feature == j);
            own.map(|h| h.knot).collect()
        };
        let first = of(0);
        assert_eq!(first.len(), MOST_HINGES_OF_A_FEATURE);
        for (k, knot) in first.iter().enumerate() {
            let below = x.column(0).iter().filter(|x| **x < *knot).count();
            assert!(below.abs_diff((k + 1) * 100) <= 6, "{below} below knot {k}");
        }
        assert!(of(1).is_empty());
        assert_eq!(of(2), [0.25, 0.5, 0.75]);
    }

    #[test]
    fn a_row_of_weight_two_counts_as_two() {
        let x = Array2::from_shape_fn((60, 1), |(i, _)| ((i * i) % 61) as f64);
        let weights: Vec<f64> = (0..60).map(|i| (i % 3) as f64).collect();
        let repeated: Vec<f64> = (0..60).flat_map(|i| vec![x[[i, 0]]; i % 3]).collect();
        let repeated = Array2::from_shape_vec((repeated.len(), 1), repeated).unwrap();
        assert_eq!(hinges(&x, Some(&weights)), hinges(&repeated, None));
    }
}
