//! Names and text in CDL's spelling.

use std::io::Write;

/// Words that start a section of a CDL text if a colon follows directly.
const SECTIONS: [&str; 5] = ["types", "dimensions", "variables", "data", "group"];

/// Appends the part before the name of an attribute: its variable, if any, and a colon.
pub fn push_owner(out: &mut Vec<u8>, var: Option<&str>) {
    if let Some(var) = var {
        push_name(out, var);
        if SECTIONS.contains(&var) {
            out.push(b' ');
        }
    }
    out.push(b':');
}

/// Appends a name. A backslash is put before characters with a meaning in CDL, and before a first character
/// that could start a number or a path. Control characters become `\%xx`. If the name itself contains such an
/// `%xx`, its first digit gets a backslash too, or it would be read as a control character. A slash, which
/// attributes, fields and enum members of HDF5 can have, stays as netCDF-C prints it, unless it would start a
/// comment.
pub fn push_name(out: &mut Vec<u8>, name: &str) {
    push_spelled(out, name, false);
}

/// Appends the name of an enum member as a value. A slash gets a backslash, because it would end a path.
pub fn push_member(out: &mut Vec<u8>, name: &str) {
    push_spelled(out, name, true);
}

fn push_spelled(out: &mut Vec<u8>, name: &str, escape_slashes: bool) {
    let bytes = name.as_bytes();
    if matches!(bytes.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) {
        out.push(b'\\');
    }
    for (at, &c) in bytes.iter().enumerate() {
        match c {
            b'%' if spells_control(&bytes[at + 1..]) => out.extend_from_slice(b"\\%\\"),
            0..=0x1f | 0x7f => {
                let _ = write!(out, "\\%{c:02x}");
            }
            b'/' if escape_slashes || bytes.get(at + 1) == Some(&b'/') => out.extend_from_slice(b"\\/"),
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

/// True if the two characters after a `%` would be read as a control character.
fn spells_control(rest: &[u8]) -> bool {
    match rest {
        [b'0' | b'1', b, ..] => b.is_ascii_hexdigit(),
        [b'7', b'f' | b'F', ..] => true,
        _ => false,
    }
}

/// Appends one byte of text inside quotes. Bytes over 127 are unchanged: they are UTF-8, or the user's own
/// encoding.
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

/// True if a byte of text needs no escape inside quotes.
fn is_plain(c: u8) -> bool {
    !matches!(c, 0..=0x1f | 0x7f | b'\\' | b'\'' | b'"')
}

/// Appends a string in quotes.
pub fn push_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    while let Some(&c) = rest.first() {
        // A run of bytes without escapes, usually the whole text, is copied at once.
        let plain = rest.iter().position(|c| !is_plain(*c)).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        if plain == 0 {
            push_text_byte(out, c);
            rest = &rest[1..];
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_are_called_as_sections() {
        for (var, wanted) in [
            (None, ":"),
            (Some("v"), "v:"),
            (Some("data"), "data :"),
            (Some("data:"), "data\\::"),
            (Some("Data"), "Data:"),
        ] {
            let mut out = Vec::new();
            push_owner(&mut out, var);
            assert_eq!(String::from_utf8_lossy(&out), wanted);
        }
    }

    #[test]
    fn text_in_quotes_is_that_of_its_bytes() {
        let text: Vec<u8> = (0..=255).chain(*b"plain").chain([0, 0]).chain(*b"end").collect();
        let mut wanted = b"\"".to_vec();
        text.iter().for_each(|c| push_text_byte(&mut wanted, *c));
        wanted.push(b'"');
        let mut out = Vec::new();
        push_quoted(&mut out, &text);
        assert_eq!(out, wanted);
    }
}
