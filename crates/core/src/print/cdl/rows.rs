//! The layout of a variable's values in lines: rows, braces and annotations.
//!
//! A row is the elements along the last dimension. Pieces of text are made by many threads at once. Each is
//! laid out as far as possible without the pieces before it, that is, from the start of its first row. The
//! text before that belongs to a row of an earlier piece, and [`Joined`](super::joined::Joined) wraps it.
//!
//! ```text
//! piece:  ... 7, 8, 9,│ 10, 11, 12,│ 13, 14 ...
//!             head    │        text
//! ```

use std::ops::Range;

use super::annotations::{push_element_annotation, push_row_annotation};
use super::item::ItemFormat;
use super::joined::{Head, NUL, RowsPart, Then};
use super::lines::fits;
use crate::format::Region;
use crate::model::Values;
use crate::print::Annotations;
use crate::print::LineLength;
use crate::print::char_row::push_char;
use crate::stream::{Format, position};

/// The characters of a row that are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Characters {
    /// All characters.
    All,
    /// All characters except trailing NULs.
    WithoutPadding,
}

/// The layout of one variable.
pub struct RowLayout<'a> {
    /// The name in CDL's spelling.
    pub name: &'a [u8],
    /// Lengths of the dimensions.
    pub shape: &'a [u64],
    /// Dimensions whose values are in braces: unlimited ones, except the first dimension.
    pub braced: Vec<usize>,
    /// The format of an element.
    pub item: ItemFormat<'a>,
    /// If rows are strings of characters, the characters that are printed.
    pub characters: Option<Characters>,
    /// Comments with the indices of rows or elements.
    pub annotations: Annotations,
    /// Length of a line.
    pub line_length: LineLength,
    /// Indentation of the group, in columns.
    pub indent: usize,
    /// Column at which the first row starts.
    pub first_column: usize,
}

impl Format for RowLayout<'_> {
    type Piece = RowsPart;

    fn piece(&self, region: &Region, values: &Values, range: Range<usize>) -> RowsPart {
        let size = self.item.size();
        let bytes = &values.bytes[range.start * size..range.end * size];
        let mut at = position(region, range.start);
        let row_length = self.shape.last().copied().unwrap_or(1);
        let mut out = self.begin(&at);
        // Most numbers take no more. Growing would copy the text again and again.
        out.text.reserve(3 * bytes.len());
        let mut done = 0;
        let total = range.len();
        while done < total {
            let before = at.last().copied().unwrap_or(0);
            if before == 0 {
                self.begin_row(&mut out, &at);
            }
            let count = (row_length - before).min((total - done) as u64) as usize;
            let ends = before + count as u64 == row_length;
            let part = &bytes[done * size..(done + count) * size];
            match self.characters {
                Some(which) => out.characters(part, which == Characters::All),
                None => self.items(&mut out, part, values, ends, &at),
            }
            if let Some(last) = at.last_mut() {
                *last = before + count as u64 - 1;
            }
            if ends {
                self.end_row(&mut out, &at);
            }
            done += count;
            advance(&mut at, self.shape);
        }
        out.finish()
    }

    /// Trailing NULs of a row are not printed.
    fn passes_over_zeros(&self) -> bool {
        self.characters == Some(Characters::WithoutPadding)
    }

    fn zeros(&self, start: &[u64], count: u64) -> RowsPart {
        let mut at = start.to_vec();
        let mut out = self.begin(&at);
        let before = at.last().copied().unwrap_or(0);
        if before == 0 {
            self.begin_row(&mut out, &at);
        }
        out.nuls = count;
        if let Some(last) = at.last_mut() {
            *last = before + count - 1;
        }
        if self.shape.last().is_none_or(|length| before + count == *length) {
            self.end_row(&mut out, &at);
        }
        out.finish()
    }
}

impl RowLayout<'_> {
    /// Starts a piece whose first element is `at`.
    fn begin(&self, at: &[u64]) -> RowsText {
        let first = at.iter().all(|at| *at == 0);
        let mut out = RowsText::new(self, if first { self.first_column } else { self.indent + 2 });
        if at.last().is_some_and(|at| *at > 0) {
            out.earlier_nuls = self.passes_over_zeros();
            out.lengths = (self.characters.is_none() && !self.annotations.elements).then(Vec::new);
        }
        out
    }

    fn begin_row(&self, out: &mut RowsText, at: &[u64]) {
        for _ in self
            .braced
            .iter()
            .filter(|dim| at[**dim..].iter().all(|at| *at == 0))
        {
            let start = out.text.len();
            out.text.push(b'{');
            out.end_item(start);
        }
        if self.annotations.rows && self.shape.len() > 1 {
            push_row_annotation(&mut out.text, self.name, at, self.shape, self.annotations.order);
            out.continue_line();
        }
        if self.characters.is_some() {
            out.text.push(b'"');
        }
    }

    fn items(&self, out: &mut RowsText, part: &[u8], values: &Values, ends: bool, at: &[u64]) {
        let size = self.item.size();
        let count = part.len() / size;
        let separated = if ends { count - 1 } else { count };
        let mut elements = part.chunks_exact(size);
        if self.annotations.elements {
            let mut at = at.to_vec();
            for bytes in elements.by_ref().take(separated) {
                self.item.push(&mut out.text, bytes, values);
                out.text.extend_from_slice(b", ");
                push_element_annotation(&mut out.text, self.name, &at, self.annotations.order);
                if let Some(last) = at.last_mut() {
                    *last += 1;
                }
            }
        } else {
            for bytes in elements.by_ref().take(separated) {
                let start = out.text.len();
                self.item.push(&mut out.text, bytes, values);
                out.text.extend_from_slice(b", ");
                out.end_item(start);
            }
        }
        // The last item of a row is wrapped together with the braces after it.
        if let Some(bytes) = elements.next() {
            out.last_item = out.text.len();
            self.item.push(&mut out.text, bytes, values);
        }
    }

    /// Ends a row. `at` is the last element of the row.
    fn end_row(&self, out: &mut RowsText, at: &[u64]) {
        let is_last = |dim: usize| {
            let rest = at[dim..].iter().zip(&self.shape[dim..]);
            rest.into_iter().all(|(at, length)| at + 1 == *length)
        };
        if self.characters.is_some() {
            out.end_of_characters();
            out.text.push(b'"');
            out.last_item = out.text.len();
        }
        let closing = self.braced.iter().filter(|dim| is_last(**dim)).count();
        out.text.resize(out.text.len() + closing, b'}');
        let last_row = is_last(0);
        if self.annotations.elements {
            out.text.push(if last_row { b';' } else { b',' });
            push_element_annotation(&mut out.text, self.name, at, self.annotations.order);
            return;
        }
        out.end_item(out.last_item);
        out.end_head();
        if last_row {
            out.text.extend_from_slice(b" ;\n");
            out.column = self.indent;
        } else {
            out.text.extend_from_slice(b",\n  ");
            out.column = self.indent + 2;
        }
    }
}

/// Text under construction.
struct RowsText {
    limit: usize,
    indent: usize,
    text: Vec<u8>,
    column: usize,
    head: Head,
    /// Lengths of items, until the column is known.
    lengths: Option<Vec<usize>>,
    /// Start of the last item of a row in `text`.
    last_item: usize,
    /// NULs in a row of characters that nothing has followed yet.
    nuls: u64,
    /// True if earlier pieces may contain more of these NULs.
    earlier_nuls: bool,
}

impl RowsText {
    fn new(rows: &RowLayout, column: usize) -> Self {
        Self {
            limit: rows.line_length.limit(),
            indent: rows.indent,
            text: Vec::new(),
            column,
            head: Head::None,
            lengths: None,
            last_item: 0,
            nuls: 0,
            earlier_nuls: false,
        }
    }

    /// Ends the item that starts at `start`. If it does not fit into the line, it starts a new one.
    fn end_item(&mut self, start: usize) {
        let length = self.text.len() - start;
        if let Some(lengths) = &mut self.lengths {
            lengths.push(length);
            return;
        }
        if !fits(self.column, length, self.limit) {
            let end = self.text.len();
            let margin = 5 + self.indent;
            self.text.resize(end + margin, b' ');
            self.text.copy_within(start..end, start + margin);
            self.text[start] = b'\n';
            self.text[start + 1..start + margin].fill(b' ');
            self.column = margin - 1;
        }
        self.column += length;
    }

    /// Ends the head: all items so far belong to a row of an earlier piece.
    fn end_head(&mut self) {
        if let Some(lengths) = self.lengths.take() {
            let behind = Vec::with_capacity(self.text.capacity());
            self.head = Head::Items(std::mem::replace(&mut self.text, behind), lengths);
        }
    }

    fn continue_line(&mut self) {
        self.text.resize(self.text.len() + self.indent + 4, b' ');
        self.column = self.indent + 4;
    }

    /// Appends characters of a row. `keep` is true if trailing NULs are printed.
    fn characters(&mut self, part: &[u8], keep: bool) {
        for &c in part {
            if c == 0 && !keep {
                self.nuls += 1;
                continue;
            }
            let nuls = std::mem::take(&mut self.nuls);
            if std::mem::take(&mut self.earlier_nuls) {
                self.head = Head::Nuls(nuls, Then::Characters);
            } else {
                for _ in 0..nuls {
                    self.text.extend_from_slice(NUL);
                }
            }
            push_char(&mut self.text, c);
        }
    }

    fn end_of_characters(&mut self) {
        let nuls = std::mem::take(&mut self.nuls);
        if std::mem::take(&mut self.earlier_nuls) {
            self.head = Head::Nuls(nuls, Then::EndOfRow);
        }
    }

    fn finish(mut self) -> RowsPart {
        let known = self.lengths.is_none();
        self.end_head();
        if self.earlier_nuls {
            self.head = Head::Nuls(std::mem::take(&mut self.nuls), Then::Nothing);
        }
        RowsPart {
            head: self.head,
            text: self.text,
            column: known.then_some(self.column),
            nuls: self.nuls,
        }
    }
}

fn advance(at: &mut [u64], shape: &[u64]) {
    for (at, length) in at.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < *length {
            return;
        }
        *at = 0;
    }
}

#[cfg(test)]
mod tests;
