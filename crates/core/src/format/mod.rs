//! Formats: each stores a schema and chunks in its own way.
//!
//! [`Reader`] and [`Writer`] are what the rest of the program sees. Nothing outside this folder and `location.rs` knows
//! which format is behind them.

pub mod classic;
mod dispatch;
#[cfg(test)]
pub(crate) mod in_memory;
mod interleaved;
pub mod netcdf4;
mod promise;
pub mod read_region;
mod reorder_window;
mod written;

use std::ops::Range;
use std::sync::Arc;

pub use crate::chunk::Region;
use crate::error::{Error, Result};
pub use crate::filter::EncodedChunk;
use crate::filter::{ChunkType, Pipeline, Registry};
use crate::model::{Schema, SharedLayout, Storage, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, Requests};
pub use dispatch::{check, check_plans, create, open};
pub use promise::{Promised, Received};
pub use reorder_window::ReorderWindow;
pub use written::Written;
pub(crate) use written::between_holes;

pub use interleaved::{RecordBlock, RecordLayout, RecordSlab};

/// A dataset that can be read, from many threads at once.
///
/// Chunks are addressed by their number in C order over the grid of chunks that covers [`VariableLayout::extent`].
pub trait Reader: Send + Sync {
    /// The dataset's structure.
    fn schema(&self) -> &Schema;

    /// How a variable is stored.
    fn layout(&self, var: VarId) -> &VariableLayout;

    /// The codecs of a chunked variable, bound to its chunks at the first call and then kept; the pipeline without codecs
    /// for any other variable.
    ///
    /// # Errors
    /// Those of [`Registry::bind`]. A codec that is not known is no error here.
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        match self.layout(var).storage {
            Storage::Chunked { .. } => Err(Error::Internal("this reader binds no codecs".to_owned())),
            _ => Ok(Pipeline::empty()),
        }
    }

    /// What of a variable was ever written. The first call for a chunked variable may read an index from the file; it is
    /// kept (at most 64 bytes a chunk).
    ///
    /// # Errors
    /// What reading the index finds wrong.
    fn written(&self, var: VarId) -> Result<Written>;

    /// How many bytes a stored chunk takes (after filters), as far as that is known without reading anything: after
    /// [`Reader::written`], in a format that has an index.
    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        let _ = (var, chunk);
        None
    }

    /// How the store below the dataset likes to be asked.
    fn requests(&self) -> Requests {
        Requests::LOCAL
    }

    /// Reads many chunks of a chunked variable and hands them to `done`, in the order asked for: as stored, `None` for
    /// one that was never written. Over a slow store it returns at once, and `done` is called from another thread. This
    /// default reads one chunk after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error of a chunk that cannot be read, which names the chunk.
    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        done(
            chunks
                .iter()
                .map(|chunk| self.read_encoded_chunk(var, *chunk))
                .collect(),
        );
    }

    /// Reads many ranges of a contiguous or compact variable, as [`Reader::read_range`] does, and hands them to `done`, in
    /// the order asked for. Over a slow store it returns at once. This default reads one range after another before it
    /// returns.
    ///
    /// # Errors
    /// `done` receives the error of a range that cannot be read.
    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        let read = |range: &ByteRange| {
            let mut bytes = Vec::new();
            crate::chunk::resize(&mut bytes, range.length)?;
            self.read_range(var, range.offset, &mut bytes)?;
            Ok(bytes)
        };
        done(ranges.iter().map(read).collect());
    }

    /// One chunk of a chunked variable, as stored; `None` where it was never written (reads as fill).
    fn read_encoded_chunk(&self, var: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
        let _ = (var, chunk);
        Ok(None)
    }

    /// As [`Reader::read_encoded_chunk`], into a buffer whose memory is used again: its earlier content is lost. Returns the
    /// filter mask.
    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        Ok(self.read_encoded_chunk(var, chunk)?.map(|data| {
            *bytes = data.bytes;
            data.filter_mask
        }))
    }

    /// Fills `buf` with the storage of a contiguous or compact variable from byte `offset` on, the elements of its extent
    /// being in C order without gaps (a classic record variable too). Never called where nothing was
    /// [written](Reader::written).
    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()>;

    /// How the record variables are interleaved; `None` where the storage of each variable is apart from the others'. Variables
    /// that are not in it, record variables among them, are read one by one.
    fn record_layout(&self) -> Option<RecordLayout> {
        None
    }

    /// Fills `buf` with one part of consecutive records, from record `first` on: the bytes `part` of each record of the
    /// [`Reader::record_layout`], one after another. Bytes that no slab covers may be anything. Called only where there is a
    /// layout.
    ///
    /// # Errors
    /// Where the part does not lie within a record, or `buf` holds more records than there are or a fraction of one; and
    /// where the records cannot be read.
    fn read_records(&self, first: u64, part: Range<u64>, buf: &mut [u8]) -> Result<()> {
        let _ = (first, part, buf);
        Err(Error::Internal("variables that are not interleaved".into()))
    }

    /// The elements of a region of any variable as [`Values`], decoded; fill where nothing was written, also past the
    /// variable's own extent. The region lies within the lengths of the variable's *dimensions*.
    fn read_region(&self, var: VarId, region: &Region) -> Result<Values>;
}

/// What a [`Writer`] must know of one variable before the first byte is written.
#[derive(Debug, Clone, PartialEq)]
pub struct VariablePlan {
    /// How it is to be stored; `element_size` and `encoding` are those of [`Schema::storage_encoding`].
    pub layout: SharedLayout,
    /// The codecs of a chunked variable, bound to its chunks; the pipeline without codecs for any other variable.
    pub pipeline: Arc<Pipeline>,
    /// How much will be written. A writer refuses to finish where something else came.
    pub promised: Promised,
    /// Whether a variable in no-fill mode stays in it where parts of it are not written, which other programs then read
    /// as anything. Else these parts are given zeros to read as.
    pub keeps_no_fill: bool,
}

impl VariablePlan {
    /// A variable of the output stored as `layout`, with its codecs bound. Missing parts get a fill value to read as.
    ///
    /// # Errors
    /// Those of [`Registry::bind`].
    pub fn new(
        schema: &Schema,
        var: VarId,
        layout: impl Into<SharedLayout>,
        promised: Promised,
        registry: &Registry,
    ) -> Result<Self> {
        let layout = layout.into();
        let pipeline = match &layout.storage {
            Storage::Chunked { shape } => {
                let chunk = ChunkType::new(schema, schema.var(var).ty, &layout, shape);
                Arc::new(registry.bind(&layout.filters, &chunk)?)
            }
            _ => Pipeline::empty(),
        };
        Ok(Self {
            layout,
            pipeline,
            promised,
            keeps_no_fill: false,
        })
    }
}

/// A dataset being written, from many threads at once. Made by [`create`].
///
/// Chunked variables: each piece of data bears a ticket. Tickets are dense from 0 over the whole dataset, and addresses in the
/// file are handed out in the order of tickets, whatever the order of the calls, so that the same plan gives the same
/// bytes. A writer may hold pieces that come early until their turn; the caller bounds how far ahead it runs. A call never
/// waits for another ticket. The chunks of a shard bear consecutive tickets, so a writer can append them as they come.
pub trait Writer: Send + Sync {
    /// One encoded chunk of a chunked variable.
    fn write_encoded_chunk(&self, ticket: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()>;

    /// Part of the storage of a contiguous, compact or classic variable from byte `offset` on: elements of the extent
    /// in C order without gaps, in the layout's byte order. Takes no ticket: its place is known beforehand.
    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()>;

    /// Whether records of this variable can be written by [`Writer::write_records`]: those of several variables lie
    /// side by side in this output, so that writing them together saves work.
    fn interleaves(&self, var: VarId) -> bool {
        let _ = var;
        false
    }

    /// Consecutive records of several variables, each of which [`Writer::interleaves`], in the layouts' byte order. The
    /// same as a [`Writer::write_range`] for each variable.
    fn write_records(&self, records: RecordBlock) -> Result<()> {
        let _ = records;
        Err(Error::Internal("variables that are not interleaved".into()))
    }

    /// Elements of a variable whose encoding is `Structured`: exactly one chunk (clipped to the extent) of a chunked
    /// variable; of a contiguous or compact one, any region whose elements follow each other in C order without gaps. The
    /// format encodes them, heap and filters included.
    fn write_values(&self, ticket: u64, var: VarId, region: &Region, values: Values) -> Result<()>;

    /// How many bytes the values of a variable take that [`Writer::write_values`] encoded: after filters, without the data
    /// that elements refer to. Asked after the last piece. `None` where the writer does not count.
    fn stored_values(&self, var: VarId) -> Option<u64> {
        let _ = var;
        None
    }

    /// Completes the file and makes it appear under its name, whole. Dropping a writer instead leaves nothing.
    fn finish(self: Box<Self>) -> Result<()>;
}
