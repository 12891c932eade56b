//! Formats: each stores a schema and chunks in its own way.
//!
//! [`Reader`] and [`Writer`] are what the rest of the program sees. Nothing outside this folder and `location.rs` knows
//! which format is behind them.

pub mod classic;
#[cfg(test)]
pub(crate) mod in_memory;
pub mod netcdf4;
pub mod read_region;

use std::io;
use std::sync::Arc;

pub use crate::chunk::Region;
use crate::error::{Error, Result};
pub use crate::filter::EncodedChunk;
use crate::model::{Kind, Schema, Values, VarId, VariableLayout};
use crate::store::{
    ByteRange, Destination, DestinationKind, Done, KeyStore, Object, Place, PlaceKind, Requests,
};

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

    /// How many bytes a stored chunk takes (after filters), as far as that is known without reading anything: after
    /// [`Reader::stored_chunks`], in a format that has an index.
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
    /// being in C order without gaps (a classic record variable too). Never called where `allocated` is false.
    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()>;

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

/// Begins a dataset of `schema.kind` at a destination. `plans` has one entry for each of `schema.vars`, in order.
///
/// # Errors
/// What the kind cannot hold, named; and whatever the destination refuses. Nothing exists under its name then.
pub fn create(
    destination: impl Into<Destination>,
    schema: &Schema,
    plans: &[VariablePlan],
) -> Result<Box<dyn Writer>> {
    let destination = destination.into();
    let DestinationKind::Object(output) = destination.kind().clone() else {
        return Err(Error::Usage(format!(
            "a dataset of the kind {} is one file, and cannot be a store of keys",
            schema.kind.name()
        )));
    };
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
pub fn open(place: impl Into<Place>) -> Result<Box<dyn Reader>> {
    let place = place.into();
    match place.kind() {
        PlaceKind::Object(object) => open_object(object, &place),
        PlaceKind::Keys(store) => open_keys(&**store),
    }
}

fn open_object(object: &Arc<dyn Object>, place: &Place) -> Result<Box<dyn Reader>> {
    match detect(&**object)? {
        Format::Classic => Ok(Box::new(classic::ClassicReader::open(object.clone())?)),
        Format::Hdf5 => {
            let neighbours = place.neighbours().cloned();
            Ok(Box::new(netcdf4::Netcdf4Reader::open(
                object.clone(),
                neighbours,
            )?))
        }
    }
}

/// A format of keys is known by the keys that it cannot do without: it is asked for them here.
fn open_keys(_store: &dyn KeyStore) -> Result<Box<dyn Reader>> {
    Err(Error::UnknownFormat)
}

/// What the first bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Classic,
    Hdf5,
}

/// Finds the format by its magic number: `CDF` at the beginning, or HDF5's signature at the beginning or behind a user
/// block of 512, 1024, 2048… bytes.
fn detect(object: &dyn Object) -> Result<Format> {
    const HDF5: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
    let size = object.size().map_err(|e| Error::io("cannot read", e))?;
    // `None` where the object ends before: without a size, the end is where a read fails.
    let starts_with = |at: u64, magic: &[u8]| -> Result<Option<bool>> {
        let mut found = [0; 8];
        let found = &mut found[..magic.len()];
        match at.checked_add(magic.len() as u64) {
            Some(end) if size.is_none_or(|size| end <= size) => {}
            _ => return Ok(None),
        }
        match object.read_exact_at(at, found) {
            Ok(()) => Ok(Some(found == magic)),
            Err(e) if size.is_none() && e.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(e) => Err(Error::io("cannot read", e)),
        }
    };
    if starts_with(0, b"CDF")? == Some(true) {
        return Ok(Format::Classic);
    }
    let mut at = 0u64;
    while let Some(found) = starts_with(at, &HDF5)? {
        if found {
            return Ok(Format::Hdf5);
        }
        at = match at.checked_mul(2) {
            Some(0) => 512,
            Some(next) => next,
            None => break,
        };
    }
    Err(Error::UnknownFormat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryKeys;

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
        let missing = open(Place::keys("", Arc::new(MemoryKeys::new())));
        assert!(matches!(missing.err(), Some(Error::UnknownFormat)));
        let error = open(Arc::new(b"CDF\x03....".to_vec())).err().unwrap();
        assert_eq!(
            error.to_string(),
            "version 3 of the classic format is not supported"
        );
    }
}
