//! The gradient of the splits while it is summed up block by block.

use super::Topology;
use crate::data::{SparseTile, Tile};
use crate::vectors::{AlignedBuffer, MAX_LANES};

/// Σ_i Σ_t P_it cost_it and Σ_i ∂loss_i/∂(γ z_it) · (u_i, −1), in vector lanes until the last block
/// is in.
pub(crate) struct SplitGradient {
    branches: usize,
    features: usize,
    /// MAX_LANES.
    pub(super) value: AlignedBuffer,
    /// B × MAX_LANES.
    pub(super) offsets: AlignedBuffer,
    pub(super) slopes: Slopes,
}

/// Sums of products with the features, laid out as the first block asks for.
pub(super) enum Slopes {
    /// No block yet.
    None,
    /// B × p × MAX_LANES.
    Dense(AlignedBuffer),
    /// p × B of what is stored, and the background, p.
    Sparse(Vec<f64>, Vec<f64>),
}

impl Slopes {
    fn of(tile: Tile<'_>, branches: usize, features: usize) -> Self {
        let sums = branches * features;
        match tile {
            Tile::Dense(_) => Self::Dense(AlignedBuffer::zeros(sums * MAX_LANES)),
            Tile::Sparse(SparseTile { background, .. }) => {
                Self::Sparse(vec![0.0; sums], background.to_vec())
            }
        }
    }
}

impl SplitGradient {
    pub fn zero(topology: &Topology, features: usize) -> Self {
        let branches = topology.branches();
        Self {
            branches,
            features,
            value: AlignedBuffer::zeros(MAX_LANES),
            offsets: AlignedBuffer::zeros(branches * MAX_LANES),
            slopes: Slopes::None,
        }
    }

    /// Gets ready for a block.
    pub(super) fn prepare(&mut self, tile: Tile<'_>) {
        if let Slopes::None = self.slopes {
            self.slopes = Slopes::of(tile, self.branches, self.features);
        }
    }

    /// Adds up the lanes: the value, and a gradient in θ's layout (before γ and 1/p).
    pub fn sum_lanes(&self) -> (f64, Vec<f64>) {
        let sum = |lanes: &[f64]| lanes.iter().sum::<f64>();
        let offsets: Vec<f64> = self.offsets.chunks_exact(MAX_LANES).map(sum).collect();
        let (b, p) = (self.branches, self.features);
        let mut gradient = match &self.slopes {
            Slopes::None => vec![0.0; b * p],
            Slopes::Dense(lanes) => lanes.chunks_exact(MAX_LANES).map(sum).collect(),
            Slopes::Sparse(stored, background) => {
                let of_node = |t: usize| {
                    let stored = stored[t..].iter().step_by(b);
                    let offset = offsets[t];
                    let both = stored.zip(background);
                    both.map(move |(stored, u)| stored + u * offset)
                };
                (0..b).flat_map(of_node).collect()
            }
        };
        gradient.extend(offsets.iter().map(|offset| -offset));
        (sum(&self.value), gradient)
    }
}
