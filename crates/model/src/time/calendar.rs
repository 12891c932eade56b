//! Calendars of the CF conventions: converts dates to days since 1970 and back.

/// The calendars of the CF conventions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calendar {
    /// `standard`, `gregorian`, and unknown names: Julian up to 1582-10-04, Gregorian from 1582-10-15.
    Mixed,
    /// `proleptic_gregorian`: Gregorian at all times.
    ProlepticGregorian,
    /// `julian`: each fourth year is a leap year.
    Julian,
    /// `noleap`, `365_day`: no year is a leap year.
    NoLeap,
    /// `all_leap`, `366_day`: each year is a leap year.
    AllLeap,
    /// `360_day`: twelve months of 30 days.
    Days360,
    /// `none`: a single year of 365 days, repeated, without a number.
    None,
}

impl Calendar {
    const NAMES: [(&'static str, Self); 12] = [
        ("gregorian", Self::Mixed),
        ("standard", Self::Mixed),
        ("proleptic_gregorian", Self::ProlepticGregorian),
        ("noleap", Self::NoLeap),
        ("no_leap", Self::NoLeap),
        ("365_day", Self::NoLeap),
        ("allleap", Self::AllLeap),
        ("all_leap", Self::AllLeap),
        ("366_day", Self::AllLeap),
        ("360_day", Self::Days360),
        ("julian", Self::Julian),
        ("none", Self::None),
    ];

    /// The calendar named by a `calendar` attribute, in upper or lower case. As in netCDF-C, the name may be shortened
    /// (`365` is `365_day`). An unknown name means the mixed calendar.
    pub fn named(name: &[u8]) -> Self {
        Self::find(name).unwrap_or(Self::Mixed)
    }

    /// Like [`named`](Self::named); `None` for an unknown name.
    pub fn find(name: &[u8]) -> Option<Self> {
        let is = |full: &str| {
            full.as_bytes()
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        Self::NAMES
            .iter()
            .find(|(full, _)| !name.is_empty() && is(full))
            .map(|(_, calendar)| *calendar)
    }

    /// True if the calendar has this day. `month` is from 1 to 12. A calendar without years has its days in any year.
    pub(super) fn has_day(self, year: i64, month: i64, day: i64) -> bool {
        let date = (year, month, day);
        let reckoning = match self {
            Self::Mixed if date < (1582, 10, 5) => Reckoning::Julian,
            Self::Mixed if date < (1582, 10, 15) => return false,
            Self::Mixed | Self::ProlepticGregorian => Reckoning::Gregorian,
            Self::Julian => Reckoning::Julian,
            Self::NoLeap => Reckoning::NoLeap,
            Self::AllLeap => Reckoning::AllLeap,
            Self::Days360 => Reckoning::Days360,
            Self::None => Reckoning::Yearless,
        };
        let length = usize::try_from(month - 1).map_or(0, |month| reckoning.month_length(year, month));
        (1..=length).contains(&day)
    }
}

/// A date. A date written by a user may have months and days out of range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Date {
    /// Year. The year 0 precedes the year 1.
    pub year: i64,
    /// Month, from 1.
    pub month: i64,
    /// Day of the month, from 1.
    pub day: i64,
    /// Hours since midnight, with a fraction.
    pub hour: f64,
}

impl Date {
    pub(super) const fn midnight(year: i64, month: i64, day: i64) -> Self {
        Self {
            year,
            month,
            day,
            hour: 0.0,
        }
    }

    /// True if it is before the midnight `other`, compared field by field.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        (self.year, self.month, self.day) < (other.year, other.month, other.day)
    }

    /// True if the month, day and hour are within their ranges.
    pub(super) fn is_valid(&self) -> bool {
        (1..=12).contains(&self.month) && (1..=31).contains(&self.day) && (0.0..=24.0).contains(&self.hour)
    }
}

/// A day count without a switch of calendars: any calendar but the mixed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reckoning {
    Gregorian,
    Julian,
    NoLeap,
    AllLeap,
    Days360,
    /// Has no years.
    Yearless,
}

/// Days before each month, in a year of 365 days.
const DAYS_BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
/// Range of years that can be counted: all days then fit in 32 bits.
pub(super) const MAX_YEAR: i64 = 5_000_000;
/// Maximum distance of a shown date from 1970, in days.
const MAX_DAYS: f64 = i32::MAX as f64;

/// Half a microsecond, in hours. Times are shown in microseconds, so a time closer than this to the next day is rounded
/// to it.
pub(super) const HALF_MICROSECOND: f64 = 0.5e-6 / 60.0 / 60.0;

impl Reckoning {
    /// The reckoning of a calendar; of the mixed one, that after its switch.
    pub(super) fn of(calendar: Calendar) -> Self {
        match calendar {
            Calendar::Mixed | Calendar::ProlepticGregorian => Self::Gregorian,
            Calendar::Julian => Self::Julian,
            Calendar::NoLeap => Self::NoLeap,
            Calendar::AllLeap => Self::AllLeap,
            Calendar::Days360 => Self::Days360,
            Calendar::None => Self::Yearless,
        }
    }

    /// True if February has a day more than in a year of 365 days.
    fn is_leap(self, year: i64) -> bool {
        match self {
            Self::Gregorian => year % 4 == 0 && (year % 100 != 0 || year % 400 == 0),
            Self::Julian => year % 4 == 0,
            Self::AllLeap => true,
            Self::NoLeap | Self::Days360 | Self::Yearless => false,
        }
    }

    /// Days from the beginning of 1970 to the beginning of `year`.
    fn days_before_year(self, year: i64) -> i64 {
        let leaps = |year: i64| {
            let last = year - 1;
            match self {
                Self::Gregorian => last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400),
                Self::Julian => last.div_euclid(4),
                _ => 0,
            }
        };
        match self {
            Self::Gregorian | Self::Julian | Self::NoLeap => (year - 1970) * 365 + leaps(year) - leaps(1970),
            Self::AllLeap => (year - 1970) * 366,
            Self::Days360 => (year - 1970) * 360,
            Self::Yearless => 0,
        }
    }

    /// Days from the beginning of 1970 to a date. An invalid month counts as January. The day may be out of range.
    pub(super) fn days(self, date: &Date) -> i64 {
        let month = if (1..=12).contains(&date.month) {
            date.month
        } else {
            1
        };
        let in_year = match self {
            Self::Days360 => 30 * (month - 1),
            _ => DAYS_BEFORE[month as usize - 1] + i64::from(month > 2 && self.is_leap(date.year)),
        };
        self.days_before_year(date.year) + in_year + date.day - 1
    }

    /// Hours from the beginning of 1970 to a date.
    pub(super) fn hours(self, date: &Date) -> f64 {
        self.days(date) as f64 * 24.0 + date.hour
    }

    /// The date at `hours` from the beginning of 1970; `None` if it is millions of years away.
    pub(super) fn date(self, hours: f64) -> Option<Date> {
        let whole = (hours / 24.0).floor();
        if whole.is_nan() || whole.abs() >= MAX_DAYS {
            return None;
        }
        let mut days = whole as i64;
        let mut hour = hours - whole * 24.0;
        if hour + HALF_MICROSECOND >= 24.0 {
            days += 1;
            hour = (hour - 24.0).max(0.0);
        }
        let year = self.year_of(days);
        let mut left = match self {
            Self::Yearless => days.rem_euclid(365),
            _ => days - self.days_before_year(year),
        };
        let mut month = 0;
        loop {
            let length = self.month_length(year, month);
            if left < length || month == 11 {
                return Some(Date {
                    year,
                    month: month as i64 + 1,
                    day: left + 1,
                    hour,
                });
            }
            left -= length;
            month += 1;
        }
    }

    /// The year that contains a day.
    fn year_of(self, days: i64) -> i64 {
        let length = match self {
            Self::AllLeap => 366,
            Self::Days360 => 360,
            Self::Yearless => return 0,
            _ => 365,
        };
        // The first estimate is wrong by the leap days. Each step reduces the error to about a thousandth.
        let mut year = 1970 + days.div_euclid(length);
        loop {
            let off = days - self.days_before_year(year);
            if off < 0 {
                year += off.div_euclid(length + 1);
            } else if days >= self.days_before_year(year + 1) {
                year += (off / (length + 1)).max(1);
            } else {
                return year;
            }
        }
    }

    /// Days of a month. Months are counted from 0 here.
    fn month_length(self, year: i64, month: usize) -> i64 {
        match (self, month) {
            (Self::Days360, _) => 30,
            (_, 1) => 28 + i64::from(self.is_leap(year)),
            (_, 3 | 5 | 8 | 10) => 30,
            _ => 31,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Reckoning; 6] = [
        Reckoning::Gregorian,
        Reckoning::Julian,
        Reckoning::NoLeap,
        Reckoning::AllLeap,
        Reckoning::Days360,
        Reckoning::Yearless,
    ];

    #[test]
    fn days_follow_each_other() {
        for reckoning in ALL {
            for around in [-2_000_000_000, -1_000_000, -365, 0, 11_000, 2_100_000_000i64] {
                let mut before = None;
                for day in around..around + 1500 {
                    let date = reckoning.date(day as f64 * 24.0 + 1.5).unwrap();
                    assert!(date.is_valid() && date.hour == 1.5, "{reckoning:?} {date:?}");
                    if reckoning != Reckoning::Yearless {
                        assert_eq!(reckoning.days(&date), day, "{reckoning:?} {date:?}");
                        assert!(before.is_none_or(|b: Date| b.is_before(&date)));
                    }
                    before = Some(date);
                }
            }
        }
    }

    #[test]
    fn known_dates() {
        let date = |reckoning: Reckoning, day: i64| {
            let date = reckoning.date(day as f64 * 24.0).unwrap();
            (date.year, date.month, date.day)
        };
        assert_eq!(date(Reckoning::Gregorian, 10_957), (2000, 1, 1));
        assert_eq!(date(Reckoning::Gregorian, -719_528), (0, 1, 1));
        assert_eq!(date(Reckoning::NoLeap, 59), (1970, 3, 1));
        assert_eq!(date(Reckoning::AllLeap, 59), (1970, 2, 29));
        assert_eq!(date(Reckoning::Days360, 59), (1970, 2, 30));
        assert_eq!(date(Reckoning::Yearless, -1), (0, 12, 31));
    }

    #[test]
    fn what_is_too_far_is_no_date() {
        for hours in [f64::NAN, f64::INFINITY, -1e300, 1e12] {
            assert_eq!(Reckoning::Gregorian.date(hours), None);
        }
    }

    #[test]
    fn calendars_by_name() {
        assert_eq!(Calendar::named(b"NOLEAP"), Calendar::NoLeap);
        assert_eq!(Calendar::named(b"366"), Calendar::AllLeap);
        assert_eq!(Calendar::named(b"julian"), Calendar::Julian);
        for name in [&b""[..], b"julian2", b"tai"] {
            assert_eq!(Calendar::named(name), Calendar::Mixed);
        }
    }
}
