//! Rows of characters as CDL strings: of `char` variables, of `char` fields of compounds, and sequences of `char`.

use super::spelling::push_text_byte;
use crate::model::{Schema, VarId, fill_value_attribute};

/// Whether NULs at the end of a row of a `char` variable are written. They are left out where reading puts them back: that
/// pads a row to the length of its dimension, which must be fixed for that, with the fill value.
pub fn keeps_nuls(schema: &Schema, id: VarId) -> bool {
    let var = schema.var(id);
    let grows = var.dims.last().is_some_and(|dim| schema.dim(*dim).unlimited);
    let padding = fill_value_attribute(var).map_or(0, |fill| fill.bytes[0]);
    grows || padding != 0
}

/// Appends characters in quotes.
pub fn push_chars(out: &mut Vec<u8>, row: &[u8]) {
    out.push(b'"');
    for &c in row {
        push_char(out, c);
    }
    out.push(b'"');
}

/// Appends one character inside quotes. Unlike in attributes and strings, those over 127 are numbers: a row of characters may
/// begin or end within one of UTF-8.
pub fn push_char(out: &mut Vec<u8>, c: u8) {
    if c < 0x80 {
        push_text_byte(out, c);
    } else {
        out.extend_from_slice(&[b'\\', b'0' + (c >> 6), b'0' + ((c >> 3) & 7), b'0' + (c & 7)]);
    }
}
