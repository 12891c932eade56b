//! Output with line wrapping, like ncdump's for lists of values and enum members.

use std::io::{self, Write};

use crate::print::options::LineLength;

/// True if an item fits into a line that has `column` columns already. Items of at most two columns
/// (delimiters) always fit.
pub fn fits(column: usize, length: usize, limit: usize) -> bool {
    length + column <= limit || length <= 2
}

/// A buffered writer that tracks its column and the group's indentation.
pub struct Lines<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    column: usize,
    indent: usize,
    line_length: LineLength,
}

impl<'a> Lines<'a> {
    /// Writes to `out`, in pieces of about 64 KiB.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(1 << 17),
            column: 0,
            indent: 0,
            line_length: LineLength::default(),
        }
    }

    /// The length of lines in lists.
    pub fn line_length(&self) -> LineLength {
        self.line_length
    }

    /// Sets the length of lines in lists.
    pub fn set_line_length(&mut self, length: LineLength) {
        self.line_length = length;
    }

    /// The indentation of the present group, in columns.
    pub fn indent(&self) -> usize {
        self.indent
    }

    /// Sets the indentation, in columns.
    pub fn set_indent(&mut self, indent: usize) {
        self.indent = indent;
    }

    /// Sets the column from which [`Lines::put`] counts.
    pub fn set_column(&mut self, column: usize) {
        self.column = column;
    }

    /// The buffer, for appending text that is not wrapped.
    pub fn raw(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Appends text that is not wrapped.
    pub fn text(&mut self, text: impl AsRef<[u8]>) {
        self.buffer.extend_from_slice(text.as_ref());
    }

    /// Appends a large text that is not wrapped.
    ///
    /// # Errors
    /// If writing fails.
    pub fn large(&mut self, text: &[u8]) -> io::Result<()> {
        if text.len() < 1 << 15 {
            self.text(text);
            return Ok(());
        }
        self.flush()?;
        self.out.write_all(text)
    }

    /// Appends the indentation.
    pub fn margin(&mut self) {
        self.buffer.extend(std::iter::repeat_n(b' ', self.indent));
    }

    /// Appends an item of a list. If it does not fit into the line, it starts a new one.
    pub fn put(&mut self, item: &[u8]) {
        if !fits(self.column, item.len(), self.line_length.limit()) {
            self.begin_line();
        }
        self.buffer.extend_from_slice(item);
        if item.ends_with(b"\n") {
            self.column = self.indent;
        } else {
            self.column += item.len();
        }
    }

    /// Appends several items, each as [`Lines::put`] does. `text` contains them one after another, with these
    /// lengths. No item may end a line.
    pub fn put_all(&mut self, text: &[u8], lengths: &[usize]) {
        let limit = self.line_length.limit();
        let (mut start, mut end) = (0, 0);
        for length in lengths {
            if !fits(self.column, *length, limit) {
                self.buffer.extend_from_slice(&text[start..end]);
                start = end;
                self.begin_line();
            }
            end += length;
            self.column += length;
        }
        self.buffer.extend_from_slice(&text[start..end]);
    }

    fn begin_line(&mut self) {
        self.buffer.push(b'\n');
        self.margin();
        self.buffer.extend_from_slice(b"    ");
        self.column = 4 + self.indent;
    }

    /// Writes the buffer out if it is full.
    ///
    /// # Errors
    /// If writing fails.
    pub fn relieve(&mut self) -> io::Result<()> {
        if self.buffer.len() >= 1 << 16 {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes out everything and flushes the output.
    ///
    /// # Errors
    /// If writing fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.flush()
    }
}
