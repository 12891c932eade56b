//! [`Cell`]: the value of one cell of a coordinate, or of an attribute.

use crate::model::{Attribute, Type, for_number_type};

/// The value of a cell, unpacked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Of an integer that is not packed.
    Integer(i128),
    Number(f64),
    Text(&'a [u8]),
    /// Matches nothing.
    Missing,
}

impl Cell<'_> {
    /// The cell as a number; `None` if it is missing, or text.
    pub fn number(self) -> Option<f64> {
        match self {
            Cell::Integer(n) => Some(n as f64),
            Cell::Number(n) => Some(n),
            Cell::Text(_) | Cell::Missing => None,
        }
    }
}

/// The stored value of an element of a numeric type, without its packing; `None` for other types.
pub fn stored(ty: Type, bytes: &[u8]) -> Option<Cell<'static>> {
    macro_rules! integer {
        ($ty:ty) => {
            Cell::Integer(<$ty>::from_le_bytes(bytes.try_into().ok()?).into())
        };
    }
    macro_rules! float {
        ($ty:ty) => {
            Cell::Number(<$ty>::from_le_bytes(bytes.try_into().ok()?).into())
        };
    }
    let cell = for_number_type!(ty, integer, float, else return None);
    Some(match cell {
        Cell::Number(n) if n.is_nan() => Cell::Missing,
        cell => cell,
    })
}

/// A number in an attribute, whatever its numeric type.
pub fn attribute_number(attribute: &Attribute) -> Option<f64> {
    if attribute.length != 1 {
        return None;
    }
    stored(attribute.ty, &attribute.values.bytes)?.number()
}
