//! Plans the storage of a CDL text's variables: by their storage attributes, and by netCDF-C's defaults for the rest.

use super::attributes::{StorageAttributes, StorageKind};
use crate::copy::plan::{
    MAX_CHUNK_BYTES, MAX_COMPACT_BYTES, Notices, StringLength, auto_shard, chunk_bytes, default_chunk_shape,
    fit_strings, one_chunk, possible_storage, whole_chunks,
};
use crate::copy::quantization::Quantization;
use crate::copy::{CopyPlan, Sources, VariableCopy};
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Registry};
use crate::format::{Reader, Written};
use crate::model::{
    Dimension, Endian, Fill, FillTime, IndexLocation, Item, Kind, Schema, SharedLayouts, SizesInC, Storage,
    Type, TypeClass, VarId, VariableLayout, default_fill_value, fill_value_attribute,
};

/// Options for making a file of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanOptions {
    /// The kind of the file, which must be able to hold the text: the result of [`infer`](super::inferred_kind::infer).
    pub kind: Kind,
    /// Variables get no fill value, so elements without a value are undefined (`ncgen -x`).
    pub no_fill: bool,
    /// Values are left out (`ncgen -H`).
    pub header_only: bool,
    /// The bytes of each string, in kinds where all strings of a variable take the same number (`ncgen --strlen`).
    pub string_length: Option<StringLength>,
}

/// Plans a file of the text that `reader` reads, one entry for each variable, with the storage asked for in `storage`.
/// `registry` supplies the codecs that encode the chunks.
///
/// # Errors
/// [`Error::Usage`] for storage that a variable cannot have.
pub fn plan(
    reader: &dyn Reader,
    storage: &[StorageAttributes],
    options: PlanOptions,
    registry: &Registry,
) -> Result<CopyPlan> {
    let mut schema = reader.schema().clone();
    schema.kind = options.kind;
    if options.header_only {
        schema
            .dims
            .iter_mut()
            .filter(|d| d.unlimited)
            .for_each(|d| d.length = 0);
    }
    if schema.kind.can().fixes_unlimited() {
        schema.dims.iter_mut().for_each(|d| d.unlimited = false);
    }
    let sizes = SizesInC::new(&schema);
    let mut variables = Vec::with_capacity(schema.vars.len());
    let mut layouts = SharedLayouts::default();
    for (at, asked) in storage.iter().enumerate() {
        let var = VarId(at);
        let mut source = reader.layout(var).clone();
        if options.header_only {
            source.extent = schema.shape(var);
        }
        let written = !options.header_only && reader.written(var)? != Written::Nothing;
        let layout = layout(
            reader, &schema, &sizes, var, &source, written, asked, options, registry,
        )
        .map_err(|error| error.in_variable(&schema.var_path(var)))?;
        let sources = match written {
            true => Sources::Whole(var),
            false => Sources::Nothing,
        };
        variables.push(VariableCopy {
            // `_NoFill` and `ncgen -x` ask for it explicitly.
            keeps_no_fill: true,
            cuts_strings: options.string_length.is_some_and(|asked| asked.cut),
            quantization: match schema.kind.can().codecs {
                Some(_) => Quantization::of(schema.var(var))
                    .map_err(|error| error.in_variable(&schema.var_path(var)))?,
                None => None,
            },
            ..VariableCopy::new(sources, layouts.share(layout))
        });
    }
    Ok(CopyPlan {
        schema,
        variables,
        registry: registry.clone(),
        choices: Vec::new(),
        notices: Notices::default(),
        grows: false,
    })
}

fn layout(
    reader: &dyn Reader,
    schema: &Schema,
    sizes: &SizesInC,
    id: VarId,
    source: &VariableLayout,
    written: bool,
    asked: &StorageAttributes,
    options: PlanOptions,
    registry: &Registry,
) -> Result<VariableLayout> {
    let var = schema.var(id);
    let can = schema.kind.can();
    let (element_size, encoding) = schema.storage_encoding(var.ty);
    let no_fill = asked.no_fill.unwrap_or(options.no_fill);
    let value = if no_fill && can.no_fill {
        None
    } else {
        fill_value_attribute(var)
            .cloned()
            .or_else(|| default_fill_value(fill_type(schema, var.ty)))
    };
    // A list shorter than the unlimited dimension is extended to all records.
    let mut extent = match written || !can.own_extents {
        true => schema.shape(id),
        false => source.extent.clone(),
    };
    if can.own_extents && extent.contains(&0) {
        // Make all unlimited dimensions of an empty variable 0, as netCDF-C does. Given an extent such as 3 × 0, it
        // accesses memory for the dimensions that are not 0.
        for (length, dim) in extent.iter_mut().zip(&var.dims) {
            if schema.dim(*dim).unlimited {
                *length = 0;
            }
        }
    }
    let mut layout = VariableLayout {
        endian: can.byte_order.unwrap_or_else(|| {
            asked
                .endianness
                .or(asked.order_of_bytes)
                .unwrap_or(Endian::Little)
        }),
        shard_index: match can.shards {
            true => asked.shard_index.unwrap_or_default(),
            false => IndexLocation::End,
        },
        fill: Fill {
            explicit: value.is_some(),
            no_fill,
            value,
            time: if no_fill { FillTime::Never } else { FillTime::IfSet },
            ..Fill::default()
        },
        ..VariableLayout::contiguous(extent, element_size, encoding)
    };
    if can.chunks {
        fit_strings(
            reader,
            written.then_some(id),
            schema,
            id,
            &mut layout,
            options.string_length,
        )?;
        let stored_size = layout.stored_size();
        let text = reader.schema();
        let storage = storage_of(text, schema, sizes, id, asked, stored_size, asked.has_codecs())?;
        let dims: Vec<_> = var.dims.iter().map(|d| schema.dim(*d)).collect();
        layout.storage = possible_storage(can, storage, stored_size, &dims);
        if can.shards {
            layout.shard = shard(schema, id, asked, &layout)?;
        }
        if let (Storage::Chunked { shape }, Some(names)) = (&layout.storage, can.codecs) {
            let chunk = ChunkType::new(schema, var.ty, &layout, shape).with_fill(&layout.fill);
            layout.filters = asked
                .pipeline(registry, names, &chunk)
                .and_then(|new| new.iter().map(|f| registry.in_output(f, names, &chunk)).collect())
                .map_err(|error| error.about(Item::StorageAttribute(id, asked.codecs_from(names))))?;
        }
    }
    Ok(layout)
}

/// The shards of a variable with a planned layout. A text that says how the variable is stored, and nothing of shards, asks for
/// none.
fn shard(
    schema: &Schema,
    id: VarId,
    asked: &StorageAttributes,
    layout: &VariableLayout,
) -> Result<Option<Vec<u64>>> {
    let Some(sizes) = &asked.shard_sizes else {
        return Ok(match asked.storage {
            Some(_) => None,
            None => auto_shard(layout),
        });
    };
    let dims = &schema.var(id).dims;
    let names: Vec<_> = dims.iter().map(|dim| schema.dim(*dim).name.as_str()).collect();
    whole_chunks(sizes, layout.chunk_shape(), &names).map_err(|why| {
        Error::Usage(format!("_ShardSizes: {why}")).about(Item::StorageAttribute(id, "_ShardSizes"))
    })?;
    Ok(Some(sizes.clone()).filter(|_| !dims.is_empty()))
}

/// The type whose default fill value elements of type `ty` get. As in netCDF-C, it is the integer type for an enum.
pub(crate) fn fill_type(schema: &Schema, ty: Type) -> Type {
    match ty {
        Type::User(id) => match schema.user_type(id).class {
            TypeClass::Enum { base, .. } => base,
            _ => ty,
        },
        atomic => atomic,
    }
}

/// The requested storage, or netCDF-C's default. `text` is the schema as the text has it, `schema` the file's. Filters need chunks, whatever `_Storage` says.
fn storage_of(
    text: &Schema,
    schema: &Schema,
    sizes: &SizesInC,
    id: VarId,
    asked: &StorageAttributes,
    element_size: usize,
    filtered: bool,
) -> Result<Storage> {
    let can = schema.kind.can();
    let dims: Vec<_> = schema.var(id).dims.iter().map(|d| schema.dim(*d)).collect();
    let refuse = |attribute, why| Err(Error::Usage(why).about(Item::StorageAttribute(id, attribute)));
    let refuse_storage = |why: String| refuse("_Storage", why);
    let refuse_sizes = |why: String| refuse("_ChunkSizes", why);
    let unlimited = dims.iter().find(|d| d.unlimited);
    let in_one_piece = match asked.storage {
        _ if !can.contiguous => None,
        Some(StorageKind::Chunked) => None,
        Some(StorageKind::Contiguous) => Some((Storage::Contiguous, "contiguous")),
        Some(StorageKind::Compact) => Some((Storage::Compact, "compact")),
        None if unlimited.is_none() => Some((Storage::Contiguous, "contiguous")),
        None => None,
    };
    if dims.is_empty() {
        let chunked = asked.chunk_sizes.is_some() || filtered;
        return match in_one_piece {
            None if !can.contiguous && asked.chunk_sizes.is_none() => {
                Ok(Storage::Chunked { shape: Vec::new() })
            }
            // `ncdump -s` prints it for the scalars of kinds where every variable has chunks.
            None if !chunked => Ok(Storage::Contiguous),
            Some((storage, _)) if !filtered => Ok(storage),
            _ => Err(Error::Usage(
                "a scalar has neither chunks nor filters; take these attributes away".into(),
            )),
        };
    }
    if let Some((storage, word)) = in_one_piece {
        let bytes = chunk_bytes(&schema.shape(id), element_size);
        match unlimited {
            Some(dim) => {
                return refuse_storage(format!(
                    "_Storage = \"{word}\" is not possible, as the dimension {} is unlimited",
                    dim.name
                ));
            }
            None if filtered && storage == Storage::Compact => {
                return refuse_storage(
                    "_Storage = \"compact\" is not possible with filters, which need chunks".into(),
                );
            }
            None if storage == Storage::Compact && bytes.is_none_or(|n| n > MAX_COMPACT_BYTES) => {
                return refuse_storage(format!(
                    "_Storage = \"compact\" is for variables of at most {MAX_COMPACT_BYTES} bytes"
                ));
            }
            None if !filtered => return Ok(storage),
            None => {}
        }
    }
    let one_piece = matches!(
        asked.storage,
        Some(StorageKind::Contiguous | StorageKind::Compact)
    );
    let mut shape = match &asked.chunk_sizes {
        _ if one_piece && !can.contiguous => one_chunk(&dims),
        Some(sizes) => sizes.clone(),
        None => {
            let records = |d: &Dimension| d.unlimited && can.contiguous;
            let lengths: Vec<_> = dims.iter().map(|d| (d.length, records(d))).collect();
            let size = match can.fixed_strings {
                true => element_size,
                false => sizes.of(schema.var(id).ty).size,
            };
            default_chunk_shape(can, size, &lengths)
        }
    };
    if shape.len() != dims.len() {
        return refuse_sizes(format!(
            "_ChunkSizes needs one length for each dimension: {} in all, not {}",
            dims.len(),
            shape.len()
        ));
    }
    for (length, dim) in shape.iter_mut().zip(&schema.var(id).dims) {
        let fixed = schema.dim(*dim);
        if text.dim(*dim).unlimited && !fixed.unlimited {
            *length = (*length).min(fixed.length.max(1));
        }
    }
    let beyond = |(size, dim): &(&u64, &&Dimension)| !dim.unlimited && **size > dim.length.max(1);
    if !can.chunks_past_dimensions
        && let Some((size, dim)) = shape.iter().zip(&dims).find(beyond)
    {
        return refuse_sizes(format!(
            "_ChunkSizes: the chunk length {size} exceeds the dimension {} of length {}",
            dim.name, dim.length
        ));
    }
    if chunk_bytes(&shape, element_size).is_none_or(|n| n > MAX_CHUNK_BYTES) {
        return refuse_sizes(
            "_ChunkSizes: a chunk would be larger than 4 GiB; ask for smaller lengths".into(),
        );
    }
    Ok(Storage::Chunked { shape })
}

#[cfg(test)]
mod tests;
