//! Bitshuffle, HDF5 filter 32008: the bits of elements, transposed block by block; then LZ4 or Zstandard, or neither.
//!
//! | part | if compressed | else |
//! | --- | --- | --- |
//! | header | u64 BE bytes of the chunk, u32 BE bytes of a block | |
//! | each block | u32 BE stored length, LZ4 block or zstd frame | bits |
//! | end: less than eight elements | the elements | the elements |
//!
//! All blocks have the same number of elements, a multiple of eight. The last one has what is left of the chunk, without
//! up to seven elements at the end. A block that does not shrink is stored compressed all the same.
//!
//! Parameters: see `parameters`. The header decides about the size of blocks; without a header, the parameters do.
//!
//! HDF5 registered filters, id 32008 (bitshuffle's `bshuf_h5filter.c`).

use crate::codec::codec::{generous_bound, stored_parameters};
use crate::codec::codec_input::CodecInput;
use crate::codec::encoded_test::{ContentLength, EncodedTest};
use crate::codec::facts::CodecFacts;
use crate::codec::room::room;
use crate::compressors::lz4::check_blocks;
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome, StoredParameters};
use ncutils_model::CodecSpec;

mod compression;
mod parameters;
pub(crate) mod transpose;

use compression::Compression;
use parameters::{Parameters, ROW};

/// The id registered with HDF5.
pub const ID: u32 = 32008;

/// The bitshuffle codec.
#[derive(Debug, Clone, Copy)]
pub struct Bitshuffle;

/// Length of the header, in bytes.
const HEADER: usize = 12;

/// Length of the stored length of a block, in bytes.
const LENGTH: usize = 4;

impl Codec for Bitshuffle {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            parameters_help: "elements of a block, 0 to choose; 0 none, 2 LZ4, 3 Zstandard; level",
            input: CodecInput::Elements,
            stored_parameters: Some(self),
            ..CodecFacts::named("bitshuffle")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let stored = stored_parameters(self, spec, chunk)?;
        Ok(Box::new(Bound(Parameters::parse(&stored)?)))
    }
}

impl StoredParameters for Bitshuffle {
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::working(visible, chunk)
    }

    fn adapted_parameters(&self, stored: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        parameters::adapted(stored, chunk)
    }
}

/// Bitshuffle with its parameters.
struct Bound(Parameters);

impl Bound {
    /// Length of the part of a chunk that has whole rows of eight elements, in bytes.
    ///
    /// # Errors
    /// The chunk ends within an element.
    fn whole_rows(&self, len: usize) -> Outcome<usize> {
        let size = self.0.size;
        if !len.is_multiple_of(size) {
            return Err(format!("{len} bytes are no whole elements of {size} bytes"));
        }
        Ok(len / size / ROW * ROW * size)
    }

    /// The same with the bytes of a block that a header states.
    fn with_block(&self, stated: [u8; LENGTH]) -> Self {
        Self(Parameters {
            block: u32::from_be_bytes(stated) as usize / self.0.size,
            ..self.0
        })
    }

    /// Length of a block of a chunk of `len` bytes, at least 1.
    fn block_len(&self, len: usize) -> usize {
        let bytes = self.0.block_elements().saturating_mul(self.0.size);
        bytes.min(len).max(1)
    }

    /// Transposes all blocks of a chunk without compression.
    fn transpose(
        &self,
        input: &[u8],
        out: &mut Vec<u8>,
        transpose: impl Fn(usize, &[u8], &mut [u8]),
    ) -> Outcome {
        let whole = self.whole_rows(input.len())?;
        let block = self.block_len(whole);
        room(out, input.len()).map_err(|error| error.to_string())?;
        let (rows, end) = out.split_at_mut(whole);
        for (from, to) in input[..whole].chunks(block).zip(rows.chunks_mut(block)) {
            transpose(self.0.size, from, to);
        }
        end.copy_from_slice(&input[whole..]);
        Ok(())
    }

    /// Length, in bytes, of a compressed chunk whose blocks do not shrink.
    fn compressed_bound(&self, len: usize) -> usize {
        let block = self.block_len(len);
        let each = LENGTH + self.0.compression.bound(block) - block;
        len.div_ceil(block)
            .saturating_mul(each)
            .saturating_add(len)
            .saturating_add(HEADER)
    }
}

/// Splits elements of `size` bytes into planes of bits, in blocks of the default length. Elements after the last whole eight are
/// copied.
pub fn split_bits(size: usize, input: &[u8], out: &mut Vec<u8>) {
    in_blocks(size, input, out, transpose::split);
}

/// The reverse of [`split_bits`].
pub fn join_bits(size: usize, input: &[u8], out: &mut Vec<u8>) {
    in_blocks(size, input, out, transpose::join);
}

fn in_blocks(size: usize, input: &[u8], out: &mut Vec<u8>, transpose: impl Fn(usize, &[u8], &mut [u8])) {
    let size = size.max(1);
    let parameters = Parameters {
        size,
        block: 0,
        compression: Compression::None,
    };
    let whole = input.len() / size / ROW * ROW * size;
    let block = (parameters.block_elements() * size).min(whole).max(1);
    out.resize(input.len(), 0);
    let (rows, end) = out.split_at_mut(whole);
    for (from, to) in input[..whole].chunks(block).zip(rows.chunks_mut(block)) {
        transpose(size, from, to);
    }
    end.copy_from_slice(&input[whole..]);
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        let compression = self.0.compression;
        if let Compression::None = compression {
            return self.transpose(input, out, transpose::split);
        }
        let whole = self.whole_rows(input.len())?;
        let stated = parameters::block_bytes(&self.0).map_err(|why| format!("it cannot make {why}"))?;
        let block = self.block_len(whole);
        room(out, self.compressed_bound(input.len())).map_err(|error| error.to_string())?;
        out[..8].copy_from_slice(&(input.len() as u64).to_be_bytes());
        out[8..HEADER].copy_from_slice(&stated.to_be_bytes());
        let mut bits = Vec::new();
        room(&mut bits, block).map_err(|error| error.to_string())?;
        let mut at = HEADER;
        for block in input[..whole].chunks(block) {
            let bits = &mut bits[..block.len()];
            transpose::split(self.0.size, block, bits);
            let (length, stored) = out[at..].split_at_mut(LENGTH);
            let stored_length = compression.compress(bits, stored)?;
            length.copy_from_slice(&(stored_length as u32).to_be_bytes());
            at += LENGTH + stored_length;
        }
        let end = &input[whole..];
        out[at..at + end.len()].copy_from_slice(end);
        out.truncate(at + end.len());
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        let early = || "the blocks end too early".to_owned();
        let too_long = || format!("more than the {limit} bytes expected");
        let compression = self.0.compression;
        if let Compression::None = compression {
            if input.len() > limit {
                return Err(too_long());
            }
            return self.transpose(input, out, transpose::join);
        }
        let (total, rest) = input.split_first_chunk().ok_or_else(early)?;
        let (stated, mut rest) = rest.split_first_chunk().ok_or_else(early)?;
        let total = usize::try_from(u64::from_be_bytes(*total))
            .ok()
            .filter(|total| *total <= limit)
            .ok_or_else(too_long)?;
        if total > rest.len().saturating_mul(compression.expansion()) {
            return Err(early());
        }
        let whole = self.whole_rows(total)?;
        let of_header = self.with_block(*stated);
        if !of_header.0.block.is_multiple_of(ROW) {
            return Err("the blocks have no multiple of eight elements".to_owned());
        }
        let block = of_header.block_len(whole);
        room(out, total).map_err(|error| error.to_string())?;
        let mut bits = Vec::new();
        room(&mut bits, block).map_err(|error| error.to_string())?;
        let (rows, end) = out.split_at_mut(whole);
        for block in rows.chunks_mut(block) {
            let (length, after) = rest.split_first_chunk().ok_or_else(early)?;
            let length = u32::from_be_bytes(*length) as usize;
            let (stored, after) = after.split_at_checked(length).ok_or_else(early)?;
            let bits = &mut bits[..block.len()];
            compression.decompress(stored, bits)?;
            transpose::join(self.0.size, bits, block);
            rest = after;
        }
        end.copy_from_slice(rest.get(..end.len()).ok_or_else(early)?);
        Ok(())
    }

    fn test_encoded<'a>(&self, input: &'a [u8], content: ContentLength) -> Outcome<EncodedTest<'a>> {
        let early = || "the blocks end too early".to_owned();
        if let Compression::None = self.0.compression {
            return Ok(EncodedTest::Nothing);
        }
        let (total, rest) = input.split_first_chunk().ok_or_else(early)?;
        let (stated, rest) = rest.split_first_chunk().ok_or_else(early)?;
        let total = u64::from_be_bytes(*total);
        content.check(total)?;
        let total = usize::try_from(total).map_err(|_| early())?;
        let whole = self.whole_rows(total)?;
        let block = self.with_block(*stated).block_len(whole);
        check_blocks(rest, whole.div_ceil(block) as u64, total - whole)?;
        Ok(EncodedTest::Structure)
    }

    fn exact_encoded_size(&self, input_len: usize) -> Option<usize> {
        matches!(self.0.compression, Compression::None).then_some(input_len)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        match self.0.compression {
            Compression::None => input_len,
            _ => generous_bound(input_len).max(self.compressed_bound(input_len)),
        }
    }
}

#[cfg(test)]
mod tests;
