//! Sizes as JSON.

use serde_json::{Value, json};

use super::sizes::{DatasetSizes, VariableSizes};
use crate::message::json_line;

/// The sizes of `input` as one JSON object of the type `sizes`, followed by a newline. `left_out` tells what the sizes lack, and
/// becomes the member `error`.
pub fn sizes_json(input: &str, sizes: &DatasetSizes, left_out: Option<&str>) -> String {
    let variables: Vec<Value> = sizes.variables.iter().map(|of| variable(sizes, of)).collect();
    let mut object = json!({
        "type": "sizes",
        "input": input,
        "kind": sizes.kind,
        "total": sizes.file(),
        "content": sizes.compressed_file.and(sizes.total),
        "data": sizes.data,
        "metadata": sizes.metadata,
        "others": sizes.others,
        "padding": sizes.padding,
        "unused": sizes.unused,
        "memory": sizes.memory,
        "variables": variables,
    });
    if let (Some(error), Value::Object(members)) = (left_out, &mut object) {
        members.insert("error".to_owned(), error.into());
    }
    json_line(&object)
}

/// The same for an input whose sizes could not be counted.
pub fn failed_sizes_json(input: &str, error: &str) -> String {
    json_line(&json!({"type": "sizes", "input": input, "error": error}))
}

fn variable(sizes: &DatasetSizes, of: &VariableSizes) -> Value {
    json!({
        "name": of.path,
        "type": of.type_name,
        "shape": of.shape,
        "storage": of.storage,
        "chunk_shape": of.chunk_shape,
        "shard_shape": of.shard_shape,
        "filters": of.filters,
        "chunks": of.space.chunks,
        "all_chunks": of.all_chunks,
        "shards": of.space.shards,
        "memory": of.memory,
        "stored": of.space.stored,
        "ratio": of.ratio(),
        "share": sizes.share(of.counted()),
        "same_as": of.same_as,
    })
}
