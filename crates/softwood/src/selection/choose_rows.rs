//! Algorithm 1: from each cluster of rows, one class in one leaf of a tree, the rows to train on.

use super::extreme_points::{ExtremePoints, check_shape, check_tolerance, extreme_points};
use crate::data::finite::check_finite;
use crate::data::{Rows, Scaling};
use crate::status::SolveStatus;
use crate::stop::{Stop, Stopped};
use crate::threads::in_pool;
use crate::{FitError, InputError};
use ndarray::Array2;
use rayon::prelude::*;

/// What [`select_rows`] is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionSettings {
    /// β₁, above 0 and below 1: a cluster of which at least the share 1 − β₁ is covered gives its
    /// extreme points.
    pub beta1: f64,
    /// β₂, above 0 and at most 1: of any other cluster about this share is taken.
    pub beta2: f64,
    /// ε′ ≥ 0, in the units of the rows: how far from the hull of the others a row is still covered.
    pub tolerance: f64,
    /// Threads; all cores if None. The result does not depend on it.
    pub n_threads: Option<usize>,
}

impl Default for SelectionSettings {
    fn default() -> Self {
        Self {
            beta1: 0.2,
            beta2: 0.05,
            tolerance: 0.0,
            n_threads: None,
        }
    }
}

impl SelectionSettings {
    /// Checks the settings for rows of `features` columns.
    pub fn validate(&self, features: usize) -> Result<(), InputError> {
        let refuse = |name, expected, got: f64| {
            let got = got.to_string();
            Err(InputError::Setting {
                name,
                expected,
                got,
            })
        };
        if !(self.beta1 > 0.0 && self.beta1 < 1.0) {
            return refuse("beta1", "a number above 0 and below 1", self.beta1);
        }
        if !(self.beta2 > 0.0 && self.beta2 <= 1.0) {
            return refuse("beta2", "a number above 0 and at most 1", self.beta2);
        }
        // Otherwise the rows carrying weight could not be enough in any cluster.
        if self.beta2 >= (features + 1) as f64 * (1.0 - self.beta1) {
            let expected = "less than (columns of X + 1) · (1 − beta1)";
            return refuse("beta2", expected, self.beta2);
        }
        check_tolerance(self.tolerance)
    }
}

/// The hyperplanes a·x = b at a tree's splits, and which of them a row passes on the way to each leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperplanes {
    /// a, one row for each hyperplane.
    pub normals: Array2<f64>,
    /// b.
    pub offsets: Vec<f64>,
    /// For each leaf the hyperplanes that bound it.
    pub of_leaf: Vec<Vec<usize>>,
}

impl Hyperplanes {
    /// Distance of `x` to the nearest of the leaf's hyperplanes; infinite if it has none.
    fn distance(&self, leaf: usize, x: &[f64]) -> f64 {
        let distances = self.of_leaf[leaf].iter().map(|h| {
            let a = self.normals.row(*h);
            let length = a.dot(&a).sqrt();
            let from = a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() - self.offsets[*h];
            if length > 0.0 {
                from.abs() / length
            } else {
                f64::INFINITY
            }
        });
        distances.fold(f64::INFINITY, f64::min)
    }
}

/// How a cluster's rows were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterRule {
    /// All extreme points: almost everything else is covered.
    Extreme,
    /// The rows that carry a weight of 1/(d + 1) or more for some covered row.
    Carriers,
    /// Those, and the rows nearest to the leaf's hyperplanes among the ones neither covered nor carrying.
    CarriersAndNearest,
}

/// What was chosen from one cluster, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterAccount {
    /// The leaf.
    pub leaf: u32,
    /// The class.
    pub class: u32,
    /// Rows of that class in that leaf, |𝒩|.
    pub rows: usize,
    /// Of these covered, |I|.
    pub covered: usize,
    /// Of these carrying a weight of 1/(d + 1) or more, |J|.
    pub carriers: usize,
    /// Of these chosen.
    pub selected: usize,
    /// How.
    pub rule: ClusterRule,
}

/// The rows to train on.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedRows {
    /// The rows, increasing.
    pub indices: Vec<usize>,
    /// For each of them its place in `clusters`.
    pub cluster: Vec<usize>,
    /// Every cluster, by leaf and class.
    pub clusters: Vec<ClusterAccount>,
    /// [`Completed`](SolveStatus::Completed), or [`TimeLimit`](SolveStatus::TimeLimit).
    pub status: SolveStatus,
}

/// Chooses the rows to train on from each cluster, that is one class in one leaf of some tree
/// (algorithm 1). `classes` and `leaves` number the class and the leaf of each row.
///
/// Where the algorithm takes a share of a cluster, at least one row is taken. With ε′ > 0 rows may
/// cover each other, and (7) alone would drop all of them: then covered rows that carry weight for a
/// covered extreme point stay, so that every row lies within ε′ of the hull of the chosen ones wherever
/// the rule is [`ClusterRule::Extreme`].
///
/// Rows that were not shown to be covered when the time limit of `stop` struck count as not covered, so that
/// more rows may be chosen than without it, or others.
pub fn select_rows<'a>(
    rows: impl Into<Rows<'a>>,
    classes: &[u32],
    leaves: &[u32],
    hyperplanes: &Hyperplanes,
    settings: &SelectionSettings,
    stop: &Stop,
) -> Result<SelectedRows, FitError> {
    let rows = rows.into();
    check_shape(&rows)?;
    settings.validate(rows.features())?;
    validate(&rows, classes, leaves, hyperplanes)?;
    in_pool(settings.n_threads, || {
        check_finite(&rows)?;
        let members: Vec<usize> = (0..rows.len()).collect();
        let clusters = Clusters {
            rows: rows.reborrow(),
            members: &members,
            classes,
            leaves,
            scaling: None,
        };
        choose(&clusters, hyperplanes, settings, stop).map_err(|_: Stopped| FitError::Cancelled)
    })?
}

fn validate(
    rows: &Rows<'_>,
    classes: &[u32],
    leaves: &[u32],
    hyperplanes: &Hyperplanes,
) -> Result<(), InputError> {
    for (name, len) in [("y", classes.len()), ("leaves", leaves.len())] {
        if len != rows.len() {
            return Err(InputError::RowMismatch {
                name,
                rows: rows.len(),
                len,
            });
        }
    }
    let refuse = |expected, got| {
        let name = "hyperplanes";
        Err(InputError::Setting {
            name,
            expected,
            got,
        })
    };
    let shape = hyperplanes.normals.dim();
    if shape.1 != rows.features() || shape.0 != hyperplanes.offsets.len() {
        let offsets = hyperplanes.offsets.len();
        return refuse(
            "normals with a row for each offset and a column for each column of X",
            format!("normals of shape {shape:?} and {offsets} offsets"),
        );
    }
    let numbers = hyperplanes.normals.iter().chain(&hyperplanes.offsets);
    if let Some(bad) = numbers.copied().find(|x| !x.is_finite()) {
        return refuse("finite numbers", bad.to_string());
    }
    if let Some(bad) = hyperplanes
        .of_leaf
        .iter()
        .flatten()
        .find(|h| **h >= shape.0)
    {
        return refuse("numbers below their count for each leaf", bad.to_string());
    }
    let known = hyperplanes.of_leaf.len();
    match leaves.iter().position(|leaf| *leaf as usize >= known) {
        Some(row) => Err(InputError::Setting {
            name: "leaves",
            expected: "numbers of leaves that hyperplanes knows",
            got: format!("{} for row {row}, but {known} leaves", leaves[row]),
        }),
        None => Ok(()),
    }
}

/// The rows to choose from, with the class and leaf of every row.
pub(crate) struct Clusters<'a> {
    pub rows: Rows<'a>,
    /// The rows that take part.
    pub members: &'a [usize],
    pub classes: &'a [u32],
    pub leaves: &'a [u32],
    /// Maps of the features to apply first, if any.
    pub scaling: Option<&'a Scaling>,
}

/// As [`select_rows`], on input that was checked, in the threads of the caller.
pub(crate) fn choose(
    from: &Clusters<'_>,
    hyperplanes: &Hyperplanes,
    settings: &SelectionSettings,
    stop: &Stop,
) -> Result<SelectedRows, Stopped> {
    let key = |i: usize| (from.leaves[i], from.classes[i]);
    let mut order = from.members.to_vec();
    order.sort_by_key(|i| key(*i));
    let clusters: Vec<&[usize]> = order.chunk_by(|i, j| key(*i) == key(*j)).collect();
    let chosen: Vec<(ClusterAccount, Vec<usize>, SolveStatus)> = clusters
        .par_iter()
        .map(|members| {
            let (leaf, class) = key(members[0]);
            let mut cluster = from.rows.gather(members);
            if let Some(scaling) = from.scaling {
                for (mut column, map) in cluster.columns_mut().into_iter().zip(&scaling.features) {
                    column.mapv_inplace(|x| map.apply(x));
                }
            }
            let covering = extreme_points(&cluster.view().into(), settings.tolerance, stop)?;
            let distance = |i: usize| {
                let x = cluster.row(i);
                hyperplanes.distance(leaf as usize, x.as_slice().expect("rows lie together"))
            };
            let (mut account, local) = choose_from(&covering, &cluster, distance, settings);
            (account.leaf, account.class) = (leaf, class);
            let rows = local.into_iter().map(|i| members[i]).collect();
            Ok((account, rows, covering.status))
        })
        .collect::<Result<_, Stopped>>()?;
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (c, (_, members, _)) in chosen.iter().enumerate() {
        pairs.extend(members.iter().map(|i| (*i, c)));
    }
    pairs.sort_unstable();
    let (indices, cluster) = pairs.into_iter().unzip();
    let mut statuses = chosen.iter().map(|(_, _, status)| *status);
    let cut_off = statuses.find(|status| status.is_stopped());
    Ok(SelectedRows {
        indices,
        cluster,
        status: cut_off.unwrap_or(SolveStatus::Completed),
        clusters: chosen.into_iter().map(|(account, ..)| account).collect(),
    })
}

/// Algorithm 1 on one cluster: its account, leaf and class aside, and the rows chosen.
fn choose_from(
    covering: &ExtremePoints,
    cluster: &Array2<f64>,
    distance: impl Fn(usize) -> f64,
    settings: &SelectionSettings,
) -> (ClusterAccount, Vec<usize>) {
    let (n, d) = cluster.dim();
    // A share of exactly 1/(d + 1) may come out a rounding error lower.
    let least = (1.0 - 1e-9) / (d + 1) as f64;
    let mut carries = vec![false; n];
    let mut stays: Vec<bool> = covering.covered.iter().map(|covered| !covered).collect();
    for j in (0..n).filter(|j| covering.covered[*j]) {
        for (i, weight) in covering.weights(j) {
            carries[i] |= weight >= least;
            stays[i] |= covering.extreme[j];
        }
    }
    let covered = covering.covered.iter().filter(|covered| **covered).count();
    let carriers = carries.iter().filter(|carries| **carries).count();
    let share = settings.beta2 * n as f64;
    let places = |flags: &[bool]| (0..n).filter(|i| flags[*i]).collect::<Vec<usize>>();
    let (rule, selected) = if covered as f64 >= (1.0 - settings.beta1) * n as f64 {
        (ClusterRule::Extreme, places(&stays))
    } else if carriers as f64 > share {
        (ClusterRule::Carriers, places(&carries))
    } else {
        let rest = (0..n).filter(|i| !covering.covered[*i] && !carries[*i]);
        let mut rest: Vec<(f64, usize)> = rest.map(|i| (distance(i), i)).collect();
        // Ties by value, so that the order of the rows does not matter.
        let by_value = |i: usize, j: usize| {
            let mut orders = cluster.row(i).into_iter().zip(cluster.row(j));
            orders.find_map(|(a, b)| Some(a.total_cmp(b)).filter(|order| order.is_ne()))
        };
        rest.sort_by(|(a, i), (b, j)| {
            a.total_cmp(b)
                .then_with(|| by_value(*i, *j).unwrap_or_else(|| i.cmp(j)))
        });
        let wanted = (share.ceil() as usize).max(1).saturating_sub(carriers);
        let mut selected = places(&carries);
        selected.extend(rest.into_iter().take(wanted).map(|(_, i)| i));
        (ClusterRule::CarriersAndNearest, selected)
    };
    let account = ClusterAccount {
        leaf: 0,
        class: 0,
        rows: n,
        covered,
        carriers,
        selected: selected.len(),
        rule,
    };
    (account, selected)
}
