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

    /// c_iv, n × count: the costs of the rows that are not in fold v; all of them without folds.
    pub fn costs(&self, costs: &[f64]) -> Vec<f64> {
        if self.count < 2 {
            return costs.to_vec();
        }
        let of_folds = (0..self.count).map(|v| self.costs_without(costs, v));
        let of_folds: Vec<Vec<f64>> = of_folds.collect();
        let rows = 0..costs.len();
        rows.flat_map(|i| of_folds.iter().map(move |costs| costs[i]))
            .collect()
    }

    /// The costs of the rows that are not in fold v, 0 for those that are.
    pub fn costs_without(&self, costs: &[f64], fold: usize) -> Vec<f64> {
        let rows = costs.iter().zip(&self.of_row);
        rows.map(|(cost, f)| if *f as usize == fold { 0.0 } else { *cost })
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
        let costs = folds.costs(&[2.0; 40]);
        for (row, fold) in costs.chunks_exact(5).zip(&folds.of_row) {
            assert_eq!(row.iter().position(|c| *c == 0.0), Some(*fold as usize));
            assert_eq!(row.iter().sum::<f64>(), 8.0);
        }
    }

    #[test]
    fn a_single_row_of_a_side_leaves_no_folds() {
        let folds = NodeFolds::deal(&[1.0, -1.0, -1.0], 5, (0, 0));
        assert_eq!(folds.count, 1);
        assert_eq!(folds.costs(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }
}
