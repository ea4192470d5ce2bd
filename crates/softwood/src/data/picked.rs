//! Which of the user's rows a source hands out, in which order.

/// All rows as they stand, or some of them.
pub(super) struct Picked {
    all: usize,
    some: Option<Vec<u32>>,
}

impl Picked {
    /// So many rows as they stand.
    pub fn all(rows: usize) -> Self {
        Self {
            all: rows,
            some: None,
        }
    }

    /// Those at these positions.
    pub fn pick(&self, positions: &[u32]) -> Self {
        let original = |i: &u32| self.some.as_ref().map_or(*i, |own| own[*i as usize]);
        Self {
            all: self.all,
            some: Some(positions.iter().map(original).collect()),
        }
    }

    pub fn are_all(&self) -> bool {
        self.some.is_none()
    }

    pub fn len(&self) -> usize {
        self.some.as_ref().map_or(self.all, Vec::len)
    }

    /// The number, among the user's, of the row at a position.
    pub fn original(&self, position: usize) -> usize {
        let own = self.some.as_ref();
        own.map_or(position, |own| own[position] as usize)
    }
}
