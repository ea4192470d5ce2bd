//! Sums over all rows: chunks in parallel, partial sums added in an order fixed by N alone.

use super::{ParameterLayout, Topology};
use crate::data::ScaledRows;
use crate::stop::Stopped;
use rayon::prelude::*;
use std::ops::Range;

/// Whether a pass may spread over the threads of the current pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallelism {
    /// Rows in parallel.
    Rows,
    /// One thread; something else (the starts, say) runs in parallel.
    None,
}

/// Evaluates `chunk(c)` for every chunk and merges the results pairwise along a fixed binary tree,
/// so the outcome has the same bits on any number of threads.
pub(crate) fn sum_over_chunks<A: Send>(
    rows: &ScaledRows<'_>,
    parallelism: Parallelism,
    chunk: &(impl Fn(usize) -> Result<A, Stopped> + Sync),
    merge: &(impl Fn(&mut A, A) + Sync),
) -> Result<A, Stopped> {
    sum_over_range(0..rows.chunks(), parallelism, chunk, merge)
}

fn sum_over_range<A: Send>(
    range: Range<usize>,
    parallelism: Parallelism,
    chunk: &(impl Fn(usize) -> Result<A, Stopped> + Sync),
    merge: &(impl Fn(&mut A, A) + Sync),
) -> Result<A, Stopped> {
    if range.len() == 1 {
        return chunk(range.start);
    }
    let middle = range.start + range.len() / 2;
    let first = || sum_over_range(range.start..middle, parallelism, chunk, merge);
    let second = || sum_over_range(middle..range.end, parallelism, chunk, merge);
    let (first, second) = match parallelism {
        Parallelism::Rows => rayon::join(first, second),
        Parallelism::None => (first(), second()),
    };
    let mut sum = first?;
    merge(&mut sum, second?);
    Ok(sum)
}

/// Adds up the chunks' values and their gradients by the splits, as `SplitGradient::sum_lanes` gives
/// them, and takes these on to θ = (a, μ) by the chain rule: γz = (γ/p) aᵀu − γμ. Returns the value.
pub(crate) fn sum_values_and_gradients(
    rows: &ScaledRows<'_>,
    parallelism: Parallelism,
    topology: Topology,
    gamma: f64,
    chunk: &(impl Fn(usize) -> Result<(f64, Vec<f64>), Stopped> + Sync),
    gradient: &mut [f64],
) -> Result<f64, Stopped> {
    let merge = |a: &mut (f64, Vec<f64>), b: (f64, Vec<f64>)| {
        a.0 += b.0;
        add_to(&mut a.1, &b.1);
    };
    let (value, sum) = sum_over_chunks(rows, parallelism, chunk, &merge)?;
    let layout = ParameterLayout::new(topology, rows.features());
    let (sum_a, sum_mu) = layout.split(&sum);
    let (gradient_a, gradient_mu) = layout.split_mut(gradient);
    for (g, s) in gradient_a.iter_mut().zip(sum_a) {
        *g = s * (gamma / rows.features() as f64);
    }
    for (g, s) in gradient_mu.iter_mut().zip(sum_mu) {
        *g = s * gamma;
    }
    Ok(value)
}

/// Merges gradients and the like: a += b.
pub(crate) fn add_to(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}

/// Lets each chunk fill its own stretch of `out`, `width` values a row.
pub(crate) fn fill_by_chunks<T: Send>(
    rows: &ScaledRows<'_>,
    parallelism: Parallelism,
    out: &mut [T],
    width: usize,
    fill: &(impl Fn(usize, &mut [T]) -> Result<(), Stopped> + Sync),
) -> Result<(), Stopped> {
    let len = rows.chunk_rows(0).len() * width;
    match parallelism {
        Parallelism::Rows => out
            .par_chunks_mut(len)
            .enumerate()
            .try_for_each(|(c, out)| fill(c, out)),
        Parallelism::None => out
            .chunks_mut(len)
            .enumerate()
            .try_for_each(|(c, out)| fill(c, out)),
    }
}
