//! [`Number`]: the four types of numbers, in bytes and in blocks.

use crate::Mode;
use crate::bit_reader::BitReader;
use crate::bit_writer::BitWriter;
use crate::block::{self, Bits};
use crate::float;

/// A number of an array, stored with its lowest byte first.
pub trait Number: Copy + Default {
    /// Takes as many numbers from `bytes` as `numbers` has.
    fn read(bytes: &[u8], numbers: &mut [Self]);
    /// Puts numbers into `bytes`.
    fn write(numbers: &[Self], bytes: &mut [u8]);
    /// Writes a block. False if it has a number that the mode cannot hold.
    fn encode<const ROWS: usize, const GROUPS: usize>(
        block: [[Self; ROWS]; GROUPS],
        mode: &Mode,
        out: &mut BitWriter,
    ) -> bool;
    /// Reads a block.
    fn decode<const ROWS: usize, const GROUPS: usize>(
        mode: &Mode,
        input: &mut BitReader,
    ) -> [[Self; ROWS]; GROUPS];
}

macro_rules! bytes {
    () => {
        #[inline(always)]
        fn read(bytes: &[u8], numbers: &mut [Self]) {
            for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
                *number = Self::from_le_bytes(*bytes);
            }
        }

        #[inline(always)]
        fn write(numbers: &[Self], bytes: &mut [u8]) {
            for (number, bytes) in numbers.iter().zip(bytes.as_chunks_mut().0) {
                *bytes = number.to_le_bytes();
            }
        }
    };
}

macro_rules! integer {
    ($integer:ty) => {
        impl Number for $integer {
            bytes!();

            #[inline(always)]
            fn encode<const ROWS: usize, const GROUPS: usize>(
                mut block: [[Self; ROWS]; GROUPS],
                mode: &Mode,
                out: &mut BitWriter,
            ) -> bool {
                let bits = Bits::of(mode);
                match mode.is_reversible() {
                    true => block::encode_reversible(&mut block, bits, mode.max_precision, out),
                    false => block::encode(&mut block, bits, mode.max_precision, out),
                }
                true
            }

            #[inline(always)]
            fn decode<const ROWS: usize, const GROUPS: usize>(
                mode: &Mode,
                input: &mut BitReader,
            ) -> [[Self; ROWS]; GROUPS] {
                let bits = Bits::of(mode);
                match mode.is_reversible() {
                    true => block::decode_reversible(bits, input),
                    false => block::decode(bits, mode.max_precision, input),
                }
            }
        }
    };
}

macro_rules! float {
    ($float:ty) => {
        impl Number for $float {
            bytes!();

            #[inline(always)]
            fn encode<const ROWS: usize, const GROUPS: usize>(
                block: [[Self; ROWS]; GROUPS],
                mode: &Mode,
                out: &mut BitWriter,
            ) -> bool {
                float::encode(block, mode, out)
            }

            #[inline(always)]
            fn decode<const ROWS: usize, const GROUPS: usize>(
                mode: &Mode,
                input: &mut BitReader,
            ) -> [[Self; ROWS]; GROUPS] {
                float::decode(mode, input)
            }
        }
    };
}

integer!(i32);
integer!(i64);
float!(f32);
float!(f64);
