//! Where chunks and contiguous data lie in the file, for references to them.

use super::super::netcdf4_reader::Netcdf4Reader;
use super::stored::StoredData;
use crate::error::Result;
use crate::format::{PlaceObject, StoredPlace, StoredPlaces};
use crate::model::VarId;

impl StoredPlaces for Netcdf4Reader {
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        if !matches!(self.variables[var.0].stored.data, StoredData::Chunked(_)) {
            return Ok(None);
        }
        let Some(record) = self.chunk(var, chunk)? else {
            return Ok(None);
        };
        let place = self.place(var, record.address, record.size);
        let place = place.map_err(self.named_chunk(var, chunk))?;
        Ok(place.map(|place| StoredPlace {
            filter_mask: self.mask(var, chunk, &record),
            ..place
        }))
    }

    fn length_of_chunk(&self, _: VarId, _: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    fn place_of_bytes(&self, var: VarId, offset: u64, length: u64) -> Result<Option<StoredPlace>> {
        let StoredData::Contiguous { address, size } = &self.variables[var.0].stored.data else {
            return Ok(None);
        };
        let end = offset.checked_add(length).filter(|end| end <= size);
        match end.and_then(|_| address.checked_add(offset)) {
            Some(at) => self.place(var, at, length).map_err(self.named(var)),
            None => Ok(None),
        }
    }
}

impl Netcdf4Reader {
    /// The place of bytes at an address of a variable's file. `None` if that is not the file that was opened.
    fn place(&self, var: VarId, address: u64, size: u64) -> Result<Option<StoredPlace>> {
        if self.variables[var.0].stored.file != 0 {
            return Ok(None);
        }
        let range = self.range(var, address, size)?;
        Ok(Some(StoredPlace {
            object: PlaceObject::Dataset,
            range: Some((range.offset, range.length as u64)),
            filter_mask: 0,
            version: None,
        }))
    }
}
