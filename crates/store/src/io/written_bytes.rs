//! [`WrittenBytes`]: which bytes of a variable, or of a part of an object, have been written.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of byte ranges. Adjacent ranges are merged, so a variable that is written in order has one entry.
#[derive(Debug, Default)]
pub struct WrittenBytes {
    /// Start → end. Ranges are disjoint and not adjacent.
    ranges: BTreeMap<u64, u64>,
    /// Bytes of all ranges.
    len: u64,
}

impl WrittenBytes {
    /// Adds a range.
    pub fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let Range { mut start, mut end } = range;
        while let Some((&s, &e)) = self.ranges.range(..=end).next_back() {
            if e < start {
                break;
            }
            self.ranges.remove(&s);
            self.len -= e - s;
            start = start.min(s);
            end = end.max(e);
        }
        self.ranges.insert(start, end);
        self.len += end - start;
    }

    /// Number of bytes in the set.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if no byte is in the set.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The ranges, ascending, not adjacent.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.ranges.iter().map(|(&start, &end)| start..end)
    }

    /// The parts of `0..total` that are not in the set, ascending.
    pub fn gaps(&self, total: u64) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut at = 0;
        for (&start, &end) in &self.ranges {
            if start > at {
                gaps.push(at..start.min(total));
            }
            at = end;
        }
        if at < total {
            gaps.push(at..total);
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_in_order_become_one() {
        let mut written = WrittenBytes::default();
        for i in 0..100 {
            written.add(i * 10..i * 10 + 10);
        }
        assert_eq!(written.ranges.len(), 1);
        assert!(written.gaps(1000).is_empty());
        assert_eq!(written.gaps(1001).first(), Some(&(1000..1001)));
    }

    proptest! {
        #[test]
        fn gaps_are_what_was_not_added(ranges in proptest::collection::vec((0u64..60, 0u64..12), 0..12)) {
            let mut written = WrittenBytes::default();
            let mut flags = [false; 80];
            for (start, length) in ranges {
                written.add(start..start + length);
                flags[start as usize..(start + length) as usize].fill(true);
            }
            let mut expected = [true; 80];
            for gap in written.gaps(80) {
                expected[gap.start as usize..gap.end as usize].fill(false);
            }
            prop_assert_eq!(&flags[..], &expected[..]);
        }
    }
}
