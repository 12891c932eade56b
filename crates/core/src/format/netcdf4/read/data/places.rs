//! Where chunks and contiguous data lie in the file, for references to them.

use super::super::netcdf4_reader::{Netcdf4Reader, in_chunk};
use super::stored::StoredData;
use crate::chunk::element_count;
use crate::error::Result;
use crate::format::{PlaceObject, Reader, StoredPlace, StoredPlaces};
use crate::model::VarId;

impl StoredPlaces for Netcdf4Reader {
    fn place_of_chunk(&self, var: VarId, chunk: u64) -> Result<Option<StoredPlace>> {
        if let Some((data, target)) = self.virtual_variable(var) {
            let place = data.place_of_chunk(&target, chunk);
            let place = place.map_err(|e| in_chunk(e, self.layout(var), chunk));
            return Ok(self.by_name(var, place.map_err(self.named(var))?));
        }
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

    fn piece_of_bytes(&self, var: VarId) -> Result<Option<u64>> {
        let stored = &self.variables[var.0].stored;
        let piece = match &stored.data {
            StoredData::Contiguous { size, .. } => Ok(Some(*size)),
            StoredData::External(data) => {
                let layout = &stored.layout;
                let bytes =
                    element_count(&layout.extent).and_then(|n| n.checked_mul(layout.element_size as u64));
                Ok(bytes.map(|bytes| data.piece(bytes)))
            }
            StoredData::Virtual(_) => match self.virtual_variable(var) {
                Some((data, target)) => data.piece(&target),
                None => Ok(None),
            },
            _ => Ok(None),
        };
        let piece = piece.map_err(self.named(var))?;
        Ok(piece.filter(|piece| *piece > 0))
    }

    fn place_of_bytes(&self, var: VarId, offset: u64, length: u64) -> Result<Option<StoredPlace>> {
        let (address, size) = match &self.variables[var.0].stored.data {
            StoredData::Contiguous { address, size } => (address, size),
            StoredData::External(data) => return data.place(offset, length).map_err(self.named(var)),
            _ => {
                let Some((data, target)) = self.virtual_variable(var) else {
                    return Ok(None);
                };
                let place = data.place_of_bytes(&target, offset, length);
                return Ok(self.by_name(var, place.map_err(self.named(var))?));
            }
        };
        let end = offset.checked_add(length).filter(|end| end <= size);
        match end.and_then(|_| address.checked_add(offset)) {
            Some(at) => self.place(var, at, length).map_err(self.named(var)),
            None => Ok(None),
        }
    }
}

impl Netcdf4Reader {
    /// The place of bytes at an address of a variable's file.
    fn place(&self, var: VarId, address: u64, size: u64) -> Result<Option<StoredPlace>> {
        let range = self.range(var, address, size)?;
        let place = StoredPlace {
            object: PlaceObject::Dataset,
            range: Some((range.offset, range.length as u64)),
            filter_mask: 0,
            version: None,
        };
        Ok(self.by_name(var, Some(place)))
    }

    /// A place that may be in a variable's file, by the name of that file if it is not the input. `None` if the name is not UTF-8.
    fn by_name(&self, var: VarId, place: Option<StoredPlace>) -> Option<StoredPlace> {
        let (file, place) = (self.file(var), place?);
        if place.object != PlaceObject::Dataset || file.name.is_empty() {
            return Some(place);
        }
        let is_text = !file.name.contains(char::REPLACEMENT_CHARACTER);
        is_text.then(|| StoredPlace {
            object: PlaceObject::Named(file.name.as_str().into()),
            version: file.version.clone(),
            ..place
        })
    }
}
