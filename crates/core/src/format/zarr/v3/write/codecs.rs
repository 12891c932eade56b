//! The member `codecs` of an array that is written.

use super::super::super::json::Json;
use super::super::super::transposition::permutation;
use super::super::codec_chain::{CodecChain, Serializer, makes_bytes};
use super::super::data_type::DataType;
use super::super::extension::Extension;
use super::super::sharding::IndexCodecs;
use crate::filter::{CodecInput, Registry};
use crate::model::{CodecSpec, Configuration, IndexLocation, VariableLayout, ZarrVersion};

/// The codecs of an array's chunks.
///
/// # Errors
/// If a codec that works on elements comes after one that works on bytes, as a clause.
pub fn chain(layout: &VariableLayout, data_type: &DataType) -> Result<CodecChain, String> {
    let registry = Registry::builtin();
    let is_array = |codec: &&CodecSpec| {
        registry
            .find(codec)
            .is_some_and(|codec| codec.facts().input >= CodecInput::Array)
    };
    let count = match layout.array_codecs {
        Some(count) => count.min(layout.filters.len()),
        None => layout.filters.iter().take_while(is_array).count(),
    };
    let (array, bytes) = layout.filters.split_at(count);
    if let (Some(before), Some(after)) = (bytes.first(), bytes.iter().find(is_array)) {
        return Err(format!(
            "has the codec {after} behind {before}: in Zarr version 3, codecs of elements come before codecs of bytes"
        ));
    }
    let (serializer, bytes) = match bytes.split_first() {
        Some((first, rest)) if makes_bytes(first) => (Serializer::Codec(first.clone()), rest),
        _ if *data_type == DataType::String => (Serializer::VlenUtf8, bytes),
        _ if *data_type == DataType::Bytes => (Serializer::VlenBytes, bytes),
        _ => (Serializer::Bytes(layout.endian), bytes),
    };
    if let Some(codec) = bytes.iter().find(|codec| makes_bytes(codec)) {
        return Err(format!(
            "has the codec {codec} behind another one: in Zarr version 3, it comes before codecs of bytes"
        ));
    }
    Ok(CodecChain {
        array: array
            .iter()
            .map(|codec| with_listed_order(codec, layout.extent.len()))
            .collect(),
        serializer,
        bytes: bytes.to_vec(),
    })
}

/// A codec whose order of dimensions, if it has one, is a list. The words "C" and "F" are those of version 2 and of early drafts.
fn with_listed_order(codec: &CodecSpec, rank: usize) -> CodecSpec {
    let word = codec
        .configuration()
        .and_then(|members| members.get("order")?.as_str());
    match (word, permutation(codec, rank)) {
        (Some(_), Some(order)) => {
            let members = Configuration::from_iter([("order".to_owned(), order.into())]);
            CodecSpec::zarr(ZarrVersion::V3, codec.name(), members)
        }
        _ => codec.clone(),
    }
}

/// The member `codecs`.
///
/// # Errors
/// Those of [`chain`].
pub fn json(layout: &VariableLayout, data_type: &DataType) -> Result<Json, String> {
    let codecs = chain(layout, data_type)?.to_json(data_type.unit());
    let Some(_) = &layout.shard else {
        return Ok(codecs);
    };
    let lengths = |list: &[u64]| Json::Array(list.iter().map(|n| Json::from(*n)).collect());
    let sharding = Extension::new("sharding_indexed")
        .with("chunk_shape", lengths(layout.chunk_shape()))
        .with("codecs", codecs)
        .with("index_codecs", IndexCodecs::default_written().to_json())
        .with(
            "index_location",
            match layout.shard_index {
                IndexLocation::Start => "start",
                IndexLocation::End => "end",
            },
        );
    Ok(Json::Array(vec![sharding.to_json()]))
}
