//! The chosen features of a node's rows, row by row, and products with them for several classifiers at once.

use rayon::prelude::*;

/// Rows in a piece of parallel work, at the least; and pieces at the most.
const LEAST_ROWS: usize = 1024;
const MOST_PIECES: usize = 16;

/// n rows of few features: the nonzeros of row i are `values[k]` at `places[k]`, k from `starts[i]` on.
pub(super) struct PackedRows {
    pub features: usize,
    pub starts: Vec<usize>,
    pub places: Vec<u32>,
    pub values: Vec<f64>,
}

impl PackedRows {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[i]..self.starts[i + 1];
        let places = self.places[range.clone()].iter();
        let values = self.values[range].iter();
        places.zip(values).map(|(place, x)| (*place as usize, *x))
    }

    /// Rows of a piece: by their number alone, so that sums do not depend on threads.
    fn piece(&self) -> usize {
        self.len().div_ceil(MOST_PIECES).max(LEAST_ROWS)
    }

    /// X W, n × `blocks`, W being features × `blocks`.
    pub fn times(&self, w: &[f64], blocks: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.len() * blocks];
        let piece = self.piece();
        let pieces = out.par_chunks_mut(piece * blocks).enumerate();
        pieces.for_each(|(at, out)| {
            if blocks == 1 {
                for (k, out) in out.iter_mut().enumerate() {
                    let terms = self.row(at * piece + k).map(|(place, x)| w[place] * x);
                    *out = terms.sum();
                }
                return;
            }
            for (k, out) in out.chunks_exact_mut(blocks).enumerate() {
                for (place, x) in self.row(at * piece + k) {
                    add_scaled(out, &w[place * blocks..][..blocks], x);
                }
            }
        });
        out
    }

    /// Xᵀ R, features × `blocks`, R being n × `blocks`; sums of pieces are added in their order.
    pub fn transposed_times(&self, residuals: &[f64], blocks: usize) -> Vec<f64> {
        let piece = self.piece();
        let pieces = residuals.par_chunks(piece * blocks).enumerate();
        let sums = pieces.map(|(at, residuals)| {
            let mut sums = vec![0.0; self.features * blocks];
            for (k, residuals) in residuals.chunks_exact(blocks).enumerate() {
                if residuals.iter().all(|r| *r == 0.0) {
                    continue;
                }
                if let [residual] = residuals {
                    for (place, x) in self.row(at * piece + k) {
                        sums[place] += residual * x;
                    }
                    continue;
                }
                for (place, x) in self.row(at * piece + k) {
                    add_scaled(&mut sums[place * blocks..][..blocks], residuals, x);
                }
            }
            sums
        });
        let sums: Vec<Vec<f64>> = sums.collect();
        let mut all = vec![0.0; self.features * blocks];
        for sums in &sums {
            all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
        }
        all
    }
}

/// sums += x · terms.
#[inline]
pub(super) fn add_scaled(sums: &mut [f64], terms: &[f64], x: f64) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += x * term;
    }
}
