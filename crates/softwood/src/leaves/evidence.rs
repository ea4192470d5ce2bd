//! Evidence maximization: the penalties of ridge regressions under which their data are likeliest.
//!
//! The coefficients of a feature, one a leaf, are taken as draws of variance τ_j² around 0, errors as
//! draws of variance σ². The penalties beside the summed squares then are σ²/τ_j², and the variances
//! that maximize the evidence, the likelihood with the coefficients integrated out, follow from the fit
//! itself: σ² = squares/(W − Σ_j γ_j) and τ_j² = Σ_t β_tj²/γ_j, γ_j being the number of coefficients of
//! the feature that the data rather than the penalty determine (MacKay, *Bayesian interpolation*, 1992).
//! A feature that matters to no leaf so gets a large penalty (automatic relevance determination). The
//! bends of a curve share a variance in the same way.

use super::gram::{Gram, Squares};
use super::ridge::normal_equations;
use crate::stop::{Stop, Stopped};
use crate::tree::second_moments::SecondMoments;
use crate::vectors::dot;
use std::ops::Range;

/// Rounds of re-estimation at most, and the change of log penalties that ends them.
const EVIDENCE_ROUNDS: usize = 30;
const SETTLED_CHANGE: f64 = 0.02;

/// Bounds of the penalties, and the share of W that is always left to errors.
const LEAST_PENALTY: f64 = 1e-4;
const MOST_PENALTY: f64 = 1e3;
const MOST_PENALTY_OF_ALL: f64 = 1e5;
const LEAST_ERROR_SHARE: f64 = 1e-3;

/// For how many coefficients the variance common to all features counts in each of theirs: few, and more by
/// so much times the square of what coefficients for each row exceed a number. With more coefficients than
/// rows a variance of its own for each would fit anything.
const COMMON_COEFFICIENTS: f64 = 0.2;
const COMMON_FOR_FEW_ROWS: f64 = 8.0;
const MANY_FOR_A_ROW: f64 = 0.5;

/// Where the penalty of intercepts begins at most.
const FIRST_INTERCEPT_PENALTY: f64 = 5e-2;

/// Share of the response's spread that is taken as error even where all rows are fitted exactly.
const EXACT: f64 = 1e-12;

/// Bends of 0 that count in the variance of each curve's, as if seen: what is nearly straight is
/// straight. Bounds of their penalties; knots may be close, so bends may be large.
const STRAIGHT_BENDS: f64 = 2.0;
const LEAST_BEND_PENALTY: f64 = 1e-8;
const MOST_BEND_PENALTY: f64 = 1e8;

/// The variances of most evidence.
pub(crate) struct MostEvidence {
    /// σ²/τ_j² of each feature, then of the intercept.
    pub penalties: Vec<f64>,
    /// σ².
    pub error_variance: f64,
}

/// Which coefficients share a variance.
pub(crate) struct Groups {
    /// The group of each column's coefficients, then that of the intercept.
    of_column: Vec<usize>,
    families: Vec<Family>,
}

/// Groups whose variances are alike.
struct Family {
    groups: Range<usize>,
    /// Coefficients of 0 that count in each variance beside those fitted.
    zeros: f64,
    /// Bounds of the penalties.
    least: f64,
    most: f64,
}

impl Groups {
    /// Each feature by itself, and the intercept.
    pub fn of_features(features: usize) -> Self {
        Self {
            of_column: (0..=features).collect(),
            families: vec![Family {
                groups: 0..features + 1,
                zeros: 0.0,
                least: LEAST_PENALTY,
                most: MOST_PENALTY,
            }],
        }
    }

    /// Columns of a mixture: the slopes that each of its leaves adds to a common model, leaf after leaf, what
    /// they add to its intercept, and the slopes of the common model. Leaves share a variance in each feature.
    pub fn of_mixture(leaves: usize, features: usize) -> Self {
        let intercepts = std::iter::repeat_n(features, leaves);
        let apart = (0..leaves * features)
            .map(|i| i % features)
            .chain(intercepts);
        let family = |first: usize| Family {
            groups: first..first + features + 1,
            zeros: 0.0,
            least: LEAST_PENALTY,
            most: MOST_PENALTY_OF_ALL,
        };
        Self {
            of_column: apart.chain(features + 1..=2 * features + 1).collect(),
            families: vec![family(0), family(features + 1)],
        }
    }

    /// So for the slopes of features; then hinges of these features, in their order: all of one
    /// feature together.
    pub fn of_curves(features: usize, hinges: impl Iterator<Item = usize>) -> Self {
        let mut groups = Self::of_features(features);
        let intercept = groups.of_column.pop().expect("p + 1 columns");
        let (mut last, mut next) = (None, intercept);
        for feature in hinges {
            if last != Some(feature) {
                last = Some(feature);
                next += 1;
            }
            groups.of_column.push(next);
        }
        groups.of_column.push(intercept);
        groups.families.push(Family {
            groups: features + 1..next + 1,
            zeros: STRAIGHT_BENDS,
            least: LEAST_BEND_PENALTY,
            most: MOST_BEND_PENALTY,
        });
        groups
    }

    /// σ²/τ² of each group, from the squares of its coefficients and how many of them are determined; the
    /// common variance counts for `common` coefficients.
    fn penalties(
        &self,
        lengths: &[f64],
        determined: &[f64],
        error_variance: f64,
        common: f64,
    ) -> Vec<f64> {
        let of_family = |family: &Family| {
            let own = family.groups.clone();
            let (lengths, determined) = (&lengths[own.clone()], &determined[own]);
            let variances = variances(lengths, determined, family.zeros, common);
            let (least, most) = (family.least, family.most);
            let penalty = move |variance: f64| {
                (error_variance / variance.max(f64::MIN_POSITIVE)).clamp(least, most)
            };
            variances.into_iter().map(penalty)
        };
        self.families.iter().flat_map(of_family).collect()
    }

    fn count(&self) -> usize {
        self.families.last().expect("at least one").groups.end
    }
}

/// σ²/τ² of each column, as [`ridge`](super::ridge()) takes them, and σ² that maximize the evidence of
/// the leaves with these moments.
pub(crate) fn maximize_evidence(
    moments: &[SecondMoments],
    features: usize,
    groups: &Groups,
    stop: &Stop,
) -> Result<MostEvidence, Stopped> {
    let p = features;
    let total: f64 = moments.iter().map(|moments| moments.at(p + 1, p + 1)).sum();
    let common = weight_of_common((p + 1) * moments.len(), total);
    let mut penalties = first_penalties(moments, p, total, stop)?;
    let equations = moments
        .iter()
        .map(|moments| normal_equations(moments, p, stop));
    let equations = equations.collect::<Result<Vec<(Gram, Vec<f64>)>, Stopped>>()?;
    let mut error_variance = 1.0;
    for _ in 0..EVIDENCE_ROUNDS {
        let mut determined = vec![0.0; groups.count()];
        let mut lengths = vec![0.0; groups.count()];
        let mut squares = 0.0;
        for (moments, (gram, right)) in moments.iter().zip(&equations) {
            let factor = gram.penalized(&penalties, stop)?;
            let (solution, inverse) = (factor.solve(right), factor.inverse_diagonal(stop)?);
            // With (G + C)β = g the squares are y² − gᵀβ − βᵀCβ.
            let mut left = moments.at(p, p);
            for (j, coefficient) in solution.iter().enumerate() {
                let length = coefficient * coefficient;
                left -= coefficient * right[j] + penalties[j] * length;
                lengths[groups.of_column[j]] += length;
                determined[groups.of_column[j]] += (1.0 - penalties[j] * inverse[j]).max(0.0);
            }
            squares += left.max(0.0);
        }
        let all: f64 = determined.iter().sum();
        let left_to_errors = (total - all).max(LEAST_ERROR_SHARE * total);
        error_variance = squares / left_to_errors.max(f64::MIN_POSITIVE);
        let of_group = groups.penalties(&lengths, &determined, error_variance, common);
        let next: Vec<f64> = groups
            .of_column
            .iter()
            .map(|group| of_group[*group])
            .collect();
        let change = largest_change(&penalties, &next);
        penalties = next;
        if change < SETTLED_CHANGE {
            break;
        }
    }
    Ok(MostEvidence {
        penalties,
        error_variance,
    })
}

/// max_j |ln(next_j/before_j)|.
fn largest_change(before: &[f64], next: &[f64]) -> f64 {
    let changes = before.iter().zip(next).map(|(b, n)| (n / b).ln().abs());
    changes.fold(0.0, f64::max)
}

/// For how many coefficients the common variance counts, of so many with so many rows.
fn weight_of_common(coefficients: usize, rows: f64) -> f64 {
    let too_many = coefficients as f64 / rows.max(f64::MIN_POSITIVE) - MANY_FOR_A_ROW;
    COMMON_COEFFICIENTS + COMMON_FOR_FEW_ROWS * too_many.clamp(0.0, 1e3).powi(2)
}

/// Where penalties begin: at the likeliest one that all columns share. Where each has its own, weak ones
/// that fit all rows exactly confirm themselves.
fn first_penalties(
    moments: &[SecondMoments],
    features: usize,
    rows: f64,
    stop: &Stop,
) -> Result<Vec<f64>, Stopped> {
    let centered = moments.iter().map(|all| Centered::of(all, features));
    let centered: Vec<Centered> = centered.collect();
    let penalty = likeliest_penalty(centered, rows, MOST_PENALTY, stop)?;
    let mut penalties = vec![penalty; features + 1];
    penalties[features] = penalty.min(FIRST_INTERCEPT_PENALTY);
    Ok(penalties)
}

/// τ_j² of splits' slopes: as [`variances`], with the usual weight of the common one.
pub(crate) fn split_variances(squares: &[f64], determined: &[f64]) -> Vec<f64> {
    variances(squares, determined, 0.0, COMMON_COEFFICIENTS)
}

/// τ_j² of groups of coefficients with these sums of squares, so many of them determined, each
/// drawn towards the variance of all, which counts for `common` coefficients: groups are small.
/// `zeros` more coefficients of 0 count in each.
fn variances(squares: &[f64], determined: &[f64], zeros: f64, common: f64) -> Vec<f64> {
    let sum = |v: &[f64]| v.iter().sum::<f64>();
    let of_all = sum(squares) / sum(determined).max(f64::MIN_POSITIVE);
    let groups = squares.iter().zip(determined);
    groups
        .map(|(squares, determined)| (squares + common * of_all) / (determined + common + zeros))
        .collect()
}

/// The one penalty on the coefficients of all columns, each divided by its unit, under which the rows with
/// these moments are likeliest; a constant beside them is free.
pub(crate) fn common_penalty(
    moments: &SecondMoments,
    units: &[f64],
    stop: &Stop,
) -> Result<f64, Stopped> {
    let p = units.len();
    let centered = Centered::of(moments, p).in_units(units);
    let (rows, most) = (moments.at(p + 1, p + 1), MOST_PENALTY_OF_ALL);
    likeliest_penalty(vec![centered], rows, most, stop)
}

/// The likeliest of the powers of √10 up to `most` as the penalty on all slopes of leaves with `rows` rows
/// in all.
///
/// With y ~ N(0, σ²(I + UUᵀ/λ)) and the best σ², −2 ln(evidence) is n ln(y²−gᵀ(G+λ)⁻¹g) +
/// ln det(G + λ) − p ln λ, G and g being moments around the means.
fn likeliest_penalty(
    leaves: Vec<Centered>,
    rows: f64,
    most: f64,
    stop: &Stop,
) -> Result<f64, Stopped> {
    let spread: f64 = leaves.iter().map(|leaf| leaf.response).sum();
    let gram = |leaf: Centered| {
        let gram = Gram::new(leaf.squares, leaf.right.len(), stop)?;
        Ok((gram, leaf.right, leaf.response))
    };
    let leaves = leaves.into_iter().map(gram);
    let leaves = leaves.collect::<Result<Vec<(Gram, Vec<f64>, f64)>, Stopped>>()?;
    let unlikeliness = |penalty: f64| {
        let (mut squares, mut volume) = (0.0, 0.0);
        for (gram, right, response) in &leaves {
            let p = right.len();
            let factor = gram.penalized(&vec![penalty; p], stop)?;
            let fitted = factor.solve(right);
            squares += response - dot(&fitted, right);
            volume += factor.log_determinant() - p as f64 * penalty.ln();
        }
        // What is fitted exactly is not infinitely likely.
        Ok(rows * squares.max(EXACT * spread).max(f64::MIN_POSITIVE).ln() + volume)
    };
    let mut best = (f64::INFINITY, most);
    let mut penalty = most;
    while penalty >= 0.9 * LEAST_PENALTY {
        let here = unlikeliness(penalty)?;
        if here < best.0 {
            best = (here, penalty);
        }
        penalty /= 10f64.sqrt();
    }
    Ok(best.1)
}

/// Moments of a leaf around its means: features, features with the response, the response.
struct Centered {
    squares: Squares,
    right: Vec<f64>,
    response: f64,
}

impl Centered {
    fn of(moments: &SecondMoments, features: usize) -> Self {
        let p = features;
        let weight = moments.at(p + 1, p + 1).max(f64::MIN_POSITIVE);
        let sums: Vec<f64> = (0..=p).map(|j| moments.at(j, p + 1)).collect();
        let around = |j: usize, k: usize| moments.at(j, k) - sums[j] / weight * sums[k];
        let squares = match moments {
            SecondMoments::Summed { .. } => {
                Squares::Matrix((0..p * p).map(|i| around(i / p, i % p)).collect())
            }
            SecondMoments::Rows(rows) => {
                // The last of a row is √w_i.
                let centered = |row: &Vec<f64>| {
                    let features = row[..p].iter().zip(&sums);
                    features.map(|(u, s)| u - s / weight * row[p + 1]).collect()
                };
                Squares::Rows(rows.iter().map(centered).collect())
            }
        };
        Self {
            squares,
            right: (0..p).map(|j| around(j, p)).collect(),
            response: around(p, p).max(0.0),
        }
    }

    /// For columns divided by their units; those without one stay as they are.
    fn in_units(mut self, units: &[f64]) -> Self {
        let inverse = |unit: &f64| if *unit > 0.0 { 1.0 / unit } else { 1.0 };
        let inverses: Vec<f64> = units.iter().map(inverse).collect();
        let scale = |values: &mut [f64], factor: f64| {
            let scaled = values.iter_mut().zip(&inverses);
            scaled.for_each(|(value, inverse)| *value *= factor * inverse);
        };
        match &mut self.squares {
            Squares::Matrix(matrix) => {
                let rows = matrix.chunks_exact_mut(units.len()).zip(&inverses);
                rows.for_each(|(row, inverse)| scale(row, *inverse));
            }
            Squares::Rows(rows) => rows.iter_mut().for_each(|row| scale(row, 1.0)),
        }
        scale(&mut self.right, 1.0);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    /// Moments of leaves whose coefficients (three slopes and the intercept) and errors have these
    /// deviations.
    fn drawn(
        leaves: usize,
        rows: usize,
        coefficients: [f64; 4],
        errors: f64,
    ) -> Vec<SecondMoments> {
        let mut rng = Pcg64::new(3, 3);
        // Sums of twelve uniform draws are as good as normal here.
        let mut normal = move || (0..12).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>();
        (0..leaves)
            .map(|_| {
                let beta = coefficients.map(|deviation| deviation * normal());
                let mut sums = vec![0.0; 25];
                for _ in 0..rows {
                    let u = [0; 3].map(|_| normal());
                    let fitted: f64 = u.iter().zip(beta).map(|(u, b)| u * b).sum();
                    let c = [u[0], u[1], u[2], beta[3] + fitted + errors * normal(), 1.0];
                    for j in 0..5 {
                        for k in j..5 {
                            sums[j * 5 + k] += c[j] * c[k];
                        }
                    }
                }
                SecondMoments::Summed { columns: 5, sums }
            })
            .collect()
    }

    #[test]
    fn the_ratios_of_variances_are_found() {
        for (coefficients, errors) in [
            ([1.0, 1.0, 1.0, 1.0], 1.0),
            ([3.0, 0.3, 1.0, 2.0], 0.3),
            ([0.5, 2.0, 0.5, 1.0], 1.0),
        ] {
            let moments = drawn(256, 40, coefficients, errors);
            let found =
                maximize_evidence(&moments, 3, &Groups::of_features(3), &Stop::default()).unwrap();
            assert!((found.error_variance / errors.powi(2) - 1.0).abs() < 0.1);
            for (found, deviation) in found.penalties.iter().zip(coefficients) {
                let wanted = (errors / deviation).powi(2);
                assert!(
                    (0.7..1.4).contains(&(found / wanted)),
                    "{found} for {wanted}"
                );
            }
        }
    }

    #[test]
    fn a_feature_that_matters_nowhere_is_penalized_most() {
        let moments = drawn(4, 60, [1.0, 0.0, 1.0, 1.0], 0.5);
        let penalties = maximize_evidence(&moments, 3, &Groups::of_features(3), &Stop::default())
            .unwrap()
            .penalties;
        let others = penalties[0].max(penalties[2]).max(penalties[3]);
        assert!(penalties[1] > 5.0 * others, "{penalties:?}");
    }

    #[test]
    fn the_common_penalty_is_near_the_ratio_of_variances() {
        for (deviation, wanted) in [(1.0, 1.0), (0.3, 11.0), (10.0, 0.01)] {
            let moments = drawn(256, 40, [deviation, deviation, deviation, 1.0], 1.0);
            let centered: Vec<Centered> = moments.iter().map(|all| Centered::of(all, 3)).collect();
            let rows = 256.0 * 40.0;
            let found = likeliest_penalty(centered, rows, MOST_PENALTY, &Stop::default()).unwrap();
            assert!(
                (0.5..2.0).contains(&(found / wanted)),
                "{found} for {wanted}"
            );
        }
        let noise = drawn(1, 200, [0.0; 4], 1.0);
        let stop = Stop::default();
        let found = common_penalty(&noise[0], &[1.0; 3], &stop);
        assert_eq!(found, Ok(MOST_PENALTY_OF_ALL));
    }

    #[test]
    fn nothing_to_explain_gives_finite_penalties() {
        for moments in [
            vec![SecondMoments::begin(3, 0); 2],
            drawn(2, 30, [0.0; 4], 0.0),
        ] {
            let found =
                maximize_evidence(&moments, 3, &Groups::of_features(3), &Stop::default()).unwrap();
            assert!(
                found
                    .penalties
                    .iter()
                    .all(|c| (LEAST_PENALTY..=MOST_PENALTY).contains(c))
            );
        }
    }
}
