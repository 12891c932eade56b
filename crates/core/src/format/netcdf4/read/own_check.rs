//! Checks an HDF5 file's own structures: chunk indexes, and places of raw data that overlap.

use std::collections::HashSet;

use super::reader::Netcdf4Reader;
use super::stored::StoredData;
use crate::chunk::ChunkGrid;
use crate::format::{Fault, OwnCheck, Reader};
use crate::model::VarId;

/// Where a piece of raw data is.
struct Extent {
    file: usize,
    begin: u64,
    end: u64,
    var: VarId,
    chunk: Option<u64>,
}

/// Checks the structures of all variables, and tells what is wrong to `found`.
pub(super) fn check(reader: &Netcdf4Reader, found: &mut dyn FnMut(Fault)) -> OwnCheck {
    let schema = reader.schema();
    for fault in &schema.faults {
        found(Fault::new(fault));
    }
    let mut extents = Vec::new();
    let mut seen = HashSet::new();
    for (n, variable) in reader.variables.iter().enumerate() {
        let (var, file) = (VarId(n), variable.stored.file);
        match &variable.stored.data {
            StoredData::Chunked(dataset) => {
                let table = match reader.chunks(var) {
                    Ok(table) => table,
                    // The same error is told when the data is read.
                    Err(_) => continue,
                };
                for error in reader.index_faults(var) {
                    found(Fault::of(error).in_variable(&schema.var_path(var)));
                }
                // A dataset may be a variable twice, by two links.
                if seen.insert((file, dataset.address)) {
                    extents.extend(table.iter().map(|record| Extent {
                        file,
                        begin: record.address,
                        end: record.address.saturating_add(record.size),
                        var,
                        chunk: Some(record.index),
                    }));
                }
            }
            StoredData::Contiguous { address, size } if seen.insert((file, *address)) => {
                extents.push(Extent {
                    file,
                    begin: *address,
                    end: address.saturating_add(*size),
                    var,
                    chunk: None,
                });
            }
            _ => {}
        }
    }
    extents.retain(|extent| extent.begin < extent.end);
    extents.sort_unstable_by_key(|extent| (extent.file, extent.begin, extent.var.0, extent.chunk));
    // The piece so far that ends last.
    let mut last: Option<&Extent> = None;
    for extent in &extents {
        if let Some(before) = last
            && before.file == extent.file
            && before.end > extent.begin
        {
            found(overlap(reader, before, extent));
        }
        if last.is_none_or(|last| last.file != extent.file || last.end < extent.end) {
            last = Some(extent);
        }
    }
    let old = reader.files[0].file.superblock_version() < 2;
    OwnCheck {
        uncovered: vec![match old {
            true => "the metadata: superblock, object headers, B-trees and heaps".to_owned(),
            false => "version 1 B-trees, and local and global heaps".to_owned(),
        }],
        ..OwnCheck::default()
    }
}

fn overlap(reader: &Netcdf4Reader, before: &Extent, extent: &Extent) -> Fault {
    let schema = reader.schema();
    let index = |extent: &Extent| {
        let layout = reader.layout(extent.var);
        let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape()).ok()?;
        Some(grid.coordinates(extent.chunk?))
    };
    let other = match index(before) {
        Some(at) => format!("chunk {at:?} of {}", schema.var_path(before.var)),
        None => schema.var_path(before.var),
    };
    let base = reader.files[extent.file].file.user_block_size();
    let fault = Fault::new(format!("its bytes overlap those of {other}"))
        .in_variable(&schema.var_path(extent.var))
        .at_byte(base.checked_add(extent.begin));
    match index(extent) {
        Some(at) => fault.in_chunk(&at),
        None => fault,
    }
}
