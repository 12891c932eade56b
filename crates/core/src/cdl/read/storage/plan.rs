//! Plans the storage of a CDL text's variables: by their storage attributes, and by netCDF-C's defaults for the rest.

use super::attributes::{StorageAttributes, StorageKind};
use crate::copy::plan::string_length::fit_strings;
use crate::copy::plan::{
    MAX_CHUNK_BYTES, MAX_COMPACT_BYTES, StringLength, chunk_bytes, default_shape, one_chunk, possible_storage,
};
use crate::copy::quantization::Quantization;
use crate::copy::{CopyPlan, Sources, VariableCopy};
use crate::error::{Error, Result};
use crate::filter::{ChunkType, Registry};
use crate::format::{Reader, Written};
use crate::model::{
    Dimension, EdgeChunks, Endian, Fill, FillTime, Item, Kind, Schema, SharedLayouts, SizesInC, Storage,
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
        variables.push(VariableCopy {
            sources: match written {
                true => Sources::Whole(var),
                false => Sources::Nothing,
            },
            layout: layouts.share(layout),
            // `_NoFill` and `ncgen -x` ask for it explicitly.
            keeps_no_fill: true,
            skips_fill: false,
            cuts_strings: options.string_length.is_some_and(|asked| asked.cut),
            quantization: match schema.kind.can().codecs {
                Some(_) => Quantization::of(schema.var(var))
                    .map_err(|error| error.in_variable(&schema.var_path(var)))?,
                None => None,
            },
        });
    }
    Ok(CopyPlan {
        schema,
        variables,
        registry: registry.clone(),
        choices: Vec::new(),
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
        storage: Storage::Contiguous,
        extent,
        element_size,
        encoding,
        endian: can
            .byte_order
            .unwrap_or_else(|| asked.endianness.unwrap_or(Endian::Little)),
        filters: Vec::new(),
        edges: EdgeChunks::Full,
        shard: None,
        string_length: None,
        fill: Fill {
            explicit: value.is_some(),
            no_fill,
            value,
            time: if no_fill { FillTime::Never } else { FillTime::IfSet },
        },
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
        if let (Storage::Chunked { shape }, Some(names)) = (&layout.storage, can.codecs) {
            let chunk = ChunkType::new(schema, var.ty, &layout, shape).with_fill(&layout.fill);
            layout.filters = asked
                .pipeline(registry, &chunk)
                .and_then(|new| new.iter().map(|f| registry.named(f, names, &chunk)).collect())
                .map_err(|error| error.about(Item::StorageAttribute(id, asked.codecs_from())))?;
        }
    }
    Ok(layout)
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
            default_shape(can, size, &lengths)
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
mod tests {
    use super::*;
    use crate::format::in_memory::InMemoryReader;
    use crate::model::{Capabilities, Values, Variable};

    const OPTIONS: PlanOptions = PlanOptions {
        kind: Kind::Netcdf4,
        no_fill: false,
        header_only: false,
        string_length: None,
    };

    /// `float v(t, x)` of 3 × 20 elements, t being unlimited, `short w(x)` and the scalar `double s`.
    fn dataset() -> InMemoryReader {
        let mut schema = Schema::new(Kind::Netcdf4);
        let dims: Vec<_> = [("t", 3, true), ("x", 20, false)]
            .map(|(name, length, unlimited)| {
                schema.add_dim(Dimension {
                    name: name.into(),
                    group: Schema::ROOT,
                    length,
                    unlimited,
                })
            })
            .into();
        for (name, ty, dims) in [
            ("v", Type::Float, &dims[..]),
            ("w", Type::Short, &dims[1..]),
            ("s", Type::Double, &[]),
        ] {
            schema.add_var(Variable {
                name: name.into(),
                group: Schema::ROOT,
                ty,
                dims: dims.to_vec(),
                attributes: Vec::new().into(),
            });
        }
        InMemoryReader::new(schema, vec![Values::default(); 3])
    }

    /// Plans with `asked` for the variable at `var`.
    fn planned(var: usize, asked: StorageAttributes, options: PlanOptions) -> Result<CopyPlan> {
        let mut storage = vec![StorageAttributes::default(); 3];
        storage[var] = asked;
        plan(&dataset(), &storage, options, &Registry::builtin())
    }

    fn layout_of(var: usize, asked: StorageAttributes) -> VariableLayout {
        let planned = planned(var, asked, OPTIONS).unwrap();
        VariableLayout::clone(&planned.variables[var].layout)
    }

    fn chunked(shape: &[u64]) -> Storage {
        Storage::Chunked {
            shape: shape.to_vec(),
        }
    }

    #[test]
    fn what_nobody_asks_for_is_as_in_netcdf_c() {
        let plan = planned(0, StorageAttributes::default(), OPTIONS).unwrap();
        let storage: Vec<_> = plan.variables.iter().map(|v| v.layout.storage.clone()).collect();
        assert_eq!(
            storage,
            [chunked(&[1, 20]), Storage::Contiguous, Storage::Contiguous]
        );
        let w = &plan.variables[1].layout;
        assert_eq!((w.endian, w.fill.time), (Endian::Little, FillTime::IfSet));
        assert_eq!(w.fill.value.as_ref().unwrap().bytes, (-32767i16).to_le_bytes());
        let classic = PlanOptions {
            kind: Kind::Classic,
            ..OPTIONS
        };
        let plan = planned(0, StorageAttributes::default(), classic).unwrap();
        assert_eq!(plan.schema.kind, Kind::Classic);
        let v = &plan.variables[0].layout;
        assert_eq!((v.storage.clone(), v.endian), (Storage::Contiguous, Endian::Big));
    }

    #[test]
    fn what_is_asked_for_takes_effect() {
        let w = layout_of(
            1,
            StorageAttributes {
                deflate_level: Some(4),
                shuffle: Some(true),
                fletcher32: Some(true),
                filters: Some(vec![crate::filter::AskedCodec::id(32015, [3])]),
                endianness: Some(Endian::Big),
                ..Default::default()
            },
        );
        let filters: Vec<_> = w
            .filters
            .iter()
            .map(|f| (f.hdf5_id().unwrap(), f.parameters()))
            .collect();
        assert_eq!(filters, [(3, &[][..]), (2, &[2]), (1, &[4]), (32015, &[3])]);
        assert_eq!((w.storage, w.endian), (chunked(&[20]), Endian::Big));
        let v = layout_of(
            0,
            StorageAttributes {
                chunk_sizes: Some(vec![7, 10]),
                storage: Some(StorageKind::Chunked),
                no_fill: Some(true),
                ..Default::default()
            },
        );
        assert_eq!(v.storage, chunked(&[7, 10]));
        assert!(v.fill.no_fill && v.fill.value.is_none() && v.fill.time == FillTime::Never);
        for var in [1, 2] {
            let compact = StorageAttributes {
                storage: Some(StorageKind::Compact),
                ..Default::default()
            };
            assert_eq!(layout_of(var, compact).storage, Storage::Compact);
        }
    }

    #[test]
    fn options_of_the_whole_file() {
        let header = PlanOptions {
            header_only: true,
            no_fill: true,
            ..OPTIONS
        };
        let plan = planned(0, StorageAttributes::default(), header).unwrap();
        assert_eq!(plan.schema.dims[0].length, 0);
        assert!(
            plan.variables
                .iter()
                .all(|v| v.sources == Sources::Nothing && v.layout.fill.no_fill)
        );
        assert_eq!(plan.variables[0].layout.extent, [0, 20]);
    }

    #[test]
    fn every_variable_has_chunks_where_nothing_is_contiguous() {
        static ARRAYS: Capabilities = {
            let mut can = Capabilities::new("arrays");
            can.contiguous = false;
            can.chunks = true;
            can.chunks_past_dimensions = true;
            can
        };
        let options = PlanOptions {
            kind: Kind::Other(&ARRAYS),
            ..OPTIONS
        };
        let sizes = |sizes: &[u64]| StorageAttributes {
            storage: Some(StorageKind::Chunked),
            chunk_sizes: Some(sizes.to_vec()),
            ..Default::default()
        };
        let compact = StorageAttributes {
            storage: Some(StorageKind::Compact),
            ..Default::default()
        };
        let chunked_scalar = StorageAttributes {
            storage: Some(StorageKind::Chunked),
            ..Default::default()
        };
        for (var, asked, shape) in [
            (0, StorageAttributes::default(), &[3, 20][..]),
            (0, compact, &[3, 20]),
            // The unlimited dimension of the text becomes fixed.
            (0, sizes(&[7, 30]), &[3, 30]),
            (1, sizes(&[30]), &[30]),
            (2, StorageAttributes::default(), &[]),
            (2, chunked_scalar.clone(), &[]),
        ] {
            let plan = planned(var, asked, options).unwrap();
            assert!(plan.schema.dims.iter().all(|dim| !dim.unlimited));
            assert_eq!(plan.variables[var].layout.storage, chunked(shape));
        }
        assert_eq!(layout_of(2, chunked_scalar).storage, Storage::Contiguous);
    }

    #[test]
    fn what_a_variable_cannot_have_is_refused() {
        let one_piece = StorageAttributes {
            storage: Some(StorageKind::Contiguous),
            ..Default::default()
        };
        let sizes = |sizes: &[u64]| StorageAttributes {
            storage: Some(StorageKind::Chunked),
            chunk_sizes: Some(sizes.to_vec()),
            ..Default::default()
        };
        let deflated = StorageAttributes {
            deflate_level: Some(1),
            ..Default::default()
        };
        for (var, asked, says) in [
            (0, one_piece, "the dimension t is unlimited"),
            (0, sizes(&[1]), "each dimension: 2 in all, not 1"),
            (1, sizes(&[21]), "exceeds the dimension x of length 20"),
            (0, sizes(&[1 << 40, 1]), "4 GiB"),
            (2, deflated, "a scalar"),
            (2, sizes(&[1]), "a scalar"),
        ] {
            let error = planned(var, asked, OPTIONS).unwrap_err().to_string();
            assert!(error.starts_with("variable ") && error.contains(says), "{error}");
        }
    }
}
