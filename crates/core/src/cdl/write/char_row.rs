//! Rows of characters as CDL strings: of `char` variables, of `char` fields of compounds, and sequences of `char`.

use std::io::Write;

use super::names::{push_text_byte, trim_nuls};
use crate::model::{Schema, VarId, fill_value_attribute};

/// How the rows of a `char` variable are written.
#[derive(Debug, Clone, Copy)]
pub struct CharRows {
    keep_nuls: bool,
}

impl CharRows {
    /// For a variable. NULs at the end of a row are left out where reading puts them back: that pads a row to the length of
    /// its dimension, which must be fixed for that, with the fill value.
    pub fn of(schema: &Schema, id: VarId) -> Self {
        let var = schema.var(id);
        let grows = var.dims.last().is_some_and(|dim| schema.dim(*dim).unlimited);
        let padding = fill_value_attribute(var).map_or(0, |fill| fill.bytes[0]);
        Self {
            keep_nuls: grows || padding != 0,
        }
    }

    /// Appends a row.
    pub fn push(self, out: &mut Vec<u8>, row: &[u8]) {
        push_chars(out, if self.keep_nuls { row } else { trim_nuls(row) });
    }
}

/// Appends characters in quotes. Unlike in attributes and strings, those over 127 are numbers: a row of characters may begin
/// or end within one of UTF-8.
pub fn push_chars(out: &mut Vec<u8>, row: &[u8]) {
    out.push(b'"');
    for &c in row {
        if c < 0x80 {
            push_text_byte(out, c);
        } else {
            let _ = write!(out, "\\{c:03o}");
        }
    }
    out.push(b'"');
}
