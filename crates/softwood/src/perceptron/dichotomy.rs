//! Which classes a node of more than two sends to the left.

use super::columns::NodeColumns;
use super::node_rows::TreeRows;

/// Values of class centroids at most that are looked at together.
const MOST_CENTROIDS: usize = 10_000_000;

/// Rounds of 2-means, and pairs of classes from which it starts, the farthest apart first.
const ROUNDS: usize = 10;
const MOST_STARTS: usize = 15;

/// Ways to part the classes that are present among the rows: of two the one, else each against the rest and
/// the two means of their centroids.
pub(super) fn dichotomies(
    rows: &TreeRows<'_>,
    members: &[u32],
    class_weights: &[f64],
    factors: &[f64],
) -> Vec<Vec<bool>> {
    let present: Vec<usize> = (0..rows.classes)
        .filter(|k| class_weights[*k] > 0.0)
        .collect();
    let only = |class: usize| (0..rows.classes).map(|k| k == class).collect::<Vec<bool>>();
    if present.len() == 2 {
        // The later class is the positive one, as for any classifier.
        return vec![only(present[1])];
    }
    let mut ways: Vec<Vec<bool>> = present.iter().map(|class| only(*class)).collect();
    if present.len() > 3 && rows.classes.saturating_mul(factors.len()) <= MOST_CENTROIDS {
        let halves = two_means(rows, members, class_weights, &present, factors);
        let left = halves.iter().filter(|left| **left).count();
        if left > 1 && present.len() - left > 1 {
            ways.push(halves);
        }
    }
    ways
}

/// The classes parted by 2-means of their weighted centroids, the best of several starts.
fn two_means(
    rows: &TreeRows<'_>,
    members: &[u32],
    class_weights: &[f64],
    present: &[usize],
    factors: &[f64],
) -> Vec<bool> {
    let p = factors.len();
    let columns = NodeColumns::of(&rows.rows, members);
    let mut centroids = vec![0.0; present.len() * p];
    let place = |class: u32| {
        present
            .binary_search(&(class as usize))
            .expect("it is present")
    };
    let shares: Vec<(usize, f64)> = members
        .iter()
        .map(|row| {
            let class = rows.codes[*row as usize];
            let share = rows.weights[*row as usize] / class_weights[class as usize];
            (place(class), share)
        })
        .collect();
    for (j, factor) in factors.iter().enumerate() {
        columns.visit(j, |i, x| {
            let (place, share) = shares[i];
            centroids[place * p + j] += share * x * factor;
        });
    }
    let centroid = |a: usize| &centroids[a * p..][..p];
    let weight = |a: usize| class_weights[present[a]];
    let pairs = (0..present.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let mut pairs: Vec<(usize, usize)> = pairs.collect();
    let apart = |pair: &(usize, usize)| distance(centroid(pair.0), centroid(pair.1));
    pairs.sort_by(|one, other| apart(other).total_cmp(&apart(one)));
    let parted = pairs.iter().take(MOST_STARTS).map(|(a, b)| {
        part(
            present.len(),
            &centroid,
            &weight,
            [centroid(*a).to_vec(), centroid(*b).to_vec()],
        )
    });
    let best = parted.min_by(|one, other| one.1.total_cmp(&other.1));
    let (is_left, _) = best.expect("more than two classes");
    let mut classes = vec![false; rows.classes];
    present
        .iter()
        .zip(is_left)
        .for_each(|(class, left)| classes[*class] = left);
    classes
}

/// 2-means of weighted points from given means: who is nearer to the first, and the sum of squared distances.
fn part<'c>(
    count: usize,
    point: &impl Fn(usize) -> &'c [f64],
    weight: &impl Fn(usize) -> f64,
    mut means: [Vec<f64>; 2],
) -> (Vec<bool>, f64) {
    let mut is_left = vec![false; count];
    let mut within = 0.0;
    for _ in 0..ROUNDS {
        within = 0.0;
        for (a, left) in is_left.iter_mut().enumerate() {
            let [first, second] = [0, 1].map(|side| distance(point(a), &means[side]));
            *left = first <= second;
            within += weight(a) * first.min(second);
        }
        for (side, mean) in [true, false].into_iter().zip(&mut means) {
            let own: Vec<usize> = (0..count).filter(|a| is_left[*a] == side).collect();
            let all: f64 = own.iter().map(|a| weight(*a)).sum();
            mean.fill(0.0);
            for a in own {
                let share = weight(a) / all;
                let both = mean.iter_mut().zip(point(a));
                both.for_each(|(mean, x)| *mean += share * x);
            }
        }
    }
    (is_left, within)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
