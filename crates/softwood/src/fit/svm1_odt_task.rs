//! A search for a hard oblique tree: what for, from where, and how.

use super::svm1_odt_found::Found;
use crate::control::Control;
use crate::error::FitError;
use crate::exact::{Moment, ObliqueTree, Problem, SolveSettings, solve};
use crate::fitted::Svm1OdtCandidate;
use crate::mip::MipSettings;
use crate::stop::Stop;

/// What is searched for, and from where.
pub(super) struct Task<'a> {
    pub problem: &'a Problem<'a>,
    pub starts: Vec<ObliqueTree>,
    /// The costs that a program has.
    pub candidate: &'a Svm1OdtCandidate,
    pub settings: SolveSettings,
    pub stop: &'a Stop,
    pub control: &'a Control,
}

impl Task<'_> {
    /// Searches by the methods of this library.
    pub fn search(self) -> Found {
        let watch = |moment: &Moment| {
            self.control.progress.finish_start(Some(moment.cost));
            self.control.progress.count_iteration();
        };
        let Self {
            problem,
            starts,
            settings,
            stop,
            ..
        } = self;
        let solution = solve(problem, starts, &settings, stop, &watch);
        Found {
            solution,
            objective: None,
        }
    }
}

/// How trees are searched for.
#[derive(Clone, Copy)]
pub(super) struct Method<'m> {
    pub search: &'m (dyn Fn(Task<'_>) -> Result<Found, FitError> + Sync),
    /// The program that it solves, if it does.
    pub program: Option<&'m MipSettings>,
}
