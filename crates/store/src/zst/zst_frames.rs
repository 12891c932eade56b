//! The headers of Zstandard's frames and blocks, which tell whether a checksum covers the content.
//!
//! ```text
//! frame: magic │ descriptor │ window, dictionary, size │ block │ block │ … │ [checksum]
//! skippable frame: magic │ length │ bytes
//! ```
//!
//! RFC 8878, sections 3.1.1 and 3.1.2.

use std::io;

use crate::Object;
use ncutils_model::error::{Error, Result};

/// Magic number of a frame.
const FRAME: u32 = 0xFD2F_B528;

/// True if each frame of a file has a checksum of its content. Stops at a header that is damaged. False for a slow store, which
/// is not asked for each header.
///
/// # Errors
/// If the object cannot be read.
pub(crate) fn have_checksums(file: &dyn Object) -> Result<bool> {
    if file.requests().ahead {
        return Ok(false);
    }
    let mut at = Some(0);
    while let Some(frame) = at {
        at = match next_frame(file, frame) {
            Ok(Some((_, false))) => return Ok(false),
            Ok(Some((next, true))) => next,
            Ok(None) => None,
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => None,
            Err(e) => return Err(Error::io("cannot read", e)),
        };
    }
    Ok(true)
}

/// Where the frame behind that at `at` begins, and whether this one needs no checksum or has one; `None` for no frame.
fn next_frame(file: &dyn Object, at: u64) -> io::Result<Option<(Option<u64>, bool)>> {
    let magic = number(file, at, 4)?;
    if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
        let length = number(file, at + 4, 4)?;
        return Ok(Some((at.checked_add(8 + u64::from(length)), true)));
    }
    if magic != FRAME {
        return Ok(None);
    }
    let descriptor = number(file, at + 4, 1)?;
    let is_single = descriptor >> 5 & 1;
    let has_checksum = descriptor >> 2 & 1;
    let dictionary = [0, 1, 2, 4][(descriptor & 3) as usize];
    let size = match descriptor >> 6 {
        0 => is_single,
        flag => 1 << flag,
    };
    if has_checksum == 0 {
        return Ok(Some((None, false)));
    }
    let mut at = at + 5 + u64::from((1 - is_single) + dictionary + size);
    loop {
        let header = number(file, at, 3)?;
        let (is_last, kind, length) = (header & 1, header >> 1 & 3, header >> 3);
        let stored = match kind {
            0 | 2 => length,
            1 => 1,
            _ => return Ok(Some((None, true))),
        };
        let Some(next) = at.checked_add(3 + u64::from(stored)) else {
            return Ok(Some((None, true)));
        };
        at = next;
        if is_last == 1 {
            return Ok(Some((at.checked_add(4), true)));
        }
    }
}

/// A little-endian number of at most four bytes.
fn number(file: &dyn Object, at: u64, size: usize) -> io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact_at(at, &mut bytes[..size])?;
    Ok(u32::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(content: &[u8], has_checksum: bool) -> Vec<u8> {
        let mut compressor = ::zstd::bulk::Compressor::new(1).unwrap();
        compressor.include_checksum(has_checksum).unwrap();
        compressor.compress(content).unwrap()
    }

    #[test]
    fn every_frame_must_have_a_checksum() {
        // Compressed, raw and repeated blocks, and sizes of all lengths.
        let noise: Vec<u8> = (0..300_000u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        let contents = [vec![], vec![7; 100], vec![7; 500_000], noise];
        let skippable = [&[0x5e, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"any 5"].concat();
        let all: Vec<u8> = contents
            .iter()
            .flat_map(|content| [frame(content, true), skippable.clone()])
            .flatten()
            .collect();
        assert!(have_checksums(&all).unwrap());
        for content in &contents {
            let one = [all.clone(), frame(content, false), all.clone()].concat();
            assert!(!have_checksums(&one).unwrap());
        }
        for end in 0..200 {
            assert!(have_checksums(&all[..end].to_vec()).unwrap());
        }
    }
}
