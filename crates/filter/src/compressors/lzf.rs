//! LZF, HDF5 filter 32000: one LZF stream without a header, as h5py stores it.
//!
//! A stream is a sequence of runs. The first byte of a run, its control byte, tells what it is:
//!
//! | control byte | then | meaning |
//! | --- | --- | --- |
//! | `000nnnnn` | n + 1 bytes | these bytes |
//! | `nnnddddd`, n from 1 to 6 | low byte of d | n + 2 bytes of output, from d + 1 bytes back |
//! | `111ddddd` | m, low byte of d | m + 9 bytes of output, from d + 1 bytes back |
//!
//! Stored parameters: revision of the filter (4), version of LZF (0x105), bytes of a chunk. libhdf5's filter computes
//! them; a user gives none. The stream is all that decoding needs. A chunk that does not shrink is declined.
//!
//! HDF5 registered filters, id 32000 (h5py's `lzf_filter.c`); format of LibLZF 3.6.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::codec::codec::generous_bound;
use crate::codec::encoded_test::{ContentLength, EncodedTest, check_zeros};
use crate::codec::facts::CodecFacts;
use crate::codec::room::room;
use crate::compressors::copy_back::copy_back;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome, StoredParameters};
use ncutils_model::CodecSpec;

/// The id registered with HDF5.
pub const ID: u32 = 32000;

/// The LZF codec.
#[derive(Debug, Clone, Copy)]
pub struct Lzf;

/// Revision of h5py's filter, the first stored parameter.
const REVISION: u32 = 4;

/// Version of the LZF library, the second stored parameter.
const LZF_VERSION: u32 = 0x105;

/// Maximum number of bytes in a literal run.
const MAX_LITERALS: usize = 32;

/// Maximum number of bytes that a back reference copies.
const MAX_MATCH: usize = 264;

/// Maximum distance of a back reference, in bytes.
const MAX_DISTANCE: usize = 1 << 13;

/// Maximum expansion, in output bytes per input byte: the longest back reference takes three bytes.
const EXPANSION: usize = MAX_MATCH / 3;

/// The encoder's table has 2 to this power places.
const TABLE_BITS: u32 = 14;

/// The places where three bytes with a certain hash were seen last.
type Table = [u32; 1 << TABLE_BITS];

thread_local! {
    static TABLE: RefCell<Box<Table>> = RefCell::new(Box::new([0; 1 << TABLE_BITS]));
}

impl Codec for Lzf {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            parameters_help: "none",
            stored_parameters: Some(self),
            // No parameter changes the stream.
            canonical_parameters: Some(|_| Cow::Borrowed(&[])),
            ..CodecFacts::named("lzf")
        }
    }

    fn bind(&self, _: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound))
    }
}

impl StoredParameters for Lzf {
    /// Three parameters are accepted too, and computed anew, so that the output of `ncdump -s` can be used as input.
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        if !matches!(visible.len(), 0 | 3) {
            return Err("takes no parameters".to_owned());
        }
        self.adapted_parameters(&[], chunk)
    }

    /// Keeps the versions, and computes the size of a chunk. h5py's filter takes it for the size of its first buffer.
    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        let size = chunk.decoded_size(ChunkShape::Full).ok();
        let size = size
            .and_then(|size| u32::try_from(size).ok())
            .ok_or("cannot take chunks of 4 GiB or more")?;
        let kept = |position: usize, default| stored.get(position).copied().unwrap_or(default);
        Ok(vec![kept(0, REVISION), kept(1, LZF_VERSION), size])
    }
}

/// LZF, which has nothing to remember.
struct Bound;

/// The hash of the three bytes at `at`, and the bytes as a number. At least four bytes must be left.
#[inline(always)]
fn hash(input: &[u8], at: usize) -> Option<(usize, u32)> {
    let bytes = u32::from_le_bytes(*input.get(at..)?.first_chunk()?) << 8;
    Some((
        (bytes.wrapping_mul(0x9e37_79b1) >> (32 - TABLE_BITS)) as usize,
        bytes,
    ))
}

/// Number of equal bytes at `earlier` and `at`, at most [`MAX_MATCH`].
#[inline(always)]
fn match_length(input: &[u8], earlier: usize, at: usize) -> usize {
    let (a, b) = (&input[earlier..], &input[at..]);
    let most = b.len().min(MAX_MATCH);
    let words = a[..most].as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    for (number, (a, b)) in words.enumerate() {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return number * 8 + differ.trailing_zeros() as usize / 8;
        }
    }
    let words = most / 8 * 8;
    let rest = a[words..most].iter().zip(&b[words..most]);
    words + rest.take_while(|(a, b)| a == b).count()
}

/// Appends literal runs.
fn push_literals(literals: &[u8], out: &mut Vec<u8>) {
    for run in literals.chunks(MAX_LITERALS) {
        out.push((run.len() - 1) as u8);
        out.extend_from_slice(run);
    }
}

/// Appends a back reference.
#[inline(always)]
fn push_match(distance: usize, length: usize, out: &mut Vec<u8>) {
    let (offset, count) = (distance - 1, length - 2);
    let high = (offset >> 8) as u8;
    if count < 7 {
        out.extend_from_slice(&[(count << 5) as u8 | high, offset as u8]);
    } else {
        out.extend_from_slice(&[7 << 5 | high, (count - 7) as u8, offset as u8]);
    }
}

/// Appends the stream of `input`. False if it is not shorter; `out` then holds a part of it.
fn compress(input: &[u8], table: &mut Table, out: &mut Vec<u8>) -> bool {
    // Places count from 1; 0 means that there is none. The caller declines chunks for which 32 bits are too few.
    table.fill(0);
    let mut at = 0;
    let mut literals = 0;
    while let Some((slot, bytes)) = hash(input, at) {
        let earlier = table[slot] as usize;
        table[slot] = at as u32 + 1;
        let distance = (at + 1).wrapping_sub(earlier);
        if earlier == 0
            || distance > MAX_DISTANCE
            || hash(input, earlier - 1).is_none_or(|(_, other)| other != bytes)
        {
            at += 1;
            continue;
        }
        let length = match_length(input, earlier - 1, at);
        push_literals(&input[literals..at], out);
        if out.len() >= input.len() {
            return false;
        }
        push_match(distance, length, out);
        at += length;
        literals = at;
        // The end of what was copied is likely to come again.
        for place in [at - 2, at - 1] {
            if let Some((slot, _)) = hash(input, place) {
                table[slot] = place as u32 + 1;
            }
        }
    }
    push_literals(&input[literals..], out);
    out.len() < input.len()
}

/// Decodes a stream into `out`. Returns the number of bytes; `None` if they do not fit.
fn decompress(input: &[u8], out: &mut [u8]) -> Outcome<Option<usize>> {
    let early = || "the LZF stream ends too early".to_owned();
    let (mut from, mut at) = (0, 0);
    while let Some(&control) = input.get(from) {
        from += 1;
        if control < MAX_LITERALS as u8 {
            let count = usize::from(control) + 1;
            if let Some(run) = input
                .get(from..)
                .and_then(|rest| rest.first_chunk::<MAX_LITERALS>())
                && let Some(to) = out.get_mut(at..at + MAX_LITERALS)
            {
                to.copy_from_slice(run);
            } else {
                let run = input.get(from..from + count).ok_or_else(early)?;
                match out.get_mut(at..at + count) {
                    Some(to) => to.copy_from_slice(run),
                    None => return Ok(None),
                }
            }
            from += count;
            at += count;
            continue;
        }
        let mut next = || {
            let byte = input.get(from).copied().map(usize::from).ok_or_else(early);
            from += 1;
            byte
        };
        let mut length = usize::from(control >> 5) + 2;
        if length == 9 {
            length += next()?;
        }
        let distance = (usize::from(control & 0x1f) << 8 | next()?) + 1;
        if distance > at {
            return Err("the LZF stream refers to bytes before its beginning".to_owned());
        }
        if length > out.len() - at {
            return Ok(None);
        }
        copy_back(out, at, distance, length);
        at += length;
    }
    Ok(Some(at))
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        if u32::try_from(input.len()).is_err() {
            return Err("it cannot take chunks of 4 GiB or more".to_owned());
        }
        out.clear();
        out.reserve(input.len() + 2 * MAX_LITERALS);
        let shorter = TABLE.with_borrow_mut(|table| compress(input, table, out));
        if shorter {
            Ok(())
        } else {
            Err("the chunk does not shrink".to_owned())
        }
    }

    /// A chunk that does not shrink becomes literal runs.
    fn encode_always(&self, input: &[u8], shape: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        if self.encode(input, shape, out).is_err() {
            out.clear();
            out.reserve(input.len() + input.len().div_ceil(MAX_LITERALS));
            push_literals(input, out);
        }
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let most = limit.min(input.len().saturating_mul(EXPANSION));
        room(out, most).map_err(|error| error.to_string())?;
        match decompress(input, &mut out[..most])? {
            Some(size) => {
                out.truncate(size);
                Ok(())
            }
            None => Err(format!("more than the {limit} bytes expected")),
        }
    }

    fn test_encoded<'a>(&self, input: &'a [u8], _: ContentLength) -> Outcome<EncodedTest<'a>> {
        check_zeros(input)?;
        Ok(EncodedTest::Nothing)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_codec::{decoded, encoded};
    use proptest::prelude::*;

    #[test]
    fn stream_of_h5py() {
        // The first bytes of i32 numbers 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2 as h5py stores them.
        let stored = [
            0x01, 0x00, 0x00, 0xe0, 0x09, 0x00, 0x00, 0x01, 0x20, 0x12, 0xe0, 0x07, 0x03, 0x00, 0x02,
        ];
        let expected: Vec<u8> = [0u32, 0, 0, 0, 0, 1, 1, 1, 1, 1]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .chain([2])
            .collect();
        assert_eq!(decoded(&Lzf, &[], &stored, expected.len()).unwrap(), expected);
        assert_eq!(
            decoded(&Lzf, &[1, 2, 3], &stored, expected.len()).unwrap(),
            expected
        );
        assert!(decoded(&Lzf, &[], &stored, expected.len() - 1).is_err());
    }

    #[test]
    fn longest_runs_and_references() {
        for count in [
            1, 31, 32, 33, 263, 264, 265, 266, 267, 268, 531, 8191, 8192, 8193, 100_000,
        ] {
            let constant = vec![7; count];
            if count > 31 {
                let stored = encoded(&Lzf, &[], &constant).unwrap();
                assert!(stored.len() <= 5 + 3 * count.div_ceil(MAX_MATCH), "{count}");
                assert_eq!(decoded(&Lzf, &[], &stored, count).unwrap(), constant);
            }
            // A repetition at this distance.
            let noise: Vec<u8> = (0..count as u32)
                .map(|i| (i.wrapping_mul(0x9e37_79b1) >> 13) as u8)
                .collect();
            let twice = [&noise[..], &noise[..]].concat();
            if let Ok(stored) = encoded(&Lzf, &[], &twice) {
                assert_eq!(decoded(&Lzf, &[], &stored, twice.len()).unwrap(), twice);
            } else {
                assert!(!(100..=8192).contains(&count), "{count}");
            }
        }
    }

    #[test]
    fn a_chunk_that_does_not_shrink_is_declined() {
        for chunk in [&b""[..], b"a", b"abc", b"abcdefgh"] {
            assert!(encoded(&Lzf, &[], chunk).is_err());
        }
    }

    #[test]
    fn references_before_the_beginning_are_refused() {
        for stored in [&[0x20, 0][..], &[0, 9, 0x20, 1], &[0, 9, 0xff, 255, 255]] {
            assert!(decoded(&Lzf, &[], stored, 1000).is_err());
        }
    }

    #[test]
    fn parameters_are_computed() {
        let chunk = ChunkType::of_bytes(1000);
        assert_eq!(Lzf.working_parameters(&[], &chunk).unwrap(), [4, 0x105, 1000]);
        assert_eq!(
            Lzf.working_parameters(&[3, 0x105, 50], &chunk).unwrap(),
            [4, 0x105, 1000]
        );
        assert_eq!(
            Lzf.adapted_parameters(&[3, 0x104, 50], &chunk).unwrap(),
            [3, 0x104, 1000]
        );
        let large = ChunkType::of_bytes(1 << 32);
        assert!(Lzf.working_parameters(&[], &large).is_err());
        assert!(Lzf.working_parameters(&[4], &chunk).is_err());
    }

    proptest! {
        #[test]
        fn round_trip(data in proptest::collection::vec(0u8..6, 0..5000)) {
            if let Ok(stored) = encoded(&Lzf, &[], &data) {
                prop_assert!(stored.len() < data.len());
                prop_assert_eq!(decoded(&Lzf, &[], &stored, data.len()).unwrap(), data);
            } else {
                prop_assert!(data.len() < 200);
            }
        }

        #[test]
        fn garbage_is_an_error_or_small(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(out) = decoded(&Lzf, &[], &data, 1000) {
                prop_assert!(out.len() <= 1000);
            }
        }
    }
}
