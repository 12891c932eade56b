//! The bytes of elements ◄─► 64-bit numbers.

use crate::numbers::scale_offset::parameters::Parameters;
use ncutils_model::Endian;

/// Calls `each` with the bits of every element, zero-extended to 64 bits.
pub(super) fn for_each(parameters: &Parameters, bytes: &[u8], mut each: impl FnMut(u64)) {
    macro_rules! read {
        ($ty:ty, $size:literal) => {{
            let (elements, _) = bytes.as_chunks::<$size>();
            match parameters.order {
                Endian::Little => elements
                    .iter()
                    .for_each(|e| each(u64::from(<$ty>::from_le_bytes(*e)))),
                Endian::Big => elements
                    .iter()
                    .for_each(|e| each(u64::from(<$ty>::from_be_bytes(*e)))),
            }
        }};
    }
    match parameters.size {
        1 => read!(u8, 1),
        2 => read!(u16, 2),
        4 => read!(u32, 4),
        _ => read!(u64, 8),
    }
}

/// Appends one element, of whose bits the lowest count.
pub(super) fn push(parameters: &Parameters, bits: u64, out: &mut Vec<u8>) {
    match (parameters.size, parameters.order) {
        (1, _) => out.push(bits as u8),
        (2, Endian::Little) => out.extend_from_slice(&(bits as u16).to_le_bytes()),
        (2, Endian::Big) => out.extend_from_slice(&(bits as u16).to_be_bytes()),
        (4, Endian::Little) => out.extend_from_slice(&(bits as u32).to_le_bytes()),
        (4, Endian::Big) => out.extend_from_slice(&(bits as u32).to_be_bytes()),
        (_, Endian::Little) => out.extend_from_slice(&bits.to_le_bytes()),
        (_, Endian::Big) => out.extend_from_slice(&bits.to_be_bytes()),
    }
}

/// Appends elements that are stored in little-endian order, in the order of the parameters. It is its own inverse.
///
/// libhdf5 works in the machine's order, and stores elements that it does not pack in that order.
pub(super) fn copy_from_little(parameters: &Parameters, bytes: &[u8], out: &mut Vec<u8>) {
    match parameters.order {
        Endian::Little => out.extend_from_slice(bytes),
        Endian::Big => for_each(parameters, bytes, |element| {
            // Read as big-endian, so its bytes are in reverse.
            let swapped = element.swap_bytes() >> (64 - parameters.full_bits());
            push(parameters, swapped, out);
        }),
    }
}
