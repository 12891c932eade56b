//! Bytes of elements as numbers, as hexadecimal digits, and as text.

/// The first `N` bytes.
///
/// # Panics
/// If there are fewer.
pub fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[..N]);
    out
}

/// Appends bytes as hexadecimal digits, two per byte.
pub fn push_hexadecimal(out: &mut Vec<u8>, bytes: &[u8]) {
    let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value & 15)];
    out.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]));
}

/// Text without its trailing NULs.
pub fn trim_nuls(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_a_byte() {
        let mut out = Vec::new();
        push_hexadecimal(&mut out, &[0, 0x1f, 0xa5, 0xff]);
        assert_eq!(out, b"001FA5FF");
    }
}
