//! Packs the significant bits of elements into a stream, and unpacks them.
//!
//! The length of the stream is computed and checked first, so nothing can fail on the way. Each part of a type has at
//! least one significant bit, so the input bounds work and memory.

use crate::numbers::nbit::numbers::{self, Bits};
use crate::numbers::nbit::type_tree::{Class, Type, product};

/// Appends the significant bits of `input`, packed as by libhdf5.
///
/// # Errors
/// `input` does not have the size of `elements` elements.
pub(super) fn encode(elements: u32, element: &Type, input: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let size = product(u64::from(element.size), u64::from(elements))?;
    if input.len() as u64 != size {
        return Err(format!(
            "a chunk of {} bytes instead of {elements} elements of {}",
            input.len(),
            element.size
        ));
    }
    let bits = product(element.bits, u64::from(elements))?;
    let bytes = usize::try_from(bits / 8 + 1).map_err(|error| error.to_string())?;
    out.resize(bytes, 0);
    if single(element).is_some_and(|bits| numbers::pack(element.size, bits, input, out)) {
        return Ok(());
    }
    let mut stream = BitWriter { out, at: 0 };
    for bytes in input.chunks_exact(element.size as usize) {
        pack(element, bytes, &mut stream);
    }
    Ok(())
}

/// Unpacks `input` into `out`, which is empty, to at most `limit` bytes.
///
/// # Errors
/// `input` is too short, or `limit` too small, for `elements` elements.
pub(super) fn decode(
    elements: u32,
    element: &Type,
    input: &[u8],
    out: &mut Vec<u8>,
    limit: usize,
) -> Result<(), String> {
    let size = product(u64::from(element.size), u64::from(elements))?;
    let size = usize::try_from(size)
        .ok()
        .filter(|size| *size <= limit)
        .ok_or_else(|| format!("{size} bytes, more than the {limit} expected"))?;
    let bits = product(element.bits, u64::from(elements))?;
    if bits.div_ceil(8) > input.len() as u64 {
        return Err(format!("{} bytes instead of {bits} bits", input.len()));
    }
    out.resize(size, 0);
    if single(element).is_some_and(|bits| numbers::unpack(element.size, bits, input, out)) {
        return Ok(());
    }
    let mut stream = BitReader { input, at: 0 };
    for bytes in out.chunks_exact_mut(element.size as usize) {
        unpack(element, bytes, &mut stream);
    }
    Ok(())
}

/// The bits of an element that is one number of at most eight bytes.
fn single(element: &Type) -> Option<Bits> {
    match element.class {
        Class::Number {
            big_endian,
            offset,
            precision,
        } if u64::from(offset) + u64::from(precision) <= 8 * u64::from(element.size.min(8)) => Some(Bits {
            big_endian,
            offset,
            precision,
        }),
        _ => None,
    }
}

fn pack(ty: &Type, from: &[u8], to: &mut BitWriter) {
    match &ty.class {
        Class::Number {
            big_endian,
            offset,
            precision,
        } => {
            for piece in pieces(ty.size, *big_endian, *offset, *precision) {
                if let Some(byte) = from.get(piece.byte) {
                    to.write(byte >> piece.low, piece.bits);
                }
            }
        }
        Class::Array(base) => {
            for part in from.chunks_exact(base.size as usize) {
                pack(base, part, to);
            }
        }
        Class::Compound(members) => {
            for (offset, member) in members {
                let start = *offset as usize;
                if let Some(part) = from.get(start..start + member.size as usize) {
                    pack(member, part, to);
                }
            }
        }
    }
}

fn unpack(ty: &Type, to: &mut [u8], from: &mut BitReader) {
    match &ty.class {
        Class::Number {
            big_endian,
            offset,
            precision,
        } => {
            for piece in pieces(ty.size, *big_endian, *offset, *precision) {
                if let Some(byte) = to.get_mut(piece.byte) {
                    *byte |= from.read(piece.bits) << piece.low;
                }
            }
        }
        Class::Array(base) => {
            for part in to.chunks_exact_mut(base.size as usize) {
                unpack(base, part, from);
            }
        }
        Class::Compound(members) => {
            for (offset, member) in members {
                let start = *offset as usize;
                if let Some(part) = to.get_mut(start..start + member.size as usize) {
                    unpack(member, part, from);
                }
            }
        }
    }
}

/// The significant bits of one byte of a number.
struct SignificantBits {
    /// Index of the byte.
    byte: usize,
    /// Lowest of the bits.
    low: u32,
    /// Number of bits, 1 to 8.
    bits: u32,
}

/// The significant bits of a number of `size` bytes, highest first.
fn pieces(size: u32, big_endian: bool, offset: u32, precision: u32) -> impl Iterator<Item = SignificantBits> {
    let end = offset.saturating_add(precision);
    (offset / 8..end.div_ceil(8)).rev().map(move |at| {
        let low = offset.saturating_sub(at * 8);
        let high = (end - at * 8).min(8);
        SignificantBits {
            byte: if big_endian { size - 1 - at } else { at } as usize,
            low,
            bits: high - low,
        }
    })
}

/// Reads bits from bytes, highest first.
struct BitReader<'a> {
    input: &'a [u8],
    /// Number of bits read.
    at: usize,
}

impl BitReader<'_> {
    /// The next `bits` bits, 1 to 8; zeros past the end.
    fn read(&mut self, bits: u32) -> u8 {
        let byte = |at| self.input.get(at).copied().unwrap_or(0);
        let pair = u16::from_be_bytes([byte(self.at / 8), byte(self.at / 8 + 1)]);
        let value = pair << (self.at % 8) >> (16 - bits);
        self.at += bits as usize;
        value as u8
    }
}

/// Writes bits to bytes, highest first.
struct BitWriter<'a> {
    /// The output. Bits not written yet are zero.
    out: &'a mut [u8],
    /// Number of bits written.
    at: usize,
}

impl BitWriter<'_> {
    /// Writes the low `bits` bits of `value`, 1 to 8.
    fn write(&mut self, value: u8, bits: u32) {
        let pair = u16::from(value) << (16 - bits) >> (self.at % 8);
        let bytes = self.out.iter_mut().skip(self.at / 8);
        for (byte, more) in bytes.zip(pair.to_be_bytes()) {
            *byte |= more;
        }
        self.at += bits as usize;
    }
}
