//! Copies the data of a dataset whose elements hold addresses.

use crate::format::netcdf4::hdf5_error::hdf5_error;
use ncutils_hdf5::{Dataset, FileWriter, Layout, ObjectId};

use super::elements::{CopiedObjects, VerbatimShape};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, ChunkType, EncodedChunk, Pipeline, Registry, Scratch};
use crate::format::netcdf4::read::codec_specs;

/// Bytes of contiguous elements that are rewritten at once.
pub(in crate::format::netcdf4::verbatim) const SLAB: u64 = 4 << 20;

/// Copies the data of the dataset at `address` to object `id` of the copy.
///
/// # Errors
/// An element or a filter cannot be read, or the output fails.
pub(in crate::format::netcdf4::verbatim) fn copy(
    places: &CopiedObjects<'_>,
    registry: &Registry,
    address: u64,
    id: ObjectId,
    writer: &FileWriter,
) -> Result<()> {
    let file = places.file;
    let dataset = file
        .dataset(&file.object(address).map_err(hdf5_error)?)
        .map_err(hdf5_error)?;
    let shape = VerbatimShape::new(&dataset.datatype, file.offset_size())?;
    match &dataset.layout {
        Layout::Compact(bytes) => {
            let data = shape.data(bytes.clone(), places)?;
            writer
                .write_storage(id, 0, &writer.resolve(&data).map_err(hdf5_error)?)
                .map_err(hdf5_error)?;
        }
        Layout::Contiguous {
            address: Some(address),
            size,
        } => {
            let element = u64::from(dataset.datatype.size).max(1);
            let slab = (SLAB / element).max(1) * element;
            let mut at = 0;
            while at < *size {
                let bytes = file
                    .read_bytes(address.saturating_add(at), slab.min(size - at))
                    .map_err(hdf5_error)?;
                let length = bytes.len() as u64;
                let data = shape.data(bytes, places)?;
                writer
                    .write_storage(id, at, &writer.resolve(&data).map_err(hdf5_error)?)
                    .map_err(hdf5_error)?;
                at += length;
            }
        }
        Layout::Chunked(_) => chunks(places, registry, &dataset, &shape, id, writer)?,
        _ => {}
    }
    Ok(())
}

/// Encodes a whole chunk of an object of the copy, and writes it. `chunk` is the object, and the chunk's number.
///
/// # Errors
/// A codec or the output fails.
pub(in crate::format::netcdf4::verbatim) fn write_chunk(
    chunk: (ObjectId, u64),
    bytes: Vec<u8>,
    pipeline: &Pipeline,
    scratch: &mut Scratch,
    writer: &FileWriter,
) -> Result<()> {
    let encoded = match pipeline.is_empty() {
        true => EncodedChunk {
            bytes,
            filter_mask: 0,
        },
        false => pipeline.encode(&bytes, ChunkShape::Full, scratch)?,
    };
    let (id, number) = chunk;
    let length = encoded.bytes.len() as u64;
    let at = writer.reserve_chunk(id, number, length, encoded.filter_mask);
    let at = at.map_err(hdf5_error)?;
    writer.write_at(at, &encoded.bytes).map_err(hdf5_error)
}

fn chunks(
    places: &CopiedObjects<'_>,
    registry: &Registry,
    dataset: &Dataset,
    shape: &VerbatimShape,
    id: ObjectId,
    writer: &FileWriter,
) -> Result<()> {
    let Layout::Chunked(layout) = &dataset.layout else {
        return Ok(());
    };
    let size = layout
        .shape
        .iter()
        .try_fold(layout.element_size, |n, length| n.checked_mul(*length))
        .and_then(|size| usize::try_from(size).ok())
        .ok_or_else(|| Error::Unsupported("a chunk larger than memory".to_owned()))?;
    let specs = codec_specs(&dataset.filters);
    let pipeline = registry.bind(&specs, &ChunkType::of_bytes(size))?;
    let mut scratch = Scratch::new();
    let grid = crate::chunk::ChunkGrid::new(dataset.dataspace.dims(), &layout.shape)?;
    for record in places.file.chunk_table(dataset).map_err(hdf5_error)?.iter() {
        let record = record.map_err(hdf5_error)?;
        let in_chunk = |error: Error| error.in_chunk(&grid.coordinates(record.index));
        let mut stored = Vec::new();
        places
            .file
            .read_stored(&record, &mut stored)
            .map_err(hdf5_error)?;
        let plain = layout.edge_chunks_unfiltered && grid.is_edge(record.index);
        let bytes = match plain || specs.is_empty() {
            true => stored,
            false => {
                let chunk = EncodedChunk {
                    bytes: stored,
                    filter_mask: record.filter_mask,
                };
                let decoded = pipeline.decode(chunk, ChunkShape::Full, &mut scratch);
                decoded.map_err(in_chunk)?
            }
        };
        let data = shape.data(bytes, places).map_err(in_chunk)?;
        let resolved = writer.resolve(&data).map_err(hdf5_error)?;
        write_chunk((id, record.index), resolved, &pipeline, &mut scratch, writer).map_err(in_chunk)?;
    }
    Ok(())
}
