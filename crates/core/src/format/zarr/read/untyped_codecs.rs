//! Undoes codecs of bytes whose decoded size no shape tells: those of strings of different lengths, and those around shards.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::filter::{ChunkShape, ChunkType, Registry};
use crate::model::CodecSpec;

/// Undoes the codecs `specs`, which are in the order in which writing applied them.
///
/// # Errors
/// If a codec is not known or fails, or if any makes more than `limit` bytes, or than the registry allows.
pub fn undo(registry: &Registry, specs: &[CodecSpec], encoded: Cow<[u8]>, limit: usize) -> Result<Vec<u8>> {
    let untyped = ChunkType::of_bytes(0);
    let limit = limit.min(registry.decode_memory().limit());
    let mut bytes = encoded;
    for spec in specs.iter().rev() {
        let failed = |why: String| Error::Filter {
            codec: spec.to_string(),
            why,
        };
        let codec = registry.find(spec).ok_or_else(|| Error::UnknownFilter {
            codec: spec.to_string(),
            searched: registry.searched(spec).unwrap_or_default(),
        })?;
        let bound = codec.bind(spec, &untyped).map_err(failed)?;
        let mut decoded = Vec::new();
        bound
            .decode(&bytes, ChunkShape::Full, limit, &mut decoded)
            .map_err(failed)?;
        bytes = Cow::Owned(decoded);
    }
    Ok(bytes.into_owned())
}
