//! Restoring: an archive is read front to back, and becomes its original again.
//!
//! A pipe will do. The output is committed by the caller, after the SHA-256 was compared here.

use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::assemble::{Assembly, RestoreJob};
use super::blocks::{Blocks, stream_of};
use crate::error::{Error, Result};
use crate::format::archive::pack::pack_file::Packed;
use crate::format::archive::shares::Shares;
use crate::format::archive::stream_names::in_variable;
use crate::format::archive::structure::fields::{damaged, truncated_front};
use crate::format::archive::structure::front::{MAGIC, PRELUDE, Prelude};
use crate::model::Kind;
use crate::store::{Object, Output};

/// The kind of an archive that comes as a stream, and the whole stream. Reads the first bytes alone.
///
/// # Errors
/// [`Error::UnknownFormat`] if it is no archive. The beginning is damaged, or cannot be read.
pub fn kind_of_stream<R: Read + Send>(mut input: R) -> Result<(Kind, impl Read + Send)> {
    let mut bytes = Vec::with_capacity(PRELUDE);
    let read = input.by_ref().take(PRELUDE as u64).read_to_end(&mut bytes);
    read.map_err(|e| Error::io("cannot read", e))?;
    if !bytes.starts_with(&MAGIC) {
        return Err(Error::UnknownFormat);
    }
    if bytes.len() < PRELUDE {
        return Err(truncated_front());
    }
    let kind = match Prelude::decode(&bytes)?.kind {
        1 => Kind::ClassicArchive,
        2 => Kind::Offset64Archive,
        _ => Kind::Data64Archive,
    };
    Ok((kind, Cursor::new(bytes).chain(input)))
}

/// Restores the original of an archive that is an object. A pipe is read as it comes. See [`restore`].
///
/// # Errors
/// Those of [`restore`].
pub fn restore_object(
    object: &Arc<dyn Object>,
    output: &dyn Output,
    threads: usize,
    memory: Option<u64>,
) -> Result<Packed> {
    restore(stream_of(object)?, output, threads, memory)
}

/// Restores the original of an archive. The output must be new, so that what is not written reads as zeros. It is not
/// committed. `memory` is the limit of memory for data, in bytes; `None` for as much as is useful.
///
/// # Errors
/// If the archive is damaged in any way, if the SHA-256 differs, or reading or writing fails.
pub fn restore(
    input: impl Read + Send,
    output: &dyn Output,
    threads: usize,
    memory: Option<u64>,
) -> Result<Packed> {
    let blocks = Blocks::open(input, Shares::index(memory))?;
    let streams = &blocks.front.streams;
    let (original, lengths) = (streams.original, streams.longest_block());
    let cannot = |e| Error::io("cannot write", e);
    output.set_size(original).map_err(cannot)?;
    // The stream of a block that is damaged.
    let bad = Mutex::new(None);
    let assembly = Assembly {
        output,
        shares: Shares::of(memory, threads, lengths),
        bad: &|job: &RestoreJob, error| {
            *bad.lock().unwrap_or_else(PoisonError::into_inner) = Some(job.header.stream as usize);
            Err(error)
        },
        hashed: &|_| {},
        lag: u64::MAX,
        part: u64::MAX,
    };
    let (blocks, found) = assembly.run(blocks);
    let bad = bad.into_inner().unwrap_or_else(PoisonError::into_inner);
    let found = found.map_err(|error| match bad {
        Some(stream) => in_variable(&blocks.front, stream, error),
        None => error,
    })?;
    let (archive, sha256) = blocks.finish()?;
    match found == Some(sha256) {
        true => Ok(Packed {
            original,
            archive,
            sha256,
        }),
        false => Err(damaged(
            "the SHA-256 of what was restored is not that of the original",
        )),
    }
}
