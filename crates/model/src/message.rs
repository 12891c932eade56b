//! Writes messages to the user, safely.
//!
//! Text in a message often comes from a file, which may be hostile. It must not control the terminal, imitate a line of
//! its own, or fill the screen:
//!
//! ```text
//! tell ───────► one line:  one_line ─► shortened ─► standard error
//! tell_lines ─► each line: one_line ─► shortened ─► standard error
//! json_line ──► one line for standard output
//! ```

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

/// Maximum length of a line, in bytes.
const LINE: usize = 4096;

/// Length of the beginning that is kept of a longer line, in bytes. The rest of the limit is its end, which often says
/// what to do.
const BEGINNING: usize = LINE / 4 * 3;

/// Replaces the text left out of a line.
const ELLIPSIS: char = '…';

/// Most items that one message names.
pub const MOST_NAMED: usize = 10;

/// The first of `count` items, at most [`MOST_NAMED`], and how many more there are: `a, b and 3 more (5 in all)`.
pub fn some_of(items: impl IntoIterator<Item = impl Display>, count: usize) -> String {
    let named: Vec<String> = items
        .into_iter()
        .take(MOST_NAMED)
        .map(|item| item.to_string())
        .collect();
    let more = count.saturating_sub(named.len());
    let named = named.join(", ");
    match more {
        0 => named,
        more => format!("{named} and {more} more ({count} in all)"),
    }
}

/// Writes the line `program: text` to standard error. Invisible characters, including line breaks, become escapes. The
/// middle of a line longer than 4096 bytes is left out. Errors of writing are ignored.
pub fn tell(program: &str, text: impl Display) {
    let text = format!("{program}: {text}");
    let _ = writeln!(io::stderr().lock(), "{}", shortened(&one_line(&text)));
}

/// Writes several lines, each like [`tell`]. Names within the text must not contain line breaks.
pub fn tell_lines(program: &str, text: impl Display) {
    let text = lines(&format!("{program}: {text}"));
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The lines of `text` in displayable form, each with a line break at its end.
pub fn lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(4 * LINE));
    for line in text.lines() {
        shown += &shortened(&one_line(line));
        shown.push('\n');
    }
    shown
}

/// The text with [invisible characters](is_unseen) as escapes, such as `\n` and `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

/// A JSON object on a line of its own. [Invisible characters](is_unseen) in its strings are escapes, such as `\u009b`.
pub fn json_line(object: &serde_json::Value) -> String {
    let text = object.to_string();
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // The printer itself writes those below U+0020. All others are below U+10000.
        match is_unseen(c) {
            true => line += &format!("\\u{:04x}", u32::from(c)),
            false => line.push(c),
        }
    }
    line.push('\n');
    line
}

/// True for characters that affect the display of others and are not displayed themselves: control characters (C0, DEL
/// and C1), Unicode's line and paragraph separators, and characters that override or isolate the text direction.
pub fn is_unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The line, without its middle if it is too long.
fn shortened(line: &str) -> Cow<'_, str> {
    if line.len() <= LINE {
        return line.into();
    }
    let mut beginning = BEGINNING - ELLIPSIS.len_utf8();
    while !line.is_char_boundary(beginning) {
        beginning -= 1;
    }
    let mut end = line.len() - (LINE - BEGINNING);
    while !line.is_char_boundary(end) {
        end += 1;
    }
    format!("{}{ELLIPSIS}{}", &line[..beginning], &line[end..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        assert_eq!(one_line("\x1b[31mred\x07"), r"\u{1b}[31mred\u{7}");
        assert_eq!(one_line("a\nb\r\tc\0\x7f"), r"a\nb\r\tc\u{0}\u{7f}");
        assert_eq!(one_line("\u{9b}31m\u{80}"), r"\u{9b}31m\u{80}");
        assert_eq!(
            one_line("\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}"),
            r"\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}"
        );
        let plain = "Größe – 水温 \u{a0} שלום \\u{1b} 🌊";
        assert!(matches!(one_line(plain), Cow::Borrowed(text) if text == plain));
    }

    #[test]
    fn the_lines_of_a_text_stay_apart() {
        assert_eq!(lines("a\n\n  b\x1b\tc"), "a\n\n  b\\u{1b}\\tc\n");
    }

    #[test]
    fn a_long_line_shows_its_beginning_and_its_end() {
        for c in ['9', 'é', '水', '🌊'] {
            for shift in 0..4 {
                let whole = format!("{}{}", "x".repeat(shift), c.to_string().repeat(1_000_000));
                let text = format!("first {whole} last");
                let shown = shortened(&text);
                assert!(shown.len() <= LINE && shown.len() > LINE - 16, "{}", shown.len());
                assert!(shown.starts_with("first ") && shown.ends_with(" last"));
                assert_eq!(shown.matches(ELLIPSIS).count(), 1);
            }
        }
        let just = "a".repeat(LINE);
        assert_eq!(shortened(&just), just);
        assert_eq!(lines(&format!("a\n{just}b\nc")).lines().count(), 3);
    }

    #[test]
    fn json_has_no_characters_that_control_a_terminal() {
        let name = "a\u{7f}\u{9b}31m\u{1b}\u{202e}é\n";
        let line = json_line(&serde_json::json!({"name": name}));
        assert_eq!(line, "{\"name\":\"a\\u007f\\u009b31m\\u001b\\u202eé\\n\"}\n");
        let parsed: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(parsed["name"], name);
    }
}
