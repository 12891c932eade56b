//! [`Reader`]: a dataset that is open for reading.

use std::ops::Range;
use std::sync::Arc;

use super::fault::{CheckLimits, Fault, OwnCheck};
use super::interleaved::RecordLayout;
use super::read_ranges::{read_ranges, read_some_records};
use super::source_file::SourceFile;
use super::written::Written;
use crate::chunk::{ChunkGrid, Region};
use crate::error::{Error, Result};
use crate::filter::{EncodedChunk, Pipeline};
use crate::model::{CodecSpec, Schema, Storage, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, Requests};

/// A dataset that is open for reading, from many threads at once.
///
/// A chunk's number counts in C order over the grid of chunks that covers [`VariableLayout::extent`].
pub trait Reader: Send + Sync {
    /// The structure of the dataset.
    fn schema(&self) -> &Schema;

    /// The storage of a variable.
    fn layout(&self, var: VarId) -> &VariableLayout;

    /// Resolves the sources of a variable that lies in other datasets. Then [`Reader::layout`] and [`Reader::written`] tell
    /// the chunks and filters that all sources share. Called before all data of a variable is read, and before anything
    /// relies on its layout.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    fn resolve_sources(&self, var: VarId) -> Result<()> {
        let _ = var;
        Ok(())
    }

    /// Like [`Reader::resolve_sources`], for a variable of which only a part will be read. A source is opened if it fills
    /// a region for which `needs` is true. Elements of the other sources count as written.
    ///
    /// # Errors
    /// Those of [`Reader::resolve_sources`], for sources that are needed.
    fn resolve_needed_sources(&self, var: VarId, needs: &(dyn Fn(&Region) -> bool + Sync)) -> Result<()> {
        let _ = needs;
        self.resolve_sources(var)
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
    fn fill_unreadable(&self) {}

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
    /// The errors of `Registry::bind`. An unknown codec is not an error here.
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
        done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)));
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
        done(read_some_records(count, &part, |buf| {
            self.read_records(first, part.clone(), buf)
        }));
    }

    /// The elements of a region of any variable, decoded. Elements that were never written, or lie past the
    /// variable's own extent, read as fill values. The region lies within the lengths of the variable's
    /// *dimensions*.
    fn read_region(&self, var: VarId, region: &Region) -> Result<Values>;
}
