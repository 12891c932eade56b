//! Names and text as CDL spells them.

use std::io::Write;

/// Appends a name: characters that have a meaning in CDL, and at the beginning what could begin a number or a path, get a
/// backslash; control characters become `\%xx`.
pub fn push_name(out: &mut Vec<u8>, name: &str) {
    let bytes = name.as_bytes();
    if matches!(bytes.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) {
        out.push(b'\\');
    }
    for &c in bytes {
        match c {
            0..=0x1f | 0x7f => {
                let _ = write!(out, "\\%{c:02x}");
            }
            b' ' | b'!' | b'"' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'(' | b')' | b'*' | b',' | b':'
            | b';' | b'<' | b'=' | b'>' | b'?' | b'[' | b']' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
            | b'~' => {
                out.push(b'\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
}

/// Appends one byte of text inside quotes. Bytes over 127 pass through: they are UTF-8, or belong to the user.
pub fn push_text_byte(out: &mut Vec<u8>, c: u8) {
    match c {
        0x08 => out.extend_from_slice(b"\\b"),
        0x0c => out.extend_from_slice(b"\\f"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\'' => out.extend_from_slice(b"\\'"),
        b'"' => out.extend_from_slice(b"\\\""),
        0..=0x1f | 0x7f => {
            let _ = write!(out, "\\{c:03o}");
        }
        _ => out.push(c),
    }
}

/// Appends a string in quotes.
pub fn push_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for &c in text {
        push_text_byte(out, c);
    }
    out.push(b'"');
}

/// Text without the NULs at its end.
pub fn trim_nuls(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|c| *c != 0).map_or(0, |at| at + 1);
    &text[..end]
}
