//! Prints a dataset as JSON, in the shape of NCO's `ncks --jsn`.
//!
//! ```text
//! Schema ─► schema (dimensions, types, variables, attributes, groups) ┐
//! Reader ─► stream ─► data ─► element, on all cores ──────────────────┴─► Output ─► out
//! ```
//!
//! The text is always RFC 8259 JSON in UTF-8, whatever the dataset contains:
//!
//! | netCDF | JSON |
//! | --- | --- |
//! | integers | numbers, all digits |
//! | `float`, `double` | numbers, with the fewest digits that read back as the same bits |
//! | NaN, infinities, NIL | `null` |
//! | rows of `char` | strings, without trailing NULs |
//! | `enum` | the member's name, or a number if no member has the value |
//! | `opaque` | a string of hexadecimal digits after `0X` |
//! | vlen | an array |
//! | `compound` | an object |
//! | bytes that are not UTF-8 | see `text.rs` |

mod brackets;
mod data;
mod element;
mod output;
mod schema;
mod text;

use std::io::Write;

use super::options::DumpOptions;
use super::selection::wanted;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Schema, VisibleNames};
use output::Output;

/// Prints the dataset of `reader` as JSON. Only the options that select data and special attributes have an
/// effect.
///
/// # Errors
/// [`Error::Usage`] for a listed variable or group that does not exist, before anything is written. Otherwise
/// the errors of reading and writing.
pub fn dump(reader: &dyn Reader, options: &DumpOptions, out: &mut dyn Write) -> Result<()> {
    let wanted = wanted(reader.schema(), options)?;
    let mut output = Output::new(out);
    schema::SchemaWriter {
        reader,
        schema: reader.schema(),
        names: VisibleNames::new(reader.schema()),
        options,
        wanted,
    }
    .group(&mut output, Schema::ROOT)?;
    output.finish().map_err(|e| Error::io("cannot write", e))
}

#[cfg(test)]
mod tests;
