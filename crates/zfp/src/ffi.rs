//! The calls into zfp. This is the only file of the crate with `unsafe` code.
//!
//! zfp keeps all state in the streams and fields that a call makes. It was built without OpenMP, and starts no threads.
//! So the functions here may be called from many threads at once.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ptr::NonNull;

use zfp_sys as c;

use crate::{Header, Mode, Scalar};

/// Bytes after a stream that zfp may read, or write, without leaving the buffer. A block has at most 32,768 bits where
/// its header sets the least number of bits, else at most 64 for each of 256 numbers and their sum once more. zfp looks
/// at the end of a stream only after a block, and takes words of eight bytes.
pub const PADDING: usize = 16 << 10;

/// A stream of bits over a buffer, and zfp's state for it.
struct Stream<'a> {
    zfp: NonNull<c::zfp_stream>,
    bits: NonNull<c::bitstream>,
    /// zfp keeps pointers into the buffer.
    buffer: PhantomData<&'a mut [u64]>,
}

impl<'a> Stream<'a> {
    /// Opens a stream over a buffer. `None` if there is no memory, or if zfp refuses the mode.
    fn open(buffer: &'a mut [u64], mode: &Mode) -> Option<Self> {
        // SAFETY: The buffer is writable for its length, aligned for words of eight bytes, and borrowed for as long as
        // the stream lives.
        let bits = unsafe { c::stream_open(buffer.as_mut_ptr().cast(), size_of_val(buffer)) };
        let bits = NonNull::new(bits)?;
        // SAFETY: `bits` is an open stream.
        let Some(zfp) = NonNull::new(unsafe { c::zfp_stream_open(bits.as_ptr()) }) else {
            // SAFETY: `bits` is open, and nothing else has it.
            unsafe { c::stream_close(bits.as_ptr()) };
            return None;
        };
        let stream = Self {
            zfp,
            bits,
            buffer: PhantomData,
        };
        // SAFETY: `zfp` is open. The function checks the numbers.
        let taken = unsafe {
            c::zfp_stream_set_params(
                zfp.as_ptr(),
                mode.min_bits,
                mode.max_bits,
                mode.max_precision,
                mode.min_exponent,
            )
        };
        // SAFETY: `zfp` is open, and its stream of bits too.
        unsafe { c::zfp_stream_rewind(zfp.as_ptr()) };
        (taken != 0).then_some(stream)
    }

    /// Number of bits that were read.
    fn position(&self) -> u64 {
        // SAFETY: `bits` is open.
        unsafe { c::stream_rtell(self.bits.as_ptr()) }
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: Both are open, and closed nowhere else. zfp's state does not own the bits.
        unsafe {
            c::zfp_stream_close(self.zfp.as_ptr());
            c::stream_close(self.bits.as_ptr());
        }
    }
}

/// An array for zfp, freed with this value.
struct Field(NonNull<c::zfp_field>);

impl Drop for Field {
    fn drop(&mut self) {
        // SAFETY: zfp made the field, and it is freed nowhere else. The array is not freed with it.
        unsafe { c::zfp_field_free(self.0.as_ptr()) };
    }
}

/// The field over the array that `header` states. Making it does not touch the array.
fn field(header: &Header, array: &mut [u64]) -> Option<Field> {
    let array = array.as_mut_ptr().cast();
    let scalar = match header.scalar() {
        Scalar::Int32 => c::zfp_type_zfp_type_int32,
        Scalar::Int64 => c::zfp_type_zfp_type_int64,
        Scalar::Float => c::zfp_type_zfp_type_float,
        Scalar::Double => c::zfp_type_zfp_type_double,
    };
    // SAFETY: These functions allocate a field, and keep the pointer in it.
    let field = unsafe {
        match *header.sizes() {
            [x] => c::zfp_field_1d(array, scalar, x),
            [x, y] => c::zfp_field_2d(array, scalar, x, y),
            [x, y, z] => c::zfp_field_3d(array, scalar, x, y, z),
            [x, y, z, w] => c::zfp_field_4d(array, scalar, x, y, z, w),
            _ => return None,
        }
    };
    NonNull::new(field).map(Field)
}

/// Encodes the array into `stream`, and returns the length in bytes. `None` if there is no memory, or if zfp refuses the
/// header.
///
/// # Panics
/// If `array` or `stream` is too short.
pub fn compress(header: &Header, array: &mut [u64], stream: &mut [u64]) -> Option<usize> {
    let (blocks, bits) = (header.block_count()?, header.block_bits()?);
    assert!(header.byte_count()? <= size_of_val(array));
    assert!(blocks.checked_mul(bits)? / 8 + PADDING <= size_of_val(stream));
    let most = size_of_val(stream);
    let field = field(header, array)?;
    let stream = Stream::open(stream, &header.mode())?;
    // SAFETY: Stream and field are valid, and over different memory. The array has all numbers that the header states,
    // and is aligned for them. The stream has room for the most bits that zfp makes of all blocks, and for a word that
    // is filled up.
    let length = unsafe { c::zfp_compress(stream.zfp.as_ptr(), field.0.as_ptr()) };
    (1..=most).contains(&length).then_some(length)
}

/// Decodes a stream of `length` bytes into the array. False if it ends too early; `None` if there is no memory, or if
/// zfp refuses the header.
///
/// # Panics
/// If `array` is too short, or `stream` is not [`PADDING`] longer than `length`.
pub fn decompress(header: &Header, stream: &mut [u64], length: usize, array: &mut [u64]) -> Option<bool> {
    assert!(header.byte_count()? <= size_of_val(array));
    assert!(length.checked_add(PADDING)? <= size_of_val(stream));
    let stream = Stream::open(stream, &header.mode())?;
    let end = length as u64 * 8;
    let [nx, ny, nz, _] = header.all_sizes().map(|size| size as isize);
    let (sy, sz, sw) = (nx, nx.wrapping_mul(ny), nx.wrapping_mul(ny).wrapping_mul(nz));
    let zfp = stream.zfp.as_ptr();
    let dimensions = header.sizes().len();
    macro_rules! decode {
        ($number:ty, $one:ident, $two:ident, $three:ident, $four:ident) => {{
            let numbers = array.as_mut_ptr().cast::<$number>();
            each_block(header.all_sizes(), |offset, [x, y, z, w]| {
                // SAFETY: The array is aligned for its numbers and has all that the header states, which was asserted;
                // the block begins at `offset` and ends within the array, so what zfp writes is within it. Before the
                // block the stream was at most at its end, and no block is longer than the padding behind.
                unsafe {
                    let block = numbers.add(offset);
                    match dimensions {
                        1 => c::$one(zfp, block, x, 1),
                        2 => c::$two(zfp, block, x, y, 1, sy),
                        3 => c::$three(zfp, block, x, y, z, 1, sy, sz),
                        _ => c::$four(zfp, block, x, y, z, w, 1, sy, sz, sw),
                    }
                };
                stream.position() <= end
            })
        }};
    }
    Some(match header.scalar() {
        Scalar::Int32 => decode!(
            i32,
            zfp_decode_partial_block_strided_int32_1,
            zfp_decode_partial_block_strided_int32_2,
            zfp_decode_partial_block_strided_int32_3,
            zfp_decode_partial_block_strided_int32_4
        ),
        Scalar::Int64 => decode!(
            c::int64,
            zfp_decode_partial_block_strided_int64_1,
            zfp_decode_partial_block_strided_int64_2,
            zfp_decode_partial_block_strided_int64_3,
            zfp_decode_partial_block_strided_int64_4
        ),
        Scalar::Float => decode!(
            f32,
            zfp_decode_partial_block_strided_float_1,
            zfp_decode_partial_block_strided_float_2,
            zfp_decode_partial_block_strided_float_3,
            zfp_decode_partial_block_strided_float_4
        ),
        Scalar::Double => decode!(
            f64,
            zfp_decode_partial_block_strided_double_1,
            zfp_decode_partial_block_strided_double_2,
            zfp_decode_partial_block_strided_double_3,
            zfp_decode_partial_block_strided_double_4
        ),
    })
}

/// Calls `block` for each block of 4 × 4 × 4 × 4 numbers, in the order of a stream: with the place of its first number,
/// and the numbers that it has in each dimension. Stops and returns false when `block` returns false.
fn each_block(sizes: [usize; 4], mut block: impl FnMut(usize, [usize; 4]) -> bool) -> bool {
    let [nx, ny, nz, nw] = sizes;
    for w in (0..nw).step_by(4) {
        for z in (0..nz).step_by(4) {
            for y in (0..ny).step_by(4) {
                let row = ((w * nz + z) * ny + y) * nx;
                let [ly, lz, lw] = [ny - y, nz - z, nw - w].map(|left| left.min(4));
                for x in (0..nx).step_by(4) {
                    if !block(row + x, [(nx - x).min(4), ly, lz, lw]) {
                        return false;
                    }
                }
            }
        }
    }
    true
}
