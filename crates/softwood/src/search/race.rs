//! Racing of candidates over folds (after Maron and Moore's Hoeffding races): who falls significantly
//! behind on held-out rows is dropped.

/// After one fold, two, and more, a candidate leaves the race if its held-out costs exceed those of the
/// best by this many standard errors of the paired difference. One fold is one training: that it went
/// badly by chance is not in the standard error, hence the care at first.
const DROPPED_BEHIND: [f64; 3] = [4.0, 3.0, 2.0];

/// How a candidate has done so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    /// Cost of its prediction for every held-out row so far.
    costs: Vec<f64>,
    /// Weighted mean of the costs and its standard error, if it was scored.
    pub mean: Option<(f64, f64)>,
    /// Folds it was scored on.
    pub folds: usize,
    dropped: bool,
}

/// All candidates and the held-out rows they were scored on.
pub(crate) struct Race {
    standings: Vec<Standing>,
    weights: Vec<f64>,
}

impl Race {
    /// Before the first fold.
    pub fn new(candidates: usize) -> Self {
        Self {
            standings: vec![Standing::default(); candidates],
            weights: Vec::new(),
        }
    }

    /// Whether a candidate is still in the race.
    pub fn is_running(&self, candidate: usize) -> bool {
        !self.standings[candidate].dropped
    }

    /// How a candidate has done.
    pub fn standing(&self, candidate: usize) -> &Standing {
        &self.standings[candidate]
    }

    /// Takes in the costs of a fold's held-out rows, of weights `weights`, for everybody still running,
    /// and drops those who are significantly behind.
    pub fn add_fold(&mut self, costs: Vec<Option<Vec<f64>>>, weights: &[f64]) {
        self.weights.extend(weights);
        for (standing, costs) in self.standings.iter_mut().zip(costs) {
            if let Some(costs) = costs {
                standing.costs.extend(costs);
                standing.folds += 1;
                standing.mean = Some(weighted_mean(&standing.costs, &self.weights));
            }
        }
        let mean = |s: &Standing| s.mean.map_or(f64::INFINITY, |(mean, _)| mean);
        let running = self.standings.iter().filter(|s| !s.dropped);
        let Some(best) = running.min_by(|a, b| mean(a).total_cmp(&mean(b))) else {
            return;
        };
        let ahead = best.costs.clone();
        for standing in self.standings.iter_mut().filter(|s| !s.dropped) {
            let behind: Vec<f64> = standing
                .costs
                .iter()
                .zip(&ahead)
                .map(|(c, a)| c - a)
                .collect();
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
}

/// Weighted mean and its standard error.
fn weighted_mean(values: &[f64], weights: &[f64]) -> (f64, f64) {
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

    #[test]
    fn who_is_far_behind_leaves_and_the_best_stays() {
        let mut race = Race::new(3);
        let (good, fair, bad) = (vec![0.0; 50], vec![0.1; 50], vec![1.0; 50]);
        let fair: Vec<f64> = fair
            .iter()
            .enumerate()
            .map(|(i, c)| c * (i % 2) as f64)
            .collect();
        let weights = vec![1.0; 50];
        race.add_fold(vec![Some(good.clone()), Some(fair), Some(bad)], &weights);
        assert_eq!([0, 1, 2].map(|i| race.is_running(i)), [true, false, false]);
        race.add_fold(vec![Some(good), None, None], &weights);
        assert_eq!(race.finalists(), [0]);
        assert_eq!(race.standing(0).mean, Some((0.0, 0.0)));
        assert_eq!(race.standing(2).folds, 1);
    }

    #[test]
    fn without_a_fold_all_are_finalists() {
        assert_eq!(Race::new(2).finalists(), [0, 1]);
    }
}
