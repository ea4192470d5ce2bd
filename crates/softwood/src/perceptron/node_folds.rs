//! Folds of a node's rows that each hold rows of both sides.

use rand::RngExt;
use rand_pcg::Pcg64;

/// The fold of each row.
pub(super) struct NodeFolds {
    pub of_row: Vec<u32>,
    /// 1 if there are too few rows of a side for folds: then there is none to hold out.
    pub count: usize,
}

impl NodeFolds {
    /// As many as `wanted`, or as rows of the rarer side.
    pub fn deal(signs: &[f64], wanted: usize, seed: (u64, u64)) -> Self {
        let mut rng = Pcg64::new(u128::from(seed.0), u128::from(seed.1));
        let side = |sign: f64| -> Vec<usize> {
            let rows = signs.iter().enumerate().filter(|(_, y)| **y == sign);
            rows.map(|(i, _)| i).collect()
        };
        let mut sides = [side(1.0), side(-1.0)];
        let rarer = sides[0].len().min(sides[1].len());
        let count = wanted.min(rarer).max(1);
        let mut of_row = vec![0; signs.len()];
        let mut next = 0;
        for rows in &mut sides {
            for i in (1..rows.len()).rev() {
                rows.swap(i, rng.random_range(0..=i));
            }
            for row in rows.iter() {
                of_row[*row] = (next % count) as u32;
                next += 1;
            }
        }
        Self { of_row, count }
    }

    /// c_iv, n × blocks: the costs of the rows that are not in fold v and, with `all`, a last block of all
    /// rows. Without folds that is the only block.
    pub fn costs(&self, costs: &[f64], all: bool) -> (Vec<f64>, usize) {
        if self.count < 2 {
            return (costs.to_vec(), 1);
        }
        let blocks = self.count + usize::from(all);
        let rows = costs.iter().zip(&self.of_row);
        let of_blocks = rows.flat_map(|(cost, fold)| {
            (0..blocks).map(move |v| if v == *fold as usize { 0.0 } else { *cost })
        });
        (of_blocks.collect(), blocks)
    }

    /// Of margins n × blocks, those of the classifiers that have not seen the rows; without folds those of the
    /// only one.
    pub fn held_out(&self, margins: &[f64], blocks: usize) -> Vec<f64> {
        let rows = margins.chunks_exact(blocks).zip(&self.of_row);
        rows.map(|(margins, fold)| margins[*fold as usize])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fold_holds_both_sides() {
        let signs: Vec<f64> = (0..40)
            .map(|i| if i % 8 == 0 { 1.0 } else { -1.0 })
            .collect();
        let folds = NodeFolds::deal(&signs, 7, (3, 1));
        assert_eq!(folds.count, 5);
        for fold in 0..5 {
            let of = |sign: f64| {
                let rows = signs.iter().zip(&folds.of_row);
                rows.filter(|(y, f)| **y == sign && **f == fold).count()
            };
            assert_eq!((of(1.0), of(-1.0)), (1, 7));
        }
        let (costs, blocks) = folds.costs(&[2.0; 40], true);
        assert_eq!(blocks, 6);
        for (row, fold) in costs.chunks_exact(6).zip(&folds.of_row) {
            assert_eq!(row[5], 2.0);
            assert_eq!(row.iter().position(|c| *c == 0.0), Some(*fold as usize));
        }
    }

    #[test]
    fn a_single_row_of_a_side_leaves_no_folds() {
        let folds = NodeFolds::deal(&[1.0, -1.0, -1.0], 5, (0, 0));
        assert_eq!(folds.count, 1);
        assert_eq!(
            folds.costs(&[1.0, 2.0, 3.0], true),
            (vec![1.0, 2.0, 3.0], 1)
        );
        assert_eq!(folds.held_out(&[7.0, 8.0, 9.0], 1), [7.0, 8.0, 9.0]);
    }
}
