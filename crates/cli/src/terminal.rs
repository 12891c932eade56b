//! [`Terminal`]: text on a terminal, without characters that steer it.

use std::io::{self, Write};

use ncutils_core::message::is_unseen;

/// Passes text on, with escapes in place of characters that steer a terminal: control characters but line feed and tab, and those that
/// override the direction of text. Bytes that are not UTF-8 are escaped, too. An escape is `\` and three octal digits for
/// each byte, as in CDL.
///
/// Names and text come from files, which may be hostile. A program that reads the output gets it as it is; a terminal does not.
pub struct Terminal<W> {
    inner: W,
    /// The beginning of a character whose end was not written yet: at most 3 bytes.
    begun: Vec<u8>,
}

impl<W: Write> Terminal<W> {
    /// Writes to `inner`.
    pub fn new(inner: W) -> Self {
        let begun = Vec::new();
        Self { inner, begun }
    }
}

fn is_shown(c: char) -> bool {
    matches!(c, '\n' | '\t') || !is_unseen(c)
}

/// Appends `text` with escapes.
fn push_shown(out: &mut Vec<u8>, text: &str) {
    for c in text.chars() {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        match is_shown(c) {
            true => out.extend_from_slice(bytes),
            false => push_escaped(out, bytes),
        }
    }
}

fn push_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
    }
}

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut shown = Vec::with_capacity(all.len());
        let mut rest = &all[..];
        while !rest.is_empty() {
            let (good, bad) = match std::str::from_utf8(rest) {
                Ok(text) => (text, None),
                Err(error) => {
                    let good = std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                    (good, Some(error.error_len()))
                }
            };
            push_shown(&mut shown, good);
            rest = &rest[good.len()..];
            match bad {
                None => {}
                Some(Some(length)) => {
                    push_escaped(&mut shown, &rest[..length]);
                    rest = &rest[length..];
                }
                Some(None) => {
                    self.begun = rest.to_vec();
                    rest = &[];
                }
            }
        }
        self.inner.write_all(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut shown = Vec::new();
        push_escaped(&mut shown, &std::mem::take(&mut self.begun));
        self.inner.write_all(&shown)?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut terminal = Terminal::new(&mut out);
        for part in parts {
            terminal.write_all(part).unwrap();
        }
        terminal.flush().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        let text = "a\x1b]0;x\x07\tb\n\u{9b}31m \u{202e}é";
        let wanted = "a\\033]0;x\\007\tb\n\\302\\23331m \\342\\200\\256é";
        assert_eq!(shown(&[text.as_bytes()]), wanted);
        for at in 0..text.len() {
            let (left, right) = text.as_bytes().split_at(at);
            assert_eq!(shown(&[left, right]), wanted, "{at}");
        }
    }

    #[test]
    fn what_is_not_utf8_is_escaped() {
        assert_eq!(shown(&[b"a\xffb\x9b\xe2\x82"]), "a\\377b\\233\\342\\202");
        assert_eq!(shown(&[b"\xe2", b"\x82", b"x"]), "\\342\\202x");
    }
}
