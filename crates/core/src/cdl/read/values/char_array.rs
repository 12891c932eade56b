//! How strings and characters become the elements of a `char` array, as netCDF's ncgen has it.
//!
//! Each string begins a new row of the array and is filled up to whole rows; characters that follow each other are one string.
//! A row is as long as the last dimension, but 1 where that is unlimited, the only one, or there is none: then strings
//! are put together without gaps, and an empty one is one fill value.

use crate::error::Result;

use super::excess::{Excess, Unit};
use crate::cdl::read::constant::escapes::unescape_string;
use crate::cdl::read::constant::lexer::{Constant, Lexer};

/// Why `_` is no value of an attribute.
pub const NO_FILL_VALUE: &str = "an attribute has no fill value that _ could mean";

/// Where the next constant of a list begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Elements of a row; 0 where there are no rows, and an empty string is nothing.
    pub row: u64,
    /// Elements so far.
    pub length: u64,
    /// Whether the constant before was a character.
    pub after_character: bool,
}

impl Rows {
    /// No elements yet.
    pub fn new(row: u64) -> Self {
        Self {
            row: row.max(1),
            length: 0,
            after_character: false,
        }
    }

    fn new_row(&mut self) {
        let over = self.length.checked_rem(self.row).unwrap_or(0);
        if over > 0 {
            self.length = self.length.saturating_add(self.row - over);
        }
    }

    /// A string begins; says at which element.
    pub fn begin_string(&mut self) -> u64 {
        self.new_row();
        self.after_character = false;
        self.length
    }

    /// The string that began at element `start` ends.
    pub fn end_string(&mut self, start: u64) {
        if self.length == start {
            self.length = self.length.saturating_add(self.row);
        }
    }

    /// A character; says which element it is.
    pub fn character(&mut self) -> u64 {
        if !self.after_character {
            self.new_row();
        }
        self.after_character = true;
        self.length = self.length.saturating_add(1);
        self.length - 1
    }

    /// A fill value; says which element it is. It fills a row.
    pub fn fill(&mut self) -> u64 {
        let start = self.begin_string();
        self.length = self.length.saturating_add(1);
        start
    }
}

/// What [`text`] finds.
#[derive(Debug)]
pub struct CharText {
    /// The characters that there is room for.
    pub bytes: Vec<u8>,
    /// Those that there is none for.
    pub excess: Option<Excess>,
}

/// The text of a `char` array field, an attribute or a sequence: all constants of a list, which may be in braces, up to the
/// end of the piece or the brace that closes what is around. A `row` of 0: strings are put together, and an empty one is nothing.
/// Without a `fill` a `_` means nothing.
///
/// # Errors
/// A constant that is not text; a `_` where there is no `fill`.
pub fn text(lexer: &mut Lexer, row: u64, most: Option<usize>, fill: Option<u8>) -> Result<CharText> {
    let padding = fill.unwrap_or(0);
    let mut out = Vec::new();
    let mut first_excess = None;
    let mut rows = Rows {
        row,
        ..Rows::new(row)
    };
    let mut braces = 0usize;
    let mut after_value = false;
    loop {
        let next = lexer.peek()?;
        let start = lexer.at;
        match next {
            Some(b'{') if !after_value => {
                braces += 1;
                if braces > super::elements::MAX_DEPTH {
                    return Err(lexer.error(start, "too many braces in each other"));
                }
                lexer.at += 1;
                rows.after_character = false;
                continue;
            }
            Some(b'}') if braces > 0 => {
                braces -= 1;
                lexer.at += 1;
                rows.after_character = false;
                after_value = true;
                continue;
            }
            None | Some(b'}' | b';') if braces == 0 => {
                let room = most.map_or(u64::MAX, |most| most as u64);
                let excess = first_excess.map(|at| Excess {
                    at: lexer.place(at),
                    unit: Unit::Characters,
                    room,
                    left_out: rows.length.saturating_sub(room),
                });
                return Ok(CharText { bytes: out, excess });
            }
            Some(b',') if after_value => {
                lexer.at += 1;
                after_value = false;
                if matches!(lexer.peek()?, None | Some(b'}')) {
                    return Err(lexer.expected("a value"));
                }
                continue;
            }
            Some(_) if after_value => return Err(lexer.expected("','")),
            _ => {}
        }
        after_value = true;
        let constant = lexer.constant()?;
        if first_excess.is_some() {
            // Only counted: nothing of it is kept.
            match constant {
                Constant::String(spelled) => {
                    let from = rows.begin_string();
                    let mut text = Vec::new();
                    unescape_string(spelled, &mut text);
                    rows.length = from.saturating_add(text.len() as u64);
                    rows.end_string(from);
                }
                Constant::Fill => drop(rows.fill()),
                _ => {
                    character(&constant).map_err(|what| lexer.error(start, what))?;
                    rows.character();
                }
            }
            continue;
        }
        let from = match constant {
            Constant::String(spelled) => {
                let from = rows.begin_string();
                out.resize(position(from), padding);
                unescape_string(spelled, &mut out);
                rows.length = out.len() as u64;
                rows.end_string(from);
                from
            }
            Constant::Fill if fill.is_none() => return Err(lexer.error(start, NO_FILL_VALUE)),
            Constant::Fill => rows.fill(),
            _ => {
                let byte = character(&constant).map_err(|what| lexer.error(start, what))?;
                let at = rows.character();
                out.resize(position(at), padding);
                out.push(byte);
                at
            }
        };
        if most.is_some_and(|most| rows.length > most as u64 && (out.len() > most || position(from) >= most))
        {
            first_excess = Some(start);
            out.truncate(most.unwrap_or_default());
            continue;
        }
        // What ends a string's last row is added when another begins.
        if matches!(constant, Constant::Fill) {
            out.resize(position(rows.length), padding);
        }
    }
}

fn position(element: u64) -> usize {
    usize::try_from(element).unwrap_or(usize::MAX)
}

/// The byte that a constant which is no string is in a `char` array.
///
/// # Errors
/// That it is no text, for people.
pub fn character(constant: &Constant) -> Result<u8, String> {
    match constant {
        Constant::Character(byte) => Ok(*byte),
        Constant::Integer(integer)
            if matches!(integer.ty, crate::model::Type::Byte | crate::model::Type::UByte) =>
        {
            Ok(integer.value as u8)
        }
        other => Err(format!(
            "expected a string or a character, and this is {}",
            other.kind()
        )),
    }
}
