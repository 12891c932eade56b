//! Rules for what may stand between values: commas, braces, and as many values as fit.

use crate::error::Result;

use super::index::SPACING;
use super::{Measure, State};
use crate::cdl::read::constant::lexer::is_blank;
use crate::cdl::read::syntax::text::Text;
use crate::cdl::read::values::char_array::Rows;
use crate::cdl::read::values::depth::MAX_DEPTH;

/// Message for a value outside the braces that it must be in.
pub const LIST_EXPECTED: &str =
    "expected '{': values along an unlimited dimension that is not the first stand in braces";

impl Measure<'_> {
    /// Takes a byte in or between values.
    pub(super) fn value(&mut self, byte: u8, at: u64, text: &Text) -> Result<()> {
        let last = self.level + 1 == self.levels.starts.len();
        match byte {
            b',' => {
                self.in_word = false;
                self.wants_comma = false;
                if self.comma {
                    return Err(text.error(at, "expected a value, found ','"));
                }
                self.comma = true;
                if self.braces == 0 {
                    self.items[self.level] += 1;
                    if self.level == 0 && self.counts_items() && Some(self.items[0]) == self.levels.most {
                        self.full = Some(at);
                    }
                }
                let counted = self.braces == 0 || self.rows.is_some();
                if counted && at.saturating_sub(self.last_entry) >= SPACING {
                    self.enter(at + 1, false);
                }
            }
            b'{' => {
                self.content(at, text)?;
                self.in_word = false;
                self.wants_comma = false;
                self.open = at;
                if self.level + self.braces >= MAX_DEPTH {
                    let what = format!("lists may be {MAX_DEPTH} deep in each other");
                    return Err(text.error(at, what));
                }
                if !last {
                    self.level += 1;
                    self.items[self.level] = 0;
                    self.content[self.level] = false;
                    if let Some(rows) = &mut self.rows {
                        *rows = Rows::new(rows.row);
                    }
                } else if self.braced {
                    self.braces += 1;
                    self.separate();
                } else {
                    return Err(text.error(at, "expected a value, and not a list in braces"));
                }
            }
            b'}' => {
                self.in_word = false;
                self.comma = false;
                self.wants_comma = true;
                if self.braces > 0 {
                    self.braces -= 1;
                    self.separate();
                } else if self.level > 0 {
                    self.close();
                    self.level -= 1;
                } else {
                    let what = match self.content[0] {
                        true => "expected ',' or ';', found '}', which closes no list here",
                        false => "expected a value or ';', found '}', which closes no list here",
                    };
                    return Err(text.error(at, what));
                }
            }
            b'"' => {
                self.needs_no_list(at, text)?;
                self.content(at, text)?;
                self.open = at;
                self.state = State::String;
                let start = self.rows.as_mut().map_or(0, Rows::begin_string);
                self.string = (at, start);
            }
            b'\'' => {
                self.needs_no_list(at, text)?;
                self.content(at, text)?;
                self.open = at;
                self.state = State::Character;
                if let Some(rows) = &mut self.rows {
                    rows.character();
                    self.room(at, text)?;
                }
            }
            b'/' => {
                self.open = at;
                self.state = State::Slash;
            }
            byte if is_blank(byte) => self.in_word = false,
            byte => {
                self.word(byte, at, text)?;
                // The parenthesis continues the word, as in time("2000-01-01").
                self.wants_comma &= byte != b'(';
                if byte == b'\\' {
                    self.state = State::Escaped;
                }
            }
        }
        Ok(())
    }

    /// Takes a byte of a number or name.
    pub(super) fn word(&mut self, byte: u8, at: u64, text: &Text) -> Result<()> {
        if self.in_word {
            // Only a single `_` may stand for a list.
            return self.needs_no_list(at - 1, text);
        }
        if byte != b'_' {
            self.needs_no_list(at, text)?;
        }
        self.in_word = true;
        self.content(at, text)?;
        if let Some(rows) = &mut self.rows
            && self.level + 1 == self.levels.starts.len()
        {
            if byte == b'_' {
                rows.fill();
            } else {
                rows.character();
            }
            self.room(at, text)?;
        }
        Ok(())
    }

    /// Fails for a value at `at` if a list along an unlimited dimension is expected.
    fn needs_no_list(&self, at: u64, text: &Text) -> Result<()> {
        match self.level + 1 == self.levels.starts.len() {
            true => Ok(()),
            false => Err(text.error(at, LIST_EXPECTED)),
        }
    }

    /// Ends a run of characters, at a brace.
    fn separate(&mut self) {
        if let Some(rows) = &mut self.rows {
            rows.after_character = false;
        }
    }

    /// Notes that a value, or part of one, begins at `at`.
    fn content(&mut self, at: u64, text: &Text) -> Result<()> {
        self.content[self.level] = true;
        self.comma = false;
        if self.wants_comma {
            self.without_comma.get_or_insert(at);
        }
        self.wants_comma = true;
        match self.levels.most {
            Some(most)
                if self.level == 0 && self.braces == 0 && self.counts_items() && self.items[0] >= most =>
            {
                self.too_many("values", most, at, text)
            }
            _ => Ok(()),
        }
    }

    /// True if the items of the first level are counted; false if characters are.
    fn counts_items(&self) -> bool {
        self.rows.is_none() || self.levels.starts.len() > 1
    }

    /// Checks that the characters so far fit. The last of them are from the constant at `at`.
    pub(super) fn room(&mut self, at: u64, text: &Text) -> Result<()> {
        match (&self.rows, self.levels.most) {
            (Some(rows), Some(most)) if self.levels.starts.len() == 1 && rows.length > most => {
                self.too_many("characters", most, at, text)
            }
            _ => Ok(()),
        }
    }

    /// Notes that the constant at `at` exceeds `most`, and leaves the rest out. Fails for a scalar, and if a comma is
    /// missing before: then a statement without `;` runs on into the next one.
    fn too_many(&mut self, what: &str, most: u64, at: u64, text: &Text) -> Result<()> {
        if let Some(at) = self.without_comma {
            return Err(text.error(at, "expected ',' or ';' before this"));
        }
        if self.one_value {
            return Err(text.error(at, format!("too many {what}: there is room for {most}")));
        }
        self.excess.get_or_insert(at);
        Ok(())
    }
}
