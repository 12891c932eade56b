//! [`PackedRecords`]: the records of an index in memory, 16 bytes for each where every chunk is stored, or 24.

use super::record::ChunkRecord;

/// Number of records from which memory is reserved for all expected ones, so that it is never moved while it grows.
const FIRST: usize = 4096;

/// Largest number of records that memory is reserved for at once.
const STEP: u64 = 1 << 22;

/// Records by ascending index, once they are [sorted](Self::sort).
#[derive(Debug, Clone, Default)]
pub(super) struct PackedRecords {
    /// The index of each record; `None` while record n has the index n.
    indexes: Option<Vec<u64>>,
    /// Address and size of each.
    places: Vec<(u64, u64)>,
    /// Position and filter mask of records of chunks that skipped filters.
    masks: Vec<(usize, u32)>,
    /// True if a record came behind one with a higher index, or the same one.
    is_unsorted: bool,
}

impl PackedRecords {
    /// Adds a record. At most `expected` records will come.
    pub(super) fn push(&mut self, record: ChunkRecord, expected: u64) {
        let count = self.places.len();
        if count == self.places.capacity() && count >= FIRST {
            let more = expected.saturating_sub(count as u64).clamp(1, STEP);
            // If there is no room for so many, memory grows as it can.
            let _ = self
                .places
                .try_reserve_exact(usize::try_from(more).unwrap_or(FIRST));
        }
        match &mut self.indexes {
            None if record.index == count as u64 => {}
            None => self.indexes = Some((0..count as u64).chain([record.index]).collect()),
            Some(indexes) => indexes.push(record.index),
        }
        let before = count.checked_sub(1).map(|last| self.index(last));
        self.is_unsorted |= before.is_some_and(|before| before >= record.index);
        self.places.push((record.address, record.size));
        if record.filter_mask != 0 {
            self.masks.push((count, record.filter_mask));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    fn index(&self, at: usize) -> u64 {
        match &self.indexes {
            None => at as u64,
            Some(indexes) => indexes.get(at).copied().unwrap_or_default(),
        }
    }

    /// Sorts the records. Returns the index of one that came twice; only the first one stays.
    pub(super) fn sort(&mut self) -> Option<u64> {
        if !self.is_unsorted {
            return None;
        }
        self.is_unsorted = false;
        let mut twice = None;
        let indexes = self.indexes.take();
        if let Some(indexes) = indexes {
            let places = std::mem::take(&mut self.places);
            let mut all: Vec<_> = indexes.into_iter().zip(places).zip(0..).collect();
            all.sort_by_key(|((index, _), _)| *index);
            all.dedup_by(|b, a| {
                let same = a.0.0 == b.0.0;
                twice = twice.or(same.then_some(a.0.0));
                same
            });
            let masks = std::mem::take(&mut self.masks);
            let mask_of = |before: usize| {
                let found = masks.binary_search_by_key(&before, |(at, _)| *at).ok()?;
                masks.get(found).map(|(_, mask)| *mask)
            };
            let is_dense = all
                .last()
                .is_none_or(|((last, _), _)| *last + 1 == all.len() as u64);
            self.masks = (0..)
                .zip(&all)
                .filter_map(|(at, (_, before))| Some((at, mask_of(*before)?)))
                .collect();
            self.indexes = (!is_dense).then(|| all.iter().map(|((index, _), _)| *index).collect());
            self.places = all.into_iter().map(|((_, place), _)| place).collect();
        }
        twice
    }

    /// The record at a position.
    pub(super) fn at(&self, at: usize) -> Option<ChunkRecord> {
        let (address, size) = *self.places.get(at)?;
        let index = self.index(at);
        let mask = self.masks.binary_search_by_key(&at, |(at, _)| *at);
        let mask = mask.ok().and_then(|found| self.masks.get(found));
        Some(ChunkRecord {
            index,
            address,
            size,
            filter_mask: mask.map_or(0, |(_, mask)| *mask),
        })
    }

    /// The record with an index.
    pub(super) fn get(&self, index: u64) -> Option<ChunkRecord> {
        match &self.indexes {
            None => self.at(usize::try_from(index).ok()?),
            Some(indexes) => self.at(indexes.binary_search(&index).ok()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(index: u64, filter_mask: u32) -> ChunkRecord {
        ChunkRecord {
            index,
            address: 100 * index,
            size: index + 1,
            filter_mask,
        }
    }

    fn packed(records: &[ChunkRecord]) -> PackedRecords {
        let mut packed = PackedRecords::default();
        for record in records {
            packed.push(*record, 10);
        }
        packed
    }

    #[test]
    fn records_come_back_by_index() {
        for order in [&[0, 1, 2, 3][..], &[3, 1, 0, 2], &[5, 7, 9], &[9, 0, 5]] {
            let records: Vec<_> = order.iter().map(|n| record(*n, u32::from(*n % 2 == 1))).collect();
            let mut packed = packed(&records);
            assert_eq!(packed.sort(), None);
            assert_eq!(packed.indexes.is_none(), order.len() == 4);
            for n in 0..12 {
                let expected = records.iter().find(|record| record.index == n);
                assert_eq!(packed.get(n), expected.copied());
            }
        }
    }

    #[test]
    fn the_first_of_two_stays() {
        let mut packed = packed(&[record(1, 0), record(0, 0), record(1, 3)]);
        assert_eq!(packed.sort(), Some(1));
        assert_eq!((packed.len(), packed.indexes.is_none()), (2, true));
        assert_eq!(packed.get(1), Some(record(1, 0)));
    }
}
