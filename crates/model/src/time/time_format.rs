//! Formats numbers as dates.

use std::io::Write;

use super::calendar::{Calendar, Date, HALF_MICROSECOND, Reckoning};
use super::units::{TimeUnit, TimeUnits};
use crate::Type;
use crate::not_finite::not_finite;

/// Character between date and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateSeparator {
    /// A space, as `ncdump -t` prints it.
    Space,
    /// The `T` of ISO 8601 (`ncdump -i`).
    T,
}

/// Formats times of one unit and calendar.
#[derive(Debug, Clone)]
pub struct TimeFormat {
    separator: u8,
    /// True if dates have no year.
    yearless: bool,
    unit: TimeUnit,
    counting: Counting,
}

/// Conversion of a number to a date.
#[derive(Debug, Clone)]
enum Counting {
    /// Adds months to the base date. The result is at the first of the month.
    Months { reckoning: Reckoning, base: Date },
    /// Adds hours to the base.
    Hours { reckoning: Reckoning, base: f64 },
    /// Adds hours to a base before or after the switch of 1582.
    Mixed {
        base: f64,
        /// True if the base is before the switch.
        before: bool,
        /// Hours from the base to the switch.
        to_switch: f64,
    },
}

/// The first day of the Gregorian calendar, and the same day's Julian date.
pub(super) const SWITCH: Date = Date::midnight(1582, 10, 15);
pub(super) const SWITCH_JULIAN: Date = Date::midnight(1582, 10, 5);
/// Origin of the hours in the mixed calendar. The choice only affects the last bit of fractions.
const ORIGIN: Date = Date::midnight(1979, 1, 1);
/// Maximum number of months that are added.
const MAX_MONTHS: f64 = 60e6;

impl TimeFormat {
    /// Formats numbers in `units` by `calendar`.
    pub fn new(units: &TimeUnits, calendar: Calendar, separator: DateSeparator) -> Self {
        let reckoning = Reckoning::of(calendar);
        let base = units.base;
        let counting = match units.unit {
            TimeUnit::Month | TimeUnit::Season | TimeUnit::Year => Counting::Months { reckoning, base },
            _ if calendar == Calendar::Mixed => Counting::mixed(&base),
            _ => Counting::Hours {
                reckoning,
                base: reckoning.hours(&base),
            },
        };
        Self {
            separator: match separator {
                DateSeparator::Space => b' ',
                DateSeparator::T => b'T',
            },
            yearless: calendar == Calendar::None,
            unit: units.unit,
            counting,
        }
    }

    /// Appends the date of `value` in quotes, or `NaN`, `Infinity` or `-Infinity`. Returns false, and appends nothing,
    /// if the date is invalid: it is millions of years away, or the base date is invalid.
    pub fn push(&self, out: &mut Vec<u8>, value: f64) -> bool {
        if let Some(word) = not_finite(value) {
            out.extend_from_slice(word);
            return true;
        }
        match self.date(value).filter(Date::is_valid) {
            Some(date) => {
                self.push_date(out, &date);
                true
            }
            None => false,
        }
    }

    /// Like [`TimeFormat::push`], for an element of a numeric type as the model stores it. Returns false for other
    /// types.
    pub fn push_element(&self, out: &mut Vec<u8>, ty: Type, bytes: &[u8]) -> bool {
        number(ty, bytes).is_some_and(|value| self.push(out, value))
    }

    /// The date of a number.
    pub(super) fn date(&self, value: f64) -> Option<Date> {
        match &self.counting {
            Counting::Months { reckoning, base } => {
                if value == 0.0 {
                    return Some(*base);
                }
                let months = match self.unit {
                    TimeUnit::Season => 3.0 * value,
                    TimeUnit::Year => 12.0 * value,
                    _ => value,
                };
                // Only whole months are added. A rounding error just below a whole month is corrected.
                let months = (months + 1e-10f64.copysign(value)).trunc();
                if months.abs() > MAX_MONTHS {
                    return None;
                }
                let from = reckoning.date(reckoning.hours(base))?;
                let months = from.month - 1 + months as i64;
                let date = Date::midnight(from.year + months.div_euclid(12), months.rem_euclid(12) + 1, 1);
                reckoning.date(reckoning.hours(&date))
            }
            Counting::Hours { reckoning, base } => reckoning.date(base + self.hours(value)),
            Counting::Mixed {
                base,
                before,
                to_switch,
            } => {
                let hours = self.hours(value);
                let (reckoning, hours) = match (before, hours < *to_switch) {
                    (true, true) => (Reckoning::Julian, base + hours),
                    (true, false) => (
                        Reckoning::Gregorian,
                        hours_since_origin(Reckoning::Gregorian, &SWITCH) + (hours - to_switch),
                    ),
                    (false, false) => (Reckoning::Gregorian, base + hours),
                    (false, true) => (
                        Reckoning::Julian,
                        hours_since_origin(Reckoning::Julian, &SWITCH_JULIAN) + (hours - to_switch),
                    ),
                };
                let date = reckoning.date(reckoning.hours(&ORIGIN) + hours)?;
                // The last Julian day, rounded up.
                let beyond = reckoning == Reckoning::Julian && !date.is_before(&SWITCH_JULIAN);
                Some(if beyond { SWITCH } else { date })
            }
        }
    }

    /// The unit of the numbers.
    pub(super) fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// Hours from an origin that is the same for all dates of the calendar.
    pub(super) fn absolute_hours(&self, date: &Date) -> f64 {
        match &self.counting {
            Counting::Months { reckoning, .. } | Counting::Hours { reckoning, .. } => reckoning.hours(date),
            Counting::Mixed { .. } if date.is_before(&SWITCH) => {
                Reckoning::Julian.hours(date) - Reckoning::Julian.hours(&SWITCH_JULIAN)
            }
            Counting::Mixed { .. } => Reckoning::Gregorian.hours(date) - Reckoning::Gregorian.hours(&SWITCH),
        }
    }

    fn hours(&self, value: f64) -> f64 {
        match self.unit {
            TimeUnit::Second => value / 3600.0,
            TimeUnit::Minute => value / 60.0,
            TimeUnit::Day => 24.0 * value,
            TimeUnit::Week => 168.0 * value,
            _ => value,
        }
    }

    /// Appends a date in its shortest form: trailing seconds, minutes and hours are left out if they are 0. A time less
    /// than half a microsecond below a whole second, minute or hour is rounded up.
    fn push_date(&self, out: &mut Vec<u8>, date: &Date) {
        let hour = (date.hour + HALF_MICROSECOND).trunc();
        let minutes = 60.0 * (date.hour - hour);
        let minute = (minutes + HALF_MICROSECOND * 60.0).trunc();
        let seconds = 60.0 * (minutes - minute);
        let second = (seconds + HALF_MICROSECOND * 3600.0).trunc();
        let fraction = seconds - second >= HALF_MICROSECOND * 3600.0;
        out.push(b'"');
        if !self.yearless {
            if date.year < 0 {
                out.push(b'-');
            }
            match date.year.unsigned_abs() {
                year @ 0..10_000 => {
                    push_two(out, year / 100);
                    push_two(out, year % 100);
                }
                year => out.extend_from_slice(year.to_string().as_bytes()),
            }
            out.push(b'-');
        }
        push_two(out, date.month as u64);
        out.push(b'-');
        push_two(out, date.day as u64);
        let shown = [true, hour > 0.0, minute > 0.0, second > 0.0, fraction];
        let last = shown.iter().rposition(|shown| *shown).unwrap_or(0);
        if last >= 1 {
            out.push(self.separator);
            push_two(out, hour as u64);
        }
        if last >= 2 {
            out.push(b':');
            push_two(out, minute as u64);
        }
        if fraction {
            let _ = write!(out, ":{seconds:.6}");
        } else if last >= 3 {
            out.push(b':');
            push_two(out, second as u64);
        }
        out.push(b'"');
    }
}

/// Appends a number below 100 with two digits.
fn push_two(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&[b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
}

impl Counting {
    fn mixed(base: &Date) -> Self {
        let before = base.is_before(&SWITCH);
        let (reckoning, switch) = if before {
            (Reckoning::Julian, &SWITCH_JULIAN)
        } else {
            (Reckoning::Gregorian, &SWITCH)
        };
        let base = hours_since_origin(reckoning, base);
        Self::Mixed {
            base,
            before,
            to_switch: hours_since_origin(reckoning, switch) - base,
        }
    }
}

fn hours_since_origin(reckoning: Reckoning, date: &Date) -> f64 {
    reckoning.hours(date) - reckoning.hours(&ORIGIN)
}

/// The value of an element of a numeric type, as a double.
fn number(ty: Type, bytes: &[u8]) -> Option<f64> {
    macro_rules! read {
        ($ty:ty) => {{
            let bytes = bytes.get(..size_of::<$ty>())?;
            <$ty>::from_le_bytes(bytes.try_into().ok()?) as f64
        }};
    }
    Some(match ty {
        Type::Byte => read!(i8),
        Type::UByte => read!(u8),
        Type::Short => read!(i16),
        Type::UShort => read!(u16),
        Type::Int => read!(i32),
        Type::UInt => read!(u32),
        Type::Int64 => read!(i64),
        Type::UInt64 => read!(u64),
        Type::Float => read!(f32),
        Type::Double => read!(f64),
        Type::Char | Type::String | Type::User(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(units: &str, calendar: Calendar, value: f64) -> String {
        let units = TimeUnits::parse(units, calendar).unwrap();
        let mut out = Vec::new();
        let format = TimeFormat::new(&units, calendar, DateSeparator::T);
        assert_eq!(format.push(&mut out, value), !out.is_empty());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn is_as_short_as_the_time_allows() {
        for (value, text) in [
            (3.0, "\"1990-01-04\""),
            (5.5, "\"1990-01-06T12\""),
            (0.1, "\"1990-01-01T02:24\""),
            (-1.0 / 86_400.0, "\"1989-12-31T23:59:59\""),
            (0.9999999999999, "\"1990-01-02\""),
            (1.0 / 864_000.0, "\"1990-01-01T00:00:0.100000\""),
            (0.51, "\"1990-01-01T12:14:24\""),
            (10.123456, "\"1990-01-11T02:57:46.598400\""),
            (-700_000.5, "\"0073-06-20T12\""),
            (f64::NAN, "NaN"),
            (1e10, ""),
            (-1e300, ""),
        ] {
            assert_eq!(shown("days since 1990-01-01", Calendar::Mixed, value), text);
        }
        assert_eq!(
            shown("s since 2000-1-1", Calendar::NoLeap, 7.0),
            "\"2000-01-01T00:00:07\""
        );
    }

    #[test]
    fn the_switch_of_1582() {
        for (units, value, text) in [
            ("days since 1582-10-16", -1.0, "\"1582-10-15\""),
            ("days since 1582-10-16", -2.0, "\"1582-10-04\""),
            ("days since 1582-10-04", 1.0, "\"1582-10-15\""),
            ("days since 1582-10-04", 0.5, "\"1582-10-04T12\""),
            ("days since 1582-10-04", 0.9999999999999, "\"1582-10-15\""),
            ("hours since 0001-01-01", -24.0, "\"0000-12-31\""),
        ] {
            assert_eq!(shown(units, Calendar::Mixed, value), text);
        }
    }

    #[test]
    fn months_begin_with_their_first_day() {
        let units = "months since 2000-01-15 06";
        for (value, text) in [
            (0.0, "\"2000-01-15T06\""),
            (3.0, "\"2000-04-01\""),
            (0.5, "\"2000-01-01\""),
            (-1.0, "\"1999-12-01\""),
            (-25.0, "\"1997-12-01\""),
            (1e9, ""),
        ] {
            assert_eq!(shown(units, Calendar::Mixed, value), text);
        }
        assert_eq!(
            shown("years since 2000", Calendar::Days360, 2.5),
            "\"2002-07-01\""
        );
        assert_eq!(shown("months since 0-0-0", Calendar::Mixed, 0.0), "");
    }

    #[test]
    fn without_years_the_year_begins_again() {
        assert_eq!(
            shown("days since 3-5 6:30", Calendar::None, 400.0),
            "\"04-09T06:30\""
        );
        assert_eq!(shown("months since 11-5", Calendar::None, 3.0), "\"02-01\"");
    }

    #[test]
    fn threads_can_share_it() {
        fn shared<T: Send + Sync>() {}
        shared::<TimeFormat>();
    }

    #[test]
    fn no_units_and_value_stop_it() {
        for calendar in [
            Calendar::Mixed,
            Calendar::Julian,
            Calendar::NoLeap,
            Calendar::AllLeap,
            Calendar::Days360,
            Calendar::None,
        ] {
            for unit in ["s", "weeks", "months", "seasons", "years"] {
                for base in [
                    "5000000",
                    "-5000000-32767-32767 23:59:60",
                    "0-0-0",
                    "1582-10-15",
                    "9999-12-31",
                ] {
                    let Some(units) = TimeUnits::parse(&format!("{unit} since {base}"), calendar) else {
                        continue;
                    };
                    let format = TimeFormat::new(&units, calendar, DateSeparator::T);
                    for value in [0.0, 1e-320, 0.5, 59_999_999.0, 3e8, 1e11, 1e18, f64::MAX] {
                        let mut out = Vec::new();
                        format.push(&mut out, value);
                        format.push(&mut out, -value);
                        assert!(out.len() < 80);
                    }
                }
            }
        }
        assert_eq!(
            shown("years since 5000000", Calendar::Mixed, 12345.0),
            "\"5012345-01-01\""
        );
        assert_eq!(shown("years since -44", Calendar::Mixed, -1.0), "\"-0045-01-01\"");
    }

    #[test]
    fn elements_of_all_numeric_types() {
        let units = TimeUnits::parse("days since 2000-01-01", Calendar::Mixed).unwrap();
        let format = TimeFormat::new(&units, Calendar::Mixed, DateSeparator::Space);
        let mut out = Vec::new();
        assert!(format.push_element(&mut out, Type::Byte, &[0xff]));
        assert!(format.push_element(&mut out, Type::UByte, &[0xff]));
        assert!(format.push_element(&mut out, Type::Float, &0.5f32.to_le_bytes()));
        assert!(!format.push_element(&mut out, Type::Char, b"a"));
        assert!(!format.push_element(&mut out, Type::Int64, &i64::MAX.to_le_bytes()));
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\"1999-12-31\"\"2000-09-12\"\"2000-01-01 12\""
        );
    }
}
