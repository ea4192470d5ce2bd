//! The exact leaf step of a regression tree: a weighted ridge regression from its moments.

/// A leaf's linear model ŷ = intercept + Σ_j slope_j u_j.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinearModel {
    pub slopes: Vec<f64>,
    pub intercept: f64,
}

/// argmin (1/W) Σ_i w_i (β_0 + βᵀu_i − y_i)² + Σ_j (λ_j/2) β_j², the LN step of paper 2, from the
/// upper triangle of Σ_i w_i c_i c_iᵀ with c_i = (u_i, y_i, 1); `penalties` are λ_j W/2, that of the
/// intercept last.
///
/// Without penalties, directions in which the rows do not vary get coefficient 0.
pub(crate) fn ridge(moments: &[f64], features: usize, penalties: &[f64]) -> LinearModel {
    let (mut matrix, right) = normal_equations(moments, features, penalties);
    let mut solution = solve_semidefinite(&mut matrix, &right);
    let intercept = solution.pop().expect("n ≥ 1");
    LinearModel {
        slopes: solution,
        intercept,
    }
}

/// The diagonal of the inverse of what [`ridge`] solves with, for positive penalties.
pub(super) fn inverse_diagonal(moments: &[f64], features: usize, penalties: &[f64]) -> Vec<f64> {
    let (mut a, right) = normal_equations(moments, features, penalties);
    let n = right.len();
    let (order, rank) = factorize(&mut a, n);
    // Squared columns of F⁻¹, F being the factor.
    let mut diagonal = vec![0.0; n];
    let mut column = vec![0.0; n];
    for first in 0..rank {
        for k in first..rank {
            let row = order[k];
            let known: f64 = (first..k).map(|i| a[row * n + order[i]] * column[i]).sum();
            let unit = if k == first { 1.0 } else { 0.0 };
            column[k] = (unit - known) / a[row * n + row];
            diagonal[order[first]] += column[k] * column[k];
        }
    }
    diagonal
}

/// Matrix and right-hand side of the regression; position p of the unknowns is the intercept.
fn normal_equations(moments: &[f64], features: usize, penalties: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (p, m) = (features, features + 2);
    let moment = |j: usize, k: usize| moments[j.min(k) * m + j.max(k)];
    // The intercept's moments stand behind the response's.
    let place = |j: usize| if j < p { j } else { p + 1 };
    let n = p + 1;
    let mut matrix = vec![0.0; n * n];
    let mut right = vec![0.0; n];
    for j in 0..n {
        for k in 0..n {
            matrix[j * n + k] = moment(place(j), place(k));
        }
        matrix[j * n + j] += penalties[j];
        right[j] = moment(place(j), p);
    }
    (matrix, right)
}

/// Solves A x = b for positive semidefinite A (n × n, overwritten); unknowns whose pivot is
/// rounding alone are set to 0.
fn solve_semidefinite(a: &mut [f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let (order, rank) = factorize(a, n);
    let mut x = vec![0.0; n];
    for k in 0..rank {
        let row = order[k];
        let known: f64 = order[..k].iter().map(|j| a[row * n + j] * x[*j]).sum();
        x[row] = (b[row] - known) / a[row * n + row];
    }
    for k in (0..rank).rev() {
        let column = order[k];
        let known: f64 = order[k + 1..rank]
            .iter()
            .map(|i| a[i * n + column] * x[*i])
            .sum();
        x[column] = (x[column] - known) / a[column * n + column];
    }
    x
}

/// Cholesky's method with diagonal pivoting: the order of the pivots and how many are more than
/// rounding. The factor's entry for pivots i ≥ k stands in a[order[i]][order[k]].
fn factorize(a: &mut [f64], n: usize) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..n).collect();
    let largest = (0..n).map(|j| a[j * n + j]).fold(0.0, f64::max);
    let negligible = largest * n as f64 * f64::EPSILON;
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|i, j| a[order[*i] * n + order[*i]].total_cmp(&a[order[*j] * n + order[*j]]))
            .expect("k < n");
        order.swap(k, pivot);
        let at = order[k];
        let diagonal = a[at * n + at];
        if diagonal.is_nan() || diagonal <= negligible {
            return (order, k);
        }
        let root = diagonal.sqrt();
        a[at * n + at] = root;
        for i in &order[k + 1..] {
            a[i * n + at] /= root;
        }
        for (i, row) in order.iter().enumerate().skip(k + 1) {
            let factor = a[row * n + at];
            for column in &order[k + 1..=i] {
                let update = factor * a[column * n + at];
                a[row * n + column] -= update;
                if row != column {
                    a[column * n + row] = a[row * n + column];
                }
            }
        }
    }
    (order, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Moments of rows (u, y) with weights.
    fn moments(rows: &[(Vec<f64>, f64, f64)]) -> Vec<f64> {
        let m = rows[0].0.len() + 2;
        let mut sums = vec![0.0; m * m];
        for (u, y, w) in rows {
            let c: Vec<f64> = u.iter().copied().chain([*y, 1.0]).collect();
            for j in 0..m {
                for k in j..m {
                    sums[j * m + k] += w * c[j] * c[k];
                }
            }
        }
        sums
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
            let model = ridge(&moments(&rows), 3, &[penalty; 4]);
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
    fn the_inverse_has_the_diagonal_that_solving_gives() {
        let rows = [0.0f64, 0.3, 0.5, 1.0].map(|x| (vec![x, 1.0 - x * x, x.sqrt()], x, 1.0 + x));
        let (moments, penalties) = (moments(&rows), [0.1, 0.2, 0.3, 0.4]);
        for (j, found) in inverse_diagonal(&moments, 3, &penalties).iter().enumerate() {
            let (mut matrix, _) = normal_equations(&moments, 3, &penalties);
            let unit: Vec<f64> = (0..4).map(|k| f64::from(u8::from(j == k))).collect();
            let wanted = solve_semidefinite(&mut matrix, &unit)[j];
            assert!((found / wanted - 1.0).abs() < 1e-12, "{found} for {wanted}");
        }
    }

    #[test]
    fn nothing_to_fit_gives_zero() {
        let model = ridge(&[0.0; 9], 1, &[0.0; 2]);
        assert_eq!((model.slopes, model.intercept), (vec![0.0], 0.0));
    }
}
