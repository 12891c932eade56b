//! The methods of any [`Reader`] that call its extensions, and answer if it lacks them.

use std::ops::Range;
use std::sync::Arc;

use super::extensions::{ChunkPlace, Needs, StoredPlace};
use super::reader::Reader;
use crate::chunk::{ChunkGrid, Region};
use crate::error::{Error, Result};
use crate::filter::{EncodedChunk, Pipeline};
use crate::format::fault::{CheckLimits, Fault, OwnCheck};
use crate::format::interleaved::RecordLayout;
use crate::format::read_ranges::read_ranges;
use crate::format::source_file::SourceFile;
use crate::model::{CodecSpec, Storage, Unclosed, Values, VarId};
use crate::store::{ByteRange, Done, Requests, Sought};

/// Chunks: [`ChunkReader`](super::ChunkReader), or the error that there are none.
impl dyn Reader + '_ {
    /// The codecs of a chunked variable. For any other variable, the empty pipeline.
    ///
    /// # Errors
    /// The errors of `Registry::bind`. An unknown codec is not an error here.
    pub fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        match (&self.layout(var).storage, self.extensions().chunks) {
            (Storage::Chunked { .. }, Some(chunks)) => chunks.pipeline(var),
            (Storage::Chunked { .. }, None) => Err(Error::Internal("this reader binds no codecs".to_owned())),
            _ => Ok(Pipeline::empty()),
        }
    }

    /// Bytes of a stored chunk (after filters), if known without reading.
    pub fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        self.extensions().chunks?.stored_size(var, chunk)
    }

    /// Where a stored chunk lies, for messages; `None` if it is not known.
    pub fn chunk_place(&self, var: VarId, chunk: u64) -> Option<ChunkPlace> {
        self.extensions().chunks?.chunk_place(var, chunk)
    }

    /// Adds the key of a chunk to an error in its bytes.
    pub fn in_chunk_key(&self, var: VarId, chunk: u64, error: Error) -> Error {
        match self.chunk_place(var, chunk) {
            Some(ChunkPlace::Key(key)) => error.in_key(&key),
            _ => error,
        }
    }

    /// One chunk of a chunked variable, as stored. `None` if it was never written: it reads as fill values.
    ///
    /// # Errors
    /// If reading fails, or the variable is not chunked.
    pub fn read_encoded_chunk(&self, var: VarId, chunk: u64) -> Result<Option<EncodedChunk>> {
        let mut bytes = Vec::new();
        let mask = self.read_encoded_chunk_into(var, chunk, &mut bytes)?;
        Ok(mask.map(|filter_mask| EncodedChunk { bytes, filter_mask }))
    }

    /// Reads one chunk as stored into `bytes`, whose old content is lost. Returns the filter mask.
    ///
    /// # Errors
    /// If reading fails, or the variable is not chunked.
    pub fn read_encoded_chunk_into(
        &self,
        var: VarId,
        chunk: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<u32>> {
        match self.extensions().chunks {
            Some(chunks) => chunks.read_encoded_chunk_into(var, chunk, bytes),
            None => Err(Error::Internal("this reader reads no chunks".into())),
        }
    }
}

/// Places: [`StoredPlaces`](super::StoredPlaces), or none that is known.
impl dyn Reader + '_ {
    /// Where a stored chunk lies: see [`StoredPlaces::place_of_chunk`](super::StoredPlaces::place_of_chunk).
    ///
    /// # Errors
    /// The same.
    pub fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        match self.extensions().places {
            Some(places) => places.place_of_chunk(var, chunk),
            None => Ok(None),
        }
    }

    /// The number of bytes of a chunk that is a whole object: see
    /// [`StoredPlaces::length_of_chunk`](super::StoredPlaces::length_of_chunk).
    ///
    /// # Errors
    /// The same.
    pub fn length_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<u64>> {
        match self.extensions().places {
            Some(places) => places.length_of_chunk(var, chunk),
            None => Ok(None),
        }
    }

    /// Bytes of a piece of a variable without chunks: see [`StoredPlaces::piece_of_bytes`](super::StoredPlaces::piece_of_bytes).
    ///
    /// # Errors
    /// The same.
    pub fn piece_of_bytes(&self, var: VarId) -> Result<Option<u64>> {
        match self.extensions().places {
            Some(places) => places.piece_of_bytes(var),
            None => Ok(None),
        }
    }

    /// Where bytes of a variable without chunks lie: see [`StoredPlaces::place_of_bytes`](super::StoredPlaces::place_of_bytes).
    ///
    /// # Errors
    /// The same.
    pub fn place_of_bytes(&self, var: VarId, offset: u64, length: u64) -> Result<Option<StoredPlace>> {
        match self.extensions().places {
            Some(places) => places.place_of_bytes(var, offset, length),
            None => Ok(None),
        }
    }
}

/// Requests: [`Fetcher`](super::Fetcher), or one read after another.
impl dyn Reader + '_ {
    /// The requests that suit the store below the dataset best.
    pub fn requests(&self) -> Requests {
        self.extensions()
            .fetch
            .map_or(Requests::LOCAL, |fetch| fetch.requests())
    }

    /// Reads many chunks and passes them to `done`, as [`Fetcher::fetch_chunks`](super::Fetcher::fetch_chunks) tells, or else
    /// one after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error if a chunk cannot be read.
    pub fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        match self.extensions().fetch {
            Some(fetch) => fetch.fetch_chunks(var, chunks, done),
            None => self.read_chunks_in_turn(var, &chunks, done),
        }
    }

    /// Reads chunks one after another, and passes them to `done`. An error names its chunk.
    pub(crate) fn read_chunks_in_turn(
        &self,
        var: VarId,
        chunks: &[u64],
        done: Done<Result<Vec<Option<EncodedChunk>>>>,
    ) {
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

    /// Reads many ranges and passes them to `done`, as [`Fetcher::fetch_ranges`](super::Fetcher::fetch_ranges) tells, or else
    /// one after another before it returns.
    ///
    /// # Errors
    /// `done` receives the error if a range cannot be read.
    pub fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        match self.extensions().fetch {
            Some(fetch) => fetch.fetch_ranges(var, ranges, done),
            None => done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf))),
        }
    }
}

/// Records: [`RecordReader`](super::RecordReader), or no interleaved variables.
impl dyn Reader + '_ {
    /// The layout of interleaved record variables. `None` if the storage of each variable is separate.
    pub fn record_layout(&self) -> Option<RecordLayout> {
        self.extensions().records?.record_layout()
    }

    /// Fills `buf` with the same part of consecutive records.
    ///
    /// # Errors
    /// Those of [`RecordReader::read_records`](super::RecordReader::read_records).
    pub fn read_records(&self, first: u64, part: Range<u64>, buf: &mut [u8]) -> Result<()> {
        match self.extensions().records {
            Some(records) => records.read_records(first, part, buf),
            None => Err(not_interleaved()),
        }
    }

    /// Reads `count` records as `read_records` does, and passes their bytes to `done`. Over a slow
    /// store this returns at once.
    ///
    /// # Errors
    /// `done` receives the error of reading.
    pub fn fetch_records(&self, first: u64, count: u64, part: Range<u64>, done: Done<Result<Vec<u8>>>) {
        match self.extensions().records {
            Some(records) => records.fetch_records(first, count, part, done),
            None => done(Err(not_interleaved())),
        }
    }
}

fn not_interleaved() -> Error {
    Error::Internal("variables that are not interleaved".into())
}

/// Data in other datasets: [`VirtualSources`](super::VirtualSources), or nothing to resolve.
impl dyn Reader + '_ {
    /// Resolves the sources of a variable that lies in other datasets. Called before all data of a variable is read, and
    /// before anything relies on its layout.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    pub fn resolve_sources(&self, var: VarId) -> Result<()> {
        self.extensions()
            .sources
            .map_or(Ok(()), |sources| sources.resolve(var, None))
    }

    /// Like `resolve_sources`, for a variable of which only the regions that are needed will be read.
    ///
    /// # Errors
    /// The same, for sources that are needed.
    pub fn resolve_needed_sources(&self, var: VarId, needs: &Needs<'_>) -> Result<()> {
        let sources = self.extensions().sources;
        sources.map_or(Ok(()), |sources| sources.resolve(var, Some(needs)))
    }

    /// True if a variable lies in other datasets.
    pub fn is_virtual(&self, var: VarId) -> bool {
        self.extensions()
            .sources
            .is_some_and(|sources| sources.is_virtual(var))
    }

    /// The source that keeps a variable, or the region of a chunk, from being stored as its sources are, and why.
    ///
    /// # Errors
    /// A source cannot be read, or may not be.
    pub fn misfit(&self, var: VarId, region: Option<&Region>) -> Result<Option<String>> {
        let sources = self.extensions().sources;
        sources.map_or(Ok(None), |sources| sources.misfit(var, region))
    }

    /// The elements of a region as far as they can be read. Calls `lost` for each box that holds elements of other datasets
    /// which cannot be read.
    ///
    /// # Errors
    /// If nothing can be read. Those of [`Reader::read_region`] for a variable that lies in no other dataset.
    pub fn read_region_left(
        &self,
        var: VarId,
        region: &Region,
        lost: &mut dyn FnMut(Region, Error),
    ) -> Result<Values> {
        match self.extensions().sources {
            Some(sources) => sources.read_region_left(var, region, lost),
            None => self.read_region(var, region),
        }
    }

    /// From now on, elements of other datasets that cannot be read are fill values.
    pub fn fill_unreadable(&self) {
        if let Some(sources) = self.extensions().sources {
            sources.fill_unreadable();
        }
    }

    /// The other files that the dataset refers to, each looked up and not opened.
    ///
    /// # Errors
    /// If the names of the files cannot be read.
    pub fn source_files(&self) -> Result<Vec<SourceFile>> {
        let files = self.extensions().files;
        files.map_or(Ok(Vec::new()), |files| files.source_files())
    }

    /// The name of a file at the place `sought` that the dataset refers to: see
    /// [`OtherFiles::find_source`](super::OtherFiles::find_source).
    ///
    /// # Errors
    /// The same.
    pub fn find_source(&self, sought: &Sought<'_>) -> Result<Option<String>> {
        let files = self.extensions().files;
        files.map_or(Ok(None), |files| files.find_source(sought))
    }

    /// The other files that were opened so far and that their writers have not closed, by name.
    pub fn unfinished_sources(&self) -> Vec<(String, Unclosed)> {
        let sources = self.extensions().sources;
        sources
            .map(|sources| sources.unfinished_sources())
            .unwrap_or_default()
    }

    /// Warnings about data that was read so far: sources of virtual variables that were missing.
    pub fn data_warnings(&self) -> Vec<String> {
        let sources = self.extensions().sources;
        sources.map(|sources| sources.data_warnings()).unwrap_or_default()
    }
}

/// Extensions that have one method each.
impl dyn Reader + '_ {
    /// The codec that turns the elements of a variable into bytes, before the filters of its layout.
    pub fn element_codec(&self, var: VarId) -> Option<&CodecSpec> {
        self.extensions().elements?.element_codec(var)
    }

    /// Checks what is the format's own, or else tells the faults that were found when the dataset was opened.
    ///
    /// # Errors
    /// If the dataset cannot be read at all.
    pub fn check_structure(&self, limits: CheckLimits, found: &mut dyn FnMut(Fault)) -> Result<OwnCheck> {
        if let Some(check) = self.extensions().check {
            return check.check_structure(limits, found);
        }
        for fault in &self.schema().faults {
            found(Fault::new(fault));
        }
        Ok(OwnCheck::default())
    }

    /// Compares the sources with what they were when they were opened, as far as that takes no request.
    ///
    /// # Errors
    /// A source has changed, so that what was read may be parts of two.
    pub fn check_unchanged(&self) -> Result<()> {
        match self.extensions().changes {
            Some(changes) => changes.check_unchanged(),
            None => Ok(()),
        }
    }

    /// Keeps at most `bytes` bytes of decoded data for later reads. Called before anything is read.
    pub fn keep_at_most(&self, bytes: u64) {
        if let Some(cache) = self.extensions().cache {
            cache.keep_at_most(bytes);
        }
    }

    /// Frees what is kept for later reads, and what one cheap read brings back: for a reader that stays open, and of which little more
    /// is read.
    pub fn forget_metadata(&self) {
        if let Some(cache) = self.extensions().cache {
            cache.forget_metadata();
        }
    }

    /// Bytes of a slow store that stay in memory, about; `None` if the reader does not tell.
    pub fn bytes_held(&self) -> Option<u64> {
        Some(self.extensions().cache?.bytes_held())
    }
}
