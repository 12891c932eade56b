//! zfp, HDF5 filter 32013: compresses arrays of numbers with a limit on the error, on the size, or without loss.
//!
//! Stored parameters: the versions of zfp and of the plugin in one word, and the 3 or 5 words of a zfp header: type and
//! sizes of the array, and limits on blocks. A chunk is a zfp stream without that header. Its numbers are int, int64,
//! float or double; its array has the 1 to 4 dimensions of the chunk that are above 1.
//!
//! numcodecs' `zfpy` puts the header in the chunk, so Zarr has no form for this filter. [`zfpy`] is a codec of its own.
//!
//! HDF5 registered filters, id 32013; zfp 1.0, "Header".

mod bound;
mod parameters;
pub mod zfpy;

use crate::codec::codec::stored_parameters;
use crate::codec::codec_input::CodecInput;
use crate::codec::facts::CodecFacts;
use crate::zfp::bound::Bound;
use crate::{BoundCodec, ChunkType, Codec, Outcome, StoredParameters};
use ncutils_model::CodecSpec;

/// The id registered with HDF5.
pub const ID: u32 = 32013;

/// The zfp codec.
#[derive(Debug, Clone, Copy)]
pub struct Zfp;

impl Codec for Zfp {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            parameters_help: "mode, 0, value of the mode",
            members: parameters::MEMBERS,
            input: CodecInput::Elements,
            is_lossy: true,
            stored_parameters: Some(self),
            visible_parameters: Some(|members| {
                parameters::visible(members).ok_or_else(|| parameters::ONE_MODE.to_owned())
            }),
            ..CodecFacts::named("zfp")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let words = stored_parameters(self, spec, chunk)?;
        let header = parameters::parse(&words)
            .ok_or_else(|| format!("its parameters {words:?} are not a header of zfp"))?;
        Ok(Box::new(Bound { header }))
    }
}

impl StoredParameters for Zfp {
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::adapted(stored, chunk)
    }
}

#[cfg(test)]
mod tests;
