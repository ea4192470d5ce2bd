//! The gradient by what moves the features of rows, gathered block by block beside the others.

use crate::data::{MovingFeatures, WeightedBlock, WeightedRows};

/// What moves the features of rows, if anything does.
#[derive(Clone, Copy)]
pub(super) struct Moves<'a>(Option<&'a dyn MovingFeatures>);

/// Working memory, and the sum over some blocks.
pub(super) struct MoveSums {
    /// ∂loss_i/∂u_ij, p × stride.
    by_feature: Vec<f64>,
    pub sums: Vec<f64>,
}

impl<'a> Moves<'a> {
    /// Those of rows.
    pub fn of(rows: &'a WeightedRows<'_>) -> Self {
        Self(rows.source().moving())
    }

    /// At the beginning of a chunk.
    pub fn begin(&self, stride: usize) -> MoveSums {
        let (features, moves) = self.0.map_or((0, 0), |f| (f.features(), f.moves()));
        MoveSums {
            by_feature: vec![0.0; features * stride],
            sums: vec![0.0; moves],
        }
    }

    /// Takes in a block, whose gradient by the features `add` adds to zeros.
    pub fn see(
        &self,
        block: &WeightedBlock<'_>,
        sums: &mut MoveSums,
        add: impl FnOnce(&mut [f64]),
    ) {
        let Some(moving) = self.0 else {
            return;
        };
        let MoveSums { by_feature, sums } = sums;
        by_feature.fill(0.0);
        add(by_feature);
        moving.add_moves(&block.rows, by_feature, sums);
    }
}
