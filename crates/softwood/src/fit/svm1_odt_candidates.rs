//! Settings of a hard oblique tree tried on folds: the margin of the search, and what closes its splits.

use super::class_fold::{ClassData, ClassFold};
use super::cv_table::{Candidate, table, time_of_choice};
use super::svm1_odt_rows::{SearchRows, points, scaled};
use super::svm1_odt_settings::Svm1OdtSettings;
use super::svm1_odt_starts::start_trees;
use crate::control::Control;
use crate::data::Scaling;
use crate::error::FitError;
use crate::exact::{Closing, ObliqueTree, Paths, Points, Problem, SolveSettings, solve, widen};
use crate::fitted::{ClassScoring, CvTable, Scoring, Svm1OdtCandidate, TriedSettings};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::race::{CvRule, Trial};
use crate::stop::{Interrupted, Stop};
use ndarray::Array2;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// What is tried of ε, α₂ and C where they are not given.
const MARGINS: [f64; 5] = [0.003, 0.01, 0.03, 0.1, 0.3];
const NORM_PENALTIES: [f64; 2] = [0.0, 10.0];
const SLACK_COSTS: [f64; 3] = [10.0, 100.0, 1000.0];
/// What is taken where the rows are too few for folds, or time for one.
const PLAIN: Svm1OdtCandidate = Svm1OdtCandidate {
    epsilon: 0.01,
    alpha2: 0.0,
    slack_cost: 100.0,
};
/// Descents for each split and round at most: enough to compare.
const RESTARTS: usize = 4;
/// Shares of the time for a fold that go into its starts and the closing of splits.
const BESIDE: usize = 2;
/// How much goes into the choice.
const EFFORT: CvEffort = CvEffort {
    folds: 4,
    foldings: 3,
    predictions: 300,
    rows: 3000,
};

/// The data of a choice and what is chosen from, candidates of one ε standing together: they close the same
/// tree.
struct Svm1OdtCandidates<'a> {
    data: ClassData<'a>,
    settings: &'a Svm1OdtSettings,
    candidates: Vec<Svm1OdtCandidate>,
    stop: &'a Stop,
    /// Time for a tree, so that one folding at least is finished.
    share: Option<Duration>,
    /// Progress is that of the fit, not of its folds.
    apart: Control,
}

/// A fold with the starts for its trees.
struct SearchFold {
    rows: ClassFold,
    begun: Result<Begun, FitError>,
}

/// The points of a fold, the starts, and the held-out rows scaled alike.
struct Begun {
    points: Points,
    starts: Vec<ObliqueTree>,
    held: Array2<f64>,
}

/// The candidate whose trees get least of the held-out rows wrong, and the table if there was a choice.
pub(super) fn choose(
    data: &SearchRows<'_>,
    settings: &Svm1OdtSettings,
    (stop, control): (&Stop, &Control),
) -> Result<(Svm1OdtCandidate, Option<CvTable>), FitError> {
    let candidates = candidates(settings);
    if let [only] = &candidates[..] {
        return Ok((only.clone(), None));
    }
    let limit = time_of_choice(&settings.run);
    let within = limit.map_or_else(|| stop.clone(), |limit| stop.within(limit));
    let mut of_fold = settings.clone();
    of_fold.run.time_limit = limit.map(|limit| limit / EFFORT.folds as u32);
    of_fold.restarts = settings.restarts.min(RESTARTS);
    let margins = settings.epsilon.map_or(MARGINS.len(), |_| 1);
    let tried = Svm1OdtCandidates {
        data: ClassData {
            rows: data.rows.reborrow(),
            labels: data.labels,
            weights: Some(data.weights),
            costs: &[], // trees are judged by errors alone
            grouping: None,
        },
        settings: &of_fold,
        candidates,
        stop: &within,
        share: (of_fold.run.time_limit).map(|limit| limit / (margins + BESIDE) as u32),
        apart: Control {
            stop: control.stop.clone(),
            progress: Arc::default(),
        },
    };
    let seed = settings.run.random_state;
    let Ok(foldings) = tried.data.foldings(&EFFORT, seed) else {
        return Ok((plain(settings), None));
    };
    let how = (Scoring::Classes(ClassScoring::Accuracy), CvRule::Best);
    let table = table(
        &tried.candidates,
        &tried,
        &foldings,
        how,
        &Progress::default(),
    )?;
    match table.candidates[table.chosen].folds {
        0 => Ok((plain(settings), None)),
        _ => Ok((tried.candidates[table.chosen].clone(), Some(table))),
    }
}

/// All candidates, of one ε after the other.
fn candidates(settings: &Svm1OdtSettings) -> Vec<Svm1OdtCandidate> {
    let values = |given: Option<f64>, all: &[f64]| given.map_or_else(|| all.to_vec(), |x| vec![x]);
    let mut candidates = Vec::new();
    for epsilon in values(settings.epsilon, &MARGINS) {
        for alpha2 in values(settings.alpha2, &NORM_PENALTIES) {
            for slack_cost in values(settings.slack_cost, &SLACK_COSTS) {
                candidates.push(Svm1OdtCandidate {
                    epsilon,
                    alpha2,
                    slack_cost,
                });
            }
        }
    }
    candidates
}

/// How a candidate closes splits.
pub(super) fn closing(candidate: &Svm1OdtCandidate) -> Closing {
    Closing {
        norm_penalty: candidate.alpha2,
        slack_cost: candidate.slack_cost,
    }
}

/// What is given, and what is taken without folds.
fn plain(settings: &Svm1OdtSettings) -> Svm1OdtCandidate {
    Svm1OdtCandidate {
        epsilon: settings.epsilon.unwrap_or(PLAIN.epsilon),
        alpha2: settings.alpha2.unwrap_or(PLAIN.alpha2),
        slack_cost: settings.slack_cost.unwrap_or(PLAIN.slack_cost),
    }
}

impl Candidate for Svm1OdtCandidate {
    /// The nearest to what is taken without folds: few rows tie often, and that does well on most.
    fn simpler(&self, other: &Self) -> Ordering {
        let off = |value: f64, plain: f64| (value / plain).ln().abs();
        let margin = |c: &Self| off(c.epsilon, PLAIN.epsilon);
        let slack = |c: &Self| off(c.slack_cost, PLAIN.slack_cost);
        (margin(self).total_cmp(&margin(other)))
            .then(self.alpha2.total_cmp(&other.alpha2))
            .then(slack(self).total_cmp(&slack(other)))
    }

    fn tried(&self) -> TriedSettings {
        TriedSettings::Svm1Odt(self.clone())
    }
}

impl Svm1OdtCandidates<'_> {
    fn begin(&self, fold: &ClassFold, held: &[usize]) -> Result<Begun, FitError> {
        let train = fold.train.data(&self.data);
        let ones = vec![1.0; train.labels.codes.len()];
        let rows = SearchRows {
            rows: train.rows.reborrow(),
            labels: train.labels,
            weights: train.weights.unwrap_or(&ones),
        };
        let (scaling, points): (Scaling, Points) = points(&rows, self.stop)?;
        let starts = start_trees(&rows, (&points, &scaling), self.settings, &self.apart)?;
        let held = scaled(&self.data.rows, held, &scaling);
        Ok(Begun {
            points,
            starts,
            held,
        })
    }
}

impl Candidates for Svm1OdtCandidates<'_> {
    type Fold = SearchFold;

    fn count(&self) -> usize {
        self.candidates.len()
    }

    fn chain(&self) -> usize {
        let first = self.candidates[0].epsilon;
        let of_first = self.candidates.iter().filter(|c| c.epsilon == first);
        of_first.count()
    }

    fn starts_of_fold(&self) -> usize {
        self.count()
    }

    fn fold(&self, train: &[usize], held: &[usize]) -> SearchFold {
        let rows = self.data.fold(train, held);
        let begun = self.begin(&rows, held);
        SearchFold { rows, begun }
    }

    fn held_weights(fold: &SearchFold) -> &[f64] {
        &fold.rows.held_weights
    }

    fn try_chain(
        &self,
        chain: Range<usize>,
        running: &(dyn Fn(usize) -> bool + Sync),
        fold: &SearchFold,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        self.stop.check()?;
        // Nothing but being stopped keeps rows that were checked from having starts.
        let begun = fold.begun.as_ref().map_err(|_| Interrupted::Cancelled)?;
        let paths = Paths::new(self.settings.depth);
        let problem = Problem {
            points: &begun.points,
            paths: &paths,
            margin: self.candidates[chain.start].epsilon,
        };
        let no_proof = SolveSettings {
            seed: self.settings.run.random_state,
            restarts: self.settings.restarts,
            random_starts: 0,
            max_nodes: Some(0),
            improve_limit: None,
        };
        let starts = begun.starts.clone();
        let stop = self
            .share
            .map_or_else(|| self.stop.clone(), |share| self.stop.within(share));
        let found = solve(&problem, starts, &no_proof, &stop, &|_| {}).tree;
        let trial = |i: usize| {
            let closing = closing(&self.candidates[i]);
            let mut tree = widen(&problem, &found, closing, self.stop);
            tree.relabel(&begun.points);
            self.stop.check()?;
            Ok(Some(judge(&tree, begun, &fold.rows)))
        };
        chain
            .map(|i| if running(i) { trial(i) } else { Ok(None) })
            .collect()
    }
}

/// Which held-out rows a tree gets wrong; weight of those it gets right and of all, its sparsities in percent.
fn judge(tree: &ObliqueTree, begun: &Begun, fold: &ClassFold) -> Trial {
    let codes = fold.held.labels.codes.iter();
    let wrong = |(x, code): (ndarray::ArrayView1<'_, f64>, &u32)| {
        let x = x.as_slice().expect("rows lie together");
        f64::from(tree.labels[tree.leaf(x)] != *code as usize)
    };
    let losses: Vec<f64> = begun
        .held
        .rows()
        .into_iter()
        .zip(codes)
        .map(wrong)
        .collect();
    let weights = &fold.held_weights;
    let right = losses.iter().zip(weights).map(|(loss, w)| (1.0 - loss) * w);
    let p = begun.points.features();
    let zeros = tree.splits.iter().flat_map(|s| &s.h).filter(|h| **h == 0.0);
    let unused = (0..p).filter(|j| tree.splits.iter().all(|split| split.h[*j] == 0.0));
    let figures = vec![
        right.sum(),
        weights.iter().sum(),
        100.0 * zeros.count() as f64 / (p * tree.splits.len()) as f64,
        100.0 * unused.count() as f64 / p as f64,
    ];
    Trial { losses, figures }
}
