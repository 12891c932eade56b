//! Unescapes names as CDL spells them.

use std::fmt;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::model::MAX_NAME;

/// Unescapes a name. Each character of `spelled` is one byte of the text.
///
/// - A backslash and a byte stand for that byte. `\%` and two hexadecimal digits stand for a control character, as
///   ncdump prints it.
/// - The bytes must be UTF-8. They are normalised to NFC, as netCDF does with every name.
///
/// # Errors
/// The message for an invalid name.
pub fn name(spelled: &str) -> Result<String, String> {
    let name = inner_name(spelled)?;
    match name.contains('/') {
        true => Err("this name cannot hold a '/'".into()),
        false => Ok(name),
    }
}

/// Unescapes the name of an attribute, a field or an enum member. Unlike a [`name`], it may contain a slash, which HDF5
/// allows: no path leads to it.
///
/// # Errors
/// The message for an invalid name.
pub fn inner_name(spelled: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(spelled.len());
    let mut rest = spelled.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            bytes.push(c as u8);
        } else if let Some(control) = control(rest.as_str()) {
            bytes.push(control);
            rest.nth(2);
        } else {
            bytes.push(rest.next().unwrap_or(c) as u8);
        }
    }
    let name = String::from_utf8(bytes).map_err(|_| "a name must be UTF-8".to_owned())?;
    let name = if is_nfc(&name) { name } else { name.nfc().collect() };
    if name.contains('\0') {
        Err("a name cannot hold a NUL".into())
    } else if name.len() > MAX_NAME {
        Err(format!(
            "a name cannot be longer than {MAX_NAME} bytes; this one has {}",
            name.len()
        ))
    } else {
        Ok(name)
    }
}

/// The control character of `%xx` at the beginning of `text`.
fn control(text: &str) -> Option<u8> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii_control)
}

/// A name, or a path from the root group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The groups from the root; `None` for a name without a path.
    pub groups: Option<Vec<String>>,
    /// The last name.
    pub name: String,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(groups) = &self.groups else {
            return f.write_str(&self.name);
        };
        groups.iter().try_for_each(|group| write!(f, "/{group}"))?;
        write!(f, "/{}", self.name)
    }
}

impl Path {
    /// Unescapes a path.
    ///
    /// # Errors
    /// The same as for [`name`].
    pub fn new(spelled: &str) -> Result<Self, String> {
        let Some(inner) = spelled.strip_prefix('/') else {
            return Ok(Self {
                groups: None,
                name: name(spelled)?,
            });
        };
        let mut groups = Vec::new();
        let mut start = 0;
        let mut escaped = false;
        for (at, c) in inner.char_indices() {
            if c == '/' && !escaped {
                groups.push(name(&inner[start..at])?);
                start = at + 1;
            }
            escaped = c == '\\' && !escaped;
        }
        Ok(Self {
            groups: Some(groups),
            name: name(&inner[start..])?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The grammar's form of a name: each byte is a character.
    fn latin(text: &str) -> String {
        text.bytes().map(char::from).collect()
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(name(r"\1dim\ x\\\%y\(").unwrap(), r"1dim x\%y(");
        assert_eq!(name(r"a\%0ab\%7F").unwrap(), "a\nb\x7f");
        assert_eq!(name(r"a\%41\%\0a").unwrap(), "a%41%0a");
    }

    #[test]
    fn names_are_utf_8_in_nfc() {
        assert_eq!(name(&latin("Καλημέρα")).unwrap(), "Καλημέρα");
        assert_eq!(name(&latin("e\u{301}")).unwrap(), "\u{e9}");
        assert_eq!(name("\u{e9}").unwrap_err(), "a name must be UTF-8");
    }

    #[test]
    fn names_are_bounded_and_have_no_slash() {
        assert!(name(&"x".repeat(256)).is_ok());
        assert!(name(&"x".repeat(257)).unwrap_err().contains("257"));
        assert!(name(r"a\/b").is_err());
        assert_eq!(inner_name(r"/a\/b").unwrap(), "/a/b");
        assert!(name(r"a\%00").is_err());
    }

    #[test]
    fn paths_go_from_the_root() {
        let path = Path::new(r"/a\ b/g/x").unwrap();
        assert_eq!(path.groups.unwrap(), ["a b", "g"]);
        assert_eq!(path.name, "x");
        assert_eq!(Path::new("x").unwrap().groups, None);
        assert_eq!(Path::new("/x").unwrap().groups, Some(vec![]));
    }

    #[test]
    fn names_are_read_back() {
        for (name, spelled) in [
            ("a b", r"a\ b"),
            ("1d", r"\1d"),
            ("a\n\x7f", r"a\%0a\%7f"),
            ("50%", r"\50\%"),
            ("%0a%41%7F%1", r"\%\0a\%41\%\7F\%1"),
            ("/m/s//*/", r"/m/s\//\*/"),
        ] {
            let mut out = Vec::new();
            crate::print::push_name(&mut out, name);
            let out = String::from_utf8(out).unwrap();
            assert_eq!(out, spelled);
            assert_eq!(inner_name(&out).as_deref(), Ok(name));
        }
    }
}
