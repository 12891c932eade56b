//! [`Batch`]: pieces of a source that are read together, as one box that holds them.

use super::selection::elements::Elements;
use super::source::source_reader::SourceReader;
use super::source::virtual_storage::VirtualStorage;
use crate::chunk::{Region, element_count};
use crate::error::{Error, Result};
use crate::model::{SLOT_SIZE, Slot, Type, TypeClass, Values};

/// Bytes that may always be read at once.
const LEAST: u64 = 4 << 20;

/// Elements that a box may always have, however few of them are needed.
const WASTE: u64 = 1 << 14;

/// Most pieces of one box.
const MOST_PIECES: usize = 1 << 16;

/// Pieces of one source on their way into a region of the virtual dataset.
pub struct Batch<'a> {
    source: &'a SourceReader,
    target: &'a VirtualStorage<'a>,
    region: &'a Region,
    fill: &'a [u8],
    out: &'a mut Values,
    /// Bytes of an element.
    size: usize,
    /// Most elements of a box.
    most: u64,
    /// The first index of each piece in the source, one after another.
    at: Vec<u64>,
    /// Number of its first element in the region, and its length.
    pieces: Vec<(u64, u64)>,
    /// The first and last index of all pieces in each dimension.
    bounds: Vec<(u64, u64)>,
    /// Number of elements of all pieces.
    elements: u64,
}

impl<'a> Batch<'a> {
    /// No pieces yet. `out` has the elements of `region`.
    pub fn new(
        source: &'a SourceReader,
        target: &'a VirtualStorage<'a>,
        region: &'a Region,
        fill: &'a [u8],
        out: &'a mut Values,
    ) -> Self {
        let size = target.schema.type_size(target.ty).max(1);
        Self {
            source,
            target,
            region,
            fill,
            most: (LEAST / size as u64)
                .max((out.bytes.len() / size) as u64 * 2)
                .max(1),
            out,
            size,
            at: Vec::new(),
            pieces: Vec::new(),
            bounds: Vec::new(),
            elements: 0,
        }
    }

    /// Number, in the region, of the element with this index in the virtual dataset.
    pub fn place(&self, at: &[u64]) -> u64 {
        let dims = at.iter().zip(&self.region.start).zip(&self.region.count);
        dims.fold(0, |place, ((at, start), count)| place * count + (at - start))
    }

    /// Adds the elements number `first` to `first + length - 1` of the source, as far as they lie within its lengths. They
    /// go to the region's elements from number `to` on.
    ///
    /// # Errors
    /// Those of [`Batch::flush`].
    pub fn add(&mut self, from: &Elements, lengths: &[u64], first: u64, length: u64, to: u64) -> Result<()> {
        let mut next = to;
        from.numbers(first, first.saturating_add(length), &mut |at, count| {
            let to = next;
            next += count;
            let Some((last, outer)) = at.split_last() else {
                return self.push(at, 1, to);
            };
            let outside = outer.iter().zip(lengths).any(|(at, length)| at >= length);
            let left = lengths[at.len() - 1].saturating_sub(*last).min(count);
            match outside || left == 0 {
                true => Ok(()),
                false => self.push(at, left, to),
            }
        })
    }

    fn push(&mut self, at: &[u64], count: u64, to: u64) -> Result<()> {
        if !self.pieces.is_empty() && (self.pieces.len() >= MOST_PIECES || !self.has_room(at, count)) {
            self.flush()?;
        }
        let end = |d: usize| at[d] + if d + 1 == at.len() { count - 1 } else { 0 };
        if self.pieces.is_empty() {
            self.bounds = (0..at.len()).map(|d| (at[d], end(d))).collect();
        }
        for (d, bounds) in self.bounds.iter_mut().enumerate() {
            *bounds = (bounds.0.min(at[d]), bounds.1.max(end(d)));
        }
        self.at.extend_from_slice(at);
        self.pieces.push((to, count));
        self.elements += count;
        Ok(())
    }

    /// True if the box of all pieces stays small with another one, and is not mostly waste.
    fn has_room(&self, at: &[u64], count: u64) -> bool {
        let length = |d: usize| {
            let last = at[d] + if d + 1 == at.len() { count - 1 } else { 0 };
            self.bounds[d].1.max(last) - self.bounds[d].0.min(at[d]) + 1
        };
        let lengths: Vec<u64> = (0..at.len()).map(length).collect();
        let needed = self.elements + count;
        element_count(&lengths).is_some_and(|all| all <= self.most && (all <= WASTE || all / 4 <= needed))
    }

    /// Reads the pieces so far, and puts them in their places.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn flush(&mut self) -> Result<()> {
        if self.pieces.is_empty() {
            return Ok(());
        }
        let region = Region {
            start: self.bounds.iter().map(|(low, _)| *low).collect(),
            count: self.bounds.iter().map(|(low, high)| high - low + 1).collect(),
        };
        let mut values = self.source.read(&region, self.target.ty, self.fill)?;
        if self.target.schema.has_heap(self.target.ty) {
            self.move_heap(&mut values)?;
        }
        let rank = region.rank();
        for (number, (to, count)) in self.pieces.iter().enumerate() {
            let at = &self.at[number * rank..][..rank];
            let dims = at.iter().zip(&region.start).zip(&region.count);
            let from = dims.fold(0, |place, ((at, start), count)| place * count + (at - start));
            let range = |first: u64| {
                let first = first as usize * self.size;
                first..first + *count as usize * self.size
            };
            let (from, to) = (values.bytes.get(range(from)), self.out.bytes.get_mut(range(*to)));
            let (Some(from), Some(to)) = (from, to) else {
                return Err(Error::Internal("a piece outside of what was read".into()));
            };
            to.copy_from_slice(from);
        }
        self.at.clear();
        self.pieces.clear();
        self.elements = 0;
        Ok(())
    }

    /// Appends the heap of `values` to that of the output, to which their slots then point.
    fn move_heap(&mut self, values: &mut Values) -> Result<()> {
        let schema = self.target.schema;
        let flat = match self.target.ty {
            Type::String => true,
            Type::User(id) => {
                matches!(&schema.user_type(id).class, TypeClass::Vlen { base } if !schema.has_heap(*base))
            }
            _ => false,
        };
        if !flat {
            return Err(Error::Unsupported(
                "a virtual dataset of sequences or strings within other types".into(),
            ));
        }
        let base = self.out.heap.len() as u64;
        for element in values.bytes.chunks_exact_mut(SLOT_SIZE) {
            let slot = Slot::read(element);
            if slot != Slot::NIL {
                let moved = Slot {
                    offset: slot.offset.saturating_add(base),
                    ..slot
                };
                element.copy_from_slice(&moved.to_bytes());
            }
        }
        self.out.heap.append(&mut values.heap);
        Ok(())
    }
}
