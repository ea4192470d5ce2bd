//! Tests: rows that cannot be read any more in the middle of a fit end it with that error.

use super::check_orct_data::check_orct_data;
use super::orct_problem::OrctProblem;
use super::orct_settings::OrctSettings;
use super::srt_settings::SrtSettings;
use super::srt_starts::SrtStarts;
use crate::control::Control;
use crate::data::{
    Block, Labels, Parallelism, RegressionRows, RowSource, ScaledRows, Scaling, ScalingKind, Source,
};
use crate::error::FitError;
use crate::fitted::OrctCandidate;
use crate::objective::PenaltySettings;
use crate::search::multistart::{Effort, run_starts, warm_start};
use crate::stop::{Interrupted, SourceError, Stop};
use crate::tree::Topology;
use ndarray::Array2;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const REASON: &str = "machine 3 does not answer";

type Visits = Arc<AtomicUsize>;

/// Rows that can be visited so many times.
struct Failing<'a> {
    rows: Source<'a>,
    visits_left: Visits,
}

impl<'a> RowSource<'a> for Failing<'a> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn features(&self) -> usize {
        self.rows.features()
    }

    fn stride(&self) -> usize {
        self.rows.stride()
    }

    fn visit(
        &self,
        blocks: Range<usize>,
        stop: &Stop,
        visit: &mut dyn FnMut(Block<'_>),
    ) -> Result<(), Interrupted> {
        let (get, set) = (Ordering::Relaxed, Ordering::Relaxed);
        let left = self
            .visits_left
            .fetch_update(set, get, |left| left.checked_sub(1));
        left.map_err(|_| SourceError::new(REASON))?;
        self.rows.visit(blocks, stop, visit)
    }

    fn select(&self, picked: &[u32]) -> Source<'a> {
        Arc::new(Failing {
            rows: self.rows.select(picked),
            visits_left: self.visits_left.clone(),
        })
    }
}

/// A few rows around a checkerboard.
fn rows() -> Array2<f64> {
    Array2::from_shape_fn((80, 3), |(i, j)| ((i * (7 + 4 * j)) % 23) as f64 / 22.0)
}

fn learned(x: &Array2<f64>) -> Scaling {
    Scaling::learn(ScalingKind::MinMax, x.view().into(), None)
}

fn failing<'a>(x: &'a Array2<f64>, scaling: &'a Scaling, visits: &Visits) -> Failing<'a> {
    Failing {
        rows: ScaledRows::new(x.view().into(), scaling).shared(),
        visits_left: visits.clone(),
    }
}

/// Fits on rows that never fail, then on such that fail after ever more visits.
fn assert_failures_end(fit: impl Fn(&Visits) -> Result<(), FitError>) {
    let fit_with = |visits: usize| {
        let left = Visits::new(visits.into());
        let outcome = fit(&left);
        (outcome, visits - left.load(Ordering::Relaxed))
    };
    let (outcome, needed) = fit_with(usize::MAX);
    assert_eq!(outcome, Ok(()));
    assert!(needed > 100, "{needed} visits are no middle of a fit");
    let shares = (0..40).map(|k| k * needed / 40);
    for visits in (0..20).chain(shares).chain([needed - 1]) {
        let error = fit_with(visits).0.unwrap_err();
        assert_eq!(error, FitError::Source(SourceError::new(REASON)));
        let text = "the rows could not be read: machine 3 does not answer";
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(fit_with(needed).0, Ok(()));
}

fn fit_classes(visits: &Visits, settings: &OrctSettings) -> Result<(), FitError> {
    let x = rows();
    let class = |row: ndarray::ArrayView1<'_, f64>| i64::from((row[0] > 0.5) != (row[1] > 0.5));
    let y: Vec<i64> = x.rows().into_iter().map(class).collect();
    let labels = Labels::from(y.as_slice());
    let costs = check_orct_data(&x.view().into(), &labels, None, settings)?;
    let scaling = learned(&x);
    let source: Source<'_> = Arc::new(failing(&x, &scaling, visits));
    let problem = OrctProblem {
        rows: x.view().into(),
        labels: &labels,
        weights: None,
        costs: &costs,
        grouping: None,
        topology: Topology::complete(settings.depth),
    };
    let control = Control::default();
    let data = problem.classification(&source, None, settings.n_starts, &Stop::default());
    let at = OrctCandidate {
        depth: settings.depth,
        scaling: scaling.kind,
        gamma: settings.gamma.expect("said"),
        local_penalty: settings.penalty.local.expect("said"),
        global_penalty: settings.penalty.global,
        balanced: false,
    };
    let descent = problem.descent(data, &scaling, settings, &at, &control.progress);
    let starts = run_starts(&descent, settings.n_starts, 0, Effort::Full)?;
    warm_start(&descent, &starts.outcomes)?;
    Ok(())
}

#[test]
fn a_classification_tree_ends_with_the_error_of_its_source() {
    let settings = OrctSettings {
        n_starts: 2,
        max_iter: 20,
        ..OrctSettings::plain()
    };
    assert_failures_end(|visits| fit_classes(visits, &settings));
}

#[test]
fn a_penalized_tree_with_bounded_rates_ends_with_the_error_of_its_source() {
    let settings = OrctSettings {
        n_starts: 1,
        max_iter: 10,
        penalty: PenaltySettings {
            global: 0.001,
            ..PenaltySettings::none()
        },
        min_class_rate: vec![(1, 0.7)],
        ..OrctSettings::plain()
    };
    assert_failures_end(|visits| fit_classes(visits, &settings));
}

#[test]
fn a_regression_tree_ends_with_the_error_of_its_source() {
    let settings = SrtSettings {
        n_starts: 2,
        macro_iterations: 3,
        ..SrtSettings::default()
    };
    let x = rows();
    let scaling = learned(&x);
    let y: Vec<f64> = x
        .rows()
        .into_iter()
        .map(|row| (row[0] - 0.5).abs() + row[1])
        .collect();
    let topology = Topology::complete(settings.depth);
    for parallelism in [Parallelism::None, Parallelism::Rows] {
        assert_failures_end(|visits| {
            let source = failing(&x, &scaling, visits);
            let data = RegressionRows::new(source, &y, None, parallelism, Stop::default());
            let control = Control::default();
            SrtStarts {
                data: &data,
                topology: topology.clone(),
                settings: &settings,
                progress: &control.progress,
            }
            .run()?;
            Ok(())
        });
    }
}
