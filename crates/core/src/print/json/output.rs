//! Writes objects and their members, indented, through a bounded buffer.

use std::io::{self, Write};

use super::text::push_string;

/// Bytes in the buffer before it is written.
const PIECE: usize = 1 << 16;

/// JSON that is being written: the buffer, and the open objects.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    /// For each open object, true if it has a member.
    open: Vec<bool>,
}

impl<'a> Output<'a> {
    /// Writes to `out`.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(2 * PIECE),
            open: Vec::new(),
        }
    }

    /// Starts an object, as the value of the last key or as the whole document.
    pub fn begin(&mut self) {
        self.buffer.push(b'{');
        self.open.push(false);
    }

    /// Ends the innermost object.
    pub fn end(&mut self) {
        if self.open.pop() == Some(true) {
            self.new_line();
        }
        self.buffer.push(b'}');
    }

    /// Starts a member of the innermost object. Its value must follow.
    pub fn key(&mut self, name: &str) {
        if let Some(filled) = self.open.last_mut() {
            if *filled {
                self.buffer.push(b',');
            }
            *filled = true;
        }
        self.new_line();
        push_string(&mut self.buffer, name.as_bytes());
        self.buffer.extend_from_slice(b": ");
    }

    fn new_line(&mut self) {
        self.buffer.push(b'\n');
        self.buffer.extend(std::iter::repeat_n(b' ', 2 * self.open.len()));
    }

    /// The buffer, for appending a value or a part of it.
    pub fn value(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes the buffer out if it is full.
    ///
    /// # Errors
    /// If writing fails.
    pub fn relieve(&mut self) -> io::Result<()> {
        if self.buffer.len() >= PIECE {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Appends a large part of a value.
    ///
    /// # Errors
    /// If writing fails.
    pub fn large(&mut self, text: &[u8]) -> io::Result<()> {
        if text.len() < PIECE / 2 {
            self.buffer.extend_from_slice(text);
            return self.relieve();
        }
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.write_all(text)
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

    /// Ends the text, and writes out everything.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.buffer.push(b'\n');
        self.flush()
    }
}
