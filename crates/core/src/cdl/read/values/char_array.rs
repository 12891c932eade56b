//! Converts strings and characters to the elements of a `char` array, by the rules of netCDF's ncgen.
//!
//! Each string begins a new row, and is padded to whole rows. Consecutive characters count as one string. A row is as
//! long as the last dimension. It is 1 long if the last dimension is unlimited or the only one, or if there is none.
//! Then strings are concatenated without gaps, and an empty one is one fill value.

use crate::error::Result;

use super::depth::MAX_DEPTH;
use super::miscount::{Amount, Miscount, Unit};
use crate::cdl::read::constant::escapes::unescape_string;
use crate::cdl::read::constant::lexer::{Constant, Lexer};

/// Message for `_` among the values of an attribute.
pub const NO_FILL_VALUE: &str = "an attribute has no fill value that _ could mean";

/// Counts the elements of a `char` array, to find where the next constant begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Elements per row; 0 if there are no rows, and an empty string adds nothing.
    pub row: u64,
    /// Elements so far.
    pub length: u64,
    /// True if the previous constant was a character.
    pub after_character: bool,
}

impl Rows {
    /// Starts without elements.
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

    /// Begins a string, and returns its first element.
    pub fn begin_string(&mut self) -> u64 {
        self.new_row();
        self.after_character = false;
        self.length
    }

    /// Ends the string that began at element `start`. An empty string takes a row.
    pub fn end_string(&mut self, start: u64) {
        if self.length == start {
            self.length = self.length.saturating_add(self.row);
        }
    }

    /// Adds a character, and returns its element.
    pub fn character(&mut self) -> u64 {
        if !self.after_character {
            self.new_row();
        }
        self.after_character = true;
        self.length = self.length.saturating_add(1);
        self.length - 1
    }

    /// Adds a fill value, and returns its element. It takes a row.
    pub fn fill(&mut self) -> u64 {
        let start = self.begin_string();
        self.length = self.length.saturating_add(1);
        start
    }
}

/// Result of [`text`].
#[derive(Debug)]
pub struct CharText {
    /// The characters that fit.
    pub bytes: Vec<u8>,
    /// The characters that do not fit.
    pub excess: Option<Miscount>,
}

/// Parses the text of an attribute, a sequence or a `char` array field: all constants of a list, with or without
/// braces, up to the end of the piece or an outer brace. With a `row` of 0, strings are concatenated and an empty one
/// adds nothing. `fill` is the value of `_`.
///
/// # Errors
/// A constant that is not text, or a `_` without `fill`.
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
                if braces > MAX_DEPTH {
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
                let excess = first_excess.map(|at| Miscount {
                    at: lexer.place(at),
                    unit: Unit::Characters,
                    room,
                    amount: Amount::LeftOut(rows.length.saturating_sub(room)),
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
            // Only count the constants that do not fit.
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
        // The last row of a string is padded when the next string begins.
        if matches!(constant, Constant::Fill) {
            out.resize(position(rows.length), padding);
        }
    }
}

fn position(element: u64) -> usize {
    usize::try_from(element).unwrap_or(usize::MAX)
}

/// The byte of a constant other than a string in a `char` array.
///
/// # Errors
/// The message that the constant is not text.
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
