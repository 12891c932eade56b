//! Checks an HDF5 file's own structures: what could not be read of them, chunk indexes, and places of structures and raw
//! data that overlap.

use std::collections::HashSet;

use super::data::stored::StoredData;
use super::netcdf4_reader::Netcdf4Reader;
use super::shard_index;
use crate::chunk::ChunkGrid;
use crate::format::{Fault, OwnCheck, Reader};
use crate::model::VarId;

/// Bytes of a file that belong to one owner.
struct Extent {
    file: usize,
    begin: u64,
    end: u64,
    owner: Owner,
}

/// What bytes of a file hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// A structure, by its name in the specification.
    Structure(&'static str),
    /// Raw data of a variable in one piece.
    Data(usize),
    /// A chunk of a variable.
    Chunk(usize, u64),
}

/// What libhdf5 allocates ahead, in bytes, and may leave unused when it closes a file: a block for metadata, and one for small data.
const ALLOCATED_AHEAD: u64 = 2 * 2048;

/// Checks the structures of all variables, and tells what is wrong to `found`.
pub(super) fn check(reader: &Netcdf4Reader, found: &mut dyn FnMut(Fault)) -> OwnCheck {
    let schema = reader.schema();
    for fault in &reader.faults {
        found(fault.clone());
    }
    for refused in &schema.refused {
        found(Fault::new(refused));
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
                    // A part that cannot be read again is met when the data is read.
                    extents.extend(table.iter().flatten().map(|record| Extent {
                        file,
                        begin: record.address,
                        end: record.address.saturating_add(record.size),
                        owner: Owner::Chunk(n, record.index),
                    }));
                }
            }
            StoredData::Contiguous { address, size } if seen.insert((file, *address)) => {
                extents.push(Extent {
                    file,
                    begin: *address,
                    end: address.saturating_add(*size),
                    owner: Owner::Data(n),
                });
            }
            _ => {}
        }
    }
    for (file, open) in reader.files.iter().enumerate() {
        extents.extend(open.file.structures().into_iter().map(|block| Extent {
            file,
            begin: block.address,
            end: block.address.saturating_add(block.length),
            owner: Owner::Structure(block.what),
        }));
    }
    extents.retain(|extent| extent.begin < extent.end);
    extents.sort_unstable_by_key(|extent| (extent.file, extent.begin, extent.owner));
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
    let mut notes = Vec::new();
    match reader.files[0].file.trailing_bytes() {
        0 => {}
        1 => notes.push("1 byte follows the end of the HDF5 file".to_owned()),
        n => notes.push(format!("{n} bytes follow the end of the HDF5 file")),
    }
    let unreferenced = reader.files[0].file.bytes_without_reference();
    let unreferenced = unreferenced.unwrap_or_else(|error| {
        found(Fault::new(error.to_string()));
        None
    });
    let of_shard = shard_index::compare(reader, found);
    let unreferenced = unreferenced.map(|n| n.saturating_sub(of_shard));
    if let Some(n) = unreferenced.filter(|n| *n > ALLOCATED_AHEAD) {
        notes.push(format!(
            "the HDF5 file has {n} bytes that nothing refers to, which a copy does not have"
        ));
    }
    let old = reader.files[0].file.superblock_version() < 2;
    OwnCheck {
        uncovered: vec![match old {
            true => "the metadata: superblock, object headers, B-trees and heaps".to_owned(),
            false => "version 1 B-trees, and local and global heaps".to_owned(),
        }],
        notes,
        unreferenced,
        ..OwnCheck::default()
    }
}

fn overlap(reader: &Netcdf4Reader, before: &Extent, extent: &Extent) -> Fault {
    let schema = reader.schema();
    let index = |var: usize, chunk: u64| {
        let layout = reader.layout(VarId(var));
        let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape()).ok()?;
        Some(grid.coordinates(chunk))
    };
    let base = reader.files[extent.file].file.user_block_size();
    let other = match before.owner {
        Owner::Structure(what) => format!("{what} at byte {}", base.saturating_add(before.begin)),
        Owner::Data(var) => schema.var_path(VarId(var)),
        Owner::Chunk(var, chunk) => format!(
            "chunk {:?} of {}",
            index(var, chunk).unwrap_or_default(),
            schema.var_path(VarId(var))
        ),
    };
    let fault = match extent.owner {
        Owner::Structure(what) => Fault::new(format!("{what}: its bytes overlap those of {other}")),
        Owner::Data(var) | Owner::Chunk(var, _) => Fault::new(format!("its bytes overlap those of {other}"))
            .in_variable(&schema.var_path(VarId(var))),
    };
    let fault = fault.at_byte(base.checked_add(extent.begin));
    match extent.owner {
        Owner::Chunk(var, chunk) => index(var, chunk)
            .into_iter()
            .fold(fault, |fault, at| fault.in_chunk(&at)),
        _ => fault,
    }
}
