//! The values of a variable: arrays nested as its shape is, read in slabs and written in order.

use rayon::prelude::*;

use super::element::push_element;
use super::output::Output;
use super::text::TextStream;
use crate::cdl::write::slabs;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Type, VarId};

/// Bytes of values in memory at once. As text they take several times as much.
const SLAB_BYTES: u64 = 4 << 20;

/// Elements that one thread prints at a time.
const PIECE: usize = 1 << 15;

/// Writes the values of a variable as one JSON value.
///
/// # Errors
/// What reading them, or writing the text, fails of.
pub fn variable(output: &mut Output, reader: &dyn Reader, id: VarId) -> Result<()> {
    let schema = reader.schema();
    let ty = schema.var(id).ty;
    let shape = schema.shape(id);
    if shape.contains(&0) {
        output.value().extend_from_slice(b"[]");
        return Ok(());
    }
    let size = schema.type_size(ty).max(1);
    let mut rows = Rows::new(&shape);
    let mut at = 0;
    for region in slabs(&shape, reader.layout(id).chunk_shape(), size, SLAB_BYTES) {
        let values = reader
            .read_region(id, &region)
            .map_err(|e| e.in_variable(&schema.var_path(id)))?;
        if ty == Type::Char {
            rows.push(output.value(), &values.bytes);
            output.relieve().map_err(|e| Error::io("cannot write", e))?;
            continue;
        }
        let texts: Vec<Vec<u8>> = values
            .bytes
            .par_chunks(PIECE * size)
            .enumerate()
            .map(|(piece, bytes)| {
                let mut text = Vec::with_capacity(bytes.len() * 2);
                let first = at + (piece * PIECE) as u64;
                for (at, bytes) in (first..).zip(bytes.chunks_exact(size)) {
                    open(&mut text, &shape, at);
                    push_element(&mut text, schema, ty, bytes, &values);
                    close(&mut text, &shape, at);
                }
                text
            })
            .collect();
        for text in texts {
            output.value().extend_from_slice(&text);
            output.relieve().map_err(|e| Error::io("cannot write", e))?;
        }
        at += (values.bytes.len() / size) as u64;
    }
    Ok(())
}

/// Appends what stands before element `at` (in C order) of an array of `shape`: a comma, and brackets.
pub fn open(out: &mut Vec<u8>, shape: &[u64], at: u64) {
    if at > 0 {
        out.extend_from_slice(b", ");
    }
    let mut row = 1u64;
    for length in shape.iter().rev() {
        row = row.saturating_mul(*length);
        if !at.is_multiple_of(row) {
            return;
        }
        out.push(b'[');
    }
}

/// Appends what stands behind element `at`: brackets.
pub fn close(out: &mut Vec<u8>, shape: &[u64], at: u64) {
    let mut row = 1u64;
    for length in shape.iter().rev() {
        row = row.saturating_mul(*length);
        if !(at + 1).is_multiple_of(row) {
            return;
        }
        out.push(b']');
    }
}

/// The rows of a `char` variable, each of which is a string, from pieces that end anywhere.
struct Rows<'a> {
    /// The shape of the array of rows.
    outer: &'a [u64],
    length: u64,
    row: u64,
    /// Where in the row the next byte belongs.
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

    fn push(&mut self, out: &mut Vec<u8>, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.column == 0 {
                open(out, self.outer, self.row);
                out.push(b'"');
            }
            let count = (self.length - self.column).min(bytes.len() as u64);
            let (piece, rest) = bytes.split_at(count as usize);
            self.text.push_padded(out, piece);
            self.column += count;
            bytes = rest;
            if self.column == self.length {
                self.text.end(out);
                out.push(b'"');
                close(out, self.outer, self.row);
                self.row += 1;
                self.column = 0;
            }
        }
    }
}
