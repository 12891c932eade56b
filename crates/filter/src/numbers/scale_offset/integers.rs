//! Integers ◄─► codes: the distance from the smallest integer of the chunk that is not the fill value.

use crate::Outcome;
use crate::numbers::scale_offset::elements;
use crate::numbers::scale_offset::packing::{Header, Packer, bits_of, highest, unpack};
use crate::numbers::scale_offset::parameters::Parameters;

/// Encodes a chunk. `bits` is the number that the user gave, or 0.
pub(super) fn encode(
    parameters: &Parameters,
    signed: bool,
    bits: u32,
    input: &[u8],
    out: &mut Vec<u8>,
) -> Outcome {
    let full = parameters.full_bits();
    // With the sign bit inverted, signed integers are in the order of unsigned ones.
    let sign = if signed { 1 << (full - 1) } else { 0 };
    let (mut low, mut high) = (u64::MAX, 0);
    elements::for_each(parameters, input, |element| {
        if Some(element) != parameters.fill {
            low = low.min(element ^ sign);
            high = high.max(element ^ sign);
        }
    });
    if low > high {
        // Nothing but fill values: the minimum is the number 0.
        (low, high) = (sign, sign);
    }
    let minimum = low ^ sign;
    let extended = ((minimum << (64 - full)) as i64 >> (64 - full)) as u64;
    let header = match bits {
        0 if is_full(parameters, signed, high - low) => Header {
            bits: full,
            minimum: 0,
        },
        0 => Header {
            bits: bits_of(high - low + 1 + u64::from(parameters.fill.is_some())),
            minimum: if signed { extended } else { minimum },
        },
        bits => Header {
            bits,
            minimum: if signed { extended } else { minimum },
        },
    };
    header.write(out);
    if header.bits == full {
        elements::copy_from_little(parameters, input, out);
        return Ok(());
    }
    let mut packer = Packer::new(header.bits, out);
    elements::for_each(parameters, input, |element| {
        packer.push(match Some(element) == parameters.fill {
            true => highest(header.bits),
            false => element.wrapping_sub(minimum),
        });
    });
    packer.finish();
    Ok(())
}

/// True if libhdf5 sees at once that distances up to `span` need all bits. It then stores 0 as the minimum. It never does
/// so for signed bytes without a fill value, whose minimum is always stored.
fn is_full(parameters: &Parameters, signed: bool, span: u64) -> bool {
    let exempt = signed && parameters.size == 1 && parameters.fill.is_none();
    span > highest(parameters.full_bits()) - if exempt { 0 } else { 2 }
}

/// Decodes `count` codes of fewer bits than an element has.
pub(super) fn decode(
    parameters: &Parameters,
    header: Header,
    packed: &[u8],
    count: usize,
    out: &mut Vec<u8>,
) {
    out.reserve(count * parameters.size);
    let fill_code = highest(header.bits);
    unpack(packed, header.bits, count, |code| {
        let element = match parameters.fill {
            Some(fill) if code == fill_code => fill,
            _ => code.wrapping_add(header.minimum),
        };
        elements::push(parameters, element, out);
    });
}
