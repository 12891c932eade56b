//! The second pass over a data list: parses any range of its elements.
//!
//! ```text
//! elements first..last ─► index: the windows of text they stand in ─► walk each: pass over what comes before, parse, fill gaps
//!                                                                       ├─ values: of numbers, whole runs at once
//!                                                                       └─ characters: rows of a `char` array
//! ```
//!
//! Windows begin and end at entries of the index, so each can be parsed without the text around it.

mod characters;
mod position;
mod values;
mod wanted_values;

use crate::error::Result;
use crate::model::{Type, Values};

use super::data_list::DataList;
use super::elements::Elements;
use super::entry::ListEntry;
use crate::cdl::read::constant::lexer::Lexer;
use crate::cdl::read::syntax::text::Text;
use position::Passed;
use wanted_values::WantedValues;

/// Approximate size of a window, in bytes of text.
const WINDOW: u64 = 256 << 10;

/// Numbers parsed at once when values are only checked.
const CHECKED: usize = 1024;

/// Parses elements of one variable's data list.
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
    /// Its fill value; `None` for the type's default.
    pub fill: Option<&'r Values>,
    /// Elements per row of characters.
    pub row: u64,
}

/// A part of a list's text.
struct Window<'e> {
    entry: &'e ListEntry,
    end: u64,
    /// True if the list ends at `end`.
    last: bool,
}

impl<'r> ListReader<'r> {
    /// Parses as many elements as `out` holds, from element `first` on, in C order over the variable's own extent.
    /// Elements that the list does not give are filled.
    ///
    /// # Errors
    /// [`crate::error::Error::Cdl`] at the first error in the text.
    pub fn read(&self, first: u64, out: &mut [u8], heap: &mut Vec<u8>) -> Result<()> {
        let size = self.elements.schema.type_size(self.ty);
        let Some(count) = out.len().checked_div(size).filter(|n| *n > 0) else {
            return Ok(());
        };
        if self.ty == Type::Char {
            out.fill(self.fill_byte());
        }
        let last = first + count as u64;
        let mut target = WantedValues {
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

    /// The windows of the list, each as the number of its first index entry, for [`ListReader::check`].
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

    /// Parses the window that begins at an index entry, and keeps nothing.
    ///
    /// # Errors
    /// [`crate::error::Error::Cdl`] at the first error in the text.
    pub fn check(&self, entry: usize) -> Result<()> {
        let window = self.window(entry, self.list.index.len()).0;
        let size = self.elements.schema.type_size(self.ty);
        let mut heap = Vec::new();
        let mut target = WantedValues {
            first: window.entry.element,
            last: u64::MAX,
            next: window.entry.element,
            out: None,
            heap: &mut heap,
            scratch: Vec::new(),
        };
        let room = if self.ty.is_number() { size * CHECKED } else { size };
        crate::chunk::resize(&mut target.scratch, room)?;
        self.walk(&window, &mut target)
    }

    /// The window that begins at entry `at`, and the entry at its end, which is at most `end`.
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

    fn walk(&self, window: &Window, target: &mut WantedValues) -> Result<()> {
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

    /// The last item before a window.
    fn passed_before(&self, window: &Window) -> Passed {
        if window.entry.place().at == self.list.start {
            Passed::Nothing
        } else {
            Passed::Comma
        }
    }

    fn fill_byte(&self) -> u8 {
        self.fill
            .and_then(|fill| fill.bytes.first())
            .copied()
            .unwrap_or(0)
    }
}
