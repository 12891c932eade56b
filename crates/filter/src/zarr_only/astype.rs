//! Astype, a codec of Zarr: converts numbers to another type.
//!
//! Configuration: `encode_dtype`, the type that is stored; `decode_dtype`, the type of the variable's numbers, which may be
//! missing in version 3. What the stored type cannot hold is lost, as in C.
//!
//! numcodecs, `AsType`.

use crate::zarr_only::numpy_type::{NumpyType, convert, converted_len};
use crate::zarr_only::zarr_configuration::{configuration, member, number_codec, numcodecs_facts, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use ncutils_model::CodecSpec;

/// The astype codec.
#[derive(Debug, Clone, Copy)]
pub struct AsType;

/// The two types of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    decoded: NumpyType,
    encoded: NumpyType,
}

impl Bound {
    fn parse(spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Self> {
        let (version, configuration) = configuration(spec, &["encode_dtype", "decode_dtype"])?;
        let encoded = member(configuration, "encode_dtype").ok_or("its configuration lacks encode_dtype")?;
        Ok(Self {
            decoded: NumpyType::named(member(configuration, "decode_dtype"), version, chunk)?,
            encoded: NumpyType::named(Some(encoded), version, chunk)?,
        })
    }
}

number_codec!(AsType, "astype", "encode_dtype, decode_dtype", type: "decode_dtype", input: crate::CodecInput::EachElement, lossy: true);

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        convert(self.decoded, self.encoded, input, usize::MAX, out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        convert(self.encoded, self.decoded, input, limit, out)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        converted_len(self.decoded, self.encoded, input_len)
    }
}
