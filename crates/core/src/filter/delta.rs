//! Delta, a codec of Zarr: stores the first number, and the difference of each other one from the one before it.
//!
//! Configuration: `dtype`, the type of the variable's numbers, which may be missing in version 3; `astype`, the type of the
//! stored differences, `dtype` if missing. Integers wrap.
//!
//! numcodecs, `Delta`.

use super::numpy_type::{Number, NumpyType, check_converted, convert, converted_len, map, with_number};
use super::zarr_configuration::{configuration, member, number_codec, numcodecs_name, same};
use super::{BoundCodec, ChunkShape, ChunkType, Codec, Outcome};
use crate::model::{CodecSpec, ZarrVersion};

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

number_codec!(Delta, "delta", "dtype, astype");

/// Appends the first number of `input`, and the differences of the others, in the same type.
fn differences<T: Number>(input: &[u8], ty: NumpyType, out: &mut Vec<u8>) {
    let mut last = None;
    map::<T, T>((input, ty.endian), (out, ty.endian), |number| {
        let difference = last.map_or(number, |last| number.minus(last));
        last = Some(number);
        difference
    });
}

/// Appends the sums of the numbers of `input`, which are little-endian, as numbers in the order of `ty`.
fn sums<T: Number>(input: &[u8], from: NumpyType, ty: NumpyType, out: &mut Vec<u8>) {
    let mut sum = None;
    map::<T, T>((input, from.endian), (out, ty.endian), |number| {
        let next = sum.map_or(number, |sum: T| sum.plus(number));
        sum = Some(next);
        next
    });
}

impl BoundCodec for Bound {
    fn encode(&self, input: &[u8], _: ChunkShape, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.decoded, self.encoded, input, usize::MAX)?;
        if self.decoded == self.encoded {
            out.clear();
            with_number!(self.decoded, T => differences::<T>(input, self.decoded, out));
            return Ok(());
        }
        let mut made = Vec::new();
        with_number!(self.decoded, T => differences::<T>(input, self.decoded, &mut made));
        convert(self.decoded, self.encoded, &made, usize::MAX, out)
    }

    fn decode(&self, input: &[u8], _: ChunkShape, limit: usize, out: &mut Vec<u8>) -> Outcome {
        check_converted(self.encoded, self.decoded, input, limit)?;
        out.clear();
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
