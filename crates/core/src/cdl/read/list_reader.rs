//! The second pass over a list: any of its elements, by their place.
//!
//! ```text
//! elements first..last ─► index: the windows of text they stand in ─► walk each: pass over what comes before, parse, fill gaps
//! ```
//!
//! A window begins and ends at entries of the index, so it can be walked without knowing what is around it.

use crate::error::Result;
use crate::model::{Type, Values};

use super::char_array::{Rows, character};
use super::constants::{Constant, Lexer, is_blank};
use super::data_list::{DataList, Entry};
use super::elements::Elements;
use super::escapes::escape;
use super::measure::LIST_EXPECTED;
use super::number;
use super::text::Text;

/// About how many bytes of text are walked at once.
const WINDOW: u64 = 256 << 10;

/// Numbers that are parsed at once where they are only checked.
const CHECKED: usize = 1024;

/// Reads the elements of one variable's list.
#[derive(Clone, Copy)]
pub struct ListReader<'r> {
    /// The text.
    pub text: &'r Text,
    /// The variable's list.
    pub list: &'r DataList,
    /// Parses elements.
    pub elements: Elements<'r>,
    /// The type of the variable.
    pub ty: Type,
    /// Its fill value; `None` for that of the type.
    pub fill: Option<&'r Values>,
    /// Elements of a row of characters.
    pub row: u64,
}

/// Part of a list's text.
struct Window<'e> {
    entry: &'e Entry,
    end: u64,
    /// Whether the list ends there too.
    last: bool,
}

/// Which elements are wanted, and where they go.
struct Target<'o> {
    first: u64,
    last: u64,
    /// The first that has not been written.
    next: u64,
    /// `None` where they are only checked.
    out: Option<&'o mut [u8]>,
    heap: &'o mut Vec<u8>,
    scratch: Vec<u8>,
}

/// What was passed last in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passed {
    Nothing,
    Value,
    Comma,
}

/// Where a walk is: the level, and the position in each.
struct Position {
    level: usize,
    at: Vec<u64>,
    sizes: Vec<u64>,
}

impl Position {
    fn new(list: &DataList, entry: &Entry) -> Self {
        let sizes = list.level_sizes();
        let mut at = vec![0; sizes.len()];
        let mut rest = entry.element;
        for (at, size) in at.iter_mut().zip(&sizes).skip(1).rev() {
            *at = rest % (*size).max(1);
            rest /= (*size).max(1);
        }
        at[0] = rest;
        Self {
            level: entry.place().level.min(sizes.len() - 1),
            at,
            sizes,
        }
    }

    fn is_last(&self) -> bool {
        self.level + 1 == self.sizes.len()
    }

    /// The element that is here, or begins here.
    fn element(&self) -> u64 {
        self.at
            .iter()
            .zip(&self.sizes)
            .fold(0u64, |n, (at, size)| n.saturating_mul(*size).saturating_add(*at))
    }

    fn open(&mut self) {
        self.level += 1;
        self.at[self.level] = 0;
    }

    fn close(&mut self) {
        self.at[self.level] = 0;
        self.level -= 1;
    }
}

impl<'r> ListReader<'r> {
    /// Parses as many elements as `out` holds, from element `first` on of the variable's own extent in C order. What the list
    /// does not give is fill.
    ///
    /// # Errors
    /// What is wrong in the text, at its place.
    pub fn read(&self, first: u64, out: &mut [u8], heap: &mut Vec<u8>) -> Result<()> {
        let size = self.elements.schema.type_size(self.ty);
        let Some(count) = out.len().checked_div(size).filter(|n| *n > 0) else {
            return Ok(());
        };
        if self.ty == Type::Char {
            out.fill(self.fill_byte());
        }
        let last = first + count as u64;
        let mut target = Target {
            first,
            last,
            next: first,
            out: Some(out),
            heap,
            scratch: Vec::new(),
        };
        let index = &self.list.index;
        let from = index.partition_point(|e| e.element <= first).saturating_sub(1);
        let end = index.partition_point(|e| e.element < last).max(from + 1);
        let mut at = from;
        while at < end && !self.list.empty {
            let window = self.window(at, end);
            at = window.1;
            self.walk(&window.0, &mut target)?;
        }
        if self.ty != Type::Char {
            self.fill_up(&mut target, last, size);
        }
        Ok(())
    }

    /// The windows of the list, as ranges of the index: what [`ListReader::check`] takes.
    pub fn windows(&self) -> impl Iterator<Item = usize> + use<> {
        let index: Vec<u64> = self.list.index.iter().map(|e| e.place().at).collect();
        let mut next = 0;
        let empty = self.list.empty;
        std::iter::from_fn(move || {
            let at = next;
            let start = *index.get(at).filter(|_| !empty)?;
            next = at + 1;
            while index.get(next).is_some_and(|end| end - start < WINDOW) {
                next += 1;
            }
            Some(at)
        })
    }

    /// Parses the window that begins at an entry of the index, without keeping anything.
    ///
    /// # Errors
    /// What is wrong in the text, at its place.
    pub fn check(&self, entry: usize) -> Result<()> {
        let window = self.window(entry, self.list.index.len()).0;
        let size = self.elements.schema.type_size(self.ty);
        let mut heap = Vec::new();
        let mut target = Target {
            first: window.entry.element,
            last: u64::MAX,
            next: window.entry.element,
            out: None,
            heap: &mut heap,
            scratch: Vec::new(),
        };
        let room = if number::is_number(self.ty) {
            size * CHECKED
        } else {
            size
        };
        crate::chunk::resize(&mut target.scratch, room)?;
        self.walk(&window, &mut target)
    }

    /// The window from entry `at` on, and the entry that it ends at; not beyond entry `end`.
    fn window(&self, at: usize, end: usize) -> (Window<'r>, usize) {
        let index = &self.list.index;
        let entry = &index[at];
        let start = entry.place().at;
        let mut next = at + 1;
        while next < end && index[next].place().at - start < WINDOW {
            next += 1;
        }
        let following = index.get(next).map(|e| e.place().at);
        let window = Window {
            entry,
            end: following.unwrap_or(self.list.end),
            last: following.is_none(),
        };
        (window, next)
    }

    fn walk(&self, window: &Window, target: &mut Target) -> Result<()> {
        let start = window.entry.place().at;
        let length = usize::try_from(window.end.saturating_sub(start)).unwrap_or(usize::MAX);
        let bytes = self.text.bytes(start, length)?;
        let mut lexer = Lexer::new(self.text, &bytes, start);
        if self.ty == Type::Char {
            self.walk_characters(&mut lexer, window, target)
        } else {
            self.walk_values(&mut lexer, window, target)
        }
    }

    /// What was passed before a window.
    fn passed_before(&self, window: &Window) -> Passed {
        if window.entry.place().at == self.list.start {
            Passed::Nothing
        } else {
            Passed::Comma
        }
    }

    /// Takes a comma or brace between values. `true` where one was taken, `false` where a value is next; `None` at the end.
    fn between(
        &self,
        lexer: &mut Lexer,
        window: &Window,
        position: &mut Position,
        passed: &mut Passed,
    ) -> Result<Option<bool>> {
        let next = lexer.peek()?;
        let wrong = match (next, *passed) {
            (None, Passed::Comma) => window.last,
            (Some(b',' | b'}'), Passed::Comma) | (Some(b','), Passed::Nothing) => true,
            _ => false,
        };
        if wrong {
            return Err(lexer.expected("a value"));
        }
        match next {
            None => return Ok(None),
            Some(b',') => {
                *passed = Passed::Comma;
                position.at[position.level] += 1;
            }
            Some(b'}') if position.level > 0 => {
                position.close();
                *passed = Passed::Value;
            }
            Some(_) if *passed == Passed::Value => {
                return Err(lexer.expected(match position.level {
                    0 => "',' or ';'",
                    _ => "',' or '}'",
                }));
            }
            Some(b'{') if !position.is_last() => {
                position.open();
                *passed = Passed::Nothing;
            }
            Some(_) if !position.is_last() => {
                let start = lexer.at;
                if !matches!(lexer.constant()?, Constant::Fill) {
                    return Err(lexer.error(start, LIST_EXPECTED));
                }
                *passed = Passed::Value;
                return Ok(Some(true));
            }
            Some(_) => return Ok(Some(false)),
        }
        lexer.at += 1;
        Ok(Some(true))
    }

    fn walk_values(&self, lexer: &mut Lexer, window: &Window, target: &mut Target) -> Result<()> {
        let size = self.elements.schema.type_size(self.ty);
        let numbers = number::is_number(self.ty);
        let mut position = Position::new(self.list, window.entry);
        let mut passed = self.passed_before(window);
        loop {
            match self.between(lexer, window, &mut position, &mut passed)? {
                None => return Ok(()),
                Some(true) => continue,
                Some(false) => {}
            }
            let element = position.element();
            let last = position.sizes.len() - 1;
            if element >= target.last {
                return Ok(());
            }
            if element < target.first {
                let skipped = skip(lexer, target.first - element, &mut passed)?;
                position.at[last] += skipped;
                continue;
            }
            self.fill_up(target, element, size);
            let heap_before = target.heap.len();
            let checked = target.out.is_none();
            let room = match &mut target.out {
                Some(out) => &mut out[(element - target.first) as usize * size..],
                None => &mut target.scratch[..],
            };
            // A list does not go on in the next one's elements.
            let most = position.sizes[last].saturating_sub(position.at[last]);
            let most = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(size);
            let room = if most < room.len() {
                &mut room[..most]
            } else {
                room
            };
            if numbers {
                let run = number::run(self.ty, lexer.bytes(), lexer.at, room);
                if run.count > 0 {
                    lexer.at = run.at;
                    target.next = element + run.count as u64;
                    position.at[last] += run.count as u64 - u64::from(run.after_value);
                    passed = if run.after_value {
                        Passed::Value
                    } else {
                        Passed::Comma
                    };
                    continue;
                }
            }
            let Some(room) = room.get_mut(..size) else {
                return Err(lexer.error(lexer.at, "too many values"));
            };
            self.elements
                .element(lexer, self.ty, self.fill, room, target.heap)?;
            if checked {
                target.heap.truncate(heap_before);
            }
            target.next = element + 1;
            passed = Passed::Value;
        }
    }

    /// Fills the elements before `element` that no value was given for.
    fn fill_up(&self, target: &mut Target, element: u64, size: usize) {
        let Some(out) = &mut target.out else { return };
        let (from, to) = (target.next.max(target.first), element.min(target.last));
        if from >= to {
            return;
        }
        let bytes = (from - target.first) as usize * size..(to - target.first) as usize * size;
        let gap = &mut out[bytes];
        if self.elements.schema.has_heap(self.ty) {
            for element in gap.chunks_exact_mut(size) {
                self.elements.fill_with(self.ty, self.fill, element, target.heap);
            }
        } else {
            let mut value = vec![0; size];
            self.elements
                .fill_with(self.ty, self.fill, &mut value, target.heap);
            crate::chunk::fill_pattern(gap, &value);
        }
        target.next = to;
    }

    fn fill_byte(&self) -> u8 {
        self.fill
            .and_then(|fill| fill.bytes.first())
            .copied()
            .unwrap_or(0)
    }

    fn walk_characters(&self, lexer: &mut Lexer, window: &Window, target: &mut Target) -> Result<()> {
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
            // Around rows of a flat list braces mean nothing; the first pass has counted them.
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
            match self.between(lexer, window, &mut position, &mut passed)? {
                None => return Ok(()),
                Some(true) => {
                    if position.level > level {
                        rows = Rows {
                            length: position.element(),
                            ..Rows::new(self.row)
                        };
                    }
                    continue;
                }
                Some(false) => {}
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
            put(target, at, &[byte]);
        }
    }
}

/// Takes the rest of a string, which begins at element `length`, and its quote; `false` where the window ends before.
fn string(lexer: &mut Lexer, length: &mut u64, target: &mut Target) -> bool {
    loop {
        let rest = lexer.rest();
        let plain = rest
            .iter()
            .position(|b| matches!(b, b'"' | b'\\'))
            .unwrap_or(rest.len());
        put(target, *length, &rest[..plain]);
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
                put(target, *length, &[byte]);
                *length += 1;
                lexer.at += 1 + escaped;
            }
        }
    }
}

/// Puts characters that begin at element `at` where they belong, as far as they are wanted.
fn put(target: &mut Target, at: u64, bytes: &[u8]) {
    let Some(out) = &mut target.out else { return };
    let from = at.max(target.first);
    let to = (at + bytes.len() as u64).min(target.last);
    if from < to {
        let part = &bytes[(from - at) as usize..(to - at) as usize];
        let start = (from - target.first) as usize;
        out[start..start + part.len()].copy_from_slice(part);
    }
}

/// Passes over `count` values and the commas behind them, or as many as there are before the list's end. Says how many commas.
fn skip(lexer: &mut Lexer, count: u64, passed: &mut Passed) -> Result<u64> {
    let mut skipped = 0;
    let bytes = lexer.bytes();
    let mut braces = 0usize;
    while let Some(byte) = bytes.get(lexer.at) {
        match byte {
            b',' if braces == 0 => {
                *passed = Passed::Comma;
                skipped += 1;
                lexer.at += 1;
                if skipped == count {
                    return Ok(skipped);
                }
                continue;
            }
            b'}' if braces == 0 => return Ok(skipped),
            b'{' => braces += 1,
            b'}' => braces -= 1,
            b'"' | b'\'' => {
                lexer.constant()?;
                *passed = Passed::Value;
                continue;
            }
            b'/' => {
                let before = lexer.at;
                lexer.peek()?;
                if lexer.at > before {
                    continue;
                }
            }
            b'\\' => lexer.at += 1,
            byte if is_blank(*byte) => {
                lexer.at += 1;
                continue;
            }
            _ => {}
        }
        *passed = Passed::Value;
        lexer.at += 1;
    }
    Ok(skipped)
}
