//! Parses a window of strings and characters into the rows of a `char` array.

use crate::error::Result;

use super::position::{Next, Passed, Position};
use super::wanted_values::WantedValues;
use super::{ListReader, Window};
use crate::cdl::read::constant::escapes::escape;
use crate::cdl::read::constant::lexer::{Constant, Lexer};
use crate::cdl::read::values::char_array::{Rows, character};

impl ListReader<'_> {
    pub(super) fn walk_characters(
        &self,
        lexer: &mut Lexer,
        window: &Window,
        target: &mut WantedValues,
    ) -> Result<()> {
        let place = window.entry.place();
        let mut position = Position::new(self.list, window.entry);
        let flat = position.sizes.len() == 1;
        let mut rows = Rows {
            row: self.row.max(1),
            length: window.entry.element,
            after_character: place.after_character,
        };
        let mut passed = self.passed_before(window);
        if place.in_string {
            if !string(lexer, &mut rows.length, target) {
                return Ok(());
            }
            passed = Passed::Value;
        }
        loop {
            if rows.length >= target.last {
                return Ok(());
            }
            // In a flat list, braces around rows mean nothing. The first pass has checked that they match.
            if flat && matches!(lexer.peek()?, Some(b'{' | b'}')) {
                let opens = lexer.peek()? == Some(b'{');
                if opens == (passed == Passed::Value) && (opens || passed == Passed::Comma) {
                    return Err(lexer.expected(if opens { "','" } else { "a value" }));
                }
                lexer.at += 1;
                rows.after_character = false;
                passed = if opens { Passed::Nothing } else { Passed::Value };
                continue;
            }
            let level = position.level;
            match position.between(lexer, window.last, &mut passed)? {
                Next::End => return Ok(()),
                Next::Taken => {
                    if position.level > level {
                        rows = Rows {
                            length: position.element(),
                            ..Rows::new(self.row)
                        };
                    }
                    continue;
                }
                Next::Value => {}
            }
            let start = lexer.at;
            passed = Passed::Value;
            if lexer.rest().first() == Some(&b'"') {
                lexer.at += 1;
                let first = rows.begin_string();
                if !string(lexer, &mut rows.length, target) {
                    return Ok(());
                }
                rows.end_string(first);
                continue;
            }
            let (at, byte) = match lexer.constant()? {
                Constant::Fill => (rows.fill(), self.fill_byte()),
                constant => (
                    rows.character(),
                    character(&constant).map_err(|what| lexer.error(start, what))?,
                ),
            };
            target.put(at, &[byte]);
        }
    }
}

/// Takes the rest of a string, from element `length` on, and its closing quote. Returns false if the window ends first.
fn string(lexer: &mut Lexer, length: &mut u64, target: &mut WantedValues) -> bool {
    loop {
        let rest = lexer.rest();
        let plain = rest
            .iter()
            .position(|b| matches!(b, b'"' | b'\\'))
            .unwrap_or(rest.len());
        target.put(*length, &rest[..plain]);
        *length += plain as u64;
        lexer.at += plain;
        match rest.get(plain) {
            None => return false,
            Some(b'"') => {
                lexer.at += 1;
                return true;
            }
            Some(_) => {
                let Some((byte, escaped)) = escape(&rest[plain + 1..]) else {
                    lexer.at += 1;
                    return false;
                };
                target.put(*length, &[byte]);
                *length += 1;
                lexer.at += 1 + escaped;
            }
        }
    }
}
