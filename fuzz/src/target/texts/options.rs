//! Fuzzes the parsers of option values.

use std::path::Path;

use ncutils_core::copy::plan::ChunkSpec;
use ncutils_core::filter::{AskedCodec, spec::filter_argument};

use crate::Seed;

/// Parses an argument of `-F`. The result, printed and parsed again, must be the same.
pub fn filter_spec(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let _ = filter_argument::parse(text);
    let Ok(filters) = filter_argument::parse_filters(text) else {
        return;
    };
    let specs: Vec<_> = filters
        .iter()
        .filter_map(AskedCodec::stored)
        .filter(|spec| spec.hdf5_id().is_some())
        .collect();
    if !specs.is_empty() && specs.len() == filters.len() {
        let printed = filter_argument::format(&specs);
        assert_eq!(
            filter_argument::parse_filters(&printed).ok(),
            Some(filters),
            "{printed}"
        );
    }
}

/// Parses an argument of `-c`.
pub fn chunk_spec(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input) {
        let _ = ChunkSpec::parse(text);
    }
}

/// Seeds for `-F`.
pub fn filter_specs(_: &Path) -> Vec<Seed> {
    [
        "*,2|1,5",
        "none",
        "v,none",
        r"a&/g/b\&c&d\,e,307,9|4,32,32",
        "v,40000,-17b,23ub,-25S,27US,-77,77,93U",
        "v,40000,789f,12345678.12345678d,-1.5e-3d",
        "v,40000,-9223372036854775807L,18446744073709551615UL",
        "307,9|4,169,32,32,80|3",
    ]
    .map(Seed::text)
    .into()
}

/// Seeds for `-c`.
pub fn chunk_specs(_: &Path) -> Vec<Seed> {
    [
        "/",
        "//",
        "time/1,lat/,/g/lon/90",
        "var:1,20,30",
        "/g/v:",
        "v:compact",
        "v:contiguous",
        r"a\:b\/c/4",
    ]
    .map(Seed::text)
    .into()
}
