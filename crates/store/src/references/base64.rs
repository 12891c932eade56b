//! Base64 with the standard alphabet (RFC 4648, section 4).

/// The bytes of a text in base64. `None` if it is none, or is not padded as the standard asks.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let quads = text.as_bytes().chunks_exact(4);
    if !quads.remainder().is_empty() {
        return None;
    }
    let count = quads.len();
    let mut bytes = Vec::with_capacity(count * 3);
    for (at, quad) in quads.enumerate() {
        let padding = match quad {
            [_, _, b'=', b'='] => 2,
            [_, _, _, b'='] => 1,
            _ => 0,
        };
        if padding > 0 && at + 1 < count {
            return None;
        }
        let mut group = 0u32;
        for c in &quad[..4 - padding] {
            group = group << 6 | digit(*c)?;
        }
        group <<= 6 * padding;
        let all = group.to_be_bytes();
        let (used, rest) = all[1..].split_at(3 - padding);
        if rest.iter().any(|b| *b != 0) {
            return None;
        }
        bytes.extend_from_slice(used);
    }
    Some(bytes)
}

/// Bytes in base64.
pub fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut group = [0; 4];
        group[1..=three.len()].copy_from_slice(three);
        let group = u32::from_be_bytes(group);
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() { digit.into() } else { '=' });
        }
    }
    text
}

fn digit(c: u8) -> Option<u32> {
    let digit = match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(digit.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_vectors_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
            assert_eq!(encode(bytes.as_bytes()), text);
        }
        assert_eq!(decode("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
    }

    #[test]
    fn what_is_no_base64() {
        for text in [
            "Z", "Zg", "Zg=", "Zg==Zg==", "Zh==", "Zm9=", "====", "Z===", "Zm9-", "Zm 9", "é==",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
