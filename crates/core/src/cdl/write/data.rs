//! The `data:` section: the values of variables.
//!
//! ```text
//! Bands ─► values ─► pieces ─► RowLayout (ItemFormat) ─► Joined ─► Lines
//!          └───────── all cores ─────────┘
//! ```

use super::DumpOptions;
use super::bands::Bands;
use super::c_format::CFormat;
use super::char_row::keeps_nuls;
use super::element::{ElementWriter, Place};
use super::fill::FillValue;
use super::item::{ItemFormat, Style};
use super::lines::Lines;
use super::names::push_name;
use super::pieces::in_order;
use super::rows::{Characters, Joined, Piece, RowLayout};
use super::spilled::Spilled;
use crate::error::{Error, Result};
use crate::format::{Reader, Region};
use crate::model::{Encoding, Storage, Type, Values, VarId};
use crate::time::TimeFormat;

/// Writes the values of a variable, as dates where it has `times`; nothing where it has none.
///
/// # Errors
/// What reading them, or writing the text, fails of. All that comes before is written.
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
        return Ok(());
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
                place: Place::Data,
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
    let size = rows.item.size();
    let layout = reader.layout(id);
    let chunk = match &layout.storage {
        Storage::Chunked { shape } => shape.as_slice(),
        _ => &[],
    };
    let bands = Bands::new(&shape, chunk, size);
    let read = |region: &Region| {
        reader
            .read_region(id, region)
            .map_err(|e| e.in_variable(&schema.var_path(id)))
    };
    let format = |region: &Region, values: &Values, range| rows.piece(region, values, range);
    let mut emit = |piece: Piece| {
        joined
            .append(lines, piece)
            .map_err(|e| Error::io("cannot write", e))
    };
    if !bands.are_layered() {
        return in_order(bands.all(), size, read, format, emit);
    }
    for layer in bands.layers() {
        let spilled = match layout.encoding {
            // The file would hold addresses in a heap.
            Encoding::Structured => None,
            _ => Spilled::write(reader, id, chunk, &layer, size)
                .map_err(|e| e.in_variable(&schema.var_path(id)))?,
        };
        match spilled {
            Some(spilled) => {
                let read = |region: &Region| spilled.read(region);
                in_order(bands.within(&layer), size, read, format, &mut emit)?;
            }
            None => in_order(bands.decoded_again(&layer), size, read, format, &mut emit)?,
        }
    }
    Ok(())
}
