//! Elements of sources that cannot be read.
//!
//! ```text
//! elements of a mapping ─ cannot be read ─► halves ─► … ─► one chunk of the source ─ cannot be read ─► lost
//! ```

use super::mappings::Mapping;
use super::selection::elements::Elements;
use super::source::source_facts::Facts;
use super::source::virtual_storage::VirtualStorage;
use crate::chunk::{Region, fill_pattern};
use crate::error::{Error, Result};
use crate::model::{Storage, Values};

/// How often a part of a mapping that cannot be read is split.
pub const MOST_TRIES: usize = 1 << 10;

/// Told of each box with elements that cannot be read, and why. Returns the error to end the reading.
pub type Lost<'a> = dyn FnMut(Region, Error) -> Result<()> + 'a;

/// Elements of a mapping on their way into a region.
pub struct IntoRegion<'a> {
    /// What is read.
    pub target: &'a VirtualStorage<'a>,
    /// The mapping.
    pub mapping: &'a Mapping,
    /// The region.
    pub region: &'a Region,
    /// One element of the fill value.
    pub fill: &'a [u8],
    /// The values of the region.
    pub out: &'a mut Values,
    /// How often a part that cannot be read may be split still.
    pub tries: usize,
}

impl IntoRegion<'_> {
    /// Makes the mapping's elements in a part fill values, whatever earlier mappings put there.
    pub fn clear(&mut self, part: &Region) -> Result<()> {
        let size = self.fill.len();
        self.mapping.to.within(part, &mut |_, at, length| {
            let dims = at.iter().zip(&self.region.start).zip(&self.region.count);
            let first = dims.fold(0, |place, ((at, start), count)| place * count + (at - start)) as usize;
            let range = first * size..(first + length as usize) * size;
            if let Some(elements) = self.out.bytes.get_mut(range) {
                fill_pattern(elements, self.fill);
            }
            Ok(())
        })
    }
}

/// Both halves of a box; `None` if it has one element.
pub fn halves(part: &Region) -> Option<[Region; 2]> {
    let d = part.count.iter().position(|count| *count > 1)?;
    let mut halves = [part.clone(), part.clone()];
    let half = part.count[d] / 2;
    halves[0].count[d] = half;
    halves[1].start[d] += half;
    halves[1].count[d] -= half;
    Some(halves)
}

/// True if all elements of a mapping in `part` lie in one chunk of the source, or in a source without chunks.
pub fn is_one_chunk(to: &Elements, part: &Region, from: &Elements, facts: &Facts) -> bool {
    let Storage::Chunked { shape } = &facts.layout.storage else {
        return true;
    };
    let mut chunk: Option<Vec<u64>> = None;
    let found = to.within(part, &mut |first, _, length| {
        from.numbers(first, first.saturating_add(length), &mut |at, count| {
            let ends = [0, count.saturating_sub(1)];
            for end in ends {
                let mut own: Vec<u64> = at.iter().zip(shape).map(|(at, length)| at / length).collect();
                if let (Some(own), Some(at), Some(length)) = (own.last_mut(), at.last(), shape.last()) {
                    *own = (at + end) / length;
                }
                if *chunk.get_or_insert_with(|| own.clone()) != own {
                    // An error ends the search.
                    return Err(Error::Internal("another chunk".into()));
                }
            }
            Ok(())
        })
    });
    found.is_ok()
}
