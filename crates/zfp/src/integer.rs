//! [`Integer`]: the two types of integers that blocks are transformed in.

/// A signed integer. All arithmetic wraps around, as numbers near the ends of the range need.
pub trait Integer: Copy + Default + Ord {
    /// Bits of a number, which are the most bit planes of a block.
    const BITS: u32;
    /// Bits of the field that holds a number of bit planes.
    const PRECISION_BITS: u32;

    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The difference.
    fn minus(self, other: Self) -> Self;
    /// Half of it, rounded down.
    fn half(self) -> Self;
    /// Digits in base −2. Small numbers of both signs have few of them.
    fn to_negabinary(self) -> u64;
    /// The number with such digits.
    fn from_negabinary(digits: u64) -> Self;
}

macro_rules! integer {
    ($integer:ty, $unsigned:ty) => {
        impl Integer for $integer {
            const BITS: u32 = <$integer>::BITS;
            const PRECISION_BITS: u32 = <$integer>::BITS.ilog2();

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn half(self) -> Self {
                self >> 1
            }

            #[inline(always)]
            fn to_negabinary(self) -> u64 {
                // Each second digit counts negatively.
                const ODD: $unsigned = <$unsigned>::MAX / 3 * 2;
                ((self as $unsigned).wrapping_add(ODD) ^ ODD).into()
            }

            #[inline(always)]
            fn from_negabinary(digits: u64) -> Self {
                const ODD: $unsigned = <$unsigned>::MAX / 3 * 2;
                (digits as $unsigned ^ ODD).wrapping_sub(ODD) as $integer
            }
        }
    };
}

integer!(i32, u32);
integer!(i64, u64);
