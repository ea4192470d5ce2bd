//! Which nodes a decomposition moves, and in which order.

use crate::tree::Topology;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Quasi-Newton iterations of one node at most. With the 40 of paper 1 the first nodes to move go as far as they can
/// alone, and the others find less left to do: trees end at a higher objective.
pub(super) const NODE_ITERATIONS: u64 = 10;

/// Iterations of all nodes together where some are tied by the penalty on features.
const TIED_ITERATIONS: u64 = 10;

/// What moves in one step of NB-DEC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkingSet {
    /// W_B: all branch nodes; W_L: none.
    AllBranches,
    /// The same for so many iterations at most, to begin with.
    Together(u64),
    /// W_B: none; W_L: all leaves.
    Leaves,
    /// W_B: one branch node; W_L: all leaves.
    Node(usize),
    /// W_B: all branch nodes if some are tied at the largest coefficient of a feature, for none of them can lower
    /// it alone; W_L: none.
    Ties,
}

/// The rule by which working sets follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkingSets {
    /// All splits, labels revised once: no decomposition.
    Full,
    /// C-NB-DEC: all branch nodes, then all leaves.
    Convergent,
    /// S-NB-DEC: every branch node once, in random order, each with all leaves.
    Nodes,
}

impl WorkingSets {
    /// The steps of macro-iteration `number`.
    pub fn of_macro_iteration(
        self,
        topology: &Topology,
        seed: u64,
        number: u64,
    ) -> Vec<WorkingSet> {
        match self {
            Self::Full | Self::Convergent => vec![WorkingSet::AllBranches, WorkingSet::Leaves],
            Self::Nodes => {
                let nodes = (0..topology.branches()).map(WorkingSet::Node);
                let mut nodes: Vec<WorkingSet> = nodes.collect();
                let mut rng = Pcg64::new(u128::from(seed), u128::from(number));
                nodes.shuffle(&mut rng);
                nodes.extend([WorkingSet::Ties, WorkingSet::Leaves]);
                nodes
            }
        }
    }

    /// Iterations of a step at most, of so many allowed to a run.
    pub fn iterations(self, set: WorkingSet, most: u64) -> u64 {
        match set {
            WorkingSet::Node(_) => most.min(NODE_ITERATIONS),
            WorkingSet::Ties => most.min(TIED_ITERATIONS),
            WorkingSet::Together(iterations) => most.min(iterations),
            WorkingSet::AllBranches | WorkingSet::Leaves => most,
        }
    }
}
