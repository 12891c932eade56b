//! The `data:` section: the values of variables.
//!
//! ```text
//! stream ─► values ─► pieces ─► RowLayout (ItemFormat) ─► Joined ─► Lines
//!           └───────── all cores ─────────┘
//! ```

use super::c_format::CFormat;
use super::fill::FillValue;
use super::item::{ItemFormat, Style};
use super::joined::Joined;
use super::lines::Lines;
use super::rows::{Characters, RowLayout};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Type, VarId};
use crate::print::DumpOptions;
use crate::print::char_row::keeps_nuls;
use crate::print::element::{ElementContext, ElementWriter};
use crate::print::spelling::push_name;
use crate::stream;
use crate::time::TimeFormat;

/// Prints the values of a variable, as dates if `times` is given. A variable without values prints nothing.
///
/// # Errors
/// If reading the values or writing the text fails. Everything before that is written.
pub fn variable(
    lines: &mut Lines,
    reader: &dyn Reader,
    id: VarId,
    options: &DumpOptions,
    times: Option<&TimeFormat>,
) -> Result<()> {
    let schema = reader.schema();
    let var = schema.var(id);
    let shape = schema.shape(id);
    if shape.contains(&0) {
        // Sources that cannot be read may be why there are no elements.
        return reader.resolve_sources(id);
    }
    let mut name = Vec::new();
    push_name(&mut name, &var.name);
    lines.text("\n");
    lines.margin();
    lines.text(" ");
    lines.text(&name);
    let first_column = if shape.len() <= 1 {
        lines.text(" = ");
        lines.indent() + var.name.len() + 4
    } else {
        lines.text(" =\n  ");
        lines.indent() + 2
    };
    lines.set_column(first_column);
    let format = match var.ty {
        _ if options.precision.exact => None,
        Type::Float if options.overrides.float => None,
        Type::Double if options.overrides.double => None,
        ty => CFormat::of(&var.attributes, ty),
    };
    let rows = RowLayout {
        name: &name,
        shape: &shape,
        braced: (1..shape.len())
            .filter(|at| schema.dim(var.dims[*at]).unlimited)
            .collect(),
        item: ItemFormat::new(
            ElementWriter {
                schema,
                precision: options.precision,
                place: ElementContext::Data,
            },
            var.ty,
            FillValue::of(schema, id, options.precision),
            match (times, format) {
                (Some(times), _) => Style::Times(times),
                (None, Some(format)) => Style::Format(format),
                (None, None) => Style::Plain,
            },
        ),
        characters: (var.ty == Type::Char).then(|| match keeps_nuls(schema, id) {
            true => Characters::All,
            false => Characters::WithoutPadding,
        }),
        annotations: options.annotations,
        line_length: lines.line_length(),
        indent: lines.indent(),
        first_column,
    };
    let mut joined = Joined::default();
    // Printing a large variable may take long. The text before it should be visible meanwhile.
    let at_once = stream::is_large(reader, id);
    let cannot_write = |e| Error::io("cannot write", e);
    if at_once {
        lines.flush().map_err(cannot_write)?;
    }
    stream::values(reader, id, &rows, |piece| {
        joined.append(lines, piece).map_err(cannot_write)?;
        if at_once {
            lines.flush().map_err(cannot_write)?;
        }
        Ok(())
    })
}
