//! One branch for each type of numbers.

/// Matches a [`Type`](super::Type): a macro `integer!` of the caller is given the Rust type of a type of whole numbers, a
/// macro `float!` that of a type of floating-point numbers. Any other type has the value of `else`.
macro_rules! for_number_type {
    ($ty:expr, $integer:ident, $float:ident, else $other:expr) => {
        match $ty {
            $crate::model::Type::Byte => $integer!(i8),
            $crate::model::Type::UByte => $integer!(u8),
            $crate::model::Type::Short => $integer!(i16),
            $crate::model::Type::UShort => $integer!(u16),
            $crate::model::Type::Int => $integer!(i32),
            $crate::model::Type::UInt => $integer!(u32),
            $crate::model::Type::Int64 => $integer!(i64),
            $crate::model::Type::UInt64 => $integer!(u64),
            $crate::model::Type::Float => $float!(f32),
            $crate::model::Type::Double => $float!(f64),
            $crate::model::Type::Char | $crate::model::Type::String | $crate::model::Type::User(_) => $other,
        }
    };
}

pub(crate) use for_number_type;
