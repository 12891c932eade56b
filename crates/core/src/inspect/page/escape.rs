//! Text from a file as text of HTML.

use crate::message::one_line;

/// Most characters of a name that are shown.
const MOST: usize = 100;

/// The text with what HTML would take for markup, and what cannot be seen, as escapes.
pub(super) fn escape(text: &str) -> String {
    let text = one_line(text);
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // No character, or one that browsers refuse.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name as [`escape`] gives it, without its middle if it is very long.
pub(super) fn name(text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST {
        return escape(text);
    }
    let beginning: String = text.chars().take(MOST / 2).collect();
    let end: String = text.chars().skip(count - MOST / 2).collect();
    escape(&format!("{beginning}…{end}"))
}

/// How many variables a page does not show one by one: "1 smaller variable".
pub(super) fn smaller(count: usize) -> String {
    match count {
        1 => "1 smaller variable".to_owned(),
        n => format!("{n} smaller variables"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(escape(r#"<b a="1">&'"#), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
        assert_eq!(escape("a\n\u{1b}\u{202e}"), r"a\n\u{1b}\u{202e}");
        assert_eq!(name(&"x".repeat(1000)).chars().count(), MOST + 1);
    }
}
