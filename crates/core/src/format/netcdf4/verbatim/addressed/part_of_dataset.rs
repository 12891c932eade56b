//! Copies some cells of a dataset whose elements hold addresses.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use ncutils_hdf5::{FileWriter, ObjectId};

use super::dataset::{SLAB, write_chunk};
use super::elements::{CopiedObjects, VerbatimShape};
use crate::chunk::{ChunkGrid, Region, byte_count, copy_region, element_count, resize};
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Registry, Scratch};
use crate::format::{Reader, Written};
use crate::model::{Storage, VarId};

/// A variable of [opaque bytes](super::super::copy::Verbatim::addressed) of which some cells are chosen.
#[derive(Clone, Copy)]
pub(in crate::format::netcdf4::verbatim) struct AddressedPart<'a> {
    pub(in crate::format::netcdf4::verbatim) reader: &'a dyn Reader,
    pub(in crate::format::netcdf4::verbatim) var: VarId,
}

impl AddressedPart<'_> {
    /// Number of chunks that the copy has.
    ///
    /// # Errors
    /// The index of the input's chunks cannot be read.
    pub(in crate::format::netcdf4::verbatim) fn chunk_count(self, shape: &[u64]) -> Result<u64> {
        let grid = ChunkGrid::new(&self.reader.layout(self.var).extent, shape)?;
        Ok(self.reader.written(self.var)?.chunks(&grid).len())
    }

    /// Copies the cells of the dataset at `address` to object `id` of the copy.
    ///
    /// # Errors
    /// An element or a filter cannot be read, or the output fails.
    pub(in crate::format::netcdf4::verbatim) fn copy(
        self,
        places: &CopiedObjects<'_>,
        registry: &Registry,
        address: u64,
        id: ObjectId,
        writer: &FileWriter,
    ) -> Result<()> {
        let written = self.reader.written(self.var)?;
        if written == Written::Nothing {
            return Ok(());
        }
        let file = places.file;
        let datatype = file
            .dataset(&file.object(address).map_err(hdf5_error)?)
            .map_err(hdf5_error)?
            .datatype;
        let elements = VerbatimShape::new(&datatype, file.offset_size())?;
        let layout = self.reader.layout(self.var);
        let element = layout.element_size;
        let moved = |region: &Region| {
            let bytes = self.reader.read_region(self.var, region)?.bytes;
            writer.resolve(&elements.data(bytes, places)?).map_err(hdf5_error)
        };
        let Storage::Chunked { shape } = &layout.storage else {
            let slab = (SLAB / element.max(1) as u64).max(1);
            let all = element_count(&layout.extent).unwrap_or(0);
            let mut at = 0;
            while at < all {
                let mut offset = at * element as u64;
                for region in Region::range(&layout.extent, at, slab) {
                    let bytes = moved(&region)?;
                    writer.write_storage(id, offset, &bytes).map_err(hdf5_error)?;
                    offset += bytes.len() as u64;
                }
                at += slab;
            }
            return Ok(());
        };
        let too_large = || Error::Unsupported("a chunk larger than memory".to_owned());
        let size = byte_count(shape, element).ok_or_else(too_large)?;
        let pipeline = registry.bind(&layout.filters, &ChunkType::of_bytes(size))?;
        let mut scratch = Scratch::new();
        let grid = ChunkGrid::new(&layout.extent, shape)?;
        for chunk in written.chunks(&grid) {
            let in_chunk = |error: Error| error.in_chunk(&grid.coordinates(chunk));
            let region = grid.region(chunk);
            let mut bytes = moved(&region).map_err(in_chunk)?;
            if grid.is_edge(chunk) {
                let origin = vec![0; shape.len()];
                let mut whole = Vec::new();
                resize(&mut whole, size)?;
                let count = &region.count;
                copy_region(
                    &bytes, count, &origin, &mut whole, shape, &origin, count, element, 1,
                )?;
                bytes = whole;
            }
            write_chunk((id, chunk), bytes, &pipeline, &mut scratch, writer).map_err(in_chunk)?;
        }
        Ok(())
    }
}
