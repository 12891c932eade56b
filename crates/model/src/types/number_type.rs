//! One branch for each type of numbers.

/// Matches a [`Type`](crate::Type): a macro `integer!` of the caller is given the Rust type of a type of whole numbers, a
/// macro `float!` that of a type of floating-point numbers. Any other type has the value of `else`.
#[macro_export]
macro_rules! for_number_type {
    ($ty:expr, $integer:ident, $float:ident, else $other:expr) => {
        match $ty {
            $crate::Type::Byte => $integer!(i8),
            $crate::Type::UByte => $integer!(u8),
            $crate::Type::Short => $integer!(i16),
            $crate::Type::UShort => $integer!(u16),
            $crate::Type::Int => $integer!(i32),
            $crate::Type::UInt => $integer!(u32),
            $crate::Type::Int64 => $integer!(i64),
            $crate::Type::UInt64 => $integer!(u64),
            $crate::Type::Float => $float!(f32),
            $crate::Type::Double => $float!(f64),
            $crate::Type::Char | $crate::Type::String | $crate::Type::User(_) => $other,
        }
    };
}
