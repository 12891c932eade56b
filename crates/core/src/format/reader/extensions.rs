//! The traits of what only some readers have. None of their methods has a default.

use std::ops::Range;
use std::sync::Arc;

use crate::chunk::Region;
use crate::error::{Error, Result};
use crate::filter::{EncodedChunk, Pipeline};
use crate::format::fault::{CheckLimits, Fault, OwnCheck};
use crate::format::interleaved::RecordLayout;
use crate::format::source_file::SourceFile;
use crate::model::{CodecSpec, Unclosed, Values, VarId};
use crate::store::{ByteRange, Done, ObjectVersion, Requests, Sought};

/// Variables in chunks.
///
/// A chunk's number counts in C order over the grid of chunks that covers the layout's extent.
pub trait ChunkReader: Send + Sync {
    /// The codecs of a chunked variable, bound to its chunks at the first call and kept.
    ///
    /// # Errors
    /// The errors of `Registry::bind`. An unknown codec is not an error here.
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>>;

    /// Bytes of a stored chunk (after filters), if known without reading. In a format with a chunk index,
    /// that is after `Reader::written`.
    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64>;

    /// Where a stored chunk lies, for messages. `None` if it is not known. In a format with a chunk index, it is known after
    /// `Reader::written`.
    fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace>;

    /// Reads one chunk as stored into `bytes`, whose old content is lost. Returns the filter mask. `None` if the chunk was
    /// never written: it reads as fill values.
    ///
    /// # Errors
    /// If reading fails, or the variable is not chunked.
    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>>;
}

/// Where a chunk lies, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChunkPlace {
    /// The position in its file, in bytes.
    Byte(u64),
    /// The key whose value holds it.
    Key(String),
}

/// Stored bytes that other programs can read where they lie.
pub trait StoredPlaces: Send + Sync {
    /// Where a stored chunk lies. `None` if it was never written, or lies where no other program finds it.
    ///
    /// # Errors
    /// If the chunk index cannot be read, or the place is not in the file.
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>>;

    /// The number of bytes of a stored chunk whose place is a whole object; `None` if it is not known. On a slow store, this may be a
    /// request.
    ///
    /// # Errors
    /// If the store fails.
    fn length_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<u64>>;

    /// The largest length, in bytes, such that each piece of this length, counted from the first byte, is stored contiguously. `None` if
    /// the variable is not stored so, or where no other program finds it. Virtual sources must be resolved.
    ///
    /// # Errors
    /// If a virtual source cannot be read.
    fn piece_of_bytes(&self, var: VarId) -> Result<Option<u64>>;

    /// Where `length` bytes from byte `offset` on of a variable without chunks lie. `None` if they do not lie in one piece, or where no
    /// other program finds them.
    ///
    /// # Errors
    /// If the place is not in the file.
    fn place_of_bytes(&self, var: VarId, offset: u64, length: u64) -> Result<Option<StoredPlace>>;
}

/// Where bytes of a variable are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPlace {
    /// What holds them.
    pub object: PlaceObject,
    /// Their position and number; `None` for the whole object.
    pub range: Option<(u64, u64)>,
    /// The filter mask of a chunk.
    pub filter_mask: u32,
    /// What tells whether the object was changed since; `None` if it is not known.
    pub version: Option<ObjectVersion>,
}

/// An object that holds bytes of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceObject {
    /// The one object of the dataset.
    Dataset,
    /// The value of a key of the dataset.
    Key(String),
    /// An absolute path or a URL, without secrets.
    Named(Arc<str>),
}

/// Variables that are interleaved record by record.
pub trait RecordReader: Send + Sync {
    /// The layout of interleaved record variables. `None` if the storage of each variable is separate. A
    /// variable that is not in the layout is read alone, even a record variable.
    fn record_layout(&self) -> Option<RecordLayout>;

    /// Fills `buf` with the same part of consecutive records, starting at record `first`: the bytes `part` of
    /// each record of the [`record_layout`](Self::record_layout), one after another. Bytes that no slab covers are
    /// arbitrary. Called only if there is a record layout.
    ///
    /// # Errors
    /// If the part does not lie within a record, if `buf` holds a fraction of a record or more records than
    /// there are, or if reading fails.
    fn read_records(&self, first: u64, part: Range<u64>, buf: &mut [u8]) -> Result<()>;

    /// Reads `count` records as [`read_records`](Self::read_records) does, and passes their bytes to `done`. Over a slow
    /// store this returns at once.
    ///
    /// # Errors
    /// `done` receives the error of reading.
    fn fetch_records(&self, first: u64, count: u64, part: Range<u64>, done: Done<Result<Vec<u8>>>);
}

/// Requests to a store that may be slow.
pub trait Fetcher: Send + Sync {
    /// The requests that suit the store below the dataset best.
    fn requests(&self) -> Requests;

    /// Reads many chunks of a chunked variable and passes them to `done`, in the requested order. Chunks are
    /// as stored; `None` stands for one that was never written. Over a slow store this returns at once, and
    /// another thread calls `done`.
    ///
    /// # Errors
    /// `done` receives the error if a chunk cannot be read. The error names the chunk, unless the store does not
    /// tell which of several requests failed.
    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>);

    /// Reads many ranges of a contiguous or compact variable, as `Reader::read_range` does, and passes them
    /// to `done`, in the requested order. Over a slow store this returns at once.
    ///
    /// # Errors
    /// `done` receives the error if a range cannot be read.
    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>);
}

/// Chooses regions of a variable.
pub type Needs<'a> = dyn Fn(&Region) -> bool + Sync + 'a;

/// Variables that lie in other datasets.
pub trait VirtualSources: Send + Sync {
    /// Resolves the sources of a variable. Then `Reader::layout` and `Reader::written` tell the chunks and filters that all
    /// sources share. With `needs`, only a part of the variable will be read: a source is opened if it fills a region for
    /// which `needs` is true, and elements of the other sources count as written.
    ///
    /// # Errors
    /// A source that is needed cannot be read, or may not be.
    fn resolve(&self, var: VarId, needs: Option<&Needs<'_>>) -> Result<()>;

    /// True if a variable lies in other datasets.
    fn is_virtual(&self, var: VarId) -> bool;

    /// The source that keeps a variable, or the region of a chunk of it, from being stored as its sources are, and why: a clause for
    /// messages. `None` if it is not known. Sources must be resolved.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    fn misfit(&self, var: VarId, region: Option<&Region>) -> Result<Option<String>>;

    /// The elements of a region as far as they can be read. Calls `lost` for each box that holds elements which cannot be
    /// read.
    ///
    /// # Errors
    /// If nothing can be read. Those of `Reader::read_region` for a variable that lies in no other dataset.
    fn read_region_left(
        &self,
        var: VarId,
        region: &Region,
        lost: &mut dyn FnMut(Region, Error),
    ) -> Result<Values>;

    /// From now on, elements of other datasets that cannot be read are fill values. Called once what is lost is known.
    fn fill_unreadable(&self);

    /// The other files that were opened so far and that their writers have not closed, by name.
    fn unfinished_sources(&self) -> Vec<(String, Unclosed)>;

    /// Warnings about data that was read so far: sources that were missing, strings that were cut. One for each variable.
    fn data_warnings(&self) -> Vec<String>;
}

/// Data in other files, whether or not elements of a variable are resolved through them.
pub trait OtherFiles: Send + Sync {
    /// The other files that the dataset refers to, each looked up and not opened.
    ///
    /// # Errors
    /// If the names of the files cannot be read.
    fn source_files(&self) -> Result<Vec<SourceFile>>;

    /// The name of a file at the place `sought` that the dataset refers to, or that one of its sources does; `None` if there is none.
    /// Whether a file exists is not asked of a slow store.
    ///
    /// # Errors
    /// If the names of the files cannot be read.
    fn find_source(&self, sought: &Sought<'_>) -> Result<Option<String>>;
}

/// Variables whose elements a codec turns into bytes.
pub trait ElementCodecs: Send + Sync {
    /// The codec that turns the elements of a variable into bytes, before the filters of its layout. `None` if elements
    /// are bytes in themselves. The layout's filters do not contain it: `Reader::read_region` applies it.
    fn element_codec(&self, var: VarId) -> Option<&CodecSpec>;
}

/// A check of what is the format's own.
pub trait StructureCheck: Send + Sync {
    /// Checks the format's structures: their checksums, indexes, lengths, addresses. Tells each fault to `found`, and goes on
    /// after it. The values are checked by the caller, who decodes every chunk, unless the answer says that this check has
    /// read them. `limits` are for a check that reads values.
    ///
    /// # Errors
    /// If the dataset cannot be read at all.
    fn check_structure(&self, limits: CheckLimits, found: &mut dyn FnMut(Fault)) -> Result<OwnCheck>;
}

/// Sources that may change while they are read.
pub trait ChangingSource: Send + Sync {
    /// Compares the sources with what they were when they were opened, as far as that takes no request.
    ///
    /// # Errors
    /// A source has changed, so that what was read may be parts of two.
    fn check_unchanged(&self) -> Result<()>;
}

/// A cache of decoded data, and of metadata.
pub trait DecodedCache: Send + Sync {
    /// Keeps at most `bytes` bytes of decoded data for later reads, and about as many of indexes. Called before anything is
    /// read.
    fn keep_at_most(&self, bytes: u64);

    /// Frees metadata that a read of a local file brings back. Decoded data stays.
    fn forget_metadata(&self);

    /// Bytes of a slow store that stay in memory, about.
    fn bytes_held(&self) -> u64;
}

/// A source that gives every n-th element without those between, such as a server.
pub trait SteppedReader: Send + Sync {
    /// The elements of a region of which `start` is the first one, `count` the number in each dimension, and `steps` the distance
    /// from one to the next. They are given as `Reader::read_region` gives those of a region without steps.
    ///
    /// # Errors
    /// If an index is outside the variable, or reading fails.
    fn read_stepped(&self, var: VarId, region: &Region, steps: &[u64]) -> Result<Values>;
}
