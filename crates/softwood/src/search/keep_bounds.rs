//! Through the stages of a descent to a tree whose decisions keep their bounds, too.

use super::descent::{Descent, RATE_REACHED, RATE_SEARCH, StartOutcome};
use crate::objective::{RateBound, RateBounds, RateReached};
use crate::solver::Multipliers;
use crate::stop::Interrupted;

/// Shares of their first excess by which bounds on decisions are loosened, one after the other.
const APPROACH: [f64; 5] = [0.75, 0.5, 0.25, 0.1, 0.0];

/// Times that expectations are corrected for decisions at most.
const CORRECTIONS: usize = 6;

/// A bound with room to spare that still asks for so much, on the scale of the mean cost, has pushed the splits to
/// where nothing moves any more.
const LEFT_OVER: f64 = 0.01;

impl Descent<'_, '_> {
    /// Follows the stages from number `first` on, alternating the exact label step with the
    /// quasi-Newton run until labels stop changing. Stopped, it returns the best it can label.
    ///
    /// Bounds are on expectations there. Where decisions are to keep them and do not, expectations are led as
    /// far away from the limit as decisions were found to be from them, until decisions keep it.
    pub fn follow(&self, first: usize, theta: Vec<f64>) -> Result<StartOutcome, Interrupted> {
        let mut latest = match self.bounds.are_on_decisions() {
            true => self.approach(first, theta, |bound| bound.of_decisions)?,
            false => {
                let direct = self.descend(first, theta.clone(), self.no_multipliers())?;
                match self.is_pushed_aside(&direct) {
                    true => direct.or_better(self.approach(first, theta, |_| true)?),
                    false => direct,
                }
            }
        };
        let mut best = latest.clone();
        for _ in 0..CORRECTIONS {
            let in_reach = |reached: &RateReached| reached.excess_expected <= RATE_REACHED;
            let corrigible = latest.shortfall > 0.0 && latest.reached.iter().all(in_reach);
            if !corrigible || latest.ending.status.is_stopped() {
                break;
            }
            latest = self.go_on(self.bounds.shifted(&latest.reached), latest)?;
            if latest.order(&best).is_lt() {
                best = latest.clone();
            }
        }
        best.ending.work = latest.ending.work;
        Ok(best)
    }

    /// Whether complementary slackness fails: a price is asked for a bound that has room to spare.
    fn is_pushed_aside(&self, outcome: &StartOutcome) -> bool {
        let prices = self.bounds.prices(&outcome.multipliers);
        let mut both = prices.iter().zip(&outcome.reached);
        both.any(|(price, reached)| price * -reached.excess_expected > LEFT_OVER)
    }

    /// Follows the stages without some of the bounds and then tightens them step by step: a small gap is
    /// easiest kept by no split at all, and from there is no way back.
    fn approach(
        &self,
        first: usize,
        theta: Vec<f64>,
        some: fn(&RateBound) -> bool,
    ) -> Result<StartOutcome, Interrupted> {
        let free = self.with_bounds(self.bounds.without(some));
        let mut latest = free.descend(first, theta, self.no_multipliers())?;
        let away = latest.reached.clone();
        for share in APPROACH {
            if latest.ending.status.is_stopped() {
                break;
            }
            latest = self.go_on(self.bounds.loosened(some, &away, share), latest)?;
        }
        Ok(latest)
    }

    /// Goes on from an outcome under other bounds; the work of both.
    fn go_on(&self, bounds: RateBounds, from: StartOutcome) -> Result<StartOutcome, Interrupted> {
        let multipliers = Multipliers::at(from.multipliers, &RATE_SEARCH);
        let last = self.stages.len() - 1;
        let mut outcome = (self.with_bounds(bounds)).descend(last, from.theta, multipliers)?;
        outcome.ending.work += from.ending.work;
        Ok(outcome)
    }

    fn with_bounds(&self, bounds: RateBounds) -> Self {
        Self {
            bounds,
            ..self.clone()
        }
    }
}
