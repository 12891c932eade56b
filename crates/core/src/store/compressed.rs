//! Reads compressed files: seekable Zstandard by range, any other Zstandard or gzip file by decoding it once.
//!
//! ```text
//! seek table at the end ─► SeekableZst
//! no seek table, or gzip ─► decoded front to back ─► memory, and a temporary file
//! ```

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::zstd::stream::read::Decoder;
use flate2::read::MultiGzDecoder;

use super::object_stream::object_stream_within;
use super::zst_source::SeekableZst;
use super::{Object, SpooledSource, temporary_folder};
use crate::error::{Error, Result};

/// Magic number of a frame of Zstandard.
const FRAME: [u8; 4] = 0xFD2F_B528u32.to_le_bytes();

/// Magic number of gzip with deflate.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Upper limit, in bytes, of what is requested of a slow store ahead of the decoder.
const AHEAD: u64 = 32 << 20;

/// The content of a compressed file.
pub struct Content {
    /// The content, as far as it could be decoded.
    pub object: Arc<dyn Object>,
    /// Why the rest of it could not be decoded.
    pub damage: Option<String>,
}

impl From<SeekableZst> for Content {
    fn from(seekable: SeekableZst) -> Self {
        Self {
            object: Arc::new(seekable),
            damage: None,
        }
    }
}

/// The content of a compressed file; `None` if the object is not one. About `memory` bytes of a file without a seek table stay
/// in memory.
///
/// # Errors
/// If the object cannot be read, or is damaged.
pub fn open_compressed(object: &Arc<dyn Object>, memory: u64) -> Result<Option<Content>> {
    let Some(is_zstd) = is_zstd(object)? else {
        return Ok(None);
    };
    if is_zstd && let Some(seekable) = SeekableZst::open(object.clone())? {
        return Ok(Some(seekable.into()));
    }
    let (spooled, damage) = decoded(object, is_zstd, memory)?;
    match damage {
        Some((_, told)) => Err(Error::Cut(told)),
        None => Ok(Some(Content {
            object: Arc::new(spooled),
            damage: None,
        })),
    }
}

/// Like [`open_compressed`], of a file that may be cut or damaged: what comes before the damage is its content.
///
/// # Errors
/// If the object cannot be read, or nothing of it can be decoded.
pub fn open_damaged_compressed(object: &Arc<dyn Object>, memory: u64) -> Result<Option<Content>> {
    let Some(is_zstd) = is_zstd(object)? else {
        return Ok(None);
    };
    if is_zstd && let Ok(Some(seekable)) = SeekableZst::open(object.clone()) {
        return Ok(Some(seekable.into()));
    }
    match decoded(object, is_zstd, memory)? {
        (spooled, Some((error, _))) if spooled.len() == 0 => Err(Error::io("cannot decode", error)),
        (spooled, damage) => Ok(Some(Content {
            object: Arc::new(spooled),
            damage: damage.map(|(_, told)| told),
        })),
    }
}

/// What a file's decoder gives, and why it gives no more of a damaged file: the error, and a line.
fn decoded(
    object: &Arc<dyn Object>,
    is_zstd: bool,
    memory: u64,
) -> Result<(SpooledSource, Option<(io::Error, String)>)> {
    let failed = Arc::new(AtomicBool::new(false));
    let mut whole = UntilDamage {
        decoder: decoder(object, is_zstd, memory, failed.clone())?,
        failed,
        damage: None,
    };
    let spooled = SpooledSource::read(&mut whole, memory, &temporary_folder())?;
    let length = spooled.len();
    let damage = whole.damage.map(|error| {
        let name = if is_zstd { "Zstandard" } else { "gzip" };
        let told = format!("the {name} file ends or is damaged after {length} bytes of its content: {error}");
        (error, told)
    });
    Ok((spooled, damage))
}

/// True for Zstandard, false for gzip, `None` for anything else.
fn is_zstd(object: &Arc<dyn Object>) -> Result<Option<bool>> {
    let mut magic = [0; 4];
    match object.read_exact_at(0, &mut magic) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(Error::io("cannot read", e)),
    }
    let is_zstd = magic == FRAME || (u32::from_le_bytes(magic) & !0xF) == 0x184D_2A50;
    Ok((is_zstd || magic.starts_with(&GZIP)).then_some(is_zstd))
}

fn decoder(
    object: &Arc<dyn Object>,
    is_zstd: bool,
    memory: u64,
    failed: Arc<AtomicBool>,
) -> Result<Box<dyn Read>> {
    let bytes = BufReader::new(Stored {
        bytes: object_stream_within(object.clone(), (memory / 4).min(AHEAD))?,
        failed,
    });
    Ok(match is_zstd {
        true => Box::new(Decoder::with_buffer(bytes).map_err(|e| Error::io("cannot decode", e))?),
        false => Box::new(MultiGzDecoder::new(bytes)),
    })
}

/// The bytes of a file, which notes that one could not be read.
struct Stored<R> {
    bytes: R,
    failed: Arc<AtomicBool>,
}

impl<R: Read> Read for Stored<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buf);
        let is_failure = |e: &io::Error| e.kind() != io::ErrorKind::Interrupted;
        if read.as_ref().is_err_and(is_failure) {
            self.failed.store(true, Ordering::Relaxed);
        }
        read
    }
}

/// What a decoder gives before the first error, which is kept. A file that cannot be read is no damage.
struct UntilDamage {
    decoder: Box<dyn Read>,
    failed: Arc<AtomicBool>,
    damage: Option<io::Error>,
}

impl Read for UntilDamage {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.damage.is_some() {
            return Ok(0);
        }
        match self.decoder.read(buf) {
            Err(error)
                if error.kind() != io::ErrorKind::Interrupted && !self.failed.load(Ordering::Relaxed) =>
            {
                self.damage = Some(error);
                Ok(0)
            }
            read => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|n| ((n / 300) ^ (n % 7)) as u8).collect()
    }

    /// Zstandard without a seek table, and gzip.
    fn compressed(content: &[u8]) -> [Vec<u8>; 2] {
        let plain = ::zstd::stream::encode_all(content, 1).unwrap();
        let mut gzip = flate2::read::GzEncoder::new(content, flate2::Compression::fast());
        let mut gzipped = Vec::new();
        gzip.read_to_end(&mut gzipped).unwrap();
        [plain, gzipped]
    }

    #[test]
    fn files_without_a_seek_table_are_decoded_once() {
        let content = content(400_000);
        for file in compressed(&content) {
            let object: Arc<dyn Object> = Arc::new(file);
            let opened = open_compressed(&object, 1000).unwrap().unwrap().object;
            let mut found = vec![0; content.len()];
            opened.read_exact_at(0, &mut found).unwrap();
            assert_eq!(found, content);
            let opened = open_damaged_compressed(&object, 1000).unwrap().unwrap();
            assert_eq!(opened.damage, None);
            assert_eq!(opened.object.size().unwrap(), Some(400_000));
        }
        let other: Arc<dyn Object> = Arc::new(content);
        assert!(open_compressed(&other, 1000).unwrap().is_none());
        assert!(open_damaged_compressed(&other, 1000).unwrap().is_none());
    }

    #[test]
    fn cut_files_have_the_content_before_the_cut() {
        let content = content(2_000_000);
        for (file, name) in compressed(&content).iter().zip(["Zstandard", "gzip"]) {
            let object: Arc<dyn Object> = Arc::new(file[..file.len() / 2].to_vec());
            assert!(matches!(open_compressed(&object, 1 << 30), Err(e) if e.is_cut()));
            let opened = open_damaged_compressed(&object, 1 << 30).unwrap().unwrap();
            let length = opened.object.size().unwrap().unwrap() as usize;
            assert!(length > 300_000 && length < content.len(), "{length}");
            let told = opened.damage.unwrap();
            assert!(told.starts_with(&format!(
                "the {name} file ends or is damaged after {length} bytes"
            )));
            let mut found = vec![0; length];
            opened.object.read_exact_at(0, &mut found).unwrap();
            assert!(found == content[..length]);
        }
    }
}
