//! Formats: each stores a schema and chunks in its own way.
//!
//! [`Reader`] and [`Writer`] are what the rest of the program sees. Nothing outside this folder and `location.rs` knows
//! which format is behind them.

pub mod classic;
#[cfg(test)]
pub(crate) mod in_memory;
mod interleaved;
pub mod netcdf4;
pub mod region;

use std::ops::Range;
use std::sync::Arc;

use ncutils_hdf5::ByteSource;

pub use crate::chunk::Region;
use crate::error::{Error, Result};
pub use crate::filter::EncodedChunk;
use crate::model::{Kind, Schema, Values, VarId, VariableLayout};
use crate::store::{Origin, Output};

pub use interleaved::{RecordBlock, RecordLayout, RecordSlab};

/// A dataset that can be read, from many threads at once.
///
/// Chunks are addressed by their number in C order over the grid of chunks that covers [`VariableLayout::extent`].
pub trait Reader: Send + Sync {
    /// The dataset's structure.
    fn schema(&self) -> &Schema;

    /// How a variable is stored.
    fn layout(&self, var: VarId) -> &VariableLayout;

    /// The numbers of the chunks of a chunked variable that were ever written, ascending. The first call may read an
    /// index from the file; it is kept (at most 64 bytes a chunk). None in a format that has no chunks.
    fn stored_chunks(&self, var: VarId) -> Result<Vec<u64>> {
        let _ = var;
        Ok(Vec::new())
    }

    /// How many bytes a stored chunk takes (after filters); `None` where it was never written. After
    /// [`Reader::stored_chunks`] this reads nothing.
    fn stored_size(&self, var: VarId, chunk: u64) -> Result<Option<u64>> {
        let _ = (var, chunk);
        Ok(None)
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
    /// being in C order without gaps (a classic record variable too). Never called where `allocated` is false.
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

    /// The first byte of the storage of a contiguous variable, from `offset` on, that may have been written: all before it are
    /// known to be zeros, without reading them, as they are a hole of a sparse file. `offset` where nothing is known.
    ///
    /// # Errors
    /// Where the file cannot be asked.
    fn next_written(&self, var: VarId, offset: u64) -> Result<u64> {
        let _ = var;
        Ok(offset)
    }

    /// Regions that hold all elements of a variable in one piece that are given; the others are the layout's fill, and read as
    /// that. They may have elements in common. `None` where all are given.
    fn given(&self, var: VarId) -> Option<Vec<Region>> {
        let _ = var;
        None
    }

    /// The elements of a region of any variable as [`Values`], decoded; fill where nothing was written, also past the
    /// variable's own extent. The region lies within the lengths of the variable's *dimensions*.
    fn read_region(&self, var: VarId, region: &Region) -> Result<Values>;
}

/// What a [`Writer`] must know of one variable before the first byte is written.
#[derive(Debug, Clone, PartialEq)]
pub struct VariablePlan {
    /// How it is to be stored; `element_size` and `encoding` are those of [`Schema::storage_encoding`].
    pub layout: VariableLayout,
    /// How many chunks will be written, for a chunked variable.
    pub chunk_count: u64,
    /// Whether a variable in no-fill mode stays in it where parts of it are not written, which other programs then read
    /// as anything. Else these parts are given zeros to read as.
    pub keeps_no_fill: bool,
}

/// A dataset being written, from many threads at once. Made by [`create`].
///
/// Chunked variables: each piece of data bears a ticket. Tickets are dense from 0 over the whole dataset, and addresses in the
/// file are handed out in the order of tickets, whatever the order of the calls, so that the same plan gives the same
/// bytes. A writer may hold pieces that come early until their turn; the caller bounds how far ahead it runs. A call never
/// waits for another ticket.
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

    /// Completes the file and makes it appear under its name, whole. Dropping a writer instead leaves nothing.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Whether a dataset can be of `schema.kind`, before anything is created.
///
/// # Errors
/// Names what the kind cannot hold.
pub fn check(schema: &Schema) -> Result<()> {
    match schema.kind {
        Kind::Classic | Kind::Offset64 | Kind::Data64 => classic::check(schema),
        Kind::Netcdf4 | Kind::Netcdf4Classic => netcdf4::check(schema),
    }
}

/// Begins a dataset of `schema.kind` in `output`. `plans` has one entry for each of `schema.vars`, in order.
///
/// # Errors
/// What the kind cannot hold, named; and whatever the output refuses. Nothing exists under the output's name then.
pub fn create(output: Arc<dyn Output>, schema: &Schema, plans: &[VariablePlan]) -> Result<Box<dyn Writer>> {
    match schema.kind {
        Kind::Classic | Kind::Offset64 | Kind::Data64 => {
            Ok(Box::new(classic::ClassicWriter::create(output, schema, plans)?))
        }
        Kind::Netcdf4 | Kind::Netcdf4Classic => netcdf4::create(output, schema, plans),
    }
}

/// Opens a dataset, whatever its format.
///
/// # Errors
/// [`Error::UnknownFormat`] where no format knows it, or what is wrong with it.
pub fn open(source: Arc<dyn ByteSource>, origin: &Origin) -> Result<Box<dyn Reader>> {
    match detect(&source)? {
        Format::Classic => Ok(Box::new(classic::ClassicReader::open(source)?)),
        Format::Hdf5 => Ok(Box::new(netcdf4::Netcdf4Reader::open(source, origin)?)),
    }
}

/// What the first bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Classic,
    Hdf5,
}

/// Finds the format by its magic number: `CDF` at the beginning, or HDF5's signature at the beginning or behind a user
/// block of 512, 1024, 2048… bytes.
fn detect(source: &dyn ByteSource) -> Result<Format> {
    const HDF5: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
    let size = source.size().map_err(|e| Error::io("cannot read", e))?;
    let starts_with = |at: u64, magic: &[u8]| -> Result<bool> {
        let mut found = [0; 8];
        let found = &mut found[..magic.len()];
        if at.checked_add(magic.len() as u64).is_none_or(|end| end > size) {
            return Ok(false);
        }
        source
            .read_exact_at(at, found)
            .map_err(|e| Error::io("cannot read", e))?;
        Ok(found == magic)
    };
    if starts_with(0, b"CDF")? {
        return Ok(Format::Classic);
    }
    let mut at = 0u64;
    while at < size {
        if starts_with(at, &HDF5)? {
            return Ok(Format::Hdf5);
        }
        at = if at == 0 { 512 } else { at.saturating_mul(2) };
    }
    Err(Error::UnknownFormat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_their_magic_number() {
        let signature = b"\x89HDF\r\n\x1a\n";
        let behind = |block: usize| [&vec![b'u'; block][..], signature].concat();
        for block in [0, 512, 1024, 2048, 1 << 16] {
            assert_eq!(detect(&behind(block)).unwrap(), Format::Hdf5);
        }
        assert_eq!(detect(&b"CDF\x01".to_vec()).unwrap(), Format::Classic);
        for other in [
            Vec::new(),
            b"CD".to_vec(),
            behind(600),
            behind(512)[..519].to_vec(),
        ] {
            assert!(matches!(detect(&other), Err(Error::UnknownFormat)));
        }
        let error = open(Arc::new(b"CDF\x03....".to_vec()), &Origin::default())
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            "version 3 of the classic format is not supported"
        );
    }
}
