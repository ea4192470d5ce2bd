//! The ORRT objective (4.1): squared error of a mixture of the leaves' linear models.
//!
//! φ_i = Σ_t P_it (β_0t + βₜᵀ(u_i − ū)), ū being the mean row: slopes and intercepts hardly touch each
//! other then, which quasi-Newton methods are grateful for. In the thesis β is ã and β_0 − βᵀū is −μ̃.

use super::{LeafRidge, LeastLeafRidge};
use crate::data::{RegressionRows, add_to};
use crate::leaves::{Groups, LinearModel, maximize_evidence, regression_of_columns, ridge};
use crate::passes::SumWeights;
use crate::solver::Objective;
use crate::stop::{Interrupted, Stopped};
use crate::tree::model_mixture::ModelMixture;
use crate::tree::second_moments::SecondMoments;
use crate::tree::splits::Splits;
use crate::tree::{ParameterLayout, RegressionParameters, Topology};
use std::ops::Range;

/// Coefficients of all leaf models together up to which one regression finds them at every step; its time
/// grows with their square for each row.
const MOST_TOGETHER: usize = 1024;

/// (1/W) Σ_i w_i (φ_i − y_i)² + R(β, β_0), R being a ridge, as a function of x = (a, μ, β, β_0).
#[derive(Clone)]
pub struct MixtureError<'a, 'd> {
    /// Rows and response.
    pub data: &'a RegressionRows<'d>,
    /// Shape of the tree.
    pub topology: Topology,
    /// γ.
    pub gamma: f64,
    /// ū.
    pub centers: &'a [f64],
    /// On the leaf models.
    pub ridge: &'a LeafRidge,
}

impl MixtureError<'_, '_> {
    /// Where (a, μ) are in x.
    pub fn splits(&self) -> Range<usize> {
        0..ParameterLayout::new(&self.topology, self.centers.len()).dim()
    }

    /// The leaf models for splits θ = (a, μ) that make the objective least: one regression for all of
    /// them. Slopes L × p, then intercepts.
    pub fn best_leaves(&self, theta: &[f64]) -> Result<Vec<f64>, Interrupted> {
        let mut moments = self.moments(theta)?;
        let columns = self.topology.leaves() * (self.centers.len() + 1);
        let half = 0.5 * self.data.total_weight();
        (self.ridge).add_to_matrix(half, &mut moments, columns + 2);
        let stop = &self.data.rows.stop;
        Ok(regression_of_columns(&moments, columns, stop)?)
    }

    /// Whether one regression for all leaf models is worth its while.
    pub(crate) fn eliminates_leaves(&self) -> bool {
        self.topology.leaves() * (self.centers.len() + 1) <= MOST_TOGETHER
    }

    /// The best leaf models, or for trees too large for that those of each leaf by itself, fitted to the
    /// rows by their probabilities of reaching it.
    pub(crate) fn good_leaves(&self, theta: &[f64]) -> Result<Vec<f64>, Interrupted> {
        if self.eliminates_leaves() {
            return self.best_leaves(theta);
        }
        let p = self.centers.len();
        let mut tree = RegressionParameters::zero(self.topology.clone(), p);
        // Steepness is 1 there.
        tree.theta = theta.iter().map(|a| self.gamma * a).collect();
        let half = 0.5 * self.data.total_weight();
        let penalties: Vec<f64> = self.ridge.apart.iter().map(|ridge| half * ridge).collect();
        let moments = self.data.leaf_moments(&tree, 0, None)?;
        let stop = &self.data.rows.stop;
        let models = moments.iter().map(|m| ridge(m, p, &penalties, stop));
        let models = models.collect::<Result<Vec<LinearModel>, Stopped>>()?;
        let at_center = |model: &LinearModel| model.intercept + self.at_center(&model.slopes);
        let intercepts: Vec<f64> = models.iter().map(at_center).collect();
        let slopes = models.into_iter().flat_map(|model| model.slopes);
        Ok(slopes.chain(intercepts).collect())
    }

    /// The ridge under which the rows are likeliest, given splits θ; λ of features of variance 1 and of intercepts
    /// is at least `least`.
    pub(crate) fn likeliest_ridge(
        &self,
        theta: &[f64],
        variances: &[f64],
        least: LeastLeafRidge,
    ) -> Result<LeafRidge, Interrupted> {
        let (leaves, p) = (self.topology.leaves(), self.centers.len());
        let columns = leaves * (p + 1) + p;
        let moments = [SecondMoments::Summed {
            columns: columns + 2,
            sums: with_common_columns(&self.moments(theta)?, leaves, p),
        }];
        let (groups, stop) = (Groups::of_mixture(leaves, p), &self.data.rows.stop);
        let found = maximize_evidence(&moments, columns, &groups, stop)?.penalties;
        let slopes = found[..p].iter().zip(variances);
        let mut apart: Vec<f64> = slopes.map(|(c, v)| c.max(least.slopes * v)).collect();
        apart.push(found[leaves * p].max(least.intercepts));
        let ridge = LeafRidge::of_parts(&found[leaves * (p + 1)..], apart, leaves);
        Ok(ridge.scaled(2.0 / self.data.total_weight()))
    }

    fn moments(&self, theta: &[f64]) -> Result<Vec<f64>, Interrupted> {
        let splits = Splits::new(&self.topology, self.centers.len(), theta, self.gamma);
        self.data.mixture_moments(splits, self.centers)
    }

    /// x with splits and leaf models in the tree's own terms: intercepts where the features are 0.
    pub fn parameters(&self, x: &[f64]) -> RegressionParameters {
        let p = self.centers.len();
        let mut parameters = RegressionParameters::zero(self.topology.clone(), p);
        let (theta, leaves) = x.split_at(parameters.theta.len());
        let (slopes, intercepts) = leaves.split_at(parameters.leaf_slopes.len());
        parameters.theta.copy_from_slice(theta);
        parameters.leaf_slopes.copy_from_slice(slopes);
        let shifts = slopes.chunks_exact(p).map(|beta| self.at_center(beta));
        let moved = intercepts.iter().zip(shifts).map(|(b, shift)| b - shift);
        parameters.leaf_intercepts = moved.collect();
        parameters
    }

    /// βᵀū.
    fn at_center(&self, slopes: &[f64]) -> f64 {
        slopes.iter().zip(self.centers).map(|(b, c)| b * c).sum()
    }

    /// The tree of x as rows are passed over with it.
    pub(crate) fn mixture(&self, x: &[f64]) -> ModelMixture {
        let at = self.parameters(x);
        ModelMixture::new(
            Splits::new(&self.topology, self.centers.len(), &at.theta, self.gamma),
            &at.leaf_slopes,
            &at.leaf_intercepts,
        )
    }

    /// gradient += that of Σ_i w_i (α (φ_i − y_i)² + δ φ_i) over `rows`, for α and δ of `weights`: by x and then
    /// by what moves the features, if it is so long.
    pub(crate) fn add_gradient(
        &self,
        rows: &RegressionRows<'_>,
        tree: &ModelMixture,
        weights: SumWeights,
        gradient: &mut [f64],
    ) -> Result<f64, Interrupted> {
        let p = self.centers.len();
        let sum = rows.mixture_gradient(tree, weights)?;
        let (own, moves) = gradient.split_at_mut(self.dim());
        add_to(moves, &sum.moves);
        let (splits, leaves) = own.split_at_mut(sum.splits.len());
        let (slopes, intercepts) = leaves.split_at_mut(self.topology.leaves() * p);
        let slope_count = self.topology.branches() * p;
        for (i, (g, s)) in splits.iter_mut().zip(&sum.splits).enumerate() {
            let unit = if i < slope_count { p as f64 } else { 1.0 };
            *g += self.gamma / unit * s;
        }
        let (by_slopes, by_intercepts) = sum.models.split_at(slopes.len());
        for (t, by_intercept) in by_intercepts.iter().enumerate() {
            let own = t * p..(t + 1) * p;
            let of_leaf = slopes[own.clone()].iter_mut().zip(&by_slopes[own]);
            for ((g, s), center) in of_leaf.zip(self.centers) {
                *g += s - center * by_intercept;
            }
            intercepts[t] += by_intercept;
        }
        Ok(weights.squares * sum.sums.squares + weights.predictions * sum.sums.predictions)
    }

    /// gradient += that of the ridge.
    pub(crate) fn add_ridge(&self, x: &[f64], gradient: &mut [f64]) {
        let leaves = self.splits().end;
        (self.ridge).add_gradient(&x[leaves..], &mut gradient[leaves..]);
    }

    /// The ridge at x.
    pub(crate) fn ridge_value(&self, x: &[f64]) -> f64 {
        self.ridge.value(&x[self.splits().end..])
    }
}

/// Moments of all leaves' columns, L × p, then their intercepts, with the sums of each feature's columns beside
/// them: what the leaves have in common. Those of the intercepts sum to 1, which is there.
fn with_common_columns(moments: &[f64], leaves: usize, features: usize) -> Vec<f64> {
    let (n, m) = (leaves * (features + 1), leaves * (features + 1) + 2);
    let moment = |j: usize, k: usize| moments[j.min(k) * m + j.max(k)];
    // The columns that each of the wider ones sums up.
    let summed = |column: usize| -> Vec<usize> {
        match column {
            c if c < n => vec![c],
            c if c < n + features => (0..leaves).map(|t| t * features + c - n).collect(),
            c => vec![c - features],
        }
    };
    let sources: Vec<Vec<usize>> = (0..m + features).map(summed).collect();
    let wide = m + features;
    let mut all = vec![0.0; wide * wide];
    for j in 0..wide {
        for k in j..wide {
            let terms = sources[j]
                .iter()
                .flat_map(|a| sources[k].iter().map(move |b| (*a, *b)));
            all[j * wide + k] = terms.map(|(a, b)| moment(a, b)).sum();
        }
    }
    all
}

impl Objective for MixtureError<'_, '_> {
    fn dim(&self) -> usize {
        self.splits().end + self.topology.leaves() * (self.centers.len() + 1)
    }

    fn value_and_gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        gradient.fill(0.0);
        let mean = SumWeights {
            squares: 1.0 / self.data.total_weight(),
            predictions: 0.0,
        };
        let loss = self.add_gradient(self.data, &self.mixture(x), mean, gradient)?;
        self.add_ridge(x, gradient);
        Ok(loss + self.ridge_value(x))
    }
}

/// The same with the best leaf models for every θ: variable projection (Golub and Pereyra, 1973). Where
/// the leaves are best the objective has no slope in them, so its gradient is that for leaves held.
#[derive(Clone)]
pub struct ProjectedMixtureError<'a, 'd>(pub MixtureError<'a, 'd>);

impl Objective for ProjectedMixtureError<'_, '_> {
    fn dim(&self) -> usize {
        self.0.splits().end
    }

    fn value_and_gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Interrupted> {
        let x = [theta, &self.0.best_leaves(theta)?].concat();
        let mut whole = vec![0.0; x.len()];
        let value = self.0.value_and_gradient(&x, &mut whole)?;
        gradient.copy_from_slice(&whole[..theta.len()]);
        Ok(value)
    }
}
