//! Soft routing: probabilities of leaves for new rows, and values of leaves mixed by them.

use super::SoftTree;
use super::decision::Decision;
use super::passing::fill_by_blocks;
use crate::InputError;
use crate::data::{Parallelism, RowSource, Rows, Tile};
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::label_regions::LabelRegions;
use crate::tree::leaf_sums::mix_values;
use crate::tree::splits::Splits;
use crate::tree::{Shape, Topology};

impl SoftTree {
    /// P_xt for each row, N × L.
    pub fn leaf_probabilities<'a>(
        &self,
        rows: impl Into<Rows<'a>>,
    ) -> Result<Vec<f64>, InputError> {
        let (rows, leaves) = (rows.into(), self.shape.leaves().len());
        let mut identity = vec![0.0; leaves * leaves];
        identity
            .iter_mut()
            .step_by(leaves + 1)
            .for_each(|v| *v = 1.0);
        let mut out = vec![0.0; rows.len() * leaves];
        let mixture = self.linear_splits().mixture_of_leaves(identity);
        self.mix(rows, &mixture, &mut out)?;
        Ok(out)
    }

    /// The mixture for each of the user's rows, into `out`.
    pub(super) fn mix(
        &self,
        rows: Rows<'_>,
        mixture: &Mixture,
        out: &mut [f64],
    ) -> Result<(), InputError> {
        self.pass_once(rows, |scaled, parallelism| {
            mixture.fill(scaled, parallelism, out)
        })
    }
}

/// Splits on scaled features, a row of coefficients and an intercept for each split of the shape.
#[derive(Clone, Copy)]
pub(crate) struct LinearSplits<'a> {
    pub shape: &'a Shape,
    pub features: usize,
    pub coefficients: &'a [f64],
    pub intercepts: &'a [f64],
    pub gamma: f64,
}

impl LinearSplits<'_> {
    /// Σ_t P_xt · value_tk, K values for each leaf.
    pub fn mixture_of_leaves(&self, values: Vec<f64>) -> Mixture {
        Mixture {
            splits: self.all(),
            values,
        }
    }

    /// Σ_t C_kt P_xt: of a deep tree often half of the splits part leaves of one class, and cost nothing.
    pub fn mixture_of_labels(&self, labels: &[u32], classes: usize) -> Mixture {
        let LabelRegions { splits, labels } = LabelRegions::of(self.shape, labels);
        let mut values = vec![0.0; labels.len() * classes];
        for (label, values) in labels.iter().zip(values.chunks_exact_mut(classes)) {
            values[*label as usize] = 1.0;
        }
        Mixture {
            splits: self.at(&splits),
            values,
        }
    }

    /// All splits, as the kernel reads them.
    pub fn all(&self) -> Splits {
        self.at(&(0..self.shape.splits().len()).collect::<Vec<_>>())
    }

    /// The splits at these positions, breadth first and each with its ancestors, as the kernel reads them.
    fn at(&self, positions: &[usize]) -> Splits {
        let features = self.features;
        let of_split = |split: &usize| &self.coefficients[split * features..][..features];
        let coefficients = positions.iter().flat_map(of_split);
        let intercepts = positions.iter().map(|split| &self.intercepts[*split]);
        let theta: Vec<f64> = coefficients.chain(intercepts).copied().collect();
        let nodes = positions.iter().map(|split| self.shape.splits()[*split]);
        let shape = Shape::of_splits(nodes.collect()).expect("each with its ancestors");
        Splits::new(&Topology::of(shape), features, &theta, self.gamma)
    }
}

/// Σ_t P_xt · value_tk over the leaves of a tree, k < K.
pub(crate) struct Mixture {
    /// The splits.
    pub splits: Splits,
    /// K values in [0, 1] for each leaf.
    pub values: Vec<f64>,
}

impl Mixture {
    /// K.
    fn width(&self) -> usize {
        self.values.len() / self.splits.topology.leaves()
    }

    /// N × K values into `out`; false if a row is not finite.
    pub fn fill(
        &self,
        rows: &dyn RowSource<'_>,
        parallelism: Parallelism,
        out: &mut [f64],
    ) -> bool {
        let (stride, width) = (rows.stride(), self.width());
        let put = |columns: &[f64], out: &mut [f64]| match width {
            2 => side_by_side::<2>(columns, stride, out),
            3 => side_by_side::<3>(columns, stride, out),
            4 => side_by_side::<4>(columns, stride, out),
            _ => {
                for (i, row) in out.chunks_exact_mut(width).enumerate() {
                    let columns = columns.chunks_exact(stride);
                    row.iter_mut()
                        .zip(columns)
                        .for_each(|(p, column)| *p = column[i]);
                }
            }
        };
        self.see_columns(rows, parallelism, width, put, out)
    }

    /// What `decision` makes of the K values of each row into `out`; false if a row is not finite.
    pub fn decide<T: Send>(
        &self,
        rows: &dyn RowSource<'_>,
        parallelism: Parallelism,
        decision: &Decision,
        as_code: impl Fn(u32) -> T + Sync,
        out: &mut [T],
    ) -> bool {
        let stride = rows.stride();
        let put = |columns: &[f64], out: &mut [T]| {
            let classes = decision.classes(columns, stride);
            for (out, class) in out.iter_mut().zip(classes) {
                *out = as_code(class);
            }
        };
        self.see_columns(rows, parallelism, 1, put, out)
    }

    /// Hands the K columns of each block to `put`, with its places in `out`, `width` a row.
    fn see_columns<T: Send>(
        &self,
        rows: &dyn RowSource<'_>,
        parallelism: Parallelism,
        width: usize,
        put: impl Fn(&[f64], &mut [T]) + Sync,
        out: &mut [T],
    ) -> bool {
        let stride = rows.stride();
        let scratch = || {
            let columns = vec![0.0; self.width() * stride];
            (BlockScratch::new(&self.splits.topology, stride), columns)
        };
        let fill =
            |(scratch, columns): &mut (BlockScratch, Vec<f64>), tile: Tile<'_>, out: &mut [T]| {
                block_pass::leaf_probabilities(&self.splits, tile, scratch);
                mix_values(scratch, &self.values, columns);
                // Rounding may take a sum beyond 1.
                columns.iter_mut().for_each(|p| *p = p.min(1.0));
                put(columns, out);
            };
        fill_by_blocks(rows, parallelism, width, scratch, fill, out)
    }
}

/// Position of the largest value, the first one on a tie.
pub(crate) fn most_probable(row: &[f64]) -> u32 {
    let mut best = 0;
    for k in 1..row.len() {
        if row[k] > row[best] {
            best = k;
        }
    }
    best as u32
}

/// The rows of `K` columns, unrolled: it is done for every row predicted.
fn side_by_side<const K: usize>(columns: &[f64], stride: usize, out: &mut [f64]) {
    let rows = out.as_chunks_mut::<K>().0;
    let columns: [&[f64]; K] = std::array::from_fn(|k| &columns[k * stride..][..rows.len()]);
    for (i, row) in rows.iter_mut().enumerate() {
        *row = std::array::from_fn(|k| columns[k][i]);
    }
}

#[cfg(test)]
mod tests {
    use crate::fitted::random_tree::{maps, random_model};
    use ndarray::Array2;

    #[test]
    fn no_probability_exceeds_one() {
        let mut beyond = 0;
        for seed in 0..8 {
            // All rows of all leaves are of one class: its probability is a long sum of 1.
            let mut model = random_model(seed, 4, 2, 16.0, maps());
            model.frequencies = [1.0, 0.0].repeat(16);
            let maps = maps();
            let share = |i: usize, j: usize| 0.5 + 0.5 * ((i * maps.len() + j) as f64).sin();
            let size = (2000, maps.len());
            let x = Array2::from_shape_fn(size, |(i, j)| maps[j].invert(share(i, j)));
            let leaves = model.tree.leaf_probabilities(x.view()).unwrap();
            let sum = |leaves: &[f64]| leaves.iter().sum::<f64>();
            beyond += leaves.chunks_exact(16).filter(|row| sum(row) > 1.0).count();
            for probability in model.predict_proba(x.view()).unwrap() {
                assert!((0.0..=1.0).contains(&probability), "{probability}");
            }
        }
        assert!(beyond > 100, "{beyond} sums beyond 1 are not enough");
    }
}
