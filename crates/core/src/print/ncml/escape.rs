//! Text as XML 1.0.

/// A buffer of XML.
#[derive(Default)]
pub(super) struct Escaped {
    text: Vec<u8>,
    replaced: u64,
}

impl Escaped {
    /// Appends markup.
    pub(super) fn raw(&mut self, markup: &str) {
        self.text.extend_from_slice(markup.as_bytes());
    }

    /// Appends text of an attribute or element. Characters that XML cannot contain become U+FFFD: control
    /// characters other than tab, line feed and carriage return, U+FFFE, U+FFFF, and bytes that are not
    /// UTF-8.
    pub(super) fn push(&mut self, text: &[u8]) {
        for part in text.utf8_chunks() {
            for c in part.valid().chars() {
                match c {
                    '"' => self.raw("&quot;"),
                    '<' => self.raw("&lt;"),
                    '>' => self.raw("&gt;"),
                    '&' => self.raw("&amp;"),
                    '\n' => self.raw("&#xA;"),
                    '\r' => self.raw("&#xD;"),
                    '\t' => self.raw("&#x9;"),
                    '\x7f' => self.raw("&#127;"),
                    '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => self.replacement(),
                    other => self.raw(other.encode_utf8(&mut [0; 4])),
                }
            }
            if !part.invalid().is_empty() {
                self.replacement();
            }
        }
    }

    fn replacement(&mut self) {
        self.raw("\u{fffd}");
        self.replaced += 1;
    }

    /// The text, and the number of characters that were replaced.
    pub(super) fn finish(self) -> (Vec<u8>, u64) {
        (self.text, self.replaced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_xml_can() {
        for (text, wanted, lost) in [
            (&b"a'b\xc2\xb0"[..], "a'b\u{b0}", 0),
            (
                b"<a href=\"x\">&\n\r\t\x7f",
                "&lt;a href=&quot;x&quot;&gt;&amp;&#xA;&#xD;&#x9;&#127;",
                0,
            ),
            (
                b"\xb0C \x00\x01 \xef\xbf\xbf",
                "\u{fffd}C \u{fffd}\u{fffd} \u{fffd}",
                4,
            ),
            ("\u{10ffff}\u{85}".as_bytes(), "\u{10ffff}\u{85}", 0),
        ] {
            let mut escaped = Escaped::default();
            escaped.push(text);
            assert_eq!(escaped.finish(), (wanted.as_bytes().to_vec(), lost));
        }
    }
}
