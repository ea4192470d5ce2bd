//! What a search over trees on moving intervals asks of the tree that is sought.

use super::ending::Ending;
use crate::functional::MovingData;
use crate::objective::MovingTree;
use crate::start::splits_through_the_data;
use crate::stop::Interrupted;

/// Splits (a, μ) and ends s of a tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IntervalPoint {
    pub splits: Vec<f64>,
    pub ends: Vec<f64>,
}

/// A kind of tree on moving intervals.
pub(crate) trait IntervalProblem: Sync {
    /// Where a descent ended.
    type Outcome: AsRef<Ending> + AsMut<Ending> + Clone + Send + Sync;

    /// Its splits and ends.
    fn point(&self, outcome: &Self::Outcome) -> IntervalPoint;

    /// Splits at random, through the rows as the ends have them.
    fn random_splits(
        &self,
        tree: &MovingTree,
        ends: &[f64],
        rng: &mut rand_pcg::Pcg64,
    ) -> Result<Vec<f64>, Interrupted>;

    /// How little can be hoped for from a point; least is best.
    fn outlook(&self, tree: &MovingTree, point: &IntervalPoint) -> Result<f64, Interrupted>;

    /// Descends from a point through softer splits, or, if `sharp`, at the wanted steepness alone; `iterations`
    /// at most there. Stopped, it ends where it stands.
    fn begin(
        &self,
        tree: &MovingTree,
        point: IntervalPoint,
        sharp: bool,
        iterations: u64,
    ) -> Result<Self::Outcome, Interrupted>;

    /// Takes a descent that has begun so many iterations further.
    fn climb(
        &self,
        tree: &MovingTree,
        begun: Self::Outcome,
        iterations: u64,
    ) -> Result<Self::Outcome, Interrupted> {
        let mut outcome = self.begin(tree, self.point(&begun), true, iterations)?;
        outcome.as_mut().work += begun.as_ref().work;
        Ok(outcome)
    }

    /// Takes a descent that has begun to its end.
    fn finish(&self, tree: &MovingTree, begun: Self::Outcome)
    -> Result<Self::Outcome, Interrupted>;
}

/// Random directions with hyperplanes through the rows as the ends have them.
pub(super) fn random_splits<T: Clone>(
    data: &MovingData<T>,
    tree: &MovingTree,
    ends: &[f64],
    rng: &mut rand_pcg::Pcg64,
) -> Result<Vec<f64>, Interrupted> {
    let rows = data.at(&tree.features, ends).without_deadline().rows;
    let mut theta = vec![0.0; tree.splits()];
    let fresh = vec![true; tree.topology.branches()];
    let (topology, gamma) = (&tree.topology, tree.kernel_gamma());
    splits_through_the_data(&rows, topology, gamma, &mut theta, &fresh, rng)?;
    Ok(tree.own_splits(&theta))
}
