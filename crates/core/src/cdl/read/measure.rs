//! The first pass over a list: values are counted and not parsed.
//!
//! Between values, blocks without quotes, braces, comments and the end are passed over by counting their commas, which is as
//! fast as memory. Anything else goes byte by byte through a little machine.

use crate::error::{Error, Result};
use crate::model::{Schema, Type, TypeClass, VarId};

use super::char_array::Rows;
use super::constants::is_blank;
use super::data_list::{Levels, Place};
use super::elements::MAX_DEPTH;
use super::escapes::Digits;
use super::text::{Cursor, Text};
use super::unclosed::unclosed_string;

/// About how many bytes of text lie between two entries of the index.
const SPACING: u64 = 4096;

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// Said where a value stands outside the braces that it belongs in.
pub const LIST_EXPECTED: &str =
    "expected '{': values along an unlimited dimension that is not the first stand in braces";

/// What the first pass finds.
pub struct Measured {
    /// For each level, how many items its longest list has (elements, for the last level).
    pub longest: Vec<u64>,
    /// For each entry of the index: the packed place, and the position in each level.
    pub places: Vec<u64>,
    /// Whether there is no value.
    pub empty: bool,
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
            string: (0, 0),
            open: start,
            start,
            comma: false,
            last_entry: start,
            measured: Measured {
                longest: vec![0; depth],
                places: Vec::new(),
                empty: true,
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

    /// Passes over blocks that hold nothing but numbers, names, blanks and commas.
    fn blocks(&mut self, bytes: &[u8], mut n: usize, base: u64) -> usize {
        let level = self.level;
        if level + 1 < self.levels.starts.len() {
            return n;
        }
        let most = match (level, self.levels.most) {
            (0, Some(most)) => most,
            _ => u64::MAX,
        };
        while let Some(block) = bytes[n..].first_chunk::<BLOCK>() {
            let (special, commas) = look_at(block);
            // Where there may be no room for more, each is looked at.
            if special || self.items[level].saturating_add(commas + 1) >= most {
                break;
            }
            if !self.content[level] {
                self.content[level] = block.iter().any(|b| *b > b' ');
            }
            let at = base + n as u64;
            if at.saturating_sub(self.last_entry) >= SPACING
                && let Some(comma) = block.iter().position(|b| *b == b',')
            {
                let before = self.items[level];
                self.items[level] += 1;
                self.enter(at + comma as u64 + 1, false);
                self.items[level] = before;
            }
            self.items[level] += commas;
            n += BLOCK;
            self.in_word = false;
            self.wants_comma = false;
            self.comma = false;
        }
        n
    }

    /// Passes over bytes of a string up to one that means something.
    fn plain_text(&mut self, bytes: &[u8], mut n: usize, base: u64) -> usize {
        let rest = &bytes[n..];
        let special = rest.iter().position(|b| matches!(b, b'"' | b'\\'));
        let end = n + special.unwrap_or(rest.len());
        if self.rows.is_none() {
            return end;
        }
        while n < end {
            let at = base + n as u64;
            if at.saturating_sub(self.last_entry) >= SPACING {
                self.enter(at, true);
            }
            let step = (end - n).min((self.last_entry + SPACING).saturating_sub(at) as usize);
            n += step;
            if let Some(rows) = &mut self.rows {
                rows.length += step as u64;
            }
        }
        n
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

    /// A byte in or between values.
    fn value(&mut self, byte: u8, at: u64, text: &Text) -> Result<()> {
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
                // As in time("2000-01-01").
                self.wants_comma &= byte != b'(';
                if byte == b'\\' {
                    self.state = State::Escaped;
                }
            }
        }
        Ok(())
    }

    /// A byte of a number or name.
    fn word(&mut self, byte: u8, at: u64, text: &Text) -> Result<()> {
        if self.in_word {
            // Only the one byte `_` may stand for a list.
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

    /// Fails for a value at `at` where a list along an unlimited dimension has to stand.
    fn needs_no_list(&self, at: u64, text: &Text) -> Result<()> {
        match self.level + 1 == self.levels.starts.len() {
            true => Ok(()),
            false => Err(text.error(at, LIST_EXPECTED)),
        }
    }

    /// A brace ends a run of characters.
    fn separate(&mut self) {
        if let Some(rows) = &mut self.rows {
            rows.after_character = false;
        }
    }

    /// Something begins at `at` that is a value, or part of one.
    fn content(&mut self, at: u64, text: &Text) -> Result<()> {
        self.content[self.level] = true;
        self.comma = false;
        if self.wants_comma {
            self.without_comma.get_or_insert(at);
        }
        self.wants_comma = true;
        let counted = self.rows.is_none() || self.levels.starts.len() > 1;
        match self.levels.most {
            Some(most) if self.level == 0 && self.braces == 0 && counted && self.items[0] >= most => {
                Err(self.too_many("values", most, at, text))
            }
            _ => Ok(()),
        }
    }

    /// Fails where the characters so far, the last of which are of the constant at `at`, are too many.
    fn room(&self, at: u64, text: &Text) -> Result<()> {
        match (&self.rows, self.levels.most) {
            (Some(rows), Some(most)) if self.levels.starts.len() == 1 && rows.length > most => {
                Err(self.too_many("characters", most, at, text))
            }
            _ => Ok(()),
        }
    }

    /// There are more than `most`, as the constant at `at` shows; or a statement that has no end goes on with the next one.
    fn too_many(&self, what: &str, most: u64, at: u64, text: &Text) -> Error {
        match self.without_comma {
            Some(at) => text.error(at, "expected ',' or ';' before this"),
            None => text.error(at, format!("too many {what}: there is room for {most}")),
        }
    }

    /// The present list ends.
    fn close(&mut self) {
        let level = self.level;
        let items = self.items[level] + u64::from(self.content[level]);
        let last = level + 1 == self.levels.starts.len();
        let count = match &self.rows {
            Some(rows) if last => rows.length,
            _ => items,
        };
        let longest = &mut self.measured.longest[level];
        *longest = count.max(*longest);
        self.measured.empty &= items == 0;
    }

    fn end(&mut self, at: u64, text: &Text) -> Result<()> {
        if self.level > 0 || self.braces > 0 {
            return Err(text.error(at, "expected ',' or '}', found ';'"));
        }
        self.close();
        Ok(())
    }

    /// Adds an entry to the index.
    fn enter(&mut self, at: u64, in_string: bool) {
        self.last_entry = at;
        let place = Place {
            at,
            level: self.level,
            in_string,
            after_character: self.rows.is_some_and(|rows| rows.after_character),
        };
        let depth = self.items.len();
        self.measured.places.push(place.pack());
        for level in 0..depth {
            let item = match &self.rows {
                _ if level > self.level => 0,
                Some(rows) if level + 1 == depth => rows.length,
                _ => self.items[level],
            };
            self.measured.places.push(item);
        }
    }
}

/// Whether a block has a byte that means something other than a value, and how many commas. Without branches, so that many
/// bytes are compared at once.
fn look_at(block: &[u8; BLOCK]) -> (bool, u64) {
    let (mut special, mut commas) = (0u8, 0u8);
    for byte in *block {
        special |= u8::from(byte == b';')
            | u8::from(byte == b'{')
            | u8::from(byte == b'}')
            | u8::from(byte == b'"')
            | u8::from(byte == b'\'')
            | u8::from(byte == b'/')
            | u8::from(byte == b'\\');
        commas += u8::from(byte == b',');
    }
    (special != 0, u64::from(commas))
}
