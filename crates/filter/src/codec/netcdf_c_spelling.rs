//! How netCDF-C spells the configurations of Zarr codecs.
//!
//! ```text
//! netCDF-C up to 4.9:  {"id": "shuffle", "elementsize": "0"}   {"id": "zlib", "level": "5"}
//! netCDF-C 4.10:       {"id": "shuffle", "elementsize": 0}     {"id": "zlib", "level": 5}
//! numcodecs:           {"id": "shuffle", "elementsize": 4}     {"id": "zlib", "level": 5}
//! ```
//!
//! netCDF-C reads all three. numcodecs fails on an element size that is a string. It does not undo a shuffle whose
//! element size is 0, and gives wrong numbers.

use serde_json::Value;

use ncutils_model::Configuration;

/// An integer of a configuration, which may be a string of decimal digits.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(digits) => digits.parse().ok(),
        value => value.as_i64(),
    }
}

/// The value of `member`, which must be the only member of a configuration and a 32-bit number.
pub(crate) fn only(configuration: &Configuration, member: &str) -> Option<u32> {
    let mut members = configuration.iter();
    match (members.next(), members.next()) {
        (Some((name, value)), None) if name == member => u32::try_from(integer(value)?).ok(),
        _ => None,
    }
}

/// True if a configuration has a number that is spelled as a string.
pub(crate) fn has_numbers_as_strings(configuration: &Configuration) -> bool {
    let mut values = configuration.values();
    values.any(|value| value.is_string() && integer(value).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::NumberClass;
    use crate::{ChunkType, Registry};
    use ncutils_model::CodecSpec;
    use ncutils_model::ZarrVersion::{V2, V3};
    use ncutils_model::{Endian, ZarrVersion};

    fn zarr(version: ZarrVersion, name: &str, configuration: Value) -> CodecSpec {
        CodecSpec::zarr(version, name, configuration.as_object().unwrap().clone())
    }

    #[test]
    fn spellings_of_netcdf_c_become_those_of_numcodecs() {
        let registry = Registry::builtin();
        let floats = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, &[10]);
        for (name, given, plain) in [
            ("shuffle", json!({"elementsize": 0}), json!({"elementsize": 4})),
            ("shuffle", json!({"elementsize": "0"}), json!({"elementsize": 4})),
            ("shuffle", json!({"elementsize": "4"}), json!({"elementsize": 4})),
            ("shuffle", json!({"elementsize": 8}), json!({"elementsize": 8})),
            ("zlib", json!({"level": "5"}), json!({"level": 5})),
            ("bz2", json!({"level": "9"}), json!({"level": 9})),
            ("zstd", json!({"level": "3"}), json!({"level": 3})),
            // Whatever else a configuration leaves out, or spells, stays.
            ("zlib", json!({}), json!({})),
            ("zstd", json!({"level": 0}), json!({"level": 0})),
        ] {
            let given = zarr(V2, name, given);
            let found = registry.in_zarr(&given, V2, &floats).unwrap();
            assert_eq!(found, zarr(V2, name, plain));
            assert!(registry.same_stream(&given, &found, &floats), "{given:?}");
        }
        let of_type = zarr(V2, "shuffle", json!({"elementsize": 0}));
        let v3 = |size: u32| zarr(V3, "numcodecs.shuffle", json!({"elementsize": size}));
        assert_eq!(registry.in_zarr(&of_type, V3, &floats).unwrap(), v3(4));
        // netCDF-C writes no version 3.
        assert_eq!(registry.in_zarr(&v3(0), V3, &floats).unwrap(), v3(0));
        assert!(registry.same_stream(&v3(0), &v3(1), &floats));
        let unknown = zarr(V2, "zlib", json!({"level": "much"}));
        assert_eq!(registry.in_zarr(&unknown, V2, &floats).unwrap(), unknown);
    }
}
