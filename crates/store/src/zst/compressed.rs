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

use crate::object::object_stream::object_stream_within;
use crate::zst::seekable_zst::SeekableZst;
use crate::zst::zst_frames::have_checksums;
use crate::{Object, SpooledSource, known_size, temporary_folder};
use ncutils_model::error::{Error, Result};

/// Magic number of a frame of Zstandard.
const FRAME: [u8; 4] = 0xFD2F_B528u32.to_le_bytes();

/// Magic number of gzip with deflate.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Upper limit, in bytes, of what is requested of a slow store ahead of the decoder.
const AHEAD: u64 = 32 << 20;

/// Bytes of the content in which a dataset must begin.
const DECIDED: u64 = 16 << 20;

/// Bytes that are compared at once.
const COMPARED: u64 = 1 << 20;

/// The content of a compressed file.
pub struct Content {
    /// The content, as far as it could be decoded.
    pub object: Arc<dyn Object>,
    /// Why the rest of it could not be decoded.
    pub damage: Option<String>,
    /// True if checksums of the compressed file cover the content, which are compared where it is decoded. Only
    /// [`open_damaged_compressed`] finds out.
    pub is_verified: bool,
}

/// The content of a compressed file; `None` if the object is not one. About `memory` bytes of a file without a seek table stay
/// in memory. Of such a file that is truncated or damaged, the content is what comes before.
///
/// # Errors
/// If the object cannot be read, or its seek table is damaged.
pub fn open_compressed(object: &Arc<dyn Object>, memory: u64) -> Result<Option<Content>> {
    open_compressed_dataset(object, memory, false, &|_| true)
}

/// Like [`open_compressed`], of a file that may be truncated or damaged: what comes before the damage is its content.
///
/// # Errors
/// If the object cannot be read, or nothing of it can be decoded.
pub fn open_damaged_compressed(object: &Arc<dyn Object>, memory: u64) -> Result<Option<Content>> {
    open_compressed_dataset(object, memory, true, &|_| true)
}

/// Like [`open_compressed`] or [`open_damaged_compressed`], of a file that should hold a dataset. A file without a seek table
/// is not decoded further once `is_dataset` is false for the first 16 MiB of its content.
///
/// # Errors
/// [`Error::UnknownFormat`] if it is no dataset. Those of the other functions.
pub fn open_compressed_dataset(
    object: &Arc<dyn Object>,
    memory: u64,
    may_be_damaged: bool,
    is_dataset: &dyn Fn(&dyn Object) -> bool,
) -> Result<Option<Content>> {
    let Some(is_zstd) = is_zstd(object)? else {
        return Ok(None);
    };
    let is_verified = may_be_damaged && (!is_zstd || have_checksums(&**object)?);
    let seekable = match is_zstd {
        true => SeekableZst::open(object.clone()),
        false => Ok(None),
    };
    match seekable {
        Ok(Some(seekable)) => {
            return Ok(Some(Content {
                object: Arc::new(seekable),
                damage: None,
                is_verified,
            }));
        }
        Err(error) if !may_be_damaged => return Err(error),
        _ => {}
    }
    let (spooled, damage) = decoded(object, is_zstd, memory, is_dataset)?;
    // Behind other damage, the checksum is not reached. The decoders tell this only by their texts.
    let is_reached = |(error, _): &(io::Error, String)| error.to_string().contains("checksum");
    let is_verified = is_verified && damage.as_ref().is_none_or(is_reached);
    let damage = match damage {
        Some((error, _)) if may_be_damaged && spooled.len() == 0 => {
            return Err(Error::io("cannot decode", error));
        }
        damage => damage.map(|(_, told)| told),
    };
    Ok(Some(Content {
        object: Arc::new(spooled),
        damage,
        is_verified,
    }))
}

/// What a file's decoder gives, and why it gives no more of a damaged file: the error, and a line.
fn decoded(
    object: &Arc<dyn Object>,
    is_zstd: bool,
    memory: u64,
    is_dataset: &dyn Fn(&dyn Object) -> bool,
) -> Result<(SpooledSource, Option<(io::Error, String)>)> {
    let failed = Arc::new(AtomicBool::new(false));
    let mut whole = UntilDamage {
        decoder: decoder(object, is_zstd, memory, failed.clone())?,
        failed,
        damage: None,
    };
    let folder = temporary_folder();
    let mut spooled = SpooledSource::default();
    let mut is_decided = false;
    while spooled.add(&mut whole, memory, &folder)? {
        // A small file may have content without end.
        if !is_decided && spooled.len() >= DECIDED {
            is_decided = true;
            if !is_dataset(&spooled) {
                return Err(Error::UnknownFormat);
            }
        }
    }
    let length = spooled.len();
    let damage = whole.damage.map(|error| {
        let name = if is_zstd { "Zstandard" } else { "gzip" };
        let told = format!("the {name} file ends or is damaged after {length} bytes of its content: {error}");
        (error, told)
    });
    Ok((spooled, damage))
}

/// Reads back what an object was compressed to, all of it, and compares it with the object. Returns the number of bytes of both.
///
/// # Errors
/// What differs or is damaged, and failures of reading.
pub fn verify_compressed(source: &dyn Object, written: &Arc<dyn Object>) -> Result<u64> {
    let wrong = |why: String| Error::Damaged(format!("the output does not have what was asked for: {why}"));
    let content = open_compressed(written, 0)?.ok_or_else(|| wrong("it is not compressed".to_owned()))?;
    if let Some(damage) = content.damage {
        return Err(wrong(damage));
    }
    let (size, found) = (known_size(source)?, known_size(&*content.object)?);
    if found != size {
        return Err(wrong(format!("it has {found} bytes, and not {size}")));
    }
    let (mut asked, mut read) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < size {
        let length = COMPARED.min(size - at) as usize;
        for (object, bytes) in [(source, &mut asked), (&*content.object, &mut read)] {
            bytes.resize(length, 0);
            let done = object.read_exact_at(at, bytes);
            done.map_err(|e| Error::io("cannot read", e))?;
        }
        if let Some(n) = asked.iter().zip(&read).position(|(a, b)| a != b) {
            return Err(wrong(format!("byte {} is another one", at + n as u64)));
        }
        at += length as u64;
    }
    Ok(size)
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
        // The function that makes Zstandard here writes no checksum.
        for (file, is_verified) in compressed(&content).into_iter().zip([false, true]) {
            let object: Arc<dyn Object> = Arc::new(file);
            let opened = open_compressed(&object, 1000).unwrap().unwrap().object;
            let mut found = vec![0; content.len()];
            opened.read_exact_at(0, &mut found).unwrap();
            assert_eq!(found, content);
            let opened = open_damaged_compressed(&object, 1000).unwrap().unwrap();
            assert_eq!((opened.damage, opened.is_verified), (None, is_verified));
            assert_eq!(opened.object.size().unwrap(), Some(400_000));
        }
        let other: Arc<dyn Object> = Arc::new(content);
        assert!(open_compressed(&other, 1000).unwrap().is_none());
        assert!(open_damaged_compressed(&other, 1000).unwrap().is_none());
    }

    #[test]
    fn what_is_no_dataset_is_not_decoded_to_its_end() {
        let content = vec![0; DECIDED as usize + 1_000_000];
        for mut file in compressed(&content) {
            // What follows is not reached.
            let end = file.len() - 1;
            file[end] ^= 1;
            let object: Arc<dyn Object> = Arc::new(file);
            let begins_with = |byte: u8| {
                move |object: &dyn Object| {
                    let mut first = [0];
                    object.read_exact_at(0, &mut first).is_ok() && first == [byte]
                }
            };
            let refused = open_compressed_dataset(&object, 1000, false, &begins_with(1));
            assert!(matches!(refused, Err(Error::UnknownFormat)));
            let opened = open_compressed_dataset(&object, 1 << 30, false, &begins_with(0))
                .unwrap()
                .unwrap();
            assert!(opened.object.size().unwrap().unwrap() > DECIDED);
        }
    }

    #[test]
    fn truncated_files_have_the_content_before_their_end() {
        let content = content(2_000_000);
        for (file, name) in compressed(&content).iter().zip(["Zstandard", "gzip"]) {
            let object: Arc<dyn Object> = Arc::new(file[..file.len() / 2].to_vec());
            let strict = open_compressed(&object, 1 << 30).unwrap().unwrap();
            let opened = open_damaged_compressed(&object, 1 << 30).unwrap().unwrap();
            assert!(!opened.is_verified, "{name}");
            if name == "gzip" {
                let mut wrong = file.clone();
                let at = wrong.len() - 8;
                wrong[at] ^= 1;
                let opened = open_damaged_compressed(&(Arc::new(wrong) as Arc<dyn Object>), 1 << 30);
                assert!(opened.unwrap().unwrap().is_verified);
            }
            let length = opened.object.size().unwrap().unwrap() as usize;
            assert!(length > 300_000 && length < content.len(), "{length}");
            let told = opened.damage.unwrap();
            assert_eq!(strict.damage.as_ref(), Some(&told));
            assert!(told.starts_with(&format!(
                "the {name} file ends or is damaged after {length} bytes"
            )));
            let mut found = vec![0; length];
            opened.object.read_exact_at(0, &mut found).unwrap();
            assert!(found == content[..length]);
        }
    }

    #[test]
    fn what_was_compressed_is_compared() {
        let content = content(2_500_000);
        let output = crate::MemoryOutput::new();
        crate::compress_seekable(&content, &output, 2).unwrap();
        let written = output.bytes();
        let verify = |source: &Vec<u8>, written: Vec<u8>| {
            let written: Arc<dyn Object> = Arc::new(written);
            verify_compressed(source, &written).map_err(|error| error.to_string())
        };
        verify(&content, written.clone()).unwrap();
        let mut other = content.clone();
        other[2_000_001] ^= 1;
        let told = verify(&other, written.clone()).unwrap_err();
        assert!(told.ends_with("byte 2000001 is another one"), "{told}");
        let told = verify(&content[1..].to_vec(), written.clone()).unwrap_err();
        assert!(told.ends_with("it has 2500000 bytes, and not 2499999"), "{told}");
        let mut damaged = written;
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        assert!(
            verify(&content, damaged)
                .unwrap_err()
                .contains("damaged Zstandard frame")
        );
        assert!(
            verify(&content, content.clone())
                .unwrap_err()
                .ends_with("it is not compressed")
        );
    }
}
