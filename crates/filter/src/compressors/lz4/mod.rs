//! LZ4, HDF5 filter 32004 and Zarr's `lz4`. The two frame raw LZ4 blocks differently:
//!
//! | | header | each block |
//! | --- | --- | --- |
//! | HDF5 | u64 BE bytes of the chunk, u32 BE bytes of a block | u32 BE stored length, LZ4 block |
//! | numcodecs | u32 LE bytes of the chunk | LZ4 block; there is only one |
//!
//! In HDF5 the last block may be shorter. A block whose stored length equals its content's is not compressed. A chunk that
//! does not shrink is stored all the same.
//!
//! HDF5 parameters: bytes of a block; 0 or none: 1 GiB. The plugin ignores further ones. Zarr configuration:
//! `{"acceleration": number}`, a trade of size for speed, which decoding does not need. lz4_flex has
//! one speed, that of 1. Other numbers are kept, and printed as they are.
//!
//! [`frame`] is another codec: the format of the program `lz4`.
//!
//! HDF5 registered filters, id 32004; LZ4 block format; numcodecs' `lz4.pyx`.

use std::borrow::Cow;

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::encoded_test::{ContentLength, EncodedTest, check_zeros};
use crate::codec::facts::CodecFacts;
use crate::codec::room::room;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Member, Outcome, StoredParameters};
use ncutils_model::{CodecNames, CodecSpec, Configuration};

pub(crate) mod block;
pub mod frame;

/// The id registered with HDF5.
pub const ID: u32 = 32004;

/// The LZ4 codec.
#[derive(Debug, Clone, Copy)]
pub struct Lz4;

/// The block size, in bytes, without a parameter.
const DEFAULT_BLOCK: u32 = 1 << 30;

/// Length of HDF5's header, in bytes.
const HEADER: usize = 12;

/// Length of the stored length of a block, in bytes.
const LENGTH: usize = 4;

/// The block size in stored parameters. The plugin reads only the first.
fn block_size(parameters: &[u32]) -> u32 {
    match parameters.first() {
        None | Some(0) => DEFAULT_BLOCK,
        Some(size) => (*size).min(block::MAX_INPUT as u32),
    }
}

impl Codec for Lz4 {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // These names stand for numcodecs' stream.
            zarr2: Some("lz4"),
            zarr3: Some("numcodecs.lz4"),
            parameters_help: "bytes of a block; none or 0: 1 GiB",
            members: const {
                &[Member::new(
                    "acceleration",
                    "kept; chunks are encoded as with 1. Only Zarr has it",
                )]
            },
            stored_parameters: Some(self),
            canonical_parameters: Some(|stored| Cow::Owned(vec![block_size(stored)])),
            same_configuration: Some(same_configuration),
            equivalent: Some(equivalent),
            ..CodecFacts::named("lz4")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        if spec.configuration().and_then(acceleration).is_some() {
            return Ok(Box::new(Single));
        }
        let parameters = stored_parameters(self, spec, chunk)?;
        Ok(Box::new(Blocks {
            size: block_size(&parameters) as usize,
        }))
    }
}

/// HDF5 and numcodecs put blocks of LZ4 into streams of their own.
fn equivalent(_: &CodecSpec, names: CodecNames) -> Option<CodecSpec> {
    let facts = Lz4.facts();
    Some(match names {
        CodecNames::Hdf5 => CodecSpec::hdf5(ID, []).with_name(facts.name),
        CodecNames::Zarr(version) => {
            let configuration = Configuration::from_iter([("acceleration".to_owned(), 1.into())]);
            CodecSpec::zarr(version, facts.zarr_name(version)?, configuration)
        }
    })
}

fn same_configuration(a: &CodecSpec, b: &CodecSpec) -> bool {
    let parsed = |spec: &CodecSpec| acceleration(spec.configuration()?);
    parsed(a).is_some() && parsed(a) == parsed(b)
}

impl StoredParameters for Lz4 {
    fn working_parameters(&self, visible: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        match visible {
            [] => Ok(Vec::new()),
            [size] if *size as usize <= block::MAX_INPUT => Ok(vec![*size]),
            _ => Err(format!(
                "takes one parameter: the bytes of a block, at most {} (0 or none: {DEFAULT_BLOCK})",
                block::MAX_INPUT
            )),
        }
    }

    fn adapted_parameters(&self, stored: &[u32], _: &ChunkType) -> Outcome<Vec<u32>> {
        Ok(stored.to_vec())
    }
}

/// The acceleration in a Zarr configuration, 1 if there is none; `None` if the configuration is not understood.
fn acceleration(configuration: &Configuration) -> Option<i64> {
    let given = match configuration.get("acceleration") {
        Some(number) => number.as_i64()?,
        None => 1,
    };
    let members = usize::from(configuration.contains_key("acceleration"));
    // LZ4 takes 1 for what is less.
    (configuration.len() == members).then_some(given.max(1))
}

/// HDF5's stream.
struct Blocks {
    /// Bytes of a block, at least 1.
    size: usize,
}

impl Blocks {
    /// Length, in bytes, of the stream if no block is compressed. No stream of ours is longer.
    fn plain_size(&self, input_len: usize) -> usize {
        let lengths = input_len.div_ceil(self.size).saturating_mul(LENGTH);
        input_len.saturating_add(lengths).saturating_add(HEADER)
    }
}

impl BoundCodec for Blocks {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let size = self.size.min(input.len());
        // A block may need more room while it is compressed than it takes in the end.
        let most = self.plain_size(input.len()) + (block::bound(size) - size);
        room(out, most).map_err(|error| error.to_string())?;
        out[..8].copy_from_slice(&(input.len() as u64).to_be_bytes());
        out[8..HEADER].copy_from_slice(&(size as u32).to_be_bytes());
        let mut at = HEADER;
        for content in input.chunks(size.max(1)) {
            let (length, stored) = out[at..].split_at_mut(LENGTH);
            let mut stored_length = block::compress(content, stored)?;
            if stored_length >= content.len() {
                stored[..content.len()].copy_from_slice(content);
                stored_length = content.len();
            }
            length.copy_from_slice(&(stored_length as u32).to_be_bytes());
            at += LENGTH + stored_length;
        }
        out.truncate(at);
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let early = || "the LZ4 blocks end too early".to_owned();
        let (total, rest) = input.split_first_chunk().ok_or_else(early)?;
        let (size, mut rest) = rest.split_first_chunk().ok_or_else(early)?;
        let total = expected(u64::from_be_bytes(*total), rest.len(), limit)?;
        let size = u32::from_be_bytes(*size) as usize;
        if size == 0 && total > 0 {
            return Err("the LZ4 blocks have no bytes".to_owned());
        }
        room(out, total).map_err(|error| error.to_string())?;
        for content in out.chunks_mut(size.max(1)) {
            let (length, after) = rest.split_first_chunk().ok_or_else(early)?;
            let length = u32::from_be_bytes(*length) as usize;
            let (stored, after) = after.split_at_checked(length).ok_or_else(early)?;
            if length == content.len() {
                content.copy_from_slice(stored);
            } else {
                block::decompress(stored, content)?;
            }
            rest = after;
        }
        Ok(())
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let early = || "the LZ4 blocks end too early".to_owned();
        let (total, rest) = input.split_first_chunk().ok_or_else(early)?;
        let (size, rest) = rest.split_first_chunk().ok_or_else(early)?;
        let (total, size) = (u64::from_be_bytes(*total), u32::from_be_bytes(*size));
        content.check(total)?;
        let blocks = match size {
            0 => 0,
            size => total.div_ceil(size.into()),
        };
        check_blocks(rest, blocks, 0)?;
        Ok(EncodedTest::Structure)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len).max(self.plain_size(input_len))
    }
}

/// The stated length of the content, which `stored` bytes must be able to hold.
fn expected(total: u64, stored: usize, limit: usize) -> Outcome<usize> {
    let total = usize::try_from(total)
        .ok()
        .filter(|total| *total <= limit)
        .ok_or_else(|| format!("more than the {limit} bytes expected"))?;
    if total > stored.saturating_mul(block::EXPANSION) {
        return Err("the LZ4 blocks end too early".to_owned());
    }
    Ok(total)
}

/// Walks `count` blocks, each with its stored length before it (u32 BE), which must end `after` bytes before the input does.
///
/// # Errors
/// Blocks that end elsewhere.
pub(crate) fn check_blocks(mut blocks: &[u8], count: u64, after: usize) -> Outcome {
    for _ in 0..count {
        let block = blocks.split_first_chunk::<LENGTH>();
        let rest = block.and_then(|(length, rest)| rest.get(u32::from_be_bytes(*length) as usize..));
        blocks = rest.ok_or("the blocks end too early")?;
    }
    match blocks.len() == after {
        true => Ok(()),
        false => Err("bytes follow the blocks".to_owned()),
    }
}

/// numcodecs' stream.
struct Single;

impl BoundCodec for Single {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        if input.len() > block::MAX_INPUT {
            return Err(format!(
                "it cannot take chunks of more than {} bytes",
                block::MAX_INPUT
            ));
        }
        room(out, LENGTH + block::bound(input.len())).map_err(|error| error.to_string())?;
        let (length, stored) = out.split_at_mut(LENGTH);
        length.copy_from_slice(&(input.len() as u32).to_le_bytes());
        let stored_length = block::compress(input, stored)?;
        out.truncate(LENGTH + stored_length);
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let (total, stored) = input
            .split_first_chunk()
            .ok_or("the input has no room for a length")?;
        let total = expected(u32::from_le_bytes(*total).into(), stored.len(), limit)?;
        room(out, total).map_err(|error| error.to_string())?;
        block::decompress(stored, out)
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let (total, stored) = input
            .split_first_chunk()
            .ok_or("the input has no room for a length")?;
        let total = u32::from_le_bytes(*total);
        content.check(total.into())?;
        expected(total.into(), stored.len(), usize::MAX)?;
        check_zeros(stored)?;
        Ok(EncodedTest::Structure)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        generous_bound(input_len)
    }
}

#[cfg(test)]
mod tests;
