//! Bounds on errors and mean predictions of groups of rows (4.9) as constraints beside the error of all.
//!
//! With MSE(S) and φ̄(S) the mean squared error and the mean prediction of group S: MSE(S) ≤ ρ,
//! |MSE(S) − MSE(all)| ≤ c, |φ̄(S) − φ̄(all)| ≤ c, or with another group in the place of all. The gradient of any combination of them is a sum of
//! gradients of α MSE + δ φ̄ over sets of rows: one more pass over each group gives it.

use super::MixtureError;
use crate::data::RegressionRows;
use crate::passes::SumWeights;
use crate::solver::{Constrained, Objective};
use crate::stop::{Interrupted, Stop};

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupMeasure {
    /// MSE(S).
    Error,
    /// |MSE(S) − MSE(all)|.
    ErrorGap,
    /// |φ̄(S) − φ̄(all)|.
    MeanGap,
}

/// A bound on a group, in units of the standardized response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupBound {
    pub measure: GroupMeasure,
    /// Position of the group.
    pub group: usize,
    /// Position of the one that gaps are measured from; all rows if None.
    pub compared_with: Option<usize>,
    pub bound: f64,
}

/// Groups of rows and the bounds on them.
#[derive(Clone, Default)]
pub(crate) struct GroupBounds<'d> {
    pub groups: Vec<RegressionRows<'d>>,
    pub bounds: Vec<GroupBound>,
}

/// The means that bounds speak of, of one set of rows.
#[derive(Clone, Copy, Debug)]
struct Means {
    error: f64,
    prediction: f64,
}

impl GroupBound {
    /// What is bounded, with its sign.
    fn value(&self, all: Means, groups: &[Means]) -> f64 {
        let group = groups[self.group];
        let other = self.compared_with.map_or(all, |other| groups[other]);
        match self.measure {
            GroupMeasure::Error => group.error,
            GroupMeasure::ErrorGap => group.error - other.error,
            GroupMeasure::MeanGap => group.prediction - other.prediction,
        }
    }

    /// The inequalities c ≤ 0 that keep a value within the bound.
    fn inequalities(&self, value: f64) -> Vec<f64> {
        match self.measure {
            GroupMeasure::Error => vec![value - self.bound],
            _ => vec![value - self.bound, -value - self.bound],
        }
    }

    /// How many they are.
    fn count(&self) -> usize {
        self.inequalities(0.0).len()
    }
}

impl GroupBounds<'_> {
    /// Number of inequalities.
    pub fn inequalities(&self) -> usize {
        self.bounds.iter().map(GroupBound::count).sum()
    }

    /// The same bounds on rows that poll another stop.
    pub fn with_stop(&self, stop: &Stop) -> Self {
        let groups = self.groups.iter().map(|rows| rows.with_stop(stop));
        Self {
            groups: groups.collect(),
            bounds: self.bounds.clone(),
        }
    }

    /// The same bounds moved in by `margin`, to 0 at most.
    pub fn tightened(&self, margin: f64) -> Self {
        let mut moved = self.clone();
        for bound in &mut moved.bounds {
            bound.bound = (bound.bound - margin).max(0.0);
        }
        moved
    }

    /// For each bound the price of its inequalities together.
    pub fn prices(&self, multipliers: &[f64]) -> Vec<f64> {
        let mut rest = multipliers.iter();
        let price = |bound: &GroupBound| rest.by_ref().take(bound.count()).sum();
        self.bounds.iter().map(price).collect()
    }
}

/// The error of a mixture under bounds.
pub(crate) struct BoundedMixture<'a, 'd> {
    pub error: MixtureError<'a, 'd>,
    pub bounds: &'a GroupBounds<'d>,
}

impl BoundedMixture<'_, '_> {
    /// The mean squared error of all rows, and what is bounded, each with its sign.
    pub fn bounded(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Interrupted> {
        let tree = self.error.mixture(x);
        let means = |rows: &RegressionRows<'_>| {
            let sums = rows.mixture_sums(&tree)?;
            Ok::<_, Interrupted>(Means {
                error: sums.squares / rows.total_weight(),
                prediction: sums.predictions / rows.total_weight(),
            })
        };
        let all = means(self.error.data)?;
        let groups: Vec<Means> =
            (self.bounds.groups.iter().map(means)).collect::<Result<_, _>>()?;
        let bounds = self.bounds.bounds.iter();
        let values = bounds.map(|bound| bound.value(all, &groups));
        Ok((all.error, values.collect()))
    }
}

impl Constrained for BoundedMixture<'_, '_> {
    fn dim(&self) -> usize {
        Objective::dim(&self.error)
    }

    fn values(&self, x: &[f64]) -> Result<(f64, Vec<f64>), Interrupted> {
        let (error, values) = self.bounded(x)?;
        let bounds = self.bounds.bounds.iter().zip(values);
        let c = bounds.flat_map(|(bound, value)| bound.inequalities(value));
        Ok((error + self.error.ridge_value(x), c.collect()))
    }

    fn gradient(&self, x: &[f64], slopes: &[f64], gradient: &mut [f64]) -> Result<(), Interrupted> {
        // α and δ of all rows, then of each group.
        let none = SumWeights {
            squares: 0.0,
            predictions: 0.0,
        };
        let mut of_all = SumWeights {
            squares: 1.0,
            ..none
        };
        let mut of_groups = vec![none; self.bounds.groups.len()];
        let mut slopes = slopes.iter();
        for bound in &self.bounds.bounds {
            let own: Vec<f64> = slopes.by_ref().take(bound.count()).copied().collect();
            let slope = own[0] - own.get(1).unwrap_or(&0.0);
            match bound.measure {
                GroupMeasure::MeanGap => of_groups[bound.group].predictions += slope,
                _ => of_groups[bound.group].squares += slope,
            }
            let other = match bound.compared_with {
                Some(other) => &mut of_groups[other],
                None => &mut of_all,
            };
            match bound.measure {
                GroupMeasure::Error => {}
                GroupMeasure::ErrorGap => other.squares -= slope,
                GroupMeasure::MeanGap => other.predictions -= slope,
            }
        }
        gradient.fill(0.0);
        let tree = self.error.mixture(x);
        let sets = std::iter::once((self.error.data, of_all));
        for (rows, weights) in sets.chain(self.bounds.groups.iter().zip(of_groups)) {
            let mean = SumWeights {
                squares: weights.squares / rows.total_weight(),
                predictions: weights.predictions / rows.total_weight(),
            };
            if mean.squares != 0.0 || mean.predictions != 0.0 {
                self.error.add_gradient(rows, &tree, mean, gradient)?;
            }
        }
        self.error.add_ridge(x, gradient);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Parallelism, ScaledRows, Scaling, ScalingKind};
    use crate::objective::LeafRidge;
    use crate::stop::Stop;
    use crate::tree::Topology;
    use ndarray::Array2;

    #[test]
    fn the_gradient_of_every_combination_is_that_of_differences() {
        let x = Array2::from_shape_fn((90, 2), |(i, j)| ((i * (j + 2)) as f64).sin());
        let y: Vec<f64> = (0..90).map(|i| ((i * i) as f64).cos()).collect();
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), None);
        let source = ScaledRows::new(x.view().into(), &scaling);
        let data = RegressionRows::new(source, &y, None, Parallelism::None, Stop::default());
        let bound = |measure, group, compared_with| GroupBound {
            measure,
            group,
            compared_with,
            bound: 0.1,
        };
        let bounds = GroupBounds {
            groups: vec![data.select(&[3, 5, 70, 71]), data.select(&[5])],
            bounds: vec![
                bound(GroupMeasure::Error, 0, None),
                bound(GroupMeasure::ErrorGap, 1, None),
                bound(GroupMeasure::MeanGap, 0, None),
                bound(GroupMeasure::ErrorGap, 0, Some(1)),
            ],
        };
        let problem = BoundedMixture {
            error: MixtureError {
                data: &data,
                topology: Topology::complete(2),
                gamma: 9.0,
                centers: &[0.5, 0.4],
                ridge: &LeafRidge::plain(0.02, &[0.1, 0.2], 4),
            },
            bounds: &bounds,
        };
        let at: Vec<f64> = (0..problem.dim()).map(|k| (k as f64 * 0.7).sin()).collect();
        let slopes = [0.3, 1.1, 0.2, 0.6, 0.9, 0.4, 0.7];
        assert_eq!(slopes.len(), bounds.inequalities());
        let value = |x: &[f64]| {
            let (f, c) = problem.values(x).unwrap();
            f + c.iter().zip(slopes).map(|(c, s)| c * s).sum::<f64>()
        };
        let mut gradient = vec![0.0; at.len()];
        problem.gradient(&at, &slopes, &mut gradient).unwrap();
        for (i, g) in gradient.iter().enumerate() {
            let (mut above, mut below) = (at.clone(), at.clone());
            above[i] += 1e-6;
            below[i] -= 1e-6;
            let difference = (value(&above) - value(&below)) / 2e-6;
            assert!((g - difference).abs() < 1e-7, "{i}: {g}, {difference}");
        }
    }
}
