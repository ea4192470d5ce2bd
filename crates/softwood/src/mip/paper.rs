//! Model (1) of the paper: variables and, one function each, its constraints.

use super::categories::LevelColumns;
use super::hyperplanes::HyperplaneColumns;
use super::labelled::LabelledPoints;
use super::program::{BINARY, Block, FREE, Kind, POSITIVE, Program};
use super::settings::{MipCosts, MipSettings};
use crate::exact::ObliqueTree;
use std::ops::Range;

/// Where the variables of model (1) are.
pub(crate) struct PaperColumns {
    pub hyperplanes: HyperplaneColumns,
    c: Block,
    pub e: Block,
    u: Block,
    y_hat: Block,
    w: Block,
    p_plus: Block,
    p_minus: Block,
    m: Block,
    pub levels: Option<LevelColumns>,
}

/// The whole of model (1), with splits on levels (8) if there are categories; cuts are added elsewhere.
pub(super) fn paper_model(
    program: &mut Program,
    rows: &LabelledPoints<'_>,
    costs: MipCosts,
    (settings, categories): (&MipSettings, &[Range<usize>]),
) -> PaperColumns {
    let (n, leaves, splits) = (rows.len(), rows.paths.leaves(), rows.paths.splits());
    let y = rows.points.classes() as f64;
    let label = Kind {
        lower: 1.0,
        upper: y,
        integer: false,
    };
    let are_counted = settings.count_coefficients;
    let hyperplanes = HyperplaneColumns::add(program, rows, costs.alpha2, are_counted);
    let columns = PaperColumns {
        hyperplanes,
        c: program.block("c", (n, 1), BINARY),
        e: program.block("e", (n, leaves), BINARY),
        // Continuous, by theorem 1.
        u: program.block("u", (leaves, 1), label),
        y_hat: program.block("y_hat", (n, 1), FREE),
        w: program.block("w", (n, leaves), FREE),
        p_plus: program.block("p_plus", (n, splits), POSITIVE),
        p_minus: program.block("p_minus", (n, splits), POSITIVE),
        m: program.block("m", (n, splits), POSITIVE),
        levels: settings
            .level_splits
            .then(|| LevelColumns::add(program, rows, categories)),
    };
    objective_1a(program, rows, &columns, costs.alpha1);
    mistakes_1b(program, rows, &columns);
    predictions_1c(program, rows, &columns);
    products_1d(program, rows, &columns);
    products_1e(program, rows, &columns);
    values_1f(program, rows, &columns);
    ways_1g_1i(program, rows, &columns);
    margins_1h_1j(program, rows, &columns, costs.epsilon);
    one_leaf_1k(program, rows, &columns.e);
    if let Some(levels) = &columns.levels {
        levels.constraints_8(program, rows, (&columns.e, &columns.hyperplanes));
    }
    columns
}

/// Σ_i w_i c_i + α₁ Σ_ib m_ib; coefficients have their costs already. Without α₁ there is no slack.
fn objective_1a(
    program: &mut Program,
    rows: &LabelledPoints<'_>,
    columns: &PaperColumns,
    alpha1: Option<f64>,
) {
    for i in 0..rows.len() {
        program.cost[columns.c.at(i, 0)] = rows.weight(i);
        for b in 0..rows.paths.splits() {
            let m = columns.m.at(i, b);
            match alpha1 {
                Some(alpha1) => program.cost[m] = alpha1 * rows.weight(i),
                None => program.upper[m] = 0.0,
            }
        }
    }
}

/// (y_i − Y) c_i ≤ y_i − ŷ_i ≤ (y_i − 1) c_i
fn mistakes_1b(program: &mut Program, rows: &LabelledPoints<'_>, columns: &PaperColumns) {
    let most = rows.points.classes() as f64;
    for i in 0..rows.len() {
        let (c, y_hat) = (columns.c.at(i, 0), columns.y_hat.at(i, 0));
        let y = (rows.class(i) + 1) as f64;
        program.at_most([(c, y - most), (y_hat, 1.0)], y);
        program.at_least([(c, y - 1.0), (y_hat, 1.0)], y);
    }
}

/// ŷ_i = Σ_l w_il
fn predictions_1c(program: &mut Program, rows: &LabelledPoints<'_>, columns: &PaperColumns) {
    for i in 0..rows.len() {
        let products = (0..rows.paths.leaves()).map(|l| (columns.w.at(i, l), -1.0));
        program.row(products.chain([(columns.y_hat.at(i, 0), 1.0)]), (0.0, 0.0));
    }
}

/// w_il ≥ e_il, u_l − w_il + e_il ≥ 1
fn products_1d(program: &mut Program, rows: &LabelledPoints<'_>, columns: &PaperColumns) {
    for (i, l) in pairs(rows.len(), rows.paths.leaves()) {
        let (w, e, u) = (columns.w.at(i, l), columns.e.at(i, l), columns.u.at(l, 0));
        program.at_least([(w, 1.0), (e, -1.0)], 0.0);
        program.at_least([(u, 1.0), (w, -1.0), (e, 1.0)], 1.0);
    }
}

/// Y e_il + u_l − w_il ≤ Y, w_il ≤ Y e_il
fn products_1e(program: &mut Program, rows: &LabelledPoints<'_>, columns: &PaperColumns) {
    let y = rows.points.classes() as f64;
    for (i, l) in pairs(rows.len(), rows.paths.leaves()) {
        let (w, e, u) = (columns.w.at(i, l), columns.e.at(i, l), columns.u.at(l, 0));
        program.at_most([(e, y), (u, 1.0), (w, -1.0)], y);
        program.at_most([(w, 1.0), (e, -y)], 0.0);
    }
}

/// g_b − Σ_j h_bj x_ij = p⁺_ib − p⁻_ib, over numeric features alone if there are splits on levels:
/// the others have no coefficient then.
fn values_1f(program: &mut Program, rows: &LabelledPoints<'_>, columns: &PaperColumns) {
    for (i, b) in pairs(rows.len(), rows.paths.splits()) {
        let mut entries = columns.hyperplanes.value(b, rows.x(i), 1.0);
        entries.push((columns.p_plus.at(i, b), -1.0));
        entries.push((columns.p_minus.at(i, b), 1.0));
        program.row(entries, (0.0, 0.0));
    }
}

/// p⁺_ib ≤ M(1 − e_il) on the right of b, p⁻_ib ≤ M(1 − e_il) on the left, M = 1.
fn ways_1g_1i(program: &mut Program, rows: &LabelledPoints<'_>, columns: &PaperColumns) {
    for (i, l) in pairs(rows.len(), rows.paths.leaves()) {
        for (b, left) in rows.paths.of(l) {
            let p = if *left {
                columns.p_minus
            } else {
                columns.p_plus
            };
            program.at_most([(p.at(i, *b), 1.0), (columns.e.at(i, l), 1.0)], 1.0);
        }
    }
}

/// p⁻_ib + m_ib ≥ ε e_il on the right of b, p⁺_ib + m_ib ≥ ε e_il on the left; ε (e_il − Σ_j h_bj) if
/// splits may be on levels.
fn margins_1h_1j(
    program: &mut Program,
    rows: &LabelledPoints<'_>,
    columns: &PaperColumns,
    epsilon: f64,
) {
    for (i, l) in pairs(rows.len(), rows.paths.leaves()) {
        for (b, left) in rows.paths.of(l) {
            let p = if *left {
                columns.p_plus
            } else {
                columns.p_minus
            };
            let mut entries = vec![
                (p.at(i, *b), 1.0),
                (columns.m.at(i, *b), 1.0),
                (columns.e.at(i, l), -epsilon),
            ];
            if let Some(levels) = &columns.levels {
                entries.extend(levels.is_on_levels(*b).map(|v| (v, epsilon)));
            }
            program.at_least(entries, 0.0);
        }
    }
}

/// Σ_l e_il = 1
fn one_leaf_1k(program: &mut Program, rows: &LabelledPoints<'_>, e: &Block) {
    for i in 0..rows.len() {
        program.row(
            (0..rows.paths.leaves()).map(|l| (e.at(i, l), 1.0)),
            (1.0, 1.0),
        );
    }
}

fn pairs(n: usize, m: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)))
}

impl PaperColumns {
    /// Where the mistakes are.
    pub fn mistakes(&self) -> &Block {
        &self.c
    }

    /// The solution that a tree is. Without slack, rows within the margin break (1h) and (1j): such a
    /// start a solver may repair or refuse.
    pub fn write(
        &self,
        rows: &LabelledPoints<'_>,
        tree: &ObliqueTree,
        epsilon: f64,
        out: &mut [f64],
    ) {
        self.hyperplanes.write(tree, out);
        for (l, label) in tree.labels.iter().enumerate() {
            out[self.u.at(l, 0)] = (label + 1) as f64;
        }
        for i in 0..rows.len() {
            let (x, leaf) = (rows.x(i), tree.leaf(rows.x(i)));
            let label = tree.labels[leaf];
            out[self.c.at(i, 0)] = f64::from(label != rows.class(i));
            out[self.e.at(i, leaf)] = 1.0;
            out[self.y_hat.at(i, 0)] = (label + 1) as f64;
            out[self.w.at(i, leaf)] = (label + 1) as f64;
            for (b, split) in tree.splits.iter().enumerate() {
                let value = split.value(x);
                out[self.p_plus.at(i, b)] = value.max(0.0);
                out[self.p_minus.at(i, b)] = (-value).max(0.0);
            }
            for (b, _) in rows.paths.of(leaf) {
                let short = epsilon - tree.splits[*b].value(x).abs();
                out[self.m.at(i, *b)] = short.max(0.0);
            }
        }
    }
}
