//! Prints codecs as the JSON of Zarr's metadata, as `ncdump -s` shows them.
//!
//! ```text
//! version 2:  [{"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 5}]
//! version 3:  [{"name": "numcodecs.zlib", "configuration": {"level": 5}}]
//! ```
//!
//! Spaces are placed as in netCDF-C's `_Codecs`.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use ncutils_model::{CodecSpec, ZarrVersion};

/// A codec as in the metadata of its version of Zarr. A filter with an HDF5 id has no such form; its id and parameters
/// are given.
pub fn metadata(spec: &CodecSpec) -> Value {
    match spec {
        CodecSpec::Hdf5 { id, parameters, .. } => json!({"hdf5": id, "parameters": parameters}),
        CodecSpec::Zarr {
            version: ZarrVersion::V2,
            name,
            configuration,
        } => {
            let mut members = Map::from_iter([("id".to_owned(), json!(name))]);
            members.extend(
                configuration
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
            Value::Object(members)
        }
        CodecSpec::Zarr {
            version: ZarrVersion::V3,
            name,
            configuration,
        } if configuration.is_empty() => json!({"name": name}),
        CodecSpec::Zarr {
            version: ZarrVersion::V3,
            name,
            configuration,
        } => json!({"name": name, "configuration": configuration}),
    }
}

/// Formats codecs as one line of JSON.
pub fn format<'a>(pipeline: impl IntoIterator<Item = &'a CodecSpec>) -> String {
    let mut text = String::new();
    push(&mut text, &pipeline.into_iter().map(metadata).collect());
    text
}

/// Appends a value, with a space after the commas of objects and after colons. The recursion is bounded, since serde_json parses at most
/// 128 levels.
fn push(text: &mut String, value: &Value) {
    match value {
        Value::Array(elements) => {
            text.push('[');
            for (at, element) in elements.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                push(text, element);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                let separator = if at == 0 { "" } else { ", " };
                let _ = write!(text, "{separator}{}: ", json!(name));
                push(text, member);
            }
            text.push('}');
        }
        _ => {
            let _ = write!(text, "{value}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_netcdf_c_prints_them() {
        let zarr = |version, name: &str, configuration: Value| {
            CodecSpec::zarr(version, name, configuration.as_object().unwrap().clone())
        };
        let v2 = [
            zarr(ZarrVersion::V2, "zlib", json!({"level": 5})),
            zarr(
                ZarrVersion::V2,
                "blosc",
                json!({"cname": "lz4", "clevel": 5, "blocksize": 0, "more": ["\"",null]}),
            ),
        ];
        assert_eq!(
            format(&v2),
            r#"[{"id": "zlib", "level": 5},{"id": "blosc", "cname": "lz4", "clevel": 5, "blocksize": 0, "more": ["\"",null]}]"#
        );
        let v3 = [
            zarr(ZarrVersion::V3, "bytes", json!({"endian": "little"})),
            zarr(ZarrVersion::V3, "crc32c", json!({})),
            CodecSpec::hdf5(307, [9]),
        ];
        assert_eq!(
            format(&v3),
            r#"[{"name": "bytes", "configuration": {"endian": "little"}},{"name": "crc32c"},{"hdf5": 307, "parameters": [9]}]"#
        );
    }
}
