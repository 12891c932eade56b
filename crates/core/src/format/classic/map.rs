//! Where the bytes of a classic file's variables lie.

use super::header::decode::decode;
use super::reader::ClassicReader;
use crate::error::Result;
use crate::format::{PlaceObject, StoredPlace, StoredPlaces};
use crate::model::VarId;
use crate::store::Object;

/// The positions of all variables of a classic file.
#[derive(Debug, Clone)]
pub(in crate::format) struct FileMap {
    /// The fourth byte of the file: 1, 2 or 5.
    pub version: u8,
    /// Bytes of the header.
    pub header: u64,
    /// Number of records.
    pub records: u64,
    /// Bytes from one record to the next.
    pub record_size: u64,
    /// The variables, in the order of the header.
    pub variables: Vec<MappedVariable>,
}

/// The position of one variable.
#[derive(Debug, Clone, Copy)]
pub(in crate::format) struct MappedVariable {
    /// Position of the first byte.
    pub begin: u64,
    /// Bytes of the variable; of a record variable, within one record.
    pub slab: u64,
    /// True for a record variable.
    pub record: bool,
    /// Bytes of an element.
    pub element: u32,
}

impl FileMap {
    /// Reads the header of a file that starts with `CDF`.
    ///
    /// # Errors
    /// Those of opening the file.
    pub fn read(source: &dyn Object) -> Result<Self> {
        let header = decode(source)?;
        let sizes = header
            .schema
            .vars
            .iter()
            .map(|var| header.schema.type_size(var.ty));
        let variables = header
            .places
            .iter()
            .zip(sizes)
            .map(|(place, size)| MappedVariable {
                begin: place.begin,
                slab: place.slab,
                record: place.record,
                element: size as u32,
            });
        Ok(Self {
            version: header.version.byte(),
            header: header.end,
            records: header.geometry.records,
            record_size: header.geometry.record_size,
            variables: variables.collect(),
        })
    }
}

impl StoredPlaces for ClassicReader {
    fn place_of_chunk(&self, _: VarId, _: u64) -> Result<Option<StoredPlace>> {
        Ok(None)
    }

    fn length_of_chunk(&self, _: VarId, _: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    fn piece_of_bytes(&self, var: VarId) -> Result<Option<u64>> {
        let piece = self.geometry.piece(&self.places[var.0], 0, u64::MAX);
        Ok(Some(piece.length).filter(|length| *length > 0))
    }

    fn place_of_bytes(&self, var: VarId, offset: u64, length: u64) -> Result<Option<StoredPlace>> {
        let place = &self.places[var.0];
        let piece = self.geometry.piece(place, offset, length);
        let fits = |end: u64| self.size.is_none_or(|size| end <= size);
        let is_whole = piece.length == length && piece.at.checked_add(length).is_some_and(fits);
        Ok(is_whole.then_some(StoredPlace {
            object: PlaceObject::Dataset,
            range: Some((piece.at, length)),
            filter_mask: 0,
            version: None,
        }))
    }
}
