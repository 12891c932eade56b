//! Dates as a user gives them: `2000-02` is all of February.

use std::cmp::Ordering;

use super::calendar::{Calendar, Date, MAX_YEAR};
use super::time_format::TimeFormat;
use super::units::TimeUnit;

/// Microseconds in a second.
const SECOND: f64 = 1e6;

/// A date with its time of day, or only the first parts of it. Such a date is the whole period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialDate {
    /// Year, month, day, hour, minute, second and microsecond, as far as they were given: at least the first two.
    fields: Vec<i64>,
}

impl PartialDate {
    /// Parses `Y` of four digits, `Y-M`, `Y-M-D`, or `Y-M-D` with `H`, `H:M`, `H:M:S` or `H:M:S.F` after a `T` or a space. A `Z` may be at
    /// the end.
    ///
    /// # Errors
    /// A text that says what is wrong, after the date: what has not that form, and what `calendar` lacks.
    pub fn parse(text: &str, calendar: Calendar) -> Result<Self, String> {
        let fields = fields(text).ok_or("is no date, such as 2000, 2000-02 or 2000-02-03T12:30")?;
        let lacks = |what: &str| Err(format!("is no date of the calendar, which lacks {what}"));
        if calendar == Calendar::None {
            return lacks("years");
        }
        let (year, month) = (fields[0], fields.get(1).copied().unwrap_or(1));
        if year.abs() > MAX_YEAR {
            return lacks("such years");
        }
        if !(1..=12).contains(&month) {
            return lacks("this month");
        }
        if let Some(day) = fields.get(2)
            && !calendar.has_day(year, month, *day)
        {
            return lacks("this day");
        }
        let limits = [24, 60, 60];
        if fields.iter().skip(3).zip(limits).any(|(n, limit)| *n >= limit) {
            return lacks("this time of day");
        }
        Ok(Self { fields })
    }

    /// The order of two dates, as far as both were given.
    pub fn compare(&self, other: &Self) -> Ordering {
        let both = self.fields.len().min(other.fields.len());
        self.fields[..both].cmp(&other.fields[..both])
    }

    /// The beginning of the period.
    fn beginning(&self) -> Date {
        let field = |n: usize, least: i64| self.fields.get(n).copied().unwrap_or(least);
        let seconds = field(5, 0) as f64 + field(6, 0) as f64 / SECOND;
        Date {
            year: field(0, 0),
            month: field(1, 1),
            day: field(2, 1),
            hour: field(3, 0) as f64 + field(4, 0) as f64 / 60.0 + seconds / 3600.0,
        }
    }
}

impl TimeFormat {
    /// The order of the time `value` and a date: `Equal` if it is within the period. `precision` is the distance from
    /// `value` to the next number that its type can hold. A time that is this close to a whole second counts as that.
    /// `None` if the time has no date.
    pub fn compare(&self, value: f64, precision: f64, date: &PartialDate) -> Option<Ordering> {
        let fields = self.fields(value, precision)?;
        Some(fields[..date.fields.len()].cmp(&date.fields))
    }

    /// Hours between the time `value` and the beginning of a date; `None` if the time has no date.
    pub fn distance(&self, value: f64, date: &PartialDate) -> Option<f64> {
        let at = self.date(value).filter(Date::is_valid)?;
        Some((self.absolute_hours(&at) - self.absolute_hours(&date.beginning())).abs())
    }

    /// Year, month, day, hour, minute, second and microsecond of a time.
    fn fields(&self, value: f64, precision: f64) -> Option<[i64; 7]> {
        let unit = match self.unit() {
            TimeUnit::Second => 1.0,
            TimeUnit::Minute => 60.0,
            TimeUnit::Hour => 3600.0,
            TimeUnit::Day => 86_400.0,
            TimeUnit::Week => 604_800.0,
            TimeUnit::Month | TimeUnit::Season | TimeUnit::Year => 0.0,
        };
        let near = (4.0 * precision * unit * SECOND).clamp(1.0, SECOND / 2.0);
        let mut date = self.date(value).filter(Date::is_valid)?;
        let mut time = (date.hour * 3600.0 * SECOND).round();
        let second = (time / SECOND).round() * SECOND;
        if (time - second).abs() <= near {
            time = second;
        }
        if time >= 86_400.0 * SECOND {
            // Midnight of the next day.
            date = self
                .date(value + (2.0 * near / SECOND) / unit.max(1.0))
                .filter(Date::is_valid)?;
            time = 0.0;
        }
        let time = time as i64;
        let (seconds, micro) = (time / 1_000_000, time % 1_000_000);
        Some([
            date.year,
            date.month,
            date.day,
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            micro,
        ])
    }
}

/// The parts of a date; `None` if it has another form.
fn fields(text: &str) -> Option<Vec<i64>> {
    let text = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let number = |text: &str, most: usize| -> Option<i64> {
        let digits = !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    let mut fields = Vec::with_capacity(7);
    for (n, part) in date.split('-').enumerate() {
        match n {
            0 => fields.push(number(part, 9)? * if negative { -1 } else { 1 }),
            1 | 2 => fields.push(number(part, 2)?),
            _ => return None,
        }
    }
    let Some(time) = time else {
        let is_year = !negative && date.len() == 4;
        return (fields.len() >= 2 || is_year).then_some(fields);
    };
    if fields.len() != 3 {
        return None;
    }
    let (time, fraction) = match time.split_once('.') {
        Some((time, fraction)) => (time, Some(fraction)),
        None => (time, None),
    };
    for (n, part) in time.split(':').enumerate() {
        match n {
            0..3 => fields.push(number(part, 2)?),
            _ => return None,
        }
    }
    if let Some(fraction) = fraction {
        if fields.len() != 6 {
            return None;
        }
        number(fraction, 18)?;
        let micro: String = fraction.chars().chain("000000".chars()).take(6).collect();
        fields.push(micro.parse().ok()?);
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{DateSeparator, TimeUnits};

    fn compare(units: &str, calendar: Calendar, value: f64, date: &str) -> Option<Ordering> {
        let units = TimeUnits::parse(units, calendar).unwrap();
        let format = TimeFormat::new(&units, calendar, DateSeparator::T);
        let precision = f64::from_bits(value.abs().to_bits() + 1) - value.abs();
        format.compare(value, precision, &PartialDate::parse(date, calendar).unwrap())
    }

    #[test]
    fn a_partial_date_is_its_whole_period() {
        use Ordering::{Equal, Greater, Less};
        let days = "days since 2000-01-01";
        for (value, date, order) in [
            (-0.5, "2000", Less),
            (365.999, "2000", Equal),
            (366.0, "2000", Greater),
            (30.999, "2000-02", Less),
            (31.0, "2000-02", Equal),
            (59.999, "2000-02", Equal),
            (60.0, "2000-02", Greater),
            (31.5, "2000-02-01", Equal),
            (31.5, "2000-02-01T12", Equal),
            (31.5, "2000-02-01 12:00", Equal),
            (31.5, "2000-02-01T11", Greater),
            (31.5, "2000-02-01T12:00:00Z", Equal),
            (31.5, "2000-02-01T12:00:00.5", Less),
            (-1.0, "1999-12-31", Equal),
        ] {
            assert_eq!(
                compare(days, Calendar::Mixed, value, date),
                Some(order),
                "{value} {date}"
            );
        }
    }

    #[test]
    fn times_that_cannot_be_held_exactly_are_whole_seconds() {
        for hour in 0..2000 {
            let value = 73_000.0 + f64::from(hour) / 24.0;
            let date = format!("{:02}", hour % 24);
            let units = "days since 1800-01-01";
            let day = TimeUnits::parse(units, Calendar::Mixed).unwrap();
            let shown = TimeFormat::new(&day, Calendar::Mixed, DateSeparator::T);
            let mut text = Vec::new();
            shown.push(&mut text, 73_000.0 + f64::from(hour / 24));
            let text = String::from_utf8(text).unwrap().replace('"', "");
            let date = format!("{text}T{date}:00:00");
            assert_eq!(
                compare(units, Calendar::Mixed, value, &date),
                Some(Ordering::Equal),
                "{date}"
            );
        }
    }

    #[test]
    fn what_the_calendar_lacks_is_refused() {
        let parse = |text: &str, calendar| PartialDate::parse(text, calendar).map(|date| date.fields);
        for (text, calendar) in [
            ("2001-02-29", Calendar::Mixed),
            ("1582-10-10", Calendar::Mixed),
            ("1900-02-29", Calendar::ProlepticGregorian),
            ("2000-02-29", Calendar::NoLeap),
            ("2000-01-31", Calendar::Days360),
            ("2000-13", Calendar::Mixed),
            ("2000-00", Calendar::Mixed),
            ("2000-01-00", Calendar::Mixed),
            ("2000-01-01T24", Calendar::Mixed),
            ("2000-01-01T12:60", Calendar::Mixed),
            ("2000-01", Calendar::None),
            ("9999999-01", Calendar::Mixed),
        ] {
            let told = parse(text, calendar).unwrap_err();
            assert!(told.contains("which lacks"), "{text}: {told}");
        }
        for (text, calendar) in [
            ("1900-02-29", Calendar::Julian),
            ("1500-02-29", Calendar::Mixed),
            ("1582-10-10", Calendar::ProlepticGregorian),
            ("2001-02-30", Calendar::Days360),
            ("2001-02-29", Calendar::AllLeap),
            ("-44-3-15", Calendar::Mixed),
        ] {
            assert!(parse(text, calendar).is_ok(), "{text}");
        }
        for text in [
            "",
            "200",
            "-2000",
            "2000-",
            "2000-1-",
            "x-1",
            "2000-01T12",
            "2000-01-01T",
            "2000-01-01T12:",
            "2000-1-1-1",
            "2000-01-01T12:00:00.",
            "2000-01-01T12.5",
            "20000000000-01",
            "2000-001",
            "2000-01-01T1:2:3:4",
        ] {
            assert!(
                parse(text, Calendar::Mixed)
                    .unwrap_err()
                    .contains("is no date, such as"),
                "{text}"
            );
        }
    }

    #[test]
    fn distances_cross_the_switch_of_1582() {
        let units = TimeUnits::parse("days since 1582-10-01", Calendar::Mixed).unwrap();
        let format = TimeFormat::new(&units, Calendar::Mixed, DateSeparator::T);
        let date = PartialDate::parse("1582-10-15", Calendar::Mixed).unwrap();
        assert_eq!(format.distance(3.0, &date), Some(24.0));
        assert_eq!(format.distance(5.5, &date), Some(36.0));
    }
}
