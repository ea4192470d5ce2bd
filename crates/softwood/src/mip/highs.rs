//! HiGHS as a solver of programs, there with the feature `highs`, which builds it by cmake and libclang.
#![allow(unsafe_code)] // The safe bindings have no callbacks.

use super::{MipSolution, MipSolver, Program};
use crate::StopFlag;
use highs::{HighsModelStatus, HighsSolutionStatus, Model, RowProblem, Sense, SolvedModel};
use highs_sys::{
    HighsCallbackDataIn, HighsCallbackDataOut, HighsInt, kHighsCallbackMipImprovingSolution,
    kHighsCallbackMipInterrupt, kHighsCallbackMipLogging, kHighsCallbackSimplexInterrupt,
};
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// HiGHS will not take less time than this.
const LEAST_SECONDS: f64 = 0.01;

/// Solves programs by HiGHS, to a gap of 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Highs {
    /// Threads; HiGHS chooses if None.
    pub threads: Option<u32>,
}

impl MipSolver for Highs {
    fn solve(
        &self,
        program: &Program,
        start: &[f64],
        limit: Option<Duration>,
        stop: &StopFlag,
    ) -> Result<MipSolution, String> {
        let mut model = model_of(program)?;
        let refused = |_| "HiGHS refuses an option".to_string();
        model.try_set_option("mip_rel_gap", 0.0).map_err(refused)?;
        if let Some(threads) = self.threads {
            let threads = i32::try_from(threads).unwrap_or(i32::MAX);
            model.try_set_option("threads", threads).map_err(refused)?;
        }
        if let Some(limit) = limit {
            let seconds = limit.as_secs_f64().max(LEAST_SECONDS);
            model
                .try_set_option("time_limit", seconds)
                .map_err(refused)?;
        }
        model
            .try_set_solution(Some(start), None, None, None)
            .map_err(|_| "HiGHS refuses the start".to_string())?;
        let watch = Watch {
            stop,
            seen: Mutex::default(),
        };
        let solved = watched(model, &watch)?;
        let seen = watch
            .seen
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(solution(&solved, seen))
    }
}

/// The program as HiGHS takes it.
fn model_of(program: &Program) -> Result<Model, String> {
    let mut problem = RowProblem::new();
    let columns: Vec<_> = (0..program.cost.len())
        .map(|k| {
            let bounds = program.lower[k]..=program.upper[k];
            problem.add_column_with_integrality(program.cost[k], bounds, program.integer[k])
        })
        .collect();
    for (row, span) in program.starts.windows(2).enumerate() {
        let entries = span[0]..span[1];
        let entries = entries.map(|e| (columns[program.indices[e] as usize], program.values[e]));
        problem.add_row(program.row_lower[row]..=program.row_upper[row], entries);
    }
    let refused = |_| "HiGHS refuses the program".to_string();
    problem.try_optimise(Sense::Minimise).map_err(refused)
}

/// What HiGHS is asked and tells while it works.
struct Watch<'a> {
    stop: &'a StopFlag,
    seen: Mutex<Seen>,
}

/// What HiGHS has told.
#[derive(Default)]
struct Seen {
    /// The best solution: after an interruption HiGHS may not return it.
    values: Option<Vec<f64>>,
    nodes: u64,
    course: Vec<(f64, f64, f64)>,
}

/// Solves the model, telling `watch` of it.
fn watched(mut model: Model, watch: &Watch<'_>) -> Result<SolvedModel, String> {
    let user = std::ptr::from_ref(watch).cast_mut().cast::<c_void>();
    // SAFETY: the pointer is to a live HiGHS, which calls back while it runs, below; `watch` lives longer.
    let taken = unsafe { highs_sys::Highs_setCallback(model.as_mut_ptr(), Some(told), user) };
    let kinds = [
        kHighsCallbackSimplexInterrupt,
        kHighsCallbackMipInterrupt,
        kHighsCallbackMipLogging,
        kHighsCallbackMipImprovingSolution,
    ];
    let started = kinds.iter().all(|kind| {
        // SAFETY: as above.
        unsafe { highs_sys::Highs_startCallback(model.as_mut_ptr(), *kind) == highs_sys::STATUS_OK }
    });
    if taken != highs_sys::STATUS_OK || !started {
        return Err("HiGHS refuses callbacks".into());
    }
    let failed = |_| "HiGHS could not solve the program".to_string();
    model.try_solve().map_err(failed)
}

/// Called by HiGHS: keeps what it has found and asks it to end once the flag is raised.
unsafe extern "C" fn told(
    kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    answer: *mut HighsCallbackDataIn,
    user: *mut c_void,
) {
    // SAFETY: `user` is the `Watch` of `watched`; HiGHS hands out structs of its own for the time of the
    // call, null where a kind of call has none.
    let (watch, out, answer) =
        unsafe { (&*user.cast::<Watch<'_>>(), out.as_ref(), answer.as_mut()) };
    let kind = kind as HighsInt;
    if let Some(out) = out {
        let mut seen = watch.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if kind == kHighsCallbackMipImprovingSolution {
            if !out.mip_solution.is_null() {
                let length = usize::try_from(out.mip_solution_size).unwrap_or(0);
                // SAFETY: HiGHS tells how many values there are.
                let values = unsafe { std::slice::from_raw_parts(out.mip_solution, length) };
                seen.values = Some(values.to_vec());
            }
            seen.note(out, out.objective_function_value);
        } else if kind == kHighsCallbackMipLogging {
            seen.note(out, out.mip_primal_bound);
        }
    }
    if let (true, Some(answer)) = (watch.stop.is_raised(), answer) {
        answer.user_interrupt = 1;
    }
}

impl Seen {
    fn note(&mut self, out: &HighsCallbackDataOut, cost: f64) {
        self.nodes = u64::try_from(out.mip_node_count).unwrap_or(0);
        if cost.is_finite() && out.mip_dual_bound.is_finite() {
            self.course
                .push((out.running_time, cost, out.mip_dual_bound));
        }
    }
}

/// What HiGHS has found in the end, or on the way.
fn solution(solved: &SolvedModel, seen: Seen) -> MipSolution {
    let feasible = solved.primal_solution_status() == HighsSolutionStatus::Feasible;
    let bound = solved.double_info_value(c"mip_dual_bound").ok();
    MipSolution {
        values: match feasible {
            true => Some(solved.get_solution().columns().to_vec()),
            false => seen.values,
        },
        bound: bound.filter(|bound| bound.is_finite()).unwrap_or(0.0),
        nodes: seen.nodes,
        optimal: solved.status() == HighsModelStatus::Optimal,
        course: seen.course,
    }
}
