//! Racing of candidates over folds (after Maron and Moore's Hoeffding races): who falls significantly
//! behind on held-out rows is dropped.

use std::cmp::Ordering;

/// After one fold, two, and more, a candidate leaves the race if its held-out costs exceed those of the
/// best by this many standard errors of the paired difference. One fold is one training: that it went
/// badly by chance is not in the standard error, hence the care at first.
const DROPPED_BEHIND: [f64; 3] = [4.0, 3.0, 2.0];

/// What a candidate did on the held-out rows of a fold.
pub(crate) struct Trial {
    /// Loss of every row.
    pub losses: Vec<f64>,
    /// Anything else worth knowing: sums that are added up over the folds.
    pub figures: Vec<f64>,
}

/// How a candidate has done so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    /// Loss of every held-out row so far.
    losses: Vec<f64>,
    /// Weighted mean of the losses and its standard error; NaN before the first fold.
    pub mean: f64,
    pub standard_error: f64,
    /// Folds it was scored on.
    pub folds: usize,
    /// Sums over the folds.
    pub figures: Vec<f64>,
    dropped: bool,
}

/// All candidates and the held-out rows they were scored on.
pub(crate) struct Race {
    standings: Vec<Standing>,
    weights: Vec<f64>,
}

/// Which candidate wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CvRule {
    /// The one of the best score on held-out rows.
    Best,
    /// The simplest of those within one standard error of it.
    OneStandardError,
}

impl Race {
    /// Before the first fold.
    pub fn new(candidates: usize) -> Self {
        let unknown = Standing {
            mean: f64::NAN,
            standard_error: f64::NAN,
            ..Standing::default()
        };
        Self {
            standings: vec![unknown; candidates],
            weights: Vec::new(),
        }
    }

    /// Whether a candidate is still in the race.
    pub fn is_running(&self, candidate: usize) -> bool {
        !self.standings[candidate].dropped
    }

    /// How the candidates have done.
    pub fn standings(&self) -> &[Standing] {
        &self.standings
    }

    /// Takes in what everybody still running did on a fold's held-out rows, of weights `weights`, and
    /// drops those who are significantly behind, or were not tried.
    pub fn add_fold(&mut self, trials: Vec<Option<Trial>>, weights: &[f64]) {
        self.weights.extend(weights);
        for (standing, trial) in self.standings.iter_mut().zip(trials) {
            match trial {
                Some(trial) => standing.add(trial, &self.weights),
                None => standing.dropped = true,
            }
        }
        let running = self.standings.iter().filter(|s| !s.dropped);
        let Some(best) = running.min_by(|a, b| a.mean.total_cmp(&b.mean)) else {
            return;
        };
        let ahead = best.losses.clone();
        for standing in self.standings.iter_mut().filter(|s| !s.dropped) {
            let both = standing.losses.iter().zip(&ahead);
            let behind: Vec<f64> = both.map(|(loss, ahead)| loss - ahead).collect();
            let (mean, error) = weighted_mean(&behind, &self.weights);
            let allowed = DROPPED_BEHIND[standing.folds.clamp(1, DROPPED_BEHIND.len()) - 1];
            standing.dropped = mean > allowed * error && mean != 0.0;
        }
    }

    /// The candidates scored on most folds: only they can win.
    pub fn finalists(&self) -> Vec<usize> {
        let most = self.standings.iter().map(|s| s.folds).max().unwrap_or(0);
        (0..self.standings.len())
            .filter(|i| self.standings[*i].folds == most)
            .collect()
    }

    /// The winner by the rule; `simpler` orders candidates and decides between equals.
    pub fn winner(&self, rule: CvRule, simpler: impl Fn(usize, usize) -> Ordering) -> usize {
        let finalists = self.finalists();
        let standing = |i: &usize| &self.standings[*i];
        let better = |a: &&usize, b: &&usize| {
            let by_loss = standing(a).mean.total_cmp(&standing(b).mean);
            by_loss.then_with(|| simpler(**a, **b))
        };
        let best = *finalists.iter().min_by(better).expect("a candidate");
        match rule {
            CvRule::Best => best,
            CvRule::OneStandardError => {
                let limit = standing(&best).mean + standing(&best).standard_error;
                let close = finalists.into_iter().filter(|i| standing(i).mean <= limit);
                close.min_by(|a, b| simpler(*a, *b)).unwrap_or(best)
            }
        }
    }
}

impl Standing {
    fn add(&mut self, trial: Trial, weights: &[f64]) {
        self.losses.extend(trial.losses);
        self.folds += 1;
        (self.mean, self.standard_error) = weighted_mean(&self.losses, weights);
        self.figures.resize(trial.figures.len(), 0.0);
        let sums = self.figures.iter_mut().zip(trial.figures);
        sums.for_each(|(sum, figure)| *sum += figure);
    }
}

/// Weighted mean and its standard error.
pub(super) fn weighted_mean(values: &[f64], weights: &[f64]) -> (f64, f64) {
    // Relative to the heaviest: squares of very small or large weights would be lost.
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    let weighted = || values.iter().zip(weights.iter().map(|w| w / heaviest));
    let total: f64 = weighted().map(|(_, w)| w).sum();
    let mean = weighted().map(|(v, w)| v * w).sum::<f64>() / total;
    let spread: f64 = weighted().map(|(v, w)| (w * (v - mean)).powi(2)).sum();
    (mean, spread.sqrt() / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(losses: [Option<Vec<f64>>; 3]) -> Vec<Option<Trial>> {
        let trial = |losses| Trial {
            losses,
            figures: vec![1.5],
        };
        losses.into_iter().map(|l| l.map(trial)).collect()
    }

    fn alternating(value: f64) -> Vec<f64> {
        (0..50).map(|i| value * f64::from(i % 2)).collect()
    }

    #[test]
    fn who_is_far_behind_leaves_and_the_best_stays() {
        let mut race = Race::new(3);
        let (good, bad) = (vec![0.0; 50], vec![1.0; 50]);
        let weights = vec![1.0; 50];
        let first = all([Some(good.clone()), Some(alternating(0.1)), Some(bad)]);
        race.add_fold(first, &weights);
        assert_eq!([0, 1, 2].map(|i| race.is_running(i)), [true, false, false]);
        race.add_fold(all([Some(good), None, None]), &weights);
        assert_eq!(race.finalists(), [0]);
        let [first, _, last] = race.standings() else {
            panic!("three candidates");
        };
        assert_eq!((first.mean, first.standard_error), (0.0, 0.0));
        assert_eq!(first.figures, [3.0]);
        assert_eq!(last.folds, 1);
    }

    #[test]
    fn who_is_not_tried_leaves() {
        let mut race = Race::new(3);
        let weights = vec![1.0; 50];
        let first = all([Some(vec![0.5; 50]), None, Some(vec![0.5; 50])]);
        race.add_fold(first, &weights);
        assert_eq!([0, 1, 2].map(|i| race.is_running(i)), [true, false, true]);
        assert_eq!(race.finalists(), [0, 2]);
    }

    #[test]
    fn without_a_fold_all_are_finalists_and_the_simplest_wins() {
        let race = Race::new(2);
        assert_eq!(race.finalists(), [0, 1]);
        assert_eq!(race.winner(CvRule::Best, |a, b| b.cmp(&a)), 1);
    }

    #[test]
    fn the_simplest_within_a_standard_error_wins_by_that_rule() {
        let mut race = Race::new(3);
        // Means 0.5, 0.51 and 0.7, standard errors 0.07.
        let losses = [1.0, 1.02, 1.4].map(|top| Some(alternating(top)));
        race.add_fold(all(losses), &vec![1.0; 50]);
        let last_first = |a: usize, b: usize| b.cmp(&a);
        assert_eq!(race.winner(CvRule::Best, last_first), 0);
        assert_eq!(race.winner(CvRule::OneStandardError, last_first), 1);
    }
}
