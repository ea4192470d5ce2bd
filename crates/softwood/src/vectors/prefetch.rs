//! Asks for the memory of the next block while the present one is worked on.
//!
//! A block is packed faster than memory delivers it, and then computed with for longer than the
//! processor's own prefetching looks ahead. A core has room for some twenty requests at a time, so
//! they must be spread evenly over the work: asked for in bursts, most of the time of packing was
//! spent waiting.

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
    /// Lines to be asked for in a unit of work, and those that are due, in fractions of [`ONE`].
    rate: usize,
    due: usize,
}

/// One line.
const ONE: usize = 1 << 8;

impl Ahead {
    /// No memory.
    pub const NOTHING: Self = Self {
        next: &raw const AT_HAND,
        lines: 0,
        stretches: 0,
        lines_each: 0,
        gap: 0,
        rate: 0,
        due: 0,
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
                ..Self::NOTHING
            },
            [1, column] if column > 0 => {
                let lines = one(view.nrows());
                Self {
                    next,
                    lines,
                    stretches: view.ncols() - 1,
                    lines_each: lines,
                    gap: (column as usize * size).wrapping_sub(lines * LINE),
                    ..Self::NOTHING
                }
            }
            _ => Self::NOTHING,
        }
    }

    /// The same memory, to be asked for in the course of so many units of work.
    pub fn over(self, units: usize) -> Self {
        let lines = self.lines + self.stretches * self.lines_each;
        Self {
            rate: (lines * ONE).div_ceil(units.max(1)),
            ..self
        }
    }

    /// Asks for what is due in so many units of work, at once.
    #[inline(always)]
    pub fn work<S: Simd>(&mut self, simd: S, units: usize) {
        let burst = self.burst(units);
        for k in 0..burst.lines {
            prefetch(simd, burst.first.wrapping_add(k * LINE));
        }
    }

    /// What is due in so many units of work, to be asked for step by step.
    #[inline(always)]
    pub fn burst(&mut self, steps: usize) -> Burst {
        if self.lines == 0 && self.stretches > 0 {
            self.stretches -= 1;
            self.lines = self.lines_each;
            self.next = self.next.wrapping_add(self.gap);
        }
        self.due += self.rate * steps;
        let lines = (self.due / ONE).min(self.lines);
        self.due %= ONE;
        let burst = Burst {
            first: self.next,
            lines,
            rate: if lines > 0 { self.rate } else { 0 },
        };
        self.next = self.next.wrapping_add(lines * LINE);
        self.lines -= lines;
        burst
    }
}

/// A few lines to be asked for in the course of a short loop.
pub(crate) struct Burst {
    first: *const i8,
    lines: usize,
    rate: usize,
}

impl Burst {
    /// Asks for what is due at step `k`, up to two lines. Again for the same line, or for one too many,
    /// rather than by counting: that would cost the loop registers which it needs for its sums.
    #[inline(always)]
    pub fn step<S: Simd>(&self, simd: S, k: usize) {
        let due = self.first.wrapping_add(k * self.rate / ONE * LINE);
        prefetch(simd, due);
        prefetch(simd, due.wrapping_add(LINE));
    }
}

/// Memory that is always at hand, for those who have nothing to ask for.
static AT_HAND: i8 = 0;

/// Into all caches but the first, where the instruction set has a way to say so.
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
