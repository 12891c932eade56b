//! Text as JSON strings.
//!
//! JSON is UTF-8, but text in netCDF need not be. A byte 0xNN that is not part of a UTF-8 character becomes
//! the private character U+EFNN. If the text itself contains characters from U+EF80 to U+EFFF, their bytes
//! are converted in the same way. So the bytes can be restored: each of these characters in a string is one
//! byte, and all others stand for themselves in UTF-8.

use std::io::Write;

/// Appends `text` as a string.
pub fn push_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut rest = TextStream::default();
    rest.push(out, text);
    rest.end(out);
    out.push(b'"');
}

/// Appends `text` as a string, without trailing NULs.
pub fn push_padded_string(out: &mut Vec<u8>, text: &[u8]) {
    let end = text.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
    push_string(out, &text[..end]);
}

/// The text of a string in pieces, which may be cut anywhere.
#[derive(Debug, Default)]
pub struct TextStream {
    /// The first bytes of a character whose other bytes are in the next piece.
    partial: Vec<u8>,
    /// Number of NULs that may be padding.
    nuls: u64,
}

impl TextStream {
    /// Appends a piece without its trailing NULs, which may be padding. NULs of earlier pieces that come
    /// before it must be [taken](TextStream::take_nuls) and appended first. The caller does this, because
    /// there may be more of them than fit into memory.
    pub fn push_padded(&mut self, out: &mut Vec<u8>, piece: &[u8]) {
        let end = piece.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
        self.push(out, &piece[..end]);
        self.push_nuls((piece.len() - end) as u64);
    }

    /// Adds NULs that may be padding.
    pub fn push_nuls(&mut self, count: u64) {
        self.nuls += count;
    }

    /// Returns and clears the NULs before `piece` if it contains other characters, so that they are no
    /// padding.
    pub fn take_nuls(&mut self, piece: &[u8]) -> u64 {
        match piece.iter().any(|c| *c != 0) {
            true => std::mem::take(&mut self.nuls),
            false => 0,
        }
    }

    /// Appends a piece.
    pub fn push(&mut self, out: &mut Vec<u8>, piece: &[u8]) {
        if self.partial.is_empty() {
            self.push_joined(out, piece);
        } else {
            let mut joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(piece);
            self.push_joined(out, &joined);
        }
    }

    fn push_joined(&mut self, out: &mut Vec<u8>, bytes: &[u8]) {
        let mut end = 0;
        for chunk in bytes.utf8_chunks() {
            push_characters(out, chunk.valid());
            end += chunk.valid().len() + chunk.invalid().len();
            let incomplete = end == bytes.len()
                && std::str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            if incomplete {
                self.partial = chunk.invalid().to_vec();
            } else {
                push_bytes(out, chunk.invalid());
            }
        }
    }

    /// Ends the string: an incomplete character is appended as bytes, and NULs are dropped as padding.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        push_bytes(out, &std::mem::take(&mut self.partial));
        self.nuls = 0;
    }
}

fn push_characters(out: &mut Vec<u8>, text: &str) {
    // Runs of characters without escapes are copied at once.
    let mut plain = 0;
    let bytes = text.as_bytes();
    for (at, c) in bytes.iter().enumerate() {
        let escape = match c {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\t' => b"\\t",
            b'\r' => b"\\r",
            0x08 => b"\\b",
            0x0c => b"\\f",
            0..0x20 | 0x7f => {
                out.extend_from_slice(&bytes[plain..at]);
                let _ = write!(out, "\\u{c:04x}");
                plain = at + 1;
                continue;
            }
            // U+EF80 to U+EFFF are EE BE 80 to EE BF BF.
            0xee if matches!(bytes.get(at + 1), Some(0xbe | 0xbf)) => {
                out.extend_from_slice(&bytes[plain..at]);
                push_bytes(out, &bytes[at..at + 3]);
                plain = at + 3;
                continue;
            }
            _ => continue,
        };
        out.extend_from_slice(&bytes[plain..at]);
        out.extend_from_slice(escape);
        plain = at + 1;
    }
    out.extend_from_slice(&bytes[plain..]);
}

/// Appends bytes from 0x80 on, each as its private character.
fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(&[0xee, 0xbe | (byte >> 6 & 1), 0x80 | byte & 0x3f]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn string(text: &[u8]) -> String {
        let mut out = Vec::new();
        push_string(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    /// Restores the bytes as the module's documentation describes, after a JSON parser.
    fn back(json: &str) -> Vec<u8> {
        let text: String = serde_json::from_str(json).unwrap();
        let mut bytes = Vec::new();
        for c in text.chars() {
            match c {
                '\u{ef80}'..='\u{efff}' => bytes.push(c as u32 as u8),
                c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        bytes
    }

    #[test]
    fn text_that_is_utf8_stays() {
        assert_eq!(string(b"a\"\\\n\x01\x7f/"), r#""a\"\\\n\u0001\u007f/""#);
        assert_eq!(string("é€𝄞".as_bytes()), "\"é€𝄞\"");
        assert_eq!(string(b"a\0b"), r#""a\u0000b""#);
    }

    #[test]
    fn other_bytes_become_private_characters() {
        assert_eq!(string(b"\xe9t\xe9"), "\"\u{efe9}t\u{efe9}\"");
        assert_eq!(string("\u{ef80}".as_bytes()), "\"\u{efee}\u{efbe}\u{ef80}\"");
    }

    proptest! {
        #[test]
        fn bytes_can_be_had_back(
            pieces in prop::collection::vec(
                prop_oneof![
                    any::<Vec<u8>>(),
                    any::<String>().prop_map(String::into_bytes),
                    "[\u{ef7f}-\u{f000}]*".prop_map(String::into_bytes),
                ],
                0..4,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let text = pieces.concat();
            let json = string(&text);
            prop_assert_eq!(&back(&json), &text);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let (mut out, mut stream) = (vec![b'"'], TextStream::default());
            for cut in cuts.windows(2) {
                let piece = &text[cut[0]..cut[1]];
                for _ in 0..stream.take_nuls(piece) {
                    stream.push(&mut out, b"\0");
                }
                stream.push_padded(&mut out, piece);
            }
            stream.end(&mut out);
            out.push(b'"');
            let mut padded = Vec::new();
            push_padded_string(&mut padded, &text);
            prop_assert_eq!(out, padded);
        }
    }
}
