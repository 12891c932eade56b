//! `time("1999-12-31 23:59:59")`: a number made of a date, as in netCDF's ncgen.
//!
//! The number is in hours since 1970-01-01 00:00, in the mixed calendar: Julian before October 1582, Gregorian after.

/// The hours since 1970 of a spelled time; `None` if it is not a time.
pub fn hours(spelled: &[u8]) -> Option<f64> {
    let spelled = std::str::from_utf8(spelled).ok()?.trim();
    let (date, clock) = match spelled.split_once([' ', 'T', 't']) {
        Some((date, clock)) => (date, clock.trim()),
        None => (spelled, ""),
    };
    let mut parts = date.splitn(3, '-');
    let mut whole = |least: i64, most: i64| -> Option<i64> {
        let Some(part) = parts.next() else { return Some(1) };
        part.parse().ok().filter(|n| (least..=most).contains(n))
    };
    let year = whole(0, 99_999)?;
    let (month, day) = (whole(1, 12)?, whole(1, 31)?);
    let mut parts = clock.splitn(3, ':');
    let mut fraction = |most: f64| -> Option<f64> {
        match parts.next() {
            None | Some("") => Some(0.0),
            Some(part) => part.parse().ok().filter(|n: &f64| (0.0..most).contains(n)),
        }
    };
    let (hour, minute, second) = (fraction(25.0)?, fraction(60.0)?, fraction(61.0)?);
    Some((days(year, month, day) as f64).mul_add(24.0, hour) + minute / 60.0 + second / 3600.0)
}

/// Days since 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // With years that begin in March, the leap day is the last day of a year.
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let julian = 365 * y + y.div_euclid(4) + (153 * m + 2) / 5 + day - 719_471;
    if (year, month, day) < (1582, 10, 15) {
        return julian;
    }
    julian + 2 - y.div_euclid(100) + y.div_euclid(400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_counted_from_1970() {
        for (spelled, expected) in [
            ("1970-01-01", 0.0),
            ("1999-01-01", 254_208.0),
            (" 1999-1-1 12:30", 254_220.5),
            ("1970-1-1T00:00:36", 0.01),
            ("1582-10-15", -3_394_248.0),
            ("1582-10-4", -3_394_272.0),
            ("2000-02-29", 11_016.0 * 24.0),
        ] {
            assert_eq!(hours(spelled.as_bytes()), Some(expected), "{spelled}");
        }
        for spelled in [
            "",
            "x",
            "1999-13-01",
            "1999-01-32",
            "1999-01-01 25:00:00x",
            "1999-1-1 -1",
        ] {
            assert_eq!(hours(spelled.as_bytes()), None, "{spelled}");
        }
    }
}
