//! The seek table of a file in Zstandard's seekable format, and its frames.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use ::zstd::bulk::Decompressor;

use crate::requests::requests::ByteRange;
use crate::{BoundedCache, FetchQueue, Object};
use ncutils_model::error::{Error, Result};

/// Magic number of the frame with the seek table.
pub(crate) const TABLE_FRAME: u32 = 0x184D_2A5E;

/// Magic number of the frame with the SHA-256 of the content.
pub(crate) const SHA_FRAME: u32 = 0x184D_2A5D;

/// What stands before the SHA-256 in its frame.
pub(crate) const SHA_MARK: [u8; 8] = *b"SHA-256\0";

/// The last four bytes of the seekable format.
pub(crate) const SEEKABLE_MAGIC: u32 = 0x8F92_EAB1;

/// The flag for checksums in the seek table.
const FRAME_CHECKSUMS: u8 = 0x80;

/// Most bytes of the content of one frame.
const LARGEST_FRAME: u32 = 1 << 28;

/// Most bytes that one byte of a frame can stand for.
const EXPANSION: u64 = 32 << 10;

/// Most bytes that a frame takes for a byte of its content: a writer that flushes each byte makes blocks of four. Frames without
/// content may have as much as [`OVERHEAD`].
const FLUSHED: u64 = 4;

/// Most bytes of a frame besides [`FLUSHED`].
const OVERHEAD: u64 = 1 << 20;

/// Most bytes of decoded frames that are kept.
const KEPT: usize = 32 << 20;

/// Bytes that a frame counts for at least, so that few are kept.
const LEAST: usize = KEPT / 64;

/// Most bytes of frames, and of their content, that are read by one request, unless a single frame has more.
const RUN_BYTES: u64 = 4 << 20;

/// A file of frames with a seek table.
pub(crate) struct SeekableZst {
    pub(crate) source: Arc<dyn Object>,
    /// Position in the file and in the content, of each frame and of the end.
    pub(crate) places: Vec<(u64, u64)>,
    pub(crate) queue: Arc<FetchQueue>,
    kept: BoundedCache<usize, Arc<Vec<u8>>>,
    /// Frames that cannot be decoded, and why. Salvage reads each many times.
    damaged: Mutex<HashMap<usize, String>>,
}

impl SeekableZst {
    /// Reads the seek table; `None` if there is none.
    ///
    /// # Errors
    /// If the object cannot be read, or its seek table is damaged.
    pub(crate) fn open(source: Arc<dyn Object>) -> Result<Option<Self>> {
        let cannot = |e| Error::io("cannot read", e);
        let damaged = |why: &str| Error::Damaged(format!("Zstandard's seek table {why}"));
        let Some(size) = source.size().map_err(cannot)? else {
            return Ok(None);
        };
        let tail = source.read_suffix(64 << 10).map_err(cannot)?;
        let Some((_, footer)) = tail.split_last_chunk::<9>() else {
            return Ok(None);
        };
        let [a, b, c, d, flags, magic @ ..] = *footer;
        if u32::from_le_bytes(magic) != SEEKABLE_MAGIC {
            return Ok(None);
        }
        let frames = u64::from(u32::from_le_bytes([a, b, c, d]));
        if flags & 0x7C != 0 {
            return Err(damaged("has reserved flags"));
        }
        let entry = if flags & FRAME_CHECKSUMS == 0 { 8 } else { 12 };
        let length = frames * entry + 9 + 8;
        if length > size {
            return Err(damaged("is longer than the file"));
        }
        let table = match usize::try_from(length)
            .ok()
            .filter(|length| *length <= tail.len())
        {
            Some(length) => tail[tail.len() - length..].to_vec(),
            None => source
                .read_suffix(usize::try_from(length).unwrap_or(usize::MAX))
                .map_err(cannot)?,
        };
        let head = [TABLE_FRAME.to_le_bytes(), ((length - 8) as u32).to_le_bytes()].concat();
        if !table.starts_with(&head) {
            return Err(damaged("has no head"));
        }
        let mut places = Vec::with_capacity(frames as usize + 1);
        let (mut at, mut content) = (0u64, 0u64);
        for entry in table[8..table.len() - 9].chunks_exact(entry as usize) {
            places.push((at, content));
            let (stored, decoded) = entry.split_at(4);
            let number = |bytes: &[u8]| {
                bytes
                    .iter()
                    .take(4)
                    .rev()
                    .fold(0u32, |n, b| n << 8 | u32::from(*b))
            };
            let (stored, decoded) = (number(stored), number(decoded));
            if decoded > LARGEST_FRAME || u64::from(decoded) > u64::from(stored) * EXPANSION {
                return Err(damaged("claims more bytes than a frame can have"));
            }
            if u64::from(stored) > u64::from(decoded) * FLUSHED + OVERHEAD {
                return Err(damaged("has a frame that is longer than its content can be"));
            }
            at += u64::from(stored);
            content += u64::from(decoded);
        }
        if at > size - length {
            return Err(damaged("has frames past the end"));
        }
        places.push((at, content));
        Ok(Some(Self {
            source,
            places,
            queue: Arc::default(),
            kept: BoundedCache::new(KEPT),
            damaged: Mutex::default(),
        }))
    }

    /// The frames that have the bytes of a range.
    ///
    /// # Errors
    /// `UnexpectedEof` for a range past the end.
    pub(crate) fn frames_of(&self, offset: u64, length: usize) -> io::Result<Range<usize>> {
        let size = self.places.last().map_or(0, |place| place.1);
        let end = offset.checked_add(length as u64).filter(|end| *end <= size);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        if length == 0 {
            return Ok(0..0);
        }
        // Frames without content begin where the next one does.
        let first = self.places.partition_point(|place| place.1 <= offset) - 1;
        Ok(first..self.places.partition_point(|place| place.1 < end))
    }

    pub(crate) fn stored(&self, number: usize) -> ByteRange {
        let (at, end) = (self.places[number].0, self.places[number + 1].0);
        ByteRange {
            offset: at,
            length: (end - at) as usize,
        }
    }

    pub(crate) fn kept(&self, number: usize) -> Option<Arc<Vec<u8>>> {
        self.kept.get(&number)
    }

    /// Decodes a frame, and keeps it, or why it cannot be decoded.
    pub(crate) fn decoded(&self, number: usize, stored: &[u8]) -> io::Result<Arc<Vec<u8>>> {
        self.decode(number, stored).inspect_err(|error| {
            if error.kind() != io::ErrorKind::InvalidData {
                return;
            }
            let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
            damaged.insert(number, error.to_string());
        })
    }

    /// Fails with what is known to be wrong with a frame.
    pub(crate) fn check(&self, number: usize) -> io::Result<()> {
        let damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        match damaged.get(&number) {
            Some(why) => Err(io::Error::new(io::ErrorKind::InvalidData, why.clone())),
            None => Ok(()),
        }
    }

    fn decode(&self, number: usize, stored: &[u8]) -> io::Result<Arc<Vec<u8>>> {
        let ((at, start), (_, after)) = (self.places[number], self.places[number + 1]);
        let damaged = |why: String| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("damaged Zstandard frame at byte {at}: {why}"),
            )
        };
        let content = Decompressor::new()?
            .decompress(stored, (after - start) as usize)
            .map_err(|e| damaged(e.to_string()))?;
        if content.len() as u64 != after - start {
            return Err(damaged(
                "it has another length than the seek table tells".to_owned(),
            ));
        }
        let content = Arc::new(content);
        self.kept.keep(number, content.clone(), content.len().max(LEAST));
        Ok(content)
    }

    /// The frames at the start of `needed` that one request reads: as far as they are not kept. A frame that is kept is alone.
    pub(crate) fn run(&self, needed: Range<usize>) -> Range<usize> {
        let (first, start) = self.places[needed.start];
        let more = needed.clone().skip(1).take_while(|number| {
            let (stored, content) = self.places[number + 1];
            stored - first <= RUN_BYTES && content - start <= RUN_BYTES && self.kept(*number).is_none()
        });
        needed.start..needed.start + 1 + more.count()
    }
}

/// Copies the part of a frame, which begins at `start` of the content, that lies in a range at `offset` to the range's bytes.
pub(crate) fn copy_part(frame: &[u8], start: u64, offset: u64, range: &mut [u8]) {
    let skip = offset.saturating_sub(start) as usize;
    let at = start.saturating_sub(offset) as usize;
    let count = frame
        .len()
        .saturating_sub(skip)
        .min(range.len().saturating_sub(at));
    range[at..at + count].copy_from_slice(&frame[skip..skip + count]);
}
