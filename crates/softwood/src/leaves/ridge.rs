//! The exact leaf step of a regression tree: a weighted ridge regression from its moments.

use super::gram::{Gram, Squares};
use crate::stop::{Stop, Stopped};
use crate::tree::second_moments::SecondMoments;

/// A leaf's linear model ŷ = intercept + Σ_j slope_j u_j.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinearModel {
    pub slopes: Vec<f64>,
    pub intercept: f64,
}

/// argmin (1/W) Σ_i w_i (β_0 + βᵀu_i − y_i)² + Σ_j (λ_j/2) β_j², the LN step of paper 2, from the
/// moments Σ_i w_i c_i c_iᵀ with c_i = (u_i, y_i, 1); `penalties` are λ_j W/2, that of the intercept last.
///
/// Without penalties, directions in which the rows do not vary get coefficient 0.
pub(crate) fn ridge(
    moments: &SecondMoments,
    features: usize,
    penalties: &[f64],
    stop: &Stop,
) -> Result<LinearModel, Stopped> {
    let (gram, right) = normal_equations(moments, features, stop)?;
    let mut solution = gram.penalized(penalties, stop)?.solve(&right);
    let intercept = solution.pop().expect("n ≥ 1");
    Ok(LinearModel {
        slopes: solution,
        intercept,
    })
}

/// argmin Σ_i w_i (Σ_j β_j c_ij − y_i)² from the upper triangle of the same moments of `columns` columns that bring their own
/// intercepts; a ridge has been added to the moments.
pub(crate) fn regression_of_columns(
    moments: &[f64],
    columns: usize,
    stop: &Stop,
) -> Result<Vec<f64>, Stopped> {
    let moment = |j: usize, k: usize| moments[j.min(k) * (columns + 2) + j.max(k)];
    let matrix = lower_triangle(columns, moment);
    let right: Vec<f64> = (0..columns).map(|j| moment(j, columns)).collect();
    let gram = Gram::new(Squares::Matrix(matrix), columns, stop)?;
    Ok(gram.penalized(&vec![0.0; columns], stop)?.solve(&right))
}

/// Matrix and right-hand side of the regression; position p of the unknowns is the intercept.
pub(super) fn normal_equations(
    moments: &SecondMoments,
    features: usize,
    stop: &Stop,
) -> Result<(Gram, Vec<f64>), Stopped> {
    let (p, n) = (features, features + 1);
    // The intercept's moments stand behind the response's.
    let place = |j: usize| if j < p { j } else { p + 1 };
    let squares = match moments {
        SecondMoments::Summed { .. } => {
            Squares::Matrix(lower_triangle(n, |j, k| moments.at(place(j), place(k))))
        }
        SecondMoments::Rows(rows) => {
            let without_response = |row: &Vec<f64>| (0..n).map(|j| row[place(j)]).collect();
            Squares::Rows(rows.iter().map(without_response).collect())
        }
    };
    let right = (0..n).map(|j| moments.at(place(j), p)).collect();
    Ok((Gram::new(squares, n, stop)?, right))
}

/// The lower triangle of a symmetric matrix, n × n, row after row.
fn lower_triangle(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for j in 0..n {
        for k in 0..=j {
            matrix[j * n + k] = entry(j, k);
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Moments of rows (u, y) with weights.
    fn moments(rows: &[(Vec<f64>, f64, f64)]) -> SecondMoments {
        let columns = rows[0].0.len() + 2;
        let mut sums = vec![0.0; columns * columns];
        for (u, y, w) in rows {
            let c: Vec<f64> = u.iter().copied().chain([*y, 1.0]).collect();
            for j in 0..columns {
                for k in j..columns {
                    sums[j * columns + k] += w * c[j] * c[k];
                }
            }
        }
        SecondMoments::Summed { columns, sums }
    }

    fn residuals(model: &LinearModel, rows: &[(Vec<f64>, f64, f64)]) -> Vec<f64> {
        rows.iter()
            .map(|(u, y, _)| {
                let sum: f64 = u.iter().zip(&model.slopes).map(|(u, b)| u * b).sum();
                model.intercept + sum - y
            })
            .collect()
    }

    proptest! {
        #[test]
        fn the_gradient_vanishes(
            rows in prop::collection::vec((prop::collection::vec(0.0..1.0f64, 3), -2.0..2.0f64, 0.0..3.0f64), 1..12),
            penalty in prop_oneof![Just(0.0), 1e-6..10.0f64],
            twin in any::<bool>(),
        ) {
            // Fewer rows than unknowns and, with a twin, two equal columns: both are allowed.
            let rows: Vec<_> = rows.into_iter().map(|(mut u, y, w)| {
                if twin { u[2] = u[0]; }
                (u, y, w)
            }).collect();
            let model = ridge(&moments(&rows), 3, &[penalty; 4], &Stop::default()).unwrap();
            let residuals = residuals(&model, &rows);
            for j in 0..4 {
                let beta = if j < 3 { model.slopes[j] } else { model.intercept };
                let gradient: f64 = rows.iter().zip(&residuals).map(|((u, _, w), r)| {
                    w * r * if j < 3 { u[j] } else { 1.0 }
                }).sum::<f64>() + penalty * beta;
                let size = model.slopes.iter().fold(model.intercept.abs(), |m, b| m.max(b.abs()));
                prop_assert!(gradient.abs() <= 1e-8 * (1.0 + size), "{j}: {gradient} at {size}");
            }
        }
    }

    #[test]
    fn nothing_to_fit_gives_zero() {
        let model = ridge(&SecondMoments::begin(1, 0), 1, &[0.0; 2], &Stop::default()).unwrap();
        assert_eq!((model.slopes, model.intercept), (vec![0.0], 0.0));
    }
}
