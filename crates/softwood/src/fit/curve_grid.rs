//! The settings of a tree on curves that folds choose from, whatever is predicted.

use super::interval_settings::IntervalSettings;
use super::validate::check_setting;
use crate::error::InputError;
use crate::fitted::FunctionalCandidate;
use crate::functional::CurveLayout;
use crate::objective::PenaltySettings;

/// Settings to choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveGrid {
    /// Depths.
    pub depths: Vec<usize>,
    /// Numbers of intervals, increasing: each starts from the trees of the one before.
    pub n_intervals: Vec<usize>,
    /// Sets of orders of derivatives.
    pub derivatives: Vec<Vec<usize>>,
    /// Values of γ.
    pub gammas: Vec<f64>,
    /// Values of λ_len.
    pub length_penalties: Vec<f64>,
    /// Values of λ_L.
    pub local_penalties: Vec<f64>,
    /// Values of λ_G.
    pub global_penalties: Vec<f64>,
}

impl Default for CurveGrid {
    fn default() -> Self {
        Self {
            depths: vec![1],
            n_intervals: vec![1, 2, 3, 4, 5],
            derivatives: vec![vec![0], vec![1], vec![2]],
            gammas: vec![32.0, 128.0],
            length_penalties: vec![0.0],
            local_penalties: vec![0.0],
            global_penalties: vec![0.0],
        }
    }
}

impl CurveGrid {
    /// Checks that there is something to choose from; its values are checked with the fit's other settings.
    pub(super) fn check(&self) -> Result<(), InputError> {
        let given = [
            ("depths", self.depths.is_empty()),
            ("derivatives", self.derivatives.is_empty()),
            ("gammas", self.gammas.is_empty()),
            ("length_penalties", self.length_penalties.is_empty()),
            ("local_penalties", self.local_penalties.is_empty()),
            ("global_penalties", self.global_penalties.is_empty()),
        ];
        for (name, empty) in given {
            check_setting(!empty, name, "at least one value", "none")?;
        }
        let counts = &self.n_intervals;
        check_setting(
            !counts.is_empty() && counts.is_sorted_by(|a, b| a < b),
            "n_intervals",
            "one or more numbers, increasing",
            format!("{counts:?}"),
        )
    }

    /// Checks the largest number of intervals against the points of the curves and the largest γ.
    pub(super) fn check_against(&self, layout: &CurveLayout) -> Result<(), InputError> {
        let largest = IntervalSettings {
            n_intervals: self.most_intervals(),
            ..IntervalSettings::default()
        };
        let gamma = self.gammas.iter().copied().fold(0.0, f64::max);
        largest.check_against(layout, gamma)
    }

    /// The largest number of intervals.
    pub(super) fn most_intervals(&self) -> usize {
        self.n_intervals.last().copied().unwrap_or(1)
    }

    /// The largest depth.
    pub(super) fn deepest(&self) -> usize {
        self.depths.iter().copied().max().unwrap_or(1)
    }

    /// All candidates of the depths that are `allowed`, with each of the λ_β of a regression, in chains of increasing
    /// numbers of intervals.
    pub(super) fn candidates(
        &self,
        allowed: impl Fn(usize) -> bool,
        ridges: &[Option<f64>],
    ) -> Vec<FunctionalCandidate> {
        let depths = self.depths.iter().filter(|depth| allowed(**depth));
        let first = |depth: &usize| FunctionalCandidate {
            depth: *depth,
            n_intervals: 1,
            derivatives: Vec::new(),
            gamma: 0.0,
            length_penalty: 0.0,
            local_penalty: 0.0,
            global_penalty: 0.0,
            ridge_leaves: None,
        };
        let all = depths.map(first).collect();
        let all = with_each(all, &self.derivatives, |c, v| c.derivatives.clone_from(v));
        let all = with_each(all, &self.gammas, |c, v| c.gamma = *v);
        let all = with_each(all, &self.length_penalties, |c, v| c.length_penalty = *v);
        let all = with_each(all, &self.local_penalties, |c, v| c.local_penalty = *v);
        let all = with_each(all, &self.global_penalties, |c, v| c.global_penalty = *v);
        let all = with_each(all, ridges, |c, v| c.ridge_leaves = *v);
        with_each(all, &self.n_intervals, |c, v| c.n_intervals = *v)
    }
}

/// Each candidate with each of the values, which stand together.
fn with_each<V>(
    candidates: Vec<FunctionalCandidate>,
    values: &[V],
    set: impl Fn(&mut FunctionalCandidate, &V),
) -> Vec<FunctionalCandidate> {
    let with = |candidate: &FunctionalCandidate, value: &V| {
        let mut candidate = candidate.clone();
        set(&mut candidate, value);
        candidate
    };
    let all = candidates.iter();
    all.flat_map(|candidate| values.iter().map(move |value| with(candidate, value)))
        .collect()
}

impl FunctionalCandidate {
    /// `base` with what this candidate fixes.
    pub(super) fn intervals(&self, base: &IntervalSettings) -> IntervalSettings {
        IntervalSettings {
            n_intervals: self.n_intervals,
            derivatives: self.derivatives.clone(),
            length_penalty: self.length_penalty,
            ..base.clone()
        }
    }

    /// `base` with what this candidate fixes.
    pub(super) fn penalty(&self, base: &PenaltySettings) -> PenaltySettings {
        PenaltySettings {
            local: Some(self.local_penalty),
            global: self.global_penalty,
            ..base.clone()
        }
    }
}
