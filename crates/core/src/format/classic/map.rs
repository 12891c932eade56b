//! Where the bytes of a classic file's variables lie.

use super::decode::decode;
use crate::error::Result;
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
