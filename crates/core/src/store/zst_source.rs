//! Reads compressed files: Zstandard's seekable format by range, any other Zstandard or gzip file by decoding it once.
//!
//! ```text
//! seek table at the end ─► frames of a range ─► decoded ─► cache
//! no seek table, or gzip ─► decoded front to back ─► memory, and a temporary file
//! ```

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use ::zstd::bulk::Decompressor;
use flate2::read::MultiGzDecoder;

use super::{Object, Requests, SpooledSource, temporary_folder};
use crate::error::{Error, Result};

/// Magic number of the frame with the seek table.
pub(super) const TABLE_FRAME: u32 = 0x184D_2A5E;

/// Magic number of the frame with the SHA-256 of the content.
pub(super) const SHA_FRAME: u32 = 0x184D_2A5D;

/// What stands before the SHA-256 in its frame.
pub(super) const SHA_MARK: [u8; 8] = *b"SHA-256\0";

/// The last four bytes of the seekable format.
pub(super) const SEEKABLE_MAGIC: u32 = 0x8F92_EAB1;

/// The flag for checksums in the seek table.
const FRAME_CHECKSUMS: u8 = 0x80;

/// Magic number of a frame.
const FRAME: [u8; 4] = 0xFD2F_B528u32.to_le_bytes();

/// Magic number of gzip with deflate.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Most bytes of the content of one frame.
const LARGEST_FRAME: u32 = 1 << 28;

/// Most bytes that one byte of a frame can stand for.
const EXPANSION: u64 = 32 << 10;

/// Decoded frames that are kept.
const KEPT: usize = 64;

/// Most bytes of decoded frames that are kept.
const KEPT_BYTES: usize = 32 << 20;

/// The content of a compressed file; `None` if the object is not one. About `memory` bytes of a file without a seek table stay
/// in memory.
///
/// # Errors
/// If the object cannot be read, or is damaged.
pub fn open_compressed(object: &Arc<dyn Object>, memory: u64) -> Result<Option<Arc<dyn Object>>> {
    let mut magic = [0; 4];
    match object.read_exact_at(0, &mut magic) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(Error::io("cannot read", e)),
    }
    let is_zstd = magic == FRAME || (u32::from_le_bytes(magic) & !0xF) == 0x184D_2A50;
    if !is_zstd && !magic.starts_with(&GZIP) {
        return Ok(None);
    }
    if is_zstd && let Some(seekable) = SeekableZst::open(object.clone())? {
        return Ok(Some(Arc::new(seekable)));
    }
    let bytes = super::object_stream(object.clone())?;
    let mut decoder: Box<dyn Read> = match is_zstd {
        true => {
            let decoder = ::zstd::stream::read::Decoder::new(bytes);
            Box::new(decoder.map_err(|e| Error::io("cannot decode", e))?)
        }
        false => Box::new(MultiGzDecoder::new(bytes)),
    };
    let spooled = SpooledSource::read(&mut decoder, memory, &temporary_folder());
    Ok(Some(Arc::new(spooled?)))
}

/// A file of frames with a seek table.
struct SeekableZst {
    source: Arc<dyn Object>,
    /// Position in the file and in the content, of each frame and of the end.
    places: Vec<(u64, u64)>,
    kept: Mutex<VecDeque<(usize, Arc<Vec<u8>>)>>,
}

impl SeekableZst {
    /// Reads the seek table; `None` if there is none.
    fn open(source: Arc<dyn Object>) -> Result<Option<Self>> {
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
            kept: Mutex::default(),
        }))
    }

    fn frame(&self, number: usize) -> io::Result<Arc<Vec<u8>>> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = kept().iter().find(|(n, _)| *n == number) {
            return Ok(found.clone());
        }
        let ((at, start), (end, after)) = (self.places[number], self.places[number + 1]);
        let mut stored = vec![0; (end - at) as usize];
        self.source.read_exact_at(at, &mut stored)?;
        let damaged = |why: String| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("damaged Zstandard frame at byte {at}: {why}"),
            )
        };
        let content = Decompressor::new()?
            .decompress(&stored, (after - start) as usize)
            .map_err(|e| damaged(e.to_string()))?;
        if content.len() as u64 != after - start {
            return Err(damaged(
                "it has another length than the seek table tells".to_owned(),
            ));
        }
        let content = Arc::new(content);
        let mut kept = kept();
        kept.push_back((number, content.clone()));
        while kept.len() > 1
            && (kept.len() > KEPT || kept.iter().map(|(_, frame)| frame.len()).sum::<usize>() > KEPT_BYTES)
        {
            kept.pop_front();
        }
        Ok(content)
    }
}

impl Object for SeekableZst {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(self.places.last().map(|place| place.1))
    }

    fn read_exact_at(&self, offset: u64, mut buf: &mut [u8]) -> io::Result<()> {
        let size = self.places.last().map_or(0, |place| place.1);
        if offset.checked_add(buf.len() as u64).is_none_or(|end| end > size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut at = offset;
        while !buf.is_empty() {
            // Frames without content begin where the next one does.
            let number = self.places.partition_point(|place| place.1 <= at) - 1;
            let frame = self.frame(number)?;
            let skip = (at - self.places[number].1) as usize;
            let count = (frame.len() - skip).min(buf.len());
            let (now, rest) = buf.split_at_mut(count);
            now.copy_from_slice(&frame[skip..skip + count]);
            (at, buf) = (at + count as u64, rest);
        }
        Ok(())
    }

    fn requests(&self) -> Requests {
        self.source.requests()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MemoryOutput, compress_seekable};
    use super::*;

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|n| ((n / 300) ^ (n % 7)) as u8).collect()
    }

    fn seekable(content: &Vec<u8>, threads: usize) -> Vec<u8> {
        let output = MemoryOutput::new();
        compress_seekable(content, &output, threads).unwrap();
        output.bytes()
    }

    #[test]
    fn ranges_of_a_seekable_file() {
        for length in [0, 1, 262_144, 1_000_000] {
            let content = content(length);
            let file = seekable(&content, 1);
            assert_eq!(file, seekable(&content, 3));
            assert_eq!(::zstd::stream::decode_all(&file[..]).unwrap(), content);
            let object: Arc<dyn Object> = Arc::new(file);
            let opened = open_compressed(&object, 100).unwrap().unwrap();
            assert_eq!(opened.size().unwrap(), Some(length as u64));
            for at in [0, length / 3, length.saturating_sub(9)] {
                let count = (length - at).min(300_000);
                let mut found = vec![0; count];
                opened.read_exact_at(at as u64, &mut found).unwrap();
                assert_eq!(found, content[at..at + count]);
            }
            let past = opened.read_exact_at(length as u64, &mut [0]).unwrap_err();
            assert_eq!(past.kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn other_compressed_files_are_decoded_once() {
        let content = content(400_000);
        let plain = ::zstd::stream::encode_all(&content[..], 1).unwrap();
        let mut gzip = flate2::read::GzEncoder::new(&content[..], flate2::Compression::fast());
        let mut gzipped = Vec::new();
        gzip.read_to_end(&mut gzipped).unwrap();
        for file in [plain, gzipped] {
            let object: Arc<dyn Object> = Arc::new(file);
            let opened = open_compressed(&object, 1000).unwrap().unwrap();
            let mut found = vec![0; content.len()];
            opened.read_exact_at(0, &mut found).unwrap();
            assert_eq!(found, content);
        }
        let other: Arc<dyn Object> = Arc::new(content);
        assert!(open_compressed(&other, 1000).unwrap().is_none());
    }

    #[test]
    fn a_table_that_lies_is_refused() {
        let content = content(600_000);
        let file = seekable(&content, 1);
        for from_end in 1..60 {
            let mut damaged = file.clone();
            let at = file.len() - from_end;
            damaged[at] ^= 0x40;
            let object: Arc<dyn Object> = Arc::new(damaged);
            if let Ok(Some(opened)) = open_compressed(&object, 1 << 30) {
                let mut found = vec![0; 600_000];
                // What can still be read is the content: frames have checksums.
                if opened.read_exact_at(0, &mut found).is_ok() {
                    assert!(found == content, "{from_end}");
                }
            }
        }
    }
}
