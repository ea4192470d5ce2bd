//! Losses of held-out rows, one a row: their weighted mean is what candidates are judged by, their spread
//! its standard error.
//!
//! Where the score is no mean over rows a row's loss is the score's plus the row's influence on it, whose
//! weighted mean is 0: the standard error then is that of the linearized score.

use crate::fitted::{ClassScoring, ResponseScoring};

/// A probability of 0 for what happened costs −log of this, not infinity.
const LEAST_PROBABILITY: f64 = 1e-15;

/// Held-out rows of a fold, with what a tree says of them.
pub(crate) struct HeldOutClasses<'a> {
    /// Class of each row, of K.
    pub codes: &'a [u32],
    /// Weight of each row.
    pub weights: &'a [f64],
    /// N × K.
    pub probabilities: &'a [f64],
    /// Class decided on for each row, and that by hard routing.
    pub predicted: &'a [u32],
    pub hard: &'a [u32],
    /// K × K.
    pub costs: &'a [f64],
}

impl HeldOutClasses<'_> {
    fn classes(&self) -> usize {
        self.probabilities.len() / self.codes.len()
    }

    /// A loss for each row.
    pub fn losses(&self, scoring: ClassScoring) -> Vec<f64> {
        let k = self.classes();
        let rows = || self.codes.iter().zip(self.predicted);
        let wrong = |(y, predicted): (&u32, &u32)| f64::from(y != predicted);
        match scoring {
            ClassScoring::Cost => {
                let cost = |(y, c): (&u32, &u32)| self.costs[*y as usize * k + *c as usize];
                rows().map(cost).collect()
            }
            ClassScoring::Accuracy => rows().map(wrong).collect(),
            ClassScoring::BalancedAccuracy => {
                let of_class = self.class_weights();
                let present = of_class.iter().filter(|w| **w > 0.0).count() as f64;
                let total: f64 = of_class.iter().sum();
                let share = |y: u32| total / (present * of_class[y as usize]);
                rows().map(|row| share(*row.0) * wrong(row)).collect()
            }
            ClassScoring::LogLoss => {
                let of = |(y, all): (&u32, &[f64])| all[*y as usize].max(LEAST_PROBABILITY);
                let rows = self.codes.iter().zip(self.probabilities.chunks_exact(k));
                rows.map(|row| -of(row).ln()).collect()
            }
            ClassScoring::Brier => self.squared_errors(),
            ClassScoring::BrierAndAgreement => {
                let differ = self.predicted.iter().zip(self.hard).map(|(a, b)| a != b);
                let both = self.squared_errors().into_iter().zip(differ);
                both.map(|(error, differ)| error + f64::from(differ))
                    .collect()
            }
            ClassScoring::RocAuc => self.ranking_losses(),
        }
    }

    /// Σ_k (probability of k − 1 if k is true, else 0)² of each row.
    fn squared_errors(&self) -> Vec<f64> {
        let k = self.classes();
        let of_row = |(y, all): (&u32, &[f64])| {
            let error = |class: usize| all[class] - f64::from(class == *y as usize);
            (0..k).map(|class| error(class).powi(2)).sum()
        };
        let rows = self.codes.iter().zip(self.probabilities.chunks_exact(k));
        rows.map(of_row).collect()
    }

    /// Weight of each class, by the heaviest row.
    fn class_weights(&self) -> Vec<f64> {
        let mut of_class = vec![0.0; self.classes()];
        let heaviest = self.weights.iter().copied().fold(0.0, f64::max);
        for (y, w) in self.codes.iter().zip(self.weights) {
            of_class[*y as usize] += w / heaviest;
        }
        of_class
    }

    /// 1 − AUC plus the influence of each row on it (DeLong, DeLong and Clarke-Pearson 1988): for each class
    /// k, v_i − (1 − AUC_k) by the share of the rows on i's side, v_i being the share of the other side that
    /// is ranked on the wrong side of i, ties counting half. A class that all rows or none have says
    /// nothing.
    fn ranking_losses(&self) -> Vec<f64> {
        let (n, k) = (self.codes.len(), self.classes());
        let of_class = self.class_weights();
        let total: f64 = of_class.iter().sum();
        let judged = |class: &usize| of_class[*class] > 0.0 && of_class[*class] < total;
        let judged: Vec<usize> = (0..k).filter(judged).collect();
        let mut losses = vec![0.0; n];
        for class in &judged {
            let inside: Vec<bool> = self.codes.iter().map(|y| *y as usize == *class).collect();
            let scores: Vec<f64> = (0..n).map(|i| self.probabilities[i * k + class]).collect();
            let misplaced = misplaced(&scores, &inside, self.weights);
            let sides = [total - of_class[*class], of_class[*class]];
            let rank_loss = weighted_mean_of(&misplaced, &inside, self.weights);
            for i in 0..n {
                let share = sides[usize::from(inside[i])] / total;
                losses[i] += rank_loss + (misplaced[i] - rank_loss) / share;
            }
        }
        let count = judged.len().max(1) as f64;
        losses.iter_mut().for_each(|loss| *loss /= count);
        losses
    }
}

/// Mean over the rows inside.
fn weighted_mean_of(values: &[f64], inside: &[bool], weights: &[f64]) -> f64 {
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    let rows = values.iter().zip(inside).zip(weights);
    let rows = rows.filter(|((_, inside), _)| **inside);
    let (mut sum, mut total) = (0.0, 0.0);
    for ((value, _), weight) in rows {
        sum += value * (weight / heaviest);
        total += weight / heaviest;
    }
    sum / total
}

/// For each row, the share of the other side, by weight, that is ranked on its wrong side: at or above an
/// inner row, at or below an outer one, equals counting half.
fn misplaced(scores: &[f64], inside: &[bool], weights: &[f64]) -> Vec<f64> {
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let mut totals = [0.0; 2];
    for i in 0..scores.len() {
        totals[usize::from(inside[i])] += weights[i] / heaviest;
    }
    let mut below = [0.0; 2];
    let mut misplaced = vec![0.0; scores.len()];
    for tied in order.chunk_by(|a, b| scores[*a] == scores[*b]) {
        let mut level = [0.0; 2];
        for i in tied {
            level[usize::from(inside[*i])] += weights[*i] / heaviest;
        }
        for i in tied {
            let other = usize::from(!inside[*i]);
            let under = below[other] + 0.5 * level[other];
            let wrong = if inside[*i] {
                totals[other] - under
            } else {
                under
            };
            misplaced[*i] = wrong / totals[other];
        }
        below = [below[0] + level[0], below[1] + level[1]];
    }
    misplaced
}

/// A loss for each held-out row of a regression; `deviation` is that of the response.
pub(crate) fn response_losses(
    scoring: ResponseScoring,
    response: &[f64],
    predicted: &[f64],
    deviation: f64,
) -> Vec<f64> {
    let errors = response.iter().zip(predicted).map(|(y, p)| y - p);
    match scoring {
        ResponseScoring::Mae => errors.map(f64::abs).collect(),
        ResponseScoring::Mse => errors.map(|e| e * e).collect(),
        // By the deviation first: squares of responses may be too large.
        ResponseScoring::R2 => errors.map(|e| (e / deviation).powi(2)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::race::weighted_mean;
    use proptest::prelude::*;

    fn held<'a>(
        codes: &'a [u32],
        weights: &'a [f64],
        probabilities: &'a [f64],
        predicted: &'a [u32],
    ) -> HeldOutClasses<'a> {
        HeldOutClasses {
            codes,
            weights,
            probabilities,
            predicted,
            hard: &[0; 4][..codes.len().min(4)],
            costs: &[0.0, 1.0, 3.0, 0.0],
        }
    }

    /// AUC of scores by its definition: all pairs.
    fn auc_of_pairs(scores: &[f64], inside: &[bool], weights: &[f64]) -> f64 {
        let (mut right, mut all) = (0.0, 0.0);
        for i in (0..scores.len()).filter(|i| inside[*i]) {
            for j in (0..scores.len()).filter(|j| !inside[*j]) {
                let weight = weights[i] * weights[j];
                all += weight;
                right += weight
                    * match scores[i].total_cmp(&scores[j]) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
            }
        }
        right / all
    }

    proptest! {
        #[test]
        fn the_mean_ranking_loss_is_one_minus_the_auc(
            rows in prop::collection::vec((0u32..2, 0u8..6, 0.1..3.0f64), 4..30)
        ) {
            let codes: Vec<u32> = rows.iter().map(|r| r.0).collect();
            prop_assume!(codes.contains(&0) && codes.contains(&1));
            let weights: Vec<f64> = rows.iter().map(|r| r.2).collect();
            let one: Vec<f64> = rows.iter().map(|r| f64::from(r.1) / 8.0).collect();
            let both: Vec<f64> = one.iter().flat_map(|q| [1.0 - q, *q]).collect();
            let losses = held(&codes, &weights, &both, &codes).losses(ClassScoring::RocAuc);
            let inside: Vec<bool> = codes.iter().map(|y| *y == 1).collect();
            let (mean, _) = weighted_mean(&losses, &weights);
            prop_assert!((1.0 - mean - auc_of_pairs(&one, &inside, &weights)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_standard_error_of_an_auc_is_delongs() {
        // Placements .5, 1 of the positives and 1, .5 of the negatives, AUC 0.75: the variance is
        // (1/4) Σ (v − 0.75)² over the positives, and the same over the negatives.
        let codes = [1, 1, 0, 0];
        let both = [0.6, 0.4, 0.2, 0.8, 0.7, 0.3, 0.5, 0.5];
        let weights = [1.0; 4];
        let losses = held(&codes, &weights, &both, &codes).losses(ClassScoring::RocAuc);
        let (mean, error) = weighted_mean(&losses, &weights);
        assert!((mean - 0.25).abs() < 1e-15);
        assert!((error * error - (0.125 / 4.0 + 0.125 / 4.0)).abs() < 1e-15);
    }

    #[test]
    fn losses_of_classes_have_the_scores_as_means() {
        let codes = [0, 0, 0, 1];
        let predicted = [0, 1, 0, 0];
        let both = [0.9, 0.1, 0.2, 0.8, 1.0, 0.0, 1.0, 0.0];
        let weights = [1.0; 4];
        let rows = held(&codes, &weights, &both, &predicted);
        let mean = |scoring| weighted_mean(&rows.losses(scoring), &weights).0;
        assert_eq!(mean(ClassScoring::Cost), 1.0);
        assert_eq!(mean(ClassScoring::Accuracy), 0.5);
        assert!((mean(ClassScoring::BalancedAccuracy) - 0.5 * (1.0 / 3.0 + 1.0)).abs() < 1e-15);
        let expected = -(0.9f64.ln() + 0.2f64.ln() + 1e-15f64.ln()) / 4.0;
        assert!((mean(ClassScoring::LogLoss) - expected).abs() < 1e-12);
        let brier = (0.02 + 1.28 + 0.0 + 2.0) / 4.0;
        assert!((mean(ClassScoring::Brier) - brier).abs() < 1e-15);
        // Hard routing says 0 throughout, soft routing once 1.
        assert!((mean(ClassScoring::BrierAndAgreement) - brier - 0.25).abs() < 1e-15);
    }

    #[test]
    fn one_class_alone_has_no_ranking() {
        let rows = held(&[1, 1], &[1.0, 1.0], &[0.5, 0.5, 0.2, 0.8], &[1, 1]);
        assert_eq!(rows.losses(ClassScoring::RocAuc), [0.0, 0.0]);
    }

    #[test]
    fn losses_of_responses_have_the_scores_as_means() {
        let (y, predicted) = ([1.0, 3.0], [2.0, 0.0]);
        let mean =
            |scoring| weighted_mean(&response_losses(scoring, &y, &predicted, 2.0), &[1.0; 2]);
        assert_eq!(mean(ResponseScoring::Mae).0, 2.0);
        assert_eq!(mean(ResponseScoring::Mse).0, 5.0);
        assert_eq!(mean(ResponseScoring::R2).0, 1.25);
    }
}
