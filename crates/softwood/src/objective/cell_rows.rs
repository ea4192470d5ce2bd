//! Rows in cells: all that costs and bounds on rates tell apart of a row is the cell it is in.
//!
//! Without groups of rows a cell is a class; with them it is a class and the groups that its rows belong to.
//! Shares of rows that are predicted as some class are then sums over cells, and so are their gradients.

use crate::data::ClassificationRows;
use crate::stop::{Interrupted, Stop};
use crate::tree::splits::Splits;

/// The training rows, and rows that count for bounds alone, by their cells.
#[derive(Clone)]
pub(crate) struct CellRows<'d> {
    /// The training rows first. The target of a row is its cell, counted from 0 in every set.
    sets: Vec<ClassificationRows<'d>>,
    /// Class of each cell, those of the first set first.
    cells: Vec<usize>,
    /// Total weight of each.
    weights: Vec<f64>,
    /// K.
    classes: usize,
}

impl<'d> CellRows<'d> {
    /// Sets of rows whose targets are cells, the training rows first, and the class of each cell.
    pub fn new(sets: Vec<ClassificationRows<'d>>, cells: Vec<usize>, classes: usize) -> Self {
        let weights = sets.iter().flat_map(ClassificationRows::class_weights);
        Self {
            weights: weights.collect(),
            sets,
            cells,
            classes,
        }
    }

    /// Rows whose cells are their classes.
    pub fn of_classes(data: &ClassificationRows<'d>) -> Self {
        let classes = data.target.count();
        Self::new(vec![data.clone()], (0..classes).collect(), classes)
    }

    /// The same rows, polling another stop.
    pub fn with_stop(&self, stop: &Stop) -> Self {
        let sets = self.sets.iter().map(|set| set.with_stop(stop));
        Self {
            sets: sets.collect(),
            ..self.clone()
        }
    }

    /// The sets, each with the position of its first cell.
    pub fn sets(&self) -> impl Iterator<Item = (&ClassificationRows<'d>, usize)> {
        let sets = self.sets.iter();
        sets.scan(0, |first, set| {
            let own = *first;
            *first += set.target.count();
            Some((set, own))
        })
    }

    /// K.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Class of a cell.
    pub fn class(&self, cell: usize) -> usize {
        self.cells[cell]
    }

    /// Total weight of each cell.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Cells of training rows.
    pub fn training(&self) -> std::ops::Range<usize> {
        0..self.sets[0].target.count()
    }

    /// Weight of each cell in each of the leaves: C × L.
    pub fn masses(&self, splits: &Splits) -> Result<Vec<f64>, Interrupted> {
        let masses = (self.sets.iter()).map(|set| set.masses_of(splits.clone()));
        Ok(masses.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Weight of each cell's rows for which each class is decided on, C × K: that of the largest share of
    /// leaves with its label.
    pub fn decided(&self, splits: &Splits, labels: &[u32]) -> Result<Vec<f64>, Interrupted> {
        let of_set =
            |set: &ClassificationRows<'_>| set.decided_at(splits.clone(), labels, self.classes);
        let decided = self.sets.iter().map(of_set);
        Ok(decided.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Weight of each cell's rows that go to leaves of each label, C × K, from their masses in leaves.
    pub fn expected(&self, masses: &[f64], labels: &[u32]) -> Vec<f64> {
        let mut shares = vec![0.0; self.cells.len() * self.classes];
        let of_cells = shares.chunks_exact_mut(self.classes);
        for (shares, masses) in of_cells.zip(masses.chunks_exact(labels.len())) {
            for (mass, label) in masses.iter().zip(labels) {
                shares[*label as usize] += mass;
            }
        }
        shares
    }

    /// Masses of the classes of training rows in leaves, K × L, from those of cells.
    pub fn class_masses(&self, masses: &[f64], leaves: usize) -> Vec<f64> {
        let mut of_classes = vec![0.0; self.classes * leaves];
        let training = self.cells.iter().take(self.training().end);
        for (class, masses) in training.zip(masses.chunks_exact(leaves)) {
            let sums = &mut of_classes[class * leaves..][..leaves];
            sums.iter_mut().zip(masses).for_each(|(sum, m)| *sum += m);
        }
        of_classes
    }

    /// What predicting k costs for a row of each cell, C × K, from K × K costs; rows that count for bounds
    /// alone cost nothing.
    pub fn costs(&self, costs: &[f64]) -> Vec<f64> {
        let k = self.classes;
        let of_training = self.cells.iter().take(self.training().end);
        let mut of_cells: Vec<f64> = of_training
            .flat_map(|class| &costs[class * k..][..k])
            .copied()
            .collect();
        of_cells.resize(self.cells.len() * k, 0.0);
        of_cells
    }
}

/// Σ_c Σ_t masses_ct cost(c, label_t), the costs being C × K.
pub(crate) fn expected_cost(masses: &[f64], costs: &[f64], labels: &[u32]) -> f64 {
    let leaves = labels.len();
    let k = costs.len() / (masses.len() / leaves);
    let of_cells = masses.chunks_exact(leaves).zip(costs.chunks_exact(k));
    of_cells
        .flat_map(|(masses, costs)| {
            let leaves = masses.iter().zip(labels);
            leaves.map(move |(mass, label)| mass * costs[*label as usize])
        })
        .sum()
}
