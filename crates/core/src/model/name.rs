//! Names: which netCDF allows, and how escapes in them are undone.

/// The longest name, in bytes (`NC_MAX_NAME`).
pub const MAX_NAME: usize = 256;

/// What is wrong with a name that netCDF's library refuses to create, of whatever thing and in every kind of file. Files of the
/// classic kinds hold no others; HDF5 files do. `None`: it is allowed.
///
/// The rule is that of the classic format's specification: a letter, digit, underscore or character beyond ASCII; then anything but
/// `/` and control characters; no space at the end.
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

/// Undoes backslash escapes in a name: a backslash takes the next character as it is. At the end, where it has nothing to take, it
/// stands for itself, as in netCDF-C's names of datasets.
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
