//! The dates of attributes that hold times, as comments after them.

use super::lines::Lines;
use crate::model::{Attribute, Schema};
use crate::print::Precision;
use crate::print::element::{ElementContext, ElementWriter};
use crate::time::TimeFormat;

/// Start of a comment on its own line, without the indentation of the group.
const START: &str = "\t\t  // ";
const START_COLUMN: usize = 21;

/// Prints the numbers of an attribute as dates in a comment. One or two follow the attribute, more get lines
/// of their own. Text has no comment.
pub fn comment(
    lines: &mut Lines,
    format: &TimeFormat,
    schema: &Schema,
    attribute: &Attribute,
    precision: Precision,
) {
    if !attribute.ty.is_number() {
        return;
    }
    let element = ElementWriter {
        schema,
        precision,
        place: ElementContext::Data,
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
