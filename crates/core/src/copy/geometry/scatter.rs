//! Scattering an input chunk into the output chunks that it meets.
//!
//! The output chunks of a box of the grid lie one after another in one buffer, each in C order. To the input,
//! that buffer is an array of twice as many dimensions: the chunk, and the place in it. So few strided copies
//! move a piece of input into all chunks. In each dimension there are at most three parts: a partial first
//! chunk, whole chunks, and a partial last chunk. Each combination of these parts is one copy.

use crate::chunk::{Axis, Region, Selection, copy_strided};
use crate::error::{Error, Result};

/// Output chunks that share a buffer.
#[derive(Debug, Clone)]
pub struct Slots<'a> {
    /// The chunks, as a box of the grid.
    pub span: &'a Region,
    /// Shape of each chunk, in elements.
    pub chunk: &'a [u64],
    /// Bytes of one element.
    pub element_size: usize,
}

/// A box of elements of an input, in C order.
#[derive(Debug, Clone, Copy)]
pub struct InputBox<'a> {
    /// The bytes of the elements.
    pub bytes: &'a [u8],
    /// Index of the first element in the input variable.
    pub origin: &'a [u64],
    /// Number of elements in each dimension.
    pub shape: &'a [u64],
    /// Which elements of the input become which of the output; `None` if each keeps its index.
    pub selection: Option<&'a Selection>,
}

/// Consecutive chunks along one dimension that are met in the same way.
#[derive(Clone, Copy, Default)]
struct Segment {
    chunk: u64,
    chunks: u64,
    within: u64,
    length: u64,
    /// Index of the first element, from the start of the part.
    from: u64,
}

/// Divides `length` elements from `start` on into at most three segments, for chunks of `size` elements.
fn segments(start: u64, length: u64, size: u64) -> ([Segment; 3], usize) {
    let mut out = [Segment::default(); 3];
    let mut n = 0;
    let mut done = 0;
    while done < length {
        let at = start + done;
        let (chunk, within) = (at / size, at % size);
        let left = length - done;
        let (chunks, part) = if within == 0 && left >= size {
            (left / size, size)
        } else {
            (1, left.min(size - within))
        };
        out[n] = Segment {
            chunk,
            chunks,
            within,
            length: part,
            from: done,
        };
        n += 1;
        done += chunks * part;
    }
    (out, n)
}

/// Copies the elements that fill `part`, a region of the output, from `held` into the buffer `out` of
/// `slots`. The bytes of every group of `swap` bytes are reversed if `swap` is above 1. `axes` is scratch
/// space.
///
/// # Errors
/// If `part` is not within both `held` and `slots`.
pub fn scatter(
    held: &InputBox,
    part: &Region,
    slots: &Slots,
    out: &mut [u8],
    swap: usize,
    axes: &mut Vec<Axis>,
) -> Result<()> {
    let outside = || Error::Damaged("a region reaches outside its chunk".into());
    let rank = part.rank();
    if [
        held.origin.len(),
        held.shape.len(),
        slots.chunk.len(),
        slots.span.rank(),
    ] != [rank; 4]
    {
        return Err(outside());
    }
    if part.is_empty() {
        return Ok(());
    }
    let selected;
    let first_held = match held.selection {
        None => &part.start,
        Some(selection) if selection.target().contains(part) => {
            selected = selection.index(&part.start);
            &selected
        }
        Some(_) => return Err(outside()),
    };
    let mut dims = Vec::with_capacity(rank);
    let element = slots.element_size;
    let (mut src_stride, mut within_stride) = (element, element);
    let mut src_base = 0usize;
    for d in (0..rank).rev() {
        let size = slots.chunk[d];
        let first = slots.span.start[d].checked_mul(size).ok_or_else(outside)?;
        let start = part.start[d].checked_sub(first).ok_or_else(outside)?;
        let end = start.checked_add(part.count[d]).ok_or_else(outside)?;
        let from = first_held[d].checked_sub(held.origin[d]).ok_or_else(outside)?;
        let step = held.selection.map_or(1, |selection| selection.stride()[d]);
        let reach = (part.count[d] - 1)
            .checked_mul(step)
            .and_then(|n| n.checked_add(from)?.checked_add(1));
        let in_slots = slots.span.count[d].checked_mul(size).is_some_and(|n| end <= n);
        if !in_slots || reach.is_none_or(|end| end > held.shape[d]) {
            return Err(outside());
        }
        src_base += from as usize * src_stride;
        let (segments, n) = segments(start, part.count[d], size);
        dims.push(Dim {
            segments,
            n,
            src_stride: src_stride.checked_mul(step as usize).ok_or_else(outside)?,
            within_stride,
            chunk_stride: 0,
        });
        src_stride = src_stride
            .checked_mul(held.shape[d] as usize)
            .ok_or_else(outside)?;
        within_stride = within_stride.checked_mul(size as usize).ok_or_else(outside)?;
    }
    let mut chunk_stride = within_stride;
    for (dim, d) in dims.iter_mut().zip((0..rank).rev()) {
        dim.chunk_stride = chunk_stride;
        chunk_stride = chunk_stride
            .checked_mul(slots.span.count[d] as usize)
            .ok_or_else(outside)?;
    }
    dims.reverse();

    let mut choice = vec![0usize; rank];
    loop {
        axes.clear();
        let (mut src_at, mut dst_at) = (src_base, 0);
        for (dim, which) in dims.iter().zip(&choice) {
            let s = dim.segments[*which];
            src_at += s.from as usize * dim.src_stride;
            dst_at += s.chunk as usize * dim.chunk_stride + s.within as usize * dim.within_stride;
            axes.push(Axis {
                count: s.chunks as usize,
                src: s.length as usize * dim.src_stride,
                dst: dim.chunk_stride,
            });
            axes.push(Axis {
                count: s.length as usize,
                src: dim.src_stride,
                dst: dim.within_stride,
            });
        }
        copy_strided(held.bytes, src_at, out, dst_at, axes, element, swap)?;
        let next = dims.iter().zip(&mut choice).rev().any(|(dim, which)| {
            *which += 1;
            if *which < dim.n {
                return true;
            }
            *which = 0;
            false
        });
        if !next {
            return Ok(());
        }
    }
}

struct Dim {
    segments: [Segment; 3],
    n: usize,
    src_stride: usize,
    within_stride: usize,
    chunk_stride: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{ChunkGrid, copy_region};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_chunk_gets_its_part(
            dims in proptest::collection::vec((1u64..5, 0u64..3, 1u64..4, 0u64..6, 1u64..9), 0..4),
        ) {
            // Chunk size, first slot, number of slots, start and length of the piece.
            let chunk: Vec<u64> = dims.iter().map(|d| d.0).collect();
            let span = Region {
                start: dims.iter().map(|d| d.1).collect(),
                count: dims.iter().map(|d| d.2).collect(),
            };
            let origin: Vec<u64> = dims.iter().map(|d| d.3).collect();
            let shape: Vec<u64> = dims.iter().map(|d| d.4).collect();
            let bytes: Vec<u8> = (0..shape.iter().product::<u64>() * 2).map(|i| (i * 11 + 1) as u8).collect();
            let whole = Region {
                start: span.start.iter().zip(&chunk).map(|(s, c)| s * c).collect(),
                count: span.count.iter().zip(&chunk).map(|(s, c)| s * c).collect(),
            };
            let here = Region { start: origin.clone(), count: shape.clone() };
            let slot = chunk.iter().product::<u64>() as usize * 2;
            let n = span.element_count().unwrap() as usize;
            let mut out = vec![0; slot * n];
            let mut expected = out.clone();
            if let Some(part) = whole.intersect(&here) {
                let piece = InputBox { bytes: &bytes, origin: &origin, shape: &shape, selection: None };
                let slots = Slots { span: &span, chunk: &chunk, element_size: 2 };
                scatter(&piece, &part, &slots, &mut out, 2, &mut Vec::new()).unwrap();
                let grid = ChunkGrid::new(&[100, 100, 100][..dims.len()], &chunk).unwrap();
                for (k, index) in grid.chunks_of_span(span.clone()).enumerate() {
                    let Some(part) = grid.region(index).intersect(&part) else { continue };
                    copy_region(
                        &bytes, &shape, &part.relative_to(&origin).start,
                        &mut expected[k * slot..(k + 1) * slot], &chunk,
                        &part.relative_to(&grid.origin(index)).start, &part.count, 2, 2,
                    ).unwrap();
                }
            }
            prop_assert_eq!(out, expected);
        }
    }

    #[test]
    fn what_is_not_in_both_is_refused() {
        let piece = InputBox {
            bytes: &[0; 4],
            origin: &[4],
            shape: &[4],
            selection: None,
        };
        let span = Region {
            start: vec![1],
            count: vec![1],
        };
        let slots = Slots {
            span: &span,
            chunk: &[4],
            element_size: 1,
        };
        let try_part = |start, count| {
            let part = Region {
                start: vec![start],
                count: vec![count],
            };
            scatter(&piece, &part, &slots, &mut [0; 4], 1, &mut Vec::new()).is_ok()
        };
        assert!(try_part(4, 4));
        assert!(!try_part(3, 2));
        assert!(!try_part(7, 2));
    }
}
