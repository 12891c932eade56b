//! The rules for netCDF names, and escapes in them.

/// Most bytes in a name (`NC_MAX_NAME`).
pub const MAX_NAME: usize = 256;

/// The reason why netCDF's library would refuse to create an item with this name, in any kind of file. `None`
/// if the name is valid. Existing HDF5 files may contain invalid names, classic files do not.
///
/// The rule is from the classic format's specification: a letter, digit, underscore or character beyond
/// ASCII, followed by anything but `/` and control characters, without a space at the end.
pub fn name_fault(name: &str) -> Option<&'static str> {
    let Some(first) = name.chars().next() else {
        return Some("a name cannot be empty");
    };
    if first.is_ascii() && !first.is_ascii_alphanumeric() && first != '_' {
        Some("a name begins with a letter, digit or underscore")
    } else if name.contains('/') || name.chars().any(|c| c.is_ascii_control()) {
        Some("a name cannot contain / or control characters")
    } else if name.ends_with(' ') {
        Some("a name cannot end with a space")
    } else if name.len() > MAX_NAME {
        Some("a name cannot be longer than 256 bytes")
    } else {
        None
    }
}

/// Removes backslash escapes from a name: a backslash makes the next character literal. A backslash at the
/// end stands for itself, as in netCDF-C's names of datasets.
pub fn unescape(spelled: &str) -> String {
    let mut plain = String::with_capacity(spelled.len());
    let mut chars = spelled.chars();
    while let Some(c) = chars.next() {
        let taken = if c == '\\' { chars.next() } else { None };
        plain.push(taken.unwrap_or(c));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_takes_the_next_character() {
        for (spelled, plain) in [
            ("plain", "plain"),
            (r"a\ b\{", "a b{"),
            (r"a\\b", r"a\b"),
            (r"a\é", "aé"),
            (r"end\", r"end\"),
            (r"\", r"\"),
        ] {
            assert_eq!(unescape(spelled), plain);
        }
    }

    #[test]
    fn names_that_the_library_creates() {
        for name in [
            "a", "_a", "1a", "9", "a b", "a@b", "a:b", "a.b", "é", "\u{a0}a", "a\u{a0}",
        ] {
            assert_eq!(name_fault(name), None, "{name:?}");
        }
        assert_eq!(name_fault(&"x".repeat(MAX_NAME)), None);
    }

    #[test]
    fn names_that_the_library_refuses() {
        for (name, says) in [
            ("", "empty"),
            ("-a", "begins"),
            (".a", "begins"),
            ("+a", "begins"),
            ("@a", "begins"),
            (" a", "begins"),
            ("\ta", "begins"),
            ("a/b", "/"),
            ("a\tb", "control"),
            ("a\u{7f}", "control"),
            ("a ", "space"),
        ] {
            assert!(name_fault(name).is_some_and(|why| why.contains(says)), "{name:?}");
        }
        assert!(name_fault(&"x".repeat(MAX_NAME + 1)).is_some());
    }
}
