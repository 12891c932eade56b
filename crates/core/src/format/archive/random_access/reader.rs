//! An archive as a dataset.
//!
//! The schema is that of the original's header, which the classic reader decodes from the original's bytes. Values come from
//! the blocks of the variable's stream. What a stream does not have (overlaps, missing data) comes from the original's bytes.

use std::sync::Arc;

use super::opened::{Archive, Original, OriginalHeader};
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::format::archive::check::check_archive::check;
use crate::format::archive::structure::block::Content;
use crate::format::archive::structure::fields::damaged;
use crate::format::classic::ClassicReader;
use crate::format::{
    ChangingSource, CheckLimits, ChunkPlace, ChunkReader, DecodedCache, EncodedChunk, Extensions, Fault,
    Fetcher, OwnCheck, Reader, Region, StructureCheck, Written, read_ranges, read_region,
};
use crate::model::{ArchiveOrigin, Schema, Storage, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, Object, Requests};

/// An archive that is open for reading.
pub struct ArchiveReader {
    pub(super) archive: Arc<Archive>,
    classic: ClassicReader,
    schema: Schema,
    layouts: Vec<VariableLayout>,
}

impl ArchiveReader {
    /// Opens an archive.
    ///
    /// # Errors
    /// The structure that is damaged.
    pub fn open(source: Arc<dyn Object>) -> Result<Self> {
        Self::of(Archive::open(source)?)
    }

    /// Opens an archive that may be damaged, for a check: what its back should tell is an error where it is needed.
    ///
    /// # Errors
    /// A damaged front.
    pub fn open_damaged(source: Arc<dyn Object>) -> Result<Self> {
        Self::of(Archive::open_damaged(source)?)
    }

    fn of(archive: Archive) -> Result<Self> {
        let archive = Arc::new(archive);
        let original = Arc::new(Original(archive.clone()));
        let classic = ClassicReader::open_by_header(original, &OriginalHeader(&archive.front))?;
        let mut schema = classic.schema().clone();
        let streams = archive.streams();
        if streams.list.len() != schema.vars.len() + 1 {
            return Err(damaged("there is not one stream for each variable"));
        }
        schema.kind = schema.kind.packed().unwrap_or(schema.kind);
        schema.origin = Some(ArchiveOrigin {
            size: streams.original,
            sha256: archive.known_sha256(),
        });
        let layouts = (0..schema.vars.len()).map(|n| {
            let stream = &streams.list[n];
            let mut layout = classic.layout(VarId(n)).clone();
            layout.storage = Storage::Blocks {
                bytes: stream.block.into(),
            };
            layout.filters = stream.filters.list().iter().map(|filter| filter.spec()).collect();
            layout
        });
        let layouts = layouts.collect();
        Ok(Self {
            archive,
            classic,
            schema,
            layouts,
        })
    }

    fn in_variable(&self, var: VarId) -> impl Fn(Error) -> Error {
        move |e| e.in_variable(&self.schema.var_path(var))
    }
}

impl Reader for ArchiveReader {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        &self.layouts[var.0]
    }

    fn written(&self, _: VarId) -> Result<Written> {
        Ok(Written::All)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        let there = self.archive.streams().list[var.0].length().saturating_sub(offset);
        let count = usize::try_from(there).unwrap_or(usize::MAX).min(buf.len());
        let (of_stream, rest) = buf.split_at_mut(count);
        let read = self.archive.read(var.0, offset, of_stream);
        read.map_err(self.in_variable(var))?;
        match rest.is_empty() {
            true => Ok(()),
            false => self.classic.read_range(var, offset + count as u64, rest),
        }
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.classic
            .check_not_truncated(var, region)
            .and_then(|()| read_region::read_region(self, var, region))
            .map_err(self.in_variable(var))
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            fetch: Some(self),
            check: Some(self),
            changes: Some(self),
            cache: Some(self),
            space: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChangingSource for ArchiveReader {
    fn check_unchanged(&self) -> Result<()> {
        self.archive
            .source
            .check_unchanged()
            .map_err(|e| Error::io("cannot read", e))
    }
}

impl ChunkReader for ArchiveReader {
    fn pipeline(&self, _: VarId) -> Result<Arc<Pipeline>> {
        Ok(Pipeline::empty())
    }

    /// Bytes of a stored block, once its index was read.
    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        let index = self.archive.index(var.0).ok()?;
        Some((index.find(chunk).ok()??.stored() - crate::format::archive::structure::block::HEADER) as u64)
    }

    fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace> {
        let entry = self.archive.index(var.0).ok()?.find(chunk).ok()??;
        Some(ChunkPlace::Byte(entry.at))
    }

    /// A block as it is stored. The filter mask is that of the block; a block of one repeated element is plain, and skips all
    /// filters.
    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        let mut read = || {
            let index = self.archive.index(var.0)?;
            let stream = &self.archive.streams().list[var.0];
            let entry = match index.find(chunk)? {
                Some(entry) if chunk < stream.blocks() => entry,
                _ => return Ok(None),
            };
            if let Content::Stored { mask, .. } = entry.content {
                *bytes = self.archive.stored(var.0, &entry)?;
                return Ok(Some(mask.into()));
            }
            *bytes = vec![0; stream.block_length(chunk)];
            self.archive.read(var.0, chunk * u64::from(stream.block), bytes)?;
            Ok(Some(stream.filters.all_skipped().into()))
        };
        read().map_err(self.in_variable(var))
    }
}

impl Fetcher for ArchiveReader {
    fn requests(&self) -> Requests {
        self.archive.source.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        (self as &dyn Reader).read_chunks_in_turn(var, &chunks, done);
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        let length = self.archive.streams().list[var.0].length();
        let all_in_blocks = || {
            ranges
                .iter()
                .all(|range| range.end().is_some_and(|end| end <= length))
        };
        if !self.requests().ahead || !all_in_blocks() {
            return done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)));
        }
        let ranges = ranges
            .iter()
            .map(|range| range.offset..range.offset + range.length as u64);
        let path = self.schema.var_path(var);
        let named = move |found: Result<_>| done(found.map_err(|e| e.in_variable(&path)));
        self.archive
            .clone()
            .fetch(var.0, ranges.collect(), Box::new(named));
    }
}

impl StructureCheck for ArchiveReader {
    fn check_structure(&self, limits: CheckLimits, found: &mut dyn FnMut(Fault)) -> Result<OwnCheck> {
        // The lengths that the original's header needs.
        self.classic.check_structure(limits, found)?;
        let (findings, values) = check(&self.archive.source, limits)?;
        for finding in findings {
            let mut fault = Fault::new(finding.what);
            fault = fault.at_byte(finding.byte);
            if let Some(n) = finding.variable {
                fault = fault.in_variable(&self.schema.var_path(VarId(n)));
            }
            found(match finding.block {
                Some(block) => fault.in_chunk(&[block]),
                None => fault,
            });
        }
        Ok(OwnCheck {
            values: Some(values),
            covers_values: true,
            uncovered: Vec::new(),
            notes: Vec::new(),
            unreferenced: None,
        })
    }
}

impl DecodedCache for ArchiveReader {
    fn keep_at_most(&self, bytes: u64) {
        self.archive.keep_at_most(bytes);
    }

    /// Decoded blocks are dear, so they stay.
    fn forget_metadata(&self) {}

    fn bytes_held(&self) -> u64 {
        0
    }
}
