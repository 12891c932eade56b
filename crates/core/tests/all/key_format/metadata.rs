//! The metadata of the test format: one JSON document under the key `dataset.json`.

use ncutils_core::chunk::{ChunkGrid, byte_count, chunks_of_shard};
use ncutils_core::error::{Error, Result};
use ncutils_core::model::{
    Attribute, Capabilities, CodecNames, CodecSpec, Configuration, Dimension, EdgeChunks, Endian, Fill,
    FillTime, Kind, Schema, Storage, Type, UnlimitedDimensions, Values, VarId, Variable, VariableLayout,
    ZarrVersion,
};
use serde_json::{Value, json};

/// Bytes of the index of a shard for each of its chunks: where it begins, and how long it is.
pub const INDEX_ENTRY: usize = 16;

/// The key of the metadata.
pub const METADATA: &str = "dataset.json";

/// What the format can hold and do.
pub static CAN: Capabilities = {
    let mut can = Capabilities::new("key format");
    can.chunks = true;
    can.contiguous = false;
    can.codecs = Some(CodecNames::Zarr(ZarrVersion::V3));
    can.unlimited = UnlimitedDimensions::Any;
    can.byte_order = None;
    can.skips_chunks = true;
    can.longest_dimension = u64::MAX;
    can
};

const TYPES: [Type; 6] = [
    Type::Byte,
    Type::Char,
    Type::Short,
    Type::Int,
    Type::Float,
    Type::Double,
];

fn values(values: &Values) -> Value {
    json!(values.bytes)
}

/// The document of a dataset.
pub fn to_json(schema: &Schema, layouts: &[VariableLayout]) -> Value {
    let attributes = |list: &[Attribute]| -> Vec<Value> {
        list.iter()
            .map(|a| json!([a.name, a.ty.cdl_name(), values(&a.values)]))
            .collect()
    };
    let codec = |spec: &CodecSpec| json!([spec.name(), spec.configuration()]);
    let variable = |(var, layout): (&Variable, &VariableLayout)| {
        json!({
            "name": var.name,
            "type": var.ty.cdl_name(),
            "dims": var.dims.iter().map(|d| d.0).collect::<Vec<_>>(),
            "attributes": attributes(&var.attributes),
            "extent": layout.extent,
            "chunk": layout.chunk_shape(),
            "shard": layout.shard,
            "clipped": layout.edges == EdgeChunks::Clipped,
            "big": layout.endian == Endian::Big,
            "codecs": layout.filters.iter().map(codec).collect::<Vec<_>>(),
            "fill": layout.fill.value.as_ref().map(values),
        })
    };
    json!({
        "dims": schema.dims.iter().map(|d| json!([d.name, d.length, d.unlimited])).collect::<Vec<_>>(),
        "attributes": attributes(&schema.groups[0].attributes),
        "variables": schema.vars.iter().zip(layouts).map(variable).collect::<Vec<_>>(),
    })
}

/// The dataset of a document.
///
/// # Errors
/// Names what is not as it should be.
pub fn from_json(text: &[u8]) -> Result<(Schema, Vec<VariableLayout>)> {
    let wrong = |what: &str| Error::Damaged(format!("{METADATA}: {what}"));
    let document: Value = serde_json::from_slice(text).map_err(|e| wrong(&e.to_string()))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let numbers = |value: &Value| list(value).iter().filter_map(Value::as_u64).collect::<Vec<_>>();
    let bytes = |value: &Value| Values::from_bytes(numbers(value).iter().map(|b| *b as u8).collect());
    let ty = |value: &Value| {
        let named = |ty: &Type| ty.cdl_name() == value.as_str();
        TYPES
            .into_iter()
            .find(named)
            .ok_or_else(|| wrong("a type that is not known"))
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let attributes = |value: &Value| -> Result<Vec<Attribute>> {
        let one = |a: &Value| {
            let (ty, values) = (ty(&a[1])?, bytes(&a[2]));
            Ok(Attribute {
                name: text(&a[0]),
                ty,
                length: values.bytes.len() / ty.atomic_size(),
                values,
            })
        };
        list(value).iter().map(one).collect()
    };
    let mut schema = Schema::new(Kind::Other(&CAN));
    schema.groups[0].attributes = attributes(&document["attributes"])?.into();
    for dim in list(&document["dims"]) {
        schema.add_dim(Dimension {
            name: text(&dim[0]),
            group: Schema::ROOT,
            length: dim[1]
                .as_u64()
                .ok_or_else(|| wrong("a dimension without a length"))?,
            unlimited: dim[2].as_bool().unwrap_or(false),
        });
    }
    let mut layouts = Vec::new();
    for var in list(&document["variables"]) {
        let ids = numbers(&var["dims"])
            .iter()
            .map(|d| schema.dims.get(*d as usize).map(|_| *d as usize))
            .collect::<Option<Vec<_>>>();
        let ids = ids.ok_or_else(|| wrong("a dimension that is not there"))?;
        let id = schema.add_var(Variable {
            name: text(&var["name"]),
            group: Schema::ROOT,
            ty: ty(&var["type"])?,
            dims: ids.into_iter().map(ncutils_core::model::DimId).collect(),
            attributes: attributes(&var["attributes"])?.into(),
        });
        let (size, encoding) = schema.storage_encoding(schema.var(id).ty);
        let endian = if var["big"] == json!(true) {
            Endian::Big
        } else {
            Endian::Little
        };
        let mut layout = VariableLayout::contiguous(numbers(&var["extent"]), size, encoding)
            .in_chunks(numbers(&var["chunk"]))
            .with_endian(endian)
            .with_fill(Fill {
                value: var["fill"].is_array().then(|| bytes(&var["fill"])),
                explicit: schema.var(id).attributes.iter().any(|a| a.name == "_FillValue"),
                no_fill: false,
                time: FillTime::IfSet,
                ..Fill::default()
            });
        ChunkGrid::new(&layout.extent, layout.chunk_shape())?;
        layout.shard = var["shard"].is_array().then(|| numbers(&var["shard"]));
        if let Some(shard) = &layout.shard {
            chunks_of_shard(shard, layout.chunk_shape())?;
        }
        if var["clipped"] == json!(true) {
            layout.edges = EdgeChunks::Clipped;
        }
        for codec in list(&var["codecs"]) {
            let configuration = codec[1].as_object().map(|o| Configuration::from_iter(o.clone()));
            layout.filters.push(CodecSpec::zarr(
                ZarrVersion::V3,
                text(&codec[0]),
                configuration.unwrap_or_default(),
            ));
        }
        layouts.push(layout);
    }
    Ok((schema, layouts))
}

/// The grid of shards of a variable, and its grid of chunks.
pub fn grids(layout: &VariableLayout) -> Result<(Option<ChunkGrid>, ChunkGrid)> {
    let shards = layout
        .shard
        .as_ref()
        .map(|shard| ChunkGrid::new(&layout.extent, shard));
    Ok((
        shards.transpose()?,
        ChunkGrid::new(&layout.extent, layout.chunk_shape())?,
    ))
}

/// The shard that holds a chunk, the position of the chunk in it, and how many bytes the index of a whole shard has.
///
/// # Errors
/// A shard that does not hold whole chunks, or too many of them.
pub fn in_shard(
    layout: &VariableLayout,
    shards: &ChunkGrid,
    chunks: &ChunkGrid,
    chunk: u64,
) -> Result<(u64, usize, usize)> {
    let at = chunks.coordinates(chunk);
    let per = chunks_of_shard(shards.chunk(), layout.chunk_shape())?;
    let index = byte_count(&per, INDEX_ENTRY);
    let index = index.ok_or_else(|| Error::Damaged("a shard of more chunks than fit into memory".into()))?;
    let shard: Vec<u64> = at.iter().zip(&per).map(|(a, p)| a / p).collect();
    let within = at.iter().zip(&per).fold(0, |n, (a, p)| n * p + a % p);
    Ok((shards.index(&shard), within as usize, index))
}

/// The key of a chunk that is stored by itself.
pub fn chunk_key(schema: &Schema, var: VarId, chunk: u64) -> String {
    format!("{}/c/{chunk}", schema.var(var).name)
}

/// The key of a shard.
pub fn shard_key(schema: &Schema, var: VarId, shard: u64) -> String {
    format!("{}/s/{shard}", schema.var(var).name)
}

/// Gives variables that a plan leaves in one piece one chunk, as the format has nothing else.
pub fn in_chunks(layout: &mut VariableLayout) {
    if !matches!(layout.storage, Storage::Chunked { .. }) {
        let shape = layout.extent.iter().map(|n| (*n).max(1)).collect();
        layout.storage = Storage::Chunked { shape };
    }
}

#[test]
fn hostile_shards_are_refused() {
    let open = |shard: Value| {
        let document = json!({
            "dims": [["y", 8, false], ["x", 8, false]],
            "variables": [{"name": "v", "type": "int", "dims": [0, 1], "extent": [8, 8], "chunk": [2, 2], "shard": shard}],
        });
        from_json(document.to_string().as_bytes())
    };
    open(json!([4, 8])).unwrap();
    let huge = 1u64 << 40;
    for shard in [
        json!([1, 8]),
        json!([0, 0]),
        json!([3, 3]),
        json!([4]),
        json!([huge, huge]),
    ] {
        assert!(matches!(open(shard.clone()), Err(Error::Damaged(_))), "{shard}");
    }
    // These can be counted, but their index fits into no memory.
    let (_, layouts) = open(json!([1u64 << 32, 1u64 << 31])).unwrap();
    let (shards, chunks) = grids(&layouts[0]).unwrap();
    assert!(in_shard(&layouts[0], &shards.unwrap(), &chunks, 0).is_err());
}
