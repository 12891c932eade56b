//! Single values and attributes in CDL's spelling, cut to a length that fits into a message.

use super::char_row::push_chars;
use super::element::{ElementContext, ElementWriter};
use super::options::Precision;
use super::spelling::push_quoted;
use crate::model::{Attribute, Kind, Schema, Type, Values};

/// Most characters of an excerpt. What is longer ends with an ellipsis.
const LONGEST: usize = 80;

/// The element at the start of `bytes` as `ncdump --exact` prints it in data.
pub(crate) fn element_excerpt(schema: &Schema, ty: Type, bytes: &[u8], values: &Values) -> String {
    let mut out = Vec::new();
    match ty {
        // A character of text in UTF-8 may be cut.
        Type::Char => push_chars(&mut out, &bytes[..1]),
        _ => writer(schema, ElementContext::Data).push(&mut out, ty, bytes, values),
    }
    cut(&out)
}

/// The values of an attribute as `ncdump --exact` prints them.
pub(crate) fn attribute_excerpt(schema: &Schema, attribute: &Attribute) -> String {
    let mut out = Vec::new();
    let bytes = &attribute.values.bytes;
    if attribute.ty == Type::Char || attribute.length == 0 {
        push_quoted(&mut out, bytes);
        return cut(&out);
    }
    let size = schema.type_size(attribute.ty).max(1);
    for element in bytes.chunks_exact(size) {
        if !out.is_empty() {
            out.extend_from_slice(b", ");
        }
        writer(schema, ElementContext::Attribute).push(&mut out, attribute.ty, element, &attribute.values);
        // Characters of up to four bytes.
        if out.len() > 4 * LONGEST {
            break;
        }
    }
    cut(&out)
}

/// A number as a `double` in data.
pub(crate) fn number_excerpt(number: f64) -> String {
    let mut out = Vec::new();
    writer(&Schema::new(Kind::Netcdf4), ElementContext::Data).push(
        &mut out,
        Type::Double,
        &number.to_le_bytes(),
        &Values::default(),
    );
    cut(&out)
}

fn writer(schema: &Schema, place: ElementContext) -> ElementWriter<'_> {
    ElementWriter {
        schema,
        precision: Precision {
            exact: true,
            ..Precision::default()
        },
        place,
    }
}

fn cut(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_in_cdl_and_end_somewhere() {
        let schema = Schema::new(Kind::Netcdf4);
        let one = |ty, bytes: &[u8]| element_excerpt(&schema, ty, bytes, &Values::from_bytes(bytes.to_vec()));
        assert_eq!(one(Type::Double, &1e-30f64.to_le_bytes()), "1e-30");
        assert_eq!(one(Type::Float, &f32::NAN.to_le_bytes()), "NaNf");
        assert_eq!(one(Type::Char, b"\0"), "\"\\000\"");
        let long = Values::from_strings([Some("é".repeat(1000).as_bytes())]);
        let text = element_excerpt(&schema, Type::String, &long.bytes, &long);
        assert_eq!(text.chars().count(), LONGEST + 1);
        assert!(text.ends_with("é…"), "{text}");
        let attribute = |ty, length, values| Attribute {
            name: "a".into(),
            ty,
            length,
            values,
        };
        let shorts = Values::from_bytes([1i16, -2].iter().flat_map(|n| n.to_le_bytes()).collect());
        assert_eq!(
            attribute_excerpt(&schema, &attribute(Type::Short, 2, shorts)),
            "1s, -2s"
        );
        let text = attribute(Type::Char, 3, Values::from_text("a\"b"));
        assert_eq!(attribute_excerpt(&schema, &text), "\"a\\\"b\"");
        let many = Values::from_bytes(vec![7; 1 << 20]);
        let many = attribute_excerpt(&schema, &attribute(Type::Int64, 1 << 17, many));
        assert_eq!(many.chars().count(), LONGEST + 1);
    }
}
