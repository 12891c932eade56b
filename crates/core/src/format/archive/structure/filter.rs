//! The filters of an archive: a closed list, all without loss.
//!
//! | id | filter | parameter | bytes |
//! | --- | --- | --- | --- |
//! | 1 | deflate | level, 1 to 9 | a zlib stream |
//! | 2 | shuffle | 0 | all first bytes of the elements, then all second bytes … |
//! | 3 | bitshuffle | 0 | the bits of elements, transposed in pieces of 8 KiB |
//! | 4 | zstd | level | one Zstandard frame |
//! | 5 | delta | 0 | differences of neighbours, as big-endian unsigned numbers |

use super::fields::{Fields, damaged};
use crate::error::{Error, Result};
use crate::filter::{compressors::zstd, deflate::deflate, shuffle::bitshuffle, shuffle::shuffle};
use crate::model::{CodecSpec, Configuration, ZarrVersion};

/// Most filters of a stream.
pub const MOST_FILTERS: usize = 8;

/// Name of the delta filter in requests and listings.
const DELTA: &str = "delta";

/// One filter with its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// A zlib stream of this level.
    Deflate(u8),
    /// Transposed bytes.
    Shuffle,
    /// Transposed bits.
    Bitshuffle,
    /// A Zstandard frame of this level.
    Zstd(i16),
    /// Differences of neighbouring elements.
    Delta,
}

impl Filter {
    fn stored(self) -> (u16, i16) {
        match self {
            Self::Deflate(level) => (1, level.into()),
            Self::Shuffle => (2, 0),
            Self::Bitshuffle => (3, 0),
            Self::Zstd(level) => (4, level),
            Self::Delta => (5, 0),
        }
    }

    fn parse(id: u16, parameter: i16) -> Result<Self> {
        match (id, parameter) {
            (1, 1..=9) => Ok(Self::Deflate(parameter as u8)),
            (2, 0) => Ok(Self::Shuffle),
            (3, 0) => Ok(Self::Bitshuffle),
            (4, _) => Ok(Self::Zstd(parameter)),
            (5, 0) => Ok(Self::Delta),
            _ => Err(damaged(format!(
                "filter {id} with parameter {parameter} is not one of the format"
            ))),
        }
    }

    /// The filter as layouts name it.
    pub fn spec(self) -> CodecSpec {
        match self {
            Self::Deflate(level) => CodecSpec::hdf5(deflate::ID, [u32::from(level)]).with_name("deflate"),
            Self::Shuffle => CodecSpec::hdf5(shuffle::ID, []).with_name("shuffle"),
            Self::Bitshuffle => CodecSpec::hdf5(bitshuffle::ID, []).with_name("bitshuffle"),
            Self::Zstd(level) => CodecSpec::hdf5(zstd::ID, [i32::from(level) as u32]).with_name("zstd"),
            Self::Delta => CodecSpec::zarr(ZarrVersion::V2, DELTA, Configuration::new()),
        }
    }

    /// The filter that a layout names. `None` if it is not one of the format.
    pub fn of_spec(spec: &CodecSpec) -> Option<Self> {
        let first = || spec.parameters().first().copied();
        match spec.hdf5_id() {
            Some(deflate::ID) => {
                let level = u8::try_from(first().unwrap_or(5)).ok()?;
                (1..=9).contains(&level).then_some(Self::Deflate(level))
            }
            Some(shuffle::ID) => Some(Self::Shuffle),
            Some(bitshuffle::ID) => {
                // Given: block, compression. Stored: version, version, element size, block, compression.
                let plain = match spec.parameters() {
                    [] | [0] | [0, 0] => true,
                    [_, _, _, given @ ..] => given.iter().all(|n| *n == 0),
                    _ => false,
                };
                plain.then_some(Self::Bitshuffle)
            }
            Some(zstd::ID) => {
                let level = match first().map_or(0, |level| level as i32) {
                    0 => 3,
                    level => level,
                };
                i16::try_from(level)
                    .ok()
                    .filter(|level| *level <= 22)
                    .map(Self::Zstd)
            }
            Some(_) => None,
            None if spec.name() == DELTA => Some(Self::Delta),
            None => None,
        }
    }

    fn encode(self, element: usize, input: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Deflate(level) => deflate::encode_plain(level.into(), input, out),
            Self::Shuffle => {
                shuffle::shuffle(element, input, out);
                Ok(())
            }
            Self::Bitshuffle => {
                bitshuffle::split_bits(element, input, out);
                Ok(())
            }
            Self::Zstd(level) => zstd::encode_plain(level.into(), input, out),
            Self::Delta => {
                differences(element, input, out);
                Ok(())
            }
        }
    }

    fn decode(self, element: usize, input: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Deflate(_) => deflate::decode_plain(input, limit, out),
            Self::Zstd(_) => zstd::decode_plain(input, limit, out),
            _ if input.len() > limit => Err(format!("more than the {limit} bytes expected")),
            Self::Shuffle => {
                shuffle::unshuffle(element, input, out);
                Ok(())
            }
            Self::Bitshuffle => {
                bitshuffle::join_bits(element, input, out);
                Ok(())
            }
            Self::Delta => {
                sums(element, input, out);
                Ok(())
            }
        }
    }
}

/// The filters of a stream, in the order in which packing applies them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filters(Vec<Filter>);

/// Buffers that encoding and decoding reuse.
#[derive(Debug, Default)]
pub(crate) struct Scratch([Vec<u8>; 2]);

impl Filters {
    /// These filters.
    pub fn new(filters: impl Into<Vec<Filter>>) -> Self {
        Self(filters.into())
    }

    /// The filters, in order.
    pub fn list(&self) -> &[Filter] {
        &self.0
    }

    /// Appends the stored form to a stream's record.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for filter in &self.0 {
            let (id, parameter) = filter.stored();
            out.extend(id.to_le_bytes());
            out.extend(parameter.to_le_bytes());
        }
    }

    /// Reads the stored form of `count` filters.
    pub(crate) fn read(fields: &mut Fields, count: usize) -> Result<Self> {
        if count > MOST_FILTERS {
            return Err(damaged(format!("a stream with {count} filters")));
        }
        let mut filters = Vec::with_capacity(count);
        for _ in 0..count {
            let id = fields.u16()?;
            filters.push(Filter::parse(id, fields.u16()? as i16)?);
        }
        Ok(Self(filters))
    }

    /// The mask of a block that skips all filters.
    pub(crate) fn all_skipped(&self) -> u16 {
        ((1u32 << self.0.len()) - 1) as u16
    }

    /// Encodes a block of elements. Returns its bytes, in `scratch` or `input` itself, and the mask of skipped filters. A
    /// block that filters make no shorter skips all of them.
    pub(crate) fn encode<'a>(
        &self,
        element: usize,
        input: &'a [u8],
        scratch: &'a mut Scratch,
    ) -> Result<(&'a [u8], u16)> {
        let [a, b] = &mut scratch.0;
        let mut first = true;
        for filter in &self.0 {
            let from: &[u8] = if first { input } else { a };
            filter
                .encode(element, from, b)
                .map_err(|why| failure(*filter, why))?;
            std::mem::swap(a, b);
            first = false;
        }
        match !first && a.len() < input.len() {
            true => Ok((a, 0)),
            false => Ok((input, self.all_skipped())),
        }
    }

    /// Decodes the stored bytes of a block into `out`, which has the block's length.
    pub(crate) fn decode(
        &self,
        element: usize,
        mask: u16,
        stored: &[u8],
        out: &mut Vec<u8>,
        length: usize,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if mask & !self.all_skipped() != 0 {
            return Err(damaged("a block skips filters that its stream does not have"));
        }
        let active = || {
            let numbered = self.0.iter().enumerate().rev();
            numbered.filter(|(n, _)| mask & (1 << n) == 0).map(|(_, f)| *f)
        };
        let count = active().count();
        let [a, b] = &mut scratch.0;
        out.clear();
        for (n, filter) in active().enumerate() {
            let from: &[u8] = if n == 0 { stored } else { a };
            let to = if n + 1 == count { &mut *out } else { &mut *b };
            filter
                .decode(element, from, length, to)
                .map_err(|why| failure(filter, why))?;
            if n + 1 < count {
                std::mem::swap(a, b);
            }
        }
        if count == 0 {
            out.extend_from_slice(stored);
        }
        match out.len() == length {
            true => Ok(()),
            false => Err(damaged(format!(
                "a block decodes to {} bytes instead of {length}",
                out.len()
            ))),
        }
    }
}

fn failure(filter: Filter, why: String) -> Error {
    Error::Filter {
        codec: filter.spec().to_string(),
        why,
    }
}

macro_rules! delta_of {
    ($input:ident, $out:ident, $ty:ty) => {{
        const SIZE: usize = size_of::<$ty>();
        let (from, _) = $input.as_chunks::<SIZE>();
        let (to, _) = $out.as_chunks_mut::<SIZE>();
        if let ([first, ..], [to_first, ..]) = (from, &mut *to) {
            *to_first = *first;
        }
        for (pair, to) in from.windows(2).zip(to.iter_mut().skip(1)) {
            let (before, now) = (<$ty>::from_be_bytes(pair[0]), <$ty>::from_be_bytes(pair[1]));
            *to = now.wrapping_sub(before).to_be_bytes();
        }
    }};
}

macro_rules! sum_of {
    ($input:ident, $out:ident, $ty:ty) => {{
        const SIZE: usize = size_of::<$ty>();
        let (from, _) = $input.as_chunks::<SIZE>();
        let (to, _) = $out.as_chunks_mut::<SIZE>();
        let mut sum: $ty = 0;
        for (from, to) in from.iter().zip(to) {
            sum = sum.wrapping_add(<$ty>::from_be_bytes(*from));
            *to = sum.to_be_bytes();
        }
    }};
}

/// Gives `out` the length of `input`. Bytes after the last whole element are copied.
fn prepare(element: usize, input: &[u8], out: &mut Vec<u8>) {
    out.resize(input.len(), 0);
    let whole = input.len() / element.max(1) * element.max(1);
    out[whole..].copy_from_slice(&input[whole..]);
}

/// Replaces each big-endian number by its difference from the one before it, modulo 2ⁿ. The first one stays.
fn differences(element: usize, input: &[u8], out: &mut Vec<u8>) {
    prepare(element, input, out);
    match element {
        1 => delta_of!(input, out, u8),
        2 => delta_of!(input, out, u16),
        4 => delta_of!(input, out, u32),
        8 => delta_of!(input, out, u64),
        _ => out.copy_from_slice(input),
    }
}

/// The reverse of [`differences`].
fn sums(element: usize, input: &[u8], out: &mut Vec<u8>) {
    prepare(element, input, out);
    match element {
        1 => sum_of!(input, out, u8),
        2 => sum_of!(input, out, u16),
        4 => sum_of!(input, out, u32),
        8 => sum_of!(input, out, u64),
        _ => out.copy_from_slice(input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn delta_is_of_big_endian_numbers() {
        let mut out = Vec::new();
        differences(2, &[0, 255, 1, 0, 0, 255], &mut out);
        assert_eq!(out, [0, 255, 0, 1, 255, 255]);
    }

    #[test]
    fn specs_name_the_closed_list() {
        for filter in [
            Filter::Deflate(5),
            Filter::Shuffle,
            Filter::Bitshuffle,
            Filter::Zstd(-7),
            Filter::Delta,
        ] {
            assert_eq!(Filter::of_spec(&filter.spec()), Some(filter));
        }
        for other in [
            CodecSpec::hdf5(307, [9]),
            CodecSpec::hdf5(1, [0]),
            CodecSpec::hdf5(32008, [0, 2]),
            CodecSpec::hdf5(32015, [23]),
        ] {
            assert_eq!(Filter::of_spec(&other), None, "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn every_pipeline_gives_the_bytes_back(
            data in proptest::collection::vec(0u8..40, 0..20_000),
            size in 0u32..4,
            chain in 0usize..6,
        ) {
            let element = 1usize << size;
            let data = &data[..data.len() / element * element];
            let filters = Filters::new(match chain {
                0 => vec![],
                1 => vec![Filter::Zstd(3)],
                2 => vec![Filter::Shuffle, Filter::Deflate(4)],
                3 => vec![Filter::Delta, Filter::Bitshuffle, Filter::Zstd(1)],
                4 => vec![Filter::Delta, Filter::Shuffle],
                _ => vec![Filter::Bitshuffle, Filter::Delta, Filter::Deflate(1)],
            });
            let mut scratch = Scratch::default();
            let (stored, mask) = filters.encode(element, data, &mut scratch).unwrap();
            let stored = stored.to_vec();
            let mut out = Vec::new();
            filters.decode(element, mask, &stored, &mut out, data.len(), &mut scratch).unwrap();
            prop_assert_eq!(&out, data);
        }
    }
}
