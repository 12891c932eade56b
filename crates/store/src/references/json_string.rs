//! Strings of JSON.

use std::fmt::Write as _;

/// Adds a string of JSON. All but ASCII is escaped in no way: JSON is UTF-8.
pub fn push_string(text: &mut String, string: &str) {
    text.push('"');
    let mut rest = string;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        let (plain, special) = rest.split_at(at);
        text.push_str(plain);
        let mut chars = special.chars();
        match chars.next() {
            Some('\n') => text.push_str("\\n"),
            Some(c @ ('"' | '\\')) => text.extend(['\\', c]),
            Some(c) => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            None => {}
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let mut text = String::new();
        push_string(&mut text, "a\t\u{1f}é\\");
        assert_eq!(text, "\"a\\u0009\\u001fé\\\\\"");
    }
}
