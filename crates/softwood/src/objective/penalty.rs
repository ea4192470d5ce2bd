//! Sparsity penalties on the coefficients: ℓ1, ℓ∞ and concave approximations of ℓ0, one mechanism.
//!
//! λ_L Σ_{j,t} φ(|a_jt|) + λ_G Σ_g φ(max_{j ∈ g, t} |a_jt|), where a group g is one feature or all the
//! dummy columns of one. Norms, φ(u) = u, are handled by the solver as they are (3.1); a concave φ
//! is replaced by its tangent at the current point, which lies above it, so that minimizing the
//! replacement lowers the true objective.

use super::PenaltyShape;
use crate::InputError;
use crate::solver::{Bounds, Group, Interval, Majorized, SimpleTerm, SparsityTerm};
use crate::tree::{ParameterLayout, Topology};
use std::collections::BTreeMap;
use std::ops::Range;

/// Where coefficients and intercepts of splits lie.
const SPLIT_BOUNDS: Bounds = Bounds::all(-1.0, 1.0);

/// Largest λ: products with steps and numbers of coefficients stay finite.
const MAX_WEIGHT: f64 = 1e100;

/// Tangents to a concave penalty at most.
const MAX_TANGENTS: usize = 10;

/// What is asked: weights, shape and groups.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltySettings {
    /// λ_L ≥ 0; if None, what folds of the rows speak for where nothing else is penalized and φ is a
    /// norm, else 0.
    pub local: Option<f64>,
    /// λ_L as a share, 0…1, of the λ_L that empties the tree, [`LambdaMax::local`](super::LambdaMax);
    /// instead of the others.
    pub share: Option<f64>,
    /// λ_G ≥ 0.
    pub global: f64,
    /// φ.
    pub shape: PenaltyShape,
    /// Group of each feature; each its own group if None.
    pub groups: Option<Vec<usize>>,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self {
            local: None,
            share: None,
            global: 0.0,
            shape: PenaltyShape::Norm,
            groups: None,
        }
    }
}

impl PenaltySettings {
    /// Checks all that can be judged without the data.
    pub fn validate(&self) -> Result<(), InputError> {
        for (name, value) in [
            ("local_penalty", self.local.unwrap_or(0.0)),
            ("global_penalty", self.global),
        ] {
            if !(0.0..=MAX_WEIGHT).contains(&value) {
                return Err(InputError::Setting {
                    name,
                    expected: "a number from 0 to 1e100",
                    got: value.to_string(),
                });
            }
        }
        if let Some(share) = self.share {
            let refuse = |expected, got| {
                let name = "penalty";
                Err(InputError::Setting {
                    name,
                    expected,
                    got,
                })
            };
            if !(0.0..=1.0).contains(&share) {
                return refuse("a share from 0 to 1", share.to_string());
            }
            if self.local.is_some() || self.global > 0.0 {
                let got = format!("{share} and one of them");
                return refuse("given without local_penalty and global_penalty", got);
            }
        }
        self.shape.validate()
    }

    /// No penalty at all.
    pub fn none() -> Self {
        Self {
            local: Some(0.0),
            ..Self::default()
        }
    }

    /// The group of each feature.
    pub fn group_of_features(&self, features: usize) -> Vec<usize> {
        let groups = self.groups.clone();
        groups.unwrap_or_else(|| (0..features).collect())
    }

    /// Checks the groups against the number of features.
    pub fn validate_groups(&self, features: usize) -> Result<(), InputError> {
        match &self.groups {
            Some(groups) if groups.len() != features => Err(InputError::Setting {
                name: "groups",
                expected: "one group for each column of X",
                got: format!("{} groups for {features} columns", groups.len()),
            }),
            _ => Ok(()),
        }
    }
}

/// A penalty on some coordinates of a vector, within a box.
#[derive(Clone, Debug)]
pub(crate) struct Penalty {
    bounds: Bounds,
    local: f64,
    global: f64,
    shape: PenaltyShape,
    /// Length of the vector.
    dim: usize,
    /// Coordinates under the local penalty.
    coordinates: Vec<usize>,
    /// Coordinates under each ℓ∞ norm.
    groups: Vec<PenalizedGroup>,
}

/// Coordinates under one ℓ∞ norm, and the largest magnitude of those that are held outside the vector.
#[derive(Clone, Debug)]
struct PenalizedGroup {
    members: Vec<usize>,
    floor: f64,
}

impl PenalizedGroup {
    /// max |θ_i|, those held outside included.
    fn largest(&self, theta: &[f64]) -> f64 {
        largest(theta, &self.members).max(self.floor)
    }
}

impl Penalty {
    /// The penalty `settings`, λ_L said, on θ = (a, μ) of a tree: its coefficients, not its intercepts.
    pub fn on_splits(settings: &PenaltySettings, topology: &Topology, features: usize) -> Self {
        let layout = ParameterLayout::new(topology, features);
        let nodes = (0..topology.branches()).map(|t| layout.coefficients(t));
        Self::on_nodes(settings, layout.dim(), SPLIT_BOUNDS, nodes.collect())
    }

    /// The same on (a, μ, β, β_0) of a tree with a linear model in each leaf: on the coefficients of splits
    /// and leaves together. Leaves are free, splits within their bounds.
    pub fn on_splits_and_leaves(
        settings: &PenaltySettings,
        topology: &Topology,
        features: usize,
    ) -> Self {
        let layout = ParameterLayout::new(topology, features);
        let (splits, leaves) = (layout.dim(), topology.leaves());
        let branches = (0..topology.branches()).map(|t| layout.coefficients(t));
        let models = (0..leaves).map(|t| splits + t * features..splits + (t + 1) * features);
        let dim = splits + leaves * (features + 1);
        let interval = |i: usize| match i < splits {
            true => SPLIT_BOUNDS.of(i),
            false => Interval::FREE,
        };
        let bounds = (0..dim).map(interval).collect();
        Self::on_nodes(settings, dim, bounds, branches.chain(models).collect())
    }

    /// On vectors of length `dim` that hold the coefficients of nodes, one for each feature, in these places.
    fn on_nodes(
        settings: &PenaltySettings,
        dim: usize,
        bounds: Bounds,
        nodes: Vec<Range<usize>>,
    ) -> Self {
        let mut groups = Vec::new();
        if settings.global > 0.0 {
            let ids = settings.group_of_features(nodes.first().map_or(0, Range::len));
            let mut by_id: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for node in &nodes {
                for (id, coordinate) in ids.iter().zip(node.clone()) {
                    by_id.entry(*id).or_default().push(coordinate);
                }
            }
            groups = by_id.into_values().collect();
        }
        let coordinates = nodes.into_iter().flatten().collect();
        Self::new(settings, dim, bounds, coordinates, groups)
    }

    /// λ_L of `settings` on `coordinates` and λ_G on the largest of each of `groups`, for vectors of
    /// length `dim` within `bounds`.
    fn new(
        settings: &PenaltySettings,
        dim: usize,
        bounds: Bounds,
        coordinates: Vec<usize>,
        groups: Vec<Vec<usize>>,
    ) -> Self {
        let group = |members| PenalizedGroup {
            members,
            floor: 0.0,
        };
        Self {
            bounds,
            local: settings.local.unwrap_or(0.0),
            global: settings.global,
            shape: settings.shape,
            dim,
            coordinates,
            groups: groups.into_iter().map(group).collect(),
        }
    }

    /// The penalty as a function of the coordinates in `places` alone, the others held as in θ: β_j = max_t |a_jt|
    /// of paper 1 moves with them, and is no lower than what is held. The penalty on what is held is left out
    /// where nothing of its group moves.
    pub fn on_places(&self, theta: &[f64], places: &[usize]) -> Self {
        let mut own = vec![usize::MAX; self.dim];
        for (i, place) in places.iter().enumerate() {
            own[*place] = i;
        }
        let moving = |i: &usize| (own[*i] != usize::MAX).then(|| own[*i]);
        let group = |group: &PenalizedGroup| {
            let held = group.members.iter().filter(|i| moving(i).is_none());
            let held = held.fold(group.floor, |m, i| m.max(theta[*i].abs()));
            let members: Vec<usize> = group.members.iter().filter_map(moving).collect();
            (!members.is_empty()).then_some(PenalizedGroup {
                members,
                floor: held,
            })
        };
        let bounds = match &self.bounds {
            Bounds::Same(_) => self.bounds.clone(),
            Bounds::Each(_) => places.iter().map(|i| self.bounds.of(*i)).collect(),
        };
        Self {
            bounds,
            dim: places.len(),
            coordinates: self.coordinates.iter().filter_map(moving).collect(),
            groups: self.groups.iter().filter_map(group).collect(),
            ..*self
        }
    }

    /// The coordinates that share the largest magnitude of their group with others and are not 0: none of them
    /// lowers the norm alone.
    pub fn tied(&self, theta: &[f64]) -> Vec<usize> {
        let tied = self.groups.iter().flat_map(|group| {
            let top = group.largest(theta);
            let tops = group.members.iter().copied();
            let tops: Vec<usize> = tops.filter(|i| theta[*i].abs() == top).collect();
            let alone = top == 0.0 || tops.len() < 2;
            if alone { Vec::new() } else { tops }
        });
        tied.collect()
    }

    /// The same penalty on splits in the features that are kept, of so many; the coefficients of all
    /// others must be 0.
    pub fn keeping(mut self, kept: &[bool]) -> Self {
        let mut bounds = vec![self.bounds.of(0); self.dim];
        for (i, kept) in self.coordinates.iter().zip(kept.iter().cycle()) {
            if !kept {
                bounds[*i] = Interval::new(0.0, 0.0);
            }
        }
        self.bounds = bounds.into_iter().collect();
        self
    }

    /// This penalty on one split, on all splits of a tree.
    pub fn on_tree(&self, topology: &Topology, features: usize) -> Self {
        let layout = ParameterLayout::new(topology, features);
        let nodes = 0..topology.branches();
        let everywhere = |own: &[usize]| {
            let nodes = nodes.clone().map(|t| layout.coefficients(t).start);
            nodes
                .flat_map(|first| own.iter().map(move |i| first + i))
                .collect()
        };
        let bounds = match &self.bounds {
            Bounds::Same(interval) => Bounds::Same(*interval),
            own => (0..layout.dim())
                .map(|i| own.of(layout.within_node(i)))
                .collect(),
        };
        let groups = self.groups.iter().map(|group| PenalizedGroup {
            members: everywhere(&group.members),
            floor: group.floor,
        });
        Self {
            bounds,
            dim: layout.dim(),
            coordinates: everywhere(&self.coordinates),
            groups: groups.collect(),
            ..*self
        }
    }

    /// The coordinates that are penalized.
    pub fn coordinates(&self) -> &[usize] {
        &self.coordinates
    }

    /// The same within these bounds.
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Moves each coordinate to the nearest place where it may lie.
    pub fn put_within_bounds(&self, theta: &mut [f64]) {
        self.bounds.prox(theta, 0.0);
    }

    /// The same penalty, `factor` times as strong.
    pub fn scaled(mut self, factor: f64) -> Self {
        // A node that few rows reach may ask for more than any product can hold.
        self.local = (self.local * factor).min(MAX_WEIGHT);
        self.global = (self.global * factor).min(MAX_WEIGHT);
        self
    }

    /// The smaller of λ_L and λ_G that is not 0; infinite if both are.
    pub fn least_weight(&self) -> f64 {
        let given = [self.local, self.global].into_iter().filter(|w| *w > 0.0);
        given.fold(f64::INFINITY, f64::min)
    }

    /// Whether there is anything but the bounds.
    pub fn is_zero(&self) -> bool {
        self.local == 0.0 && self.global == 0.0
    }

    /// How many tangents the solver takes at most; one where the penalty is its own, or only has to point
    /// the way.
    pub fn tangents(&self, soft: bool) -> usize {
        match soft || self.is_zero() || self.shape.is_norm() {
            true => 1,
            false => MAX_TANGENTS,
        }
    }
}

impl Majorized for Penalty {
    type Tangent = SparsityTerm;

    /// The penalty at θ.
    fn value(&self, theta: &[f64]) -> f64 {
        let mut value = 0.0;
        if self.local > 0.0 {
            let terms = self.coordinates.iter().map(|i| theta[*i].abs());
            value += self.local * terms.map(|u| self.shape.rise(u)).sum::<f64>();
        }
        let global: f64 = self
            .groups
            .iter()
            .map(|group| self.shape.rise(group.largest(theta)))
            .sum();
        if self.global > 0.0 {
            value += self.global * global;
        }
        value
    }

    /// The penalty's tangent at θ, up to a constant, with the bounds: what the solver takes.
    fn tangent(&self, theta: &[f64]) -> SparsityTerm {
        let mut local = vec![0.0; self.dim];
        if self.local > 0.0 {
            for i in &self.coordinates {
                local[*i] = self.local * self.shape.slope(theta[*i].abs());
            }
        }
        let groups = self
            .groups
            .iter()
            .map(|group| Group {
                weight: self.global * self.shape.slope(group.largest(theta)),
                members: group.members.clone(),
                floor: group.floor,
            })
            .filter(|group| group.weight > 0.0)
            .collect();
        SparsityTerm {
            bounds: self.bounds.clone(),
            local,
            groups,
        }
    }
}

fn largest(theta: &[f64], members: &[usize]) -> f64 {
    members.iter().fold(0.0f64, |m, i| m.max(theta[*i].abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::penalty_shape::EVERY_SHAPE;
    use proptest::prelude::*;

    #[test]
    fn leaves_may_be_free_beside_bounded_splits() {
        // One feature's split, its leaf, and an intercept that is neither bounded nor penalized.
        let settings = PenaltySettings {
            global: 2.0,
            ..PenaltySettings::default()
        };
        let bounds = [Interval::new(-1.0, 1.0), Interval::FREE, Interval::FREE];
        let bounds = bounds.into_iter().collect();
        let penalty = Penalty::new(&settings, 3, bounds, vec![0, 1], vec![vec![0, 1]]);
        let mut x = [-7.0, 6.0, -50.0];
        penalty.tangent(&x).prox(&mut x, 1.0);
        assert_eq!(x, [-1.0, 4.0, -50.0]);
    }

    proptest! {
        /// The tangent lies above the penalty and touches it.
        #[test]
        fn tangents_majorize(
            at in prop::collection::vec(-1.0..1.0f64, 9),
            theta in prop::collection::vec(-1.0..1.0f64, 9),
            shape in 0usize..5,
        ) {
            let settings = PenaltySettings {
                local: Some(0.3),
                share: None,
                global: 0.2,
                shape: EVERY_SHAPE[shape],
                groups: Some(vec![7, 7]),
            };
            let penalty = Penalty::on_splits(&settings, &Topology::complete(2), 2);
            let term = penalty.tangent(&at);
            let term_at = |theta: &[f64]| SimpleTerm::value(&term, theta);
            let above = |theta: &[f64]| penalty.value(&at) + term_at(theta) - term_at(&at);
            prop_assert!(above(&theta) >= penalty.value(&theta) - 1e-12);
        }
    }
}
