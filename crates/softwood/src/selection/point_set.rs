//! Points laid out for scanning: which of them lies farthest in a direction?

use pulp::Arch;

/// Points scanned side by side: doubles in the widest vector.
const LANES: usize = 8;

/// Points of equal dimension, in blocks of eight with coordinate after coordinate innermost by point.
#[derive(Clone, Debug)]
pub(crate) struct PointSet {
    dims: usize,
    len: usize,
    /// `[block][coordinate][lane]`; lanes without a point hold NaN, which is farther than nothing.
    blocks: Vec<f64>,
}

/// The farthest point: its place and the scalar product with the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Farthest {
    pub place: usize,
    pub value: f64,
}

impl PointSet {
    pub fn new(dims: usize) -> Self {
        assert!(dims > 0, "a point has at least one coordinate");
        Self {
            dims,
            len: 0,
            blocks: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    pub fn push(&mut self, point: &[f64]) {
        let lane = self.len % LANES;
        if lane == 0 {
            self.blocks
                .resize(self.blocks.len() + self.dims * LANES, f64::NAN);
        }
        let block = self.len / LANES * self.dims * LANES;
        for (k, x) in point.iter().enumerate() {
            self.blocks[block + k * LANES + lane] = *x;
        }
        self.len += 1;
    }

    /// Copies the point at `place` to `out`.
    pub fn copy_to(&self, place: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.add_to(place, out);
    }

    /// Adds the point at `place` to `out`.
    pub fn add_to(&self, place: usize, out: &mut [f64]) {
        let block = &self.blocks[place / LANES * self.dims * LANES..][..self.dims * LANES];
        for (out, column) in out.iter_mut().zip(block.chunks_exact(LANES)) {
            *out += column[place % LANES];
        }
    }

    /// The first of the points farthest in direction `w`, the one at `skip` left out; None if there
    /// are no others.
    pub fn farthest(&self, w: &[f64], skip: Option<usize>) -> Option<Farthest> {
        let mut best = Best::default();
        Arch::new().dispatch(|| match skip {
            None => best.scan(&self.blocks, w, 0),
            Some(place) => {
                let (block, width) = (place / LANES, self.dims * LANES);
                let (before, rest) = self.blocks.split_at(block * width);
                let (here, after) = rest.split_at(width);
                best.scan(before, w, 0);
                let mut values = block_values(w, here);
                values[place % LANES] = f64::NAN;
                best.update(values, block);
                best.scan(after, w, block + 1);
            }
        });
        best.reduce()
    }

    /// All points with a scalar product of at least `level`, in order, added to `out`.
    pub fn at_least(&self, w: &[f64], level: f64, out: &mut Vec<Farthest>) {
        Arch::new().dispatch(|| {
            for (b, block) in self.blocks.chunks_exact(self.dims * LANES).enumerate() {
                let values = block_values(w, block);
                if values.iter().any(|value| *value >= level) {
                    let lanes = values.iter().enumerate();
                    out.extend(lanes.filter(|(_, v)| **v >= level).map(|(l, v)| Farthest {
                        place: b * LANES + l,
                        value: *v,
                    }));
                }
            }
        });
    }
}

/// The largest value seen in each lane, and in which block.
struct Best {
    values: [f64; LANES],
    blocks: [u64; LANES],
}

impl Default for Best {
    fn default() -> Self {
        Self {
            values: [f64::NEG_INFINITY; LANES],
            blocks: [u64::MAX; LANES],
        }
    }
}

impl Best {
    #[inline(always)]
    fn scan(&mut self, blocks: &[f64], w: &[f64], first: usize) {
        for (b, block) in blocks.chunks_exact(w.len() * LANES).enumerate() {
            self.update(block_values(w, block), first + b);
        }
    }

    #[inline(always)]
    fn update(&mut self, values: [f64; LANES], block: usize) {
        for (l, value) in values.into_iter().enumerate() {
            let better = value > self.values[l];
            self.values[l] = if better { value } else { self.values[l] };
            self.blocks[l] = if better { block as u64 } else { self.blocks[l] };
        }
    }

    fn reduce(&self) -> Option<Farthest> {
        let mut best: Option<Farthest> = None;
        for (l, (value, block)) in self.values.into_iter().zip(self.blocks).enumerate() {
            if block == u64::MAX {
                continue;
            }
            let place = block as usize * LANES + l;
            if best.is_none_or(|b| value > b.value || (value == b.value && place < b.place)) {
                best = Some(Farthest { place, value });
            }
        }
        best
    }
}

/// Scalar products of `w` with the points of a block, added up in the order of [`dot`].
#[inline(always)]
fn block_values(w: &[f64], block: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (w, column) in w.iter().zip(block.chunks_exact(LANES)) {
        for (sum, x) in sums.iter_mut().zip(column) {
            *sum += w * x;
        }
    }
    sums
}

/// Scalar product, coordinate after coordinate: the same bits as a scan gives.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_scan_finds_what_a_plain_loop_finds(
            dims in 1usize..6,
            values in prop::collection::vec(-3i32..4, 6..180),
            w in prop::collection::vec(-2i32..3, 5),
            skip in any::<prop::sample::Index>(),
            skips in any::<bool>(),
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let w: Vec<f64> = w[..dims].iter().map(|w| f64::from(*w) * 0.3).collect();
            let points: Vec<&[f64]> = values.chunks_exact(dims).collect();
            let mut set = PointSet::new(dims);
            points.iter().for_each(|point| set.push(point));
            prop_assert_eq!(set.len(), points.len());
            let skip = skips.then(|| skip.index(points.len()));
            let mut wanted: Option<Farthest> = None;
            for (place, point) in points.iter().enumerate().filter(|(i, _)| Some(*i) != skip) {
                let value = dot(&w, point);
                if wanted.is_none_or(|best| value > best.value) {
                    wanted = Some(Farthest { place, value });
                }
            }
            prop_assert_eq!(set.farthest(&w, skip), wanted);
            let (mut level, mut copy) = (Vec::new(), vec![0.0; dims]);
            set.at_least(&w, 0.3, &mut level);
            let reaching = points.iter().enumerate().filter(|(_, p)| dot(&w, p) >= 0.3);
            prop_assert_eq!(
                level.iter().map(|f| f.place).collect::<Vec<_>>(),
                reaching.map(|(i, _)| i).collect::<Vec<_>>()
            );
            for (i, point) in points.iter().enumerate() {
                set.copy_to(i, &mut copy);
                prop_assert_eq!(&copy, point);
            }
        }
    }
}
