//! How the variables of a CDL text are stored: what its storage attributes ask for, and netCDF-C's choice for the rest.

use super::storage_attributes::{StorageAttributes, StorageKind};
use crate::copy::plan::{MAX_CHUNK_BYTES, check_kind, default_chunk_shape};
use crate::copy::{CopyPlan, VariableCopy};
use crate::error::{Error, Result};
use crate::filter::{Element, working};
use crate::format::Reader;
use crate::model::{
    Encoding, Endian, Fill, FillTime, Kind, Schema, Storage, Type, VarId, VariableLayout, default_fill_value,
    fill_value_attribute,
};

const DEFLATE: u32 = 1;
const SHUFFLE: u32 = 2;
const FLETCHER32: u32 = 3;

/// Plans a file of kind `kind` from what `reader` read of a text, stored as `storage` asks: one entry for each variable. With
/// `no_fill`, variables that the text gives no values keep whatever is there (`ncgen -x`).
///
/// # Errors
/// [`Error::Usage`] for what the kind cannot hold, and storage that a variable cannot have.
pub fn plan(
    reader: &dyn Reader,
    storage: &[StorageAttributes],
    kind: Kind,
    no_fill: bool,
) -> Result<CopyPlan> {
    let mut schema = reader.schema().clone();
    schema.kind = kind;
    check_kind(&schema, kind)?;
    let mut variables = Vec::with_capacity(schema.vars.len());
    for (at, asked) in storage.iter().enumerate() {
        let var = VarId(at);
        let source = reader.layout(var);
        let layout = layout(&schema, var, source, asked, no_fill)
            .map_err(|error| error.in_variable(&schema.var_path(var)))?;
        variables.push(VariableCopy {
            source: source.allocated.then_some(var),
            layout,
        });
    }
    Ok(CopyPlan { schema, variables })
}

fn layout(
    schema: &Schema,
    id: VarId,
    source: &VariableLayout,
    asked: &StorageAttributes,
    no_fill: bool,
) -> Result<VariableLayout> {
    let var = schema.var(id);
    let hdf5 = schema.kind.is_hdf5();
    let (element_size, encoding) = schema.storage_encoding(var.ty);
    let no_fill = asked.no_fill.unwrap_or(no_fill);
    let value = if no_fill && hdf5 {
        None
    } else {
        fill_value_attribute(var)
            .cloned()
            .or_else(|| default_fill_value(var.ty))
    };
    let mut layout = VariableLayout {
        storage: Storage::Contiguous,
        extent: source.extent.clone(),
        element_size,
        encoding,
        endian: if hdf5 {
            asked.endianness.unwrap_or(Endian::Little)
        } else {
            Endian::Big
        },
        filters: Vec::new(),
        edge_chunks_unfiltered: false,
        fill: Fill {
            explicit: value.is_some(),
            no_fill: value.is_none(),
            value,
            time: if no_fill { FillTime::Never } else { FillTime::IfSet },
        },
        allocated: source.allocated,
    };
    if !hdf5 || var.dims.is_empty() {
        if hdf5 && asked.storage == Some(StorageKind::Compact) {
            layout.storage = Storage::Compact;
        }
        return Ok(layout);
    }
    let requested = filters(asked);
    layout.storage = storage_of(schema, id, asked, element_size, !requested.is_empty())?;
    if let Storage::Chunked { shape } = &layout.storage {
        let number = match encoding {
            Encoding::Numbers { unit: 1 } if var.ty != Type::Char => Some(Endian::Little),
            Encoding::Numbers { .. } if var.ty != Type::Char => Some(layout.endian),
            _ => None,
        };
        layout.filters = working::new_pipeline(
            &requested,
            Element {
                size: element_size,
                number,
            },
            shape,
        )?;
    }
    Ok(layout)
}

/// The filters asked for: ids and visible parameters, in the order in which netCDF-C's ncgen sets them.
fn filters(asked: &StorageAttributes) -> Vec<(u32, Vec<u32>)> {
    let mut filters = Vec::new();
    if asked.shuffle == Some(true) {
        filters.push((SHUFFLE, Vec::new()));
    }
    if let Some(level @ 1..) = asked.deflate_level {
        filters.push((DEFLATE, vec![level]));
    }
    if asked.fletcher32 == Some(true) {
        filters.push((FLETCHER32, Vec::new()));
    }
    filters.extend(asked.filters.iter().flatten().cloned());
    filters
}

fn storage_of(
    schema: &Schema,
    id: VarId,
    asked: &StorageAttributes,
    element_size: usize,
    filtered: bool,
) -> Result<Storage> {
    let dims: Vec<_> = schema.var(id).dims.iter().map(|d| schema.dim(*d)).collect();
    let unlimited = dims.iter().find(|d| d.unlimited);
    match asked.storage {
        Some(kind @ (StorageKind::Contiguous | StorageKind::Compact)) => {
            let word = if kind == StorageKind::Compact {
                "compact"
            } else {
                "contiguous"
            };
            let why_not = if let Some(dim) = unlimited {
                format!("the dimension {} is unlimited", dim.name)
            } else if asked.chunk_sizes.is_some() {
                "_ChunkSizes asks for chunks".to_owned()
            } else if filtered {
                "filters need chunks".to_owned()
            } else {
                return Ok(if kind == StorageKind::Compact {
                    Storage::Compact
                } else {
                    Storage::Contiguous
                });
            };
            return Err(Error::Usage(format!(
                "_Storage = \"{word}\" is not possible: {why_not}"
            )));
        }
        Some(StorageKind::Chunked) => {}
        None if asked.chunk_sizes.is_none() && !filtered && unlimited.is_none() => {
            return Ok(Storage::Contiguous);
        }
        None => {}
    }
    let lengths: Vec<_> = dims.iter().map(|d| (d.length, d.unlimited)).collect();
    let shape = match &asked.chunk_sizes {
        None => default_chunk_shape(element_size, &lengths),
        Some(sizes) => {
            if sizes.len() != dims.len() {
                return Err(Error::Usage(format!(
                    "_ChunkSizes has {} lengths, and the variable has {} dimensions",
                    sizes.len(),
                    dims.len()
                )));
            }
            if let Some((size, dim)) = sizes
                .iter()
                .zip(&dims)
                .find(|(n, d)| !d.unlimited && **n > d.length.max(1))
            {
                return Err(Error::Usage(format!(
                    "_ChunkSizes: the chunk length {size} exceeds the dimension {} of length {}",
                    dim.name, dim.length
                )));
            }
            let bytes = sizes
                .iter()
                .try_fold(element_size as u64, |n, size| n.checked_mul(*size));
            if bytes.is_none_or(|n| n > MAX_CHUNK_BYTES) {
                return Err(Error::Usage(
                    "_ChunkSizes: a chunk would be larger than 4 GiB; ask for smaller lengths".into(),
                ));
            }
            sizes.clone()
        }
    };
    Ok(Storage::Chunked { shape })
}
