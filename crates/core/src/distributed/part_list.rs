//! Numbers of parts, as `sbatch --array` writes them: `0-9`, `3,7,12-15`.

use std::fmt;
use std::ops::RangeInclusive;

use crate::error::{Error, Result};

/// Numbers of parts, ascending, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartList(Vec<RangeInclusive<u64>>);

impl PartList {
    /// Reads numbers and ranges that commas separate.
    ///
    /// # Errors
    /// [`Error::Usage`] for what is no number, and for a range whose end is before its begin.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::Usage(format!(
                "'{text}': expected numbers of parts, such as 7, 0-9 or 3,7,12-15"
            ))
        };
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
        let mut ranges = Vec::new();
        for item in text.split(',') {
            let range = match item.split_once('-') {
                Some((first, last)) => number(first)?..=number(last)?,
                None => number(item)?..=number(item)?,
            };
            if range.is_empty() {
                return Err(wrong());
            }
            ranges.push(range);
        }
        Ok(Self::joined(ranges))
    }

    /// These numbers.
    pub fn of(numbers: impl IntoIterator<Item = u64>) -> Self {
        Self::joined(numbers.into_iter().map(|n| n..=n).collect())
    }

    fn joined(mut ranges: Vec<RangeInclusive<u64>>) -> Self {
        ranges.sort_by_key(|range| *range.start());
        let mut joined: Vec<RangeInclusive<u64>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => joined.push(range),
            }
        }
        Self(joined)
    }

    /// The numbers, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().flat_map(Clone::clone)
    }

    /// The greatest number.
    pub fn last(&self) -> Option<u64> {
        self.0.last().map(|range| *range.end())
    }

    /// How many numbers there are.
    pub fn len(&self) -> u64 {
        let lengths = self
            .0
            .iter()
            .map(|range| (range.end() - range.start()).saturating_add(1));
        lengths.fold(0, u64::saturating_add)
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for PartList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, range) in self.0.iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            match (range.start(), range.end()) {
                (first, last) if first == last => write!(f, "{comma}{first}")?,
                (first, last) => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_shown_as_sbatch_takes_them() {
        for (text, shown, count) in [
            ("7", "7", 1),
            ("0-9", "0-9", 10),
            ("12-15,3,7", "3,7,12-15", 6),
            ("4,3,5-6,5", "3-6", 4),
            ("0-18446744073709551615", "0-18446744073709551615", u64::MAX),
        ] {
            let list = PartList::parse(text).unwrap();
            assert_eq!((list.to_string().as_str(), list.len()), (shown, count), "{text}");
        }
        assert_eq!(PartList::of([5, 1, 2]).to_string(), "1-2,5");
        assert!(PartList::of([]).is_empty());
        for wrong in ["", "a", "1-", "-1", "3-2", "1,,2", "1-2-3"] {
            assert!(PartList::parse(wrong).is_err(), "{wrong}");
        }
    }
}
