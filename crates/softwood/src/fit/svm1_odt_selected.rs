//! A start trained on few rows that stand for all: tree → selection → tree, kept while no worse.
//!
//! By the present tree rows are selected by algorithm 1 of paper 3, from each class in each leaf, and the
//! best tree is searched for on these alone; then by its algorithm 3: the rows that the tree gets wrong (I)
//! and, of each class in each leaf that it gets right, the rows that carry weight for a covered one (J) and
//! those neither covered nor carrying (K). A row of J weighs more than all of I, so that a tree which gets
//! one of them wrong is no better than the one before: solved to optimality, accuracy on all rows does not
//! fall (proposition 2). As a search may end early, accuracy is measured and a tree that loses any refused.

use super::row_selection::RowSelection;
use super::svm1_odt_settings::Svm1OdtSettings;
use crate::exact::{ObliqueTree, Paths, Points, Problem, SolveSettings, axis_tree, solve};
use crate::fitted::{SelectionReport, SelectionRound, SelectionStep};
use crate::mip::LabelledPoints;
use crate::selection::choose_rows::{Clusters, choose};
use crate::selection::{Hyperplanes, extreme_points};
use crate::stop::{Stop, Stopped};
use ndarray::Array2;
use std::collections::BTreeMap;
use std::time::Duration;

/// Share of the time limit for all rounds.
const SHARE: f64 = 0.5;
/// Nodes of the search in a round where nodes are not limited.
const ROUND_NODES: u64 = 20_000;

/// All rows, one for each class of each point.
struct AllRows<'a> {
    labelled: LabelledPoints<'a>,
    x: Array2<f64>,
    classes: Vec<u32>,
}

/// Rows to train on, with their weights.
type Chosen = Vec<(usize, f64)>;

/// The best tree after the rounds, and what they did.
pub(super) fn select_and_search(
    problem: &Problem<'_>,
    starts: Vec<ObliqueTree>,
    (settings, selection): (&Svm1OdtSettings, &RowSelection),
    stop: &Stop,
) -> (ObliqueTree, SelectionReport) {
    let points = problem.points;
    let all = AllRows::new(points, problem.paths);
    let accuracy = |tree: &ObliqueTree| 1.0 - tree.errors(points) / points.all();
    let start = starts
        .into_iter()
        .reduce(|best, next| match accuracy(&next) > accuracy(&best) {
            true => next,
            false => best,
        });
    let mut best = start.unwrap_or_else(|| axis_tree(points, problem.paths));
    best.relabel(points);
    let mut report = SelectionReport {
        rows: all.labelled.len(),
        share: 1.0,
        accuracy: accuracy(&best),
        rounds: Vec::new(),
    };
    let share = SHARE / selection.rounds.max(1) as f64;
    let limit = settings.run.time_limit.map(|limit| limit.mul_f64(share));
    for round in 0..selection.rounds {
        let step = if round == 0 {
            SelectionStep::Clusters
        } else {
            SelectionStep::Mistakes
        };
        let Ok(chosen) = all.select(step, &best, selection, stop) else {
            break;
        };
        let mut tree = search(
            &all,
            &chosen,
            &best,
            problem.margin,
            (settings, limit),
            stop,
        );
        tree.relabel(points);
        let reached = accuracy(&tree);
        let accepted = reached >= report.accuracy;
        report.rounds.push(SelectionRound {
            step,
            rows: chosen.len(),
            accuracy: reached,
            accepted,
        });
        if accepted {
            (best, report.accuracy, report.rows) = (tree, reached, chosen.len());
        } else if step == SelectionStep::Mistakes {
            break; // the same tree would make the same selection again
        }
    }
    report.share = report.rows as f64 / all.labelled.len() as f64;
    (best, report)
}

/// The best tree for the chosen rows that is found in the time.
fn search(
    all: &AllRows<'_>,
    chosen: &Chosen,
    start: &ObliqueTree,
    margin: f64,
    (settings, limit): (&Svm1OdtSettings, Option<Duration>),
    stop: &Stop,
) -> ObliqueTree {
    let features = all.x.ncols();
    let x: Vec<f64> = chosen
        .iter()
        .flat_map(|(i, _)| all.labelled.x(*i))
        .copied()
        .collect();
    let codes: Vec<u32> = chosen.iter().map(|(i, _)| all.classes[*i]).collect();
    let weights: Vec<f64> = chosen.iter().map(|(_, weight)| *weight).collect();
    let classes = all.labelled.points.classes();
    let points = Points::merge(&x, features, &codes, &weights, classes);
    let problem = Problem {
        points: &points,
        paths: all.labelled.paths,
        margin,
    };
    let of_round = SolveSettings {
        seed: settings.run.random_state,
        restarts: settings.restarts,
        random_starts: 0,
        max_nodes: Some(settings.max_nodes.unwrap_or(ROUND_NODES)),
        improve_limit: limit.map(|limit| limit / 2),
    };
    let within = limit.map_or_else(|| stop.clone(), |limit| stop.within(limit));
    solve(&problem, vec![start.clone()], &of_round, &within, &|_| {}).tree
}

impl<'a> AllRows<'a> {
    fn new(points: &'a Points, paths: &'a Paths) -> Self {
        let labelled = LabelledPoints::new(points, paths);
        let rows = 0..labelled.len();
        let x: Vec<f64> = rows.clone().flat_map(|i| labelled.x(i)).copied().collect();
        let shape = (labelled.len(), points.features());
        Self {
            x: Array2::from_shape_vec(shape, x).expect("a row for each"),
            classes: rows.map(|i| labelled.class(i) as u32).collect(),
            labelled,
        }
    }

    /// The rows that stand for all by a tree.
    fn select(
        &self,
        step: SelectionStep,
        tree: &ObliqueTree,
        selection: &RowSelection,
        stop: &Stop,
    ) -> Result<Chosen, Stopped> {
        stop.check()?;
        let leaf = |i: usize| tree.leaf(self.labelled.x(i)) as u32;
        let leaves: Vec<u32> = (0..self.labelled.len()).map(leaf).collect();
        match step {
            SelectionStep::Mistakes => self.around_mistakes(tree, &leaves, selection, stop),
            _ => self.of_clusters(tree, &leaves, selection, stop),
        }
    }

    /// Algorithm 1; the rows of a cluster weigh as much as all of it.
    fn of_clusters(
        &self,
        tree: &ObliqueTree,
        leaves: &[u32],
        selection: &RowSelection,
        stop: &Stop,
    ) -> Result<Chosen, Stopped> {
        let members: Vec<usize> = (0..self.labelled.len()).collect();
        let clusters = Clusters {
            rows: self.x.view().into(),
            members: &members,
            classes: &self.classes,
            leaves,
            scaling: None,
        };
        let normals: Vec<f64> = tree.splits.iter().flat_map(|s| &s.h).copied().collect();
        let shape = (tree.splits.len(), self.x.ncols());
        let way = |leaf: usize| {
            self.labelled
                .paths
                .of(leaf)
                .iter()
                .map(|(t, _)| *t)
                .collect()
        };
        let hyperplanes = Hyperplanes {
            normals: Array2::from_shape_vec(shape, normals).expect("a row for each split"),
            offsets: tree.splits.iter().map(|s| s.g).collect(),
            of_leaf: (0..self.labelled.paths.leaves()).map(way).collect(),
        };
        let selected = choose(&clusters, &hyperplanes, &selection.settings(), stop)?;
        stop.check()?;
        let mut totals: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for (i, (leaf, class)) in leaves.iter().zip(&self.classes).enumerate() {
            *totals.entry((*leaf, *class)).or_default() += self.labelled.weight(i);
        }
        let mut taken = vec![0.0; selected.clusters.len()];
        for (i, cluster) in selected.indices.iter().zip(&selected.cluster) {
            taken[*cluster] += self.labelled.weight(*i);
        }
        let weigh = |(i, cluster): (&usize, &usize)| {
            let account = selected.clusters[*cluster];
            let factor = totals[&(account.leaf, account.class)] / taken[*cluster];
            (*i, self.labelled.weight(*i) * factor)
        };
        Ok(selected
            .indices
            .iter()
            .zip(&selected.cluster)
            .map(weigh)
            .collect())
    }

    /// Algorithm 3: I, J and K.
    fn around_mistakes(
        &self,
        tree: &ObliqueTree,
        leaves: &[u32],
        selection: &RowSelection,
        stop: &Stop,
    ) -> Result<Chosen, Stopped> {
        let is_right = |i: &usize| tree.labels[leaves[*i] as usize] == self.labelled.class(*i);
        let (right, mistakes): (Vec<usize>, Vec<usize>) =
            (0..self.labelled.len()).partition(is_right);
        let weight = |i: &usize| self.labelled.weight(*i);
        let of_mistakes: f64 = mistakes.iter().map(weight).sum();
        let mut chosen: Chosen = mistakes.iter().map(|i| (*i, weight(i))).collect();
        let mut clusters: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        right
            .into_iter()
            .for_each(|i| clusters.entry(leaves[i]).or_default().push(i));
        for members in clusters.values() {
            let cluster = self.x.select(ndarray::Axis(0), members);
            let covering = extreme_points(&cluster.view().into(), selection.tolerance, stop)?;
            stop.check()?;
            let mut carries = vec![false; members.len()];
            for j in (0..members.len()).filter(|j| covering.covered[*j]) {
                covering
                    .weights(j)
                    .filter(|(_, weight)| *weight > 0.0)
                    .for_each(|(i, _)| carries[i] = true);
            }
            for (j, i) in members.iter().enumerate() {
                if carries[j] {
                    chosen.push((*i, weight(i) + of_mistakes));
                } else if !covering.covered[j] {
                    chosen.push((*i, weight(i)));
                }
            }
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn noisy(n: usize, seed: u64) -> Points {
        let mut rng = Pcg64::seed_from_u64(seed);
        let x: Vec<f64> = (0..2 * n).map(|_| rng.random_range(0.0..1.0)).collect();
        let flip = |_: &[f64]| rng.random_range(0.0..1.0) < 0.05;
        let flips: Vec<bool> = x.chunks_exact(2).map(flip).collect();
        let class = |(x, flip): (&[f64], bool)| u32::from((x[0] + 0.3 * x[1] > 0.6) ^ flip);
        let codes: Vec<u32> = x.chunks_exact(2).zip(flips).map(class).collect();
        Points::merge(&x, 2, &codes, &vec![1.0; n], 2)
    }

    #[test]
    fn accuracy_on_all_rows_does_not_fall_from_round_to_round_on_few_of_them() {
        for seed in 0..3 {
            let (points, paths) = (noisy(400, seed), Paths::new(1));
            let settings = Svm1OdtSettings {
                depth: 1,
                max_nodes: Some(0),
                restarts: 2,
                ..Svm1OdtSettings::default()
            };
            let start = axis_tree(&points, &paths);
            let before = 1.0 - start.errors(&points) / points.all();
            let selection = RowSelection::default();
            let problem = Problem {
                points: &points,
                paths: &paths,
                margin: 0.001,
            };
            let how = (&settings, &selection);
            let (tree, report) = select_and_search(&problem, vec![start], how, &Stop::default());
            assert!(report.accuracy >= before);
            assert_eq!(report.accuracy, 1.0 - tree.errors(&points) / points.all());
            let accepted: Vec<f64> = report
                .rounds
                .iter()
                .filter(|r| r.accepted)
                .map(|r| r.accuracy)
                .collect();
            assert!(accepted.is_sorted() && !accepted.is_empty());
            assert!(report.share < 0.5, "{}", report.share);
        }
    }

    #[test]
    fn carriers_outweigh_all_mistakes_and_nothing_covered_is_chosen() {
        let (points, paths) = (noisy(300, 5), Paths::new(1));
        let all = AllRows::new(&points, &paths);
        let tree = axis_tree(&points, &paths);
        let selection = RowSelection::default();
        let chosen = all
            .select(SelectionStep::Mistakes, &tree, &selection, &Stop::default())
            .unwrap();
        let wrong = tree.errors(&points);
        let heavy = chosen
            .iter()
            .filter(|(_, weight)| *weight == wrong + 1.0)
            .count();
        let light = chosen.iter().filter(|(_, weight)| *weight == 1.0).count();
        assert_eq!(heavy + light, chosen.len());
        assert!(heavy > 0 && light as f64 >= wrong);
        assert!(chosen.len() < points.len() / 2);
    }
}
