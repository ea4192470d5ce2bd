//! The hard oblique tree by a mixed-integer program: start → program → solver → model.

use super::svm1_odt::search_with;
use super::svm1_odt_found::Found;
use super::svm1_odt_settings::{IMPROVE_SHARE, Svm1OdtSettings};
use super::svm1_odt_task::{Method, Task};
use super::validate::check_setting;
use crate::control::Control;
use crate::data::{Encoding, Labels, Rows};
use crate::error::{FitError, InputError};
use crate::exact::{Ended, Moment, ObliqueTree, Problem, Solution, SolveSettings, counted};
use crate::fitted::Svm1OdtModel;
use crate::mip::{
    Formulation, LabelledPoints, MipCosts, MipSettings, MipSolution, MipSolver, build,
};
use crate::stop::{Stop, Stopped};
use std::ops::Range;

/// Fits as [`fit_svm1_odt`](crate::fit_svm1_odt) does, by a mixed-integer program that `solver` solves
/// (paper 3): the start is improved, written as a solution, and the solver goes on from there with what is
/// left of the time limit.
///
/// [`Formulation::CorrectRows`] without α₂ counts what [`fit_svm1_odt`](crate::fit_svm1_odt) counts, and the
/// tree is finished alike. Otherwise the report's objective and bound are those of the program, (1a), and
/// hyperplanes stay as the solver has them. Model (1) holds wrong rows to the margin, too: its optimum may
/// be above that of the count. ε, α₁ and α₂ that are left open are chosen on folds of the rows, by the program.
pub fn fit_svm1_odt_by_mip<'a>(
    rows: impl Into<Rows<'a>>,
    labels: &Labels,
    weights: Option<&[f64]>,
    settings: (&Svm1OdtSettings, &MipSettings),
    solver: &dyn MipSolver,
    control: &Control,
) -> Result<Svm1OdtModel, FitError> {
    let (settings, of_mip) = settings;
    of_mip.validate(settings.epsilon)?;
    check_search(settings)?;
    let categories = match of_mip.level_splits {
        true => categories(settings.run.encoding.as_ref())?,
        false => Vec::new(),
    };
    let search = |task: Task<'_>| by_program(task, (of_mip, &categories), solver);
    let method = Method {
        search: &search,
        program: Some(of_mip),
    };
    search_with(rows.into(), labels, weights, (settings, control), method)
}

/// Improves the start, then has the program solved in the time that is left.
fn by_program(
    task: Task<'_>,
    (of_mip, categories): (&MipSettings, &[Range<usize>]),
    solver: &dyn MipSolver,
) -> Result<Found, FitError> {
    let (problem, stop, control) = (task.problem, task.stop, task.control);
    let of_start = SolveSettings {
        max_nodes: Some(0),
        improve_limit: stop.left().map(|left| left.mul_f64(IMPROVE_SHARE)),
        ..task.settings
    };
    let costs = MipCosts {
        epsilon: problem.margin,
        alpha1: task.candidate.alpha1,
        alpha2: task.candidate.alpha2,
    };
    let start = Task {
        settings: of_start,
        ..task
    }
    .search()
    .solution;
    let rows = LabelledPoints::new(problem.points, problem.paths);
    let model = build(&rows, costs, of_mip, categories);
    let values = model.solution_of(&rows, &start.tree);
    let found = solver
        .solve(&model.program, &values, stop.left(), &control.stop)
        .map_err(FitError::Solver)?;
    let solution = after(start, &found, stop);
    Ok(match &found.values {
        Some(values) => {
            let tree = model.tree_of(&rows, values);
            let objective = model.program.objective(values);
            take(
                problem,
                &rows,
                (of_mip.formulation, costs),
                (tree, objective, found.bound),
                solution,
            )
        }
        // What the program counts, and its bound with it, nothing is known to reach.
        None => Found {
            solution,
            objective: None,
        },
    })
}

/// Refuses what is for trees of this library's search.
fn check_search(settings: &Svm1OdtSettings) -> Result<(), InputError> {
    let improve = match settings.improve {
        Some(true) => "True",
        Some(false) => "False",
        None => "\"auto\"",
    };
    let expected = "True: a program goes on from the start";
    check_setting(improve == "True", "improve", expected, improve)?;
    let given = settings.split_penalty;
    let got = given.map_or_else(|| "\"auto\"".to_string(), |given| given.to_string());
    check_setting(given == Some(0.0), "split_penalty", "0 with a program", got)
}

/// The start with what the solver's work has added to nodes, ending and course.
fn after(start: Solution, found: &MipSolution, stop: &Stop) -> Solution {
    let before = start.course.last().map_or(0.0, |moment| moment.seconds);
    Solution {
        nodes: found.nodes,
        ended: match (found.optimal, stop.check()) {
            (true, _) => Ended::Proven,
            (false, Err(stopped)) => Ended::Stopped(stopped),
            (false, Ok(())) => Ended::Stopped(Stopped::TimeLimit),
        },
        course: course(&start, before, found),
        ..start
    }
}

/// Puts the solver's tree, its objective and bound in the place of the start, whose bound holds on: what rows
/// that share a point cost. It does with slack, too, as each of them pays α₁ε ≥ 1 where they part.
fn take(
    problem: &Problem<'_>,
    rows: &LabelledPoints<'_>,
    (formulation, costs): (Formulation, MipCosts),
    (tree, objective, bound): (ObliqueTree, f64, f64),
    solution: Solution,
) -> Found {
    let whole_costs = costs.alpha1.is_none() && costs.alpha2 == 0.0;
    let bound = bound.max(solution.bound);
    // Solvers prove within a tolerance; weights of rows are whole numbers more often than not.
    let bound = if whole_costs {
        whole(rows, bound)
    } else {
        bound
    };
    let counts = whole_costs && formulation == Formulation::CorrectRows;
    let cost = |tree: &ObliqueTree| counted(problem, tree.clone()).cost;
    let tree = match counts && cost(&tree) > cost(&solution.tree) {
        true => solution.tree.clone(),
        false => tree,
    };
    Found {
        solution: Solution {
            tree,
            bound,
            ..solution
        },
        objective: (!counts).then_some(objective),
    }
}

/// The features that indicate levels of one column each.
fn categories(encoding: Option<&Encoding>) -> Result<Vec<Range<usize>>, InputError> {
    let of_columns = |encoding: &Encoding| -> Vec<Range<usize>> {
        let indicators = encoding.indicators();
        let ranges = encoding.ranges().into_iter();
        ranges
            .filter(|range| !range.is_empty() && range.clone().all(|j| indicators[j]))
            .collect()
    };
    let found = encoding.map(of_columns).unwrap_or_default();
    match found.is_empty() {
        false => Ok(found),
        true => Err(InputError::Setting {
            name: "level_splits",
            expected: "False where X has no columns of text or categories",
            got: "True".into(),
        }),
    }
}

/// The next whole number where every weight is one, else the bound itself.
fn whole(rows: &LabelledPoints<'_>, bound: f64) -> f64 {
    let integral = (0..rows.len()).all(|i| rows.weight(i).fract() == 0.0);
    if integral {
        (bound - 1e-6).ceil().max(0.0)
    } else {
        bound
    }
}

/// The course of the start, then that of the solver, after the seconds `before`.
fn course(start: &Solution, before: f64, found: &MipSolution) -> Vec<Moment> {
    let of_solver = found.course.iter().map(|(seconds, cost, bound)| Moment {
        seconds: before + seconds,
        cost: *cost,
        bound: bound.max(start.bound),
        nodes: 0,
    });
    start.course.iter().copied().chain(of_solver).collect()
}
