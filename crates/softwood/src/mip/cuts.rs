//! Cuts that are added as rows from the beginning: proposition 1 and a few of theorem 3.

use super::labelled::LabelledPoints;
use super::program::{Block, Program};

/// Proposition 1, weights counted as rows; and theorem 3 for sets of rows that lie close together.
pub(super) fn add_cuts(program: &mut Program, rows: &LabelledPoints<'_>, c: &Block, e: &Block) {
    proposition_1(program, rows, c, e);
    theorem_3(program, rows, c, e);
}

fn proposition_1(program: &mut Program, rows: &LabelledPoints<'_>, c: &Block, e: &Block) {
    let (n, leaves) = (rows.len(), rows.paths.leaves());
    let mut sizes = rows.class_weights();
    sizes.retain(|s| *s > 0.0);
    sizes.sort_by(f64::total_cmp);
    let (smallest, largest, classes) = (sizes[0], sizes[sizes.len() - 1], sizes.len());
    let mistakes = || (0..n).map(|i| (c.at(i, 0), rows.weight(i)));
    for l in 0..leaves {
        let inside = |sign: f64| (0..n).map(move |i| (e.at(i, l), sign * rows.weight(i)));
        // 1. Σ c_i ≥ Σ e_il − s_Y
        program.at_least(mistakes().chain(inside(-1.0)), -largest);
        // 2. Σ (c_i + e_il) ≥ s_1 (Y − 2^D + 1) if Y ≥ 2^D
        if classes >= leaves {
            let at_least = smallest * (classes - leaves + 1) as f64;
            program.at_least(mistakes().chain(inside(1.0)), at_least);
        }
    }
    // 3. Σ c_i ≥ s_1 + … + s_{Y−2^D} if Y > 2^D
    if classes > leaves {
        program.at_least(mistakes(), sizes[..classes - leaves].iter().sum());
    }
}

/// Σ_{i∈I} c_i ≥ Σ_{i∈I} e_il − 1 (5) for single leaves l, I being a row and the nearest row of every
/// other class: those are the hardest to send apart. Rows serve in one set each.
fn theorem_3(program: &mut Program, rows: &LabelledPoints<'_>, c: &Block, e: &Block) {
    let n = rows.len();
    let mut open = vec![true; n];
    for i in 0..n {
        if !open[i] {
            continue;
        }
        let distance = |k: usize| -> f64 {
            let pairs = rows.x(i).iter().zip(rows.x(k));
            pairs.map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let mut set = vec![i];
        for class in (0..rows.points.classes()).filter(|class| *class != rows.class(i)) {
            let others = (0..n).filter(|k| open[*k] && rows.class(*k) == class);
            set.extend(others.min_by(|a, b| distance(*a).total_cmp(&distance(*b))));
        }
        if set.len() < 2 {
            continue;
        }
        set.iter().for_each(|k| open[*k] = false);
        for l in 0..rows.paths.leaves() {
            let entries = set
                .iter()
                .flat_map(|k| [(c.at(*k, 0), 1.0), (e.at(*k, l), -1.0)]);
            program.at_least(entries, -1.0);
        }
    }
}
