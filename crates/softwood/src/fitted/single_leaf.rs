//! Single-leaf prediction (paper 2): down the likelier branches to one leaf, and its linear model.

use super::passing::fill_by_blocks;
use super::{SoftTree, SrtModel};
use crate::InputError;
use crate::data::{Rows, Tile};
use crate::tree::block_pass::{self, BlockScratch};
use crate::tree::splits::{Splits, by_feature};
use crate::tree::{Child, Shape};

/// Up to so many linear functions are evaluated for every row, even if it needs but one of them:
/// vectors of rows with the same coefficients make up for it.
const FEW: usize = 32;

impl SrtModel {
    /// The response of each row: D dot products down to a leaf and one for its model, and what the
    /// curves add.
    pub fn predict<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<f64>, InputError> {
        let negative = self.leaf_intercepts.iter().map(|b| -b).collect();
        let models = Functions::new(self.tree.features(), &self.leaf_slopes, negative);
        let scratch = |stride| (models.scratch(stride), vec![0.0; stride]);
        self.tree.at_leaves(
            rows.into(),
            scratch,
            |(scratch, values), tile, leaf, out: &mut [f64]| {
                models.see(tile, scratch);
                models.pick(tile, leaf, scratch, values);
                self.add_curves(tile, values);
                for (out, value) in out.iter_mut().zip(values) {
                    *out = self.response.invert(*value);
                }
            },
        )
    }

    /// Adds what the curves make of a block's features.
    fn add_curves(&self, tile: Tile<'_>, values: &mut [f64]) {
        let stride = values.len();
        let bent = self.curves.iter().enumerate();
        for (j, curve) in bent.filter(|(_, curve)| !curve.knots.is_empty()) {
            match tile {
                Tile::Dense(tile) => curve.add_to(&tile.values[j * stride..][..stride], values),
                Tile::Sparse(tile) => {
                    let column = (0..tile.rows()).map(|i| tile.feature(i, j));
                    curve.add_to(&column.collect::<Vec<f64>>(), values);
                }
            }
        }
    }
}

impl SoftTree {
    /// The leaf at the end of each row's likelier branches, from left to right.
    pub fn leaf_indices<'a>(&self, rows: impl Into<Rows<'a>>) -> Result<Vec<u32>, InputError> {
        self.at_leaves(
            rows.into(),
            |_| (),
            |(), _, leaf, out: &mut [u32]| out.copy_from_slice(&leaf[..out.len()]),
        )
    }

    /// Runs `fill(scratch, tile, leaf of each row, out)` on every block; `scratch` is made for blocks
    /// of so many rows.
    fn at_leaves<T: Clone + Default + Send, W>(
        &self,
        rows: Rows<'_>,
        scratch: impl Fn(usize) -> W + Sync,
        fill: impl Fn(&mut W, Tile<'_>, &[u32], &mut [T]) + Sync,
    ) -> Result<Vec<T>, InputError> {
        let p = self.features();
        // z · p, whose sign is all that counts.
        let offsets = self.intercepts.iter().map(|mu| mu * p as f64).collect();
        let splits = Functions::new(p, &self.coefficients, offsets);
        let steps = Steps::of(&self.shape);
        let mut out = vec![T::default(); rows.len()];
        self.pass_once(rows, |scaled, parallelism| {
            let stride = scaled.stride();
            let own_scratch = || {
                let own = (
                    splits.scratch(stride),
                    vec![0u32; stride],
                    vec![0.0; stride],
                );
                (own, scratch(stride))
            };
            fill_by_blocks(
                scaled,
                parallelism,
                1,
                own_scratch,
                |((values, place, z), other), tile, out| {
                    splits.see(tile, values);
                    place.fill(0);
                    for _ in 0..steps.depth {
                        if splits.are_few() {
                            steps.advance(place, splits.seen(values, z.len()));
                        } else {
                            splits.pick(tile, place, values, z);
                            steps.advance(place, |i, _| z[i]);
                        }
                    }
                    steps.arrive(place);
                    fill(other, tile, place, out);
                },
                &mut out,
            )
        })?;
        Ok(out)
    }
}

/// Where rows go from their places in the tree: splits by position, then leaves, in one numbering.
struct Steps {
    depth: usize,
    splits: u32,
    /// Next place to the right and to the left; a leaf is its own.
    next: Vec<[u32; 2]>,
}

impl Steps {
    fn of(shape: &Shape) -> Self {
        let (splits, leaves) = (shape.splits().len() as u32, shape.leaves().len() as u32);
        let place = |child: &Child| match child {
            Child::Split(split) => *split as u32,
            Child::Leaf(leaf) => splits + *leaf as u32,
        };
        let children = shape.children().iter();
        let next = children.map(|[left, right]| [place(right), place(left)]);
        Self {
            depth: shape.depth(),
            splits,
            next: next
                .chain((splits..splits + leaves).map(|n| [n, n]))
                .collect(),
        }
    }

    /// One step down for every row, z(row, place) telling by its sign where to.
    fn advance(&self, places: &mut [u32], z: impl Fn(usize, u32) -> f64) {
        for (i, place) in places.iter_mut().enumerate() {
            *place = self.next[*place as usize][usize::from(z(i, *place) >= 0.0)];
        }
    }

    /// From places to leaves, once all rows are at one.
    fn arrive(&self, places: &mut [u32]) {
        places.iter_mut().for_each(|place| *place -= self.splits);
    }
}

/// Linear functions Σ_j slope_nj u_j − offset_n, of which each row takes one.
struct Functions {
    /// As the kernel reads them.
    all: Splits,
    /// One feature's slopes side by side.
    by_feature: Vec<f64>,
    offsets: Vec<f64>,
}

impl Functions {
    fn new(p: usize, slopes: &[f64], offsets: Vec<f64>) -> Self {
        Self {
            by_feature: by_feature(slopes, p),
            all: Splits::linear_functions(p, slopes, offsets.clone()),
            offsets,
        }
    }

    fn are_few(&self) -> bool {
        self.offsets.len() <= FEW
    }

    /// Working memory for blocks of so many rows.
    fn scratch(&self, stride: usize) -> BlockScratch {
        let count = if self.are_few() {
            self.offsets.len()
        } else {
            0
        };
        BlockScratch::for_values(count, stride)
    }

    /// Gets ready for a block: the values of all functions, if they are few.
    fn see(&self, tile: Tile<'_>, scratch: &mut BlockScratch) {
        if self.are_few() {
            block_pass::split_values(&self.all, tile, scratch);
        }
    }

    /// The value of function n at row i of the block last seen, functions being few; of any where there is
    /// no such function.
    fn seen(&self, scratch: &BlockScratch, stride: usize) -> impl Fn(usize, u32) -> f64 {
        let (values, last) = (scratch.split_values(), self.offsets.len() - 1);
        move |i, n| values[last.min(n as usize) * stride + i]
    }

    /// out[i]: the value of function chosen[i] at row i of the block last seen; of any where there is no
    /// such function.
    fn pick(&self, tile: Tile<'_>, chosen: &[u32], scratch: &mut BlockScratch, out: &mut [f64]) {
        let (count, stride) = (self.offsets.len(), out.len());
        let last = count - 1;
        if self.are_few() {
            let value = self.seen(scratch, stride);
            for (i, (out, n)) in out.iter_mut().zip(chosen).enumerate() {
                *out = value(i, *n);
            }
            return;
        }
        for (out, n) in out.iter_mut().zip(chosen) {
            *out = -self.offsets[last.min(*n as usize)];
        }
        match tile {
            Tile::Dense(tile) => {
                let columns = tile.values.chunks_exact(stride);
                for (slopes, column) in self.by_feature.chunks_exact(count).zip(columns) {
                    for ((out, n), u) in out.iter_mut().zip(chosen).zip(column) {
                        *out += slopes[last.min(*n as usize)] * u;
                    }
                }
            }
            Tile::Sparse(tile) => {
                let base = scratch.see_background(&self.all, tile);
                for (i, n) in chosen.iter().enumerate().take(tile.rows()) {
                    let n = last.min(*n as usize);
                    let (columns, values) = tile.row(i);
                    let slope = |j: &u32| self.by_feature[*j as usize * count + n];
                    let stored = columns.iter().zip(values).map(|(j, u)| slope(j) * u);
                    out[i] = base[n] + stored.sum::<f64>();
                }
            }
        }
    }
}
