//! Vector arithmetic below rows and trees: aligned memory, prefetching, exponentials, logarithms.

mod aligned;
mod dot;
mod exponential;
mod lanes;
mod logarithm;
pub(crate) mod prefetch;
mod sigmoid;
pub(crate) mod transpose;

pub(crate) use aligned::AlignedBuffer;
pub(crate) use dot::dot;
pub(crate) use lanes::{MAX_LANES, ROW_MULTIPLE, VECTOR_TILE};
pub(crate) use logarithm::ln;
pub(crate) use sigmoid::{saturation, sigmoid_pairs};
