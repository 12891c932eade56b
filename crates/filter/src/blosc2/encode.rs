//! Arrays to frames of one chunk.

use ncutils_blosc::{compress_stream, is_stream_length};

use crate::Outcome;
use crate::blosc2::block_size::{SHORTEST, block_bytes, is_split};
use crate::blosc2::chunk::{
    EXTENDED, HEADER, MAX_ELEMENT, MAX_INPUT, NOT_SPLIT, OFFSETS, PLAIN, VERSION, room,
};
use crate::blosc2::frame::{self, Description};
use crate::blosc2::parameters::Settings;
use crate::blosc2::transform::{self, Filter};

/// The offset of a chunk of zeros, of which a frame keeps no chunk.
const ZEROS: u64 = 0x81 << 56;

/// A chunk that is encoded.
struct Encoder<'a> {
    settings: &'a Settings,
    /// Bytes of an element, for the filters.
    element_size: usize,
    /// Bytes of the chunk and of a block.
    size: usize,
    block: usize,
}

/// Encodes `input` into `out`, replacing its content. It becomes an array if it has the size of one, else a plain chunk.
///
/// # Errors
/// Input that is too long, or not enough memory.
pub fn frame(settings: &Settings, input: &[u8], out: &mut Vec<u8>) -> Outcome {
    let size = settings.element_size;
    // The registered filter cannot read arrays of longer elements.
    let array = settings.array().filter(|_| size <= MAX_ELEMENT);
    let array = array.filter(|(array, size)| array.bytes(*size) == Some(input.len()));
    let array = array.map(|(array, _)| array);
    let (total, block) = match &array {
        Some(array) => (array.chunk_bytes(size), array.block_bytes(size)),
        None => {
            let mut block = block_bytes(
                settings.compressor,
                settings.level,
                settings.filter == Filter::Shuffle,
                size,
                input.len(),
                settings.block,
            );
            if !is_stream_length(settings.compressor, block) {
                block -= block % (32 * size).min(block - 1);
            }
            (Some(input.len()), Some(block))
        }
    };
    let (Some(total @ 1..=MAX_INPUT), Some(block)) = (total, block) else {
        return Err(format!("takes chunks of 1 to {MAX_INPUT} bytes"));
    };
    let encoder = Encoder {
        settings,
        element_size: if size > MAX_ELEMENT { 1 } else { size },
        size: total,
        block,
    };
    let header = frame::header_length(array.as_ref(), size);
    *out = room(header + HEADER + total.min(input.len() + SHORTEST))?;
    out.resize(header, 0);
    let zeros = encoder.chunk(out, |number, block| match &array {
        None => {
            let start = number * block.len();
            let start = start.min(input.len());
            let bytes = &input[start..];
            let count = bytes.len().min(block.len());
            block.truncate(count);
            block.copy_from_slice(&bytes[..count]);
        }
        Some(array) => {
            block.fill(0);
            array.each_run(0, number, |in_array, in_block, count| {
                block[in_block * size..][..count * size]
                    .copy_from_slice(&input[in_array * size..][..count * size]);
            });
        }
    })?;
    // Readers take no part of an element for zero.
    let zeros = zeros && total.is_multiple_of(size);
    if zeros {
        out.truncate(header);
    }
    let description = Description {
        compressor: settings.compressor.code() as u8,
        level: settings.level as u8,
        filter: settings.filter as u8,
        element_size: size,
        block,
        size: total,
        encoded: out.len() - header,
        array: array.as_ref(),
    };
    out[..header].copy_from_slice(&frame::header(&description));
    offsets(if zeros { ZEROS } else { 0 }, out);
    out.extend(frame::trailer());
    Ok(())
}

/// Writes the chunk of offsets for one chunk.
fn offsets(offset: u64, out: &mut Vec<u8>) {
    let header = Header {
        flags: EXTENDED | PLAIN,
        element_size: 8,
        sizes: [8, 8, OFFSETS],
        filter: Filter::Shuffle as u8,
        compressor: 0,
    };
    out.extend(header.bytes());
    out.extend(offset.to_le_bytes());
}

/// The fields of a chunk's header.
struct Header {
    flags: u8,
    element_size: u8,
    /// Bytes of the chunk, of a block, and of the encoded chunk.
    sizes: [usize; 3],
    filter: u8,
    compressor: u8,
}

impl Header {
    fn bytes(&self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        out[..4].copy_from_slice(&[VERSION, 1, self.flags, self.element_size]);
        for (size, out) in self.sizes.iter().zip(out[4..16].chunks_exact_mut(4)) {
            out.copy_from_slice(&(*size as u32).to_le_bytes());
        }
        // The last of six filters.
        (out[21], out[22]) = (self.filter, self.compressor);
        out
    }
}

impl Encoder<'_> {
    fn header(&self, flags: u8, encoded: usize) -> [u8; HEADER] {
        let header = Header {
            flags: EXTENDED | flags,
            element_size: self.element_size as u8,
            sizes: [self.size, self.block, encoded],
            filter: self.settings.filter as u8,
            compressor: self.settings.compressor.code() as u8,
        };
        header.bytes()
    }

    /// Appends the chunk to `out`. `fill` fills a block by its number, and cuts the last one. True if all bytes are zero.
    ///
    /// # Errors
    /// Not enough memory.
    fn chunk(&self, out: &mut Vec<u8>, fill: impl Fn(usize, &mut Vec<u8>)) -> Outcome<bool> {
        let start = out.len();
        let count = self.size.div_ceil(self.block);
        let most = self.size + HEADER;
        let (mut block, mut spare, mut buffer) = (room(self.block)?, room(self.block)?, Vec::new());
        let next = |number: usize, block: &mut Vec<u8>| {
            block.resize(self.block, 0);
            fill(number, block);
        };
        let mut zeros = true;
        let mut flags = PLAIN;
        if self.settings.level > 0 && self.size >= SHORTEST {
            let split = is_split(
                self.settings.compressor,
                self.settings.level,
                self.settings.filter == Filter::Shuffle,
                self.element_size,
                self.block,
            );
            let mut first: Option<Vec<u8>> = None;
            out.resize(start + HEADER + 4 * count, 0);
            for number in 0..count {
                next(number, &mut block);
                zeros &= block.iter().all(|byte| *byte == 0);
                let at = (out.len() - start) as u32;
                out[start + HEADER + 4 * number..][..4].copy_from_slice(&at.to_le_bytes());
                let reference = first.as_deref();
                let original = (number == 0 && self.settings.filter == Filter::Delta).then(|| block.clone());
                transform::forward(
                    self.settings.filter,
                    self.element_size,
                    &mut block,
                    reference,
                    &mut spare,
                );
                first = original.or(first);
                let streams = match split && block.len() == self.block {
                    true => self.element_size,
                    false => 1,
                };
                for stream in block.chunks_exact(block.len() / streams) {
                    self.stream(stream, &mut buffer, out)?;
                }
                if out.len() - start > most {
                    break;
                }
            }
            let tried = self.settings.compressor.format() << 5 | if split { 0 } else { NOT_SPLIT };
            if out.len() - start <= most {
                let header = self.header(tried, out.len() - start);
                out[start..][..HEADER].copy_from_slice(&header);
                return Ok(zeros);
            }
            out.truncate(start);
            // The library leaves these flags as they were for the attempt.
            flags |= tried;
        }
        zeros = true;
        out.extend(self.header(flags, most));
        for number in 0..count {
            next(number, &mut block);
            zeros &= block.iter().all(|byte| *byte == 0);
            out.extend(&block);
        }
        Ok(zeros)
    }

    /// Appends a stream of a block, with its length.
    fn stream(&self, stream: &[u8], buffer: &mut Vec<u8>, out: &mut Vec<u8>) -> Outcome {
        let (byte, rest) = stream.split_first().expect("a block is not empty");
        if rest.iter().all(|other| other == byte) {
            out.extend((-i32::from(*byte)).to_le_bytes());
            // The token of a repeated byte.
            out.extend((*byte != 0).then_some(1));
            return Ok(());
        }
        let range = compress_stream(self.settings.compressor, self.settings.level, stream, buffer);
        let bytes = match range.map_err(|error| error.to_string())? {
            Some(range) => &buffer[range],
            None => stream,
        };
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(bytes);
        Ok(())
    }
}
