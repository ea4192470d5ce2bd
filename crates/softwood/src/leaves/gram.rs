//! Moment matrices of linear regressions, to be solved under penalties: of more columns than rows by as many
//! unknowns as there are rows.

use super::cholesky::CholeskyFactor;
use crate::stop::{Stop, Stopped};
use crate::vectors::dot;

/// From so many columns on a matrix is tried for a small rank, and how small that must be to be worth it.
const MANY_COLUMNS: usize = 512;
const SMALL_RANK: usize = 4;

/// Of few rows the least penalty of a column, as a share of the largest diagonal entry of G: half of the digits are left
/// to the solution. Without penalties it leads to the shortest of all.
const LEAST_SHARE: f64 = 1e-8;

/// G, symmetric and positive semidefinite, n × n: its lower triangle, row after row, or the rows of R with RᵀR = G.
pub(super) enum Squares {
    Matrix(Vec<f64>),
    Rows(Vec<Vec<f64>>),
}

/// G in the form that is solved with least work.
pub(super) struct Gram {
    n: usize,
    squares: Squares,
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
    /// G, n × n.
    pub fn new(squares: Squares, n: usize, stop: &Stop) -> Result<Self, Stopped> {
        let squares = match squares {
            Squares::Matrix(matrix) if n >= MANY_COLUMNS => {
                let roots = few_roots(&matrix, n, stop)?;
                roots.map_or(Squares::Matrix(matrix), Squares::Rows)
            }
            squares => squares,
        };
        Ok(Self { n, squares })
    }

    /// G + C, C ≥ 0.
    pub fn penalized(&self, penalties: &[f64], stop: &Stop) -> Result<Penalized<'_>, Stopped> {
        let n = self.n;
        let roots = match &self.squares {
            Squares::Rows(roots) => roots,
            Squares::Matrix(matrix) => {
                let mut matrix = matrix.clone();
                let diagonal = matrix.iter_mut().step_by(n + 1);
                diagonal.zip(penalties).for_each(|(d, c)| *d += c);
                return Ok(Penalized::Whole(CholeskyFactor::of(matrix, n, stop)?));
            }
        };
        let square = |j: usize| roots.iter().map(|root| root[j] * root[j]).sum::<f64>();
        let largest = (0..n).map(square).fold(0.0, f64::max);
        let least = (LEAST_SHARE * largest).max(f64::MIN_POSITIVE);
        let penalties: Vec<f64> = penalties.iter().map(|c| c.max(least)).collect();
        let r = roots.len();
        let mut small = vec![0.0; r * r];
        for i in 0..r {
            stop.check()?;
            let scaled: Vec<f64> = roots[i]
                .iter()
                .zip(&penalties)
                .map(|(x, c)| x / c)
                .collect();
            for j in 0..=i {
                small[i * r + j] = dot(&scaled, &roots[j]);
            }
            small[i * r + i] += 1.0;
        }
        Ok(Penalized::Thin {
            factor: CholeskyFactor::of(small, r, stop)?,
            roots,
            penalties,
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
        let images: Vec<f64> = roots.iter().map(|root| dot(root, &x)).collect();
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
                let mut lengths = vec![0.0; penalties.len()];
                for row in factor.solve_lower_rows(roots, stop)? {
                    lengths.iter_mut().zip(row).for_each(|(l, x)| *l += x * x);
                }
                let of_column = |(length, c): (f64, &f64)| (1.0 - length / c) / c;
                Ok(lengths.into_iter().zip(penalties).map(of_column).collect())
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
        let found = Gram::new(Squares::Matrix(matrix.clone()), n, &stop).unwrap();
        assert!(matches!(&found.squares, Squares::Rows(roots) if roots.len() == rows));
        let squares = Squares::Matrix(matrix);
        let whole = Gram { n, squares };
        let given = Gram::new(Squares::Rows(data), n, &stop).unwrap();
        let penalties: Vec<f64> = (0..n).map(|j| 0.01 * (1.0 + j as f64)).collect();
        let right: Vec<f64> = (0..n).map(|j| (j % 7) as f64 - 3.0).collect();
        let whole = whole.penalized(&penalties, &stop).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} {b}");
        let both = |a: Vec<f64>, b: Vec<f64>| a.into_iter().zip(b).for_each(|(a, b)| close(a, b));
        for gram in [&found, &given] {
            let thin = gram.penalized(&penalties, &stop).unwrap();
            assert!(matches!(thin, Penalized::Thin { .. }));
            both(thin.solve(&right), whole.solve(&right));
            both(
                thin.inverse_diagonal(&stop).unwrap(),
                whole.inverse_diagonal(&stop).unwrap(),
            );
            close(thin.log_determinant(), whole.log_determinant());
        }
    }

    #[test]
    fn without_penalties_few_rows_have_the_shortest_solution() {
        let mut rng = Pcg64::new(2, 2);
        let draw = |_| (0..40).map(|_| rng.random_range(-1.0..1.0)).collect();
        let rows: Vec<Vec<f64>> = (0..3).map(draw).collect();
        // One that is a mixture of rows is the shortest with its images.
        let shares = [0.5, -2.0, 1.5];
        let mixed = |j: usize| rows.iter().zip(shares).map(|(row, s)| s * row[j]).sum();
        let wanted: Vec<f64> = (0..40).map(mixed).collect();
        let images: Vec<f64> = rows.iter().map(|row| dot(row, &wanted)).collect();
        let product = |j: usize| rows.iter().zip(&images).map(|(row, v)| v * row[j]).sum();
        let right: Vec<f64> = (0..40).map(product).collect();
        let stop = Stop::default();
        let gram = Gram::new(Squares::Rows(rows), 40, &stop).unwrap();
        let found = gram.penalized(&[0.0; 40], &stop).unwrap().solve(&right);
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-6, "{found} for {wanted}");
        }
    }
}
