//! The names of a zip file's entries, of which there are two: in the directory and in the local headers.
//!
//! A reader looks a key up in the directory. Where a byte of a name there is another one, the key is not found, and reads as a value
//! that was never written.

use std::io;
use std::sync::Arc;

use crate::requests::requests::awaited;
use crate::zip::zip_directory::each_header;
use crate::zip::zip_records::{ENCRYPTED, LOCAL, LocalHeader};
use crate::{ByteRange, Object};
use ncutils_model::error::{Error, Result};

/// Local headers that are asked for at once.
const BATCH: usize = 1024;

/// Compares the names of all entries in the directory with those in their local headers. Tells each that differs to `found`.
///
/// # Errors
/// If the directory cannot be read, or the object fails.
pub(crate) fn check_names(object: &Arc<dyn Object>, found: &mut dyn FnMut(String)) -> Result<()> {
    let mut named: Vec<(Vec<u8>, u64)> = Vec::new();
    let end = each_header(&**object, |name, header| {
        // The local header of an encrypted entry may hold another name.
        if header.flags & ENCRYPTED == 0 {
            named.push((name.to_vec(), header.offset));
        }
        Ok(())
    })?;
    for batch in named.chunks(BATCH) {
        let range = |(name, offset): &(Vec<u8>, u64)| ByteRange {
            offset: *offset,
            length: usize::try_from(end.saturating_sub(*offset))
                .unwrap_or(usize::MAX)
                .min(LOCAL + name.len()),
        };
        let ranges: Vec<ByteRange> = batch.iter().map(range).collect();
        let headers = awaited(|done| Arc::clone(object).fetch(ranges, done))
            .unwrap_or_else(|| Err(io::ErrorKind::Interrupted.into()))
            .map_err(|error| Error::io("cannot read", error))?;
        for ((name, offset), bytes) in batch.iter().zip(headers) {
            let Some(header) = LocalHeader::parse(&bytes) else {
                found(format!("the zip's entry {} has no local header", shown(name)));
                continue;
            };
            let local = &bytes[LOCAL..];
            if usize::from(header.name) != name.len() || local != name {
                let local = &local[..local.len().min(header.name.into())];
                found(format!(
                    "the zip's entry {} is called {} by its local header at byte {offset}",
                    shown(name),
                    shown(local),
                ));
            }
        }
    }
    Ok(())
}

/// A name for a message.
fn shown(name: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(name))
}
