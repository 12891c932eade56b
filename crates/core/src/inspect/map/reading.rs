//! [`Reading`]: how many chunks a reader touches, and how many bytes come.

/// What a reader takes for one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Chunks, or pieces of a variable without chunks: requests to a store that serves each alone.
    pub requests: u64,
    /// Bytes that come, as stored.
    pub bytes: u64,
}

/// What typical readers take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readings {
    /// A map: one step of the first dimension, and all of the others.
    pub map: Reading,
    /// A series: one point over the first dimension.
    pub series: Reading,
}

impl Readings {
    /// Of chunks, of which `counts` are along each dimension, and each takes `chunk` bytes.
    pub(super) fn of_chunks(counts: &[u64], chunk: u64) -> Self {
        let of = |requests: u64| Reading {
            requests,
            bytes: requests.saturating_mul(chunk),
        };
        let others = counts
            .iter()
            .skip(1)
            .fold(1u64, |n, count| n.saturating_mul(*count));
        Self {
            map: of(others),
            series: of(counts.first().copied().unwrap_or(1)),
        }
    }

    /// Of a variable in one piece, or one piece a record, of elements of `element` bytes.
    pub(super) fn of_pieces(extent: &[u64], element: u64) -> Self {
        let steps = extent.first().copied().unwrap_or(1);
        let others = extent
            .iter()
            .skip(1)
            .fold(1u64, |n, length| n.saturating_mul(*length));
        Self {
            map: Reading {
                requests: 1,
                bytes: others.saturating_mul(element),
            },
            series: Reading {
                requests: if others == 1 { 1 } else { steps },
                bytes: steps.saturating_mul(element),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_meets_all_chunks_of_a_step_and_a_series_one_column() {
        let reading = |requests, bytes| Reading { requests, bytes };
        let found = Readings::of_chunks(&[366, 4, 8], 100);
        assert_eq!(
            (found.map, found.series),
            (reading(32, 3200), reading(366, 36_600))
        );
        let found = Readings::of_pieces(&[366, 18, 36], 4);
        assert_eq!((found.map, found.series), (reading(1, 2592), reading(366, 1464)));
    }
}
