//! [`Frame`]: a contiguous frame, read; and the parts of one, written.

use crate::Outcome;
use crate::blosc2::array::{Array, MAX_DIMENSIONS};
use crate::blosc2::chunk::{Chunk, Repeated};
use crate::blosc2::damage::damaged;

/// Length of a header up to its metalayers, in bytes.
const HEADER: usize = 0x57;

/// Length of a trailer without metalayers, in bytes.
const TRAILER: usize = 35;

/// Length of what ends a trailer, in bytes: its own length, and a fingerprint.
const TRAILER_END: usize = 23;

/// Most metalayers of a frame.
const MOST_METALAYERS: usize = 16;

/// The version of the format.
const VERSION: u8 = 2;

/// The names of the metalayer with the shapes of an array. The second is of an older library.
const ARRAY: [&[u8]; 2] = [b"b2nd", b"caterva"];

/// A frame, without its trailer.
pub struct Frame<'a> {
    /// Bytes of an element.
    pub element_size: usize,
    /// Bytes of all decoded chunks.
    pub size: usize,
    /// Bytes of a decoded chunk.
    pub chunk_size: usize,
    /// The shapes of the array, if it holds one.
    pub array: Option<Array>,
    /// All compressed chunks.
    chunks: &'a [u8],
    /// The chunk of offsets, and what follows it.
    offsets: &'a [u8],
}

/// A chunk of a frame.
pub enum Stored<'a> {
    /// A compressed chunk.
    Chunk(Chunk<'a>),
    /// Equal values, of which the frame keeps no chunk.
    Repeated(Repeated<'a>),
}

/// Reads big-endian numbers one after the other.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// The number of `count` bytes behind a byte that tells its type.
    fn number(&mut self, marker: u8, count: usize) -> Option<u64> {
        let own = *self.take(1)?.first()?;
        let bytes = self.take(count)?;
        let number = bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        // Signed numbers are not negative.
        (own == marker && number <= i64::MAX as u64 && (count != 4 || number <= i32::MAX as u64))
            .then_some(number)
    }

    fn length(&mut self, marker: u8, count: usize) -> Option<usize> {
        usize::try_from(self.number(marker, count)?).ok()
    }
}

/// Reads a metalayer with the shapes of an array.
fn parse_array(content: &[u8]) -> Option<Array> {
    let mut cursor = Cursor(content);
    let [start, _, rank] = *cursor.take(3)?.first_chunk::<3>()?;
    let mut shape = |marker, count| {
        let numbers = *cursor.take(1)?.first()?;
        let sizes = (0..rank).map(|_| cursor.number(marker, count));
        (numbers == 0x90 + rank).then(|| sizes.collect::<Option<Vec<_>>>())?
    };
    if start & 0xf0 != 0x90 || usize::from(rank) > MAX_DIMENSIONS {
        return None;
    }
    Array::new(shape(0xd3, 8)?, shape(0xd2, 4)?, shape(0xd2, 4)?)
}

/// Finds the shapes of an array in a header. `Some(None)` if there are none.
fn find_array(header: &[u8]) -> Option<Option<Array>> {
    let mut cursor = Cursor(header.get(HEADER..)?);
    cursor.take(1).filter(|start| *start == [0x93])?;
    cursor.length(0xcd, 2)?;
    let count = cursor.length(0xde, 2).filter(|count| *count <= MOST_METALAYERS)?;
    for _ in 0..count {
        let length = cursor.take(1)?.first()?.checked_sub(0xa0)?;
        let name = cursor.take(usize::from(length))?;
        let mut content = Cursor(header.get(cursor.length(0xd2, 4)?..)?);
        if ARRAY.contains(&name) {
            let length = content.length(0xc6, 4)?;
            return Some(Some(parse_array(content.take(length)?)?));
        }
    }
    Some(None)
}

impl<'a> Frame<'a> {
    /// Reads the header and the trailer of a frame.
    ///
    /// # Errors
    /// A damaged frame, or one whose chunks are in other files.
    pub fn parse(input: &'a [u8]) -> Outcome<Self> {
        let mut cursor = Cursor(input);
        let start = cursor.take(10).unwrap_or_default();
        if start != b"\x9e\xa8b2frame\0" {
            return Err(damaged("it has no header"));
        }
        let header_size = cursor.length(0xd2, 4);
        let size = cursor.length(0xcf, 8);
        let flags = cursor.take(5);
        let (Some(header_size), Some(size), Some([0xa4, general, kind, _, _])) = (header_size, size, flags)
        else {
            return Err(damaged("its header is cut, or has other fields"));
        };
        if size != input.len() {
            return Err(damaged("its header states another length"));
        }
        // 64-bit offsets.
        if general & 0x0f > VERSION || general & 0x30 != 0x10 {
            return Err(damaged("its version is not known"));
        }
        if *kind != 0 {
            return Err("its Blosc2 frame keeps chunks in other files, which is not supported".to_owned());
        }
        let cut = || damaged("its header is cut, or has other fields");
        let decoded = cursor.length(0xd3, 8).ok_or_else(cut)?;
        let encoded = cursor.length(0xd3, 8).ok_or_else(cut)?;
        let element_size = cursor.length(0xd2, 4).ok_or_else(cut)?;
        cursor.length(0xd2, 4).ok_or_else(cut)?;
        let chunk_size = cursor.length(0xd2, 4).ok_or_else(cut)?;
        let header = input.get(..header_size).ok_or_else(cut)?;
        let array = find_array(header).ok_or_else(|| damaged("its metalayers"))?;
        let (chunks, offsets) = input[header_size..]
            .split_at_checked(encoded)
            .ok_or_else(|| damaged("its chunks have another length"))?;
        if element_size == 0 || chunk_size == 0 {
            return Err(damaged("its chunks or elements have no size"));
        }
        Ok(Self {
            element_size,
            size: decoded,
            chunk_size,
            array,
            chunks,
            offsets,
        })
    }

    /// Number of chunks.
    pub fn count(&self) -> usize {
        self.size.div_ceil(self.chunk_size)
    }

    /// Reads the offsets of all chunks. The caller has checked that their number is possible.
    ///
    /// # Errors
    /// Damaged offsets or a damaged trailer.
    pub fn offsets(&self) -> Outcome<Vec<u64>> {
        let wrong = || damaged("its offsets");
        let chunk = Chunk::parse(self.offsets)?;
        if Some(chunk.size) != self.count().checked_mul(8) {
            return Err(wrong());
        }
        let mut bytes = crate::blosc2::chunk::room(chunk.size)?;
        chunk.each_block(|_, block| bytes.extend(block))?;
        let trailer = self.offsets.get(chunk.stored()..).ok_or_else(wrong)?;
        check_trailer(trailer).ok_or_else(|| damaged("its trailer"))?;
        let words = bytes.chunks_exact(8);
        Ok(words
            .map(|word| {
                word.iter()
                    .rev()
                    .fold(0, |number, byte| number << 8 | u64::from(*byte))
            })
            .collect())
    }

    /// The chunk at an offset.
    ///
    /// # Errors
    /// A damaged offset or chunk.
    pub fn chunk(&self, offset: u64) -> Outcome<Stored<'a>> {
        // The highest byte tells of values without a chunk.
        if offset >> 63 != 0 {
            let number = (offset >> 56) as u8 & 0x7f;
            return Repeated::of_number(number, &[]).map(Stored::Repeated);
        }
        let start = usize::try_from(offset).ok();
        let bytes = start.and_then(|start| self.chunks.get(start..));
        let bytes = bytes.ok_or_else(|| damaged("a chunk is outside of it"))?;
        Chunk::parse(bytes).map(Stored::Chunk)
    }
}

/// Checks that a frame has the length that its header states, that its parts fit in it, and that it ends with a trailer.
/// What this crate does not decode passes.
pub fn check_lengths(input: &[u8]) -> Option<()> {
    let mut cursor = Cursor(input);
    cursor.take(10).filter(|start| *start == b"\x9e\xa8b2frame\0")?;
    let header = cursor.length(0xd2, 4)?;
    cursor.length(0xcf, 8).filter(|length| *length == input.len())?;
    let [_, _, kind, _, _] = *cursor.take(5)?.first_chunk()?;
    cursor.length(0xd3, 8)?;
    let chunks = match kind {
        0 => cursor.length(0xd3, 8)?,
        // They are in other files.
        _ => 0,
    };
    let offsets = input.get(header.checked_add(chunks)?..)?;
    let trailer = Cursor(offsets.get(offsets.len().checked_sub(TRAILER_END)?..)?).length(0xce, 4)?;
    check_trailer(offsets.get(offsets.len().checked_sub(trailer)?..)?)
}

/// Checks that a trailer ends with its own length and a fingerprint. `None` if it does not.
fn check_trailer(trailer: &[u8]) -> Option<()> {
    let start = trailer.first()?;
    let mut end = Cursor(trailer.get(trailer.len().checked_sub(TRAILER_END)?..)?);
    let length = end.length(0xce, 4)?;
    let fingerprint = *end.take(1)?.first()?;
    (start & 0xf0 == 0x90 && length == trailer.len() && fingerprint == 0xd8).then_some(())
}

/// What a header tells of the chunk that a frame is written with.
pub struct Description<'a> {
    /// The number of the compressor, and the level.
    pub compressor: u8,
    pub level: u8,
    /// The number of the filter.
    pub filter: u8,
    /// Bytes of an element.
    pub element_size: usize,
    /// Bytes of a block.
    pub block: usize,
    /// Bytes of the decoded chunk.
    pub size: usize,
    /// Bytes of the compressed chunk.
    pub encoded: usize,
    /// The shapes of the array.
    pub array: Option<&'a Array>,
}

/// The metalayer with the shapes of an array, whose elements are opaque.
fn array_content(array: &Array, element_size: usize) -> Vec<u8> {
    // For 16 dimensions too the library adds their number.
    let list = 0x90 + array.shape().len() as u8;
    let mut content = vec![0x97, 0, array.shape().len() as u8, list];
    for size in array.shape() {
        content.push(0xd3);
        content.extend(size.to_be_bytes());
    }
    for shape in [array.chunk(), array.block()] {
        content.push(list);
        for size in shape {
            content.push(0xd2);
            content.extend((*size as u32).to_be_bytes());
        }
    }
    let name = format!("|V{element_size}");
    content.extend([0, 0xdb]);
    content.extend((name.len() as u32).to_be_bytes());
    content.extend(name.as_bytes());
    content
}

/// The length of the header of a frame, in bytes.
pub fn header_length(array: Option<&Array>, element_size: usize) -> usize {
    let metalayer = array.map_or(0, |array| 10 + 5 + array_content(array, element_size).len());
    HEADER + 7 + metalayer + 3
}

/// The header of a frame. Its length is [`header_length`].
pub fn header(frame: &Description) -> Vec<u8> {
    let length = header_length(frame.array, frame.element_size);
    let total = length + frame.encoded + crate::blosc2::chunk::OFFSETS + TRAILER;
    let mut out = b"\x9e\xa8b2frame\0".to_vec();
    let int = |out: &mut Vec<u8>, number: usize| {
        out.push(0xd2);
        out.extend((number as u32).to_be_bytes());
    };
    int(&mut out, length);
    out.push(0xcf);
    out.extend((total as u64).to_be_bytes());
    // Blocks are split where the oldest readers expect it.
    out.extend([0xa4, 0x10 | VERSION, 0, frame.level << 4 | frame.compressor, 3]);
    for number in [frame.size, frame.encoded] {
        out.push(0xd3);
        out.extend((number as u64).to_be_bytes());
    }
    let element = if frame.element_size > crate::blosc2::chunk::MAX_ELEMENT {
        1
    } else {
        frame.element_size
    };
    for number in [element, frame.block, frame.size] {
        int(&mut out, number);
    }
    // Threads of the writer and of readers, no metalayers in the trailer, and six filters.
    out.extend([0xd1, 0, 0, 0xd1, 0, 1, 0xc2, 0xd8, 6]);
    out.extend([0, 0, 0, 0, 0, frame.filter, frame.compressor, 0]);
    out.extend([0; 8]);
    debug_assert_eq!(out.len(), HEADER);
    let index = if frame.array.is_some() { 17u16 } else { 7 };
    let count = u8::from(frame.array.is_some());
    out.push(0x93);
    out.push(0xcd);
    out.extend(index.to_be_bytes());
    out.extend([0xde, 0, count]);
    if frame.array.is_some() {
        out.extend(b"\xa4b2nd");
        let at = out.len() + 5 + 3;
        int(&mut out, at);
    }
    out.extend([0xdc, 0, count]);
    if let Some(array) = frame.array {
        let content = array_content(array, frame.element_size);
        out.push(0xc6);
        out.extend((content.len() as u32).to_be_bytes());
        out.extend(content);
    }
    debug_assert_eq!(out.len(), length);
    out
}

/// The trailer of a frame, without metalayers and fingerprint.
pub fn trailer() -> [u8; TRAILER] {
    let mut out = [0; TRAILER];
    out[..12].copy_from_slice(&[0x94, 1, 0x93, 0xcd, 0, 6, 0xde, 0, 0, 0xdc, 0, 0]);
    out[12..18].copy_from_slice(&[0xce, 0, 0, 0, TRAILER as u8, 0xd8]);
    out
}
