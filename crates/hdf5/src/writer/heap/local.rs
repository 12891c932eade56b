//! The External Data Files message (specification section IV.A.2.h) and the local heap (section III.D) with the names of its
//! files.
//!
//! ```text
//! heap header │ empty name │ name │ name │ …      each with a NUL, padded to 8 bytes
//! ```

use crate::writer::bytes::PutBytes;
use crate::{Error, ExternalSegment, Result};

/// Size of the heap's header, in bytes.
const HEAP_HEAD: u64 = 32;
/// The free list of a heap without free space.
const NO_FREE_SPACE: u64 = 1;

/// The message and its heap, which is at address `heap`.
pub(crate) fn encode(segments: &[ExternalSegment], heap: u64) -> Result<(Vec<u8>, Vec<u8>)> {
    let count = u16::try_from(segments.len())
        .map_err(|_| Error::CannotWrite(format!("{} external files", segments.len())))?;
    let mut message = vec![1, 0, 0, 0]; // version, reserved
    message.put_u16(count);
    message.put_u16(count);
    message.put_u64(heap);
    // The name at offset 0 is empty, as the library has it.
    let mut names = vec![0; 8];
    for segment in segments {
        message.put_u64(names.len() as u64);
        message.put_u64(segment.offset);
        message.put_u64(segment.size.unwrap_or(u64::MAX));
        if segment.file.is_empty() || segment.file.contains('\0') {
            return Err(Error::CannotWrite(format!(
                "`{}` cannot be the name of an external file",
                segment.file.escape_default()
            )));
        }
        names.put(segment.file.as_bytes());
        names.put_u8(0);
        names.pad8();
    }
    let mut bytes = Vec::new();
    bytes.put(b"HEAP");
    bytes.put(&[0; 4]); // version, reserved
    bytes.put_u64(names.len() as u64);
    bytes.put_u64(NO_FREE_SPACE);
    bytes.put_u64(heap + HEAP_HEAD);
    bytes.put(&names);
    Ok((message, bytes))
}
