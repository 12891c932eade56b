//! Fletcher-32, HDF5 filter 3: a checksum of four bytes after the data.
//!
//! Parameters: none. Encoding appends the checksum, least significant byte first. Decoding verifies and removes it. The
//! sums run over the data as big-endian 16-bit words, modulo 65535. A last odd byte is the high half of a word.
//! Multiples of 65535 are represented by 65535, not 0.
//!
//! libhdf5 up to 1.6.2 swapped the two bytes of each half on little-endian machines. Such checksums are accepted.
//!
//! HDF5 file format specification, IV.A.2.l, filter 3.

use std::borrow::Cow;

use crate::codec::facts::CodecFacts;
use crate::codec::room::copied;
use crate::{
    BoundCodec, ChunkShape, ChunkType, Codec, ContentLength, EncodedTest, Outcome, StoredParameters, ZarrForm,
};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The id registered with HDF5.
pub const ID: u32 = 3;

/// The Fletcher-32 codec.
#[derive(Debug, Clone, Copy)]
pub struct Fletcher32;

/// Words summed between two reductions. The weighted sum must fit in 32 bits.
const RUN: usize = 128;

/// Reduces a sum below about 2^17, keeping its value modulo 65535. A positive sum stays positive.
fn fold(sum: u64) -> u64 {
    let sum = (sum & 0xffff_ffff) + (sum >> 32);
    let sum = (sum & 0xffff) + (sum >> 16);
    (sum & 0xffff) + (sum >> 16)
}

/// HDF5's Fletcher-32 checksum of `data`.
pub fn checksum(data: &[u8]) -> u32 {
    let (mut sum1, mut sum2) = (0u64, 0u64);
    let mut runs = data.chunks_exact(2 * RUN);
    for run in &mut runs {
        // Over a run of n words w0, w1, …, sum2 grows by n times the old sum1, plus n·w0 + (n-1)·w1 + …
        let (mut plain, mut weighted) = (0u32, 0u32);
        for (i, word) in run.as_chunks::<2>().0.iter().enumerate() {
            let word = u32::from(u16::from_be_bytes(*word));
            plain += word;
            weighted += (RUN - i) as u32 * word;
        }
        sum2 = fold(sum2 + RUN as u64 * sum1 + u64::from(weighted));
        sum1 = fold(sum1 + u64::from(plain));
    }
    for word in runs.remainder().chunks(2) {
        let low = word.get(1).copied().unwrap_or(0);
        sum1 += u64::from(u16::from_be_bytes([word[0], low]));
        sum2 += sum1;
    }
    (fold(fold(sum2)) << 16 | fold(fold(sum1))) as u32
}

impl Codec for Fletcher32 {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // numcodecs computes HDF5's sums, and appends them in the same order. It rejects empty input.
            zarr2: Some("fletcher32"),
            zarr3: Some("numcodecs.fletcher32"),
            parameters_help: "none",
            in_netcdf_c: true,
            filter_in_zarr2: true,
            is_checksum: true,
            stored_parameters: Some(self),
            zarr_form: Some(self),
            canonical_parameters: Some(|_| Cow::Borrowed(&[])),
            ..CodecFacts::named("fletcher32")
        }
    }

    fn bind(&self, _: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(*self))
    }
}

impl StoredParameters for Fletcher32 {
    fn working_parameters(&self, visible: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        match visible {
            [] => Ok(Vec::new()),
            _ => Err("takes no parameters".to_owned()),
        }
    }

    fn adapted_parameters(&self, stored: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        Ok(stored.to_vec())
    }
}

impl ZarrForm for Fletcher32 {
    fn parameters(&self, _: ZarrVersion, configuration: &Configuration, _: &ChunkType) -> Option<Vec<u32>> {
        configuration.is_empty().then(Vec::new)
    }

    fn configuration(&self, _: ZarrVersion, _: &[u32], _: &ChunkType) -> Option<Configuration> {
        Some(Configuration::new())
    }
}

/// The bytes before the checksum, which fits them.
fn verified(input: &[u8]) -> Outcome<&[u8]> {
    let Some((data, stored)) = input.split_last_chunk::<4>() else {
        return Err("the input is shorter than its checksum".to_owned());
    };
    let found = checksum(data);
    let [a, b, c, d] = *stored;
    let stored = u32::from_le_bytes(*stored);
    if found != stored && found != u32::from_le_bytes([b, a, d, c]) {
        return Err(format!(
            "checksum mismatch: the data gives {found:08x}, stored is {stored:08x}"
        ));
    }
    Ok(data)
}

impl BoundCodec for Fletcher32 {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        out.reserve_exact(input.len() + 4);
        out.extend_from_slice(input);
        out.extend_from_slice(&checksum(input).to_le_bytes());
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        copied(verified(input)?, limit, out)
    }

    fn decode_unverified(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let data = input.split_last_chunk::<4>().map(|(data, _)| data);
        let data = data.filter(|data| data.len() <= limit);
        let data = data.ok_or("not the bytes of a chunk and its checksum")?;
        out.clear();
        out.extend_from_slice(data);
        Ok(())
    }

    fn test_encoded<'a>(&self, input: &'a [u8], _: ContentLength) -> Outcome<EncodedTest<'a>> {
        verified(input).map(EncodedTest::Checksum)
    }

    fn exact_encoded_size(&self, input_len: usize) -> Option<usize> {
        input_len.checked_add(4)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len.saturating_add(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_codec::{decoded, encoded};
    use proptest::prelude::*;

    /// The definition, word by word.
    fn plain(data: &[u8]) -> u32 {
        let (mut sum1, mut sum2) = (0u64, 0u64);
        for word in data.chunks(2) {
            sum1 += u64::from(word[0]) << 8 | u64::from(word.get(1).copied().unwrap_or(0));
            sum1 = if sum1 == 0 { 0 } else { (sum1 - 1) % 65535 + 1 };
            sum2 += sum1;
            sum2 = if sum2 == 0 { 0 } else { (sum2 - 1) % 65535 + 1 };
        }
        (sum2 << 16 | sum1) as u32
    }

    #[test]
    fn extremes() {
        for len in [0, 1, 2, 3, 255, 256, 257, 721, 100_000] {
            for byte in [0, 1, 0x7f, 0xff] {
                let data = vec![byte; len];
                assert_eq!(checksum(&data), plain(&data), "{len} × {byte}");
            }
        }
    }

    #[test]
    fn as_numcodecs_encodes() {
        let counted: Vec<u8> = (0..3).flat_map(|_| 0..=255).chain([0xff]).collect();
        for (data, sums) in [
            (&b"some data"[..], 0xadc3_d87b_u32),
            (&counted, 0xc03f_c09f),
            (&[0xff; 721], 0x00ff_00ff),
            (&[0xff; 100_000], 0xffff_ffff),
        ] {
            assert_eq!(
                encoded(&Fletcher32, &[], data).unwrap()[data.len()..],
                sums.to_be_bytes()
            );
        }
    }

    #[test]
    fn old_byte_order_is_accepted() {
        let mut chunk = encoded(&Fletcher32, &[], b"some data").unwrap();
        let at = chunk.len() - 4;
        chunk[at..].swap(0, 1);
        chunk[at..].swap(2, 3);
        assert_eq!(decoded(&Fletcher32, &[], &chunk, 100).unwrap(), b"some data");
    }

    #[test]
    fn damage_is_found() {
        let mut chunk = encoded(&Fletcher32, &[], b"some data").unwrap();
        assert!(decoded(&Fletcher32, &[], &chunk, 8).is_err());
        chunk[3] ^= 1;
        assert!(decoded(&Fletcher32, &[], &chunk, 100).is_err());
        assert!(decoded(&Fletcher32, &[], b"abc", 100).is_err());
    }

    proptest! {
        #[test]
        fn equals_the_definition(data in proptest::collection::vec(any::<u8>(), 0..2000)) {
            prop_assert_eq!(checksum(&data), plain(&data));
        }
    }
}
