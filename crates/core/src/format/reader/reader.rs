//! [`Reader`]: a dataset that is open for reading.

use super::extensions::{
    ChangingSource, ChunkReader, DecodedCache, ElementCodecs, Fetcher, OtherFiles, RecordReader,
    SteppedReader, StoredPlaces, StructureCheck, VirtualSources,
};
use super::space::SpaceSurvey;
use crate::chunk::Region;
use crate::error::Result;
use crate::format::written::Written;
use crate::model::{Schema, Values, VarId, VariableLayout};

/// A dataset that is open for reading, from many threads at once.
///
/// These methods are what every format has. What only some have is in [`Extensions`]. Methods of `dyn Reader` ask for it, and
/// answer for readers without it.
pub trait Reader: Send + Sync {
    /// The structure of the dataset.
    fn schema(&self) -> &Schema;

    /// The storage of a variable.
    fn layout(&self, var: VarId) -> &VariableLayout;

    /// The parts of a variable that were ever written. The first call for a chunked variable may read a chunk
    /// index from the file and keep it (at most 64 bytes per chunk).
    ///
    /// # Errors
    /// If the chunk index cannot be read or is damaged.
    fn written(&self, var: VarId) -> Result<Written>;

    /// Returns the parts of a variable that have stored bytes. The rest of a contiguous variable reads as zeros. If its fill value is
    /// not zero, [`written`](Self::written) counts that rest as written.
    ///
    /// # Errors
    /// Those of [`written`](Self::written).
    fn held(&self, var: VarId) -> Result<Written> {
        self.written(var)
    }

    /// Fills `buf` with the storage of a contiguous or compact variable, starting at byte `offset`. The
    /// storage is the elements of the extent in C order without gaps, also for a classic record variable.
    /// Never called if nothing was [written](Reader::written).
    ///
    /// # Errors
    /// If reading fails, or the variable is chunked.
    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()>;

    /// The elements of a region of any variable, decoded. Elements that were never written, or lie past the
    /// variable's own extent, read as fill values. The region lies within the lengths of the variable's
    /// *dimensions*.
    ///
    /// # Errors
    /// If reading or decoding fails.
    fn read_region(&self, var: VarId, region: &Region) -> Result<Values>;

    /// What this reader has beyond the methods above. A reader over another one says of each extension whether it passes
    /// that of the other, has its own, or has none.
    fn extensions(&self) -> Extensions<'_>;
}

/// What only some readers have. A new extension is a new field, so each reader over another one must say what becomes of it.
#[derive(Clone, Copy)]
pub struct Extensions<'a> {
    /// Variables in chunks.
    pub chunks: Option<&'a dyn ChunkReader>,
    /// Stored bytes that other programs can read where they lie.
    pub places: Option<&'a dyn StoredPlaces>,
    /// Variables that are interleaved record by record.
    pub records: Option<&'a dyn RecordReader>,
    /// Requests to a store that may be slow.
    pub fetch: Option<&'a dyn Fetcher>,
    /// Variables that lie in other datasets.
    pub sources: Option<&'a dyn VirtualSources>,
    /// Data in other files.
    pub files: Option<&'a dyn OtherFiles>,
    /// Variables whose elements a codec turns into bytes.
    pub elements: Option<&'a dyn ElementCodecs>,
    /// A check of the format's own structures.
    pub check: Option<&'a dyn StructureCheck>,
    /// Sources that may change while they are read.
    pub changes: Option<&'a dyn ChangingSource>,
    /// A cache of decoded data.
    pub cache: Option<&'a dyn DecodedCache>,
    /// A count of the bytes of each variable.
    pub space: Option<&'a dyn SpaceSurvey>,
    /// A source that gives every n-th element without those between.
    pub stepped: Option<&'a dyn SteppedReader>,
}

impl Extensions<'_> {
    /// The extensions of a reader that has none.
    pub const NONE: Self = Self {
        chunks: None,
        places: None,
        records: None,
        fetch: None,
        sources: None,
        files: None,
        elements: None,
        check: None,
        changes: None,
        cache: None,
        space: None,
        stepped: None,
    };
}
