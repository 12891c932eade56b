//! Lays out statements of Fortran 77 in fixed form: columns 7 to 72, broken between tokens.

use std::io::Write;

/// Last column of a statement.
const WIDTH: usize = 72;

/// Maximum number of characters in one literal.
pub const LITERAL: usize = 40;

/// Appends a comment of one line.
pub fn comment(out: &mut Vec<u8>, text: &str) {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { '_' } else { c })
        .collect();
    let _ = writeln!(out, "c     {plain}");
}

/// Appends `call check(FUNCTION…)`. `rest` ends with the closing parenthesis of the function.
pub fn call(out: &mut Vec<u8>, function: &str, rest: &[String]) {
    let mut tokens = vec![format!("call check({function}")];
    tokens.extend_from_slice(rest);
    tokens.push(")".to_owned());
    statement(out, &tokens);
}

/// Splits text at its blanks into tokens.
pub fn words(text: &str) -> Vec<String> {
    text.split_inclusive(' ').map(str::to_owned).collect()
}

/// A character expression, in pieces that fit on a line. An empty text becomes a blank, since Fortran 77 has no empty
/// text.
pub fn literal(text: &[u8]) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut plain = String::new();
    for &c in text {
        if matches!(c, b' '..=b'~') {
            plain.push(c.into());
            if c == b'\'' {
                plain.push('\'');
            }
            if plain.len() >= LITERAL {
                pieces.push(format!("'{}'", std::mem::take(&mut plain)));
            }
        } else {
            if !plain.is_empty() {
                pieces.push(format!("'{}'", std::mem::take(&mut plain)));
            }
            pieces.push(format!("char({c})"));
        }
    }
    if !plain.is_empty() || pieces.is_empty() {
        pieces.push(format!("'{}'", if plain.is_empty() { " " } else { &plain }));
    }
    let last = pieces.len() - 1;
    for piece in &mut pieces[..last] {
        piece.push_str("//");
    }
    pieces
}

/// Appends a statement in lines of 72 columns, broken between tokens.
pub fn statement(out: &mut Vec<u8>, tokens: &[String]) {
    let mut line = String::from("      ");
    for token in tokens {
        if line.len() + token.trim_end().len() > WIDTH && line.len() > 6 {
            let _ = writeln!(out, "{}", line.trim_end());
            line = String::from("     +  ");
        }
        line.push_str(token);
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_and_quoted() {
        assert_eq!(literal(b"it's\n"), ["'it''s'//", "char(10)"]);
        assert_eq!(literal(b""), ["' '"]);
        let mut out = Vec::new();
        statement(&mut out, &literal(&[b'x'; 100]));
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().all(|l| l.len() <= WIDTH), "{text}");
        assert_eq!(text.lines().count(), 3);
    }
}
