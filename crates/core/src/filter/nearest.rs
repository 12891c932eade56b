//! Rounding of floats to the nearest integer, ties to even, in operations that every processor has vectors of.
//!
//! `round_ties_even` of the standard library is a function call for each number on x86-64 without SSE4.1.

macro_rules! nearest {
    ($name:ident, $float:ty) => {
        /// `x`, rounded to the nearest integer. Ties go to the even one. The sign of zero stays.
        #[inline(always)]
        pub(super) fn $name(x: $float) -> $float {
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

    proptest! {
        #[test]
        fn as_the_standard_library_rounds(bits in any::<u64>(), small in -1e6..1e6) {
            let (x, y) = (f64::from_bits(bits), f32::from_bits(bits as u32));
            for x in [x, small] {
                prop_assert!(x.is_nan() || nearest_f64(x).to_bits() == x.round_ties_even().to_bits());
            }
            for y in [y, small as f32] {
                prop_assert!(y.is_nan() || nearest_f32(y).to_bits() == y.round_ties_even().to_bits());
            }
        }
    }
}
