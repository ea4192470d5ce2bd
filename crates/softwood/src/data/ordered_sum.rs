//! Sums over chunks of rows, added in an order fixed by their number alone: same bits everywhere.
//!
//! Chunks are the leaves of a binary tree that halves 0…n−1 again and again; sums are formed along
//! it. Threads, or machines that hold some of the chunks each, only change who forms which part.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Whether a pass may spread over the threads of the current pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallelism {
    /// Rows in parallel.
    Rows,
    /// One thread; something else (the starts, say) runs in parallel.
    None,
}

/// The sum of the chunks of one node of the binary tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part<A> {
    /// Which chunks.
    pub chunks: Range<usize>,
    /// Their sum.
    pub sum: A,
}

/// The sum over `range`, a node of the tree, not empty.
pub(super) fn sum_over<A: Send, E: Send>(
    range: Range<usize>,
    parallelism: Parallelism,
    chunk: &(impl Fn(usize) -> Result<A, E> + Sync),
    merge: &(impl Fn(&mut A, A) + Sync),
) -> Result<A, E> {
    if range.len() <= 1 {
        return chunk(range.start);
    }
    let (first, second) = halves(&range);
    let first = || sum_over(first.clone(), parallelism, chunk, merge);
    let second = || sum_over(second.clone(), parallelism, chunk, merge);
    let (first, second) = match parallelism {
        Parallelism::Rows => rayon::join(first, second),
        Parallelism::None => (first(), second()),
    };
    let mut sum = first?;
    merge(&mut sum, second?);
    Ok(sum)
}

/// The largest nodes of the tree over `whole` that lie within `own`, in order.
pub(super) fn nodes_within(whole: Range<usize>, own: &Range<usize>) -> Vec<Range<usize>> {
    let overlap = whole.start.max(own.start)..whole.end.min(own.end);
    if overlap.is_empty() {
        return Vec::new();
    }
    if overlap == whole {
        return vec![whole];
    }
    let (first, second) = halves(&whole);
    let mut nodes = nodes_within(first, own);
    nodes.extend(nodes_within(second, own));
    nodes
}

/// The sum over `whole` from sums over nodes of its tree in any order, or the first chunk that none
/// of them holds.
pub fn merge_parts<A>(
    whole: Range<usize>,
    parts: &mut Vec<Part<A>>,
    merge: &impl Fn(&mut A, A),
) -> Result<A, usize> {
    if let Some(place) = parts.iter().position(|part| part.chunks == whole) {
        return Ok(parts.swap_remove(place).sum);
    }
    if whole.len() <= 1 {
        return Err(whole.start);
    }
    let (first, second) = halves(&whole);
    let mut sum = merge_parts(first, parts, merge)?;
    merge(&mut sum, merge_parts(second, parts, merge)?);
    Ok(sum)
}

fn halves(range: &Range<usize>) -> (Range<usize>, Range<usize>) {
    let middle = range.start + range.len() / 2;
    (range.start..middle, middle..range.end)
}

/// Merges gradients and the like: a += b.
pub(crate) fn add_to(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}

/// Lets `fill(c, stretch)` write every chunk's stretch of `out`, all but the last `len` long.
pub(crate) fn fill_by_chunks<T: Send, E: Send>(
    out: &mut [T],
    len: usize,
    parallelism: Parallelism,
    fill: &(impl Fn(usize, &mut [T]) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let fill = |(c, out): (usize, &mut [T])| fill(c, out);
    match parallelism {
        _ if out.is_empty() => Ok(()),
        Parallelism::Rows => out.par_chunks_mut(len).enumerate().try_for_each(fill),
        Parallelism::None => out.chunks_mut(len).enumerate().try_for_each(fill),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whoever forms which part: the sum has the same bits.
        #[test]
        fn parts_formed_apart_add_up_to_the_same_bits(
            values in prop::collection::vec(-1e3..1e3f64, 1..40),
            cut in 0usize..40,
        ) {
            let chunk = |c: usize| Ok::<f64, ()>(values[c]);
            let merge = |a: &mut f64, b: f64| *a += b;
            let whole = 0..values.len();
            let expected = sum_over(whole.clone(), Parallelism::None, &chunk, &merge).unwrap();
            let cut = cut.min(values.len());
            let mut parts = Vec::new();
            for own in [cut..values.len(), 0..cut] {
                for node in nodes_within(whole.clone(), &own) {
                    let sum = sum_over(node.clone(), Parallelism::Rows, &chunk, &merge).unwrap();
                    parts.push(Part { chunks: node, sum });
                }
            }
            let sent = serde_json::to_string(&parts).unwrap();
            let mut received: Vec<Part<f64>> = serde_json::from_str(&sent).unwrap();
            prop_assert_eq!(merge_parts(whole.clone(), &mut received, &merge), Ok(expected));
            prop_assert_eq!(merge_parts(whole, &mut received, &merge), Err(0));
        }
    }
}
