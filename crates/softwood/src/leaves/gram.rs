//! Moment matrices of linear regressions, to be solved under penalties: of more columns than rows by as many
//! unknowns as there are rows.

use super::cholesky::CholeskyFactor;
use crate::stop::{Stop, Stopped};

/// From so many columns on a matrix is tried for a small rank, and how small that must be to be worth it.
const MANY_COLUMNS: usize = 512;
const SMALL_RANK: usize = 4;

/// G, symmetric and positive semidefinite, n × n.
pub(super) struct Gram {
    n: usize,
    /// Lower triangle, row after row.
    matrix: Vec<f64>,
    /// The rows of R with RᵀR = G, if they are few.
    roots: Option<Vec<Vec<f64>>>,
}

/// G + C for penalties C on the diagonal, factorized.
pub(super) enum Penalized<'g> {
    Whole(CholeskyFactor),
    /// (G + C)⁻¹ = C⁻¹ − C⁻¹Rᵀ(I + R C⁻¹ Rᵀ)⁻¹R C⁻¹.
    Thin {
        factor: CholeskyFactor,
        roots: &'g [Vec<f64>],
        penalties: Vec<f64>,
    },
}

impl Gram {
    /// The lower triangle of G, row after row.
    pub fn new(matrix: Vec<f64>, n: usize, stop: &Stop) -> Result<Self, Stopped> {
        let roots = match n >= MANY_COLUMNS {
            true => few_roots(&matrix, n, stop)?,
            false => None,
        };
        Ok(Self { n, matrix, roots })
    }

    /// G + C, C ≥ 0.
    pub fn penalized(&self, penalties: &[f64], stop: &Stop) -> Result<Penalized<'_>, Stopped> {
        let (n, all_positive) = (self.n, penalties.iter().all(|c| *c >= f64::MIN_POSITIVE));
        let Some(roots) = self.roots.as_ref().filter(|_| all_positive) else {
            let mut matrix = self.matrix.clone();
            let diagonal = matrix.iter_mut().step_by(n + 1);
            diagonal.zip(penalties).for_each(|(d, c)| *d += c);
            return Ok(Penalized::Whole(CholeskyFactor::of(matrix, n, stop)?));
        };
        let r = roots.len();
        let mut small = vec![0.0; r * r];
        for i in 0..r {
            stop.check()?;
            let scaled: Vec<f64> = roots[i].iter().zip(penalties).map(|(x, c)| x / c).collect();
            for j in 0..=i {
                small[i * r + j] = product(&scaled, &roots[j]);
            }
            small[i * r + i] += 1.0;
        }
        Ok(Penalized::Thin {
            factor: CholeskyFactor::of(small, r, stop)?,
            roots,
            penalties: penalties.to_vec(),
        })
    }
}

impl Penalized<'_> {
    /// x with (G + C) x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (factor, roots, penalties) = match self {
            Self::Whole(factor) => return factor.solve(b),
            Self::Thin {
                factor,
                roots,
                penalties,
            } => (factor, roots, penalties),
        };
        let mut x: Vec<f64> = b.iter().zip(penalties).map(|(b, c)| b / c).collect();
        let images: Vec<f64> = roots.iter().map(|root| product(root, &x)).collect();
        for (root, share) in roots.iter().zip(factor.solve(&images)) {
            for ((x, root), c) in x.iter_mut().zip(root).zip(penalties) {
                *x -= share * root / c;
            }
        }
        x
    }

    /// The diagonal of (G + C)⁻¹.
    pub fn inverse_diagonal(&self, stop: &Stop) -> Result<Vec<f64>, Stopped> {
        match self {
            Self::Whole(factor) => factor.inverse_diagonal(stop),
            Self::Thin {
                factor,
                roots,
                penalties,
            } => {
                let of_column = |(j, c): (usize, &f64)| {
                    let column: Vec<f64> = roots.iter().map(|root| root[j]).collect();
                    (1.0 - factor.squared_length(&column) / c) / c
                };
                Ok(penalties.iter().enumerate().map(of_column).collect())
            }
        }
    }

    /// ln det(G + C), directions left out not counted.
    pub fn log_determinant(&self) -> f64 {
        match self {
            Self::Whole(factor) => factor.log_determinant(),
            Self::Thin {
                factor, penalties, ..
            } => factor.log_determinant() + penalties.iter().map(|c| c.ln()).sum::<f64>(),
        }
    }
}

/// Cholesky's method with the largest remaining pivot first, until what remains is rounding; None if the
/// rank is not small.
fn few_roots(matrix: &[f64], n: usize, stop: &Stop) -> Result<Option<Vec<Vec<f64>>>, Stopped> {
    let entry = |i: usize, j: usize| matrix[i.max(j) * n + i.min(j)];
    let mut remaining: Vec<f64> = (0..n).map(|j| entry(j, j)).collect();
    let largest = |values: &[f64]| {
        let places = (0..n).max_by(|i, j| values[*i].total_cmp(&values[*j]));
        places.expect("n ≥ 1")
    };
    let negligible = remaining[largest(&remaining)] * n as f64 * f64::EPSILON;
    let mut roots: Vec<Vec<f64>> = Vec::new();
    loop {
        stop.check()?;
        let pivot = largest(&remaining);
        if remaining[pivot] <= negligible {
            return Ok(Some(roots));
        }
        if roots.len() == n / SMALL_RANK {
            return Ok(None);
        }
        let length = remaining[pivot].sqrt();
        let mut root: Vec<f64> = (0..n).map(|j| entry(pivot, j)).collect();
        for earlier in &roots {
            let share = earlier[pivot];
            root.iter_mut()
                .zip(earlier)
                .for_each(|(x, e)| *x -= share * e);
        }
        for (x, left) in root.iter_mut().zip(&mut remaining) {
            *x /= length;
            *left -= *x * *x;
        }
        remaining[pivot] = 0.0;
        roots.push(root);
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    #[test]
    fn few_rows_are_solved_as_many_columns_are() {
        let (n, rows, stop) = (MANY_COLUMNS, 12, Stop::default());
        let mut rng = Pcg64::new(1, 1);
        let draw = |_| (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let data: Vec<Vec<f64>> = (0..rows).map(draw).collect();
        let moment = |i: usize, j: usize| data.iter().map(|row| row[i] * row[j]).sum::<f64>();
        let lower = |i: usize, j: usize| if j <= i { moment(i, j) } else { 0.0 };
        let matrix: Vec<f64> = (0..n * n).map(|k| lower(k / n, k % n)).collect();
        let gram = Gram::new(matrix.clone(), n, &stop).unwrap();
        assert_eq!(gram.roots.as_ref().map(Vec::len), Some(rows));
        let whole = Gram {
            n,
            matrix,
            roots: None,
        };
        let penalties: Vec<f64> = (0..n).map(|j| 0.01 * (1.0 + j as f64)).collect();
        let right: Vec<f64> = (0..n).map(|j| (j % 7) as f64 - 3.0).collect();
        let [thin, whole] = [&gram, &whole].map(|g| g.penalized(&penalties, &stop).unwrap());
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} {b}");
        let both = |a: Vec<f64>, b: Vec<f64>| a.into_iter().zip(b).for_each(|(a, b)| close(a, b));
        both(thin.solve(&right), whole.solve(&right));
        both(
            thin.inverse_diagonal(&stop).unwrap(),
            whole.inverse_diagonal(&stop).unwrap(),
        );
        close(thin.log_determinant(), whole.log_determinant());
    }
}
