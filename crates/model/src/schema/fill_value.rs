//! netCDF's default fill values: the values of elements that were never written.

use crate::{Slot, Type, Values, Variable};

/// The fill value of `float`: the nearest to 9.969209968386869e36.
pub const FILL_FLOAT: f32 = f32::from_bits(0x7cf0_0000);
/// The fill value of `double`: the same number as [`FILL_FLOAT`].
pub const FILL_DOUBLE: f64 = FILL_FLOAT as f64;

/// Name of the attribute that overrides the default.
pub const FILL_VALUE_ATTRIBUTE: &str = "_FillValue";

/// The default fill value of an atomic type, as one element. A string's is the empty string. `None` for user
/// types, which have no default.
pub fn default_fill_value(ty: Type) -> Option<Values> {
    let bytes = match ty {
        Type::Byte => (-127i8).to_le_bytes().to_vec(),
        Type::Char => vec![0],
        Type::Short => (-32767i16).to_le_bytes().to_vec(),
        Type::Int => (-2_147_483_647i32).to_le_bytes().to_vec(),
        Type::Float => FILL_FLOAT.to_le_bytes().to_vec(),
        Type::Double => FILL_DOUBLE.to_le_bytes().to_vec(),
        Type::UByte => vec![255],
        Type::UShort => u16::MAX.to_le_bytes().to_vec(),
        Type::UInt => u32::MAX.to_le_bytes().to_vec(),
        Type::Int64 => (-9_223_372_036_854_775_806i64).to_le_bytes().to_vec(),
        Type::UInt64 => (u64::MAX - 1).to_le_bytes().to_vec(),
        Type::String => Slot { length: 0, offset: 0 }.to_bytes().to_vec(),
        Type::User(_) => return None,
    };
    Some(Values::from_bytes(bytes))
}

/// The value of a variable's `_FillValue` attribute. `None` unless it has the variable's type and one
/// element, as netCDF requires.
pub fn fill_value_attribute(var: &Variable) -> Option<&Values> {
    var.attributes
        .iter()
        .find(|a| a.name == FILL_VALUE_ATTRIBUTE && a.ty == var.ty && a.length == 1)
        .map(|a| &a.values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_the_numbers_of_the_specification() {
        assert_eq!(FILL_FLOAT, 9.969_21e36);
        assert_eq!(FILL_DOUBLE, 9.969_209_968_386_869e36);
        assert_eq!(default_fill_value(Type::Float).unwrap().bytes, [0, 0, 0xf0, 0x7c]);
    }

    #[test]
    fn each_atomic_type_has_one_element() {
        use Type::*;
        for ty in [
            Byte, Char, Short, Int, Float, Double, UByte, UShort, UInt, Int64, UInt64, String,
        ] {
            assert_eq!(default_fill_value(ty).unwrap().bytes.len(), ty.atomic_size());
        }
        let empty = default_fill_value(String).unwrap();
        assert_eq!(empty.string(0), Some(&b""[..]));
    }
}
