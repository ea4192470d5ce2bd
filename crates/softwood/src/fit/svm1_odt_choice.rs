//! The choice among settings of a hard oblique tree on folds of the rows.

use super::class_fold::{ClassData, ClassFold};
use super::cv_table::{table, time_of_choice};
use super::svm1_odt_candidates::{candidates, closing, of_one_tree, plain, rather_kept};
use super::svm1_odt_found::Found;
use super::svm1_odt_rows::{SearchRows, points, scaled as scaled_rows};
use super::svm1_odt_settings::Svm1OdtSettings;
use super::svm1_odt_starts::{kept_tree, orct_by_folds, start_trees};
use super::svm1_odt_task::{Method, Task};
use crate::control::Control;
use crate::data::Scaling;
use crate::error::FitError;
use crate::exact::{Closing, ObliqueTree, Paths, Points, Problem, SolveSettings, widen};
use crate::fitted::{ClassScoring, CvTable, OrctCandidate, Scoring, Svm1OdtCandidate, Svm1OdtTree};
use crate::progress::Progress;
use crate::search::cross_validate::{Candidates, CvEffort};
use crate::search::race::{CvRule, Trial};
use crate::stop::{Interrupted, Stop};
use ndarray::Array2;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

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

/// What was chosen.
pub(super) struct Choice {
    pub candidate: Svm1OdtCandidate,
    /// The table, if there was a choice.
    pub table: Option<CvTable>,
    /// Settings of a randomized tree, if one was tried.
    pub orct: Option<OrctCandidate>,
}

/// The data of a choice and what is chosen from, candidates that close and prune the same tree standing together.
struct Svm1OdtCandidates<'a> {
    data: ClassData<'a>,
    settings: &'a Svm1OdtSettings,
    method: Method<'a>,
    candidates: Vec<Svm1OdtCandidate>,
    orct: Option<&'a OrctCandidate>,
    stop: &'a Stop,
    /// Time for a tree, so that one folding at least is finished.
    share: Option<Duration>,
    /// Progress is that of the fit, not of its folds.
    apart: Control,
    /// Why a tree could not be searched for.
    failed: OnceLock<FitError>,
}

/// A fold with the starts for its trees.
struct SearchFold {
    rows: ClassFold,
    begun: Result<Begun, FitError>,
}

/// The points of a fold, the starts of the search and those that are kept, and the held-out rows scaled alike.
struct Begun {
    points: Points,
    starts: Vec<ObliqueTree>,
    kept: Vec<(Svm1OdtTree, ObliqueTree)>,
    held: Array2<f64>,
}

/// The candidate whose trees get least of the held-out rows wrong.
pub(super) fn choose(
    data: &SearchRows<'_>,
    scaled: (&Points, &Scaling),
    settings: &Svm1OdtSettings,
    (stop, control): (&Stop, &Control),
    method: Method<'_>,
) -> Result<Choice, FitError> {
    let candidates = candidates(settings, method.program);
    let without = |candidate: Svm1OdtCandidate| Choice {
        candidate,
        table: None,
        orct: None,
    };
    if let [only] = &candidates[..] {
        return Ok(without(only.clone()));
    }
    let limit = time_of_choice(&settings.run);
    let within = limit.map_or_else(|| stop.clone(), |limit| stop.within(limit));
    let mut of_fold = settings.clone();
    of_fold.run.time_limit = limit.map(|limit| limit / EFFORT.folds as u32);
    of_fold.restarts = settings.restarts.min(RESTARTS);
    let apart = Control {
        stop: control.stop.clone(),
        progress: Arc::default(),
    };
    let orct = match candidates.iter().any(|c| c.tree == Svm1OdtTree::Orct) {
        true => orct_by_folds(data, scaled, settings, &apart)?,
        false => None,
    };
    let trees = of_one_tree(&candidates, method.program.is_some()).count();
    let mut tried = Svm1OdtCandidates {
        data: ClassData {
            rows: data.rows.reborrow(),
            labels: data.labels,
            weights: Some(data.weights),
            costs: &[], // trees are judged by errors alone
            grouping: None,
        },
        settings: &of_fold,
        share: (of_fold.run.time_limit).map(|limit| limit / (trees + BESIDE) as u32),
        method,
        candidates,
        orct: orct.as_ref(),
        stop: &within,
        apart,
        failed: OnceLock::new(),
    };
    let table = tried.race(settings.run.random_state)?;
    Ok(
        match table.filter(|table| table.candidates[table.chosen].folds > 0) {
            None => without(plain(settings, method.program)),
            Some(table) => Choice {
                candidate: tried.candidates[table.chosen].clone(),
                table: Some(table),
                orct,
            },
        },
    )
}

impl Svm1OdtCandidates<'_> {
    fn is_program(&self) -> bool {
        self.method.program.is_some()
    }

    /// How all do on the folds; none if the rows are too few for these.
    fn race(&mut self, seed: u64) -> Result<Option<CvTable>, FitError> {
        let Ok(foldings) = self.data.foldings(&EFFORT, seed) else {
            return Ok(None);
        };
        let how = (Scoring::Classes(ClassScoring::Accuracy), CvRule::Best);
        let unseen = Progress::default();
        let table = table(&self.candidates, self, &foldings, how, &unseen);
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let mut table = table?;
        table.chosen = rather_kept(&self.candidates, &table);
        Ok(Some(table))
    }

    fn begin(&self, fold: &ClassFold, held: &[usize]) -> Result<Begun, FitError> {
        let train = fold.train.data(&self.data);
        let ones = vec![1.0; train.labels.codes.len()];
        let rows = SearchRows {
            rows: train.rows.reborrow(),
            labels: train.labels,
            weights: train.weights.unwrap_or(&ones),
        };
        let (scaling, points): (Scaling, Points) = points(&rows, self.stop)?;
        let scaled = (&points, &scaling);
        let mut kept = Vec::new();
        for one in of_one_tree(&self.candidates, self.is_program()) {
            let (which, how) = (one[0].tree, (self.settings, self.orct));
            let tree = kept_tree(which, &rows, scaled, how, &self.apart)?;
            kept.extend(tree.map(|tree| (which, tree)));
        }
        let starts = match self
            .candidates
            .iter()
            .any(|c| c.tree == Svm1OdtTree::Search)
        {
            true => start_trees(&rows, scaled, self.settings, &self.apart)?,
            false => Vec::new(),
        };
        let held = scaled_rows(&self.data.rows, held, &scaling);
        Ok(Begun {
            points,
            starts,
            kept,
            held,
        })
    }
}

impl Candidates for Svm1OdtCandidates<'_> {
    type Fold = SearchFold;

    fn count(&self) -> usize {
        self.candidates.len()
    }

    /// Trees of different candidates are made side by side within the one chain.
    fn chain(&self) -> usize {
        self.count()
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
        let mut groups = Vec::new();
        let mut first = chain.start;
        for group in of_one_tree(&self.candidates[chain], self.is_program()) {
            groups.push(first..first + group.len());
            first += group.len();
        }
        // A solver has threads of its own, and its share of the time is meant for it alone.
        let side_by_side = if self.is_program() { groups.len() } else { 1 };
        let tried: Vec<Vec<Option<Trial>>> = groups
            .into_par_iter()
            .with_min_len(side_by_side)
            .map(|group| match group.clone().any(running) {
                true => self.try_tree(group, running, begun, &fold.rows),
                false => Ok(group.map(|_| None).collect()),
            })
            .collect::<Result<_, Interrupted>>()?;
        Ok(tried.into_iter().flatten().collect())
    }
}

impl Svm1OdtCandidates<'_> {
    /// Closes and prunes one tree as each candidate has it.
    fn try_tree(
        &self,
        group: Range<usize>,
        running: &(dyn Fn(usize) -> bool + Sync),
        begun: &Begun,
        rows: &ClassFold,
    ) -> Result<Vec<Option<Trial>>, Interrupted> {
        let paths = Paths::new(self.settings.depth);
        let one = &self.candidates[group.start];
        let problem = Problem {
            points: &begun.points,
            paths: &paths,
            margin: one.epsilon,
        };
        let share = (self.share).map_or_else(|| self.stop.clone(), |share| self.stop.within(share));
        let kept = begun.kept.iter().find(|(which, _)| *which == one.tree);
        let (found, stays) = match kept {
            Some((_, tree)) => (tree.clone(), true),
            None => {
                let found = self.search(&problem, begun, one, &share)?;
                (found.solution.tree, found.objective.is_some())
            }
        };
        let mut trials = Vec::new();
        let mut closed: Option<(Closing, ObliqueTree)> = None;
        for candidate in group {
            // What there is no time left for drops out, but the first.
            let late = !trials.is_empty() && share.check().is_err();
            if !running(candidate) || late {
                trials.push(None);
                continue;
            }
            let candidate = &self.candidates[candidate];
            let how = closing(candidate);
            if closed.as_ref().is_none_or(|(closing, _)| *closing != how) {
                let tree = match stays {
                    true => found.clone(),
                    false => widen(&problem, &found, how, &share),
                };
                closed = Some((how, tree));
            }
            let (_, tree) = closed.as_ref().expect("it was closed");
            let worth = candidate.split_penalty * begun.points.all();
            let mut tree = tree.clone();
            tree.relabel(&begun.points);
            if worth > 0.0 {
                tree = tree.simplified(&begun.points, worth);
            }
            self.stop.check()?;
            trials.push(Some(judge(&tree, begun, rows)));
        }
        Ok(trials)
    }

    /// What is found in its share of the time.
    fn search(
        &self,
        problem: &Problem<'_>,
        begun: &Begun,
        candidate: &Svm1OdtCandidate,
        share: &Stop,
    ) -> Result<Found, Interrupted> {
        let no_proof = SolveSettings {
            seed: self.settings.run.random_state,
            restarts: self.settings.restarts,
            random_starts: 0,
            max_nodes: Some(0),
            improve_limit: None,
        };
        let found = (self.method.search)(Task {
            problem,
            starts: begun.starts.clone(),
            candidate,
            settings: no_proof,
            stop: share,
            control: &self.apart,
        });
        found.map_err(|failed| {
            self.failed.get_or_init(|| failed);
            Interrupted::Cancelled
        })
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
