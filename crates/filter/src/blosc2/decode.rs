//! Frames to arrays.

use crate::Outcome;
use crate::blosc2::chunk::{each_repeated, room};
use crate::blosc2::damage::damaged;
use crate::blosc2::frame::{Frame, Stored};

/// Decodes a frame into `out`, replacing its content. At most `limit` bytes are made.
///
/// # Errors
/// A frame that is damaged, that is not supported, or that holds more than `limit` bytes.
pub fn frame(input: &[u8], limit: usize, out: &mut Vec<u8>) -> Outcome {
    let frame = Frame::parse(input)?;
    let too_long = || format!("more than the {limit} bytes expected");
    let size = frame.element_size;
    let Some(array) = &frame.array else {
        if frame.count() != 1 {
            return Err(
                "its Blosc2 frame has several chunks and no shape, which is not supported".to_owned(),
            );
        }
        if frame.size > limit {
            return Err(too_long());
        }
        *out = room(frame.size)?;
        let offset = frame.offsets()?[0];
        match frame.chunk(offset)? {
            Stored::Chunk(chunk) if chunk.size != frame.size => {
                return Err(damaged("a chunk has another size"));
            }
            Stored::Chunk(chunk) => chunk.each_block(|_, block| out.extend(block))?,
            Stored::Repeated(repeated) => *out = repeated.bytes(size, frame.size)?,
        }
        return Ok(());
    };
    let shapes = || damaged("its array has other sizes than its chunks");
    // The frame states one byte for elements of more than 255.
    let items = array
        .chunk_bytes(1)
        .filter(|items| frame.chunk_size.is_multiple_of(*items));
    let size = frame.chunk_size / items.ok_or_else(shapes)?;
    let bytes = array
        .bytes(size)
        .filter(|bytes| *bytes <= limit)
        .ok_or_else(too_long)?;
    let block = array
        .block_bytes(size)
        .filter(|block| *block <= limit)
        .ok_or_else(too_long)?;
    let chunk_bytes = array.chunk_bytes(size).ok_or_else(shapes)?;
    let whole = array
        .chunk_count()
        .and_then(|count| count.checked_mul(chunk_bytes));
    if frame.chunk_size != chunk_bytes || whole != Some(frame.size) {
        return Err(shapes());
    }
    drop(room(bytes)?);
    // The system's zero pages take no memory until they are touched.
    *out = vec![0; bytes];
    for (number, offset) in frame.offsets()?.into_iter().enumerate() {
        let place = |block: usize, decoded: &[u8]| {
            array.each_run(number, block, |in_array, in_block, count| {
                out[in_array * size..][..count * size]
                    .copy_from_slice(&decoded[in_block * size..][..count * size]);
            });
        };
        match frame.chunk(offset)? {
            Stored::Chunk(chunk) if chunk.size != chunk_bytes || chunk.block != block => return Err(shapes()),
            Stored::Chunk(chunk) => chunk.each_block(place)?,
            Stored::Repeated(repeated) => {
                each_repeated(repeated, frame.element_size, chunk_bytes, block, place)?
            }
        }
    }
    Ok(())
}
