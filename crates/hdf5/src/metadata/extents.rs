//! [`Extents`]: a set of byte ranges of a file.

/// Ranges of bytes, which may overlap.
#[derive(Debug, Default)]
pub(crate) struct Extents(Vec<(u64, u64)>);

impl Extents {
    /// Adds `length` bytes at `begin`.
    pub(crate) fn add(&mut self, begin: u64, length: u64) {
        self.0.push((begin, begin.saturating_add(length)));
    }

    /// Number of ranges.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Number of bytes below `end` that are in none of these ranges, which were joined.
    pub(crate) fn bytes_outside(&self, end: u64) -> u64 {
        let within = |(begin, last): &(u64, u64)| (*last).min(end) - (*begin).min(end);
        end - self.0.iter().map(within).sum::<u64>()
    }

    /// Adds other ranges.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Sorts the ranges, and joins those that meet.
    pub(crate) fn join(&mut self) {
        self.0.retain(|(begin, end)| begin < end);
        self.0.sort_unstable();
        self.0.dedup_by(|next, before| {
            let meets = next.0 <= before.1;
            if meets {
                before.1 = before.1.max(next.1);
            }
            meets
        });
    }

    /// True if a range of `other` has a byte in common with these, which were joined.
    pub(crate) fn overlap(&self, other: &Self) -> bool {
        other.0.iter().any(|(begin, end)| {
            let next = self.0.partition_point(|(_, own_end)| own_end <= begin);
            self.0.get(next).is_some_and(|(own_begin, _)| own_begin < end)
        })
    }

    /// True if the byte at `address` is in these ranges, which were joined.
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.overlap(&Self(vec![(address, address.saturating_add(1))]))
    }

    /// The ranges that have bytes in common with an earlier one of another owner. `all` are the ranges of each owner.
    pub(crate) fn shared(all: &[Self]) -> Vec<usize> {
        let mut ranges: Vec<(u64, u64, usize)> = Vec::new();
        for (owner, own) in all.iter().enumerate() {
            ranges.extend(own.0.iter().map(|(begin, end)| (*begin, *end, owner)));
        }
        ranges.sort_unstable();
        let mut shared = Vec::new();
        let mut last: Option<(u64, usize)> = None;
        for (begin, end, owner) in ranges {
            if let Some((last_end, last_owner)) = last
                && begin < last_end
                && owner != last_owner
            {
                shared.extend([last_owner, owner]);
            }
            if last.is_none_or(|(last_end, _)| last_end < end) {
                last = Some((end, owner));
            }
        }
        shared.sort_unstable();
        shared.dedup();
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_are_joined() {
        let mut all = Extents(vec![(10, 20), (30, 40), (20, 25), (5, 5)]);
        all.join();
        assert_eq!(all.0, [(10, 25), (30, 40)]);
        assert!(all.contains(24) && !all.contains(25) && !all.contains(9));
        assert_eq!(
            (
                all.bytes_outside(50),
                all.bytes_outside(35),
                all.bytes_outside(12)
            ),
            (25, 15, 10)
        );
        assert!(all.overlap(&Extents(vec![(0, 10), (26, 31)])));
        assert!(!all.overlap(&Extents(vec![(0, 10), (25, 30), (40, 90)])));
    }

    #[test]
    fn owners_of_the_same_bytes_are_found() {
        let all = [
            Extents(vec![(0, 10)]),
            Extents(vec![(10, 20), (40, 50)]),
            Extents(vec![(45, 46)]),
            Extents(vec![(48, 60)]),
        ];
        assert_eq!(Extents::shared(&all), [1, 2, 3]);
    }
}
