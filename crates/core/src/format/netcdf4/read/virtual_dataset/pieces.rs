//! Pieces of a virtual variable that each lie in one run of bytes of a source without chunks.

use super::presented::{VirtualVariable, pairs};
use super::source::virtual_storage::VirtualStorage;
use crate::chunk::{Region, common_divisor, element_count};
use crate::error::Result;
use crate::format::StoredPlace;
use crate::model::Storage;

impl VirtualVariable {
    /// Bytes of the largest pieces, cut from the first byte on, that each lie within one run of a source, or in none. `None` if a source
    /// has chunks or other types, or a mapping is no box. Sources that were not looked at count as fitting.
    ///
    /// # Errors
    /// A selection that does not fit its source.
    pub fn piece(&self, target: &VirtualStorage<'_>) -> Result<Option<u64>> {
        let extent = &target.layout.extent;
        let Some(mut piece) = element_count(extent) else {
            return Ok(None);
        };
        for mapping in &self.data.mappings {
            let Some(Ok(Some(facts))) = self.data.facts[mapping.source].get() else {
                continue;
            };
            let from = self.data.from(mapping, facts)?;
            let is_plain = facts.same_type && facts.layout.storage == Storage::Contiguous;
            if !is_plain || pairs(&mapping.to, &from).is_none() {
                return Ok(None);
            }
            if from.count() == 0 {
                continue;
            }
            let (begin, length) = runs(mapping.to.bounds(), extent);
            // A run of the source may begin anywhere.
            let (_, in_source) = runs(from.bounds(), &facts.layout.extent);
            piece = [begin, length, in_source].into_iter().fold(piece, common_divisor);
        }
        Ok(piece.checked_mul(target.layout.element_size as u64))
    }

    /// Where bytes lie, in the file of a source. `None` if they do not lie in one run of one source.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    pub fn place_of_bytes(
        &self,
        target: &VirtualStorage<'_>,
        offset: u64,
        length: u64,
    ) -> Result<Option<StoredPlace>> {
        let size = target.layout.element_size.max(1) as u64;
        if !offset.is_multiple_of(size) || !length.is_multiple_of(size) {
            return Ok(None);
        }
        let regions = Region::range(&target.layout.extent, offset / size, length / size);
        let [region] = &regions[..] else {
            return Ok(None);
        };
        let needed = self.data.needed(target, region, false)?;
        let [number] = needed[..] else {
            return Ok(None);
        };
        let mapping = &self.data.mappings[number];
        let Some(facts) = self.data.facts(target, mapping.source)? else {
            return Ok(None);
        };
        let from = self.data.from(mapping, facts)?;
        let to = mapping.to.bounds();
        let is_plain = facts.same_type && facts.layout.storage == Storage::Contiguous && to.contains(region);
        let Some(pairs) = pairs(&mapping.to, &from).filter(|_| is_plain) else {
            return Ok(None);
        };
        let within = |(e, pair): (usize, &Option<usize>)| {
            let start = from.bounds().start[e];
            match pair {
                Some(d) => (start + (region.start[*d] - to.start[*d]), region.count[*d]),
                None => (start, 1),
            }
        };
        let (start, count) = pairs.iter().enumerate().map(within).unzip();
        let (held, extent) = (Region { start, count }, &facts.layout.extent);
        if !held.fits(extent) {
            return Ok(None);
        }
        let mut lengths = held.start.iter().zip(extent);
        let first = lengths.try_fold(0u64, |at, (start, length)| {
            at.checked_mul(*length)?.checked_add(*start)
        });
        let Some((first, offset)) = first.and_then(|first| Some((first, first.checked_mul(size)?))) else {
            return Ok(None);
        };
        if Region::range(extent, first, length / size) != [held] {
            return Ok(None);
        }
        let Some(source) = self.data.source(target, mapping.source)? else {
            return Ok(None);
        };
        let (reader, var) = source.reader();
        reader.place_of_bytes(var, offset, length)
    }
}

/// A box as contiguous runs: a common divisor of their first element numbers, and the length of each.
fn runs(part: &Region, extent: &[u64]) -> (u64, u64) {
    let (mut begin, mut length) = (0, 1);
    let mut inner = 1u64;
    let mut is_whole = true;
    for d in (0..extent.len()).rev() {
        begin = common_divisor(begin, part.start[d].saturating_mul(inner));
        if is_whole {
            length = part.count[d].saturating_mul(inner);
        } else if part.count[d] > 1 {
            begin = common_divisor(begin, inner);
        }
        is_whole &= part.count[d] == extent[d];
        inner = inner.saturating_mul(extent[d]);
    }
    (begin, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_runs() {
        let of = |start: [u64; 3], count: [u64; 3]| runs(&Region::new(&start, &count), &[10, 6, 4]);
        assert_eq!(of([0, 0, 0], [10, 6, 4]), (0, 240));
        assert_eq!(of([4, 0, 0], [2, 6, 4]), (96, 48));
        assert_eq!(of([4, 3, 0], [1, 2, 4]), (12, 8));
        assert_eq!(of([0, 3, 0], [10, 3, 4]), (12, 12));
        assert_eq!(of([0, 0, 2], [10, 6, 2]), (2, 2));
    }
}
