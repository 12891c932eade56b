//! Rounding of floats to the nearest integer, ties to even, in operations that every processor has vectors of.
//!
//! `round_ties_even` of the standard library is a function call for each number on x86-64 without SSE4.1.

macro_rules! nearest {
    ($name:ident, $float:ty) => {
        /// `x`, rounded to the nearest integer. Ties go to the even one. The sign of zero stays.
        #[inline(always)]
        pub(crate) fn $name(x: $float) -> $float {
            // From here on, neighbours are one apart: adding it rounds. Larger floats are integers.
            const ONE_APART: $float = 1.0 / <$float>::EPSILON;
            let rounded = (x.abs() + ONE_APART) - ONE_APART;
            let rounded = if x.abs() < ONE_APART {
                rounded
            } else {
                x.abs()
            };
            rounded.copysign(x)
        }
    };
}

nearest!(nearest_f32, f32);
nearest!(nearest_f64, f64);

/// Conversion of a float to the nearest number of another type, ties to even. Integers take their first or last value for
/// a float beyond them, and 0 for NaN.
pub(crate) trait ToNearest<T> {
    fn to_nearest(self) -> T;
}

macro_rules! to_nearest {
    // An integer in the low bits of a float's mantissa needs no conversion, and none of the instructions that saturate one.
    ($float:ty: $($small:ty)*; $nearest:ident: $($other:ty)*) => {
        $(impl ToNearest<$small> for $float {
            #[inline(always)]
            fn to_nearest(self) -> $small {
                // Floats are one apart here, and still are at the distance of any such integer.
                const ONE_APART: $float = 1.5 / <$float>::EPSILON;
                const MIN: $float = <$small>::MIN as $float;
                const MAX: $float = <$small>::MAX as $float;
                let x = if self.is_nan() { 0.0 } else { self };
                let x = if x > MIN { x } else { MIN };
                let x = if x < MAX { x } else { MAX };
                (x + ONE_APART).to_bits() as $small
            }
        })*
        $(impl ToNearest<$other> for $float {
            #[inline(always)]
            fn to_nearest(self) -> $other {
                $nearest(self) as $other
            }
        })*
    };
}

to_nearest!(f32: i8 i16 u8 u16; nearest_f32: i32 i64 u32 u64 f32 f64);
to_nearest!(f64: i8 i16 i32 u8 u16 u32; nearest_f64: i64 u64 f32 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_signs_and_large_floats() {
        for x in [
            0.0,
            0.5,
            1.5,
            2.5,
            8388607.5,
            8388608.0,
            1e30,
            f32::INFINITY,
            0.49999997,
        ] {
            for x in [x, -x] {
                assert_eq!(nearest_f32(x).to_bits(), x.round_ties_even().to_bits(), "{x}");
            }
        }
        assert!(nearest_f32(f32::NAN).is_nan() && nearest_f64(f64::NAN).is_nan());
    }

    /// The integers that `x` and its negative become are those of the standard library.
    macro_rules! same_integers {
        ($x:expr; $($ty:ty)*) => {
            $(for x in [$x, -$x] {
                let found: $ty = x.to_nearest();
                assert_eq!(found, x.round_ties_even() as $ty, "{x} as {}", stringify!($ty));
            })*
        };
    }

    #[test]
    fn integers_saturate() {
        for exponent in 0..=70 {
            for offset in [-1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5] {
                let x: f64 = f64::powi(2.0, exponent) + offset;
                same_integers!(x; i8 i16 i32 i64 u8 u16 u32 u64);
                same_integers!(x as f32; i8 i16 i32 i64 u8 u16 u32 u64);
            }
        }
        for x in [0.0, f64::INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE] {
            same_integers!(x; i8 i16 i32 i64 u8 u16 u32 u64);
            same_integers!(x as f32; i8 i16 i32 i64 u8 u16 u32 u64);
        }
    }

    proptest! {
        #[test]
        fn as_the_standard_library_rounds(bits in any::<u64>(), small in -1e6f64..1e6) {
            let (x, y) = (f64::from_bits(bits), f32::from_bits(bits as u32));
            same_integers!(small; i8 i16 i32 i64 u8 u16 u32 u64);
            same_integers!(small as f32; i8 i16 i32 i64 u8 u16 u32 u64);
            for x in [x, small] {
                prop_assert!(x.is_nan() || nearest_f64(x).to_bits() == x.round_ties_even().to_bits());
            }
            for y in [y, small as f32] {
                prop_assert!(y.is_nan() || nearest_f32(y).to_bits() == y.round_ties_even().to_bits());
            }
        }
    }
}
