//! Reads chosen cells of a variable: as few regions as possible, of which the chosen elements are taken.
//!
//! ```text
//! cells of a dimension   . x . x x . . | . . . . . . . | x . . . . . .
//! spans that are read      └────┘        (chunk not met)  ┘
//! ```
//!
//! A span holds cells that are neighbours or lie in one chunk. In storage without chunks, small gaps are read with
//! what is around them, but for virtual variables, where they may be of sources that nobody needs. A source that gives every
//! n-th element is asked for those, unless that takes more requests.

use super::cells::{Cells, indices_of};
use crate::chunk::{Region, byte_count, resize};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Schema, Storage, Type, Values, VarId, move_heap};

/// Longest gap, in bytes, that is read with what is around it where there are no chunks.
pub const GAP: u64 = 4096;

/// About the most bytes that are read for one span, unless a chunk is larger.
const SPAN_BYTES: u64 = 4 << 20;

/// Consecutive chosen cells that are read together.
struct Span {
    /// Index of the first in the input.
    start: u64,
    /// From one cell that is read to the next.
    step: u64,
    /// Number of cells that are read.
    count: u64,
    /// The chosen ones of the cells that are read; `None` for all.
    picks: Option<Vec<u64>>,
    /// Index of the first in the region to be made.
    at: u64,
}

impl Span {
    fn chosen(&self) -> usize {
        self.picks.as_ref().map_or(self.count as usize, Vec::len)
    }
}

/// The elements of `region` of a part of a variable. `cells` has an entry for each dimension of the variable, `None`
/// where it is not cut.
///
/// # Errors
/// If the region does not fit into memory, or the reader fails.
pub fn read(reader: &dyn Reader, var: VarId, cells: &[Option<&Cells>], region: &Region) -> Result<Values> {
    let schema = reader.schema();
    let ty = schema.var(var).ty;
    let size = schema.type_size(ty);
    let rank = cells.len();
    let length =
        byte_count(&region.count, size).filter(|_| region.rank() == rank && region.count.len() == rank);
    let length = length.ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
    let mut out = Values::default();
    if region.is_empty() {
        return Ok(out);
    }
    let layout = reader.layout(var);
    let chunk = match &layout.storage {
        Storage::Chunked { shape } => Some(shape.as_slice()),
        _ => None,
    };
    let gap = if reader.is_virtual(var) { 0 } else { GAP };
    let stepped = reader.extensions().stepped;
    let read = |spans: &[&Span]| {
        let (region, steps) = bounds(spans);
        match stepped {
            Some(stepped) if steps.iter().any(|step| *step > 1) => stepped.read_stepped(var, &region, &steps),
            _ => reader.read_region(var, &region),
        }
    };
    // From the fastest dimension on, as the bytes of a cell depend on those behind it.
    let mut spans = Vec::with_capacity(rank);
    let mut inner = size.max(1) as u64;
    for d in (0..rank).rev() {
        let own = match cells[d] {
            None => vec![Span {
                start: region.start[d],
                step: 1,
                count: region.count[d],
                picks: None,
                at: 0,
            }],
            Some(_) => {
                let indices = indices_of(cells[d], region, d);
                let boxes = spans_of(&indices, chunk.map(|chunk| chunk[d].max(1)), inner, gap);
                match stepped.map(|_| even_spans(&indices)) {
                    Some(even) if even.len() <= boxes.len() => even,
                    _ => boxes,
                }
            }
        };
        inner = inner.saturating_mul(own.iter().map(|span| span.count).max().unwrap_or(1));
        spans.push(own);
    }
    spans.reverse();
    if spans
        .iter()
        .all(|own| matches!(&own[..], [Span { picks: None, .. }]))
    {
        return read(&spans.iter().map(|own| &own[0]).collect::<Vec<_>>());
    }
    resize(&mut out.bytes, length)?;
    let mut choice = vec![0usize; rank];
    loop {
        let chosen: Vec<&Span> = spans.iter().zip(&choice).map(|(own, n)| &own[*n]).collect();
        let held = read(&chosen)?;
        let counts: Vec<u64> = chosen.iter().map(|span| span.count).collect();
        if Some(held.bytes.len()) != byte_count(&counts, size) {
            return Err(Error::Internal(
                "a region of another size than was asked for".into(),
            ));
        }
        let mut taker = Taker {
            schema,
            heap_type: schema.has_heap(ty).then_some(ty),
            held: &held,
            out: &mut out,
            size,
        };
        taker.take(&chosen, &region.count, 0, 0);
        let next = spans.iter().zip(&mut choice).rev().any(|(own, n)| {
            *n = (*n + 1) % own.len();
            *n > 0
        });
        if !next {
            return Ok(out);
        }
    }
}

/// The region that is read for one span of each dimension, and the steps.
fn bounds(spans: &[&Span]) -> (Region, Vec<u64>) {
    let (start, count) = spans.iter().map(|span| (span.start, span.count)).unzip();
    (
        Region { start, count },
        spans.iter().map(|span| span.step).collect(),
    )
}

/// The spans of these cells without any between: each has the same step from one cell to the next.
fn even_spans(indices: &[u64]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (at, index) in indices.iter().enumerate() {
        if let (Some(span), Some(before)) = (spans.last_mut(), at.checked_sub(1)) {
            let step = index.checked_sub(indices[before]).filter(|step| *step > 0);
            if let Some(step) = step.filter(|step| span.count == 1 || span.step == *step) {
                (span.step, span.count) = (step, span.count + 1);
                continue;
            }
        }
        spans.push(Span {
            start: *index,
            step: 1,
            count: 1,
            picks: None,
            at: at as u64,
        });
    }
    spans
}

/// The spans of these cells, at least one. `chunk` is the length of a chunk, `inner` the bytes of one cell, and `gap` those of
/// the longest gap that is read where there are no chunks.
fn spans_of(indices: &[u64], chunk: Option<u64>, inner: u64, gap: u64) -> Vec<Span> {
    let gap = (gap / inner.max(1)).max(1);
    let most = (SPAN_BYTES / inner.max(1)).max(1);
    let joins = |first: u64, before: u64, next: u64| {
        let fits = next - first < most;
        match chunk {
            Some(chunk) => next / chunk == before / chunk || next == before + 1 && fits,
            None => (next - before <= gap) && fits,
        }
    };
    let mut spans = Vec::new();
    let mut from = 0;
    for n in 1..=indices.len() {
        let first = indices[from];
        if let Some(next) = indices.get(n)
            && *next > indices[n - 1]
            && joins(first, indices[n - 1], *next)
        {
            continue;
        }
        let list = &indices[from..n];
        let count = indices[n - 1] - first + 1;
        let dense = count == list.len() as u64;
        spans.push(Span {
            start: first,
            step: 1,
            count,
            picks: (!dense).then(|| list.iter().map(|index| index - first).collect()),
            at: from as u64,
        });
        from = n;
    }
    spans
}

/// Takes the chosen elements out of a region that was read.
struct Taker<'a> {
    schema: &'a Schema,
    /// The type of elements that refer to a heap.
    heap_type: Option<Type>,
    held: &'a Values,
    out: &'a mut Values,
    size: usize,
}

impl Taker<'_> {
    /// Takes along the dimensions of `spans`, whose lengths in the output are `lengths`. `src` and `dst` are the
    /// elements before these dimensions.
    fn take(&mut self, spans: &[&Span], lengths: &[u64], src: usize, dst: usize) {
        let Some((span, spans)) = spans.split_first() else {
            self.copy(src, dst, 1);
            return;
        };
        let src = src * span.count as usize;
        let dst = dst * lengths[0] as usize + span.at as usize;
        if spans.is_empty() && span.picks.is_none() {
            self.copy(src, dst, span.count as usize);
            return;
        }
        for n in 0..span.chosen() {
            let pick = span.picks.as_ref().map_or(n, |picks| picks[n] as usize);
            self.take(spans, &lengths[1..], src + pick, dst + n);
        }
    }

    fn copy(&mut self, src: usize, dst: usize, count: usize) {
        let size = self.size;
        let to = &mut self.out.bytes[dst * size..(dst + count) * size];
        to.copy_from_slice(&self.held.bytes[src * size..(src + count) * size]);
        if let Some(ty) = self.heap_type {
            for element in to.chunks_exact_mut(size.max(1)) {
                move_heap(self.schema, ty, element, &self.held.heap, &mut self.out.heap);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(indices: &[u64], chunk: Option<u64>, inner: u64) -> Vec<(u64, u64)> {
        let found = spans_of(indices, chunk, inner, GAP);
        found.iter().map(|span| (span.start, span.count)).collect()
    }

    #[test]
    fn only_chunks_that_are_met_are_read() {
        assert_eq!(spans(&[0, 3, 12, 25], Some(10), 4), [(0, 4), (12, 1), (25, 1)]);
        assert_eq!(spans(&[8, 9, 10, 11], Some(10), 4), [(8, 4)]);
        assert_eq!(spans(&[8, 9, 10, 11], Some(10), SPAN_BYTES), [(8, 2), (10, 2)]);
        assert_eq!(spans(&[5, 4, 4], Some(10), 4), [(5, 1), (4, 1), (4, 1)]);
    }

    #[test]
    fn small_gaps_are_read_and_large_ones_not() {
        assert_eq!(spans(&[0, 10, 20], None, 4), [(0, 21)]);
        assert_eq!(spans(&[0, 10, 11, 12], None, GAP), [(0, 1), (10, 3)]);
        assert_eq!(spans(&[0, 1, 2], None, SPAN_BYTES), [(0, 1), (1, 1), (2, 1)]);
        let without_gaps = spans_of(&[0, 1, 3], None, 4, 0);
        assert_eq!(
            without_gaps.iter().map(|span| span.count).collect::<Vec<_>>(),
            [2, 1]
        );
    }

    #[test]
    fn even_spans_have_one_step() {
        let even = |indices: &[u64]| -> Vec<_> {
            let spans = even_spans(indices);
            spans.iter().map(|s| (s.start, s.step, s.count, s.at)).collect()
        };
        assert_eq!(even(&[3, 7]), [(3, 4, 2, 0)]);
        assert_eq!(
            even(&[0, 10, 20, 21, 5]),
            [(0, 10, 3, 0), (21, 1, 1, 3), (5, 1, 1, 4)]
        );
        assert_eq!(even(&[4, 4, 5]), [(4, 1, 1, 0), (4, 1, 2, 1)]);
    }
}
