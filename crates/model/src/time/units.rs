//! Parses `units` attributes of the form `UNIT since DATE`.

use super::calendar::{Calendar, Date, MAX_YEAR};

/// The unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// `sec…`, `s`.
    Second,
    /// `min…`, `mn`.
    Minute,
    /// `hour…`, `hr`.
    Hour,
    /// `day…`, `dy`.
    Day,
    /// `week…`, `wk`.
    Week,
    /// Calendar months: `month…`, `mo`.
    Month,
    /// Three calendar months: `season…`.
    Season,
    /// Twelve calendar months: `year…`, `yr`.
    Year,
}

impl TimeUnit {
    /// For each unit: the beginning of its long name, and its short name.
    const NAMES: [(&'static str, &'static str, Self); 8] = [
        ("sec", "s", Self::Second),
        ("min", "mn", Self::Minute),
        ("hour", "hr", Self::Hour),
        ("day", "dy", Self::Day),
        ("week", "wk", Self::Week),
        ("month", "mo", Self::Month),
        ("season", "season", Self::Season),
        ("year", "yr", Self::Year),
    ];

    /// The unit of a name, in upper or lower case. As in netCDF-C, only the beginning counts: `days` and `daytime` are
    /// days.
    fn named(name: &str) -> Option<Self> {
        let is = |start: &str, whole: &str| {
            name.eq_ignore_ascii_case(whole)
                || name
                    .as_bytes()
                    .get(..start.len())
                    .is_some_and(|n| n.eq_ignore_ascii_case(start.as_bytes()))
        };
        Self::NAMES
            .iter()
            .find(|(start, whole, _)| is(start, whole))
            .map(|(_, _, unit)| *unit)
    }
}

/// A parsed `units` attribute of a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnits {
    /// The unit.
    pub unit: TimeUnit,
    /// The base date.
    pub base: Date,
}

impl TimeUnits {
    /// Parses `text`; `None` if it is not the unit of a time. `Yrs`, `h` and `d` are not, as in netCDF-C. A time zone
    /// after the date is ignored.
    pub fn parse(text: &str, calendar: Calendar) -> Option<Self> {
        let text = text.trim_ascii_start();
        let (name, rest) = text.split_once(|c: char| c.is_ascii_whitespace())?;
        let unit = TimeUnit::named(name)?;
        let when = rest.trim_ascii_start().strip_prefix("since")?;
        let mut words = when.split_ascii_whitespace();
        let (mut date, mut time) = (words.next()?, words.next().unwrap_or(""));
        if let Some((before, behind)) = date.split_once('T') {
            // An ISO date, joined to its time by a T.
            if !behind.is_empty() {
                time = behind;
            }
            date = before;
        }
        let base = match calendar {
            // This calendar has no years.
            Calendar::None if unit == TimeUnit::Year => return None,
            Calendar::None => parse_yearless(date, time)?,
            _ => parse_date(date, time)?,
        };
        Some(Self { unit, base })
    }
}

/// Parses `Y`, `Y-M` or `Y-M-D`, and after a full date a time.
fn parse_date(text: &str, time: &str) -> Option<Date> {
    let (year, rest) = integer(text)?;
    if year.abs() > MAX_YEAR {
        return None;
    }
    let mut date = Date::midnight(year, 1, 1);
    let Some((month, rest)) = dashed(rest) else {
        return Some(date);
    };
    date.month = month;
    let Some((day, _)) = dashed(rest) else {
        return Some(date);
    };
    date.day = day;
    date.hour = hour(time);
    Some(date)
}

/// Parses `M`, `M-D`, or `Y-M-D` without its year.
fn parse_yearless(text: &str, time: &str) -> Option<Date> {
    let (first, rest) = integer(text)?;
    let (month, day) = match dashed(rest) {
        None => (first, None),
        Some((second, rest)) => match dashed(rest) {
            None => (first, Some(second)),
            Some((third, _)) => (second, Some(third)),
        },
    };
    let mut date = Date::midnight(0, month, day.unwrap_or(1));
    if day.is_some() {
        date.hour = hour(time);
    }
    Some(date)
}

/// Parses `-M`. netCDF-C stores it in 16 bits; a larger number is rejected here.
fn dashed(text: &str) -> Option<(i64, &str)> {
    integer(text.strip_prefix('-')?).filter(|(value, _)| i16::try_from(*value).is_ok())
}

/// Parses an integer, and returns it with the text after it.
fn integer(text: &str) -> Option<(i64, &str)> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let length = text.len() - digits.len() + end;
    let value = text[..length].parse().ok()?;
    Some((value, &text[length..]))
}

/// Parses `H`, `H:M` or `H:M:S` into hours. A part that is out of range counts as 0, and so do the parts after it.
fn hour(text: &str) -> f64 {
    let Some((hours, rest)) = integer(text).filter(|(hours, _)| (0..24).contains(hours)) else {
        return 0.0;
    };
    let mut sum = hours as f64;
    let minutes = rest.strip_prefix(':').and_then(integer);
    let Some((minutes, rest)) = minutes.filter(|(minutes, _)| (0..60).contains(minutes)) else {
        return sum;
    };
    sum += minutes as f64 / 60.0;
    let seconds = rest.strip_prefix(':').and_then(decimal);
    if let Some(seconds) = seconds.filter(|s| (0.0..=60.0).contains(s)) {
        sum += seconds / 3600.0;
    }
    sum
}

/// Parses a decimal number at the beginning of `text`.
fn decimal(text: &str) -> Option<f64> {
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let end = text.find(|c| !number(c)).unwrap_or(text.len());
    let second_dot = text[..end].match_indices('.').nth(1).map(|(at, _)| at);
    text[..second_dot.unwrap_or(end)].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> Option<(i64, i64, i64, f64)> {
        TimeUnits::parse(text, Calendar::Mixed).map(|u| (u.base.year, u.base.month, u.base.day, u.base.hour))
    }

    #[test]
    fn reads_dates_in_all_forms() {
        for (text, wanted) in [
            ("days since 1990", (1990, 1, 1, 0.0)),
            ("days since 1990-3", (1990, 3, 1, 0.0)),
            ("days since 1990-03-04", (1990, 3, 4, 0.0)),
            ("  days  since\t1990-03-04  06:30", (1990, 3, 4, 6.5)),
            ("days since1990-03-04 06", (1990, 3, 4, 6.0)),
            ("days since 1990-03-04 06:30:36 UTC", (1990, 3, 4, 6.51)),
            ("days since 1990-03-04T06:30:36.0.1Z", (1990, 3, 4, 6.51)),
            ("days since 1990-03-04T06", (1990, 3, 4, 6.0)),
            ("days since 1990-03-04 24:00", (1990, 3, 4, 0.0)),
            ("days since 1990-03-04 06:77", (1990, 3, 4, 6.0)),
            ("days since 0000-00-00", (0, 0, 0, 0.0)),
            ("days since -44-3-15", (-44, 3, 15, 0.0)),
        ] {
            assert_eq!(base(text), Some(wanted), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "",
            "days",
            "days since",
            "days after 1990-01-01",
            "days since launch",
            "d since 1990-01-01",
            "m since 1990-01-01",
            "K",
            "days since 99999999999999999999",
            "days since 19900101",
            "jours depuis 1990-01-01",
            "dä since 1990",
        ] {
            assert_eq!(base(text), None, "{text}");
        }
    }

    #[test]
    fn units_in_any_case_and_length() {
        for (name, unit) in [
            ("S", TimeUnit::Second),
            ("Seconds", TimeUnit::Second),
            ("mn", TimeUnit::Minute),
            ("HR", TimeUnit::Hour),
            ("hourly", TimeUnit::Hour),
            ("wk", TimeUnit::Week),
            ("mo", TimeUnit::Month),
            ("seasons", TimeUnit::Season),
            ("yr", TimeUnit::Year),
        ] {
            assert_eq!(TimeUnit::named(name), Some(unit));
        }
        for name in ["ms", "m", "yrs", "hrs", "se"] {
            assert_eq!(TimeUnit::named(name), None);
        }
    }

    #[test]
    fn a_calendar_without_years_takes_dates_with_and_without() {
        let base = |text: &str| {
            TimeUnits::parse(text, Calendar::None).map(|u| (u.base.month, u.base.day, u.base.hour))
        };
        assert_eq!(base("days since 3-4 6:30"), Some((3, 4, 6.5)));
        assert_eq!(base("days since 1990-03-04 6"), Some((3, 4, 6.0)));
        assert_eq!(base("days since 3"), Some((3, 1, 0.0)));
        assert_eq!(base("years since 3-4"), None);
    }
}
