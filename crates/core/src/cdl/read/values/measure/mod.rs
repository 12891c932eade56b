//! The first pass over a list: values are counted and not parsed.
//!
//! ```text
//! text ─► pass ─┬─ blocks: up to the next byte that is more than part of a value or a comma, many at a time
//!               └─ byte: a little machine, one byte at a time ─► syntax: commas, braces and what begins a value
//!                                                                  └─► index: what was counted, and every 4 KiB where
//! ```
//!
//! Between values, blocks without quotes, braces, comments and the end are passed over by counting their commas, which is as
//! fast as memory. Anything else goes byte by byte through a little machine.

mod blocks;
mod index;
mod syntax;

use crate::error::{Error, Result};
use crate::model::{Schema, Type, TypeClass, VarId};

use super::char_array::Rows;
use super::excess::Excess;
use super::given::Given;
use super::levels::Levels;
use crate::cdl::read::constant::escapes::Digits;
use crate::cdl::read::syntax::text::{Cursor, Text};
use crate::cdl::read::syntax::unclosed::unclosed_string;

pub use syntax::LIST_EXPECTED;

/// What the first pass finds.
pub struct Measured {
    /// For each level, how many items its longest list has (elements, for the last level).
    pub longest: Vec<u64>,
    /// For each entry of the index: the packed place, and the position in each level.
    pub places: Vec<u64>,
    /// Whether there is no value.
    pub empty: bool,
    /// Which elements there are.
    pub given: Given,
    /// What there is no room for, and is left out.
    pub excess: Option<Excess>,
    /// Where the list ends for those who parse it: at the comma before what is left out. `None`: at its `;`.
    pub cut: Option<u64>,
}

/// Where in a list the machine is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In or between values.
    Value,
    /// Behind a backslash in a name.
    Escaped,
    /// Behind a slash.
    Slash,
    Line,
    Block,
    BlockStar,
    String,
    StringEscape,
    StringDigits(Digits),
    /// Behind the quote of a character.
    Character,
    CharacterEscape,
    CharacterRest,
}

/// The machine.
pub struct Measure<'l> {
    levels: &'l Levels,
    /// Whether values of the last level may stand in braces.
    braced: bool,
    /// For characters, the rows of the present list.
    rows: Option<Rows>,
    state: State,
    level: usize,
    /// Braces within the last level.
    braces: usize,
    /// Commas passed in the present list of each level.
    items: Vec<u64>,
    /// Whether the present list of each level has anything in it.
    content: Vec<bool>,
    /// Whether a bare word has begun.
    in_word: bool,
    /// Whether a value, or the end of a list, is behind which a comma has to come before the next.
    wants_comma: bool,
    /// Where the first value stands that has no comma before it. Only where there are then too many is it certain to have
    /// been looked for; otherwise whoever parses the values finds it.
    without_comma: Option<u64>,
    /// Whether it is one value that is wanted: netCDF-C takes no list for it, however it begins.
    one_value: bool,
    /// Where the comma stands behind the last item that there is room for.
    full: Option<u64>,
    /// Where the first item or constant stands that there is no room for.
    excess: Option<u64>,
    /// Where the present string begins, and at which element.
    string: (u64, u64),
    /// Where the value, comment or quote that is open begins.
    open: u64,
    /// Where the list begins.
    start: u64,
    /// Whether a comma is the last thing that was passed.
    comma: bool,
    last_entry: u64,
    measured: Measured,
}

impl<'l> Measure<'l> {
    /// For the list of `var` that begins at `start`.
    pub fn new(schema: &Schema, var: VarId, levels: &'l Levels, start: u64) -> Self {
        let ty = schema.var(var).ty;
        let depth = levels.starts.len();
        let braced = match ty {
            Type::User(id) => matches!(
                schema.user_type(id).class,
                TypeClass::Vlen { .. } | TypeClass::Compound { .. }
            ),
            // netCDF-C lets braces stand around rows.
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
                excess: None,
                cut: None,
            },
        };
        machine.enter(start, false);
        machine
    }

    /// Passes over the list; the cursor is left on the `;`.
    ///
    /// # Errors
    /// The first thing that is wrong.
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

    /// Takes bytes that stand at `base`. Says where the `;` is that ends the list.
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
                    // It begins the path of a name.
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
