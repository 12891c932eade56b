//! The index of a Zarr shard at the end of an HDF5 file with one chunked dataset, compared with HDF5's own index.

use super::data::stored::StoredData;
use super::netcdf4_reader::Netcdf4Reader;
use crate::chunk::ChunkGrid;
use crate::format::zarr::IndexCodecs;
use crate::format::{Fault, Reader};
use crate::model::VarId;

/// Bytes of the shard's index; 0 if the file does not end with one. Chunks of which the two indexes differ are told to `found`.
pub(super) fn compare(reader: &Netcdf4Reader, found: &mut dyn FnMut(Fault)) -> u64 {
    compared(reader, found).unwrap_or(0)
}

fn compared(reader: &Netcdf4Reader, found: &mut dyn FnMut(Fault)) -> Option<u64> {
    let file = &reader.files.first()?.file;
    let mut chunked = reader.variables.iter().enumerate().filter(|(_, variable)| {
        variable.stored.file == 0 && matches!(variable.stored.data, StoredData::Chunked(_))
    });
    let (Some((n, _)), None) = (chunked.next(), chunked.next()) else {
        return None;
    };
    let (var, base) = (VarId(n), file.user_block_size());
    let layout = reader.layout(var);
    let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape()).ok()?;
    let codecs = IndexCodecs::default_written();
    let size = codecs.encoded_size(grid.len())? as u64;
    let behind = base.checked_add(file.trailing_bytes())?.checked_add(size)?;
    let bytes = file.read_bytes(file.end().checked_sub(behind)?, size).ok()?;
    let index = codecs.decode(&bytes, grid.counts()).ok()?;
    let table = reader.chunks(var).ok()?;
    for chunk in 0..grid.len() {
        let in_hdf5 = table.get(chunk).ok()?;
        let in_hdf5 = in_hdf5.map(|record| (record.address.saturating_add(base), record.size));
        let why = match index.range(chunk) {
            Ok(in_shard) if in_shard == in_hdf5 => continue,
            Ok(Some((offset, size))) => format!("{size} bytes at byte {offset}"),
            Ok(None) => "no chunk".to_owned(),
            Err(why) => why,
        };
        let own = match in_hdf5 {
            Some((address, size)) => format!("{size} bytes at byte {address}"),
            None => "no chunk".to_owned(),
        };
        let fault = Fault::new(format!(
            "the index of the shard tells {why}, and that of HDF5 {own}"
        ));
        found(
            fault
                .in_variable(&reader.schema().var_path(var))
                .in_chunk(&grid.coordinates(chunk)),
        );
    }
    Some(size)
}
