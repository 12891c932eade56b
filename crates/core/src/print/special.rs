//! The special attributes of `ncdump -s`: the storage of variables and the file.

use super::options::DumpOptions;
use crate::error::Result;
use crate::filter::{
    AskedCodec, ChunkType, CodecInput, Registry, checksum::fletcher32, deflate::deflate, shuffle::shuffle,
    spec::filter_argument, spec::json_text, szip,
};
use crate::format::Reader;
use crate::model::{
    CodecNames, CodecSpec, Encoding, Endian, IndexLocation, Schema, Storage, Type, VarId, VariableLayout,
    ZarrVersion,
};

/// The value of a special attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Special {
    /// Text.
    Text(String),
    /// One or more numbers.
    Numbers(Vec<u64>),
}

fn text(value: &str) -> Special {
    Special::Text(value.to_owned())
}

/// The special attributes of a variable of a dataset, in ncdump's order. See [`of_variable`]. As in netCDF-C, those of a
/// virtual variable say nothing of its sources.
pub fn of_reader(reader: &dyn Reader, var: VarId, options: &DumpOptions) -> Vec<(&'static str, Special)> {
    const OF_SOURCES: [&str; 6] = [
        "_ChunkSizes",
        "_Fletcher32",
        "_Shuffle",
        "_DeflateLevel",
        "_Filter",
        "_Codecs",
    ];
    let elements = reader.element_codec(var);
    let mut all = of_variable(reader.schema(), var, reader.layout(var), elements, options);
    if reader.is_virtual(var) {
        all.retain(|(name, _)| !OF_SOURCES.contains(name));
        for (_, value) in all.iter_mut().filter(|(name, _)| *name == "_Storage") {
            *value = text("virtual");
        }
    }
    all
}

/// The special attributes of a variable, in ncdump's order. With [`DumpOptions::filters`], `_Filter` contains the whole
/// pipeline, in the file's order. Otherwise filters with an attribute of their own in netCDF-C are given
/// there, unless that loses the order. If codecs have Zarr names, `_Codecs` contains the pipeline as JSON besides. In
/// version 3 of Zarr, that is the chain of a chunk, also of one in a shard. `elements` has its place among the codecs: see
/// [`ElementCodecs`](crate::format::ElementCodecs).
pub fn of_variable(
    schema: &Schema,
    var: VarId,
    layout: &VariableLayout,
    elements: Option<&CodecSpec>,
    options: &DumpOptions,
) -> Vec<(&'static str, Special)> {
    let mut all = Vec::new();
    let storage = match &layout.storage {
        Storage::Compact => "compact",
        Storage::Contiguous => "contiguous",
        Storage::Chunked { .. } => "chunked",
        Storage::Blocks { .. } => "blocks",
    };
    all.push(("_Storage", text(storage)));
    if let Storage::Chunked { shape } = &layout.storage
        && !shape.is_empty()
    {
        all.push(("_ChunkSizes", Special::Numbers(shape.clone())));
    }
    if let Storage::Blocks { bytes } = layout.storage {
        all.push(("_BlockSize", Special::Numbers(vec![bytes])));
        if !layout.filters.is_empty() {
            all.push(("_Filter", Special::Text(filter_argument::format(&layout.filters))));
        }
        return all;
    }
    if let Some(shard) = &layout.shard {
        all.push(("_ShardSizes", Special::Numbers(shard.clone())));
        if layout.shard_index == IndexLocation::Start {
            all.push(("_ShardIndex", text("start")));
        }
    }
    let registry = &options.registry;
    let pipeline = Filters::of(schema, var, layout, elements, registry);
    let filters = options.filters || !is_ordered_for_ncgen(&pipeline.hdf5);
    let has = |id: u32| pipeline.hdf5.iter().find(|f| f.hdf5_id() == Some(id));
    let mut own_attribute =
        |f: &&CodecSpec| filters || !matches!(f.hdf5_id(), Some(deflate::ID | shuffle::ID | fletcher32::ID));
    if !filters {
        if has(fletcher32::ID).is_some() {
            all.push(("_Fletcher32", text("true")));
        }
        if has(shuffle::ID).is_some() {
            all.push(("_Shuffle", text("true")));
        }
        if let Some(deflate) = has(deflate::ID) {
            let level = deflate.parameters().first().copied().unwrap_or(0);
            all.push(("_DeflateLevel", Special::Numbers(vec![level.into()])));
        }
    }
    let others: Vec<String> = pipeline
        .hdf5
        .iter()
        .filter(&mut own_attribute)
        .map(filter_text)
        .collect();
    if !others.is_empty() {
        all.push(("_Filter", Special::Text(others.join("|"))));
    }
    if !pipeline.zarr.is_empty() {
        all.push(("_Codecs", Special::Text(json_text::format(&pipeline.zarr))));
    }
    let number = !matches!(schema.var(var).ty, Type::String | Type::User(_) | Type::Char);
    let wide = matches!(layout.encoding, Encoding::Numbers { unit } if unit > 1);
    if number && (wide || (layout.encoding == Encoding::Structured && layout.element_size > 1)) {
        let order = if layout.endian == Endian::Little {
            "little"
        } else {
            "big"
        };
        all.push(("_Endianness", text(order)));
    }
    if layout.fill.no_fill {
        all.push(("_NoFill", text("true")));
    }
    all
}

/// The pipeline of a variable, as its attributes tell it.
struct Filters {
    /// As HDF5 filters; empty if one of them has no such form.
    hdf5: Vec<CodecSpec>,
    /// As codecs of Zarr; empty in other formats.
    zarr: Vec<CodecSpec>,
}

impl Filters {
    fn of(
        schema: &Schema,
        var: VarId,
        layout: &VariableLayout,
        elements: Option<&CodecSpec>,
        registry: &Registry,
    ) -> Self {
        let is_v3 = schema.kind.can().codecs == Some(CodecNames::Zarr(ZarrVersion::V3));
        let is_zarr = |codec: &&CodecSpec| codec.zarr_name().is_some();
        if !layout.filters.iter().any(|codec| is_zarr(&codec)) {
            // In version 3 there is always one, and alone it tells nothing.
            let zarr = elements.filter(|_| !is_v3).into_iter().cloned();
            return Self {
                hdf5: layout.filters.clone(),
                zarr: zarr.collect(),
            };
        }
        // Version 2 of Zarr tells the order of elements elsewhere.
        let is_codec = |codec: &&CodecSpec| match (schema.kind.can().codecs, codec.zarr_name()) {
            (Some(CodecNames::Zarr(names)), Some((version, _))) => names == version,
            _ => true,
        };
        let mut zarr: Vec<CodecSpec> = layout.filters.iter().filter(is_codec).cloned().collect();
        let chunk = ChunkType::new(schema, schema.var(var).ty, layout, layout.chunk_shape());
        let mut types = registry.begin(&chunk);
        let hdf5 = zarr.iter().map(|codec| {
            let named = registry.in_hdf5(codec, types.given());
            let numbers = registry
                .find(codec)
                .and_then(|known| known.facts().netcdf_c_numbers);
            let numbers = numbers.and_then(|numbers| numbers(codec.configuration()?, types.given()));
            types.pass(codec);
            named.map(|named| match (named.hdf5_id(), numbers) {
                (Some(id), Some(numbers)) => CodecSpec::hdf5(id, numbers),
                _ => named,
            })
        });
        let hdf5 = hdf5.collect::<Result<_>>().unwrap_or_default();
        let of_elements = |codec: &&CodecSpec| {
            let codec = registry.find(codec);
            is_v3 && codec.is_some_and(|codec| codec.facts().input >= CodecInput::Array)
        };
        if let Some(elements) = elements {
            let at = match layout.array_codecs {
                Some(count) => count.min(zarr.len()),
                None => zarr.iter().take_while(of_elements).count(),
            };
            zarr.insert(at, elements.clone());
        }
        Self { hdf5, zarr }
    }
}

/// True if ncgen makes this pipeline of the attributes that netCDF-C's ncdump writes: codecs that need elements come first,
/// then fletcher32, shuffle, deflate, then the rest.
fn is_ordered_for_ncgen(pipeline: &[CodecSpec]) -> bool {
    // The codecs that have an attribute of their own are built in, and no library is opened to tell the place of others.
    let registry = Registry::builtin();
    let rank = |codec: &CodecSpec| {
        let is_deflate = codec.hdf5_id() == Some(deflate::ID);
        (registry.rank(&AskedCodec::of(codec)), !is_deflate)
    };
    pipeline.is_sorted_by_key(rank)
}

/// A filter as `id,p1,p2`, the form of `nccopy -F`. For szip, only the parameters that a user gives: coding
/// and pixels per block.
fn filter_text(filter: &CodecSpec) -> String {
    let parameters: Vec<u32> = match filter.parameters() {
        [mask, pixels, _, _] if filter.hdf5_id() == Some(szip::ID) => vec![mask & szip::CODING, *pixels],
        stored => stored.to_vec(),
    };
    let parameters = parameters.iter().map(|p| format!(",{p}"));
    let id = filter
        .hdf5_id()
        .map_or_else(|| filter.name().to_owned(), |id| id.to_string());
    std::iter::once(id).chain(parameters).collect()
}

/// The special attributes of a dataset.
pub fn of_dataset(schema: &Schema) -> Vec<(&'static str, Special)> {
    let mut all = Vec::new();
    if let Some(provenance) = &schema.provenance {
        if let Some(properties) = &provenance.nc_properties {
            all.push(("_NCProperties", text(properties)));
        }
        let number = |value: u32| Special::Numbers(vec![value.into()]);
        all.push(("_SuperblockVersion", number(provenance.superblock_version)));
        all.push(("_IsNetcdf4", number(provenance.is_netcdf4.into())));
    }
    if let Some(origin) = &schema.origin {
        all.push(("_OriginalSize", Special::Numbers(vec![origin.size])));
        if let Some(sha256) = &origin.sha256 {
            let sha: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
            all.push(("_OriginalSHA256", Special::Text(sha)));
        }
    }
    all.push(format(schema));
    all
}

/// The special attribute with the kind of a dataset.
pub fn format(schema: &Schema) -> (&'static str, Special) {
    ("_Format", text(schema.kind.can().format_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Dimension, Kind, Variable};
    use serde_json::json;

    fn codec(name: &str, configuration: serde_json::Value) -> CodecSpec {
        CodecSpec::zarr(ZarrVersion::V3, name, configuration.as_object().unwrap().clone())
    }

    /// The special attributes of `v(x)` of a type in Zarr version 3, in chunks of 10, with these codecs.
    fn special(ty: Type, elements: CodecSpec, filters: Vec<CodecSpec>, shard: Option<u64>) -> Vec<String> {
        let mut schema = Schema::new(Kind::Zarr3);
        let dim = schema.add_dim(Dimension {
            name: "x".into(),
            group: Schema::ROOT,
            length: 100,
            unlimited: false,
        });
        let var = schema.add_var(Variable {
            name: "v".into(),
            group: Schema::ROOT,
            ty,
            dims: vec![dim],
            attributes: Vec::new().into(),
        });
        let (size, encoding) = schema.storage_encoding(ty);
        let mut layout = VariableLayout::contiguous(vec![100], size, encoding).in_chunks(vec![10]);
        layout.filters = filters;
        layout.shard = shard.map(|length| vec![length]);
        layout.shard_index = IndexLocation::Start;
        let value = |special: Special| match special {
            Special::Text(text) => text,
            Special::Numbers(numbers) => format!("{numbers:?}"),
        };
        let all = of_variable(&schema, var, &layout, Some(&elements), &DumpOptions::default());
        all.into_iter()
            .map(|(name, special)| format!("{name} = {}", value(special)))
            .collect()
    }

    #[test]
    fn shards_and_the_chain_of_version_3() {
        let zlib = || codec("numcodecs.zlib", json!({"level": 4}));
        assert_eq!(
            special(
                Type::Float,
                codec("bytes", json!({"endian": "little"})),
                vec![zlib()],
                Some(50)
            ),
            [
                "_Storage = chunked",
                "_ChunkSizes = [10]",
                "_ShardSizes = [50]",
                "_ShardIndex = start",
                "_DeflateLevel = [4]",
                r#"_Codecs = [{"name": "bytes", "configuration": {"endian": "little"}},{"name": "numcodecs.zlib", "configuration": {"level": 4}}]"#,
                "_Endianness = little",
            ]
        );
        assert_eq!(
            special(Type::Byte, codec("bytes", json!({})), Vec::new(), None),
            ["_Storage = chunked", "_ChunkSizes = [10]"]
        );
        let transpose = codec("transpose", json!({"order": [0]}));
        let codecs = |ty, elements: &str, filters| {
            special(ty, codec(elements, json!({})), filters, None).swap_remove(2)
        };
        assert_eq!(
            codecs(Type::Char, "bytes", vec![transpose, codec("crc32c", json!({}))]),
            r#"_Codecs = [{"name": "transpose", "configuration": {"order": [0]}},{"name": "bytes"},{"name": "crc32c"}]"#
        );
        assert_eq!(
            codecs(Type::String, "vlen-utf8", vec![codec("odd", json!({}))]),
            r#"_Codecs = [{"name": "vlen-utf8"},{"name": "odd"}]"#
        );
    }
}
