//! A program, where its variables are, and the trees that its solutions are.

use super::correct_rows::{CorrectRowsColumns, correct_rows_model};
use super::cuts::add_cuts;
use super::labelled::LabelledPoints;
use super::paper::{PaperColumns, paper_model};
use super::program::{BINARY, Block, FREE, POSITIVE, Program};
use super::settings::{Formulation, MipSettings};
use crate::exact::{Hyperplane, ObliqueTree};
use std::ops::Range;

/// Where the hyperplanes are: h = h⁺ − h⁻, and s_bj = 1 where h_bj ≠ 0 if those are counted.
pub(crate) struct HyperplaneColumns {
    g: Block,
    h_plus: Block,
    h_minus: Block,
    counted: Option<Block>,
    features: usize,
    splits: usize,
}

impl HyperplaneColumns {
    /// Adds them with their costs: α₂‖h‖₁, or α₂ for each that is not 0.
    pub fn add(program: &mut Program, rows: &LabelledPoints<'_>, settings: &MipSettings) -> Self {
        let (splits, features) = (rows.paths.splits(), rows.points.features());
        let size = (splits, features);
        let columns = Self {
            g: program.block("g", (splits, 1), FREE),
            h_plus: program.block("h_plus", size, POSITIVE),
            h_minus: program.block("h_minus", size, POSITIVE),
            counted: settings
                .count_coefficients
                .then(|| program.block("s_counted", size, BINARY)),
            features,
            splits,
        };
        for b in 0..splits {
            for j in 0..features {
                let (plus, minus) = (columns.h_plus.at(b, j), columns.h_minus.at(b, j));
                match columns.counted.map(|counted| counted.at(b, j)) {
                    Some(counted) => {
                        program.cost[counted] = settings.alpha2;
                        program.at_most([(plus, 1.0), (minus, 1.0), (counted, -1.0)], 0.0);
                    }
                    None => {
                        program.cost[plus] = settings.alpha2;
                        program.cost[minus] = settings.alpha2;
                    }
                }
            }
        }
        columns
    }

    /// sign · h_bj
    pub fn coefficient(&self, b: usize, j: usize, sign: f64) -> [(usize, f64); 2] {
        [(self.h_plus.at(b, j), sign), (self.h_minus.at(b, j), -sign)]
    }

    /// sign · (g_b − h_b·x)
    pub fn value(&self, b: usize, x: &[f64], sign: f64) -> Vec<(usize, f64)> {
        let terms = x.iter().enumerate().filter(|(_, x)| **x != 0.0);
        let terms = terms.flat_map(|(j, x)| self.coefficient(b, j, -sign * x));
        terms.chain([(self.g.at(b, 0), sign)]).collect()
    }

    /// Leaves a feature no coefficient.
    pub fn leave_out(&self, program: &mut Program, feature: usize) {
        for b in 0..self.splits {
            program.upper[self.h_plus.at(b, feature)] = 0.0;
            program.upper[self.h_minus.at(b, feature)] = 0.0;
        }
    }

    /// Puts the hyperplanes of a tree into a solution.
    pub fn write(&self, tree: &ObliqueTree, out: &mut [f64]) {
        for (b, split) in tree.splits.iter().enumerate() {
            out[self.g.at(b, 0)] = split.g;
            for (j, h) in split.h.iter().enumerate() {
                out[self.h_plus.at(b, j)] = h.max(0.0);
                out[self.h_minus.at(b, j)] = (-h).max(0.0);
                if let Some(counted) = self.counted {
                    out[counted.at(b, j)] = f64::from(*h != 0.0);
                }
            }
        }
    }

    /// Hyperplane `b` of a solution.
    fn read(&self, b: usize, values: &[f64]) -> Hyperplane {
        let h = |j: usize| values[self.h_plus.at(b, j)] - values[self.h_minus.at(b, j)];
        Hyperplane {
            h: (0..self.features).map(h).collect(),
            g: values[self.g.at(b, 0)],
        }
    }
}

/// Where the variables of a program are.
enum Columns {
    Paper(PaperColumns),
    CorrectRows(CorrectRowsColumns),
}

/// A program and what its variables mean.
pub(crate) struct MipModel {
    pub program: Program,
    columns: Columns,
    epsilon: f64,
}

/// Builds the program that the settings, which were validated, ask for. `categories` are the features that
/// indicate the levels of one column each.
pub(crate) fn build(
    rows: &LabelledPoints<'_>,
    epsilon: f64,
    settings: &MipSettings,
    categories: &[Range<usize>],
) -> MipModel {
    let mut program = Program::new();
    let columns = match settings.formulation {
        Formulation::Paper => {
            let columns = paper_model(&mut program, rows, epsilon, (settings, categories));
            if settings.cuts {
                add_cuts(&mut program, rows, columns.mistakes(), &columns.e);
            }
            Columns::Paper(columns)
        }
        Formulation::CorrectRows => {
            Columns::CorrectRows(correct_rows_model(&mut program, rows, epsilon, settings))
        }
    };
    MipModel {
        program,
        columns,
        epsilon,
    }
}

impl MipModel {
    /// The solution that a tree is, or near it.
    pub fn solution_of(&self, rows: &LabelledPoints<'_>, tree: &ObliqueTree) -> Vec<f64> {
        let mut values = vec![0.0; self.program.cost.len()];
        match &self.columns {
            Columns::Paper(columns) => columns.write(rows, tree, self.epsilon, &mut values),
            Columns::CorrectRows(columns) => columns.write(rows, tree, self.epsilon, &mut values),
        }
        values
    }

    /// The tree that a solution is, leaves labelled by majority.
    pub fn tree_of(&self, rows: &LabelledPoints<'_>, values: &[f64]) -> ObliqueTree {
        let (hyperplanes, levels) = match &self.columns {
            Columns::Paper(columns) => (&columns.hyperplanes, columns.levels.as_ref()),
            Columns::CorrectRows(columns) => (&columns.hyperplanes, None),
        };
        let split = |b: usize| {
            let on_levels = levels.and_then(|l| l.split(b, values, rows.points.features()));
            on_levels.unwrap_or_else(|| hyperplanes.read(b, values))
        };
        let mut tree = ObliqueTree {
            splits: (0..hyperplanes.splits).map(split).collect(),
            labels: vec![0; rows.paths.leaves()],
        };
        tree.relabel(rows.points);
        tree
    }
}
