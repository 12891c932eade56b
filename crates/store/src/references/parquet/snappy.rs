//! Snappy: bytes that stand as they are, and copies of what came before.
//!
//! ```text
//! stream: length of the content, elements                                  numbers are little-endian
//! element: low two bits 0: bytes as they are       1 to 4 bytes of length
//!                       1: a copy of 4 to 11 bytes, up to 2 KiB back
//!                       2: a copy of 1 to 64 bytes, up to 64 KiB back
//!                       3: a copy of 1 to 64 bytes, up to 4 GiB back
//! ```
//!
//! See <https://github.com/google/snappy/blob/main/format_description.txt>.

use super::thrift_reader::Wrong;

/// Decodes a stream without frames, whose content has `size` bytes.
///
/// # Errors
/// A damaged stream; another size.
pub fn decode(stream: &[u8], size: usize) -> Result<Vec<u8>, Wrong> {
    let (told, mut rest) = length(stream)?;
    if told != size as u64 {
        return Err(format!(
            "a Snappy page of {told} bytes, where its header says {size}"
        ));
    }
    // An element of three bytes makes at most 64.
    if size / 22 > stream.len() {
        return Err(damaged());
    }
    let mut out = Vec::with_capacity(size);
    while let Some((tag, after)) = rest.split_first() {
        let upper = usize::from(tag >> 2);
        let (count, back, after) = match tag & 3 {
            0 => {
                let bytes = upper.saturating_sub(59);
                let (count, after) = number(after, bytes)?;
                let count = if bytes == 0 { upper } else { count } + 1;
                let (plain, after) = after.split_at_checked(count).ok_or_else(damaged)?;
                out.extend_from_slice(plain);
                (0, 1, after)
            }
            1 => {
                let (low, after) = number(after, 1)?;
                ((upper & 7) + 4, (upper >> 3) << 8 | low, after)
            }
            two_or_four => {
                let bytes = if two_or_four == 2 { 2 } else { 4 };
                let (back, after) = number(after, bytes)?;
                (upper + 1, back, after)
            }
        };
        rest = after;
        if out.len() + count > size || back == 0 || back > out.len() && count > 0 {
            return Err(damaged());
        }
        // A copy may reach into itself, and then repeats its beginning.
        let from = out.len() - back.min(out.len());
        for at in from..from + count {
            out.push(out[at]);
        }
    }
    match out.len() == size {
        true => Ok(out),
        false => Err(damaged()),
    }
}

fn damaged() -> Wrong {
    "a page that cannot be unpacked: damaged Snappy".to_owned()
}

/// The length of the content: 7 bits a byte, the lowest first.
fn length(mut stream: &[u8]) -> Result<(u64, &[u8]), Wrong> {
    let mut length = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = stream.split_first().ok_or_else(damaged)?;
        stream = rest;
        length |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Ok((length, stream));
        }
    }
    Err(damaged())
}

/// A number of some bytes, and what follows.
fn number(stream: &[u8], bytes: usize) -> Result<(usize, &[u8]), Wrong> {
    let (number, rest) = stream.split_at_checked(bytes).ok_or_else(damaged)?;
    let number = number
        .iter()
        .rev()
        .fold(0, |all, byte| all << 8 | usize::from(*byte));
    Ok((number, rest))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn elements_of_each_kind() {
        // "abcd", then 4 bytes 4 back, 6 bytes 2 back, and 2 bytes 14 back.
        let stream = [
            16, 0x0c, b'a', b'b', b'c', b'd', 0x01, 4, 0x16, 2, 0, 0x07, 14, 0, 0, 0,
        ];
        assert_eq!(decode(&stream, 16).unwrap(), b"abcdabcdcdcdcdab");
        // A length in a byte of its own.
        let long = [&[70, 0xf0, 69][..], &[7; 70]].concat();
        assert_eq!(decode(&long, 70).unwrap(), [7; 70]);
        assert_eq!(decode(&[0], 0).unwrap(), b"");
    }

    #[test]
    fn damaged_streams_are_errors() {
        for (stream, size) in [
            (&[][..], 0),
            (&[4, 0x0c, b'a'], 4),
            (&[4, 0x01, 4], 4),
            (&[4, 0x00, b'a', 0x0e, 9, 0], 4),
            (&[4, 0x00, b'a', 0x0e, 0, 0], 4),
            (&[5, 0x0c, 1, 2, 3, 4], 5),
            (&[3, 0x0c, 1, 2, 3, 4], 3),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 1 << 30),
            (&[0xff, 0xff, 0xff, 0xff, 0x0f], u32::MAX as usize),
        ] {
            assert!(decode(stream, size).is_err(), "{stream:?}");
        }
    }
}
