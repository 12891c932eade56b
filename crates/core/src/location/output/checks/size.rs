//! The size of an output, as far as it is known before it is written: an output that no disk holds is refused, and a remote store wants
//! larger parts of larger objects.

use std::io;
use std::path::Path;

use crate::chunk::byte_count;
use crate::error::{Error, Result};
use crate::format::{Promised, VariablePlan};
use crate::location::Location;

/// How many times as large as its file system an output may be. Some file systems compress.
const COMPRESSED: u64 = 16;

/// Size in bytes up to which no output is refused.
const ALWAYS: u64 = 1 << 40;

/// Bytes of an object that hold no data, as far as is known beforehand.
const METADATA: u64 = 1 << 20;

impl Location {
    /// Refuses data without filters that is many times as large as the file system of a local output. A header of some bytes
    /// can claim any length.
    ///
    /// # Errors
    /// The size of the data, and that of the file system.
    pub(crate) fn check_room(&self, plans: &[VariablePlan]) -> Result<()> {
        let Some(path) = self.path() else {
            return Ok(());
        };
        let needed = plans.iter().map(plain_size).fold(0, u64::saturating_add);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let Some(size) = size_of_file_system(folder.unwrap_or(Path::new("."))) else {
            return Ok(());
        };
        match needed > size.saturating_mul(COMPRESSED).max(ALWAYS) {
            true => Err(Error::io(
                "cannot create",
                io::Error::new(
                    io::ErrorKind::StorageFull,
                    format!(
                        "the output needs {needed} bytes, and its file system has {size}; nccopy -d 1, or _DeflateLevel in CDL, leaves out what was never written"
                    ),
                ),
            )
            .in_file(self.name())),
            false => Ok(()),
        }
    }
}

/// Bytes of a variable that are written without filters.
fn plain_size(plan: &VariablePlan) -> u64 {
    match plan.promised {
        Promised::Nothing => 0,
        Promised::Bytes(bytes) => bytes,
        Promised::Chunks(_) if !plan.layout.filters.is_empty() => 0,
        Promised::Chunks(chunks) => {
            let chunk = byte_count(plan.layout.chunk_shape(), plan.layout.stored_size());
            chunk.map_or(u64::MAX, |bytes| chunks.saturating_mul(bytes as u64))
        }
    }
}

fn size_of_file_system(folder: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(folder).ok()?;
    space.f_blocks.checked_mul(space.f_frsize)
}

/// The size in bytes that one file with these variables has at most, roughly. `None` if nobody can know.
pub(in crate::location) fn expected_size(plans: &[VariablePlan]) -> Option<u64> {
    plans.iter().try_fold(METADATA, |sum: u64, plan| {
        let layout = &plan.layout;
        let elements = match plan.promised {
            Promised::Nothing => Some(0),
            Promised::Bytes(bytes) => return sum.checked_add(bytes),
            Promised::Chunks(chunks) => layout
                .chunk_shape()
                .iter()
                .try_fold(chunks, |n, length| n.checked_mul(*length)),
        };
        let bytes = elements?.checked_mul(layout.stored_size() as u64)?;
        // A codec makes noise a little longer.
        sum.checked_add(bytes)?.checked_add(bytes / 64)
    })
}
