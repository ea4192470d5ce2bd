//! A program, where its variables are, and the trees that its solutions are.

use super::correct_rows::{CorrectRowsColumns, correct_rows_model};
use super::cuts::add_cuts;
use super::labelled::LabelledPoints;
use super::paper::{PaperColumns, paper_model};
use super::program::Program;
use super::settings::{Formulation, MipCosts, MipSettings};
use crate::exact::ObliqueTree;
use std::ops::Range;

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
    costs: MipCosts,
    settings: &MipSettings,
    categories: &[Range<usize>],
) -> MipModel {
    let mut program = Program::new();
    let columns = match settings.formulation {
        Formulation::Paper => {
            let columns = paper_model(&mut program, rows, costs, (settings, categories));
            if settings.cuts {
                add_cuts(&mut program, rows, columns.mistakes(), &columns.e);
            }
            Columns::Paper(columns)
        }
        Formulation::CorrectRows => {
            Columns::CorrectRows(correct_rows_model(&mut program, rows, costs, settings))
        }
    };
    MipModel {
        program,
        columns,
        epsilon: costs.epsilon,
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
