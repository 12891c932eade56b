//! What codecs that only Zarr has share: reading a configuration.

use serde_json::Value;

use crate::Outcome;
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The version and configuration of a spec, which has no members but those in `known`.
///
/// # Errors
/// A spec with an HDF5 id, and a configuration with other members: they may mean another stream.
pub(crate) fn configuration<'a>(
    spec: &'a CodecSpec,
    known: &[&str],
) -> Outcome<(ZarrVersion, &'a Configuration)> {
    let CodecSpec::Zarr {
        version,
        configuration,
        ..
    } = spec
    else {
        return Err("it has no form in HDF5".to_owned());
    };
    match configuration.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) if known.is_empty() => Err(format!(
            "its configuration has an unknown member, {name}; it takes none"
        )),
        Some(name) => Err(format!(
            "its configuration has an unknown member, {name}; it takes {}",
            known.join(", ")
        )),
        None => Ok((*version, configuration)),
    }
}

/// The value of a member. `None` if it is missing or null.
pub(crate) fn member<'a>(configuration: &'a Configuration, name: &str) -> Option<&'a Value> {
    configuration.get(name).filter(|value| !value.is_null())
}

/// An integer in `range`; `default` if the member is missing or null.
///
/// # Errors
/// Anything else, and a missing member without a default.
pub(crate) fn integer(
    configuration: &Configuration,
    name: &str,
    range: std::ops::RangeInclusive<i64>,
    default: Option<i64>,
) -> Outcome<i64> {
    match member(configuration, name) {
        None => default.ok_or_else(|| format!("its configuration lacks the member {name}")),
        Some(value) => value
            .as_i64()
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                format!("its member {name} is {value}; expected {least} to {most}")
            }),
    }
}

/// True if two results of parsing are the same, and neither failed.
pub(crate) fn same<T: PartialEq>(a: Outcome<T>, b: Outcome<T>) -> bool {
    matches!((a, b), (Ok(a), Ok(b)) if a == b)
}

/// The facts of a codec of numcodecs: its id in version 2 of Zarr, and with a prefix in version 3.
macro_rules! numcodecs_facts {
    ($name:literal) => {
        $crate::CodecFacts {
            zarr2: Some($name),
            zarr3: Some(concat!("numcodecs.", $name)),
            ..$crate::CodecFacts::named($name)
        }
    };
}

/// Makes a type a codec of numcodecs that turns numbers into numbers. The module's `Bound` has its parameters: `parse`
/// reads them from a spec, and `encoded` is the type of the numbers that it makes. `input` and `lossy` are fields of
/// [`CodecFacts`](crate::CodecFacts).
macro_rules! number_codec {
    ($codec:ident, $name:literal, $parameters:literal, type: $member:literal, input: $input:expr, lossy: $is_lossy:literal) => {
        impl Codec for $codec {
            fn facts(&self) -> $crate::CodecFacts<'_> {
                $crate::CodecFacts {
                    parameters_help: $parameters,
                    type_member: Some($member),
                    input: $input,
                    is_lossy: $is_lossy,
                    encoded_type: Some(|spec, chunk| match Bound::parse(spec, chunk) {
                        Ok(bound) => bound.encoded.chunk(chunk),
                        Err(_) => chunk.clone(),
                    }),
                    same_configuration: Some(|a, b| {
                        let chunk = ChunkType::of_bytes(0);
                        same(Bound::parse(a, &chunk), Bound::parse(b, &chunk))
                    }),
                    ..numcodecs_facts!($name)
                }
            }

            fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
                Ok(Box::new(Bound::parse(spec, chunk)?))
            }
        }
    };
}

pub(crate) use {number_codec, numcodecs_facts};
