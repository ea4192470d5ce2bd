//! A path of trees of any kind, as Python is told of it.

use softwood::SparsityPath;

/// A point of a path: places of λ_L and λ_G in their grids, the model, the score.
type Point<H> = (usize, usize, H, Option<f64>);

/// A path: the points done, the status and the seconds.
pub(super) type PathFields<H> = (Vec<Point<H>>, &'static str, f64);

/// The fields of a path, with a handle on each of its models.
pub(super) fn path_fields<M, H>(path: SparsityPath<M>, handle: impl Fn(M) -> H) -> PathFields<H> {
    let points = path.points.into_iter();
    let points = points.map(|p| (p.local, p.global, handle(p.model), p.score));
    (points.collect(), path.status.name(), path.seconds)
}
