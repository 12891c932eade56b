//! Names and paths as text, for bytes of any kind.
//!
//! By the specification, names are ASCII or UTF-8. Some programs write other bytes, such as those of Latin 1. Each byte that belongs to
//! no UTF-8 becomes one character of a private range, so different names stay different, and writing gives the same bytes again:
//!
//! ```text
//! 74 e9 6d 70 ──text──► t U+EFE9 m p ──bytes──► 74 e9 6d 70
//! ```
//!
//! The bytes of a character of that range are treated as bytes of no UTF-8, so no two names become the same text.

use std::borrow::Cow;

/// Start of the range, U+EF80 to U+EFFF. The last two hexadecimal digits are those of the byte.
const RANGE: u32 = 0xef00;

/// The first byte in UTF-8 of each character of the range.
const RANGE_LEAD: u8 = 0xee;

/// True if a link may have this name.
pub fn is_link_name(name: &str) -> bool {
    !name.is_empty() && name != "." && !name.contains(['/', '\0'])
}

/// True if the name of this text has bytes that are no UTF-8.
pub fn has_other_bytes(text: &str) -> bool {
    own_text(text.as_bytes()).is_none()
}

/// The text of bytes of any kind: UTF-8 is its own text, and other bytes become characters of a private range.
pub fn text_of_bytes(bytes: &[u8]) -> String {
    text(bytes)
}

/// The bytes of which [`text_of_bytes`] makes `text`.
pub fn bytes_of_text(text: &str) -> Cow<'_, [u8]> {
    bytes(text)
}

/// The text of a name.
pub(crate) fn text(bytes: &[u8]) -> String {
    if let Some(text) = own_text(bytes) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte(character) {
                Some(_) => {
                    let mut buffer = [0; 4];
                    out.extend(character.encode_utf8(&mut buffer).bytes().map(character_of));
                }
                None => out.push(character),
            }
        }
        out.extend(chunk.invalid().iter().copied().map(character_of));
    }
    out
}

/// The bytes as text if they are UTF-8 without a byte that begins the characters of the range, which is nearly always so.
fn own_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|text| text.is_ascii() || !bytes.contains(&RANGE_LEAD))
}

/// The bytes of a name of which `text` is the text.
pub(crate) fn bytes(text: &str) -> Cow<'_, [u8]> {
    if own_text(text.as_bytes()).is_some() {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte(character) {
            Some(byte) => out.push(byte),
            None => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(out)
}

/// True if the name's bytes are UTF-8, but not ASCII.
pub(crate) fn is_utf8(bytes: &[u8]) -> bool {
    !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok()
}

/// The character of a byte.
fn character_of(byte: u8) -> char {
    char::from_u32(RANGE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte of a character of the range. Bytes below 80 are UTF-8 by themselves.
fn byte(character: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(character).checked_sub(RANGE)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_its_own_text() {
        for name in ["", "temperature", "é", "\u{ef7f}", "水"] {
            assert_eq!(text(name.as_bytes()), name);
            assert_eq!(&*bytes(name), name.as_bytes());
        }
    }

    #[test]
    fn any_bytes_come_back() {
        let own = "a\u{efe9}b".as_bytes();
        for name in [
            &b"t\xe9mp\xff"[..],
            b"\xc3",
            b"\xe6\xb0",
            own,
            b"\xee\xbf\xa9\xe9",
        ] {
            assert_eq!(&*bytes(&text(name)), name);
        }
        assert_eq!(text(b"t\xe9"), "t\u{efe9}");
        assert_ne!(text(own), text(b"a\xe9b"));
    }

    #[test]
    fn the_character_set_is_that_of_the_bytes() {
        assert!(is_utf8("é".as_bytes()));
        assert!(!is_utf8(b"e") && !is_utf8(b"\xe9"));
    }
}
