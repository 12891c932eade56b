//! Names of DAP2: escaped in texts, and as netCDF takes them.

use std::fmt::Write;

use percent_encoding::percent_decode_str;

/// A name without its escapes.
pub fn decoded(raw: &str) -> String {
    percent_decode_str(raw).decode_utf8_lossy().into_owned()
}

/// A name that netCDF can hold: a slash is written as `%2f`.
pub fn legal(raw: &str) -> String {
    decoded(raw).trim_start_matches('/').replace('/', "%2f")
}

/// A name or constraint as it is sent: what a URL may not hold is escaped. Escapes that are there stay.
pub fn sent(text: &str) -> String {
    let mut sent = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => sent.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'~' | b'%' | b',' | b':' | b'&' | b'=' | b'(' | b')' | b'!' | b'*'
            | b'/' | b'\'' | b';' => {
                sent.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(sent, "%{byte:02X}")),
        }
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded_and_sent() {
        assert_eq!(decoded("a%20b"), "a b");
        assert_eq!(legal("/a%2fb"), "a%2fb");
        assert_eq!(sent("a%20b[0:1:2]\"<é"), "a%20b%5B0:1:2%5D%22%3C%C3%A9");
    }
}
