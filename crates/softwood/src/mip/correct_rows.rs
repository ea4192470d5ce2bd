//! The program in which only correct rows are held to their ways.
//!
//! a_il = 1 says that row i is right in leaf l, z_lk = 1 that leaf l has class k:
//!
//! min Σ_i w_i c_i  s.t.  c_i + Σ_l a_il = 1,  a_il ≤ z_{l,y_i},  Σ_k z_lk = 1,
//! g_b − h_b·x_i ≥ (1 + ε) Σ_{l left of b} a_il − 1, and the mirror image on the right.
//!
//! Wrong rows keep |g_b − h_b·x_i| ≤ 1 alone.

use super::hyperplanes::HyperplaneColumns;
use super::labelled::LabelledPoints;
use super::program::{BINARY, Block, Program, UNIT};
use super::settings::{MipCosts, MipSettings};
use crate::exact::ObliqueTree;

/// Where its variables are.
pub(crate) struct CorrectRowsColumns {
    pub hyperplanes: HyperplaneColumns,
    c: Block,
    a: Block,
    z: Block,
}

pub(super) fn correct_rows_model(
    program: &mut Program,
    rows: &LabelledPoints<'_>,
    costs: MipCosts,
    settings: &MipSettings,
) -> CorrectRowsColumns {
    let (n, leaves, classes) = (rows.len(), rows.paths.leaves(), rows.points.classes());
    let are_counted = settings.count_coefficients;
    let columns = CorrectRowsColumns {
        hyperplanes: HyperplaneColumns::add(program, rows, costs.alpha2, are_counted),
        c: program.block("c", (n, 1), UNIT),
        a: program.block("a", (n, leaves), BINARY),
        z: program.block("z", (leaves, classes), BINARY),
    };
    for i in 0..n {
        program.cost[columns.c.at(i, 0)] = rows.weight(i);
    }
    one_place(program, rows, &columns);
    labels(program, rows, &columns);
    ways(program, rows, &columns, costs.epsilon);
    conflicts(program, rows, &columns);
    columns
}

/// c_i + Σ_l a_il = 1 and a_il ≤ z_{l,y_i}
fn one_place(program: &mut Program, rows: &LabelledPoints<'_>, columns: &CorrectRowsColumns) {
    for i in 0..rows.len() {
        let places = (0..rows.paths.leaves()).map(|l| (columns.a.at(i, l), 1.0));
        program.row(places.chain([(columns.c.at(i, 0), 1.0)]), (1.0, 1.0));
        for l in 0..rows.paths.leaves() {
            let label = columns.z.at(l, rows.class(i));
            program.at_most([(columns.a.at(i, l), 1.0), (label, -1.0)], 0.0);
        }
    }
}

/// Σ_k z_lk = 1, and of two leaves of one split the left one has the smaller label: sides may be swapped,
/// and two leaves of one label are one leaf and an idle one.
fn labels(program: &mut Program, rows: &LabelledPoints<'_>, columns: &CorrectRowsColumns) {
    let classes = rows.points.classes();
    for l in 0..rows.paths.leaves() {
        program.row((0..classes).map(|k| (columns.z.at(l, k), 1.0)), (1.0, 1.0));
        if l % 2 == 0 {
            let label = |leaf: usize, sign: f64| {
                (0..classes).map(move |k| (columns.z.at(leaf, k), sign * k as f64))
            };
            program.at_least(label(l + 1, 1.0).chain(label(l, -1.0)), 1.0);
        }
    }
}

/// ±(g_b − h_b·x_i) ≥ (1 + ε) Σ a_il − 1 over the leaves on that side.
fn ways(
    program: &mut Program,
    rows: &LabelledPoints<'_>,
    columns: &CorrectRowsColumns,
    epsilon: f64,
) {
    for b in 0..rows.paths.splits() {
        for (left, sign) in [(true, 1.0), (false, -1.0)] {
            let beyond = rows.leaves_beyond(b, left);
            for i in 0..rows.len() {
                let mut entries = columns.hyperplanes.value(b, rows.x(i), sign);
                entries.extend(
                    beyond
                        .iter()
                        .map(|l| (columns.a.at(i, *l), -(1.0 + epsilon))),
                );
                program.at_least(entries, -1.0);
            }
        }
    }
}

/// Of rows at one point that differ in class, one is right at most.
fn conflicts(program: &mut Program, rows: &LabelledPoints<'_>, columns: &CorrectRowsColumns) {
    let mut first = 0;
    for same in rows.rows.chunk_by(|a, b| a.0 == b.0) {
        if same.len() > 1 {
            let mistakes = (first..first + same.len()).map(|i| (columns.c.at(i, 0), 1.0));
            program.at_least(mistakes, (same.len() - 1) as f64);
        }
        first += same.len();
    }
}

impl CorrectRowsColumns {
    /// The solution that a tree is, rows within the margin wrong.
    pub fn write(
        &self,
        rows: &LabelledPoints<'_>,
        tree: &ObliqueTree,
        epsilon: f64,
        out: &mut [f64],
    ) {
        let tree = tree.with_ordered_labels(rows.points.classes());
        self.hyperplanes.write(&tree, out);
        for (l, label) in tree.labels.iter().enumerate() {
            out[self.z.at(l, *label)] = 1.0;
        }
        let right = tree.right(rows.points, rows.paths, epsilon);
        for i in 0..rows.len() {
            let leaf = right[rows.rows[i].0].filter(|leaf| tree.labels[*leaf] == rows.class(i));
            match leaf {
                Some(leaf) => out[self.a.at(i, leaf)] = 1.0,
                None => out[self.c.at(i, 0)] = 1.0,
            }
        }
    }
}
