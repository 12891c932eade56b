//! Archive to archive.

use std::io::{Read, Write};
use std::sync::Arc;

use super::choose_filters::choose;
use super::emit::Emitter;
use super::order::Order;
use super::pack_file::{PackOptions, Packed, Worker, shares};
use super::plan::Blocks as Asked;
use crate::chunk::resize;
use crate::error::{Error, Result};
use crate::format::archive::random_access::opened::{Archive, Original};
use crate::format::archive::restore::blocks::{Blocks, stream_of};
use crate::format::archive::shares::Shares;
use crate::format::archive::stream_names::in_variable;
use crate::format::archive::structure::filter::Filters;
use crate::format::archive::structure::front;
use crate::store::{Object, Output, SequentialOutput};
use crate::threads::in_order;

/// What a copy of an archive keeps, and what it changes, of one variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Another length of blocks, in bytes.
    pub length: Option<u32>,
    /// Other filters; `Some(None)` to choose them anew.
    pub filters: Option<Option<Filters>>,
}

/// Copies an archive. Where no stream changes, its blocks pass as they are, and are checked. Otherwise all threads decode and
/// encode blocks, and the bytes are those of packing the original with these options. `changes` has one entry for each
/// variable, and last that of the rest. `memory` is the limit of memory for data, in bytes. The output is not committed.
///
/// # Errors
/// If the archive is damaged, or reading or writing fails.
pub fn repack(
    source: &Arc<dyn Object>,
    output: &dyn Output,
    changes: &[Change],
    threads: usize,
    memory: Option<u64>,
) -> Result<Packed> {
    let archive = Arc::new(Archive::open(source.clone())?);
    if let Some(memory) = memory {
        archive.keep_at_most(memory / 8);
    }
    let list = &archive.streams().list;
    let asked: Vec<Asked> = list
        .iter()
        .zip(
            changes
                .iter()
                .cloned()
                .chain(std::iter::repeat(Change::default())),
        )
        .map(|(stream, change)| Asked {
            length: change.length.unwrap_or(stream.block),
            filters: change.filters.unwrap_or_else(|| Some(stream.filters.clone())),
        })
        .collect();
    let same = asked.iter().zip(list).all(|(asked, stream)| {
        let length = asked.length / stream.element * stream.element;
        length.max(stream.element) == stream.block && asked.filters.as_ref() == Some(&stream.filters)
    });
    if same {
        return pass(source, output, Shares::index(memory));
    }
    let options = PackOptions {
        threads,
        memory,
        ..PackOptions::default()
    };
    refilter(&archive, &asked, output, &options)
}

/// Encodes all blocks anew, in the order of packing.
fn refilter(
    archive: &Arc<Archive>,
    asked: &[Asked],
    output: &dyn Output,
    options: &PackOptions,
) -> Result<Packed> {
    let front = &archive.front;
    let mut streams = front.streams.clone();
    let mut auto = Vec::new();
    for (n, (stream, asked)) in streams.list.iter_mut().zip(asked).enumerate() {
        asked.check()?;
        stream.block = (asked.length / stream.element * stream.element).max(stream.element);
        match &asked.filters {
            Some(filters) => stream.filters = filters.clone(),
            None if stream.count > 0 => auto.push(n),
            None => stream.filters = Filters::default(),
        }
    }
    let shares = shares(&streams, options);
    choose(&Original(archive.clone()), &mut streams, &auto, shares.threads)?;
    let sha256 = archive.sha256()?;
    let encoded = front::encode(front.prelude.kind, &front.header, &streams)?;
    let mut emitter = Emitter::begin(output, &encoded, streams.list.len(), shares.index)?;
    let mut order = Order::new(&streams, shares.open);
    in_order(
        shares.threads,
        shares.ahead,
        || Ok(Worker::default()),
        |_| Ok(order.next()),
        |worker, (stream, number)| {
            let of = &streams.list[stream];
            resize(&mut worker.data, of.block_length(number))?;
            let read = archive.read(stream, number * u64::from(of.block), &mut worker.data);
            read.map_err(|error| in_variable(front, stream, error))?;
            worker.encode(&streams, stream, number)
        },
        |block| emitter.put(block),
    )?;
    Ok(Packed {
        original: streams.original,
        archive: emitter.finish(sha256)?,
        sha256,
    })
}

/// Copies the bytes of an archive, and checks each structure and block on the way.
fn pass(source: &Arc<dyn Object>, output: &dyn Output, memory: u64) -> Result<Packed> {
    let mut copied = Copied {
        input: stream_of(source)?,
        output: SequentialOutput::new(output),
    };
    let mut blocks = Blocks::open(&mut copied, memory)?;
    let original = blocks.front.streams.original;
    let mut stored = Vec::new();
    while let Some(header) = blocks.next(&mut stored)? {
        let checked = header.check_stored(&stored);
        checked.map_err(|error| in_variable(&blocks.front, header.stream as usize, error))?;
    }
    let (archive, sha256) = blocks.finish()?;
    copied.output.flush().map_err(|e| Error::io("cannot write", e))?;
    Ok(Packed {
        original,
        archive,
        sha256,
    })
}

/// Writes what is read.
struct Copied<'a, R> {
    input: R,
    output: SequentialOutput<'a>,
}

impl<R: Read> Read for Copied<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buf)?;
        self.output.write_all(&buf[..count])?;
        Ok(count)
    }
}
