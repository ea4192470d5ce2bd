//! Splits on sets of levels of one column, (8).

use super::hyperplanes::HyperplaneColumns;
use super::labelled::LabelledPoints;
use super::program::{BINARY, Block, Program};
use crate::exact::Hyperplane;
use std::ops::Range;

/// h_bj for columns of levels, s_bjv for their levels.
pub(crate) struct LevelColumns {
    categories: Vec<Range<usize>>,
    splits: usize,
    h: Block,
    s: Block,
}

impl LevelColumns {
    pub fn add(
        program: &mut Program,
        rows: &LabelledPoints<'_>,
        categories: &[Range<usize>],
    ) -> Self {
        let (splits, levels) = (rows.paths.splits(), categories.iter().map(Range::len).sum());
        Self {
            categories: categories.to_vec(),
            splits,
            h: program.block("h_levels", (splits, categories.len()), BINARY),
            s: program.block("s", (splits, levels), BINARY),
        }
    }

    /// Whether a feature indicates a level.
    pub fn has(&self, feature: usize) -> bool {
        self.categories.iter().any(|range| range.contains(&feature))
    }

    /// The variables of which one is 1 if split `b` is on levels.
    pub fn is_on_levels(&self, b: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.categories.len()).map(move |j| self.h.at(b, j))
    }

    /// For each level its feature, its column and its place among all levels.
    fn levels(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let of_columns = self.categories.iter().enumerate();
        let each = of_columns.flat_map(|(j, range)| range.clone().map(move |feature| (feature, j)));
        each.enumerate().map(|(v, (feature, j))| (feature, j, v))
    }

    /// (8a) to (8e).
    pub fn constraints_8(
        &self,
        program: &mut Program,
        rows: &LabelledPoints<'_>,
        (e, hyperplanes): (&Block, &HyperplaneColumns),
    ) {
        for (feature, ..) in self.levels() {
            hyperplanes.leave_out(program, feature);
        }
        for b in 0..self.splits {
            let used = |sign: f64| self.is_on_levels(b).map(move |v| (v, sign));
            // (8a) one column at most
            program.at_most(used(1.0), 1.0);
            // (8b) s_bjv ≤ h_bj
            for (_, j, v) in self.levels() {
                program.at_most([(self.s.at(b, v), 1.0), (self.h.at(b, j), -1.0)], 0.0);
            }
            // (8e) |h_bj| ≤ 1 − Σ h on numeric features
            for j in (0..rows.points.features()).filter(|j| !self.has(*j)) {
                for sign in [1.0, -1.0] {
                    let h = hyperplanes.coefficient(b, j, sign);
                    program.at_most(h.into_iter().chain(used(1.0)), 1.0);
                }
            }
        }
        for i in 0..rows.len() {
            for l in 0..rows.paths.leaves() {
                for (b, left) in rows.paths.of(l) {
                    self.way(program, rows.x(i), (*b, *left), e.at(i, l));
                }
            }
        }
    }

    /// (8c) on the left: Σ s_bjv 1(x_ij = v) ≥ e_il + Σ h − 1; (8d) on the right: ≤ 2 − e_il − Σ h.
    fn way(&self, program: &mut Program, x: &[f64], (b, left): (usize, bool), e: usize) {
        let levels = self
            .levels()
            .map(|(feature, _, v)| (self.s.at(b, v), x[feature]));
        let used = |sign: f64| self.is_on_levels(b).map(move |v| (v, sign));
        match left {
            true => program.at_least(levels.chain(used(-1.0)).chain([(e, -1.0)]), -1.0),
            false => program.at_most(levels.chain(used(1.0)).chain([(e, 1.0)]), 2.0),
        }
    }

    /// The split of a solution if it is on levels: those chosen left, by a margin of 1, all others right.
    pub fn split(&self, b: usize, values: &[f64], features: usize) -> Option<Hyperplane> {
        let on_levels = self.is_on_levels(b).any(|v| values[v] > 0.5);
        let mut split = Hyperplane {
            h: vec![0.0; features],
            g: -1.0,
        };
        for (feature, _, v) in self.levels().filter(|_| on_levels) {
            if values[self.s.at(b, v)] > 0.5 {
                split.h[feature] = -2.0;
            }
        }
        on_levels.then_some(split)
    }
}
