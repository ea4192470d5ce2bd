//! What a search for a hard oblique tree has found, by whichever way.

use crate::exact::{Ended, Hardened, Moment, ObliqueTree, Problem, Solution, counted};

/// What was found.
pub(super) struct Found {
    pub solution: Solution,
    /// What was minimized, if it is not the count alone: hyperplanes then stay as they are.
    pub objective: Option<f64>,
}

impl Found {
    /// The bound for a tree that is kept, whatever was found.
    pub fn keeping(self, tree: ObliqueTree, problem: &Problem<'_>) -> Self {
        let Hardened { tree, cost } = counted(problem, tree);
        let Solution {
            bound,
            ended,
            course,
            ..
        } = self.solution;
        let of_tree = |moment: Moment| Moment {
            cost,
            bound: moment.bound.min(cost),
            ..moment
        };
        Self {
            solution: Solution {
                tree,
                bound: bound.min(cost),
                ended: match ended {
                    Ended::Proven if bound < cost => Ended::Nodes,
                    other => other,
                },
                improved: true,
                course: course.into_iter().map(of_tree).collect(),
                ..self.solution
            },
            objective: None,
        }
    }
}
