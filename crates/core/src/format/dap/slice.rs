//! [`Slice`]: indexes of one dimension.

/// Indexes of one dimension: from the first to the last, each a step behind the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The first index.
    pub first: u64,
    /// From one index to the next.
    pub step: u64,
    /// Number of indexes.
    pub count: u64,
}

impl Slice {
    /// All indexes of a dimension.
    pub fn whole(length: u64) -> Self {
        Self {
            first: 0,
            step: 1,
            count: length,
        }
    }

    /// `[n]`, `[first:last]`, `[first:step:last]`.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<u64>> = text.split(':').map(|n| n.trim().parse().ok()).collect();
        let (first, step, last) = match numbers?[..] {
            [one] => (one, 1, one),
            [first, last] => (first, 1, last),
            [first, step, last] => (first, step, last),
            _ => return None,
        };
        let count = last.checked_sub(first)?.checked_div(step)?.checked_add(1)?;
        Some(Self { first, step, count })
    }

    /// True if the indexes are those of a dimension of this length.
    pub fn fits(self, length: u64) -> bool {
        let behind = (self.count - 1)
            .checked_mul(self.step)
            .and_then(|n| n.checked_add(self.first));
        behind.is_some_and(|last| last < length)
    }

    /// A part of these indexes, written as in a constraint.
    pub fn part(self, start: u64, count: u64) -> String {
        let first = self.first + start * self.step;
        let last = first + count.saturating_sub(1) * self.step;
        format!("[{first}:{}:{last}]", self.step)
    }
}
