//! Rows of characters as CDL strings: in `char` variables, `char` fields of compounds, and sequences of
//! `char`.

use super::spelling::push_text_byte;
use crate::model::{Schema, VarId, fill_value_attribute};

/// True if trailing NULs in the rows of a `char` variable must be printed. They are omitted if ncgen restores
/// them: it pads a row to the length of its dimension with the fill value, if that dimension is fixed.
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

/// Appends one character inside quotes. Unlike in attributes and strings, characters over 127 are octal
/// escapes, because a row may start or end inside a UTF-8 character.
pub fn push_char(out: &mut Vec<u8>, c: u8) {
    if c < 0x80 {
        push_text_byte(out, c);
    } else {
        out.extend_from_slice(&[b'\\', b'0' + (c >> 6), b'0' + ((c >> 3) & 7), b'0' + (c & 7)]);
    }
}
