//! What tells of damage in a deflate stream that is not decoded: its first block, zeros, and its length.
//!
//! RFC 1951, 3.2.3, 3.2.4 and 3.2.7; RFC 1950, 8.2.

use crate::Outcome;
use crate::codec::encoded_test::{ContentLength, check_zeros};

/// Maximum expansion of deflate, in output bytes per input byte: 258 bytes for two bits.
pub(crate) const EXPANSION: usize = 1032;

/// The largest prime below 2^16, the modulus of both halves of an Adler-32.
const ADLER_MODULUS: u32 = 65521;

/// Suspects a deflate stream without a wrapper.
///
/// # Errors
/// Why it may be damaged.
pub fn check_stream(stream: &[u8], content: ContentLength) -> Outcome {
    if content.is_exact && content.most > stream.len().saturating_mul(EXPANSION) {
        return Err(format!("{} bytes cannot hold {}", stream.len(), content.most));
    }
    check_first_block(stream).ok_or("its first block has no valid header")?;
    check_zeros(stream)
}

/// Suspects a number that no Adler-32 is. Both halves of one are below the modulus, and
/// for hardly any data both are 0.
///
/// # Errors
/// The number.
pub fn check_adler(trailer: u32) -> Outcome {
    match trailer >> 16 < ADLER_MODULUS && trailer & 0xffff < ADLER_MODULUS && trailer != 0 {
        true => Ok(()),
        false => Err(format!("{trailer:08x} is no Adler-32")),
    }
}

/// Checks the header of the first block. `None` if no encoder makes it.
fn check_first_block(stream: &[u8]) -> Option<()> {
    const STORED: u64 = 0;
    const FIXED_CODES: u64 = 1;
    const DYNAMIC_CODES: u64 = 2;
    /// Most codes of literals and lengths, less 257, and of distances, less 1.
    const MOST_LITERALS: u64 = 29;
    const MOST_DISTANCES: u64 = 29;
    let first = *stream.first()?;
    let is_valid = match u64::from(first >> 1 & 3) {
        STORED => {
            let length = stream.get(1..)?.first_chunk::<2>()?;
            let inverse = stream.get(3..)?.first_chunk::<2>()?;
            let length = u16::from_le_bytes(*length);
            length == !u16::from_le_bytes(*inverse) && stream.len() >= 5 + usize::from(length)
        }
        FIXED_CODES => true,
        DYNAMIC_CODES => {
            // 17 bits of counts, and at most 19 lengths of three bits.
            let mut bits = [0; 16];
            let beginning = &stream[..stream.len().min(bits.len())];
            bits[..beginning.len()].copy_from_slice(beginning);
            let bits = u128::from_le_bytes(bits);
            let field = |at: u32, count: u32| (bits >> at) as u64 & ((1 << count) - 1);
            let lengths = field(13, 4) as u32 + 4;
            // A complete prefix code of at most seven bits fills 2^7 places.
            let places: u64 = (0..lengths)
                .map(|number| field(17 + 3 * number, 3))
                .filter(|length| *length > 0)
                .map(|length| 128 >> length)
                .sum();
            field(3, 5) <= MOST_LITERALS && field(8, 5) <= MOST_DISTANCES && places == 128
        }
        _ => false,
    };
    is_valid.then_some(())
}
