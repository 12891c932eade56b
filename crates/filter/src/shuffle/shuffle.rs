//! Shuffle, HDF5 filter 2: all first bytes of the elements, then all second bytes, and so on.
//!
//! Parameters: the size of an element. Bytes after the last whole element are appended unchanged.
//!
//! Elements of 2, 4 and 8 bytes are transposed by halving. One pass separates the even bytes of a block from the odd
//! ones, the next pass does the same with each half. Compilers turn each pass into vector packs and unpacks. A block
//! stays in the first-level cache. Processors with AVX-512 do it faster (`avx512.rs`). Other sizes go through squares of
//! 16 by 16 bytes (`squares.rs`).
//!
//! HDF5 file format specification, IV.A.2.l, filter 2.

use crate::codec::codec::stored_parameters;
use crate::codec::facts::CodecFacts;
use crate::codec::netcdf_c_spelling::only;
use crate::codec::program::Program;
use crate::shuffle::{avx512, squares};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Member, Outcome, StoredParameters, ZarrForm};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The id registered with HDF5.
pub const ID: u32 = 2;

/// The shuffle codec.
#[derive(Debug, Clone, Copy)]
pub struct Shuffle;

/// Elements in a block of the fast paths.
const BLOCK: usize = 256;

/// Separates even bytes from odd bytes. `pairs` is twice as long as each half.
#[inline(always)]
fn unzip(pairs: &[u8], even: &mut [u8], odd: &mut [u8]) {
    for ((pair, even), odd) in pairs.as_chunks::<2>().0.iter().zip(even).zip(odd) {
        // Use 16-bit lanes with a mask and a shift: two loads of single bytes are not vectorised (1.5 GB/s instead of
        // 20).
        let pair = u16::from_le_bytes(*pair);
        *even = pair as u8;
        *odd = (pair >> 8) as u8;
    }
}

/// The reverse of [`unzip`].
#[inline(always)]
fn zip(even: &[u8], odd: &[u8], pairs: &mut [u8]) {
    for ((pair, even), odd) in pairs.as_chunks_mut::<2>().0.iter_mut().zip(even).zip(odd) {
        *pair = [*even, *odd];
    }
}

/// Splits a block of 2-byte elements into two planes.
#[inline(always)]
fn split2(block: &[u8], planes: [&mut [u8]; 2]) {
    let [p0, p1] = planes;
    unzip(block, p0, p1);
}

/// Splits a block of at most [`BLOCK`] 4-byte elements into four planes.
#[inline(always)]
fn split4(block: &[u8], planes: [&mut [u8]; 4]) {
    let (mut even, mut odd) = ([0; 2 * BLOCK], [0; 2 * BLOCK]);
    let half = block.len() / 2;
    let (even, odd) = (&mut even[..half], &mut odd[..half]);
    unzip(block, even, odd);
    let [p0, p1, p2, p3] = planes;
    unzip(even, p0, p2);
    unzip(odd, p1, p3);
}

/// Splits a block of at most [`BLOCK`] 8-byte elements into eight planes.
#[inline(always)]
fn split8(block: &[u8], planes: [&mut [u8]; 8]) {
    let (mut even, mut odd) = ([0; 4 * BLOCK], [0; 4 * BLOCK]);
    let half = block.len() / 2;
    let (even, odd) = (&mut even[..half], &mut odd[..half]);
    unzip(block, even, odd);
    let [p0, p1, p2, p3, p4, p5, p6, p7] = planes;
    split4(even, [p0, p2, p4, p6]);
    split4(odd, [p1, p3, p5, p7]);
}

/// The reverse of [`split2`].
#[inline(always)]
fn join2(planes: [&[u8]; 2], block: &mut [u8]) {
    zip(planes[0], planes[1], block);
}

/// The reverse of [`split4`].
#[inline(always)]
fn join4(planes: [&[u8]; 4], block: &mut [u8]) {
    let (mut even, mut odd) = ([0; 2 * BLOCK], [0; 2 * BLOCK]);
    let half = block.len() / 2;
    let (even, odd) = (&mut even[..half], &mut odd[..half]);
    zip(planes[0], planes[2], even);
    zip(planes[1], planes[3], odd);
    zip(even, odd, block);
}

/// The reverse of [`split8`].
#[inline(always)]
fn join8(planes: [&[u8]; 8], block: &mut [u8]) {
    let (mut even, mut odd) = ([0; 4 * BLOCK], [0; 4 * BLOCK]);
    let half = block.len() / 2;
    let (even, odd) = (&mut even[..half], &mut odd[..half]);
    let [p0, p1, p2, p3, p4, p5, p6, p7] = planes;
    join4([p0, p2, p4, p6], even);
    join4([p1, p3, p5, p7], odd);
    zip(even, odd, block);
}

/// Runs `split` over all blocks of `input`, which holds whole elements of `N` bytes.
#[inline(always)]
fn shuffle_blocks<const N: usize>(input: &[u8], out: &mut [u8], split: impl Fn(&[u8], [&mut [u8]; N])) {
    let count = input.len() / N;
    let mut planes = out.chunks_exact_mut(count.max(1));
    let mut planes: [&mut [u8]; N] = std::array::from_fn(|_| planes.next().unwrap_or_default());
    for block in input.chunks(N * BLOCK) {
        let elements = block.len() / N;
        let rest = planes.each_mut().map(std::mem::take);
        let mut heads = [const { None }; N];
        for ((plane, head), rest) in planes.iter_mut().zip(&mut heads).zip(rest) {
            let (first, after) = rest.split_at_mut(elements);
            *head = Some(first);
            *plane = after;
        }
        split(block, heads.map(Option::unwrap_or_default));
    }
}

/// Runs `join` over all blocks of `out`, which holds whole elements of `N` bytes.
#[inline(always)]
fn unshuffle_blocks<const N: usize>(input: &[u8], out: &mut [u8], join: impl Fn([&[u8]; N], &mut [u8])) {
    let count = out.len() / N;
    let mut planes = input.chunks_exact(count.max(1));
    let mut planes: [&[u8]; N] = std::array::from_fn(|_| planes.next().unwrap_or_default());
    for block in out.chunks_mut(N * BLOCK) {
        let elements = block.len() / N;
        let heads = planes.map(|plane| &plane[..elements]);
        join(heads, block);
        planes = planes.map(|plane| &plane[elements..]);
    }
}

/// Shuffles the elements of any size from number `first` on.
fn shuffle_rest(size: usize, first: usize, input: &[u8], out: &mut [u8]) {
    let count = input.len() / size;
    for (number, element) in input.chunks_exact(size).enumerate().skip(first) {
        for (byte, value) in element.iter().enumerate() {
            out[byte * count + number] = *value;
        }
    }
}

/// The reverse of [`shuffle_rest`].
fn unshuffle_rest(size: usize, first: usize, input: &[u8], out: &mut [u8]) {
    let count = out.len() / size;
    for (number, element) in out.chunks_exact_mut(size).enumerate().skip(first) {
        for (byte, value) in element.iter_mut().enumerate() {
            *value = input[byte * count + number];
        }
    }
}

/// Gives `out` the length of `input`, and copies the bytes that shuffling keeps: all if elements have one byte, else
/// the bytes after the last whole element. Returns the length of the part to transpose. `out` is not cleared first,
/// since that part is overwritten.
fn prepare(size: usize, input: &[u8], out: &mut Vec<u8>) -> usize {
    out.resize(input.len(), 0);
    let whole = match size {
        0 | 1 => 0,
        size => input.len() / size * size,
    };
    out[whole..].copy_from_slice(&input[whole..]);
    whole
}

/// Shuffles whole elements on any processor.
fn shuffle_anywhere(size: usize, input: &[u8], out: &mut [u8]) {
    match size {
        2 => shuffle_blocks::<2>(input, out, split2),
        4 => shuffle_blocks::<4>(input, out, split4),
        8 => shuffle_blocks::<8>(input, out, split8),
        _ => {
            let done = squares::split(size, input, out, input.len() / size);
            shuffle_rest(size, done, input, out);
        }
    }
}

/// The reverse of [`shuffle_anywhere`].
fn unshuffle_anywhere(size: usize, input: &[u8], out: &mut [u8]) {
    match size {
        2 => unshuffle_blocks::<2>(input, out, join2),
        4 => unshuffle_blocks::<4>(input, out, join4),
        8 => unshuffle_blocks::<8>(input, out, join8),
        _ => {
            let done = squares::join(size, input, out.len() / size, out);
            unshuffle_rest(size, done, input, out);
        }
    }
}

/// Shuffles elements of `size` bytes into `out`, replacing its content.
pub fn shuffle(size: usize, input: &[u8], out: &mut Vec<u8>) {
    let whole = prepare(size, input, out);
    let (input, out) = (&input[..whole], &mut out[..whole]);
    if whole == 0 {
        return;
    }
    match avx512::split_bytes(size, input, out, whole / size) {
        0 => shuffle_anywhere(size, input, out),
        done => shuffle_rest(size, done, input, out),
    }
}

/// The reverse of [`shuffle`].
pub fn unshuffle(size: usize, input: &[u8], out: &mut Vec<u8>) {
    let whole = prepare(size, input, out);
    let (input, out) = (&input[..whole], &mut out[..whole]);
    if whole == 0 {
        return;
    }
    match avx512::join_bytes(size, input, whole / size, out) {
        0 => unshuffle_anywhere(size, input, out),
        done => unshuffle_rest(size, done, input, out),
    }
}

impl Codec for Shuffle {
    fn facts(&self) -> CodecFacts<'_> {
        CodecFacts {
            hdf5_id: Some(ID),
            // numcodecs transposes whole elements as HDF5 does. It rejects input that ends within an element.
            zarr2: Some("shuffle"),
            zarr3: Some("numcodecs.shuffle"),
            parameters_help: "none",
            members: const {
                &[Member::new(
                    "elementsize",
                    "bytes of an element, 0 for those of the type",
                )]
            },
            in_netcdf_c: true,
            known_to: &[Program::ZarrPython, Program::Zarrs],
            filter_in_zarr2: true,
            stored_parameters: Some(self),
            zarr_form: Some(self),
            is_odd_spelling: Some(is_netcdf_c_spelling),
            ..CodecFacts::named("shuffle")
        }
    }

    fn bind(&self, spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Box<dyn BoundCodec>> {
        let parameters = stored_parameters(self, spec, chunk)?;
        match *parameters {
            [size] if size > 0 => Ok(Box::new(Bound { size: size as usize })),
            _ => Err(format!(
                "its parameters are {parameters:?} instead of the size of an element"
            )),
        }
    }
}

fn is_netcdf_c_spelling(version: ZarrVersion, configuration: &Configuration) -> bool {
    version == ZarrVersion::V2 && only(configuration, "elementsize") == Some(0)
}

impl StoredParameters for Shuffle {
    /// The element size. A parameter is accepted too, and ignored, so that the output of `ncdump -s` can be used as
    /// input.
    fn working_parameters(&self, visible: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        if visible.len() > 1 {
            return Err("takes no parameters".to_owned());
        }
        self.adapted_parameters(visible, chunk)
    }

    /// The element size.
    fn adapted_parameters(&self, _: &[u32], chunk: &ChunkType) -> Outcome<Vec<u32>> {
        let size = u32::try_from(chunk.element_size).ok().filter(|size| *size > 0);
        size.map(|size| vec![size])
            .ok_or_else(|| format!("cannot take elements of {} bytes", chunk.element_size))
    }
}

impl ZarrForm for Shuffle {
    /// `{"elementsize": bytes}`.
    /// netCDF-C, which has no version 3 of Zarr, writes the size 0 and means the size of an element. numcodecs leaves bytes
    /// as they are for the size 0. Where there is no size, numcodecs takes 4, and zarr-python the size of an element.
    fn parameters(
        &self,
        version: ZarrVersion,
        configuration: &Configuration,
        chunk: &ChunkType,
    ) -> Option<Vec<u32>> {
        let of_type = || u32::try_from(chunk.element_size).ok();
        let size = match (configuration.is_empty(), version) {
            (true, ZarrVersion::V2) => 4,
            (true, ZarrVersion::V3) => of_type()?,
            (false, _) => only(configuration, "elementsize")?,
        };
        match (size, version) {
            (0, ZarrVersion::V2) => Some(vec![of_type()?]),
            (size, _) => Some(vec![size.max(1)]),
        }
    }

    fn configuration(&self, _: ZarrVersion, parameters: &[u32], _: &ChunkType) -> Option<Configuration> {
        match parameters {
            [size] if *size > 0 => Some(Configuration::from_iter([(
                "elementsize".to_owned(),
                (*size).into(),
            )])),
            _ => None,
        }
    }
}

/// Shuffle with its element size.
struct Bound {
    size: usize,
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        shuffle(self.size, input, out);
        Ok(())
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        if input.len() > limit {
            return Err(format!("{} bytes, more than the {limit} expected", input.len()));
        }
        unshuffle(self.size, input, out);
        Ok(())
    }

    fn exact_encoded_size(&self, input_len: usize) -> Option<usize> {
        Some(input_len)
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        input_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumberClass;
    use crate::test_codec::{bound, decoded, encoded};
    use ncutils_model::Endian;
    use proptest::prelude::*;

    /// The definition.
    fn plain(size: usize, input: &[u8]) -> Vec<u8> {
        let count = input.len() / size;
        let mut out = input.to_vec();
        for i in 0..count {
            for j in 0..size {
                out[j * count + i] = input[i * size + j];
            }
        }
        out
    }

    #[test]
    fn example_of_two_floats() {
        let mut out = Vec::new();
        shuffle(4, &[1, 2, 3, 4, 5, 6, 7, 8, 9], &mut out);
        assert_eq!(out, [1, 5, 2, 6, 3, 7, 4, 8, 9]);
    }

    #[test]
    fn as_numcodecs_encodes() {
        let data: Vec<u8> = (0..12).collect();
        assert_eq!(
            encoded(&Shuffle, &[4], &data).unwrap(),
            [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
        );
    }

    #[test]
    fn without_a_size_of_elements_it_is_that_of_numcodecs_or_of_zarr_python() {
        let doubles = ChunkType::of_numbers(NumberClass::Float, 8, Endian::Little, &[10]);
        let parameters = |version| Shuffle.parameters(version, &Configuration::new(), &doubles);
        assert_eq!(parameters(ZarrVersion::V2), Some(vec![4]));
        assert_eq!(parameters(ZarrVersion::V3), Some(vec![8]));
    }

    #[test]
    fn parameters_are_checked() {
        for parameters in [&[][..], &[0], &[4, 4]] {
            assert!(bound(&Shuffle, parameters, 4).is_err());
        }
        // An element larger than the chunk: nothing to do.
        assert_eq!(decoded(&Shuffle, &[u32::MAX], &[1, 2, 3], 4).unwrap(), [1, 2, 3]);
    }

    proptest! {
        #[test]
        fn equals_the_definition(
            size in prop_oneof![Just(2usize), Just(4), Just(8), 1usize..40],
            data in proptest::collection::vec(any::<u8>(), 0..9000),
        ) {
            let mut encoded = vec![0xaa; 77];
            shuffle(size, &data, &mut encoded);
            prop_assert_eq!(&encoded, &plain(size, &data));
            let mut decoded = vec![0x55; 10_000];
            unshuffle(size, &encoded, &mut decoded);
            prop_assert_eq!(decoded, &data[..]);
            // The same on any processor.
            let whole = data.len() / size * size;
            let mut planes = vec![0xaa; whole];
            shuffle_anywhere(size, &data[..whole], &mut planes);
            prop_assert_eq!(&planes, &encoded[..whole]);
            let mut back = vec![0x55; whole];
            unshuffle_anywhere(size, &planes, &mut back);
            prop_assert_eq!(&back, &data[..whole]);
        }
    }
}
