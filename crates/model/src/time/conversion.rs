//! [`TimeConversion`]: numbers of one time unit as numbers of another, without rounding.

use super::calendar::{Calendar, Date, Reckoning};
use super::short_units::ShortUnits;
use super::time_format::{SWITCH, SWITCH_JULIAN};

/// A stored number, exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeNumber {
    /// Of an integer type.
    Integer(i128),
    /// Of a float type.
    Float(f64),
}

/// Converts numbers of one time unit to another: `hours since 2000-01-02` to `days since 2000-01-01`. The result is a
/// fraction of integers, so that a rounded value is never taken for an exact one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeConversion {
    /// Length of one unit of the source. This and the others have one unit, which is a whole number of nanoseconds.
    from: i128,
    /// Length of one unit of the result.
    to: i128,
    /// Time from the base of the result to the base of the source.
    offset: i128,
}

/// The fraction `numerator / (denominator · 2^shift)`.
#[derive(Debug, Clone, Copy)]
struct Fraction {
    numerator: i128,
    denominator: i128,
    shift: u32,
}

impl TimeConversion {
    /// The conversion of `from` to `to`, both by `calendar`. `None` if one of them counts calendar months or years, whose
    /// lengths differ, and they are not the same.
    pub fn new(from: impl Into<ShortUnits>, to: impl Into<ShortUnits>, calendar: Calendar) -> Option<Self> {
        let (from, to) = (from.into(), to.into());
        let base = |of: &ShortUnits| microseconds(&of.units.base, calendar);
        let offset = (base(&from)?).checked_sub(base(&to)?)?.checked_mul(1_000)?;
        if (from.units.unit, from.nanoseconds) == (to.units.unit, to.nanoseconds) && offset == 0 {
            return Some(Self {
                from: 1,
                to: 1,
                offset: 0,
            });
        }
        let (from, to) = (from.length()?, to.length()?);
        // The longest unit of all leaves most room for large numbers.
        let common = greatest_common_divisor(from.unsigned_abs(), to.unsigned_abs());
        let common = i128::try_from(greatest_common_divisor(common, offset.unsigned_abs())).ok()?;
        Some(Self {
            from: from / common,
            to: to / common,
            offset: offset / common,
        })
    }

    /// The lengths that the conversion is made of, for [`of_lengths`](Self::of_lengths): of a unit of the source, of a unit of the
    /// result, and from the base of the result to that of the source.
    pub fn lengths(&self) -> [i128; 3] {
        [self.from, self.to, self.offset]
    }

    /// The conversion that is made of these [`lengths`](Self::lengths). `None` for units without a length.
    pub fn of_lengths([from, to, offset]: [i128; 3]) -> Option<Self> {
        (from > 0 && to > 0).then_some(Self { from, to, offset })
    }

    /// True if each number stays as it is.
    pub fn is_identity(&self) -> bool {
        self.from == self.to && self.offset == 0
    }

    /// The converted number, if an integer is its exact value.
    pub fn exact_integer(&self, number: TimeNumber) -> Option<i128> {
        let fraction = self.fraction(number)?.reduced();
        (fraction.denominator == 1 && fraction.shift == 0).then_some(fraction.numerator)
    }

    /// The converted number, if a float with a significand of `bits` bits (24 or 53) is its exact value.
    pub fn exact_float(&self, number: TimeNumber, bits: u32) -> Option<f64> {
        let mut fraction = self.fraction(number)?.reduced();
        if fraction.denominator.count_ones() != 1 {
            return None;
        }
        fraction.shift += fraction.denominator.trailing_zeros();
        if fraction.numerator == 0 {
            return Some(0.0);
        }
        let zeros = fraction.numerator.trailing_zeros();
        let significand = fraction.numerator >> zeros;
        if significand.unsigned_abs() >> bits != 0 {
            return None;
        }
        // Both are exact: the significand has few bits, and the other is a power of two.
        let power = 2f64.powi(zeros as i32 - fraction.shift as i32);
        let value = significand as f64 * power;
        let fits = bits > 24 || f64::from(value as f32) == value;
        (power.is_normal() && value.is_normal() && fits).then_some(value)
    }

    /// The converted number as a double. It may be off by a few units in the last place.
    pub fn rounded(&self, number: TimeNumber) -> f64 {
        match self.fraction(number) {
            Some(Fraction {
                numerator,
                denominator,
                shift,
            }) => numerator as f64 / denominator as f64 / 2f64.powi(shift as i32),
            None => {
                let number = match number {
                    TimeNumber::Integer(number) => number as f64,
                    TimeNumber::Float(number) => number,
                };
                (number * self.from as f64 + self.offset as f64) / self.to as f64
            }
        }
    }

    /// The exact result. `None` for what is not finite, and for numbers so large or small that the fraction does not fit.
    fn fraction(&self, number: TimeNumber) -> Option<Fraction> {
        let (significand, exponent) = match number {
            TimeNumber::Integer(number) => (number, 0),
            TimeNumber::Float(number) => parts(number)?,
        };
        let (significand, shift) = match u32::try_from(exponent) {
            Ok(up) if significand.unsigned_abs().leading_zeros() > up + 1 => (significand << up, 0),
            Ok(_) => return None,
            Err(_) => (significand, exponent.unsigned_abs()),
        };
        let scaled = significand.checked_mul(self.from)?;
        let offset = match self.offset {
            0 => 0,
            offset if offset.unsigned_abs().leading_zeros() > shift.saturating_add(1) => offset << shift,
            _ => return None,
        };
        Some(Fraction {
            numerator: scaled.checked_add(offset)?,
            denominator: self.to,
            shift,
        })
    }
}

impl Fraction {
    /// The same number in lowest terms: `numerator` and `denominator` have no common divisor, and `numerator` is odd or `shift`
    /// is 0.
    fn reduced(self) -> Self {
        if self.numerator == 0 {
            return Self {
                numerator: 0,
                denominator: 1,
                shift: 0,
            };
        }
        let common = greatest_common_divisor(self.numerator.unsigned_abs(), self.denominator.unsigned_abs());
        let common = i128::try_from(common).unwrap_or(1);
        let (numerator, denominator) = (self.numerator / common, self.denominator / common);
        let twos = numerator.trailing_zeros().min(self.shift);
        Self {
            numerator: numerator >> twos,
            denominator,
            shift: self.shift - twos,
        }
    }
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Significand and exponent of 2 of a finite number. The significand is odd, or 0.
fn parts(number: f64) -> Option<(i128, i32)> {
    if !number.is_finite() {
        return None;
    }
    if number == 0.0 {
        return Some((0, 0));
    }
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i128;
    let (significand, exponent) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    };
    let zeros = significand.trailing_zeros();
    let significand = significand >> zeros;
    let signed = if number < 0.0 { -significand } else { significand };
    Some((signed, exponent + zeros as i32))
}

/// Microseconds from the beginning of 1970 to a date. `None` for a date that the calendar does not have.
fn microseconds(date: &Date, calendar: Calendar) -> Option<i128> {
    if calendar == Calendar::None || !date.is_valid() || !calendar.has_day(date.year, date.month, date.day) {
        return None;
    }
    let days = match calendar {
        Calendar::Mixed if date.is_before(&SWITCH) => {
            let to_switch = Reckoning::Julian.days(date) - Reckoning::Julian.days(&SWITCH_JULIAN);
            Reckoning::Gregorian.days(&SWITCH) + to_switch
        }
        _ => Reckoning::of(calendar).days(date),
    };
    let of_day = (date.hour * 3.6e9).round();
    of_day
        .is_finite()
        .then_some(i128::from(days) * 86_400_000_000 + of_day as i128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::TimeUnits;

    fn conversion(from: &str, to: &str, calendar: Calendar) -> Option<TimeConversion> {
        let units = |text| TimeUnits::parse(text, calendar).unwrap();
        TimeConversion::new(units(from), units(to), calendar)
    }

    fn exact(from: &str, to: &str, number: f64) -> Option<f64> {
        conversion(from, to, Calendar::Mixed)
            .unwrap()
            .exact_float(TimeNumber::Float(number), 53)
    }

    #[test]
    fn exact_values_have_exact_forms() {
        for (from, to, number, expected) in [
            ("days since 2001-01-01", "days since 2000-01-01", 0.5, Some(366.5)),
            ("hours since 2000-01-01", "days since 2000-01-01", 36.0, Some(1.5)),
            ("hours since 2000-01-01", "days since 2000-01-01", 1.0, None),
            (
                "days since 2000-01-01",
                "hours since 2000-01-01 06:30",
                1.25,
                Some(23.5),
            ),
            (
                "seconds since 1970-01-01",
                "days since 1970-01-02",
                0.0,
                Some(-1.0),
            ),
            ("days since 2000-01-02", "days since 2000-01-01", 0.1, None),
            ("days since 2000-01-01", "seconds since 2000-01-01", 0.1, None),
            (
                "days since 2000-01-02",
                "days since 2000-01-01",
                2f64.powi(52),
                Some(2f64.powi(52) + 1.0),
            ),
            (
                "days since 2000-01-02",
                "days since 2000-01-01",
                2f64.powi(53),
                None,
            ),
            ("days since 2000-01-02", "days since 2000-01-01", 1e300, None),
            ("days since 2000-01-02", "days since 2000-01-01", 1e-300, None),
            ("days since 2000-01-01", "days since 2000-01-01", 0.1, Some(0.1)),
            // The mixed calendar leaves out ten days.
            ("days since 1582-10-15", "days since 1582-10-04", 0.0, Some(1.0)),
        ] {
            assert_eq!(exact(from, to, number), expected, "{number} {from} in {to}");
        }
    }

    #[test]
    fn integers_and_floats_of_fewer_bits() {
        let conversion = conversion(
            "hours since 2000-01-01",
            "days since 1999-12-31",
            Calendar::NoLeap,
        )
        .unwrap();
        assert_eq!(conversion.exact_integer(TimeNumber::Integer(48)), Some(3));
        assert_eq!(conversion.exact_integer(TimeNumber::Integer(49)), None);
        assert_eq!(conversion.exact_float(TimeNumber::Integer(24 << 25), 24), None);
        assert_eq!(
            conversion.exact_float(TimeNumber::Integer(24 << 20), 24),
            Some(1_048_577.0)
        );
        assert!((conversion.rounded(TimeNumber::Integer(49)) - 3.041_666_666_666_667).abs() < 1e-12);
    }

    #[test]
    fn units_shorter_than_a_second_are_converted() {
        let short = |text| ShortUnits::parse(text, Calendar::Mixed).unwrap();
        let seconds = TimeUnits::parse("seconds since 2000-01-01", Calendar::Mixed).unwrap();
        let from = short("milliseconds since 2000-01-02");
        let conversion = TimeConversion::new(from, seconds, Calendar::Mixed).unwrap();
        assert_eq!(conversion.exact_integer(TimeNumber::Integer(2_000)), Some(86_402));
        assert_eq!(conversion.exact_integer(TimeNumber::Integer(1)), None);
        let back = TimeConversion::new(seconds, short("ns since 1970-01-01"), Calendar::Mixed).unwrap();
        let years = 946_684_800i128;
        assert_eq!(
            back.exact_integer(TimeNumber::Integer(1)),
            Some((years + 1) * 1_000_000_000)
        );
        assert!(ShortUnits::parse("mseconds since 2000-01-01", Calendar::Mixed).is_none());
        assert!(ShortUnits::parse("ms", Calendar::Mixed).is_none());
    }

    #[test]
    fn months_are_no_fixed_time() {
        let months = |from, to| conversion(from, to, Calendar::Mixed);
        assert!(months("months since 2000-01-01", "days since 2000-01-01").is_none());
        assert!(months("months since 2000-01-01", "months since 2001-01-01").is_none());
        assert!(
            months("months since 2000-01-01", "months since 2000-01-01 00:00")
                .unwrap()
                .is_identity()
        );
    }

    #[test]
    fn calendars_count_their_own_days() {
        for (calendar, days) in [
            (Calendar::Mixed, 366.0),
            (Calendar::NoLeap, 365.0),
            (Calendar::AllLeap, 366.0),
            (Calendar::Days360, 360.0),
            (Calendar::Julian, 366.0),
        ] {
            let conversion = conversion("days since 2001-01-01", "days since 2000-01-01", calendar).unwrap();
            assert_eq!(
                conversion.exact_float(TimeNumber::Float(0.0), 53),
                Some(days),
                "{calendar:?}"
            );
        }
    }
}
