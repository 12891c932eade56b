//! File formats. Each stores a schema and chunks in its own way.
//!
//! The rest of the program sees only [`Reader`] and [`Writer`]. Nothing outside this folder and `location/`
//! knows which format is behind them.

pub mod archive;
pub mod classic;
mod dispatch;
mod fault;
#[cfg(test)]
pub(crate) mod in_memory;
mod interleaved;
pub mod netcdf4;
mod promise;
pub mod range_list;
mod read_ranges;
pub mod read_region;

mod written;
pub mod zarr;

use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::chunk::ChunkGrid;
pub use crate::chunk::Region;
use crate::error::{Error, Result};
pub use crate::filter::EncodedChunk;
use crate::filter::{ChunkType, Pipeline, Registry};
use crate::model::{CodecSpec, ExternalPart, Schema, SharedLayout, Storage, Values, VarId, VariableLayout};
pub use crate::store::ReorderWindow;
use crate::store::{ByteRange, Done, NamedAs, Requests};
pub(crate) use dispatch::is_read_as_it_comes;
pub use dispatch::{check, check_plans, create, create_with, open, open_damaged, open_with, warnings};
pub use fault::{CheckLimits, Fault, OwnCheck, ReadValues};
pub use promise::{Promised, Received};
pub(crate) use read_ranges::{read_ranges, read_some_records};
pub(crate) use written::between_holes;
pub use written::{Written, WrittenChunks};

pub use interleaved::{RecordBlock, RecordLayout, RecordSlab};

/// A dataset that is open for reading, from many threads at once.
///
/// A chunk's number counts in C order over the grid of chunks that covers [`VariableLayout::extent`].
pub trait Reader: Send + Sync {
    /// The structure of the dataset.
    fn schema(&self) -> &Schema;

    /// The storage of a variable.
    fn layout(&self, var: VarId) -> &VariableLayout;

    /// Looks at what a variable lies in, if it lies in other datasets. [`Reader::layout`] and [`Reader::written`] tell more
    /// of such a variable afterwards: chunks and filters that all sources share. Called before all data of a variable is
    /// read, and before anything relies on its layout.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    fn look_at_sources(&self, var: VarId) -> Result<()> {
        let _ = var;
        Ok(())
    }

    /// Like [`Reader::look_at_sources`], for a variable of which only a part will be read. A source is opened if it fills
    /// a region for which `needs` is true. Elements of the other sources count as written.
    ///
    /// # Errors
    /// Those of [`Reader::look_at_sources`], for sources that are needed.
    fn look_at_needed_sources(&self, var: VarId, needs: &(dyn Fn(&Region) -> bool + Sync)) -> Result<()> {
        let _ = needs;
        self.look_at_sources(var)
    }

    /// True if a variable lies in other datasets.
    fn is_virtual(&self, var: VarId) -> bool {
        let _ = var;
        false
    }

    /// The elements of a region as far as they can be read, of a variable that lies in other datasets. Calls `lost` for each
    /// box that holds elements which cannot be read.
    ///
    /// # Errors
    /// If nothing can be read. Those of [`Reader::read_region`] for a variable that lies in no other dataset.
    fn read_region_left(
        &self,
        var: VarId,
        region: &Region,
        lost: &mut dyn FnMut(Region, Error),
    ) -> Result<Values> {
        let _ = lost;
        self.read_region(var, region)
    }

    /// From now on, elements of other datasets that cannot be read are fill values. Called once what is lost is known.
    fn lose_unreadable(&self) {}

    /// The other files that the dataset refers to, each looked up and not opened.
    fn source_files(&self) -> Vec<SourceFile> {
        Vec::new()
    }

    /// Warnings about data that was read so far: sources of virtual variables that were missing. One for each variable.
    fn data_warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The codecs of a chunked variable, bound to its chunks at the first call and kept. For any other
    /// variable, the empty pipeline.
    ///
    /// # Errors
    /// The errors of [`Registry::bind`]. An unknown codec is not an error here.
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        match self.layout(var).storage {
            Storage::Chunked { .. } => Err(Error::Internal("this reader binds no codecs".to_owned())),
            _ => Ok(Pipeline::empty()),
        }
    }

    /// The parts of a variable that were ever written. The first call for a chunked variable may read a chunk
    /// index from the file and keep it (at most 64 bytes per chunk).
    ///
    /// # Errors
    /// If the chunk index cannot be read or is damaged.
    fn written(&self, var: VarId) -> Result<Written>;

    /// Bytes of a stored chunk (after filters), if known without reading. In a format with a chunk index,
    /// that is after [`Reader::written`].
    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        let _ = (var, chunk);
        None
    }

    /// Position of a stored chunk in its file, in bytes, for messages. `None` if it is not known, or the chunk is in no
    /// file. In a format with a chunk index, it is known after [`Reader::written`].
    fn chunk_byte(&self, var: VarId, chunk: u64) -> Option<u64> {
        let _ = (var, chunk);
        None
    }

    /// Keeps at most `bytes` bytes of decoded data for later reads, and about as many of indexes. It is called before anything is
    /// read. Readers that keep little ignore it.
    fn keep_at_most(&self, bytes: u64) {
        let _ = bytes;
    }

    /// Checks what is the format's own: checksums of its structures, indexes, lengths, addresses. Tells each fault to
    /// `found`, and goes on after it. The values are checked by the caller, who decodes every chunk, unless the answer says
    /// that this check has read them. `limits` are for a check that reads values.
    ///
    /// # Errors
    /// If the dataset cannot be read at all.
    fn check_structure(&self, limits: CheckLimits, found: &mut dyn FnMut(Fault)) -> Result<OwnCheck> {
        let _ = limits;
        for fault in &self.schema().faults {
            found(Fault::new(fault));
        }
        Ok(OwnCheck::default())
    }

    /// The key whose value holds a chunk, for messages; `None` where chunks have no keys.
    fn chunk_key(&self, var: VarId, chunk: u64) -> Option<String> {
        let _ = (var, chunk);
        None
    }

    /// Adds the key of a chunk to an error in its bytes.
    fn in_chunk_key(&self, var: VarId, chunk: u64, error: Error) -> Error {
        match self.chunk_key(var, chunk) {
            Some(key) => error.in_key(&key),
            None => error,
        }
    }

    /// The codec that turns the elements of a variable into bytes, before the filters of its layout. `None` if elements
    /// are bytes in themselves. The layout's filters do not contain it: [`Reader::read_region`] applies it.
    fn element_codec(&self, var: VarId) -> Option<&CodecSpec> {
        let _ = var;
        None
    }

    /// The requests that suit the store below the dataset best.
    fn requests(&self) -> Requests {
        Requests::LOCAL
    }

    /// Reads many chunks of a chunked variable and passes them to `done`, in the requested order. Chunks are
    /// as stored; `None` stands for one that was never written. Over a slow store this returns at once, and
    /// another thread calls `done`. This default reads one chunk after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error if a chunk cannot be read. The error names the chunk, unless the store does not
    /// tell which of several requests failed.
    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let layout = self.layout(var);
        let grid = match ChunkGrid::new(&layout.extent, layout.chunk_shape()) {
            Ok(grid) => grid,
            Err(e) => return done(Err(e)),
        };
        let read = |chunk: &u64| {
            let read = self.read_encoded_chunk(var, *chunk);
            read.map_err(|e| e.in_chunk(&grid.coordinates(*chunk)))
        };
        done(chunks.iter().map(read).collect());
    }

    /// Reads many ranges of a contiguous or compact variable, as [`Reader::read_range`] does, and passes them
    /// to `done`, in the requested order. Over a slow store this returns at once. This default reads one
    /// range after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error if a range cannot be read.
    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        done(read_ranges(self, var, &ranges));
    }

    /// One chunk of a chunked variable, as stored. `None` if it was never written (it reads as fill values).
    /// This default is for readers without chunked variables.
    ///
    /// # Errors
    /// If reading fails, or the variable is not chunked.
    fn read_encoded_chunk(&self, var: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
        let _ = (var, chunk);
        Err(Error::Internal("this reader reads no chunks".into()))
    }

    /// Same as [`Reader::read_encoded_chunk`], but reuses the memory of a buffer, whose old content is lost.
    /// Returns the filter mask.
    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        Ok(self.read_encoded_chunk(var, chunk)?.map(|data| {
            *bytes = data.bytes;
            data.filter_mask
        }))
    }

    /// Fills `buf` with the storage of a contiguous or compact variable, starting at byte `offset`. The
    /// storage is the elements of the extent in C order without gaps, also for a classic record variable.
    /// Never called if nothing was [written](Reader::written).
    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()>;

    /// The layout of interleaved record variables. `None` if the storage of each variable is separate. A
    /// variable that is not in the layout is read alone, even a record variable.
    fn record_layout(&self) -> Option<RecordLayout> {
        None
    }

    /// Fills `buf` with the same part of consecutive records, starting at record `first`: the bytes `part` of
    /// each record of the [`Reader::record_layout`], one after another. Bytes that no slab covers are
    /// arbitrary. Called only if there is a record layout.
    ///
    /// # Errors
    /// If the part does not lie within a record, if `buf` holds a fraction of a record or more records than
    /// there are, or if reading fails.
    fn read_records(&self, first: u64, part: Range<u64>, buf: &mut [u8]) -> Result<()> {
        let _ = (first, part, buf);
        Err(Error::Internal("variables that are not interleaved".into()))
    }

    /// Reads `count` records as [`Reader::read_records`] does, and passes their bytes to `done`. Over a slow store this
    /// returns at once. This default reads before it returns.
    ///
    /// # Errors
    /// `done` receives the error of reading.
    fn fetch_records(&self, first: u64, count: u64, part: Range<u64>, done: Done<Result<Vec<u8>>>) {
        done(read_some_records(self, first, count, part));
    }

    /// The elements of a region of any variable, decoded. Elements that were never written, or lie past the
    /// variable's own extent, read as fill values. The region lies within the lengths of the variable's
    /// *dimensions*.
    fn read_region(&self, var: VarId, region: &Region) -> Result<Values>;
}

/// Another file that a dataset refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path of the variable or link that names it.
    pub named_by: String,
    /// What the name stands for.
    pub named_as: NamedAs,
    /// The name, as stored.
    pub name: String,
    /// Where the file is, or the reason why it is not read: a clause without its subject.
    pub found: Result<OsString, String>,
}

impl fmt::Display for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.named_as {
            NamedAs::ExternalLink => "external link",
            NamedAs::ExternalData => "external data",
            NamedAs::VirtualSource => "virtual source",
        };
        write!(f, "{}: {what} {}: ", self.named_by, self.name.escape_debug())?;
        match &self.found {
            Ok(path) => path.display().fmt(f),
            Err(why) => f.write_str(why),
        }
    }
}

/// What a [`Writer`] must know about one variable before the first byte is written.
#[derive(Debug, Clone, PartialEq)]
pub struct VariablePlan {
    /// How it is to be stored; `element_size` and `encoding` are those of [`Schema::storage_encoding`].
    pub layout: SharedLayout,
    /// The codecs of a chunked variable, bound to its chunks; the pipeline without codecs for any other variable.
    pub pipeline: Arc<Pipeline>,
    /// How much will be written. A writer refuses to finish if it received more or less.
    pub promised: Promised,
    /// True if a variable in no-fill mode stays in it although parts of it are not written. Other programs
    /// then read arbitrary data there. If false, those parts get zeros as fill value.
    pub keeps_no_fill: bool,
    /// The parts of other files that hold the raw data; `None` if the dataset holds it. Only for contiguous variables.
    pub external: Option<Arc<[ExternalPart]>>,
    /// True if chunks that hold only fill values are left out. Each comes as [`Writer::skip_chunk`], so that the promised
    /// number is an upper limit of those that are stored.
    pub skips_fill: bool,
}

impl VariablePlan {
    /// Plans a variable with storage `layout`, and binds its codecs. Missing parts get a fill value.
    ///
    /// # Errors
    /// The errors of [`Registry::bind`].
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
                let pipeline = registry.bind(&layout.filters, &chunk)?;
                Arc::new(match schema.kind.can().filter_masks {
                    true => pipeline,
                    false => pipeline.without_masks(),
                })
            }
            _ => Pipeline::empty(),
        };
        Ok(Self::with_pipeline(layout, pipeline, promised))
    }

    /// Plans a variable with storage `layout`, whose codecs are bound already. Missing parts get a fill value.
    pub fn with_pipeline(
        layout: impl Into<SharedLayout>,
        pipeline: Arc<Pipeline>,
        promised: Promised,
    ) -> Self {
        Self {
            layout: layout.into(),
            pipeline,
            promised,
            keeps_no_fill: false,
            external: None,
            skips_fill: false,
        }
    }
}

/// A dataset that is being written, from many threads at once. [`create`] makes it.
///
/// Each piece of data of a chunked variable has a ticket. Tickets count from 0 over the whole dataset,
/// without gaps. Addresses in the file are assigned in ticket order, whatever the order of calls, so the same
/// plan always gives the same bytes. A writer may hold early pieces until their turn; the caller bounds how
/// far ahead it runs. No call waits for another ticket. The chunks of a
/// shard have consecutive tickets, so a writer can append them as they come.
pub trait Writer: Send + Sync {
    /// Writes one encoded chunk of a chunked variable.
    fn write_encoded_chunk(&self, ticket: u64, var: VarId, chunk: u64, data: EncodedChunk) -> Result<()>;

    /// Leaves out a promised chunk that holds only fill values. Takes the place of the call that would write it, with the
    /// same ticket. Only for variables whose plan says [`VariablePlan::skips_fill`].
    fn skip_chunk(&self, ticket: u64, var: VarId, chunk: u64) -> Result<()> {
        let _ = (ticket, var, chunk);
        Err(Error::Internal("a chunk that cannot be left out".into()))
    }

    /// Writes a part of the storage of a contiguous, compact or classic variable, starting at byte `offset`:
    /// elements of the extent in C order without gaps, in the layout's byte order. Needs no ticket, because
    /// its place is known beforehand.
    fn write_range(&self, var: VarId, offset: u64, data: &[u8]) -> Result<()>;

    /// True if [`Writer::write_records`] can write records of this variable. Such variables are interleaved
    /// in this output, so writing them together saves work.
    fn interleaves(&self, var: VarId) -> bool {
        let _ = var;
        false
    }

    /// Writes consecutive records of several variables, in the layouts' byte order. [`Writer::interleaves`]
    /// is true for each of them. The result equals one [`Writer::write_range`] for each variable.
    fn write_records(&self, records: RecordBlock) -> Result<()> {
        let _ = records;
        Err(Error::Internal("variables that are not interleaved".into()))
    }

    /// Writes elements of a variable whose encoding is `Structured`. For a chunked variable, the region is
    /// exactly one chunk (clipped to the extent); for others, any region that is contiguous in C order. The
    /// format encodes the elements, including heap data and filters.
    fn write_values(&self, ticket: u64, var: VarId, region: &Region, values: Values) -> Result<()>;

    /// Bytes of a variable's values as [`Writer::write_values`] encoded them: after filters, without the data that
    /// elements refer to. Called after the last piece. `None` if the writer does not count them.
    fn stored_values(&self, var: VarId) -> Option<u64> {
        let _ = var;
        None
    }

    /// Completes the file and makes it appear under its name. A writer that is dropped instead leaves
    /// nothing.
    fn finish(self: Box<Self>) -> Result<()>;
}
