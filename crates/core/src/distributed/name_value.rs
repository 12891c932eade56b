//! Names of files in JSON, also those that are not UTF-8.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde_json::{Value, json};

/// A name: text, or the hexadecimal digits of one that is not UTF-8.
pub fn name_value(name: &OsStr) -> Value {
    match name.to_str() {
        Some(text) => json!(text),
        None => {
            let digits = name.as_bytes().iter().fold(String::new(), |mut digits, byte| {
                // Nothing fails where a string is written to.
                let _ = write!(digits, "{byte:02x}");
                digits
            });
            json!({ "bytes": digits })
        }
    }
}

/// The name that [`name_value`] gave.
pub fn name_of(value: &Value) -> Option<OsString> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    let digits = value.get("bytes")?.as_str()?;
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    Some(OsString::from_vec(pairs.map(byte).collect::<Option<_>>()?))
}
