//! Lists of lengths in an argument, as `-c` and `--shard` take them.

use crate::error::{Request, Result};
use crate::model::unescape;

/// Splits `text` at every unescaped `separator`. The parts keep their escapes.
pub fn split_unescaped(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == separator {
            parts.push(&text[start..at]);
            start = at + c.len_utf8();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The length in `text`. `what` is the thing that has it, for messages.
fn length(text: &str, request: Request, argument: &str, what: &str) -> Result<u64> {
    match text.parse::<u64>() {
        Ok(0) => Err(request.misspelled(
            format!("'{argument}'"),
            format!("a {what} length of 0 is not possible"),
        )),
        Ok(n) => Ok(n),
        Err(_) => Err(request.misspelled(
            format!("'{argument}'"),
            format!("expected a {what} length, found '{text}'"),
        )),
    }
}

/// Reads the lengths `n1,n2,…`. `what` is the thing that has them, for messages.
///
/// # Errors
/// What was expected.
pub fn lengths(text: &str, request: Request, argument: &str, what: &str) -> Result<Vec<u64>> {
    text.split(',')
        .map(|n| length(n.trim(), request, argument, what))
        .collect()
}

/// Reads `dim/n,dim/,…`: lengths by dimension name or path, and `None` for the whole dimension.
///
/// # Errors
/// What was expected.
pub fn lengths_by_dimension(
    request: Request,
    argument: &str,
    what: &str,
) -> Result<Vec<(String, Option<u64>)>> {
    let mut dims = Vec::new();
    for part in split_unescaped(argument, ',') {
        // The name may be a path, so the length is after the last slash.
        let slashes = split_unescaped(part, '/');
        let text = slashes[slashes.len() - 1];
        let name = &part[..part.len() - text.len()];
        let Some(name) = name.strip_suffix('/').filter(|n| !n.is_empty()) else {
            return Err(request.misspelled(
                format!("'{argument}'"),
                format!("expected dim/length, var:length,… or '/', found '{part}'"),
            ));
        };
        let length = match text.is_empty() {
            true => None,
            false => Some(length(text, request, argument, what)?),
        };
        dims.push((unescape(name), length));
    }
    Ok(dims)
}
