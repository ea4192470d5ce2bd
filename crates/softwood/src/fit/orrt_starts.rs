//! The starts of an ORRT, by successive halving: a few iterations for all, the rest for the better half.

use super::orrt_frame::Frame;
use super::orrt_settings::OrrtSettings;
use super::srt_settings::SrtSettings;
use super::srt_starts::SrtStarts;
use super::trend::Trend;
use crate::data::RegressionRows;
use crate::objective::{GroupBounds, LeafRidge, LeastLeafRidge, Penalty, PenaltySettings};
use crate::progress::Progress;
use crate::search::continuation::softer;
use crate::search::mixture_descent::MixtureDescent;
use crate::search::mixture_outcome::MixtureOutcome;
use crate::search::starts::{Starts, best_of_starts, side_by_side, why_stopped};
use crate::start::splits_through_the_data;
use crate::stop::Interrupted;
use crate::tree::{ParameterLayout, RegressionParameters, Topology};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// The first rung: iterations of the last stage after which the worse half of the starts is given up.
const FIRST_RUNG: u64 = 10;

/// λ_β W/2 at least, if none is asked for: splits are fitted, too, which evidence for given splits ignores. What
/// tells leaves apart at the mean row is held back less, or a penalty would rather give up a split.
const LEAST_LEAF_RIDGE: LeastLeafRidge = LeastLeafRidge {
    slopes: 3.0,
    intercepts: 0.3,
};

/// Starts run on a sample of so many rows, or so many for each coefficient of leaf models; every further sample is
/// so many times as large, and all rows are so many times as many as the last at least.
const LEAST_SAMPLE: usize = 4_000;
const SAMPLE_FOR_COEFFICIENT: usize = 20;
const SAMPLE_GROWTH: usize = 8;
const LEAST_SHARE: usize = 3;

/// The first starts, of which a rung tells little: they begin at the last stage.
const INFORMED_STARTS: usize = 2;

/// Starts and macro-iterations of the soft regression tree whose splits are one of the starts.
const SRT_STARTS: usize = 4;
const SRT_MACRO_ITERATIONS: u64 = 10;

/// What every start needs.
pub(super) struct OrrtStarts<'a, 'd> {
    pub data: &'a RegressionRows<'d>,
    pub frame: &'a Frame,
    pub bounds: &'a GroupBounds<'d>,
    pub topology: Topology,
    pub settings: &'a OrrtSettings,
    pub progress: &'a Arc<Progress>,
}

/// All starts, and the tree of the best.
#[derive(Clone)]
pub(super) struct OrrtOutcome {
    pub all: Starts<MixtureOutcome>,
    pub parameters: RegressionParameters,
    /// On the leaf models.
    pub ridge: LeafRidge,
}

impl<'d> OrrtStarts<'_, 'd> {
    /// Runs the starts; of many rows on a sample, from which the best goes on with ever larger ones and in the
    /// end with all: each begins so close to its optimum that few iterations do.
    pub fn run(&self) -> Result<OrrtOutcome, Interrupted> {
        let mut samples = self.samples();
        let Some(first) = samples.next() else {
            return self.climb(self.descent());
        };
        let settings = OrrtSettings {
            penalty: PenaltySettings::none(),
            ..self.settings.clone()
        };
        let plain = (settings, GroupBounds::default());
        let few = self.on(&first, &plain);
        let OrrtOutcome {
            all: mut starts,
            ridge,
            ..
        } = few.climb(few.descent())?;
        let best = &mut starts.outcomes[starts.best];
        let ridge_of = |data: &RegressionRows<'_>| match self.settings.ridge_leaves {
            Some(_) => ridge.clone(),
            None => ridge
                .clone()
                .scaled(first.total_weight() / data.total_weight()),
        };
        for sample in samples {
            if best.ending.status.is_stopped() {
                break;
            }
            let more = self.on(&sample, &plain);
            let descent = MixtureDescent {
                ridge: ridge_of(&sample),
                ..more.descent()
            };
            *best = descent.go_on(best.clone())?;
        }
        let all = MixtureDescent {
            ridge: ridge_of(self.data),
            ..self.descent()
        };
        *best = all.go_on(best.clone())?;
        starts.stopped = why_stopped(&self.data.rows.stop, starts.stopped.is_some());
        Ok(self.outcome(&all, starts))
    }

    /// The same on other rows, under these settings and bounds.
    fn on<'s>(
        &'s self,
        data: &'s RegressionRows<'d>,
        (settings, bounds): &'s (OrrtSettings, GroupBounds<'d>),
    ) -> OrrtStarts<'s, 'd> {
        OrrtStarts {
            data,
            bounds,
            settings,
            topology: self.topology.clone(),
            ..*self
        }
    }

    /// Samples of many rows, from small to large.
    fn samples(&self) -> impl Iterator<Item = RegressionRows<'d>> + '_ {
        let n = self.data.len();
        let coefficients = self.topology.leaves() * (self.data.features() + 1);
        let first = LEAST_SAMPLE.max(SAMPLE_FOR_COEFFICIENT * coefficients);
        let sizes = std::iter::successors(Some(first), |size| Some(size * SAMPLE_GROWTH));
        let sizes = sizes.take_while(move |size| size * LEAST_SHARE <= n);
        let samples = sizes.map(|size| self.data.select(&self.pick(size)));
        samples.filter(|sample| sample.total_weight() > 0.0)
    }

    /// A row out of each of as many stretches of equal length.
    fn pick(&self, count: usize) -> Vec<u32> {
        let n = self.data.len();
        let mut rng = Pcg64::new(u128::from(self.settings.run.random_state), u128::MAX);
        let begin = |k: usize| (k as u128 * n as u128 / count as u128) as usize;
        let pick = |k: usize| rng.random_range(begin(k)..begin(k + 1)) as u32;
        (0..count).map(pick).collect()
    }

    /// The best `count` starts of `before`, which ended at smaller penalties, from there to these penalties.
    pub fn go_on_from(
        &self,
        before: &OrrtOutcome,
        count: usize,
    ) -> Result<OrrtOutcome, Interrupted> {
        let descent = MixtureDescent {
            ridge: before.ridge.clone(),
            ..self.descent()
        };
        self.further(&descent, before, count, |begun| descent.restricted(begun))
    }

    /// The same from softer splits to these.
    pub fn sharpen(&self, before: &OrrtOutcome, count: usize) -> Result<OrrtOutcome, Interrupted> {
        let best = &before.all.outcomes[before.all.best];
        let descent = self.with_ridge_at(self.descent(), best)?;
        self.further(&descent, before, count, |begun| descent.go_on(begun))
    }

    fn further(
        &self,
        descent: &MixtureDescent<'_, '_>,
        before: &OrrtOutcome,
        count: usize,
        step: impl Fn(MixtureOutcome) -> Result<MixtureOutcome, Interrupted> + Send + Sync,
    ) -> Result<OrrtOutcome, Interrupted> {
        let mut last = before.all.outcomes.clone();
        last.sort_by(MixtureOutcome::order);
        last.truncate(count);
        let told = |begun| {
            let outcome = step(begun)?;
            self.progress.finish_start(None);
            Ok(outcome)
        };
        let outcomes = side_by_side(last, self.data.rows.parallelism, told)?;
        let stopped = why_stopped(&self.data.rows.stop, false);
        let all = Starts::ranked(outcomes, MixtureOutcome::order, stopped);
        Ok(self.outcome(descent, all))
    }

    /// The problem, with the plain ridge of the linear regression unless one is asked for.
    fn descent<'s>(&'s self) -> MixtureDescent<'s, 'd> {
        let (settings, p) = (self.settings, self.data.features());
        let penalty = self.frame.penalty.max(LEAST_LEAF_RIDGE.slopes);
        let usual = 2.0 * penalty / self.data.total_weight();
        let ridge = settings.ridge_leaves.unwrap_or(usual);
        let mut gammas = softer(settings.steepness(), p);
        gammas.push(settings.steepness());
        MixtureDescent {
            data: self.data.clone(),
            topology: self.topology.clone(),
            gammas,
            centers: &self.frame.centers,
            variances: &self.frame.variances,
            ridge: LeafRidge::plain(ridge, &self.frame.variances, self.topology.leaves()),
            penalty: Penalty::on_splits_and_leaves(&settings.penalty, &self.topology, p),
            bounds: self.bounds,
            tol: settings.tol,
            max_iter: settings.max_iter,
            progress: self.progress,
        }
    }

    /// All starts climb the first rung with leaves that shrink as the linear regression of all rows does;
    /// the best one tells which ridge has the most evidence. With it the better half goes on to the end, to
    /// penalties and bounds.
    fn climb(&self, descent: MixtureDescent<'_, 'd>) -> Result<OrrtOutcome, Interrupted> {
        let begun = self.first_rung(&descent)?;
        let missing = begun.stopped.is_some();
        let descent = self.with_ridge_at(descent, &begun.outcomes[begun.best])?;
        let outcomes = self.halve(&descent, begun.outcomes)?;
        let stopped = why_stopped(&self.data.rows.stop, missing);
        let all = Starts::ranked(outcomes, MixtureOutcome::order, stopped);
        Ok(self.outcome(&descent, all))
    }

    /// The problem with the ridge of most evidence at a point, unless one is asked for.
    fn with_ridge_at<'s>(
        &self,
        descent: MixtureDescent<'s, 'd>,
        at: &MixtureOutcome,
    ) -> Result<MixtureDescent<'s, 'd>, Interrupted> {
        match self.settings.ridge_leaves {
            Some(_) => Ok(descent),
            None => descent.with_likeliest_ridge(at, LEAST_LEAF_RIDGE),
        }
    }

    fn outcome(
        &self,
        descent: &MixtureDescent<'_, '_>,
        all: Starts<MixtureOutcome>,
    ) -> OrrtOutcome {
        let best = &all.outcomes[all.best];
        self.progress.reach(best.ending.objective);
        OrrtOutcome {
            parameters: descent.parameters(&best.x),
            ridge: descent.ridge.clone(),
            all,
        }
    }

    /// All starts after the iterations that each of them gets.
    fn first_rung(
        &self,
        descent: &MixtureDescent<'_, '_>,
    ) -> Result<Starts<MixtureOutcome>, Interrupted> {
        let informed = match self.informed_splits() {
            Err(Interrupted::Source(error)) => return Err(error.into()),
            found => found.unwrap_or_default(),
        };
        let last = descent.last();
        let begin = |start: usize| match informed.get(start) {
            // Soft stages would forget it.
            Some(theta) => descent.follow(last, theta.clone(), FIRST_RUNG, None),
            None => {
                // The softest stage, 2p, forgets the start; the next one, 8p, keeps more of it.
                let first = if last > 1 { start % 2 } else { 0 };
                descent.follow(first, self.random_splits(start, None)?, FIRST_RUNG, None)
            }
        };
        let rows = &self.data.rows;
        let n = self.settings.n_starts;
        best_of_starts(
            n,
            rows.parallelism,
            &rows.stop,
            begin,
            MixtureOutcome::order,
        )
    }

    /// Takes the better half to the end, and the starts that are not random.
    fn halve(
        &self,
        descent: &MixtureDescent<'_, '_>,
        begun: Vec<MixtureOutcome>,
    ) -> Result<Vec<MixtureOutcome>, Interrupted> {
        let mut ranked: Vec<f64> = begun.iter().map(|run| run.ending.objective).collect();
        ranked.sort_by(f64::total_cmp);
        let median = ranked[(ranked.len() - 1) / 2];
        let finish = |(start, begun): (usize, MixtureOutcome)| {
            let is_good = start < INFORMED_STARTS || begun.ending.objective <= median;
            let goes_on = is_good && !begun.ending.status.is_stopped();
            let outcome = match goes_on {
                true => descent.go_on(begun)?,
                false => begun,
            };
            self.progress.finish_start(Some(outcome.ending.objective));
            Ok(outcome)
        };
        let begun = begun.into_iter().enumerate().collect();
        side_by_side(begun, self.data.rows.parallelism, finish)
    }

    /// Splits through the data, all of them or all but a root.
    fn random_splits(&self, start: usize, root: Option<&[f64]>) -> Result<Vec<f64>, Interrupted> {
        let (topology, p) = (&self.topology, self.data.features());
        let layout = ParameterLayout::new(topology, p);
        let mut rng = Pcg64::new(u128::from(self.settings.run.random_state), start as u128);
        let mut theta = vec![0.0; layout.dim()];
        let rows = self.data.without_deadline().rows;
        let mut fresh = vec![true; topology.branches()];
        if let Some(root) = root {
            layout.set_node(&mut theta, 0, root);
            fresh[0] = false;
        }
        let gamma = self.settings.steepness();
        splits_through_the_data(&rows, topology, gamma, &mut theta, &fresh, &mut rng)?;
        Ok(theta)
    }

    /// The splits of a soft regression tree, as steep as they are there where γ allows, and splits below one that
    /// parts what the linear regression predicts above its mean from the rest, if it predicts anything.
    fn informed_splits(&self) -> Result<Vec<Vec<f64>>, Interrupted> {
        // Other starts cost less, where time is up.
        self.data.rows.stop.check()?;
        let settings = SrtSettings {
            depth: self.topology.depth(),
            n_starts: SRT_STARTS,
            macro_iterations: SRT_MACRO_ITERATIONS,
            run: self.settings.run.clone(),
            ..SrtSettings::default()
        };
        let (trend, left) = Trend::take_out(self.data, &[])?;
        let starts = SrtStarts {
            data: &left,
            topology: self.topology.clone(),
            settings: &settings,
            progress: &Arc::new(Progress::default()),
        }
        .run()?;
        let found = &starts.outcomes[starts.best].parameters;
        let layout = ParameterLayout::new(&self.topology, self.data.features());
        let mut theta = found.theta.clone();
        for t in 0..self.topology.branches() {
            let split = layout.node(&theta, t);
            let steepest = split
                .iter()
                .fold(self.settings.steepness(), |m, a| m.max(a.abs()));
            let gentler: Vec<f64> = split.iter().map(|a| a / steepest).collect();
            layout.set_node(&mut theta, t, &gentler);
        }
        let mut informed = vec![theta];
        if let Some(root) = self.along(trend.slopes()) {
            informed.push(self.random_splits(informed.len(), Some(&root))?);
        }
        Ok(informed)
    }

    /// (a, μ) of the split through the mean row that is steepest along these slopes.
    fn along(&self, slopes: &[f64]) -> Option<Vec<f64>> {
        let largest = slopes.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        if largest == 0.0 {
            return None;
        }
        let mut split: Vec<f64> = slopes.iter().map(|b| b / largest).collect();
        let z = split.iter().zip(&self.frame.centers).map(|(a, c)| a * c);
        split.push(z.sum::<f64>() / slopes.len() as f64);
        Some(split)
    }
}
