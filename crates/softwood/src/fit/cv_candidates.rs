//! The candidates of `fit_orct_cv`, and which of them wins.

use super::cv_settings::{CvRule, CvSettings};
use crate::fitted::CvCandidate;
use crate::tree::Topology;

/// All candidates; those of one (depth, scaling) stand together, γ and then penalties increasing.
pub(super) fn candidates(s: &CvSettings, features: usize, classes: usize) -> Vec<CvCandidate> {
    let p = features as f64;
    let mut gammas = s.gammas.clone();
    gammas.sort_by(f64::total_cmp);
    let mut candidates = Vec::new();
    for depth in &s.depths {
        let b = Topology::complete(*depth).branches() as f64;
        if !has_leaves_for(s, *depth, classes) {
            continue;
        }
        for scaling in &s.scalings {
            for gamma in &gammas {
                for global in &s.global_grid {
                    for local in &s.local_grid {
                        candidates.push(CvCandidate {
                            depth: *depth,
                            scaling: *scaling,
                            gamma: *gamma,
                            local_penalty: local / (p * b),
                            global_penalty: global / p,
                            cost: f64::NAN,
                            standard_error: f64::NAN,
                            accuracy: f64::NAN,
                            local_sparsity: f64::NAN,
                            global_sparsity: f64::NAN,
                            folds: 0,
                        });
                    }
                }
            }
        }
    }
    candidates
}

/// Whether a tree of this depth is a candidate: not if it is too small for the classes.
pub(super) fn has_leaves_for(s: &CvSettings, depth: usize, classes: usize) -> bool {
    !s.fit.cover_classes || classes <= 1 << depth
}

/// The winner by the rule, of these candidates.
pub(super) fn choose(rule: CvRule, candidates: &[CvCandidate], finalists: &[usize]) -> usize {
    let candidate = |i: &usize| &candidates[*i];
    // Shallow and sparse first, so that they win ties.
    let sparsest = |a: &usize, b: &usize| {
        let (a, b) = (candidate(a), candidate(b));
        (a.depth.cmp(&b.depth))
            .then(b.global_sparsity.total_cmp(&a.global_sparsity))
            .then(b.local_sparsity.total_cmp(&a.local_sparsity))
    };
    let best = finalists
        .iter()
        .min_by(|a, b| {
            (candidate(a).cost.total_cmp(&candidate(b).cost)).then_with(|| sparsest(a, b))
        })
        .expect("there is a candidate");
    match rule {
        CvRule::Best => *best,
        CvRule::OneStandardError => {
            let limit = candidate(best).cost + candidate(best).standard_error;
            let close = finalists.iter().filter(|i| candidate(i).cost <= limit);
            *close.min_by(|a, b| sparsest(a, b)).unwrap_or(best)
        }
    }
}
