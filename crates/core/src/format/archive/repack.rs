//! Archive to archive.

use std::io::Read;
use std::sync::Arc;

use super::filter::Filters;
use super::opened::{Archive, Original};
use super::pack::{PackOptions, Packed, pack};
use super::plan::Blocks as Asked;
use super::restore::Blocks;
use crate::error::{Error, Result};
use crate::store::{Object, Output, object_stream};

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// What a copy of an archive keeps, and what it changes, of one variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Another length of blocks, in bytes.
    pub length: Option<u32>,
    /// Other filters; `Some(None)` to choose them anew.
    pub filters: Option<Option<Filters>>,
}

/// Copies an archive. Where no stream changes, its blocks pass as they are, and are checked. Otherwise the original is packed
/// with these options. `changes` has one entry for each variable, and last that of the rest. The output is not committed.
///
/// # Errors
/// If the archive is damaged, or reading or writing fails.
pub fn repack(
    source: &Arc<dyn Object>,
    output: &dyn Output,
    changes: &[Change],
    threads: usize,
) -> Result<Packed> {
    let archive = Arc::new(Archive::open(source.clone())?);
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
        return pass(source, output);
    }
    let (rest, variables) = asked.split_last().ok_or(Error::UnknownFormat)?;
    let options = PackOptions {
        variables: variables.to_vec(),
        rest: rest.clone(),
        threads,
    };
    pack(&Original(archive), output, &options)
}

/// Copies the bytes of an archive, and checks each structure and block on the way.
fn pass(source: &Arc<dyn Object>, output: &dyn Output) -> Result<Packed> {
    let mut copied = Copied {
        input: object_stream(source.clone())?,
        output,
        at: 0,
        buffer: Vec::with_capacity(BUFFER),
    };
    let mut blocks = Blocks::open(&mut copied)?;
    let original = blocks.front.streams.original;
    let mut stored = Vec::new();
    while let Some(header) = blocks.next(&mut stored)? {
        header.check_stored(&stored)?;
    }
    let (archive, sha256) = blocks.finish()?;
    copied.flush().map_err(|e| Error::io("cannot write", e))?;
    Ok(Packed {
        original,
        archive,
        sha256,
    })
}

/// Writes what is read.
struct Copied<'a, R> {
    input: R,
    output: &'a dyn Output,
    at: u64,
    buffer: Vec<u8>,
}

impl<R> Copied<'_, R> {
    fn flush(&mut self) -> std::io::Result<()> {
        self.output.write_all_at(self.at, &self.buffer)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl<R: Read> Read for Copied<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buf)?;
        self.buffer.extend_from_slice(&buf[..count]);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(count)
    }
}
