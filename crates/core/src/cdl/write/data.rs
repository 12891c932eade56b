//! The `data:` section: the values of variables.
//!
//! Values come from the reader in slabs in C order and leave as text in the same order; a row is what lies along the
//! last dimension.

use super::char_row::CharRows;
use super::element::{ElementWriter, Place, Precision};
use super::lines::Lines;
use super::names::push_name;
use super::slabs::slabs;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Schema, Type, Values, VarId, default_fill_value};
use crate::time::TimeFormat;

/// Bytes of values in memory at once.
const SLAB_BYTES: u64 = 16 << 20;

/// Writes the values of a variable, as dates where it has `times`; nothing where it has none.
///
/// # Errors
/// What reading them, or writing the text, fails of.
pub fn variable(
    lines: &mut Lines,
    reader: &dyn Reader,
    id: VarId,
    precision: Precision,
    times: Option<&TimeFormat>,
) -> Result<()> {
    let schema = reader.schema();
    let var = schema.var(id);
    let shape = schema.shape(id);
    if shape.contains(&0) {
        return Ok(());
    }
    lines.text("\n");
    lines.margin();
    lines.text(" ");
    push_name(lines.raw(), &var.name);
    if shape.len() <= 1 {
        lines.text(" = ");
        lines.set_column(lines.indent() + var.name.len() + 4);
    } else {
        lines.text(" =\n  ");
        lines.set_column(lines.indent() + 2);
    }
    let size = schema.type_size(var.ty);
    let mut rows = Rows::new(schema, id, &shape);
    let chars = CharRows::of(schema, id);
    let fill = FillValue::of(schema, id, precision);
    let element = ElementWriter {
        schema,
        precision,
        place: Place::Data,
    };
    let mut item = Vec::new();
    let mut text_row = Vec::new();
    for region in slabs(&shape, reader.layout(id).chunk_shape(), size, SLAB_BYTES) {
        let values = reader
            .read_region(id, &region)
            .map_err(|e| e.in_variable(&schema.var_path(id)))?;
        for bytes in values.bytes.chunks_exact(size.max(1)) {
            if var.ty == Type::Char {
                if rows.at_row_start() {
                    text_row.clear();
                    rows.open(&mut text_row);
                    lines.text(&text_row);
                    text_row.clear();
                }
                text_row.push(bytes[0]);
                if rows.at_row_end() {
                    chars.push(lines.raw(), &text_row);
                    item.clear();
                    rows.close(&mut item);
                    lines.text(&item);
                    rows.end_of_row(lines);
                }
                rows.advance();
                continue;
            }
            item.clear();
            rows.open(&mut item);
            if fill.matches(bytes, &values, &element) {
                item.push(b'_');
            } else if !times.is_some_and(|t| t.push_element(&mut item, var.ty, bytes)) {
                element.push(&mut item, var.ty, bytes, &values);
            }
            rows.close(&mut item);
            if rows.at_row_end() {
                lines.put(&item);
                rows.end_of_row(lines);
            } else {
                item.extend_from_slice(b", ");
                lines.put(&item);
            }
            rows.advance();
        }
        lines.relieve().map_err(|e| Error::io("cannot write", e))?;
    }
    Ok(())
}

/// Where in the shape the next element is.
struct Rows {
    shape: Vec<u64>,
    at: Vec<u64>,
    /// Dimensions whose values stand in braces: unlimited, and not the first.
    braced: Vec<usize>,
}

impl Rows {
    fn new(schema: &Schema, id: VarId, shape: &[u64]) -> Self {
        let dims = &schema.var(id).dims;
        let braced = (1..dims.len())
            .filter(|at| schema.dim(dims[*at]).unlimited)
            .collect();
        Self {
            shape: shape.to_vec(),
            at: vec![0; shape.len()],
            braced,
        }
    }

    fn at_row_start(&self) -> bool {
        self.at.last().is_none_or(|at| *at == 0)
    }

    fn at_row_end(&self) -> bool {
        self.is_last_from(self.shape.len().saturating_sub(1))
    }

    fn is_last_from(&self, dim: usize) -> bool {
        self.at[dim..]
            .iter()
            .zip(&self.shape[dim..])
            .all(|(at, length)| at + 1 == *length)
    }

    fn open(&self, out: &mut Vec<u8>) {
        let opens = self
            .braced
            .iter()
            .filter(|dim| self.at[**dim..].iter().all(|at| *at == 0));
        out.extend(opens.map(|_| b'{'));
    }

    fn close(&self, out: &mut Vec<u8>) {
        let closes = self.braced.iter().filter(|dim| self.is_last_from(**dim));
        out.extend(closes.map(|_| b'}'));
    }

    fn end_of_row(&self, lines: &mut Lines) {
        if self.is_last_from(0) {
            lines.text(" ;\n");
        } else {
            lines.text(",\n  ");
            lines.set_column(lines.indent() + 2);
        }
    }

    fn advance(&mut self) {
        for (at, length) in self.at.iter_mut().zip(&self.shape).rev() {
            *at += 1;
            if *at < *length {
                return;
            }
            *at = 0;
        }
    }
}

/// The value that is shown as `_`.
enum FillValue {
    /// None is.
    None,
    /// Compared as numbers, so that NaN is NaN and -0 is 0.
    Float(f64),
    /// Compared bit for bit.
    Bytes(Vec<u8>),
    /// Compared as text: strings and user types.
    Text(Type, Vec<u8>),
}

impl FillValue {
    fn of(schema: &Schema, id: VarId, precision: Precision) -> Self {
        let var = schema.var(id);
        let own = var
            .attributes
            .iter()
            .find(|a| a.name == "_FillValue" && a.ty == var.ty && a.length == 1);
        let element = ElementWriter {
            schema,
            precision,
            place: Place::Data,
        };
        let values = match own {
            Some(attribute) => attribute.values.clone(),
            // Without an attribute a byte is never taken for a fill value: the risk is too great.
            None if matches!(var.ty, Type::Byte | Type::UByte | Type::Char | Type::User(_)) => {
                return Self::None;
            }
            None => match default_fill_value(var.ty) {
                Some(values) => values,
                None => return Self::None,
            },
        };
        match var.ty {
            Type::Float | Type::Double if !precision.exact => Self::Float(float(var.ty, &values.bytes)),
            Type::String | Type::User(_) => {
                let mut text = Vec::new();
                element.push(&mut text, var.ty, &values.bytes, &values);
                Self::Text(var.ty, text)
            }
            _ => Self::Bytes(values.bytes),
        }
    }

    fn matches(&self, bytes: &[u8], values: &Values, element: &ElementWriter) -> bool {
        match self {
            Self::None => false,
            Self::Bytes(fill) => fill == bytes,
            Self::Float(fill) => {
                let value = float(
                    if bytes.len() == 4 {
                        Type::Float
                    } else {
                        Type::Double
                    },
                    bytes,
                );
                value == *fill || (value.is_nan() && fill.is_nan())
            }
            Self::Text(ty, fill) => {
                let mut text = Vec::with_capacity(fill.len());
                element.push(&mut text, *ty, bytes, values);
                text == *fill
            }
        }
    }
}

fn float(ty: Type, bytes: &[u8]) -> f64 {
    let mut wide = [0; 8];
    match ty {
        Type::Float => {
            let mut narrow = [0; 4];
            narrow.copy_from_slice(&bytes[..4]);
            f32::from_le_bytes(narrow).into()
        }
        _ => {
            wide.copy_from_slice(&bytes[..8]);
            f64::from_le_bytes(wide)
        }
    }
}
