//! Dates in comments behind the attributes of times.

use super::lines::Lines;
use crate::model::{Attribute, Schema, Type};
use crate::print::Precision;
use crate::print::element::{ElementWriter, Place};
use crate::time::TimeFormat;

/// Where such a comment begins in a line of its own. The indentation of a group is not counted.
const START: &str = "\t\t  // ";
const START_COLUMN: usize = 21;

/// Writes the numbers of an attribute as dates in a comment: behind it where they are one or two, else in lines of their own.
/// Text is none.
pub fn comment(
    lines: &mut Lines,
    format: &TimeFormat,
    schema: &Schema,
    attribute: &Attribute,
    precision: Precision,
) {
    if matches!(attribute.ty, Type::Char | Type::String | Type::User(_)) {
        return;
    }
    let element = ElementWriter {
        schema,
        precision,
        place: Place::Data,
    };
    let size = schema.type_size(attribute.ty).max(1);
    let count = attribute.values.bytes.len() / size;
    let own_lines = count > 2;
    let mut column = 0;
    let mut item = Vec::new();
    for (at, bytes) in attribute.values.bytes.chunks_exact(size).enumerate() {
        item.clear();
        if !format.push_element(&mut item, attribute.ty, bytes) {
            element.push(&mut item, attribute.ty, bytes, &attribute.values);
        }
        if at + 1 < count {
            item.push(b',');
        }
        if own_lines && (at == 0 || column + 1 + item.len() > lines.line_length().columns()) {
            lines.text("\n");
            lines.margin();
            lines.text(START);
            column = START_COLUMN + item.len();
        } else {
            lines.text(if at == 0 { " // " } else { " " });
            column += 1 + item.len();
        }
        lines.text(&item);
    }
}
