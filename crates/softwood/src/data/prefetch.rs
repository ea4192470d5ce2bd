//! Asks for the memory of the next block while the present one is worked on.
//!
//! A block is packed faster than memory delivers it, and then computed with for longer than the
//! processor's own prefetching looks ahead. A few lines asked for now and then let both overlap.

use ndarray::ArrayView2;
use pulp::Simd;

/// Bytes in a cache line.
const LINE: usize = 64;

/// Stretches of memory that will be read soon; asking for them is harmless wherever they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    next: *const i8,
    /// Lines left in this stretch.
    lines: usize,
    /// Stretches after this one, all of one length and distance.
    stretches: usize,
    lines_each: usize,
    /// Bytes from the end of a stretch to the beginning of the next.
    gap: usize,
    /// Lines handed out at a time.
    part: usize,
}

impl Ahead {
    /// No memory.
    pub const NOTHING: Self = Self {
        next: std::ptr::null(),
        lines: 0,
        stretches: 0,
        lines_each: 0,
        gap: 0,
        part: 0,
    };

    /// The memory of a view, row by row or column by column.
    pub fn of<T>(view: ArrayView2<'_, T>) -> Self {
        let size = size_of::<T>();
        let next = view.as_ptr().cast();
        let one = |values: usize| (values * size).div_ceil(LINE) + 1;
        match *view.strides() {
            _ if view.is_empty() => Self::NOTHING,
            [row, 1] if row == view.ncols() as isize => Self {
                next,
                lines: one(view.len()),
                stretches: 0,
                lines_each: 0,
                gap: 0,
                part: 0,
            },
            [1, column] if column > 0 => {
                let lines = one(view.nrows());
                Self {
                    next,
                    lines,
                    stretches: view.ncols() - 1,
                    lines_each: lines,
                    gap: (column as usize * size).wrapping_sub(lines * LINE),
                    part: 0,
                }
            }
            _ => Self::NOTHING,
        }
    }

    /// The same memory, to be asked for in so many parts.
    pub fn in_parts(self, parts: usize) -> Self {
        Self {
            part: self.len().div_ceil(parts),
            ..self
        }
    }

    /// Lines not asked for yet.
    fn len(&self) -> usize {
        self.lines + self.stretches * self.lines_each
    }

    /// The next part.
    #[inline(always)]
    pub fn take(&mut self) -> Burst {
        if self.lines == 0 && self.stretches > 0 {
            self.stretches -= 1;
            self.lines = self.lines_each;
            self.next = self.next.wrapping_add(self.gap);
        }
        let burst = Burst {
            next: self.next,
            lines: self.part.min(self.lines),
        };
        self.lines -= burst.lines;
        self.next = self.next.wrapping_add(burst.lines * LINE);
        burst
    }
}

/// A few lines to be asked for in the course of a short loop.
pub(crate) struct Burst {
    next: *const i8,
    lines: usize,
}

impl Burst {
    /// Asks for two lines more, if there are more.
    #[inline(always)]
    pub fn ask<S: Simd>(&mut self, simd: S) {
        if self.lines > 0 {
            prefetch(simd, self.next);
            prefetch(simd, self.next.wrapping_add(LINE));
            self.next = self.next.wrapping_add(2 * LINE);
            self.lines = self.lines.saturating_sub(2);
        }
    }
}

/// Into all caches, where the instruction set has a way to say so.
#[inline(always)]
fn prefetch<S: Simd>(simd: S, at: *const i8) {
    #[cfg(target_arch = "x86_64")]
    {
        use pulp::x86::{V3, V4};
        use std::arch::x86_64::_MM_HINT_T1;
        let any: &dyn std::any::Any = &simd;
        if let Some(v4) = any.downcast_ref::<V4>() {
            v4.sse._mm_prefetch::<_MM_HINT_T1>(at);
        } else if let Some(v3) = any.downcast_ref::<V3>() {
            v3.sse._mm_prefetch::<_MM_HINT_T1>(at);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (simd, at);
}
