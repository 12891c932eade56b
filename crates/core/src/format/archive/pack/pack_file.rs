//! Packing: a classic file becomes an archive.
//!
//! ```text
//! file ─► header ─► streams ─► samples ─► filters ─► front
//!      └► scan ─► blocks ─► encode (all threads) ─► emit, in the order of the scan ─► back
//! ```

use super::choose_filters::choose;
use super::emit::{Emitter, EncodedBlock};
use super::plan::{Blocks, streams};
use super::scan::Scan;
use crate::error::{Error, Result};
use crate::format::archive::shares::Shares;
use crate::format::archive::structure::block::{Content, Header};
use crate::format::archive::structure::fields::crc32;
use crate::format::archive::structure::filter::Scratch;
use crate::format::archive::structure::front;
use crate::format::archive::structure::streams::Streams;
use crate::format::classic::FileMap;
use crate::store::{Object, Output, known_size};
use crate::threads::in_order;

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
    let mut emitter = Emitter::begin(output, &front, streams.list.len(), shares.index)?;
    let mut scan = Scan::new(source, &streams, &header, shares.open);
    in_order(
        shares.threads,
        shares.ahead,
        || Ok(Worker::default()),
        |worker| {
            scan.recycle(std::mem::take(&mut worker.data));
            scan.next()
        },
        |worker, block| {
            worker.data = block.data;
            worker.encode(&streams, block.stream, block.number)
        },
        |block| emitter.put(block),
    )?;
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

/// What a thread that encodes blocks keeps.
#[derive(Default)]
pub(crate) struct Worker {
    scratch: Scratch,
    /// The block.
    pub data: Vec<u8>,
}

impl Worker {
    /// Encodes the block, which has this number in its stream.
    pub fn encode(&mut self, streams: &Streams, stream: usize, number: u64) -> Result<EncodedBlock> {
        let of = &streams.list[stream];
        let header = |content| Header {
            stream: stream as u32,
            number,
            content,
        };
        if let Some(element) = repeated(of.element as usize, &self.data) {
            return Ok(EncodedBlock {
                header: header(Content::Repeated { element, run: 1 }),
                stored: Vec::new(),
            });
        }
        let (stored, mask) = of
            .filters
            .encode(of.element as usize, &self.data, &mut self.scratch)?;
        Ok(EncodedBlock {
            header: header(Content::Stored {
                length: stored.len() as u32,
                mask,
                crc: crc32(stored),
            }),
            stored: stored.to_vec(),
        })
    }
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
