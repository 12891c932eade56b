//! IEEE 754 binary16, which netCDF does not have. It is read as `float`.

/// The same number as a `float`. Every binary16 has one.
pub fn half_to_float(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x3ff);
    let magnitude = match exponent {
        // Zero and subnormal numbers: multiples of 2^-24.
        0 => (fraction as f32 * 2f32.powi(-24)).to_bits(),
        0x1f => 0xff << 23 | fraction << 13,
        _ => (exponent + 127 - 15) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest number that binary16 has, rounded half to even. Infinite if the number is too large.
pub fn rounded_to_half(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    // Distance of neighbours in binary16 at this magnitude: 2^-10 of the power of two below, at least 2^-24.
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    let step = 2f64.powi(exponent.max(-14) - 10);
    let rounded = (value / step).round_ties_even() * step;
    match rounded.abs() > 65504.0 {
        true => f64::INFINITY.copysign(value),
        false => rounded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_each_kind() {
        for (half, number) in [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 6.103515625e-5),
            (0x0001, 5.960464477539063e-8),
            (0x03ff, 6.097555160522461e-5),
            (0x3555, 0.333251953125),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(
                f64::from(half_to_float(half)).to_bits(),
                f64::to_bits(number),
                "{half:x}"
            );
        }
        assert!(half_to_float(0x7e00).is_nan());
    }

    #[test]
    fn every_half_is_its_own_nearest_and_so_is_what_lies_beside() {
        for half in 0..0x7c00u16 {
            let value = f64::from(half_to_float(half));
            assert_eq!(rounded_to_half(value), value);
            assert_eq!(rounded_to_half(-value), -value);
            let next = f64::from(half_to_float(half + 1));
            if next.is_finite() {
                let middle = (value + next) / 2.0;
                let even = if half & 1 == 0 { value } else { next };
                assert_eq!(rounded_to_half(middle), even, "{half:x}");
                assert_eq!(rounded_to_half(middle.next_up()), next, "{half:x}");
                assert_eq!(rounded_to_half(middle.next_down()), value, "{half:x}");
            }
        }
        assert_eq!(rounded_to_half(65519.9), 65504.0);
        assert_eq!(rounded_to_half(65520.0), f64::INFINITY);
        assert_eq!(rounded_to_half(-1e300), f64::NEG_INFINITY);
        assert_eq!(rounded_to_half(0.1), 0.0999755859375);
    }
}
