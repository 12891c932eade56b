//! Filters that are asked for, as the output names them.

use crate::error::Result;
use crate::filter::{AskedCodec, ChunkType, Registry, deflate::deflate, deflate::gzip};
use crate::model::{CodecNames, CodecSpec, Configuration, ZarrVersion};

/// The codecs that a user asks for, as the output names them.
///
/// # Errors
/// What a codec refuses of the chunks, and a codec that has no such name.
pub fn new_filters(
    registry: &Registry,
    asked: &[AskedCodec],
    names: CodecNames,
    chunk: &ChunkType,
) -> Result<Vec<CodecSpec>> {
    let pipeline = registry.new_pipeline(asked, chunk)?;
    let mut types = registry.begin(chunk);
    let mut named = |filter: &CodecSpec| {
        let named = registry.in_output(filter, names, types.given());
        types.pass(filter);
        named
    };
    pipeline.iter().map(&mut named).collect()
}

/// The codec that compresses with deflate at a level, where only a level is asked for. In version 3 of Zarr, that is the
/// core codec `gzip`, which every program has.
pub fn deflate_codec(level: u32, names: Option<CodecNames>) -> AskedCodec {
    match names {
        Some(CodecNames::Zarr(version @ ZarrVersion::V3)) => {
            let configuration = Configuration::from_iter([("level".to_owned(), level.into())]);
            AskedCodec::Zarr(CodecSpec::zarr(version, gzip::NAME, configuration))
        }
        _ => AskedCodec::id(deflate::ID, [level]),
    }
}

/// True for codecs whose stream is deflate's, in whatever wrapping.
pub fn deflates(registry: &Registry, codec: &CodecSpec) -> bool {
    registry.hdf5_id(codec) == Some(deflate::ID)
        || registry
            .find(codec)
            .is_some_and(|codec| codec.name() == gzip::NAME)
}
