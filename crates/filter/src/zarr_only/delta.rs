//! Delta, a codec of Zarr: stores the first number, and the difference of each other one from the one before it.
//!
//! Configuration: `dtype`, the type of the variable's numbers, which may be missing in version 3; `astype`, the type of the
//! stored differences, `dtype` if missing. Integers wrap.
//!
//! numcodecs, `Delta`.

use crate::zarr_only::numpy_type::{Number, NumpyType, check_converted, convert, converted_len, with_number};
use crate::zarr_only::zarr_configuration::{configuration, member, number_codec, numcodecs_facts, same};
use crate::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use ncutils_model::{CodecSpec, Endian};

/// The delta codec.
#[derive(Debug, Clone, Copy)]
pub struct Delta;

/// The two types of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    decoded: NumpyType,
    encoded: NumpyType,
}

impl Bound {
    fn parse(spec: &CodecSpec, chunk: &ChunkType) -> Outcome<Self> {
        let (version, configuration) = configuration(spec, &["dtype", "astype"])?;
        let decoded = NumpyType::named(member(configuration, "dtype"), version, chunk)?;
        let encoded = match member(configuration, "astype") {
            None => decoded,
            some => NumpyType::named(some, version, chunk)?,
        };
        Ok(Self { decoded, encoded })
    }
}

number_codec!(Delta, "delta", "dtype, astype", type: "dtype", input: crate::CodecInput::Array, lossy: false);

/// Replaces the content of `out` by the first number of `input`, and the differences of the others, in the same type.
fn differences<T: Number>(input: &[u8], ty: NumpyType, out: &mut Vec<u8>) {
    out.clear();
    let Some((first, rest)) = input.split_at_checked(T::SIZE) else {
        return;
    };
    out.resize(input.len(), 0);
    out[..T::SIZE].copy_from_slice(first);
    // Reads both numbers from the input, so that no step waits for the one before.
    let pairs = rest.chunks_exact(T::SIZE).zip(input.chunks_exact(T::SIZE));
    let made = out[T::SIZE..].chunks_exact_mut(T::SIZE);
    match ty.endian {
        Endian::Little => {
            for ((number, last), difference) in pairs.zip(made) {
                let [number, last] = [number, last].map(|bytes| T::from_slice(bytes, Endian::Little));
                number.minus(last).to_slice(Endian::Little, difference);
            }
        }
        Endian::Big => {
            for ((number, last), difference) in pairs.zip(made) {
                let [number, last] = [number, last].map(|bytes| T::from_slice(bytes, Endian::Big));
                number.minus(last).to_slice(Endian::Big, difference);
            }
        }
    }
}

/// Replaces the content of `out` by the sums of the numbers of `input`, which are little-endian, as numbers in the order
/// of `ty`.
fn sums<T: Number>(input: &[u8], from: NumpyType, ty: NumpyType, out: &mut Vec<u8>) {
    out.clear();
    let Some((first, rest)) = input.split_at_checked(T::SIZE) else {
        return;
    };
    let mut sum = T::from_slice(first, from.endian);
    out.resize(input.len(), 0);
    sum.to_slice(ty.endian, &mut out[..T::SIZE]);
    let numbers = rest.chunks_exact(T::SIZE);
    let mut add = |number: T| {
        sum = sum.plus(number);
        sum
    };
    for (number, made) in numbers.zip(out[T::SIZE..].chunks_exact_mut(T::SIZE)) {
        add(T::from_slice(number, from.endian)).to_slice(ty.endian, made);
    }
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.decoded, self.encoded, input, usize::MAX)?;
        if self.decoded == self.encoded {
            with_number!(self.decoded, T => differences::<T>(input, self.decoded, out));
            return Ok(());
        }
        let mut made = Vec::new();
        with_number!(self.decoded, T => differences::<T>(input, self.decoded, &mut made));
        convert(self.decoded, self.encoded, &made, usize::MAX, out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.encoded, self.decoded, input, limit)?;
        if self.decoded == self.encoded {
            with_number!(self.decoded, T => sums::<T>(input, self.encoded, self.decoded, out));
            return Ok(());
        }
        // Differences are converted first, and then added.
        let (mut converted, little) = (Vec::new(), self.decoded.little());
        convert(self.encoded, little, input, limit, &mut converted)?;
        with_number!(self.decoded, T => sums::<T>(&converted, little, self.decoded, out));
        Ok(())
    }

    fn max_encoded_size(&self, input_len: usize) -> usize {
        converted_len(self.decoded, self.encoded, input_len)
    }
}
