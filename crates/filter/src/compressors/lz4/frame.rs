//! LZ4 frames, a codec of Zarr: the format of the program `lz4`.
//!
//! | part of a frame | bytes |
//! | --- | --- |
//! | header | magic number, flags, size of blocks, content size (u64 LE) if flagged, a byte of the checksum of those after the magic number |
//! | each block | u32 LE stored length, LZ4 block, checksum of what is stored if flagged; bit 31 of the length: not compressed |
//! | end | u32 of 0, checksum of the content if flagged |
//!
//! A checksum is xxHash-32, u32 LE. Linked blocks refer to the 64 KiB before them. Frames may follow each other, and frames
//! of other programs' data are skipped. The encoder writes independent blocks.
//!
//! Configuration: `blocksizeid`, 4 to 7, is 64 KiB, 256 KiB, 1 MiB or 4 MiB for a block; 0 is 4. `contentchecksum` and
//! `blockchecksum` are true or false; false is the default. `contentsize` is true by default. `level` is kept, and chunks
//! are encoded as with level 0. Null is the default. Decoding needs none of them.
//!
//! ```json
//! {"name": "imagecodecs_lz4f", "configuration": {"blocksizeid": 7, "contentchecksum": true}}
//! ```
//!
//! Its name is that of imagecodecs, which zarr-python finds if it is installed. The registry of Zarr's extensions has no
//! codec of frames, and numcodecs' `lz4` is a block without one. lz4_flex's decoder of frames is not used: it takes a frame
//! that ends between two blocks for a whole one.
//!
//! LZ4 frame format 1.6; xxHash, "XXH32 algorithm"; imagecodecs, `Lz4f`.

use lz4_flex::block::decompress_into_with_dict;

use super::block;
use crate::codec::codec::generous_bound;
use crate::codec::room::room;
use crate::zarr_only::zarr_configuration::{configuration, integer, member, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, CodecFacts, Outcome};
use ncutils_model::CodecSpec;

/// The name in both versions of Zarr.
const NAME: &str = "imagecodecs_lz4f";

/// The magic number of a frame.
const MAGIC: u32 = 0x184d_2204;

/// The magic numbers of frames with other data.
const SKIPPED: std::ops::RangeInclusive<u32> = 0x184d_2a50..=0x184d_2a5f;

/// Flags of a frame: its version, which is 1, and what it has.
const VERSION: u8 = 0b0100_0000;
const INDEPENDENT: u8 = 0b0010_0000;
const BLOCK_CHECKSUMS: u8 = 0b0001_0000;
const CONTENT_SIZE: u8 = 0b0000_1000;
const CONTENT_CHECKSUM: u8 = 0b0000_0100;
const RESERVED: u8 = 0b0000_0010;
const DICTIONARY: u8 = 0b0000_0001;

/// The bit of a block's length that tells that the block is not compressed.
const PLAIN: u32 = 1 << 31;

/// How far, in bytes, a linked block refers back.
const WINDOW: usize = 64 << 10;

/// The codec of LZ4 frames.
#[derive(Debug, Clone, Copy)]
pub struct Lz4Frame;

impl Codec for Lz4Frame {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            zarr2: Some(NAME),
            zarr3: Some(NAME),
            parameters_help: "level, blocksizeid, contentchecksum, blockchecksum, contentsize",
            in_numcodecs: false,
            same_configuration: Some(|a, b| same(Bound::parse(a), Bound::parse(b))),
            ..CodecFacts::named(NAME)
        }
    }

    fn bind(&self, spec: &CodecSpec, _: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        Ok(Box::new(Bound::parse(spec)?))
    }
}

/// What a configuration says of the frames that are written.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    level: i64,
    /// 4 to 7.
    block_size: u8,
    content_checksum: bool,
    block_checksums: bool,
    content_size: bool,
}

impl Bound {
    fn parse(spec: &CodecSpec) -> Outcome<Self> {
        let flags = ["contentchecksum", "blockchecksum", "contentsize"];
        let (_, members) = configuration(spec, &[&["level", "blocksizeid"], &flags[..]].concat())?;
        let mut values = [false, false, true];
        for (value, name) in values.iter_mut().zip(flags) {
            if let Some(given) = member(members, name) {
                let wrong = || format!("its member {name} is {given}; expected true or false");
                *value = given.as_bool().ok_or_else(wrong)?;
            }
        }
        let [content_checksum, block_checksums, content_size] = values;
        Ok(Self {
            level: integer(members, "level", i64::MIN..=i64::MAX, Some(0))?,
            block_size: match integer(members, "blocksizeid", 0..=7, Some(0))? {
                0 => 4,
                id @ 4.. => id as u8,
                id => return Err(format!("its member blocksizeid is {id}; expected 0, or 4 to 7")),
            },
            content_checksum,
            block_checksums,
            content_size,
        })
    }
}

/// Bytes of the content of a block whose size has the number `id`, 4 to 7.
fn block_size(id: u8) -> usize {
    1 << (8 + 2 * id)
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        // Readers allocate what the header says, so blocks are no larger than the content needs.
        let fits = |id: &u8| input.len() <= block_size(*id);
        let id = (4..self.block_size).find(fits).unwrap_or(self.block_size);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = VERSION
            | INDEPENDENT
            | flag(self.block_checksums, BLOCK_CHECKSUMS)
            | flag(self.content_size, CONTENT_SIZE)
            | flag(self.content_checksum, CONTENT_CHECKSUM);
        out.clear();
        out.extend_from_slice(&MAGIC.to_le_bytes());
        out.extend_from_slice(&[flags, id << 4]);
        if self.content_size {
            out.extend_from_slice(&(input.len() as u64).to_le_bytes());
        }
        out.push(header_checksum(&out[4..]));
        for content in input.chunks(block_size(id)) {
            let at = out.len();
            out.resize(at + 4 + block::bound(content.len()), 0);
            let mut length = block::compress(content, &mut out[at + 4..])?;
            let mut plain = 0;
            if length >= content.len() {
                (length, plain) = (content.len(), PLAIN);
                out[at + 4..][..length].copy_from_slice(content);
            }
            out.truncate(at + 4 + length);
            out[at..][..4].copy_from_slice(&(length as u32 | plain).to_le_bytes());
            if self.block_checksums {
                let checksum = xxh32(&out[at + 4..]);
                out.extend_from_slice(&checksum.to_le_bytes());
            }
        }
        out.extend_from_slice(&[0; 4]);
        if self.content_checksum {
            out.extend_from_slice(&xxh32(input).to_le_bytes());
        }
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        decode(input, limit, true, out)
    }

    fn decode_unverified(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        decode(input, limit, false, out)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

/// Decodes all frames of `input` to at most `limit` bytes. Checksums are compared if `verify` is true.
fn decode(input: &[u8], limit: usize, verify: bool, out: &mut Vec<u8>) -> Outcome {
    let most = limit.min(input.len().saturating_mul(block::EXPANSION));
    room(out, most).map_err(|error| error.to_string())?;
    let (mut at, mut rest) = (0, input);
    loop {
        match word(&mut rest)? {
            MAGIC => at = frame(&mut rest, out, at, verify)?,
            magic if SKIPPED.contains(&magic) => {
                let length = word(&mut rest)?;
                take(&mut rest, length as usize)?;
            }
            magic => return Err(format!("no LZ4 frame begins with {magic:08x}")),
        }
        if rest.is_empty() {
            out.truncate(at);
            return Ok(());
        }
    }
}

/// Decodes a frame without its magic number into `out` from `start` on. Returns where its content ends.
fn frame(rest: &mut &[u8], out: &mut [u8], start: usize, verify: bool) -> Outcome<usize> {
    let whole = *rest;
    let (&[flags, size], after) = rest.split_first_chunk().ok_or_else(early)?;
    *rest = after;
    let id = size >> 4;
    if flags & (0b1100_0000 | RESERVED) != VERSION || size & 0x0f != 0 || !(4..=7).contains(&id) {
        return Err("the LZ4 frame has an unknown header".to_owned());
    }
    if flags & DICTIONARY != 0 {
        return Err("the LZ4 frame needs a dictionary".to_owned());
    }
    let content_size = match flags & CONTENT_SIZE {
        0 => None,
        _ => Some(u64::from(word(rest)?) | u64::from(word(rest)?) << 32),
    };
    let header = &whole[..whole.len() - rest.len()];
    let stored = take(rest, 1)?[0];
    if verify && stored != header_checksum(header) {
        return Err("damaged header of an LZ4 frame: its checksum differs".to_owned());
    }
    let mut at = start;
    loop {
        let length = word(rest)?;
        if length == 0 {
            break;
        }
        let stored = take(rest, (length & !PLAIN) as usize)?;
        if stored.len() > block_size(id) {
            return Err("damaged LZ4 frame: a block is too long".to_owned());
        }
        if flags & BLOCK_CHECKSUMS != 0 {
            compare(word(rest)?, stored, verify, "a block")?;
        }
        let (before, after) = out.split_at_mut(at);
        let most = after.len().min(block_size(id));
        let target = &mut after[..most];
        at += if length & PLAIN != 0 {
            let target = target.get_mut(..stored.len());
            let target = target.ok_or("damaged LZ4 frame: its content is too long")?;
            target.copy_from_slice(stored);
            stored.len()
        } else {
            let from = match flags & INDEPENDENT {
                0 => start.max(at.saturating_sub(WINDOW)),
                _ => at,
            };
            decompress_into_with_dict(stored, target, &before[from..])
                .map_err(|error| format!("damaged LZ4 frame: {error}"))?
        };
    }
    let content = &out[start..at];
    if flags & CONTENT_CHECKSUM != 0 {
        compare(word(rest)?, content, verify, "its content")?;
    }
    match content_size {
        Some(size) if size != content.len() as u64 => Err(format!(
            "damaged LZ4 frame: {} bytes instead of {size}",
            content.len()
        )),
        _ => Ok(at),
    }
}

/// The next `length` bytes.
fn take<'a>(rest: &mut &'a [u8], length: usize) -> Outcome<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(length).ok_or_else(early)?;
    *rest = after;
    Ok(taken)
}

/// The next four bytes as a number.
fn word(rest: &mut &[u8]) -> Outcome<u32> {
    let (bytes, after) = rest.split_first_chunk().ok_or_else(early)?;
    *rest = after;
    Ok(u32::from_le_bytes(*bytes))
}

fn early() -> String {
    "the LZ4 frame ends too early".to_owned()
}

/// Compares the checksum of `bytes`, which are `what`, if `verify` is true.
fn compare(stored: u32, bytes: &[u8], verify: bool, what: &str) -> Outcome {
    match verify && xxh32(bytes) != stored {
        true => Err(format!("damaged LZ4 frame: the checksum of {what} differs")),
        false => Ok(()),
    }
}

fn header_checksum(header: &[u8]) -> u8 {
    (xxh32(header) >> 8) as u8
}

/// The xxHash-32 of `bytes` with seed 0.
fn xxh32(bytes: &[u8]) -> u32 {
    let [first, second, third, fourth, fifth]: [u32; 5] =
        [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1];
    let number = |lane: &[u8; 4]| u32::from_le_bytes(*lane);
    let (stripes, rest) = bytes.as_chunks::<16>();
    let mut sums = [first.wrapping_add(second), second, 0, first.wrapping_neg()];
    for stripe in stripes {
        for (sum, lane) in sums.iter_mut().zip(stripe.as_chunks().0) {
            *sum = sum
                .wrapping_add(number(lane).wrapping_mul(second))
                .rotate_left(13)
                .wrapping_mul(first);
        }
    }
    let mut hash = match stripes {
        [] => fifth,
        _ => (sums.iter().zip([1, 7, 12, 18]))
            .fold(0, |all: u32, (sum, turn)| all.wrapping_add(sum.rotate_left(turn))),
    };
    hash = hash.wrapping_add(bytes.len() as u32);
    let (lanes, rest) = rest.as_chunks();
    for lane in lanes {
        hash = hash.wrapping_add(number(lane).wrapping_mul(third));
        hash = hash.rotate_left(17).wrapping_mul(fourth);
    }
    for byte in rest {
        hash = hash.wrapping_add(u32::from(*byte).wrapping_mul(fifth));
        hash = hash.rotate_left(11).wrapping_mul(first);
    }
    hash = (hash ^ hash >> 15).wrapping_mul(second);
    hash = (hash ^ hash >> 13).wrapping_mul(third);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use ncutils_model::ZarrVersion::V3;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn spec(configuration: Value) -> CodecSpec {
        CodecSpec::zarr(V3, NAME, configuration.as_object().unwrap().clone())
    }

    fn bound(configuration: Value) -> Outcome<Box<dyn BoundCodec>> {
        Lz4Frame.bind(&spec(configuration), &ChunkType::of_bytes(1))
    }

    fn encoded(configuration: Value, data: &[u8]) -> Vec<u8> {
        let mut out = vec![9; 5];
        let codec = bound(configuration).unwrap();
        codec.encode(data, ChunkShape::Full, &mut out).unwrap();
        assert!(out.len() <= codec.max_encoded_size(data.len()));
        out
    }

    fn decoded(stored: &[u8], limit: usize) -> Outcome<Vec<u8>> {
        let mut out = vec![9; 5];
        decode(stored, limit, true, &mut out)?;
        Ok(out)
    }

    /// Configurations of all checksums, and of none.
    fn both() -> [Value; 2] {
        [
            json!({}),
            json!({"contentchecksum": true, "blockchecksum": true, "contentsize": false}),
        ]
    }

    #[test]
    fn xxh32_of_the_reference_library() {
        for (text, hash) in [
            ("", 0x02cc_5d05),
            ("a", 0x550d_7456),
            ("Nobody inspects the spammish repetition", 0xe229_3b2f),
        ] {
            assert_eq!(xxh32(text.as_bytes()), hash, "{text}");
        }
    }

    #[test]
    fn a_frame_that_is_cut_or_too_large_is_refused() {
        let data = b"hello, hello, hello and so on ".repeat(2400);
        for configuration in both() {
            let frame = encoded(configuration, &data);
            assert!(frame.len() < 2000);
            assert_eq!(decoded(&frame, data.len()).unwrap(), data);
            assert!(decoded(&frame, data.len() - 1).is_err());
            for end in 0..frame.len() {
                assert!(decoded(&frame[..end], data.len()).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn damage_is_noticed_unless_it_is_not_asked_for() {
        let data: Vec<u8> = (0..300u32).map(|n| (n * n / 7) as u8).collect();
        let frame = encoded(both()[1].clone(), &data);
        for at in 0..frame.len() {
            let mut damaged = frame.clone();
            damaged[at] ^= 4;
            assert!(decoded(&damaged, 300).is_err(), "{at}");
        }
        let mut damaged = frame;
        *damaged.last_mut().unwrap() ^= 4;
        assert!(
            decoded(&damaged, 300)
                .unwrap_err()
                .contains("checksum of its content")
        );
        let mut out = Vec::new();
        let codec = bound(json!({})).unwrap();
        codec
            .decode_unverified(&damaged, ChunkShape::Full, 300, &mut out)
            .unwrap();
        assert_eq!(out, data);
    }

    #[test]
    fn what_has_no_content_is_refused() {
        // A dictionary, a reserved bit, an unknown version, an unknown size of blocks.
        for [flags, size] in [
            [0x61, 0x40],
            [0x62, 0x40],
            [0xa0, 0x40],
            [0x60, 0x30],
            [0x60, 0xc0],
        ] {
            let header = [flags, size];
            let frame = [
                &MAGIC.to_le_bytes(),
                &header[..],
                &[header_checksum(&header), 0, 0, 0, 0],
            ]
            .concat();
            assert!(decoded(&frame, 100).is_err(), "{header:?}");
        }
        let header = [0x60, 0x40];
        let begun = [&MAGIC.to_le_bytes(), &header[..], &[header_checksum(&header)]].concat();
        let empty = decoded(&[&begun[..], &[0; 4]].concat(), 100);
        assert_eq!(empty.unwrap(), b"");
        // A block of 4 GiB that is not there, and the legacy format.
        assert!(decoded(&[&begun[..], &[0xff; 9]].concat(), 100).is_err());
        assert!(decoded(&0x184c_2102u32.to_le_bytes(), 100).is_err());
        assert!(decoded(&[], 100).is_err());
    }

    #[test]
    fn blocks_are_no_larger_than_the_content_needs() {
        let size = |configuration, len| encoded(configuration, &vec![0; len])[5] >> 4;
        assert_eq!(size(json!({"blocksizeid": 7}), 100), 4);
        assert_eq!(size(json!({"blocksizeid": 7}), 70_000), 5);
        assert_eq!(size(json!({"blocksizeid": 5}), 3_000_000), 5);
        assert_eq!(size(json!({}), 3_000_000), 4);
    }

    #[test]
    fn wrong_configurations_are_refused() {
        for wrong in [
            json!({"blocksizeid": 3}),
            json!({"blocksizeid": 8}),
            json!({"level": "9"}),
            json!({"contentchecksum": 1}),
            json!({"acceleration": 1}),
        ] {
            assert!(bound(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn null_is_the_default() {
        let codec: &dyn Codec = &Lz4Frame;
        let same = |a, b| codec.same_configuration(&spec(a), &spec(b));
        assert!(same(
            json!({}),
            json!({"level": null, "blocksizeid": 4, "blockchecksum": false, "contentsize": true})
        ));
        assert!(!same(json!({}), json!({"blocksizeid": 5})));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn round_trip(
            data in proptest::collection::vec(0u8..9, 0..200_000),
            size in 4u32..8,
            content in any::<bool>(),
            blocks in any::<bool>(),
        ) {
            let frame = encoded(json!({"blocksizeid": size, "contentchecksum": content, "blockchecksum": blocks, "contentsize": !blocks}), &data);
            prop_assert_eq!(decoded(&frame, data.len()).unwrap(), data);
        }

        #[test]
        fn garbage_neither_panics_nor_grows(data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let framed = [b"\x04\x22\x4d\x18\x60\x40\x82", &data[..]].concat();
            let linked = [b"\x04\x22\x4d\x18\x40\x40\xc0", &data[..]].concat();
            for garbage in [&data, &framed, &linked] {
                let mut out = Vec::new();
                let _ = decode(garbage, 1000, false, &mut out);
                prop_assert!(out.len() <= 1000 && out.capacity() <= 2000);
            }
        }
    }
}
