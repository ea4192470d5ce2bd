//! What may be chosen of a hard oblique tree: the margin of the search, what closes its splits and what a split
//! costs, and whether a start had better be kept as it is.

use super::cv_table::Candidate;
use super::svm1_odt_settings::{Svm1OdtSettings, Svm1OdtStart};
use crate::exact::Closing;
use crate::fitted::{CvTable, Svm1OdtCandidate, Svm1OdtTree, TriedSettings};
use crate::mip::{Formulation, MipSettings};
use std::cmp::Ordering;

/// What is tried of ε, α₂, C and the cost of a split where they are not given.
const MARGINS: [f64; 5] = [0.003, 0.01, 0.03, 0.1, 0.3];
const NORM_PENALTIES: [f64; 2] = [0.0, 10.0];
const SLACK_COSTS: [f64; 3] = [100.0, 10.0, 1000.0];
const SPLIT_PENALTIES: [f64; 5] = [0.0, 0.01, 0.02, 0.05, 1.0];
/// What is tried of ε, α₁ε and α₂ where a program is solved for each.
const PROGRAM_MARGINS: [f64; 3] = [0.01, 0.03, 0.1];
const PROGRAM_SLACKS: [f64; 2] = [1.0, 3.0];
const PROGRAM_NORMS: [f64; 3] = [0.0, 0.1, 1.0];
/// What is taken where the rows are too few for folds, or time for one.
const PLAIN: Svm1OdtCandidate = Svm1OdtCandidate {
    epsilon: 0.01,
    alpha1: None,
    alpha2: 0.0,
    slack_cost: 100.0,
    split_penalty: 0.0,
    tree: Svm1OdtTree::Search,
};

/// All candidates, of one tree after the other.
pub(super) fn candidates(
    settings: &Svm1OdtSettings,
    program: Option<&MipSettings>,
) -> Vec<Svm1OdtCandidate> {
    match program {
        Some(program) => of_program(settings, program),
        None => of_search(settings),
    }
}

/// What was given, or all that is tried.
fn values(given: Option<f64>, all: &[f64]) -> Vec<f64> {
    given.map_or_else(|| all.to_vec(), |x| vec![x])
}

/// Those of a program, which minimizes α₁ and α₂ with the mistakes.
fn of_program(settings: &Svm1OdtSettings, program: &MipSettings) -> Vec<Svm1OdtCandidate> {
    let plain = plain(settings, Some(program));
    let mut candidates = Vec::new();
    for epsilon in values(settings.epsilon, &PROGRAM_MARGINS) {
        let slacks = PROGRAM_SLACKS.map(|times| Some((times / epsilon).ceil()));
        let slacks = match program.alpha1 {
            Some(given) => vec![given],
            None => [None].into_iter().chain(slacks).collect(),
        };
        for alpha1 in slacks {
            for alpha2 in values(settings.alpha2, &PROGRAM_NORMS) {
                // Splits are closed where mistakes alone are counted.
                let counts = program.formulation == Formulation::CorrectRows && alpha2 == 0.0;
                let unused = (!counts).then_some(plain.slack_cost);
                for slack_cost in values(settings.slack_cost.or(unused), &SLACK_COSTS) {
                    candidates.push(Svm1OdtCandidate {
                        epsilon,
                        alpha1,
                        alpha2,
                        slack_cost,
                        ..plain
                    });
                }
            }
        }
    }
    candidates
}

/// Those of this library's search.
fn of_search(settings: &Svm1OdtSettings) -> Vec<Svm1OdtCandidate> {
    let mut candidates = Vec::new();
    for tree in kinds(settings) {
        let plain = Svm1OdtCandidate {
            tree,
            ..plain(settings, None)
        };
        // What the search and the closing go by does not matter to a tree that is kept.
        let of_tree = |given: Option<f64>, all: &[f64], plain: f64| match tree {
            Svm1OdtTree::Search => values(given, all),
            _ => vec![plain],
        };
        for epsilon in of_tree(settings.epsilon, &MARGINS, plain.epsilon) {
            for alpha2 in of_tree(settings.alpha2, &NORM_PENALTIES, plain.alpha2) {
                for slack_cost in of_tree(settings.slack_cost, &SLACK_COSTS, plain.slack_cost) {
                    for split_penalty in values(settings.split_penalty, &SPLIT_PENALTIES) {
                        candidates.push(Svm1OdtCandidate {
                            epsilon,
                            alpha1: None,
                            alpha2,
                            slack_cost,
                            split_penalty,
                            tree,
                        });
                    }
                }
            }
        }
    }
    candidates
}

/// Which trees there may be. One that was given may have been fitted to the rows of a fold: folds do not judge it.
fn kinds(settings: &Svm1OdtSettings) -> Vec<Svm1OdtTree> {
    let kept: &[Svm1OdtTree] = match &settings.start {
        Svm1OdtStart::Auto => &[Svm1OdtTree::Orct, Svm1OdtTree::Cart],
        Svm1OdtStart::Orct => &[Svm1OdtTree::Orct],
        Svm1OdtStart::Cart => &[Svm1OdtTree::Cart],
        Svm1OdtStart::Tree(_) if settings.improve == Some(false) => &[Svm1OdtTree::Given],
        Svm1OdtStart::Tree(_) | Svm1OdtStart::Random => &[],
    };
    let searched = (settings.improve != Some(false)).then_some(Svm1OdtTree::Search);
    let kept = kept.iter().filter(|_| settings.improve != Some(true));
    searched.into_iter().chain(kept.copied()).collect()
}

/// The candidates that close and prune one tree each.
pub(super) fn of_one_tree(
    candidates: &[Svm1OdtCandidate],
    is_program: bool,
) -> impl Iterator<Item = &[Svm1OdtCandidate]> {
    // α₂ is part of what a program minimizes, elsewhere of the closing alone.
    let searched = move |c: &Svm1OdtCandidate| {
        let alpha2 = is_program.then_some(c.alpha2);
        (c.tree, c.epsilon, c.alpha1, alpha2)
    };
    candidates.chunk_by(move |a, b| searched(a) == searched(b))
}

/// How a candidate closes splits.
pub(super) fn closing(candidate: &Svm1OdtCandidate) -> Closing {
    Closing {
        norm_penalty: candidate.alpha2,
        slack_cost: candidate.slack_cost,
    }
}

/// What is given, and what is taken without folds.
pub(super) fn plain(settings: &Svm1OdtSettings, program: Option<&MipSettings>) -> Svm1OdtCandidate {
    Svm1OdtCandidate {
        epsilon: settings.epsilon.unwrap_or(PLAIN.epsilon),
        alpha1: program.and_then(|program| program.alpha1.flatten()),
        alpha2: settings.alpha2.unwrap_or(PLAIN.alpha2),
        slack_cost: settings.slack_cost.unwrap_or(PLAIN.slack_cost),
        split_penalty: settings.split_penalty.unwrap_or(PLAIN.split_penalty),
        tree: kinds(settings)[0],
    }
}

/// The best start that is kept, if it is within one standard error of what the search finds: fewer mistakes on
/// training rows are to be worth it on others. Rows that were held out several times count once.
pub(super) fn rather_kept(candidates: &[Svm1OdtCandidate], table: &CvTable) -> usize {
    let best = &table.candidates[table.chosen];
    if candidates[table.chosen].tree != Svm1OdtTree::Search {
        return table.chosen;
    }
    let near = best.score - best.standard_error * (table.repeats as f64).sqrt();
    let score = |i: usize| table.candidates[i].score;
    let is_near = |i: &usize| {
        let kept = candidates[*i].tree != Svm1OdtTree::Search;
        kept && table.candidates[*i].folds == best.folds && score(*i) >= near
    };
    let better = |a: &usize, b: &usize| {
        let simpler = || candidates[*a].simpler(&candidates[*b]);
        score(*b).total_cmp(&score(*a)).then_with(simpler)
    };
    let kept = (0..candidates.len()).filter(is_near);
    kept.min_by(better).unwrap_or(table.chosen)
}

impl Candidate for Svm1OdtCandidate {
    /// The nearest to what is taken without folds: few rows tie often, and that does well on most.
    fn simpler(&self, other: &Self) -> Ordering {
        let off = |value: f64, plain: f64| (value / plain).ln().abs();
        let margin = |c: &Self| off(c.epsilon, PLAIN.epsilon);
        let alpha1 = |c: &Self| c.alpha1.unwrap_or(0.0);
        let slack = |c: &Self| off(c.slack_cost, PLAIN.slack_cost);
        (self.split_penalty.total_cmp(&other.split_penalty))
            .then(margin(self).total_cmp(&margin(other)))
            .then(alpha1(self).total_cmp(&alpha1(other)))
            .then(self.alpha2.total_cmp(&other.alpha2))
            .then(slack(self).total_cmp(&slack(other)))
            .then((self.tree as u8).cmp(&(other.tree as u8)))
    }

    fn tried(&self) -> TriedSettings {
        TriedSettings::Svm1Odt(self.clone())
    }
}
