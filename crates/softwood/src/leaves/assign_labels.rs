//! The exact label step: a transportation problem with an integral optimum (theorem 2.1).

/// Cheapest labels for all leaves, given `masses` (C × L: weight of the rows of kind y in leaf t) and `costs`
/// (C × K: cost of predicting k for them); the kinds are the classes, or tell more of a row.
///
/// min Σ_t Σ_k C_kt · cost_kt  s.t.  Σ_k C_kt = 1 and, if `cover`, Σ_t C_kt ≥ 1,
/// where cost_kt = Σ_y masses_yt costs_yk. Each leaf takes its cheapest class; with `cover`, each
/// class is first given a leaf of its own so that the summed regret over the cheapest is least.
pub fn assign_labels(masses: &[f64], costs: &[f64], classes: usize, cover: bool) -> Vec<u32> {
    cheapest_labels(&LabelCosts::new(masses, costs, classes), cover)
}

/// As [`assign_labels`], with sibling leaves that share a label parted: the one of the two that
/// loses least takes its second choice.
///
/// A split whose two leaves have one label has no gradient and would never move again.
pub fn assign_parted_labels(
    masses: &[f64],
    costs: &[f64],
    classes: usize,
    cover: bool,
) -> Vec<u32> {
    let table = LabelCosts::new(masses, costs, classes);
    let mut labels = cheapest_labels(&table, cover);
    for left in (0..table.leaves).step_by(2) {
        if labels[left] != labels[left + 1] {
            continue;
        }
        let shared = labels[left] as usize;
        let (_, leaf, label) = [left, left + 1]
            .into_iter()
            .flat_map(|t| (0..classes).filter(|k| *k != shared).map(move |k| (t, k)))
            .map(|(t, k)| (table.at(k, t) - table.at(shared, t), t, k))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("K ≥ 2");
        labels[leaf] = label as u32;
    }
    labels
}

/// cost_kt, the cost of label k in leaf t.
struct LabelCosts {
    costs: Vec<f64>,
    classes: usize,
    leaves: usize,
}

impl LabelCosts {
    fn new(masses: &[f64], costs: &[f64], classes: usize) -> Self {
        let kinds = costs.len() / classes;
        let leaves = masses.len() / kinds;
        let cost = |k: usize, t: usize| -> f64 {
            (0..kinds)
                .map(|y| masses[y * leaves + t] * costs[y * classes + k])
                .sum()
        };
        Self {
            costs: (0..classes)
                .flat_map(|k| (0..leaves).map(move |t| cost(k, t)))
                .collect(),
            classes,
            leaves,
        }
    }

    fn at(&self, k: usize, t: usize) -> f64 {
        self.costs[k * self.leaves + t]
    }
}

fn cheapest_labels(table: &LabelCosts, cover: bool) -> Vec<u32> {
    let (classes, leaves) = (table.classes, table.leaves);
    let cheapest = |t: usize| {
        (0..classes)
            .min_by(|a, b| table.at(*a, t).total_cmp(&table.at(*b, t)))
            .expect("K ≥ 1")
    };
    let mut labels: Vec<u32> = (0..leaves).map(|t| cheapest(t) as u32).collect();
    let all_present = (0..classes as u32).all(|k| labels.contains(&k));
    if cover && !all_present {
        let least: Vec<f64> = labels
            .iter()
            .enumerate()
            .map(|(t, k)| table.at(*k as usize, t))
            .collect();
        let regret = |k: usize, t: usize| table.at(k, t) - least[t];
        for (class, leaf) in cheapest_matching(classes, leaves, regret)
            .into_iter()
            .enumerate()
        {
            labels[leaf] = class as u32;
        }
    }
    labels
}

/// Column matched to each row in a cheapest matching of all rows, rows ≤ columns: the Hungarian
/// method by shortest augmenting paths, O(rows² · columns).
fn cheapest_matching(
    rows: usize,
    columns: usize,
    cost: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    assert!(rows <= columns);
    const FREE: usize = usize::MAX;
    let (mut u, mut v) = (vec![0.0; rows], vec![0.0; columns]);
    let mut row_of = vec![FREE; columns];
    for start in 0..rows {
        let mut shortest = vec![f64::INFINITY; columns];
        let mut previous = vec![FREE; columns];
        let mut done = vec![false; columns];
        let mut visited: Vec<usize> = Vec::new();
        let (mut row, mut last, mut distance) = (start, FREE, 0.0);
        let end = loop {
            for t in (0..columns).filter(|t| !done[*t]) {
                let through = distance + cost(row, t) - u[row] - v[t];
                if through < shortest[t] {
                    shortest[t] = through;
                    previous[t] = last;
                }
            }
            let nearest = (0..columns)
                .filter(|t| !done[*t])
                .min_by(|a, b| shortest[*a].total_cmp(&shortest[*b]))
                .expect("rows ≤ columns leaves one free");
            distance = shortest[nearest];
            if row_of[nearest] == FREE {
                break nearest;
            }
            done[nearest] = true;
            visited.push(nearest);
            last = nearest;
            row = row_of[nearest];
        };
        u[start] += distance;
        for t in visited {
            u[row_of[t]] += distance - shortest[t];
            v[t] -= distance - shortest[t];
        }
        let mut t = end;
        loop {
            let from = previous[t];
            if from == FREE {
                row_of[t] = start;
                break;
            }
            row_of[t] = row_of[from];
            t = from;
        }
    }
    let mut column_of = vec![FREE; rows];
    let matched = row_of.into_iter().enumerate();
    for (t, row) in matched.filter(|(_, row)| *row != FREE) {
        column_of[row] = t;
    }
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every labelling of the leaves, by counting in base K.
    fn best_by_enumeration(masses: &[f64], costs: &[f64], classes: usize, cover: bool) -> f64 {
        let leaves = masses.len() / classes;
        (0..classes.pow(leaves as u32))
            .map(|code| {
                (0..leaves)
                    .map(|t| (code / classes.pow(t as u32) % classes) as u32)
                    .collect()
            })
            .filter(|labels: &Vec<u32>| !cover || (0..classes as u32).all(|k| labels.contains(&k)))
            .map(|labels| total(masses, costs, classes, &labels))
            .fold(f64::INFINITY, f64::min)
    }

    fn total(masses: &[f64], costs: &[f64], classes: usize, labels: &[u32]) -> f64 {
        let leaves = labels.len();
        (0..classes)
            .flat_map(|y| (0..leaves).map(move |t| (y, t)))
            .map(|(y, t)| masses[y * leaves + t] * costs[y * classes + labels[t] as usize])
            .sum()
    }

    proptest! {
        #[test]
        fn labels_are_optimal(
            classes in 2usize..5,
            masses in prop::collection::vec(0.0..1.0f64, 4 * 4),
            costs in prop::collection::vec(0.0..1.0f64, 4 * 4),
            heavy in 0usize..4,
            cover: bool,
        ) {
            let mut masses = masses[..classes * 4].to_vec();
            // A class that outweighs the rest everywhere makes coverage bind.
            for m in &mut masses[heavy % classes * 4..][..4] { *m += 5.0; }
            let mut costs = costs[..classes * classes].to_vec();
            for k in 0..classes { costs[k * classes + k] = 0.0; }
            let labels = assign_labels(&masses, &costs, classes, cover);
            let best = best_by_enumeration(&masses, &costs, classes, cover);
            prop_assert!((total(&masses, &costs, classes, &labels) - best).abs() < 1e-12);
            prop_assert!(!cover || (0..classes as u32).all(|k| labels.contains(&k)));
        }
    }
}
