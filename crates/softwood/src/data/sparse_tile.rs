//! A block of sparse rows: what each of them has that the background has not.

/// Scaled features u_ij = background_j + values stored for row i and column j.
#[derive(Clone, Copy)]
pub(crate) struct SparseTile<'t> {
    /// Where rows begin, and the end of the last, counted from anywhere.
    pub starts: &'t [usize],
    /// Columns of the values stored, increasing in each row.
    pub columns: &'t [u32],
    pub values: &'t [f64],
    /// The scaled features where nothing is stored, p.
    pub background: &'t [f64],
}

impl<'t> SparseTile<'t> {
    /// Rows of the block, without padding.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Columns and values stored of row `i`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> (&'t [u32], &'t [f64]) {
        let first = self.starts[0];
        let range = self.starts[i] - first..self.starts[i + 1] - first;
        (&self.columns[range.clone()], &self.values[range])
    }

    /// u_ij.
    pub fn feature(&self, i: usize, j: usize) -> f64 {
        let (columns, values) = self.row(i);
        let stored = columns.binary_search(&(j as u32));
        self.background[j] + stored.map_or(0.0, |k| values[k])
    }
}
