//! The first pass over a data list: counts values without parsing them.
//!
//! ```text
//! text ─► pass ─┬─ blocks: skips values and commas, 64 bytes at a time
//!               └─ byte: a state machine, one byte at a time ─► syntax: commas, braces and the beginnings of values
//!                                                                  └─► index: lengths, and a position every 4 KiB
//! ```
//!
//! Blocks without quotes, braces, comments and `;` are skipped by counting their commas, at the speed of memory. All
//! other bytes go through the state machine.

mod blocks;
mod index;
mod syntax;

use crate::error::{Error, Result};
use crate::model::{Schema, Type, TypeClass, VarId};

use super::char_array::Rows;
use super::given::Given;
use super::levels::Levels;
use super::miscount::Miscount;
use crate::cdl::read::constant::escapes::Digits;
use crate::cdl::read::syntax::text::{Cursor, Text};
use crate::cdl::read::syntax::unclosed::unclosed_string;

pub use syntax::LIST_EXPECTED;

/// Result of the first pass over a list.
pub struct Measured {
    /// For each level, the number of items in its longest list. For the last level, items are elements.
    pub longest: Vec<u64>,
    /// For each index entry: the packed place, then the position in each level.
    pub places: Vec<u64>,
    /// True if the list has no value.
    pub empty: bool,
    /// The elements that the list gives.
    pub given: Given,
    /// The values that do not fit and are left out, or those that are missing.
    pub miscount: Option<Miscount>,
    /// The end of the list for the second pass: the comma before the values that do not fit. `None` if it is the `;`.
    pub cut: Option<u64>,
}

/// State of the state machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In or between values.
    Value,
    /// After a backslash in a name.
    Escaped,
    /// After a slash.
    Slash,
    Line,
    Block,
    BlockStar,
    String,
    StringEscape,
    StringDigits(Digits),
    /// After the opening quote of a character.
    Character,
    CharacterEscape,
    CharacterRest,
}

/// The state machine that measures a list.
pub struct Measure<'l> {
    levels: &'l Levels,
    /// True if values of the last level may be in braces.
    braced: bool,
    /// For characters, the rows of the current list.
    rows: Option<Rows>,
    state: State,
    level: usize,
    /// Number of open braces within the last level.
    braces: usize,
    /// Commas passed in the current list of each level.
    items: Vec<u64>,
    /// True if the current list of the level contains anything.
    content: Vec<bool>,
    /// True inside a word without quotes.
    in_word: bool,
    /// True after a value or a closed list: a comma must come before the next value.
    wants_comma: bool,
    /// Position of the first value without a comma before it. It is found reliably only near and after the last item
    /// that fits. Elsewhere the second pass finds it.
    without_comma: Option<u64>,
    /// True for a scalar, which takes one value. netCDF-C accepts no list for it, however it begins.
    one_value: bool,
    /// Position of the comma after the last item that fits.
    full: Option<u64>,
    /// Position of the first item or constant that does not fit.
    excess: Option<u64>,
    /// Position and first element of the current string.
    string: (u64, u64),
    /// Beginning of the open value, comment or quote.
    open: u64,
    /// Beginning of the list.
    start: u64,
    /// True if the last item passed was a comma.
    comma: bool,
    last_entry: u64,
    measured: Measured,
}

impl<'l> Measure<'l> {
    /// A machine for the list of `var` that begins at `start`.
    pub fn new(schema: &Schema, var: VarId, levels: &'l Levels, start: u64) -> Self {
        let ty = schema.var(var).ty;
        let depth = levels.starts.len();
        let braced = match ty {
            Type::User(id) => matches!(
                schema.user_type(id).class,
                TypeClass::Vlen { .. } | TypeClass::Compound { .. }
            ),
            // netCDF-C accepts braces around rows.
            Type::Char => depth == 1,
            _ => false,
        };
        let mut machine = Self {
            levels,
            braced,
            rows: (ty == Type::Char).then(|| Rows::new(levels.row)),
            state: State::Value,
            level: 0,
            braces: 0,
            items: vec![0; depth],
            content: vec![false; depth],
            in_word: false,
            wants_comma: false,
            without_comma: None,
            one_value: schema.var(var).dims.is_empty() && ty != Type::Char,
            full: None,
            excess: None,
            string: (0, 0),
            open: start,
            start,
            comma: false,
            last_entry: start,
            measured: Measured {
                longest: vec![0; depth],
                places: Vec::new(),
                empty: true,
                given: Given::new(depth),
                miscount: None,
                cut: None,
            },
        };
        machine.enter(start, false);
        machine
    }

    /// Passes over the list. The cursor is left on the `;`.
    ///
    /// # Errors
    /// The first error in the list.
    pub fn run(mut self, cursor: &mut Cursor) -> Result<Measured> {
        loop {
            let base = cursor.at();
            let text = cursor.text();
            let window = cursor.window()?;
            if window.is_empty() {
                return Err(self.no_end(text));
            }
            let length = window.len();
            let found = self.pass(window, base, text)?;
            cursor.advance(found.unwrap_or(length));
            if found.is_some() {
                return Ok(self.measured);
            }
        }
    }

    fn no_end(&self, text: &Text) -> Error {
        let what = match self.state {
            State::Block | State::BlockStar => "this comment has no end: expected '*/'",
            State::String | State::StringEscape | State::StringDigits(_) => {
                return unclosed_string(text, self.start, self.open);
            }
            State::Character | State::CharacterEscape | State::CharacterRest => {
                "this character has no end: expected \"'\""
            }
            _ => "these values have no end: expected ';'",
        };
        text.error(self.open, what)
    }

    /// Takes bytes whose position in the text is `base`. Returns the index of the `;` that ends the list.
    fn pass(&mut self, bytes: &[u8], base: u64, text: &Text) -> Result<Option<usize>> {
        let mut n = 0;
        while n < bytes.len() {
            if self.state == State::Value && self.rows.is_none() && self.braces == 0 {
                n = self.blocks(bytes, n, base);
            } else if self.state == State::String {
                n = self.plain_text(bytes, n, base);
            }
            let Some(byte) = bytes.get(n) else { break };
            let at = base + n as u64;
            if *byte == b';' && matches!(self.state, State::Value | State::Slash) {
                self.end(at, text)?;
                return Ok(Some(n));
            }
            self.byte(*byte, at, text)?;
            n += 1;
        }
        Ok(None)
    }

    fn byte(&mut self, byte: u8, at: u64, text: &Text) -> Result<()> {
        match self.state {
            State::Value => return self.value(byte, at, text),
            State::Escaped => self.state = State::Value,
            State::Slash => match byte {
                b'/' => self.state = State::Line,
                b'*' => self.state = State::Block,
                _ => {
                    // The slash begins a path.
                    self.state = State::Value;
                    self.word(b'/', at - 1, text)?;
                    return self.value(byte, at, text);
                }
            },
            State::Line if byte == b'\n' => self.state = State::Value,
            State::Block if byte == b'*' => self.state = State::BlockStar,
            State::BlockStar => match byte {
                b'/' => self.state = State::Value,
                b'*' => {}
                _ => self.state = State::Block,
            },
            State::String => self.in_string(byte, text)?,
            State::StringEscape => {
                self.state = Digits::after(byte).map_or(State::String, State::StringDigits);
            }
            State::StringDigits(digits) => match digits.next(byte) {
                Some(next) => self.state = next.map_or(State::String, State::StringDigits),
                None => {
                    self.state = State::String;
                    self.in_string(byte, text)?;
                }
            },
            State::Character if byte == b'\\' => self.state = State::CharacterEscape,
            State::Character | State::CharacterEscape => self.state = State::CharacterRest,
            State::CharacterRest if byte == b'\'' => self.state = State::Value,
            State::CharacterRest if byte == b'\n' => {
                return Err(text.error(self.open, "this character has no end: expected \"'\""));
            }
            State::Line | State::Block | State::CharacterRest => {}
        }
        Ok(())
    }

    fn in_string(&mut self, byte: u8, text: &Text) -> Result<()> {
        match byte {
            b'"' => {
                self.state = State::Value;
                let (open, start) = self.string;
                if let Some(rows) = &mut self.rows {
                    rows.end_string(start);
                    self.room(open, text)?;
                }
            }
            _ => {
                if let Some(rows) = &mut self.rows {
                    rows.length += 1;
                }
                if byte == b'\\' {
                    self.state = State::StringEscape;
                }
            }
        }
        Ok(())
    }
}
