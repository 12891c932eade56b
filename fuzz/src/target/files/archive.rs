//! Fuzzes compressed netCDF-3 archives. Checksums are mended first, so that damage behind them is found by other means.
//!
//! What opens is read and printed. The archive is restored, checked, salvaged, copied, and packed anew, into outputs that refuse to
//! grow large.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ncutils_core::error::Error;
use ncutils_core::filter::Registry;
use ncutils_core::format::archive::{self, Blocks, Filter, Filters, PackOptions};
use ncutils_core::format::{CheckLimits, open};
use ncutils_core::store::{MemoryOutput, Object, Output};

use super::super::sample_files::classic_files;
use super::dataset::read_reader;
use crate::Seed;

/// Largest output, in bytes.
const LARGEST: u64 = 16 << 20;

/// Most bytes of repeated elements that one run may write.
const MOST_WRITTEN: u64 = 64 << 20;

/// Reads, restores, checks, salvages and copies an archive with right checksums.
pub fn read(input: &[u8]) {
    let bytes = mended(input.to_vec());
    let object: Arc<dyn Object> = Arc::new(bytes.clone());
    if let Ok(reader) = open(object.clone(), &Registry::builtin()) {
        read_reader(&*reader);
    }
    let restored = Limited::default();
    let whole = archive::restore(&bytes[..], &restored, 1, None);
    let salvaged = Limited::default();
    let saved = archive::salvage(&object, &salvaged);
    let passed = Limited::default();
    let copied = archive::repack(&object, &passed, &[], 1, None);
    if let Ok(packed) = &whole {
        assert_eq!(restored.memory.bytes().len() as u64, packed.original);
        let saved = saved.expect("what is whole can be salvaged");
        assert!(saved.lost.is_empty() && salvaged.memory.bytes() == restored.memory.bytes());
        copied.expect("what is whole can be copied");
        assert!(passed.memory.bytes() == bytes);
    }
    let claimed = bytes.get(16..24).and_then(|field| field.first_chunk::<8>());
    if claimed.is_none_or(|claimed| u64::from_le_bytes(*claimed) > LARGEST) {
        // Hashing takes as long as the original claims to be.
        return;
    }
    let checked = archive::check(&object, CheckLimits::ONE_THREAD);
    match &whole {
        Ok(_) => assert_eq!(checked.expect("memory can be read").0, []),
        // The output refused.
        Err(Error::Io { .. }) => {}
        Err(error) => assert!(
            checked.is_err() || checked.is_ok_and(|(found, _)| !found.is_empty()),
            "a check finds nothing, and restoring says: {error}"
        ),
    }
    let other = archive::Change {
        length: Some(1000),
        filters: Some(Some(Filters::new([Filter::Zstd(1)]))),
    };
    let changed = Limited::default();
    let refiltered = archive::repack(&object, &changed, &vec![other; 100], 1, None);
    if whole.is_ok() && refiltered.is_ok() {
        let again = Limited::default();
        let done = archive::restore(&changed.memory.bytes()[..], &again, 1, None);
        done.expect("what was packed anew can be restored");
        assert!(again.memory.bytes() == restored.memory.bytes());
    }
}

/// Packs classic files with small blocks and several filters.
pub fn seeds(root: &Path) -> Vec<Seed> {
    let pipelines = [
        None,
        Some(vec![Filter::Delta, Filter::Bitshuffle, Filter::Deflate(1)]),
        Some(vec![Filter::Shuffle, Filter::Zstd(1)]),
    ];
    let originals = classic_files(root)
        .into_iter()
        .filter(|seed| seed.bytes.len() < 16 << 10);
    let packed = originals.enumerate().filter_map(|(n, original)| {
        let blocks = Blocks {
            length: 512,
            filters: pipelines[n % pipelines.len()].clone().map(Filters::new),
        };
        let options = PackOptions {
            variables: vec![blocks.clone(); 100],
            rest: blocks,
            threads: 1,
            memory: None,
        };
        let output = MemoryOutput::new();
        archive::pack(&original.bytes, &output, &options).ok()?;
        Some(Seed {
            bytes: output.bytes(),
            checked: Vec::new(),
        })
    });
    packed.collect()
}

/// An output in memory that refuses to grow past [`LARGEST`].
#[derive(Default)]
struct Limited {
    memory: MemoryOutput,
    written: std::sync::atomic::AtomicU64,
}

impl Limited {
    fn check(&self, end: Option<u64>) -> io::Result<()> {
        match end.is_some_and(|end| end <= LARGEST) {
            true => Ok(()),
            false => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }
}

impl Output for Limited {
    fn write_all_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check(offset.checked_add(data.len() as u64))?;
        let written = &self.written;
        let before = written.fetch_add(data.len() as u64, std::sync::atomic::Ordering::Relaxed);
        self.check(Some(before / (MOST_WRITTEN / LARGEST)))?;
        self.memory.write_all_at(offset, data)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.check(Some(size))?;
        self.memory.set_size(size)
    }

    fn commit(&self) -> io::Result<()> {
        self.memory.commit()
    }

    fn read_back_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.memory.read_back_at(offset, buf)
    }
}

/// zlib's CRC-32.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
            0 => crc >> 1,
            _ => crc >> 1 ^ 0xEDB8_8320,
        })
    })
}

/// An archive with right checksums, as far as its structures can be followed.
fn mended(mut bytes: Vec<u8>) -> Vec<u8> {
    let number = |bytes: &[u8], at: usize| {
        let field = bytes.get(at..)?.first_chunk::<8>()?;
        usize::try_from(u64::from_le_bytes(*field)).ok()
    };
    let front = number(&bytes, 24).unwrap_or(0);
    mend(&mut bytes, 0, 36, 36);
    let mut at = 40;
    while at < front {
        let Some(end) = mend_section(&mut bytes, at) else {
            break;
        };
        at = end;
    }
    at = front;
    while let Some(head) = bytes.get(at..at.saturating_add(40)) {
        let field = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (is_end, is_stored) = (field(0) == u32::MAX, head[30] == 0);
        let length = field(4) as usize;
        if !is_end && is_stored {
            let end = (at + 40).saturating_add(length);
            if end > bytes.len() {
                break;
            }
            mend(&mut bytes, at + 40, end, at + 32);
        }
        mend(&mut bytes, at, at + 36, at + 36);
        at = (at + 40).saturating_add(if is_end { 0 } else { length });
        if is_end {
            break;
        }
    }
    while let Some(end) = mend_section(&mut bytes, at) {
        at = end;
    }
    if let Some(footer) = bytes.len().checked_sub(40) {
        mend(&mut bytes, footer, footer + 36, footer + 36);
    }
    bytes
}

/// Mends the section at a position. Returns its end.
fn mend_section(bytes: &mut [u8], at: usize) -> Option<usize> {
    let field = bytes.get(at.checked_add(8)?..)?.first_chunk::<8>()?;
    let stored = usize::try_from(u64::from_le_bytes(*field)).ok()?;
    let body = at.checked_add(24)?.checked_add(stored)?;
    mend(bytes, at, body, body)
}

/// Puts the checksum of a range at a position. Returns the position behind it.
fn mend(bytes: &mut [u8], from: usize, to: usize, at: usize) -> Option<usize> {
    let crc = crc32(bytes.get(from..to)?);
    bytes
        .get_mut(at..at.checked_add(4)?)?
        .copy_from_slice(&crc.to_le_bytes());
    Some(at + 4)
}
