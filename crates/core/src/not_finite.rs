//! What CDL, NcML and dates call floats that are not finite: the words that netCDF-C prints, which Java reads too.

/// The word for `value`; `None` where it is finite.
pub(crate) fn not_finite(value: f64) -> Option<&'static [u8]> {
    match value {
        v if v.is_finite() => None,
        v if v.is_nan() => Some(b"NaN"),
        v if v > 0.0 => Some(b"Infinity"),
        _ => Some(b"-Infinity"),
    }
}
