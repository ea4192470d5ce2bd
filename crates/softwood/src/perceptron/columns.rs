//! The rows of a node, column by column: sums over all rows for every one of very many features.

use super::packed::{PackedRows, add_scaled};
use crate::data::Rows;
use crate::data::with_view;
use ndarray::Axis;
use rayon::prelude::*;

/// Columns of dense rows that are summed up side by side.
const TILE: usize = 32;

/// Sparse columns in a piece of parallel work.
const COLUMNS_AT_A_TIME: usize = 4096;

/// Some of the user's rows. Sparse ones are copied column by column, dense ones are read where they are.
pub(super) struct NodeColumns<'a> {
    rows: Rows<'a>,
    members: &'a [u32],
    sparse: Option<SparseColumns>,
}

/// The nonzeros of column j are `values[k]` in row `rows[k]` of the node, k from `starts[j]` on.
struct SparseColumns {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

/// Weighted mean and standard deviation of every column, and by what it is multiplied in training.
pub(crate) struct ColumnScale {
    /// 1/σ_j, or 1; 0 for a column that is constant.
    pub factors: Vec<f64>,
}

impl ColumnScale {
    /// Over the rows that weigh; multiplied by 1/σ_j if `deviations`, else by 1.
    pub fn of(rows: &Rows<'_>, weights: &[f64], deviations: bool) -> Self {
        let p = rows.features();
        let (mut sums, mut squares) = (vec![0.0; p], vec![0.0; p]);
        let total: f64 = weights.iter().sum();
        rows.visit_nonzeros(|i, j, x| {
            sums[j] += weights[i] / total * x;
            squares[j] += weights[i] / total * x * x;
        });
        let factor = |(mean, square): (f64, f64)| {
            // A constant column leaves rounding behind.
            let variance = square - mean * mean;
            let varies = variance > 1e-14 * square && variance.is_finite();
            match (varies, deviations) {
                (false, _) => 0.0,
                (true, true) => 1.0 / variance.sqrt(),
                (true, false) => 1.0,
            }
        };
        let factors = sums.into_iter().zip(squares).map(factor).collect();
        Self { factors }
    }
}

impl<'a> NodeColumns<'a> {
    /// The rows numbered `members`.
    pub fn of(rows: &'a Rows<'_>, members: &'a [u32]) -> Self {
        let sparse = match rows {
            Rows::Sparse(csr) => {
                let mut starts = vec![0usize; csr.features() + 1];
                for row in members {
                    csr.visit_row(*row as usize, |j, _| starts[j + 1] += 1);
                }
                for j in 0..csr.features() {
                    starts[j + 1] += starts[j];
                }
                let mut next = starts.clone();
                let stored = starts[csr.features()];
                let (mut places, mut values) = (vec![0u32; stored], vec![0.0; stored]);
                for (i, row) in members.iter().enumerate() {
                    csr.visit_row(*row as usize, |j, x| {
                        places[next[j]] = i as u32;
                        values[next[j]] = x;
                        next[j] += 1;
                    });
                }
                Some(SparseColumns {
                    starts,
                    rows: places,
                    values,
                })
            }
            _ => None,
        };
        Self {
            rows: rows.reborrow(),
            members,
            sparse,
        }
    }

    /// n.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Σ_v (Σ_i r_iv x_ij)² of every feature j, `residuals` being n × `blocks`. Each sum is formed in the
    /// order of the rows: same bits on any number of threads.
    pub fn scores(&self, residuals: &[f64], blocks: usize) -> Vec<f64> {
        let mut scores = vec![0.0; self.rows.features()];
        match &self.sparse {
            Some(columns) => {
                let pieces = scores.par_chunks_mut(COLUMNS_AT_A_TIME).enumerate();
                pieces.for_each(|(piece, scores)| {
                    let mut sums = vec![0.0; blocks];
                    for (k, score) in scores.iter_mut().enumerate() {
                        let j = piece * COLUMNS_AT_A_TIME + k;
                        if blocks == 1 {
                            let mut sum = 0.0;
                            columns.visit(j, |i, x| sum += residuals[i] * x);
                            *score = sum * sum;
                            continue;
                        }
                        sums.fill(0.0);
                        columns.visit(j, |i, x| {
                            add_scaled(&mut sums, &residuals[i * blocks..][..blocks], x);
                        });
                        *score = sums.iter().map(|s| s * s).sum();
                    }
                });
            }
            None => {
                let pieces = scores.par_chunks_mut(TILE).enumerate();
                pieces.for_each(|(piece, scores)| {
                    let sums = self.tile_sums(piece * TILE, scores.len(), residuals, blocks);
                    for (score, sums) in scores.iter_mut().zip(sums.chunks_exact(blocks)) {
                        *score = sums.iter().map(|s| s * s).sum();
                    }
                });
            }
        }
        scores
    }

    /// Σ_i r_iv x_ij of dense features `first`… , `width` × `blocks`.
    fn tile_sums(&self, first: usize, width: usize, residuals: &[f64], blocks: usize) -> Vec<f64> {
        let mut sums = vec![0.0; width * blocks];
        with_view!(
            &self.rows,
            view => {
                let tile = view.slice_axis(Axis(1), (first..first + width).into());
                for (i, row) in self.members.iter().enumerate() {
                    let residuals = &residuals[i * blocks..][..blocks];
                    if let [residual] = residuals {
                        let row = tile.row(*row as usize);
                        row.iter().zip(&mut sums).for_each(|(x, sum)| *sum += residual * f64::from(*x));
                        continue;
                    }
                    if residuals.iter().all(|r| *r == 0.0) {
                        continue;
                    }
                    let row = tile.row(*row as usize);
                    for (x, sums) in row.iter().zip(sums.chunks_exact_mut(blocks)) {
                        add_scaled(sums, residuals, f64::from(*x));
                    }
                }
            },
            _csr => unreachable!("sparse rows are summed up by columns")
        );
        sums
    }

    /// Runs `see(row of the node, value)` on the values of a column that are not 0.
    pub fn visit(&self, j: usize, mut see: impl FnMut(usize, f64)) {
        match &self.sparse {
            Some(columns) => columns.visit(j, see),
            None => with_view!(
                &self.rows,
                view => {
                    let column = view.column(j);
                    for (i, row) in self.members.iter().enumerate() {
                        let x = f64::from(column[*row as usize]);
                        if x != 0.0 {
                            see(i, x);
                        }
                    }
                },
                _csr => unreachable!("sparse rows have columns")
            ),
        }
    }

    /// The chosen features of all rows, each multiplied by its factor, row by row.
    pub fn pack(&self, chosen: &[u32], factors: &[f64]) -> PackedRows {
        let mut starts = vec![0usize; self.len() + 1];
        for j in chosen {
            self.visit(*j as usize, |i, _| starts[i + 1] += 1);
        }
        for i in 0..self.len() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let stored = starts[self.len()];
        let (mut places, mut values) = (vec![0u32; stored], vec![0.0; stored]);
        for (place, j) in chosen.iter().enumerate() {
            let factor = factors[*j as usize];
            self.visit(*j as usize, |i, x| {
                places[next[i]] = place as u32;
                values[next[i]] = x * factor;
                next[i] += 1;
            });
        }
        PackedRows {
            features: chosen.len(),
            starts,
            places,
            values,
        }
    }
}

impl SparseColumns {
    fn visit(&self, j: usize, mut see: impl FnMut(usize, f64)) {
        let range = self.starts[j]..self.starts[j + 1];
        for (i, x) in self.rows[range.clone()].iter().zip(&self.values[range]) {
            see(*i as usize, *x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::CsrRows;
    use ndarray::array;

    #[test]
    fn sparse_and_dense_columns_have_the_sums_of_their_members() {
        let dense = array![
            [1.0, 0.0, 2.0],
            [9.0, 9.0, 9.0],
            [0.0, 0.0, -3.0],
            [4.0, 0.0, 0.5]
        ];
        let (starts, places) = ([0i32, 2, 5, 6, 8], [0i32, 2, 0, 1, 2, 2, 0, 2]);
        let values = [1.0, 2.0, 9.0, 9.0, 9.0, -3.0, 4.0, 0.5];
        let csr = CsrRows::new(3, &starts[..], &places[..], &values[..]).unwrap();
        let residuals = [1.0, 2.0, -1.0, 0.5, 2.0, 0.0];
        for rows in [Rows::from(dense.view()), Rows::from(csr)] {
            let columns = NodeColumns::of(&rows, &[0, 2, 3]);
            let scores = columns.scores(&residuals, 2);
            // Column 0: (1 + 2·4)² + 2²; column 2: (2 + 3 + 2·0.5)² + (2·2 − 3·0.5)².
            assert_eq!(scores, [85.0, 0.0, 42.25]);
            assert_eq!(columns.scores(&[1.0, 1.0, 1.0], 1), [25.0, 0.0, 0.25]);
            let packed = columns.pack(&[2, 0], &[10.0, 1.0, 2.0]);
            assert_eq!(packed.times(&[1.0, 1.0], 1), [14.0, -6.0, 41.0]);
            assert_eq!(packed.transposed_times(&[1.0, 1.0, 1.0], 1), [-1.0, 50.0]);
        }
    }
}
