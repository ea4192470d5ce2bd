//! A buffer of doubles that starts on a cache line, so that no vector load straddles two.

use bytemuck::{Pod, Zeroable};
use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct CacheLine([f64; 8]);

/// Doubles aligned to 64 bytes.
#[derive(Clone)]
pub(crate) struct AlignedBuffer {
    lines: Vec<CacheLine>,
    len: usize,
}

impl AlignedBuffer {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        Self {
            lines: vec![CacheLine([0.0; 8]); len.div_ceil(8)],
            len,
        }
    }
}

impl Deref for AlignedBuffer {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
