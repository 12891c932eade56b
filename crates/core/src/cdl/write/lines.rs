//! Output with line wrapping, as ncdump wraps lists of values and enum members.

use std::io::{self, Write};

/// The columns of a line of a list: netCDF-C keeps the last two of 80 free.
const LINE_LENGTH: usize = 78;

/// A buffered writer that knows its column and the indentation of the group it is in.
pub struct Lines<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    column: usize,
    indent: usize,
}

impl<'a> Lines<'a> {
    /// Writes to `out`, in pieces of some 64 KiB.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(1 << 17),
            column: 0,
            indent: 0,
        }
    }

    /// The indentation of the present group, in columns.
    pub fn indent(&self) -> usize {
        self.indent
    }

    /// Changes the indentation.
    pub fn set_indent(&mut self, indent: usize) {
        self.indent = indent;
    }

    /// The column that [`Lines::put`] counts from.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Sets the column that [`Lines::put`] counts from.
    pub fn set_column(&mut self, column: usize) {
        self.column = column;
    }

    /// The buffer, to append text that is not wrapped.
    pub fn raw(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Appends text that is not wrapped.
    pub fn text(&mut self, text: impl AsRef<[u8]>) {
        self.buffer.extend_from_slice(text.as_ref());
    }

    /// Appends the indentation.
    pub fn margin(&mut self) {
        self.buffer.extend(std::iter::repeat_n(b' ', self.indent));
    }

    /// Appends an item of a list, in a new line where it does not fit into this one.
    pub fn put(&mut self, item: &[u8]) {
        if item.len() + self.column > LINE_LENGTH && item.len() > 2 {
            self.buffer.push(b'\n');
            self.margin();
            self.buffer.extend_from_slice(b"    ");
            self.column = 4 + self.indent;
        }
        self.buffer.extend_from_slice(item);
        self.column += item.len();
    }

    /// Hands full pieces on.
    pub fn relieve(&mut self) -> io::Result<()> {
        if self.buffer.len() >= 1 << 16 {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Hands everything on.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.flush()
    }
}
