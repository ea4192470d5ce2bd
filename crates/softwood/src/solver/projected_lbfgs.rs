//! Projected limited-memory BFGS for f + h, as an argmin [`Solver`].

use super::armijo::{self, Origin};
use super::curvature_pairs::CurvaturePairs;
use super::{Objective, Outcome, SimpleTerm, Work};
use crate::status::SolveStatus;
use crate::stop::Interrupted;
use crate::vectors::dot;
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{
    Error, Executor, IterState, KV, Problem, Solver, State, TerminationReason, TerminationStatus,
};

/// State argmin carries from iteration to iteration.
pub type LbfgsState = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// When to stop and how much to remember.
#[derive(Clone, Debug)]
pub struct LbfgsSettings {
    /// Stop when ‖prox_h(x − ∇f(x)) − x‖∞ ≤ this.
    pub projected_gradient_tol: f64,
    /// Stop when an iteration lowers f + h by less than this · max(|f + h|, 1e-3), three times running, and
    /// again three times once the curvature is forgotten.
    pub stall_tol: f64,
    /// Curvature pairs kept.
    pub memory: usize,
    /// Iterations at most.
    pub max_iterations: u64,
}

impl Default for LbfgsSettings {
    fn default() -> Self {
        Self {
            projected_gradient_tol: 1e-6,
            stall_tol: 1e-9,
            memory: 10,
            max_iterations: 500,
        }
    }
}

/// Iterations with hardly any decrease before a run counts as stalled.
const STALLED_ITERATIONS: u32 = 3;

/// No slope at all: the unit step along it would overflow.
const LEAST_SLOPE: f64 = 1e-200;

/// Minimizes f + h, f smooth and h a [`SimpleTerm`]: bounds, a convex set, a penalty with kinks.
///
/// Each iteration multiplies the steepest descent of f + h by the L-BFGS inverse Hessian of f along
/// the face of x, where h is smooth, and searches along the arc that retracts x + αd to that face,
/// by Armijo's rule: coordinates that would cross a kink or a bound stop on it, so zeros are exact.
/// If that fails it forgets the curvature and searches along the proximal arc prox_{αh}(x − α∇f),
/// which descends unless x is stationary.
///
/// Requires an [`Objective`]; values and gradients are always computed together.
///
/// References: Bertsekas, *Projected Newton methods for optimization problems with simple
/// constraints* (1982); Nocedal, *Updating quasi-Newton matrices with limited storage* (1980);
/// Andrew & Gao, *Scalable training of L1-regularized log-linear models* (2007).
pub struct ProjectedLbfgs<H> {
    term: H,
    settings: LbfgsSettings,
    pairs: CurvaturePairs,
    stalled: u32,
    /// Whether curvature was forgotten since the last iteration that was not stalled.
    began_afresh: bool,
    optimality: f64,
    status: Option<SolveStatus>,
}

impl<H: SimpleTerm> ProjectedLbfgs<H> {
    /// A solver for f + `term`.
    pub fn new(term: H, settings: LbfgsSettings) -> Self {
        let pairs = CurvaturePairs::new(settings.memory);
        Self {
            term,
            settings,
            pairs,
            stalled: 0,
            began_afresh: false,
            optimality: f64::INFINITY,
            status: None,
        }
    }

    /// ‖prox_h(x − ∇f) − x‖∞.
    fn residual(&self, x: &[f64], gradient: &[f64]) -> f64 {
        let mut moved: Vec<f64> = x.iter().zip(gradient).map(|(x, g)| x - g).collect();
        self.term.prox(&mut moved, 1.0);
        moved
            .iter()
            .zip(x)
            .map(|(m, x)| (m - x).abs())
            .fold(0.0, f64::max)
    }

    /// One search along the face by d = −H·slope; None without curvature to use.
    fn quasi_newton_step<O: Objective>(
        &self,
        problem: &mut Problem<O>,
        origin: &Origin<'_>,
    ) -> Result<Option<armijo::Step>, Error> {
        if self.pairs.is_empty() {
            return Ok(None);
        }
        let face = self.term.face(origin.x, origin.gradient);
        let mut direction: Vec<f64> = face.slope.iter().map(|g| -g).collect();
        self.pairs.multiply(&mut direction, &face);
        let descent = dot(&direction, &face.slope);
        // Not a number if pairs of a hardly sloping stretch make H overflow.
        if !descent.is_finite() || descent >= 0.0 {
            return Ok(None);
        }
        let arc = |alpha: f64, x: &mut [f64]| {
            for (x, d) in x.iter_mut().zip(&direction) {
                *x += alpha * d;
            }
            self.term.retract(origin.x, &face, x);
        };
        armijo::search(origin, &self.term, 1.0, arc, |x, g| evaluate(problem, x, g))
    }

    /// One search along prox_{αh}(x − α∇f).
    fn proximal_step<O: Objective>(
        &self,
        problem: &mut Problem<O>,
        origin: &Origin<'_>,
    ) -> Result<Option<armijo::Step>, Error> {
        let slope = self.term.face(origin.x, origin.gradient).slope;
        let steepest = slope.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        if steepest < LEAST_SLOPE {
            return Ok(None);
        }
        // The gradient's length says nothing about the step's: start with a unit step.
        let alpha = 1.0 / steepest;
        let arc = |alpha: f64, x: &mut [f64]| {
            for (x, g) in x.iter_mut().zip(origin.gradient) {
                *x -= alpha * g;
            }
            self.term.prox(x, alpha);
        };
        armijo::search(origin, &self.term, alpha, arc, |x, g| {
            evaluate(problem, x, g)
        })
    }

    /// Whether hardly any decrease is left.
    fn is_stuck(&self) -> bool {
        self.stalled >= STALLED_ITERATIONS
    }

    /// The quasi-Newton step, or else, with the curvature forgotten, the proximal one.
    fn step<O: Objective>(
        &mut self,
        problem: &mut Problem<O>,
        origin: &Origin<'_>,
    ) -> Result<Option<armijo::Step>, Error> {
        // A step that lowers f + h by rounding alone is none: where constraints couple coordinates
        // −H∇f may point out of the set, and only the proximal step then descends.
        let least = f64::EPSILON * origin.value.abs();
        let measurable = |step: &armijo::Step| step.value < origin.value - least;
        let step = self.quasi_newton_step(problem, origin)?;
        if let Some(step) = step.filter(measurable) {
            return Ok(Some(step));
        }
        self.pairs.clear();
        Ok(self.proximal_step(problem, origin)?.filter(measurable))
    }
}

fn evaluate<O: Objective>(
    problem: &mut Problem<O>,
    x: &[f64],
    g: &mut [f64],
) -> Result<f64, Error> {
    problem.problem("value_and_gradient", |f| {
        f.value_and_gradient(x, g).map_err(Error::from)
    })
}

impl<O: Objective, H: SimpleTerm> Solver<O, LbfgsState> for ProjectedLbfgs<H> {
    fn name(&self) -> &str {
        "projected L-BFGS"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        let mut x = state.take_param().expect("a starting point is set");
        self.term.prox(&mut x, 0.0); // into the domain of h
        let mut gradient = vec![0.0; x.len()];
        let value = evaluate(problem, &x, &mut gradient)? + self.term.value(&x);
        self.optimality = self.residual(&x, &gradient);
        Ok((state.param(x).gradient(gradient).cost(value), None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        let x = state.take_param().expect("init has set it");
        let gradient = state.take_gradient().expect("init has set it");
        let value = state.get_cost();
        let origin = Origin {
            x: &x,
            value,
            gradient: &gradient,
        };
        if self.is_stuck() && !self.began_afresh {
            // At kinks of h that seldom means that the end is near: steps stop where the first coordinate meets one.
            self.pairs.clear();
            (self.stalled, self.began_afresh) = (0, true);
        }
        let step = match self.step(problem, &origin) {
            Ok(Some(step)) => step,
            Ok(None) => {
                self.status = Some(SolveStatus::Stalled);
                return Ok((state.param(x).gradient(gradient), None));
            }
            Err(error) => {
                // Stopped in the middle of an evaluation: the last complete iterate is the answer.
                let interrupted: Interrupted = error.downcast()?;
                self.status = Some(SolveStatus::try_from(interrupted)?);
                return Ok((state.param(x).gradient(gradient), None));
            }
        };
        let decrease = value - step.value;
        if decrease > self.settings.stall_tol * value.abs().max(1e-3) {
            (self.stalled, self.began_afresh) = (0, false);
        } else {
            self.stalled += 1;
        }
        let difference =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
        self.pairs.push(
            difference(&step.x, &x),
            difference(&step.gradient, &gradient),
        );
        self.optimality = self.residual(&step.x, &step.gradient);
        Ok((
            state.param(step.x).gradient(step.gradient).cost(step.value),
            None,
        ))
    }

    fn terminate(&mut self, _: &LbfgsState) -> TerminationStatus {
        if self.optimality <= self.settings.projected_gradient_tol {
            self.status = Some(SolveStatus::Converged);
        } else if self.is_stuck() && self.began_afresh {
            self.status.get_or_insert(SolveStatus::Stalled);
        }
        match self.status {
            Some(status) => TerminationStatus::Terminated(match status {
                SolveStatus::Cancelled => TerminationReason::Interrupt,
                SolveStatus::TimeLimit => TerminationReason::Timeout,
                _ => TerminationReason::SolverConverged,
            }),
            None => TerminationStatus::NotTerminated,
        }
    }
}

/// Minimizes `objective` + `term` from `start`; Err only if stopped before the first
/// evaluation, or if the rows cannot be had.
pub fn minimize<O: Objective>(
    objective: O,
    term: impl SimpleTerm,
    start: Vec<f64>,
    settings: &LbfgsSettings,
    observer: Option<impl Observe<LbfgsState> + 'static>,
) -> Result<Outcome, Interrupted> {
    let solver = ProjectedLbfgs::new(term, settings.clone());
    let mut executor = Executor::new(objective, solver)
        .configure(|state: LbfgsState| state.param(start).max_iters(settings.max_iterations));
    if let Some(observer) = observer {
        executor = executor.add_observer(observer, ObserverMode::Always);
    }
    let mut result = executor.run().map_err(|error| {
        error
            .downcast::<Interrupted>()
            .expect("an objective can only fail by being interrupted")
    })?;
    let state = &mut result.state;
    Ok(Outcome {
        value: state.get_cost(),
        optimality: result.solver.optimality,
        work: Work {
            iterations: state.get_iter(),
            evaluations: *result
                .problem
                .counts
                .get("value_and_gradient")
                .unwrap_or(&0),
        },
        status: result.solver.status.unwrap_or(SolveStatus::IterationLimit),
        x: state
            .take_param()
            .expect("the solver always puts a point back"),
    })
}
