//! [`Chunk`]: a compressed chunk, read. Every length in it is checked before it is used.

use ncutils_blosc::{Compressor, decompress_stream};

use crate::Outcome;
use crate::blosc2::damage::damaged;
use crate::blosc2::transform::{self, Filter, SLOTS};

/// Length of a chunk's header, in bytes.
pub const HEADER: usize = 32;

/// Length of the chunk of offsets for one chunk, in bytes.
pub const OFFSETS: usize = HEADER + 8;

/// Maximum length of a chunk, in bytes: `BLOSC2_MAX_BUFFERSIZE`.
pub const MAX_INPUT: usize = i32::MAX as usize - HEADER;

/// Largest element, in bytes, of the filters. Longer elements count as single bytes.
pub const MAX_ELEMENT: usize = 255;

/// The version of the format that is written, and the oldest with the same header.
pub const VERSION: u8 = 5;
const OLDEST: u8 = 4;

/// Maximum bytes of a block: `BLOSC2_MAXBLOCKSIZE`.
const LARGEST_BLOCK: usize = 536_866_816;

/// Both bits for shuffles are set where a header has 32 bytes.
pub const EXTENDED: u8 = 0x05;
/// The chunk holds plain bytes.
pub const PLAIN: u8 = 0x02;
/// A block is one stream.
pub const NOT_SPLIT: u8 = 0x10;

/// Streams are compressed with a dictionary, which the chunk holds.
const DICTIONARY: u8 = 0x01;
/// The bits of a chunk's second flags that tell of a repeated value.
const REPEATED: u8 = 0x70;

/// What a chunk without blocks is full of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated<'a> {
    /// Zeros. Values that were never set read as zeros too.
    Zero,
    /// NaN, of the element's size.
    NotANumber,
    /// This element.
    Element(&'a [u8]),
}

impl<'a> Repeated<'a> {
    /// The content for the number in a flag or an offset. `element` is what follows the header.
    ///
    /// # Errors
    /// A reserved number.
    pub fn of_number(number: u8, element: &'a [u8]) -> Outcome<Self> {
        match number {
            1 | 4 => Ok(Self::Zero),
            2 => Ok(Self::NotANumber),
            3 if !element.is_empty() => Ok(Self::Element(element)),
            _ => Err(damaged("a chunk with a reserved kind of values")),
        }
    }

    /// `size` bytes of it.
    ///
    /// # Errors
    /// NaN of another size than that of a float.
    pub fn bytes(self, element_size: usize, size: usize) -> Outcome<Vec<u8>> {
        let nan: [&[u8]; 2] = [&f32::NAN.to_le_bytes(), &f64::NAN.to_le_bytes()];
        let element = match (self, element_size) {
            (Self::Zero, _) => &[0],
            (Self::NotANumber, 4) => nan[0],
            (Self::NotANumber, 8) => nan[1],
            (Self::NotANumber, _) => return Err(damaged("NaN of a size that no float has")),
            (Self::Element(element), _) => element,
        };
        let mut out = room(size)?;
        out.extend(element.iter().cycle().take(size));
        Ok(out)
    }
}

/// An empty buffer for `size` bytes.
///
/// # Errors
/// Not enough memory.
pub fn room(size: usize) -> Outcome<Vec<u8>> {
    let mut out = Vec::new();
    match out.try_reserve_exact(size) {
        Ok(()) => Ok(out),
        Err(_) => Err(format!("not enough memory for {size} bytes")),
    }
}

/// The number of four bytes at `at`, little-endian and not negative.
fn length(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(i32::from_le_bytes(*word)).ok()
}

/// What a chunk holds.
enum Content<'a> {
    Repeated(Repeated<'a>),
    Plain(&'a [u8]),
    Compressed(Compressor),
}

/// A chunk with its header.
pub struct Chunk<'a> {
    /// The chunk with its header, and no more.
    bytes: &'a [u8],
    content: Content<'a>,
    filters: [Filter; SLOTS],
    element_size: usize,
    split: bool,
    /// Length of the decoded chunk, in bytes.
    pub size: usize,
    /// Length of a block, in bytes. The last one may be shorter.
    pub block: usize,
}

impl<'a> Chunk<'a> {
    /// Reads the header of a chunk. More bytes may follow the chunk.
    ///
    /// # Errors
    /// A damaged header, or a chunk that needs a dictionary, code of a user, or another file.
    pub fn parse(bytes: &'a [u8]) -> Outcome<Self> {
        let header = bytes.first_chunk::<HEADER>();
        let header = header.ok_or_else(|| damaged("a chunk is shorter than its header"))?;
        let [version, _, flags, element_size, ..] = *header;
        if !(OLDEST..=VERSION).contains(&version) || flags & EXTENDED != EXTENDED {
            return Err(damaged(&format!(
                "a chunk of version {version}, which is not known"
            )));
        }
        let size = |at| length(header, at).ok_or_else(|| damaged("a length in a chunk is negative"));
        let (size, block, stored) = (size(4)?, size(8)?, size(12)?);
        let bytes = bytes
            .get(..stored)
            .filter(|bytes| bytes.len() >= HEADER)
            .ok_or_else(|| damaged("a chunk states another length"))?;
        let element_size = usize::from(element_size);
        if element_size == 0 || block == 0 || block > LARGEST_BLOCK || (size > 0 && block > size) {
            return Err(damaged("a chunk has impossible sizes"));
        }
        let more = header[31];
        if more & DICTIONARY != 0 {
            return Err("its Blosc2 frame has a dictionary, which is not supported".to_owned());
        }
        if more & !REPEATED != 0 {
            return Err(damaged("a chunk lies elsewhere, or has flags that are not known"));
        }
        let content = if more & REPEATED != 0 {
            let element = bytes[HEADER..].get(..element_size).unwrap_or_default();
            Content::Repeated(Repeated::of_number(more >> 4, element)?)
        } else if flags & PLAIN != 0 {
            let plain = &bytes[HEADER..];
            match plain.len() == size {
                true => Content::Plain(plain),
                false => return Err(damaged("plain bytes have another length")),
            }
        } else {
            let compressor = Compressor::of_format(flags >> 5).filter(|known| *known != Compressor::Snappy);
            Content::Compressed(compressor.ok_or_else(|| {
                format!(
                    "its Blosc2 frame needs compressor {} of a user, which is not known",
                    header[22]
                )
            })?)
        };
        let filters = std::array::from_fn(|slot| header[16 + slot]);
        let chunk = Self {
            bytes,
            filters: match content {
                Content::Compressed(_) => transform::parse(&filters)?,
                _ => [Filter::None; SLOTS],
            },
            content,
            element_size,
            split: flags & NOT_SPLIT == 0,
            size,
            block,
        };
        // Each block has a start, so their number is no more than the bytes justify.
        let starts = chunk.block_count().checked_mul(4);
        let compressed = matches!(chunk.content, Content::Compressed(_));
        if compressed && starts.is_none_or(|starts| starts > bytes.len() - HEADER) {
            return Err(damaged("a chunk has more blocks than bytes"));
        }
        Ok(chunk)
    }

    /// Length of the chunk with its header, in bytes.
    pub fn stored(&self) -> usize {
        self.bytes.len()
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.size.div_ceil(self.block)
    }

    /// Decodes the chunk, and calls `take` for each block in order.
    ///
    /// # Errors
    /// A damaged block.
    pub fn each_block(&self, mut take: impl FnMut(usize, &[u8])) -> Outcome {
        let blocks = (0..self.block_count()).map(|number| {
            let start = number * self.block;
            (number, start..(start + self.block).min(self.size))
        });
        match self.content {
            Content::Repeated(repeated) => {
                if !self.size.is_multiple_of(self.element_size) {
                    return Err(damaged("a chunk of equal values is no multiple of one"));
                }
                each_repeated(repeated, self.element_size, self.size, self.block, take)?;
            }
            Content::Plain(plain) => blocks.for_each(|(number, range)| take(number, &plain[range])),
            Content::Compressed(compressor) => {
                let (mut block, mut spare, mut stream) = (room(self.block)?, room(self.block)?, Vec::new());
                let mut first: Option<Vec<u8>> = None;
                for (number, range) in blocks {
                    self.read_block(compressor, number, range.len(), &mut block, &mut stream)?;
                    let reference = first.as_deref();
                    transform::backward(
                        &self.filters,
                        self.element_size,
                        &mut block,
                        reference,
                        &mut spare,
                    );
                    take(number, &block);
                    if first.is_none() && self.filters.contains(&Filter::Delta) {
                        first = Some(block.clone());
                    }
                }
            }
        }
        Ok(())
    }

    /// Decompresses the streams of a block of `size` bytes into `block`.
    fn read_block(
        &self,
        compressor: Compressor,
        number: usize,
        size: usize,
        block: &mut Vec<u8>,
        stream: &mut Vec<u8>,
    ) -> Outcome {
        let ends = || damaged("a block ends too early");
        let streams = match self.split && size == self.block {
            true => self.element_size,
            false => 1,
        };
        if !size.is_multiple_of(streams) {
            return Err(damaged("a block is no multiple of its streams"));
        }
        let each = size / streams;
        let mut at = length(self.bytes, HEADER + 4 * number)
            .filter(|start| *start >= HEADER + 4 * self.block_count())
            .ok_or_else(|| damaged("a block begins in the header"))?;
        block.clear();
        for _ in 0..streams {
            let word = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
            let stored = i32::from_le_bytes(*word.ok_or_else(ends)?);
            at += 4;
            if let Ok(stored) = usize::try_from(stored) {
                let bytes = self.bytes[at..].get(..stored).ok_or_else(ends)?;
                at += stored;
                if stored == 0 {
                    block.resize(block.len() + each, 0);
                } else if stored == each {
                    block.extend(bytes);
                } else {
                    decompress_stream(compressor, bytes, each, stream)
                        .map_err(|_| damaged("a block does not decode"))?;
                    block.extend(&*stream);
                }
            } else {
                // The negative of a byte that is repeated, and a token that tells so.
                let token = *self.bytes.get(at).ok_or_else(ends)?;
                at += 1;
                let byte = stored.checked_neg().and_then(|byte| u8::try_from(byte).ok());
                match byte {
                    Some(byte) if token & 1 != 0 => block.resize(block.len() + each, byte),
                    _ => return Err(damaged("a stream of an unknown kind")),
                }
            }
        }
        Ok(())
    }
}

/// Calls `take` for each block of a chunk of `size` bytes with equal values.
///
/// # Errors
/// As for [`Repeated::bytes`].
pub fn each_repeated(
    repeated: Repeated,
    element_size: usize,
    size: usize,
    block: usize,
    mut take: impl FnMut(usize, &[u8]),
) -> Outcome {
    let bytes = repeated.bytes(element_size, block.min(size))?;
    for number in 0..size.div_ceil(block) {
        take(number, &bytes[..block.min(size - number * block)]);
    }
    Ok(())
}
