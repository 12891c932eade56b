//! The beginning of a text: `netcdf name {`.

use crate::error::Result;

use super::statements::{Heading, MAX_SEGMENT, Statements};

/// Maximum length, in characters, of a name shown in a message.
const SHOWN: usize = 40;

/// First bytes of netCDF and HDF5 files, for a message.
const NOT_TEXT: [&[u8]; 4] = [b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF"];

impl Statements<'_> {
    /// Parses the beginning of a text, and returns the dataset's name. The name is the text on the line up to the `{`,
    /// with its blanks removed. Blanks, line ends and comments may precede the `{`.
    ///
    /// # Errors
    /// A text that begins otherwise.
    pub fn dataset(&mut self) -> Result<String> {
        self.keyword()?;
        let behind = self.at();
        self.cursor().skip_until(|b| b > b' ')?;
        let start = self.at();
        let stop = self.cursor().skip_until(|b| b == b'{' || b == b'\n')?;
        let text = self.cursor().text();
        if self.at() - start > MAX_SEGMENT as u64 {
            return Err(text.error(start, "expected a name and '{' behind 'netcdf'"));
        }
        let line = text.bytes(start, (self.at() - start) as usize)?;
        let line = line.trim_ascii_end();
        if stop == Some(b'\n') {
            self.peek()?;
        }
        if !self.take(b'{')? {
            let shown = String::from_utf8_lossy(line);
            let heading = line.strip_suffix(b":").and_then(Heading::named);
            return Err(match shown.chars().count() {
                0 => text.error(behind, "expected a name and '{' behind 'netcdf'"),
                _ if heading.is_some() => text.error(behind, "expected a name and '{' behind 'netcdf'"),
                SHOWN.. => text.error(
                    start + line.len() as u64,
                    "expected '{' behind the dataset's name, which is all of this line behind 'netcdf'",
                ),
                _ => text.error(
                    start + line.len() as u64,
                    format!("expected '{{' behind the dataset's name '{shown}'"),
                ),
            });
        }
        let name = line.iter().copied().filter(|b| *b > b' ').collect::<Vec<_>>();
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    /// Takes `netcdf`, in upper or lower case.
    fn keyword(&mut self) -> Result<()> {
        self.peek()?;
        let start = self.at();
        let text = self.cursor().text();
        let mut word = Vec::new();
        while let Some(byte) = self.cursor().peek()?.filter(u8::is_ascii_alphanumeric) {
            word.push(byte);
            self.cursor().take()?;
            if word.len() > 6 {
                break;
            }
        }
        if word.eq_ignore_ascii_case(b"netcdf") {
            return Ok(());
        }
        let bytes = text.bytes(start, 4)?;
        Err(text.error(
            start,
            not_cdl(&bytes).unwrap_or("expected 'netcdf': CDL begins with 'netcdf name {'"),
        ))
    }
}

/// A message about text that begins with `bytes`: its actual format, and how to make CDL of it.
fn not_cdl(bytes: &[u8]) -> Option<&'static str> {
    Some(match *bytes {
        [0, 0, 0, 0] => return None,
        _ if NOT_TEXT.contains(&bytes) => {
            "expected CDL text, and this is a netCDF file: ncdump makes text of it, nccopy copies it"
        }
        [0x1f, 0x8b, ..] => "expected CDL text, and this is compressed by gzip: unpack it by gunzip",
        [0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff] | [_, 0, 0, 0] | [0, 0, 0, _] => {
            "expected UTF-8, and this text is UTF-32: convert it, as by iconv -f UTF-32 -t UTF-8"
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [_, 0, _, 0] | [0, _, 0, _] => {
            "expected UTF-8, and this text is UTF-16: convert it, as by iconv -f UTF-16 -t UTF-8"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cdl::read::syntax::text::Text;

    fn name(bytes: &[u8]) -> Result<(String, u64), String> {
        let text = Text::new(Arc::new(bytes.to_vec()), "a.cdl").unwrap();
        let mut statements = Statements::new(&text);
        let name = statements.dataset().map_err(|e| e.to_string())?;
        Ok((name, statements.at()))
    }

    #[test]
    fn a_name_is_any_text_of_a_line() {
        for (text, expected) in [
            ("netcdf x {", "x"),
            ("// c\nNETCDF x{", "x"),
            ("netCDF of the sea: 2+2=4; {", "ofthesea:2+2=4;"),
            ("netcdf x\n{", "x"),
            ("netcdf\n x \r\n\n /* c */ // d {\n {", "x"),
            ("netcdf x//c {", "x//c"),
            ("netcdf {", ""),
            ("netcdf\té {", "é"),
        ] {
            assert_eq!(
                name(text.as_bytes()),
                Ok((expected.into(), text.len() as u64)),
                "{text}"
            );
        }
    }

    #[test]
    fn the_brace_behind_it_is_missed_where_the_name_ends() {
        for (text, place, why) in [
            ("netcdf x", "1:9", "'{' behind the dataset's name 'x'"),
            (
                "netcdf x \ndimensions: x = 1;} {",
                "1:9",
                "'{' behind the dataset's name 'x'",
            ),
            ("netcdf a b\nc {", "1:11", "'{' behind the dataset's name 'a b'"),
            ("netcdf", "1:7", "a name and '{' behind 'netcdf'"),
            (
                "netcdf\n\ndimensions:\n x = 1;}",
                "1:7",
                "a name and '{' behind 'netcdf'",
            ),
            ("netcdf x\n/* {", "2:1", "'*/'"),
            ("netcdfx {", "1:1", "'netcdf'"),
            ("CDF\u{1}\0\0 {", "1:1", "this is a netCDF file"),
        ] {
            let error = name(text.as_bytes()).unwrap_err();
            assert!(error.starts_with(&format!("a.cdl:{place}: ")), "{text}: {error}");
            assert!(error.lines().next().unwrap().contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn other_encodings_are_named() {
        let utf16 = |mark: &str| -> Vec<u16> { format!("{mark}netcdf x {{}}").encode_utf16().collect() };
        let bytes = |units: &[u16], little: bool| -> Vec<u8> {
            let pair = |unit: &u16| {
                if little {
                    unit.to_le_bytes()
                } else {
                    unit.to_be_bytes()
                }
            };
            units.iter().flat_map(pair).collect()
        };
        let utf32 = |mark: &str| -> Vec<u8> {
            let text = format!("{mark}netcdf x {{}}");
            text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()
        };
        for (bytes, why) in [
            (bytes(&utf16("\u{feff}"), true), "UTF-16"),
            (bytes(&utf16("\u{feff}"), false), "UTF-16"),
            (bytes(&utf16(""), true), "UTF-16"),
            (bytes(&utf16(""), false), "UTF-16"),
            (utf32("\u{feff}"), "UTF-32"),
            (utf32(""), "UTF-32"),
            (b"\x1f\x8b\x08\0\0\0".to_vec(), "gzip"),
        ] {
            let error = name(&bytes).unwrap_err();
            let first = error.lines().next().unwrap();
            assert!(
                first.starts_with("a.cdl:1:1: ") && first.contains(why),
                "{bytes:?}: {error}"
            );
        }
    }
}
