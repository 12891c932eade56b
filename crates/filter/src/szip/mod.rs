//! Szip, HDF5 filter 4: the adaptive entropy coder of CCSDS 121.0-B, as libaec's szip interface applies it.
//!
//! A user gives two parameters: the option mask (4 for entropy coding only, 32 for nearest-neighbour prediction) and
//! the pixels per block (an even number up to 32). Four are stored: option mask, pixels per block, bits per pixel,
//! pixels per scanline.
//!
//! ```text
//! encode:  chunk ─► byte planes where a pixel has 32 or 64 bits ─► scanlines, padded to whole blocks
//!                ─► predictor (NN) ─► blocks, each in the code that is shortest for it ─► length of chunk, bits
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `parameters` | the four stored numbers, and how libhdf5 computes them |
//! | `samples` | bytes ◄─► samples of 1 to 32 bits |
//! | `predictor` | samples ◄─► differences from the previous sample, mapped to small unsigned numbers |
//! | `code` | constants of encoder and decoder: identifiers, zero runs, second extension |
//! | `bit_writer`, `bit_reader` | bits and fundamental sequences, most significant bit first |
//! | `encoder`, `decoder` | blocks ◄─► coded data sets |
//!
//! The output equals libaec's byte for byte. It is preceded by the size of the chunk: four bytes, least significant
//! first. As in libhdf5, a result longer than the chunk is an encoding failure.
//!
//! Zarr version 2 has netCDF-C's form, with the two numbers that a user gives:
//!
//! ```text
//! {"id": "szip", "mask": 32, "pixels-per-block": 8}
//! ```
//!
//! netCDF-C computes the scanline from the length of the array's fastest dimension, libhdf5 from that of the chunk. The
//! same stream is in both only where both scanlines are equal.
//!
//! HDF5 file format specification, IV.A.2.l, filter 4; CCSDS 121.0-B-3.

mod bit_reader;
mod bit_writer;
mod code;
mod decoder;
mod encoder;
mod parameters;
mod predictor;
mod samples;

use std::cell::RefCell;

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest};
use crate::codec::facts::CodecFacts;
use crate::shuffle::shuffle;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Member, Outcome, StoredParameters, ZarrForm};
use ncutils_model::{CodecNames, CodecSpec, Configuration, ZarrVersion};
use parameters::Parameters;

/// The id registered with HDF5.
pub const ID: u32 = 4;

/// The bits of the option mask with which a user chooses entropy coding or nearest neighbour.
pub const CODING: u32 = parameters::ENTROPY_CODING | parameters::NEAREST_NEIGHBOUR;

/// The szip codec.
#[derive(Debug, Clone, Copy)]
pub struct Szip;

/// Above the maximum expansion of szip, in output bytes per input byte. A run of 64 blocks of 64 samples of four bytes
/// takes at least five bits.
const EXPANSION: usize = 64 * 64 * 4 * 2;

thread_local! {
    /// Buffer for the byte planes of 32-bit and 64-bit pixels.
    static PLANES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Codec for Szip {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // netCDF-C's name. numcodecs has no szip.
            zarr2: Some("szip"),
            parameters_help: "4 or 32; pixels per block, even, 2 to 32",
            members: const {
                &[
                    Member::new(MASK, "4 or 32"),
                    Member::new(PIXELS_PER_BLOCK, "even, 2 to 32"),
                ]
            },
            in_netcdf_c: true,
            in_numcodecs: false,
            stored_parameters: Some(self),
            zarr_form: Some(self),
            equivalent: Some(equivalent),
            ..CodecFacts::named("szip")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let stored = match spec.configuration().and_then(mask_and_block) {
            Some((mask, block)) => parameters::of_netcdf_c(mask, block, chunk)?.into(),
            None => stored_parameters(self, spec, chunk)?,
        };
        let parameters = Parameters::parse(&stored)?;
        Ok(Box::new(Bound { parameters }))
    }
}

/// The same coding with the scanlines that netCDF-C computes.
fn equivalent(spec: &CodecSpec, names: CodecNames) -> Option<CodecSpec> {
    match names {
        CodecNames::Zarr(version) => {
            let configuration = configuration(spec.parameters())?;
            let name = Szip.facts().zarr_name(version)?;
            Some(CodecSpec::zarr(version, name, configuration))
        }
        CodecNames::Hdf5 => None,
    }
}

impl StoredParameters for Szip {
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::adapted(stored, chunk)
    }
}

impl ZarrForm for Szip {
    fn parameters(
        &self,
        _: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>> {
        let (mask, block) = mask_and_block(configuration)?;
        parameters::of_netcdf_c(mask, block, chunk).ok()
    }

    fn configuration(
        &self,
        version: ZarrVersion,
        stored: &[u32],
        chunk: &ChunkType,
    ) -> Option<Configuration> {
        let configuration = configuration(stored)?;
        let computed = self.parameters(version, &configuration, chunk)?;
        let same = Parameters::parse(stored).ok()? == Parameters::parse(&computed).ok()?;
        same.then_some(configuration)
    }
}

/// Name of the member with the option mask.
const MASK: &str = "mask";

/// Name of the member with the pixels per block.
const PIXELS_PER_BLOCK: &str = "pixels-per-block";

/// The option mask and the pixels per block of a configuration; `None` if it has anything else.
fn mask_and_block(configuration: &Configuration) -> Option<(u32, u32)> {
    let number = |name: &str| u32::try_from(configuration.get(name)?.as_u64()?).ok();
    let numbers = (number(MASK)?, number(PIXELS_PER_BLOCK)?);
    (configuration.len() == 2).then_some(numbers)
}

/// The configuration with the coding and the pixels per block of stored parameters.
fn configuration(stored: &[u32]) -> Option<Configuration> {
    let [mask, block, ..] = stored else { return None };
    Some(Configuration::from_iter([
        (MASK.to_owned(), (mask & CODING).into()),
        (PIXELS_PER_BLOCK.to_owned(), (*block).into()),
    ]))
}

/// Szip with its parameters.
struct Bound {
    parameters: Parameters,
}

impl Bound {
    /// Encodes a chunk, if its stream takes at most `most` bytes without the header.
    fn encode_within(&self, input: &[u8], most: usize, out: &mut Vec<u8>) -> Outcome {
        let parameters = &self.parameters;
        let Ok(size) = u32::try_from(input.len()) else {
            return Err("chunks over 4 GiB cannot be encoded".to_owned());
        };
        if !input.len().is_multiple_of(parameters.pixel_size()) {
            return Err(format!(
                "{size} bytes are not whole pixels of {} bits",
                parameters.bits_per_pixel
            ));
        }
        out.clear();
        out.reserve(input.len() + 8);
        out.extend_from_slice(&size.to_le_bytes());
        let fits = match parameters.planes() {
            None => encoder::encode(parameters, input, out, most),
            Some(planes) => PLANES.with_borrow_mut(|buffer| {
                shuffle::shuffle(planes, input, buffer);
                encoder::encode(parameters, buffer, out, most)
            }),
        };
        if fits {
            Ok(())
        } else {
            Err("the chunk does not become smaller".to_owned())
        }
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.encode_within(input, input.len(), out)
    }

    fn encode_always(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        self.encode_within(input, generous_bound(input.len()), out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let parameters = &self.parameters;
        let Some((size, bits)) = input.split_first_chunk::<4>() else {
            return Err("the input is shorter than its header".to_owned());
        };
        let size = u32::from_le_bytes(*size) as usize;
        if size > limit {
            return Err(format!("{size} bytes, more than the {limit} expected"));
        }
        if size > bits.len().saturating_mul(EXPANSION) || !size.is_multiple_of(parameters.pixel_size()) {
            return Err(format!("{} bytes cannot decode to {size}", bits.len()));
        }
        let decode = |to: &mut Vec<u8>| {
            to.resize(size, 0);
            decoder::decode(parameters, bits, to).map_err(str::to_owned)
        };
        match parameters.planes() {
            None => decode(out),
            Some(planes) => PLANES.with_borrow_mut(|buffer| {
                decode(buffer)?;
                shuffle::unshuffle(planes, buffer, out);
                Ok(())
            }),
        }
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let size = input
            .first_chunk::<4>()
            .ok_or("the input is shorter than its header")?;
        content.check(u32::from_le_bytes(*size).into())?;
        Ok(EncodedTest::Structure)
    }

    /// libhdf5 gives the encoder room for the chunk's size, and adds four bytes. Chunks that must pass all codecs may
    /// be longer.
    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_codec::{decoded, encoded};
    use crate::{NumberClass, Registry};
    use ncutils_model::Endian;
    use proptest::prelude::*;

    fn round_trip(parameters: [u32; 4], data: &[u8]) -> Option<usize> {
        let stored = encoded(&Szip, &parameters, data).ok()?;
        assert_eq!(
            decoded(&Szip, &parameters, &stored, data.len()).unwrap(),
            data,
            "{parameters:?}"
        );
        Some(stored.len())
    }

    #[test]
    fn all_zero() {
        for bits in [8, 16, 20, 32, 64] {
            for shape in [80, 64 * 32, 4096, 100] {
                assert!(round_trip([169, 32, bits, shape], &[0; 80_000]).unwrap() < 4000);
            }
        }
    }

    /// A chunk of `shape` of an array whose rows have `row` elements.
    fn floats(shape: &[u64], row: u64) -> ChunkType {
        let mut chunk = ChunkType::of_numbers(NumberClass::Float, 4, Endian::Little, shape);
        chunk.row = Some(row);
        chunk
    }

    #[test]
    fn zarr_has_the_same_stream_where_scanlines_are_equal() {
        let registry = Registry::builtin();
        let json = r#"{"mask":32,"pixels-per-block":8}"#;
        let zarr = CodecSpec::zarr(ZarrVersion::V2, "szip", serde_json::from_str(json).unwrap());
        let names = CodecNames::Zarr(ZarrVersion::V2);
        for (shape, row, is_same) in [
            ([10, 40], 40, true),
            ([10, 20], 40, false),
            ([10, 2000], 9000, true),
        ] {
            let chunk = floats(&shape, row);
            let hdf5 = CodecSpec::hdf5(ID, Szip.working_parameters(&[32, 8], &chunk).unwrap());
            assert_eq!(
                registry.same_stream(&hdf5, &zarr, &chunk),
                is_same,
                "{shape:?} {row}"
            );
            assert_eq!(registry.in_zarr(&hdf5, ZarrVersion::V2, &chunk).is_ok(), is_same);
            assert_eq!(registry.named_or_equivalent(&hdf5, names, &chunk).unwrap(), zarr);
            let back = registry.in_hdf5(&zarr, &chunk).unwrap();
            assert!(registry.same_stream(&back, &zarr, &chunk));
        }
        // The same configuration means other scanlines in an array of longer rows.
        let (short, long) = (floats(&[10, 20], 20), floats(&[10, 20], 40));
        assert!(registry.same_for(std::slice::from_ref(&zarr), &short, &short.clone()));
        assert!(!registry.same_for(&[zarr], &short, &long));
        assert!(registry.same_for(&[CodecSpec::hdf5(ID, [169, 8, 32, 20])], &short, &long));
    }

    #[test]
    fn configurations_that_are_not_understood() {
        let chunk = floats(&[100], 100);
        for (json, says) in [
            (r#"{"mask":32}"#, "takes mask (4 or 32)"),
            (r#"{"mask":32,"pixels-per-block":8,"x":1}"#, "no member 'x'"),
            (r#"{"mask":32,"pixels-per-block":9}"#, "9 pixels in a block"),
            (r#"{"mask":-1,"pixels-per-block":8}"#, "does not understand"),
        ] {
            let spec = CodecSpec::zarr(ZarrVersion::V2, "szip", serde_json::from_str(json).unwrap());
            let why = Szip.bind(&spec, &chunk).err().unwrap();
            assert!(why.contains(says), "{json}: {why}");
        }
    }

    #[test]
    fn damaged_headers() {
        let stored = encoded(&Szip, &[169, 8, 8, 64], &[5; 640]).unwrap();
        let decode = |parameters: &[u32], input: &[u8], size| decoded(&Szip, parameters, input, size);
        assert!(decode(&[169, 8, 8, 64], &stored, 640).is_ok());
        assert!(decode(&[169, 8, 8, 64], &stored, 639).is_err());
        assert!(decode(&[169, 8, 8, 64], &stored[..3], 640).is_err());
        assert!(decode(&[169, 8, 8, 64], &stored[..stored.len() - 1], 640).is_err());
        assert!(decode(&[169, 8, 8], &stored, 640).is_err());
        let huge = [&u32::MAX.to_le_bytes()[..], &[0; 9]].concat();
        assert!(decode(&[169, 8, 8, 64], &huge, usize::MAX).is_err());
    }

    /// Samples that wander: all codes appear.
    fn wander() -> impl Strategy<Value = Vec<u64>> {
        let run = (0u32..40, 1usize..90, any::<u64>());
        proptest::collection::vec(run, 1..30).prop_map(|runs| {
            let mut samples = Vec::new();
            let (mut value, mut state) = (1u64 << 40, 7u64);
            for (bits, length, seed) in runs {
                state ^= seed;
                for _ in 0..length {
                    state = state
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    let step = if bits == 0 { 0 } else { state >> (64 - bits) };
                    value = if state & 1 == 0 {
                        value.wrapping_add(step)
                    } else {
                        value.wrapping_sub(step)
                    };
                    samples.push(value);
                }
            }
            samples
        })
    }

    proptest! {
        #[test]
        fn round_trips(
            samples in wander(),
            bits in prop_oneof![1u32..=24, Just(32), Just(64), 25u32..32],
            half_block in 1u32..=16,
            blocks in 1u32..=128,
            short in 0u32..32,
            nearest in any::<bool>(),
            big in any::<bool>(),
        ) {
            let block = 2 * half_block;
            let scanline = (block * blocks).saturating_sub(short).max(1);
            let mask = 129 + 4 + if nearest { 32 } else { 0 } + if big { 16 } else { 8 };
            let parameters = [mask, block, bits, scanline];
            let size = Parameters::parse(&parameters).unwrap().pixel_size();
            let data: Vec<u8> = samples.iter().flat_map(|sample| {
                let sample = if bits < 64 { sample & ((1 << bits) - 1) } else { *sample };
                let bytes = sample.to_be_bytes();
                let mut bytes = bytes[8 - size..].to_vec();
                if !big { bytes.reverse(); }
                bytes
            }).collect();
            round_trip(parameters, &data);
        }

        #[test]
        fn garbage_is_an_error_or_as_long_as_it_says(
            bits in prop_oneof![1u32..=33, Just(64), any::<u32>()],
            block in 0u32..40,
            scanline in 0u32..5000,
            nearest in any::<bool>(),
            size in 0u32..5000,
            data in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0)], 0..300),
        ) {
            let mask = 137 + if nearest { 32 } else { 4 };
            let input = [&size.to_le_bytes()[..], &data].concat();
            if let Ok(out) = decoded(&Szip, &[mask, block, bits, scanline], &input, 4000) {
                prop_assert_eq!(out.len(), size as usize);
            }
        }
    }
}
