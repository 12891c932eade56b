//! Prints the values of a variable as arrays nested in its shape.
//!
//! ```text
//! stream ─► values ─► pieces ─► Arrays (element) ─► Output
//!           └────── all cores ──────┘    └► Rows ─┘ of char, which are strings
//! ```

use std::io;
use std::ops::Range;

use super::brackets::{close, open};
use super::element::push_element;
use super::output::Output;
use super::text::TextStream;
use crate::error::{Error, Result};
use crate::format::{Reader, Region};
use crate::model::{Schema, Type, Values, VarId};
use crate::stream::{self, Format, position};

/// Prints the values of a variable as one JSON value.
///
/// # Errors
/// If reading the values or writing the text fails.
pub fn variable(output: &mut Output, reader: &dyn Reader, id: VarId) -> Result<()> {
    let schema = reader.schema();
    let shape = schema.shape(id);
    if shape.contains(&0) {
        // Sources that cannot be read may be why there are no elements.
        reader.resolve_sources(id)?;
        output.value().extend_from_slice(b"[]");
        return Ok(());
    }
    let arrays = Arrays {
        schema,
        ty: schema.var(id).ty,
        shape: &shape,
    };
    let mut rows = Rows::new(&shape);
    // Printing a large variable may take long. The text before it should be visible meanwhile.
    let at_once = stream::is_large(reader, id);
    let cannot_write = |e| Error::io("cannot write", e);
    if at_once {
        output.flush().map_err(cannot_write)?;
    }
    stream::values(reader, id, &arrays, |piece| {
        match piece {
            ArraysPart::Text(text) => output.large(&text),
            ArraysPart::Characters(bytes) => rows.push(output, &bytes),
            ArraysPart::Nuls(count) => rows.push_nuls(output, count),
        }
        .map_err(cannot_write)?;
        if at_once {
            output.flush().map_err(cannot_write)?;
        }
        Ok(())
    })
}

/// Formats elements as JSON.
struct Arrays<'a> {
    schema: &'a Schema,
    ty: Type,
    shape: &'a [u64],
}

/// Part of the values of a variable.
enum ArraysPart {
    /// Finished text.
    Text(Vec<u8>),
    /// Characters. Their place in strings depends on the characters before them.
    Characters(Vec<u8>),
    /// This many NULs within a row of characters.
    Nuls(u64),
}

impl Format for Arrays<'_> {
    type Piece = ArraysPart;

    fn piece(&self, region: &Region, values: &Values, range: Range<usize>) -> ArraysPart {
        let size = self.schema.type_size(self.ty).max(1);
        let bytes = &values.bytes[range.start * size..range.end * size];
        if self.ty == Type::Char {
            return ArraysPart::Characters(bytes.to_vec());
        }
        let at = position(region, range.start);
        let first = at.iter().zip(self.shape).fold(0, |n: u64, (at, length)| {
            n.saturating_mul(*length).saturating_add(*at)
        });
        let row = self.shape.last().copied().unwrap_or(1);
        let mut column = first % row;
        let mut text = Vec::with_capacity(bytes.len() * 3);
        for (at, bytes) in (first..).zip(bytes.chunks_exact(size)) {
            if column == 0 {
                open(&mut text, self.shape, at);
            } else {
                text.extend_from_slice(b", ");
            }
            push_element(&mut text, self.schema, self.ty, bytes, values);
            column += 1;
            if column == row {
                close(&mut text, self.shape, at);
                column = 0;
            }
        }
        ArraysPart::Text(text)
    }

    /// Trailing NULs of a row of characters are not printed.
    fn passes_over_zeros(&self) -> bool {
        self.ty == Type::Char
    }

    fn zeros(&self, _: &[u64], count: u64) -> ArraysPart {
        ArraysPart::Nuls(count)
    }
}

/// The rows of a `char` variable, each a string, from pieces that may end anywhere.
struct Rows<'a> {
    /// Shape of the array of rows.
    outer: &'a [u64],
    length: u64,
    row: u64,
    /// Position of the next byte in the row.
    column: u64,
    text: TextStream,
}

impl<'a> Rows<'a> {
    fn new(shape: &'a [u64]) -> Self {
        let (outer, length) = shape
            .split_last()
            .map_or((shape, 1), |(last, outer)| (outer, *last));
        Self {
            outer,
            length,
            row: 0,
            column: 0,
            text: TextStream::default(),
        }
    }

    fn push(&mut self, output: &mut Output, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.begin(output);
            let count = (self.length - self.column).min(bytes.len() as u64);
            let (piece, rest) = bytes.split_at(count as usize);
            // There may be any number of NULs, so the buffer is written out between them.
            for _ in 0..self.text.take_nuls(piece) {
                self.text.push(output.value(), b"\0");
                output.relieve()?;
            }
            self.text.push_padded(output.value(), piece);
            self.end(output, count);
            output.relieve()?;
            bytes = rest;
        }
        Ok(())
    }

    /// Adds NULs of one row.
    fn push_nuls(&mut self, output: &mut Output, count: u64) -> io::Result<()> {
        self.begin(output);
        self.text.push_nuls(count);
        self.end(output, count);
        output.relieve()
    }

    fn begin(&self, output: &mut Output) {
        if self.column == 0 {
            open(output.value(), self.outer, self.row);
            output.value().push(b'"');
        }
    }

    fn end(&mut self, output: &mut Output, count: u64) {
        self.column += count;
        if self.column == self.length {
            self.text.end(output.value());
            output.value().push(b'"');
            close(output.value(), self.outer, self.row);
            self.row += 1;
            self.column = 0;
        }
    }
}
