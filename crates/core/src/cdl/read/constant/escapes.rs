//! Escapes in strings and character constants.
//!
//! | written | byte |
//! | --- | --- |
//! | `\a \b \f \n \r \t \v` | as in C |
//! | `\?` | 127, as in netCDF |
//! | `\101` | octal, one to three digits |
//! | `\x41`, `\X41` | hexadecimal, one or two digits |
//! | backslash and anything else | that byte |

/// The digits that may follow in an escape, for code that only counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digits {
    /// Octal digits, at most this many more.
    Octal(u8),
    /// Hexadecimal digits, at most this many more.
    Hexadecimal(u8),
}

impl Digits {
    /// The digits that may follow `first`, the byte after the backslash.
    pub fn after(first: u8) -> Option<Self> {
        match first {
            b'0'..=b'7' => Some(Self::Octal(2)),
            b'x' | b'X' => Some(Self::Hexadecimal(2)),
            _ => None,
        }
    }

    /// The digits that may follow `byte`; `None` if `byte` is not a digit of the escape.
    pub fn next(self, byte: u8) -> Option<Option<Self>> {
        match self {
            Self::Octal(n) if (b'0'..=b'7').contains(&byte) => Some((n > 1).then(|| Self::Octal(n - 1))),
            Self::Hexadecimal(n) if byte.is_ascii_hexdigit() => {
                Some((n > 1).then(|| Self::Hexadecimal(n - 1)))
            }
            _ => None,
        }
    }
}

/// The byte that an escape stands for, and the escape's length. `rest` begins after the backslash. `None` if it is
/// empty.
pub fn escape(rest: &[u8]) -> Option<(u8, usize)> {
    let first = *rest.first()?;
    let mut length = 1;
    let mut digits = Digits::after(first);
    while let Some(next) = digits
        .zip(rest.get(length))
        .and_then(|(digits, byte)| digits.next(*byte))
    {
        digits = next;
        length += 1;
    }
    let number = |spelled: &[u8], radix: u32| {
        spelled
            .iter()
            .filter_map(|b| char::from(*b).to_digit(radix))
            .fold(0, |n, d| n * radix + d) as u8
    };
    let byte = match first {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'?' => 127,
        b'0'..=b'7' => number(&rest[..length], 8),
        b'x' | b'X' if length > 1 => number(&rest[1..length], 16),
        other => other,
    };
    Some((byte, length))
}

/// Appends to `out` the bytes that `spelled` stands for, the text between the quotes of a string. A backslash at its
/// end stands for itself, although the grammar accepts no such string.
pub fn unescape_string(spelled: &[u8], out: &mut Vec<u8>) {
    let mut rest = spelled;
    while let Some(at) = rest.iter().position(|b| *b == b'\\') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some((byte, length)) = escape(rest) {
            out.push(byte);
            rest = &rest[length..];
        } else {
            out.push(b'\\');
        }
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_the_table() {
        for (spelled, expected) in [
            (&b"plain"[..], &b"plain"[..]),
            (
                b"\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\?",
                b"\x07\x08\x0c\n\r\t\x0b\\'\"\x7f",
            ),
            (b"\\101\\7\\0b\\1012\\777", b"A\x07\0bA2\xff"),
            (b"\\x41\\X4a\\x4\\xg\\x414", b"AJ\x04xgA4"),
            (b"\\q\xff", b"q\xff"),
            (b"end\\", b"end\\"),
        ] {
            let mut out = Vec::new();
            unescape_string(spelled, &mut out);
            assert_eq!(out, expected, "{}", String::from_utf8_lossy(spelled));
        }
    }
}
