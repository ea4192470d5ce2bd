//! Bounds on shares of rows that are predicted as some class (2.9), as constraints beside the expected cost.
//!
//! A share of the rows of some cells c is (1/W) Σ_c Σ_t M_ct [label_t is the wanted one], M_ct being the mass of
//! the cell in leaf t and W the weight of the rows: the recall of a class, the rate at which a group is selected,
//! its accuracy. A share, or the difference of two, is to stay within a limit. The gradient of the cost with a
//! slope on such a constraint is that of an expected cost whose entries for these cells and classes are raised or
//! lowered by slope/W, so that one more pass over the rows gives it.

use super::ExpectedCost;
use super::cell_rows::{CellRows, expected_cost};
use crate::solver::{Constrained, Objective};
use crate::stop::Interrupted;
use crate::tree::splits::Splits;
use crate::tree::{ParameterLayout, Topology};

/// Slack with which no share or difference of shares is beyond its limit.
const NO_FORCE: f64 = 4.0;

/// What must be predicted of a row for it to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Class(usize),
    /// Its own class.
    Own,
}

/// The share of the rows of these cells that are predicted as wanted.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    cells: Vec<usize>,
    wanted: Wanted,
    /// Weight of the rows.
    weight: f64,
}

impl Share {
    /// None if the cells have no weight.
    pub fn new(cells: Vec<usize>, wanted: Wanted, rows: &CellRows<'_>) -> Option<Self> {
        let weight: f64 = cells.iter().map(|cell| rows.weights()[*cell]).sum();
        (weight > 0.0).then_some(Self {
            cells,
            wanted,
            weight,
        })
    }

    /// Place in C × K of what counts of each cell.
    fn places(&self, rows: &CellRows<'_>) -> impl Iterator<Item = usize> {
        self.cells.iter().map(|cell| {
            let class = match self.wanted {
                Wanted::Class(class) => class,
                Wanted::Own => rows.class(*cell),
            };
            cell * rows.classes() + class
        })
    }

    /// From the weight of each cell's rows that are predicted as each class, C × K.
    fn value(&self, predicted: &[f64], rows: &CellRows<'_>) -> f64 {
        self.places(rows).map(|place| predicted[place]).sum::<f64>() / self.weight
    }
}

/// Where a value is to stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    AtLeast(f64),
    AtMost(f64),
    /// Not farther from 0 than this.
    Within(f64),
}

impl Limit {
    /// The inequalities c ≤ 0 that keep a value there.
    fn inequalities(self, value: f64) -> Vec<f64> {
        match self {
            Self::AtLeast(bound) => vec![bound - value],
            Self::AtMost(bound) => vec![value - bound],
            Self::Within(bound) => vec![value - bound, -value - bound],
        }
    }

    /// How many they are.
    fn count(self) -> usize {
        self.inequalities(0.0).len()
    }

    /// By how much a value is beyond it, less than 0 if it is not.
    fn excess(self, value: f64) -> f64 {
        let inequalities = self.inequalities(value).into_iter();
        inequalities.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Slope of the value from the slopes of its inequalities.
    fn slope(self, slopes: &[f64]) -> f64 {
        match self {
            Self::AtLeast(_) => -slopes[0],
            Self::AtMost(_) => slopes[0],
            Self::Within(_) => slopes[0] - slopes[1],
        }
    }

    /// The same moved in by `margin`, as far as shares go.
    fn tightened(self, margin: f64) -> Self {
        match self {
            Self::AtLeast(bound) => Self::AtLeast((bound + margin).min(1.0)),
            Self::AtMost(bound) => Self::AtMost((bound - margin).max(0.0)),
            Self::Within(bound) => Self::Within((bound - margin).max(0.0)),
        }
    }
}

/// A limit to a share of rows or, if it is compared with another one, to their difference.
#[derive(Clone, Debug)]
pub(crate) struct RateBound {
    pub share: Share,
    pub compared_with: Option<Share>,
    pub limit: Limit,
    /// Whether it is the classes that are decided on which must keep the limit, instead of the expectation over
    /// leaves.
    pub of_decisions: bool,
    /// What the expectation is expected to exceed the share of decisions by.
    pub shift: f64,
    /// How much farther expectations may go for the time being.
    pub slack: f64,
}

/// What became of a bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateReached {
    /// In expectation over leaves.
    pub expected: f64,
    /// The same or, where these are bounded, by the classes decided on.
    pub value: f64,
    /// By how much the value is beyond the limit; not above 0 if it is kept.
    pub excess: f64,
    /// By how much the expectation is beyond the limit that it was given.
    pub excess_expected: f64,
}

impl RateBound {
    /// The value, from weights of cells predicted as classes.
    fn value(&self, predicted: &[f64], rows: &CellRows<'_>) -> f64 {
        let other = self.compared_with.as_ref();
        self.share.value(predicted, rows) - other.map_or(0.0, |other| other.value(predicted, rows))
    }
}

/// All bounds of a fit.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateBounds {
    pub bounds: Vec<RateBound>,
}

impl RateBounds {
    pub fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Number of inequalities.
    pub fn inequalities(&self) -> usize {
        self.bounds.iter().map(|bound| bound.limit.count()).sum()
    }

    /// The same bounds moved in by `margin`.
    pub fn tightened(&self, margin: f64) -> Self {
        self.each(|bound, _| bound.limit = bound.limit.tightened(margin))
    }

    /// The same bounds, some without force.
    pub fn without(&self, some: fn(&RateBound) -> bool) -> Self {
        self.each(|bound, _| bound.slack = if some(bound) { NO_FORCE } else { 0.0 })
    }

    /// The same bounds, some loosened by this share of what they were found to be exceeded by.
    pub fn loosened(
        &self,
        some: fn(&RateBound) -> bool,
        reached: &[RateReached],
        share: f64,
    ) -> Self {
        self.each(|bound, place| {
            let excess = reached[place].excess_expected.max(0.0);
            bound.slack = if some(bound) { share * excess } else { 0.0 };
        })
    }

    /// The same bounds where expectations differ from decisions as they were found to.
    pub fn shifted(&self, reached: &[RateReached]) -> Self {
        self.each(|bound, place| bound.shift = reached[place].expected - reached[place].value)
    }

    fn each(&self, change: impl Fn(&mut RateBound, usize)) -> Self {
        let mut changed = self.clone();
        let bounds = changed.bounds.iter_mut().enumerate();
        bounds.for_each(|(place, bound)| change(bound, place));
        changed
    }

    /// Whether some bounds are on decisions.
    pub fn are_on_decisions(&self) -> bool {
        self.bounds.iter().any(|bound| bound.of_decisions)
    }

    /// What became of the bounds in a tree with these masses of cells in leaves.
    pub fn reached(
        &self,
        rows: &CellRows<'_>,
        splits: &Splits,
        masses: &[f64],
        labels: &[u32],
    ) -> Result<Vec<RateReached>, Interrupted> {
        let expected = rows.expected(masses, labels);
        let decided = match self.are_on_decisions() {
            true => rows.decided(splits, labels)?,
            false => Vec::new(),
        };
        let reached = self.bounds.iter().map(|bound| {
            let expected = bound.value(&expected, rows);
            let value = match bound.of_decisions {
                true => bound.value(&decided, rows),
                false => expected,
            };
            RateReached {
                expected,
                value,
                excess: bound.limit.excess(value),
                excess_expected: bound.limit.excess(expected - bound.shift),
            }
        });
        Ok(reached.collect())
    }

    /// For each bound the price of its inequalities together.
    pub fn prices(&self, multipliers: &[f64]) -> Vec<f64> {
        let of_bounds = self.parts(multipliers);
        of_bounds.map(|(_, own)| own.iter().sum()).collect()
    }

    /// What the Lagrangian puts on predicting k for a row of each cell, C × K: the costs, and for each bound its
    /// slope by the share of W that its rows are.
    pub fn lagrangian_costs(
        &self,
        costs: &[f64],
        rows: &CellRows<'_>,
        total: f64,
        slopes: &[f64],
    ) -> Vec<f64> {
        let mut costs = rows.costs(costs);
        let mut raise = |share: &Share, slope: f64| {
            for place in share.places(rows) {
                costs[place] += slope * total / share.weight;
            }
        };
        for (bound, own) in self.parts(slopes) {
            let slope = bound.limit.slope(own);
            raise(&bound.share, slope);
            if let Some(other) = &bound.compared_with {
                raise(other, -slope);
            }
        }
        costs
    }

    /// The bounds, each with what belongs to its inequalities.
    fn parts<'s>(&'s self, mut all: &'s [f64]) -> impl Iterator<Item = (&'s RateBound, &'s [f64])> {
        self.bounds.iter().map(move |bound| {
            let (own, rest) = all.split_at(bound.limit.count());
            all = rest;
            (bound, own)
        })
    }
}

/// The expected cost under bounds, for fixed labels.
pub(crate) struct BoundedCost<'a, 'd> {
    pub rows: &'a CellRows<'d>,
    pub topology: Topology,
    pub gamma: f64,
    /// K × K.
    pub costs: &'a [f64],
    pub labels: &'a [u32],
    pub bounds: &'a RateBounds,
    /// W, the weight of the training rows.
    pub total: f64,
}

impl BoundedCost<'_, '_> {
    fn features(&self) -> usize {
        let (training, _) = self.rows.sets().next().expect("training rows");
        training.features()
    }
}

impl Constrained for BoundedCost<'_, '_> {
    fn dim(&self) -> usize {
        ParameterLayout::new(&self.topology, self.features()).dim()
    }

    fn values(&self, theta: &[f64]) -> Result<(f64, Vec<f64>), Interrupted> {
        let splits = Splits::new(&self.topology, self.features(), theta, self.gamma);
        let masses = self.rows.masses(&splits)?;
        let cost = expected_cost(&masses, &self.rows.costs(self.costs), self.labels) / self.total;
        let expected = self.rows.expected(&masses, self.labels);
        let inequalities = self.bounds.bounds.iter().flat_map(|bound| {
            let value = bound.value(&expected, self.rows);
            let inequalities = bound.limit.inequalities(value - bound.shift);
            inequalities.into_iter().map(|c| c - bound.slack)
        });
        Ok((cost, inequalities.collect()))
    }

    fn gradient(
        &self,
        theta: &[f64],
        slopes: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), Interrupted> {
        let (bounds, k) = (self.bounds, self.rows.classes());
        let costs = bounds.lagrangian_costs(self.costs, self.rows, self.total, slopes);
        gradient.fill(0.0);
        let mut of_set = vec![0.0; gradient.len()];
        for (set, first) in self.rows.sets() {
            let costs = &costs[first * k..][..set.target.count() * k];
            if costs.iter().all(|cost| *cost == 0.0) {
                continue;
            }
            let labels = self.labels.to_vec();
            let part = ExpectedCost::with_total_weight(
                set.clone(),
                self.topology.clone(),
                self.gamma,
                costs,
                labels,
                self.total,
            );
            part.value_and_gradient(theta, &mut of_set)?;
            gradient.iter_mut().zip(&of_set).for_each(|(g, s)| *g += s);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{
        Classes, ClassificationRows, Parallelism, ScaledRows, Scaling, ScalingKind, scaled,
    };
    use crate::stop::Stop;
    use ndarray::Array2;

    fn bound(share: Share, compared_with: Option<Share>, limit: Limit) -> RateBound {
        RateBound {
            share,
            compared_with,
            limit,
            of_decisions: true,
            shift: 0.02,
            slack: 0.01,
        }
    }

    /// Three classes in two groups each, and rows of their own: recalls, selection rates, accuracy, gaps.
    #[test]
    fn the_gradient_of_every_combination_is_that_of_differences() {
        let x = Array2::from_shape_fn((90, 2), |(i, j)| ((i * (j + 2)) as f64).sin());
        let own = x.mapv(|x| 0.7 * x);
        let codes: Vec<u32> = (0..90).map(|i| i * i % 6).collect();
        let others: Vec<u32> = (0..90).map(|i| i % 3).collect();
        let weights: Vec<f64> = (0..90).map(|i| 1.0 + f64::from(i % 4)).collect();
        let scaling = Scaling::learn(ScalingKind::MinMax, x.view().into(), None);
        let training = ClassificationRows::new(
            ScaledRows::new(x.view().into(), &scaling).shared(),
            Classes::new(&codes, 6),
            Some(&weights),
            Parallelism::None,
            Stop::default(),
        );
        let aside = ClassificationRows::new(
            scaled(own.view().into(), &scaling),
            Classes::new(&others, 3),
            None,
            Parallelism::None,
            Stop::default(),
        );
        let total = training.total_weight();
        let rows = CellRows::new(vec![training, aside], vec![0, 0, 1, 1, 2, 2, 0, 1, 2], 3);
        let share = |cells: &[usize], wanted| Share::new(cells.to_vec(), wanted, &rows).unwrap();
        let bounds = RateBounds {
            bounds: vec![
                bound(share(&[1], Wanted::Class(0)), None, Limit::AtLeast(0.6)),
                bound(share(&[1, 3, 5], Wanted::Own), None, Limit::AtLeast(0.7)),
                bound(
                    share(&[0, 2, 4], Wanted::Class(2)),
                    Some(share(&[0, 1, 2, 3, 4, 5], Wanted::Class(2))),
                    Limit::Within(0.1),
                ),
                bound(
                    share(&[6, 7, 8], Wanted::Class(1)),
                    None,
                    Limit::AtMost(0.3),
                ),
            ],
        };
        let costs = [0.0, 0.5, 0.7, 0.5, 0.0, 0.4, 1.0, 0.5, 0.0];
        let problem = BoundedCost {
            rows: &rows,
            topology: Topology::complete(2),
            gamma: 9.0,
            costs: &costs,
            labels: &[2, 0, 1, 2],
            bounds: &bounds,
            total,
        };
        let at: Vec<f64> = (0..problem.dim()).map(|k| (k as f64 * 0.7).sin()).collect();
        let slopes = [0.3, 1.1, 0.2, 0.6, 0.9];
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
