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

    /// The indexes that `chosen` takes of these, which it counts from 0 on. It fits their number.
    pub fn within(self, chosen: Self) -> Self {
        Self {
            first: self.first.saturating_add(chosen.first.saturating_mul(self.step)),
            step: self.step.saturating_mul(chosen.step),
            count: chosen.count,
        }
    }

    /// These indexes as a constraint has them.
    pub fn written(self) -> String {
        let last = self
            .first
            .saturating_add(self.count.saturating_sub(1).saturating_mul(self.step));
        format!("[{}:{}:{last}]", self.first, self.step)
    }
}

/// Number of elements in a box of slices, one for each dimension.
pub fn element_count(slices: &[Slice]) -> Option<u64> {
    slices
        .iter()
        .try_fold(1u64, |count, slice| count.checked_mul(slice.count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_slices_are_slices() {
        let of = |first, step, count| Slice { first, step, count };
        assert_eq!(of(2, 3, 5).within(of(1, 2, 2)), of(5, 6, 2));
        assert_eq!(of(5, 6, 2).written(), "[5:6:11]");
        assert_eq!(Slice::parse("5:6:12"), Some(of(5, 6, 2)));
        assert!(of(5, 6, 2).fits(12) && !of(5, 6, 2).fits(11));
        assert_eq!(element_count(&[of(0, 1, 3), of(7, 7, 2)]), Some(6));
        assert_eq!(element_count(&[of(0, 1, 1 << 40), of(7, 7, 1 << 40)]), None);
    }
}
