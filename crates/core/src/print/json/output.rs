//! Objects and their members, indented, through a bounded buffer.

use std::io::{self, Write};

use super::text::push_string;

/// Bytes that are held back before they are written.
const PIECE: usize = 1 << 16;

/// JSON as it is written: the buffer, and the objects that are open.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    /// For each object that is open, whether it has a member.
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

    /// Begins an object, as the value of the last key or as the whole.
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

    /// Begins a member of the innermost object: its value is to follow.
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

    /// The buffer, to append (part of) a value.
    pub fn value(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Hands full pieces on.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn relieve(&mut self) -> io::Result<()> {
        if self.buffer.len() >= PIECE {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Appends much of a value.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn large(&mut self, text: &[u8]) -> io::Result<()> {
        if text.len() < PIECE / 2 {
            self.buffer.extend_from_slice(text);
            return self.relieve();
        }
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.write_all(text)
    }

    /// Hands everything on, to be seen.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.flush()
    }

    /// Ends the text, and hands everything on.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.buffer.push(b'\n');
        self.flush()
    }
}
