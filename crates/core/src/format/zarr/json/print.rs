//! Prints JSON, spaced as netCDF-C spaces it: `{"a": 1, "b": [1,2,{"k": null}]}`.

use std::fmt;

use super::Json;

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => write_float(f, *value),
            Self::Word(word) => f.write_str(word),
            Self::String(text) => write_string(f, text),
            Self::Array(elements) => {
                f.write_str("[")?;
                for (at, element) in elements.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { "," })?;
                    element.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (at, (key, value)) in members.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { ", " })?;
                    write_string(f, key)?;
                    f.write_str(": ")?;
                    value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Json {
    /// The beginning of the text, for a message.
    pub(in crate::format::zarr) fn shown(&self) -> String {
        const MOST: usize = 40;
        let text = self.to_string();
        match text.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

/// Writes the shortest digits that identify the number, with a point or an exponent.
fn write_float(f: &mut fmt::Formatter, value: f64) -> fmt::Result {
    match value {
        v if v.is_finite() => write!(f, "{v:?}"),
        v if v.is_nan() => f.write_str("NaN"),
        v if v > 0.0 => f.write_str("Infinity"),
        _ => f.write_str("-Infinity"),
    }
}

/// Writes a string, with only those characters escaped that must be. netCDF-C knows the same short escapes. It does not
/// know `\u`, which the other control characters need.
fn write_string(f: &mut fmt::Formatter, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|c| c < b' ' || c == b'"' || c == b'\\') {
        f.write_str(&rest[..at])?;
        match rest.as_bytes()[at] {
            b'"' => f.write_str("\\\"")?,
            b'\\' => f.write_str("\\\\")?,
            0x8 => f.write_str("\\b")?,
            0xc => f.write_str("\\f")?,
            b'\n' => f.write_str("\\n")?,
            b'\r' => f.write_str("\\r")?,
            b'\t' => f.write_str("\\t")?,
            c => write!(f, "\\u{c:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    f.write_str(rest)?;
    f.write_str("\"")
}
