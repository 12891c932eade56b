//! Packs and unpacks numbers that are not parts of arrays or compounds, each with few operations.

/// The significant bits of a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    pub big_endian: bool,
    /// Lowest significant bit.
    pub offset: u32,
    /// Number of significant bits, 1 to 64.
    pub precision: u32,
}

/// A number's bytes as an integer.
macro_rules! sized {
    ($size:expr, $T:ident, $N:ident => $body:expr) => {
        match $size {
            1 => sized!(@of u8, 1, $T, $N, $body),
            2 => sized!(@of u16, 2, $T, $N, $body),
            4 => sized!(@of u32, 4, $T, $N, $body),
            8 => sized!(@of u64, 8, $T, $N, $body),
            _ => false,
        }
    };
    (@of $integer:ty, $bytes:literal, $T:ident, $N:ident, $body:expr) => {{
        type $T = $integer;
        const $N: usize = $bytes;
        $body;
        true
    }};
}

/// Packs numbers of `size` bytes to the beginning of `out`, which has room for their bits and holds zeros. Returns false
/// for sizes that no integer has.
#[expect(
    clippy::useless_conversion,
    reason = "one of the integers has 64 bits already"
)]
pub(super) fn pack(size: u32, bits: Bits, input: &[u8], out: &mut [u8]) -> bool {
    let mask = u64::MAX >> (64 - bits.precision);
    let (mut held, mut count, mut at) = (0u64, 0, 0);
    // Appends the low bits of a value, 1 to 32, above which it has none.
    let mut push = |value: u64, more: u32| {
        held = held << more | value;
        count += more;
        if count >= 32 {
            count -= 32;
            out[at..at + 4].copy_from_slice(&((held >> count) as u32).to_be_bytes());
            at += 4;
        }
    };
    let done = sized!(size, T, N => {
        for number in input.as_chunks::<N>().0 {
            let number = match bits.big_endian {
                true => T::from_be_bytes(*number),
                false => T::from_le_bytes(*number),
            };
            let value = u64::from(number) >> bits.offset & mask;
            if bits.precision > 32 {
                push(value >> 32, bits.precision - 32);
                push(value & 0xffff_ffff, 32);
            } else {
                push(value, bits.precision);
            }
        }
    });
    let rest = (held << (64 - count).min(63)).to_be_bytes();
    let bytes = count.div_ceil(8) as usize;
    out[at..at + bytes].copy_from_slice(&rest[..bytes]);
    done
}

/// Unpacks numbers of `size` bytes, which fill `out`. Returns false for sizes that no integer has.
pub(super) fn unpack(size: u32, bits: Bits, input: &[u8], out: &mut [u8]) -> bool {
    // The next bits, 1 to 32; zeros past the end.
    let take = |at: usize, count: u32| {
        let rest = input.get(at / 8..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(word) => u64::from_be_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_be_bytes(word)
            }
        };
        word << (at % 8) >> (64 - count)
    };
    let mut at = 0;
    sized!(size, T, N => {
        for number in out.as_chunks_mut::<N>().0 {
            let high = bits.precision.saturating_sub(32);
            let mut value = 0;
            if high > 0 {
                value = take(at, high) << 32;
                at += high as usize;
            }
            let low = bits.precision - high;
            value |= take(at, low);
            at += low as usize;
            let value = (value << bits.offset) as T;
            *number = match bits.big_endian {
                true => value.to_be_bytes(),
                false => value.to_le_bytes(),
            };
        }
    })
}
