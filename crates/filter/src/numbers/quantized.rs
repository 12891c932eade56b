//! BitGroom, HDF5 filter 32022, and Granular BitRound, HDF5 filter 32023: floats whose last bits were rounded away.
//!
//! The filters round floats before other filters compress them, and decode nothing: a chunk holds ordinary floats. So
//! decoding leaves a chunk as it is. Encoding does too: a copy keeps the filter of a variable whose floats were rounded
//! once, and does not round them again. A user cannot ask for these filters.
//!
//! Parameters: significant decimal digits; bytes of a float; 1 if a missing value is defined; the missing value, low word
//! first. They are kept as stored.
//!
//! Community Codec Repository, `H5Zbitgroom.c` and `H5Zgranularbr.c`.

use crate::codec::facts::CodecFacts;
use crate::codec::room::copied;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome, StoredParameters};
use ncutils_model::CodecSpec;

/// The id of BitGroom registered with HDF5.
pub const BIT_GROOM: u32 = 32022;

/// The id of Granular BitRound registered with HDF5.
pub const GRANULAR_BIT_ROUND: u32 = 32023;

/// A codec of rounded floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantized {
    /// BitGroom.
    BitGroom,
    /// Granular BitRound.
    GranularBitRound,
}

impl Codec for Quantized {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(match self {
                Self::BitGroom => BIT_GROOM,
                Self::GranularBitRound => GRANULAR_BIT_ROUND,
            }),
            parameters_help: "cannot be given",
            stored_parameters: Some(self),
            ..CodecFacts::named(match self {
                Self::BitGroom => "bitgroom",
                Self::GranularBitRound => "granularbr",
            })
        }
    }

    fn bind(&self, _: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(AsItIs))
    }
}

impl StoredParameters for Quantized {
    fn working_parameters(&self, _: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        Err("rounds floats, which a filter does not do here; only a variable that has it keeps it".to_owned())
    }

    fn adapted_parameters(&self, stored: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        Ok(stored.to_vec())
    }
}

/// Leaves chunks as they are.
struct AsItIs;

impl BoundCodec for AsItIs {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        copied(input, input.len(), out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        copied(input, limit, out)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;
    use crate::test_codec::{decoded, encoded};

    #[test]
    fn chunks_stay_as_they_are() {
        for codec in [Quantized::BitGroom, Quantized::GranularBitRound] {
            let parameters = [3, 4, 0, 0, 0];
            assert_eq!(encoded(&codec, &parameters, &[1, 2, 3, 4]).unwrap(), [1, 2, 3, 4]);
            assert_eq!(
                decoded(&codec, &parameters, &[1, 2, 3, 4], 4).unwrap(),
                [1, 2, 3, 4]
            );
            assert!(decoded(&codec, &parameters, &[1, 2, 3, 4], 3).is_err());
        }
    }

    #[test]
    fn they_are_kept_but_not_given() {
        let (registry, chunk) = (Registry::builtin(), ChunkType::of_bytes(4));
        for id in [BIT_GROOM, GRANULAR_BIT_ROUND] {
            let spec = CodecSpec::hdf5(id, [3, 4, 1, 9, 0]);
            assert_eq!(
                registry.adapted(&spec, &chunk).unwrap().parameters(),
                [3, 4, 1, 9, 0]
            );
            let error = registry.working(&spec, &chunk).unwrap_err().to_string();
            assert!(error.contains("rounds floats"), "{error}");
        }
    }
}
