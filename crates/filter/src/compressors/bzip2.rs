//! Bzip2, HDF5 filter 307: one bzip2 stream.
//!
//! Parameters: the block size in units of 100,000 bytes, 1 to 9; 9 if there is none. The plugin ignores further
//! parameters, and PyTables stores two. As in the plugin, a stream longer than the chunk is stored all the same.
//!
//! HDF5 registered filters, id 307 (PyTables' `H5Zbzip2.c`).

use std::borrow::Cow;

use ::bzip2::{Action, Compress, Compression, Decompress, Status};

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest, check_zeros};
use crate::codec::facts::CodecFacts;
use crate::codec::netcdf_c_spelling::only;
use crate::codec::program::Program;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Member, Outcome, StoredParameters, ZarrForm};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The id registered with HDF5.
pub const ID: u32 = 307;

/// The bzip2 codec.
#[derive(Debug, Clone, Copy)]
pub struct Bzip2;

/// The block size without a parameter.
const DEFAULT_BLOCK: u32 = 9;

/// Minimum growth of the decoder's buffer, in bytes.
const STEP: usize = 256 << 10;

impl Codec for Bzip2 {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // numcodecs compresses chunks with Python's `bz2.compress`, which makes the same stream.
            zarr2: Some("bz2"),
            zarr3: Some("numcodecs.bz2"),
            parameters_help: "block size, 1 to 9",
            members: const { &[Member::new("level", "1 to 9")] },
            in_netcdf_c: true,
            known_to: &[Program::ZarrPython, Program::Zarrs],
            // Each block of a bzip2 stream has the CRC-32 of its content.
            verifies: true,
            stored_parameters: Some(self),
            zarr_form: Some(self),
            canonical_parameters: Some(canonical),
            self_describing: true,
            ..CodecFacts::named("bzip2")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parameters = stored_parameters(self, spec, chunk)?;
        let block = match *parameters {
            [] => Ok(DEFAULT_BLOCK),
            [block @ 1..=9, ..] => Ok(block),
            _ => Err(format!(
                "its parameters are {parameters:?} instead of a block size from 1 to 9"
            )),
        };
        Ok(Box::new(Bound { block }))
    }
}

fn canonical(stored: &[u32]) -> Cow<'_, [u32]> {
    match stored {
        [] => Cow::Borrowed(&[DEFAULT_BLOCK]),
        [block, ..] => Cow::Borrowed(std::slice::from_ref(block)),
    }
}

impl StoredParameters for Bzip2 {
    /// Words behind the block size have no effect. netCDF-C stores them as they are given: its pages and scripts have `307,9,4`.
    fn working_parameters(&self, visible: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        match visible {
            [] => Ok(vec![DEFAULT_BLOCK]),
            [1..=9, ..] => Ok(visible.to_vec()),
            _ => Err("takes one parameter: the block size, 1 to 9 (9 where none is given)".to_owned()),
        }
    }

    /// Decoding needs no parameter, but the plugin rejects an invalid block size.
    fn adapted_parameters(&self, stored: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        let mut kept = stored.to_vec();
        if let Some(block) = kept.first_mut() {
            *block = (*block).clamp(1, 9);
        }
        Ok(kept)
    }
}

impl ZarrForm for Bzip2 {
    /// `{"level": 1 to 9}`. Without a level it is numcodecs' 1.
    fn parameters(&self, _: ZarrVersion, configuration: &Configuration, _: &ChunkType) -> Option<Vec<u32>> {
        let block = match configuration.is_empty() {
            true => 1,
            false => only(configuration, "level")?,
        };
        (1..=9).contains(&block).then(|| vec![block])
    }

    fn configuration(&self, _: ZarrVersion, parameters: &[u32], _: &ChunkType) -> Option<Configuration> {
        match *canonical(parameters) {
            [block @ 1..=9] => Some(Configuration::from_iter([("level".to_owned(), block.into())])),
            _ => None,
        }
    }
}

/// Bzip2 with its block size.
struct Bound {
    /// The block size for encoding, or the reason that there is none.
    block: Outcome<u32>,
}

/// The marks of a block and of the end, 48 bits each. The CRC-32 of all content and up to seven bits follow the end's.
const BLOCK: u64 = 0x3141_5926_5359;
const END: u64 = 0x1772_4538_5090;

/// True if a stream begins and ends with its marks. `None` if not.
fn check_marks(stream: &[u8]) -> Option<()> {
    let (header, rest) = stream.split_first_chunk::<4>()?;
    let number = |bytes: &[u8]| {
        let number = |all, byte: &u8| all << 8 | u128::from(*byte);
        bytes.iter().fold(0u128, number)
    };
    let first = number(rest.get(..6)?) as u64;
    let last = number(stream.last_chunk::<11>().map_or(stream, |last| last));
    let ends = (0..8).any(|spare| (last >> (32 + spare)) as u64 & 0xffff_ffff_ffff == END);
    let begins = header.starts_with(b"BZh") && (b'1'..=b'9').contains(&header[3]);
    (begins && (first == BLOCK || first == END) && ends).then_some(())
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let level = Compression::new(self.block.clone()?);
        let mut stream = Compress::new(level, 0);
        out.clear();
        // The bound in bzip2's manual, which is enough for the whole stream.
        out.reserve(input.len() + input.len() / 100 + 600);
        let mut rest = input;
        loop {
            let before = stream.total_in();
            let status = stream
                .compress_vec(rest, out, Action::Finish)
                .map_err(|error| error.to_string())?;
            let taken = usize::try_from(stream.total_in() - before).unwrap_or(usize::MAX);
            rest = rest.get(taken..).unwrap_or_default();
            match status {
                Status::StreamEnd => return Ok(()),
                Status::MemNeeded => return Err("no memory".to_owned()),
                _ if out.len() == out.capacity() => out.reserve(STEP),
                _ => {}
            }
        }
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let mut stream = Decompress::new(false);
        out.clear();
        out.reserve(limit.min(input.len().saturating_mul(4).max(STEP)));
        let mut rest = input;
        loop {
            let (before_in, before_out) = (stream.total_in(), out.len());
            let status = stream
                .decompress_vec(rest, out)
                .map_err(|error| format!("damaged bzip2 stream: {error}"))?;
            if out.len() > limit {
                break;
            }
            let taken = usize::try_from(stream.total_in() - before_in).unwrap_or(usize::MAX);
            rest = rest.get(taken..).unwrap_or_default();
            match status {
                Status::StreamEnd => return Ok(()),
                Status::MemNeeded => return Err("no memory".to_owned()),
                _ if out.len() == out.capacity() => {
                    // One byte above the limit distinguishes a stream that is too long from one that just fits.
                    let room = limit.saturating_add(1).saturating_sub(out.len());
                    out.reserve_exact(room.min(out.len().max(STEP)));
                }
                _ if taken == 0 && out.len() == before_out => {
                    return Err("the bzip2 stream ends too early".to_owned());
                }
                _ => {}
            }
        }
        Err(format!("more than the {limit} bytes expected"))
    }

    fn test_encoded<'a>(&self, input: &'a [u8], _: ContentLength) -> Outcome<EncodedTest<'a>> {
        check_marks(input).ok_or("its beginning or end is not that of a bzip2 stream")?;
        check_zeros(input)?;
        Ok(EncodedTest::Structure)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_codec::{bound, decoded, encoded};
    use proptest::prelude::*;

    #[test]
    fn limits() {
        let data = vec![7; 3_000_000];
        let stored = encoded(&Bzip2, &[1], &data).unwrap();
        assert!(stored.len() < 200);
        assert_eq!(decoded(&Bzip2, &[1], &stored, data.len()).unwrap(), data);
        assert!(decoded(&Bzip2, &[1], &stored, data.len() - 1).is_err());
        assert!(decoded(&Bzip2, &[1], &stored[..stored.len() - 1], data.len()).is_err());
        let mut small = Vec::new();
        let codec = bound(&Bzip2, &[1], data.len()).unwrap();
        assert!(codec.decode(&stored, ChunkShape::Full, 1000, &mut small).is_err());
        assert!(small.capacity() < 10_000);
    }

    #[test]
    fn stream_of_numcodecs() {
        // `BZ2(1).encode(b"hello hello")`
        let stored = [
            0x42, 0x5a, 0x68, 0x31, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x04, 0x08, 0x0d, 0x8e, 0x00, 0x00,
            0x01, 0x91, 0x00, 0x40, 0x00, 0x02, 0x44, 0xa0, 0x00, 0x21, 0x20, 0x06, 0x68, 0x35, 0x1c, 0xa6,
            0x0e, 0x2e, 0xe4, 0x8a, 0x70, 0xa1, 0x20, 0x08, 0x10, 0x1b, 0x1c,
        ];
        assert_eq!(encoded(&Bzip2, &[1], b"hello hello").unwrap(), stored);
        assert_eq!(decoded(&Bzip2, &[1], &stored, 11).unwrap(), b"hello hello");
    }

    #[test]
    fn block_sizes_are_checked() {
        for parameters in [&[0][..], &[10], &[10, 2]] {
            assert!(encoded(&Bzip2, parameters, b"x").is_err());
        }
    }

    #[test]
    fn further_parameters_are_ignored_and_kept() {
        // As PyTables stores them.
        let stored = [1, 20, 0];
        assert_eq!(
            encoded(&Bzip2, &stored, b"hello").unwrap(),
            encoded(&Bzip2, &[1], b"hello").unwrap()
        );
        let chunk = ChunkType::of_bytes(5);
        assert_eq!(Bzip2.adapted_parameters(&stored, &chunk).unwrap(), stored);
        assert_eq!(Bzip2.working_parameters(&stored, &chunk).unwrap(), stored);
    }

    proptest! {
        #[test]
        fn round_trip(data in proptest::collection::vec(any::<u8>(), 0..3000), block in 1u32..=9) {
            let stored = encoded(&Bzip2, &[block], &data).unwrap();
            prop_assert_eq!(decoded(&Bzip2, &[block], &stored, data.len()).unwrap(), data);
        }

        #[test]
        fn garbage_is_an_error(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let framed = [b"BZh9\x31\x41\x59\x26\x53\x59", &data[..]].concat();
            prop_assert!(decoded(&Bzip2, &[9], &data, 1000).is_err());
            prop_assert!(decoded(&Bzip2, &[9], &framed, 1000).is_err());
        }
    }
}
