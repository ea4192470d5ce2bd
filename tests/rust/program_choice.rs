//! The choice of a program's costs on folds, by a solver that returns the start: what it is asked, and that its
//! failures are told.

use ndarray::Array2;
use softwood::data::Labels;
use softwood::mip::{Formulation, MipSettings, MipSolution, MipSolver, Program};
use softwood::{
    Control, FitError, RunSettings, StopFlag, Svm1OdtSettings, Svm1OdtStart, fit_svm1_odt_by_mip,
};
use std::sync::Mutex;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(600);

/// What a program was asked with: α₁, α₂ and the time.
type Asked = (Option<f64>, f64, Option<Duration>);

#[derive(Default)]
struct Recorder(Mutex<Vec<Asked>>);

impl MipSolver for Recorder {
    fn solve(
        &self,
        program: &Program,
        start: &[f64],
        limit: Option<Duration>,
        _: &StopFlag,
    ) -> Result<MipSolution, String> {
        let first = |block: &str| {
            let found = program.blocks.iter().find(|(name, _)| *name == block);
            found.expect("the program has it").1.start
        };
        let m = first("m");
        let alpha1 = (program.upper[m] > 0.0).then_some(program.cost[m]);
        let asked = (alpha1, program.cost[first("h_plus")], limit);
        self.0.lock().unwrap().push(asked);
        Ok(MipSolution {
            values: Some(start.to_vec()),
            bound: 0.0,
            nodes: 1,
            optimal: true,
            course: Vec::new(),
        })
    }
}

struct Failing;

impl MipSolver for Failing {
    fn solve(
        &self,
        _: &Program,
        _: &[f64],
        _: Option<Duration>,
        _: &StopFlag,
    ) -> Result<MipSolution, String> {
        Err("no licence".into())
    }
}

/// 40 rows that one split of the first feature parts.
fn rows() -> (Array2<f64>, Labels) {
    let x = Array2::from_shape_fn((40, 2), |(i, j)| {
        (if j == 0 { i } else { i * 7 % 40 }) as f64
    });
    let y: Vec<i64> = (0..40).map(|i| i64::from(i >= 20)).collect();
    (x, Labels::from(y.as_slice()))
}

fn opened() -> (Svm1OdtSettings, MipSettings) {
    let settings = Svm1OdtSettings {
        depth: 1,
        epsilon: Some(0.03),
        alpha2: None,
        start: Svm1OdtStart::Cart,
        run: RunSettings {
            time_limit: Some(LIMIT),
            n_threads: Some(2),
            ..RunSettings::default()
        },
        ..Svm1OdtSettings::default()
    };
    let of_mip = MipSettings {
        formulation: Formulation::Paper,
        alpha1: None,
        ..MipSettings::default()
    };
    (settings, of_mip)
}

#[test]
fn every_candidate_is_solved_on_every_fold_in_an_equal_share_of_the_time() {
    let ((x, y), (settings, of_mip)) = (rows(), opened());
    let (solver, control) = (Recorder::default(), Control::default());
    let how = (&settings, &of_mip);
    let model = fit_svm1_odt_by_mip(x.view(), &y, None, how, &solver, &control).unwrap();
    let table = model.report.cross_validation.unwrap();
    let mut asked = solver.0.into_inner().unwrap();
    let last = asked.pop().unwrap();
    let costs: Vec<(Option<f64>, f64)> = [None, Some(34.0), Some(100.0)]
        .into_iter()
        .flat_map(|alpha1| [0.0, 0.1, 1.0].map(|alpha2| (alpha1, alpha2)))
        .collect();
    let share = LIMIT.mul_f64(0.6) / 4 / (costs.len() + 2) as u32;
    // The same trees tie: nobody falls behind, and what is taken without folds is chosen.
    assert_eq!(asked.len(), costs.len() * table.folds * table.repeats);
    for (asked, (alpha1, alpha2)) in asked.iter().zip(costs.iter().cycle()) {
        assert_eq!((asked.0, asked.1), (*alpha1, *alpha2));
        let limit = asked.2.unwrap();
        assert!(limit <= share && limit > share.mul_f64(0.5), "{limit:?}");
    }
    assert_eq!((last.0, last.1), (None, 0.0));
    assert!(last.2.unwrap() > LIMIT.mul_f64(0.5));
    assert_eq!(table.chosen, 0);
}

#[test]
fn nothing_is_chosen_where_all_is_given() {
    let ((x, y), (mut settings, mut of_mip)) = (rows(), opened());
    (settings.alpha2, of_mip.alpha1) = (Some(0.5), Some(Some(50.0)));
    let (solver, control) = (Recorder::default(), Control::default());
    let how = (&settings, &of_mip);
    let model = fit_svm1_odt_by_mip(x.view(), &y, None, how, &solver, &control).unwrap();
    assert!(model.report.cross_validation.is_none());
    let asked = solver.0.into_inner().unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].0, asked[0].1), (Some(50.0), 0.5));
}

#[test]
fn the_reason_of_a_solver_that_fails_on_a_fold_is_told() {
    let ((x, y), (settings, of_mip)) = (rows(), opened());
    let how = (&settings, &of_mip);
    let failed = fit_svm1_odt_by_mip(x.view(), &y, None, how, &Failing, &Control::default());
    assert_eq!(failed, Err(FitError::Solver("no licence".into())));
}
