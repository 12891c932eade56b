//! Names of floats that are not finite, for CDL, NcML and dates. netCDF-C prints these names, and Java reads them too.

/// The name of `value`; `None` if it is finite.
pub fn not_finite(value: f64) -> Option<&'static [u8]> {
    match value {
        v if v.is_finite() => None,
        v if v.is_nan() => Some(b"NaN"),
        v if v > 0.0 => Some(b"Infinity"),
        _ => Some(b"-Infinity"),
    }
}
