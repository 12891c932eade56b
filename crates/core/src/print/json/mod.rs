//! Writes a dataset as JSON, in the shape that NCO's `ncks --jsn` prints.
//!
//! ```text
//! Schema ─► schema (dimensions, types, variables, attributes, groups) ┐
//! Reader ─► stream ─► data ─► element, on all cores ──────────────────┴─► Output ─► out
//! ```
//!
//! The text is JSON as RFC 8259 has it, in UTF-8, whatever the dataset holds:
//!
//! | netCDF | JSON |
//! | --- | --- |
//! | integers | numbers, all digits |
//! | `float`, `double` | numbers, by the fewest digits that read back as the same bits |
//! | NaN, infinities, NIL | `null` |
//! | rows of `char` | strings, without the NULs at their end |
//! | `enum` | the member's name; a number where no member has the value |
//! | `opaque` | a string of hexadecimal digits behind `0X` |
//! | vlen | an array |
//! | `compound` | an object |
//! | bytes that are not UTF-8 | see `text.rs` |

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

/// Writes the dataset of `reader` as JSON. Of the options those count that say what is written: whose data, and
/// special attributes.
///
/// # Errors
/// [`Error::Usage`] for a listed variable or group that does not exist, before anything is written; else what reading or writing
/// fails of.
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
