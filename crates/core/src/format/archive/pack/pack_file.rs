//! Packing: a classic file becomes an archive.
//!
//! ```text
//! file ─► header ─► streams ─► samples ─► filters ─► front
//!      └► scan ─► jobs ─► encode (all threads) ─► emit, in the order of sequence numbers ─► back
//! ```

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::choose_filters::choose;
use super::emit::{Emitter, Encoded};
use super::plan::{Blocks, streams};
use super::scan::{Job, Scan};
use crate::error::{Error, Result};
use crate::format::archive::shares::Shares;
use crate::format::archive::structure::fields::crc32;
use crate::format::archive::structure::filter::Scratch;
use crate::format::archive::structure::front;
use crate::format::archive::structure::streams::{Stream, Streams};
use crate::format::classic::FileMap;
use crate::store::{Object, Output, known_size};
use crate::threads;

/// The options of packing.
#[derive(Debug, Clone, Default)]
pub struct PackOptions {
    /// The blocks of each variable, in the order of the header. Variables past the end have the default.
    pub variables: Vec<Blocks>,
    /// The blocks of all bytes that belong to no variable.
    pub rest: Blocks,
    /// Threads to work with; 0 means one.
    pub threads: usize,
    /// Most bytes of memory for data; `None` for as much as is useful. Very little memory makes more passes over interleaved
    /// variables, so that blocks come in another order.
    pub memory: Option<u64>,
}

/// What packing or restoring did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// Bytes of the original.
    pub original: u64,
    /// Bytes of the archive.
    pub archive: u64,
    /// The SHA-256 of the original.
    pub sha256: [u8; 32],
}

/// Packs a classic file. The output is not committed.
///
/// # Errors
/// If the header of the file is damaged, or reading or writing fails.
pub fn pack(source: &dyn Object, output: &dyn Output, options: &PackOptions) -> Result<Packed> {
    let map = FileMap::read(source)?;
    let size = known_size(source)?;
    let mut blocks = options.variables.clone();
    blocks.resize(map.variables.len(), Blocks::default());
    blocks.push(options.rest.clone());
    blocks.iter().try_for_each(Blocks::check)?;
    let mut streams = streams(&map, size, &blocks)?;
    let auto: Vec<usize> = (0..streams.list.len())
        .filter(|n| blocks[*n].filters.is_none() && streams.list[*n].count > 0)
        .collect();
    let shares = shares(&streams, options);
    choose(source, &mut streams, &auto, shares.threads)?;

    let mut header = vec![0; usize::try_from(map.header).unwrap_or(usize::MAX)];
    let read = source.read_exact_at(0, &mut header);
    read.map_err(|e| Error::io("cannot read the header", e))?;
    let front = front::encode(map.version, &header, &streams)?;
    let emitter = Emitter::new(output, front, streams.list.len(), &shares);
    let scan = Mutex::new((Scan::new(source, &streams, &header, shares.open), VecDeque::new()));
    let failure = Mutex::new(None);
    threads::on_all(shares.threads, |_, _| {
        let mut scratch = Scratch::default();
        let mut work = || -> Result<()> {
            while let Some(job) = next(&scan)? {
                emitter.wait(job.sequence)?;
                let encoded = encode(&streams.list[job.stream], &job.data, &mut scratch)?;
                emitter.submit(job.sequence, job.stream, job.number, encoded)?;
                lock(&scan).0.recycle(job.data);
            }
            Ok(())
        };
        if let Err(error) = work() {
            // The first failure is the cause of the others, which it ends.
            lock(&failure).get_or_insert(error);
            emitter.fail();
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let (scan, _) = scan.into_inner().unwrap_or_else(PoisonError::into_inner);
    let sha256 = scan.sha();
    let archive = emitter.finish(sha256)?;
    Ok(Packed {
        original: size,
        archive,
        sha256,
    })
}

/// What the blocks of these streams leave of the memory.
pub(crate) fn shares(streams: &Streams, options: &PackOptions) -> Shares {
    Shares::of(options.memory, options.threads, streams.longest_block())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next block to encode; `None` at the end.
fn next(scan: &Mutex<(Scan, VecDeque<Job>)>) -> Result<Option<Job>> {
    let mut scan = lock(scan);
    let (scan, jobs) = &mut *scan;
    while jobs.is_empty() {
        if !scan.step(jobs)? {
            return Ok(None);
        }
    }
    Ok(jobs.pop_front())
}

/// Encodes a block.
pub(crate) fn encode(stream: &Stream, data: &[u8], scratch: &mut Scratch) -> Result<Encoded> {
    if let Some(element) = repeated(stream.element as usize, data) {
        return Ok(Encoded::Repeated(element));
    }
    let (stored, mask) = stream.filters.encode(stream.element as usize, data, scratch)?;
    Ok(Encoded::Stored {
        crc: crc32(stored),
        mask,
        bytes: stored.to_vec(),
    })
}

/// The element that a block repeats, padded with zeros; `None` if its elements differ.
fn repeated(size: usize, data: &[u8]) -> Option<[u8; 8]> {
    let first = data.get(..size)?;
    if !data.len().is_multiple_of(size) || data[size..] != data[..data.len() - size] {
        return None;
    }
    let mut element = [0; 8];
    element.get_mut(..size)?.copy_from_slice(first);
    Some(element)
}
