//! Fill values, which ncdump prints as `_`.

use crate::model::{Schema, Slot, Type, TypeClass, Values, VarId, default_fill_value};
use crate::print::Precision;
use crate::print::bytes::array;
use crate::print::element::{ElementContext, ElementWriter};

/// The value of a variable that is printed as `_`.
#[derive(Debug)]
pub enum FillValue {
    /// No value.
    None,
    /// This value, and values that differ from it by at most a relative rounding error. NaN equals NaN.
    Float(f32),
    /// Like [`FillValue::Float`], for `double`.
    Double(f64),
    /// A number, compared bit for bit. It is extended to eight bytes, little-endian.
    Bits(u64),
    /// An enum or opaque element, compared byte for byte.
    Bytes(Vec<u8>),
    /// A string, which may be NIL.
    String(Option<Vec<u8>>),
    /// A compound or sequence, compared as text.
    Text(Type, Vec<u8>),
}

impl FillValue {
    /// The attribute `_FillValue`, or the default of the type.
    pub fn of(schema: &Schema, id: VarId, precision: Precision) -> Self {
        let var = schema.var(id);
        let own = var
            .attributes
            .iter()
            .find(|a| a.name == "_FillValue" && a.ty == var.ty && a.length == 1);
        let element = ElementWriter {
            schema,
            precision,
            place: ElementContext::Data,
        };
        let values = match own {
            Some(attribute) => attribute.values.clone(),
            // Without the attribute, no byte counts as fill value: it could too easily be data.
            None if matches!(var.ty, Type::Byte | Type::UByte | Type::Char | Type::User(_)) => {
                return Self::None;
            }
            None => match default_fill_value(var.ty) {
                Some(values) => values,
                None => return Self::None,
            },
        };
        if values.bytes.len() < schema.type_size(var.ty) {
            return Self::None;
        }
        match var.ty {
            Type::Float if !precision.exact => Self::Float(f32::from_le_bytes(array(&values.bytes))),
            Type::Double if !precision.exact => Self::Double(f64::from_le_bytes(array(&values.bytes))),
            Type::String => {
                let content = values.slot_content(Slot::read(&values.bytes), 1);
                Self::String(content.map(<[u8]>::to_vec))
            }
            Type::User(id) if holds_parts(&schema.user_type(id).class) => {
                let mut text = Vec::new();
                element.push(&mut text, var.ty, &values.bytes, &values);
                Self::Text(var.ty, text)
            }
            Type::User(_) => Self::Bytes(values.bytes),
            ty => Self::Bits(bits(&values.bytes[..ty.atomic_size()])),
        }
    }

    /// True if an element is printed as `_`.
    #[inline]
    pub fn matches(&self, bytes: &[u8], values: &Values, element: &ElementWriter) -> bool {
        match self {
            Self::None => false,
            Self::Bits(fill) => bits(bytes) == *fill,
            Self::Bytes(fill) => fill == bytes,
            Self::String(fill) => values.slot_content(Slot::read(bytes), 1) == fill.as_deref(),
            Self::Float(fill) => {
                let value = f32::from_le_bytes(array(bytes));
                if fill.is_finite() && value.is_finite() {
                    (fill - value).abs() <= (f32::EPSILON * value).abs() && (*fill > 0.0) == (value > 0.0)
                } else {
                    *fill == value || (fill.is_nan() && value.is_nan())
                }
            }
            Self::Double(fill) => {
                let value = f64::from_le_bytes(array(bytes));
                if fill.is_finite() && value.is_finite() {
                    (fill - value).abs() <= (f64::EPSILON * value).abs() && (*fill > 0.0) == (value > 0.0)
                } else {
                    *fill == value || (fill.is_nan() && value.is_nan())
                }
            }
            Self::Text(ty, fill) => {
                let mut text = Vec::with_capacity(fill.len());
                element.push(&mut text, *ty, bytes, values);
                text == *fill
            }
        }
    }
}

/// True if elements contain parts, so that equal elements may have different bytes.
fn holds_parts(class: &TypeClass) -> bool {
    matches!(class, TypeClass::Compound { .. } | TypeClass::Vlen { .. })
}

/// The bits of a number of one, two, four or eight bytes.
#[inline]
fn bits(bytes: &[u8]) -> u64 {
    match bytes.len() {
        1 => bytes[0].into(),
        2 => u16::from_le_bytes(array(bytes)).into(),
        4 => u32::from_le_bytes(array(bytes)).into(),
        _ => u64::from_le_bytes(array(bytes)),
    }
}
