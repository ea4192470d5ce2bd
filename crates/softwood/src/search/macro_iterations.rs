//! The scheme NB-DEC through a stage: macro-iterations of working sets, as long as they are worthwhile.

use super::continuation::Stage;
use super::decomposition::Decomposition;
use super::descent::Descent;
use super::working_sets::{NODE_ITERATIONS, WorkingSet, WorkingSets};
use crate::solver::{Multipliers, Work};
use crate::status::SolveStatus;
use crate::stop::Interrupted;

/// A macro-iteration that lowers the objective by less than this share is the last, or by less than the share `tol`
/// where that is smaller.
const MACRO_GAIN: f64 = 1e-3;

/// Where a stage ended.
pub(crate) struct StageEnd {
    pub theta: Vec<f64>,
    pub work: Work,
    pub status: SolveStatus,
    /// Measured in the last stage alone.
    pub optimality: f64,
}

impl Descent<'_, '_> {
    /// Follows macro-iterations of the rule through a stage, as long as they are worthwhile; the first stage `begins`
    /// with some iterations of all splits, if so asked.
    pub(super) fn decompose(
        &self,
        stage: &Stage,
        begins: bool,
        theta: Vec<f64>,
        multipliers: &mut Multipliers,
    ) -> Result<StageEnd, Interrupted> {
        let mut tree = Decomposition::at(self, stage, theta, multipliers)?;
        let most = self.iterations(stage);
        let mut status = SolveStatus::IterationLimit;
        'macro_iterations: for number in 0..self.macro_iterations(stage) {
            let before = tree.point().objective;
            let rule = self.working_sets;
            let mut steps = rule.of_macro_iteration(&self.topology, self.seed, number);
            if begins && number == 0 && self.full_iterations > 0 {
                steps.splice(
                    0..0,
                    [
                        WorkingSet::Together(self.full_iterations),
                        WorkingSet::Leaves,
                    ],
                );
            }
            for set in steps {
                let ended = match tree.step(&set, rule.iterations(set, most)) {
                    Ok(ended) => ended,
                    Err(interrupted) => SolveStatus::try_from(interrupted)?,
                };
                if ended.is_stopped() {
                    status = ended;
                    break 'macro_iterations;
                }
            }
            if before - tree.point().objective <= self.tol.min(MACRO_GAIN) * before.abs() {
                status = SolveStatus::Stalled;
                break;
            }
        }
        let mut optimality = f64::INFINITY;
        if !stage.soft && !status.is_stopped() {
            optimality = tree.optimality().unwrap_or(f64::INFINITY);
            if optimality <= self.tol {
                status = SolveStatus::Converged;
            }
        }
        let work = tree.work;
        let point = tree.into_point();
        Ok(StageEnd {
            theta: point.theta,
            work,
            status,
            optimality,
        })
    }

    /// Macro-iterations of a stage at most. In a soft stage one is enough for nodes to point the way: with more, the
    /// first of them to move take all there is to gain, and trees end at a higher objective.
    fn macro_iterations(&self, stage: &Stage) -> u64 {
        match stage.soft && self.working_sets == WorkingSets::Nodes {
            true => 1,
            false => self.iterations(stage).div_ceil(NODE_ITERATIONS),
        }
    }
}
