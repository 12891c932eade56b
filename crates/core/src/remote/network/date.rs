//! Dates of HTTP and of keys, as seconds since 1970.

/// The seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT` or of `1994-11-06T08:49:37Z`, also with fractions and an offset.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.split_once(", ") {
        Some((_, rest)) => of_http(rest),
        None => of_rfc3339(text),
    }
}

/// RFC 9110, section 5.6.7.
fn of_http(text: &str) -> Option<i64> {
    let mut words = text.split(' ');
    let (day, month, year, time, zone) = (
        words.next()?,
        words.next()?,
        words.next()?,
        words.next()?,
        words.next()?,
    );
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = months.iter().position(|name| *name == month)?;
    let is_date = zone == "GMT" && words.next().is_none();
    is_date.then_some(())?;
    seconds(year.parse().ok()?, month as i64 + 1, day.parse().ok()?, time)
}

/// RFC 3339, section 5.6.
fn of_rfc3339(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = rest.split_at(zone);
    let time = time.split('.').next()?;
    let offset = match zone {
        "Z" | "z" => 0,
        zone => {
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            let part = |text: &str, most: i64| text.parse().ok().filter(|n| (0..=most).contains(n));
            let offset = part(hours, 23)? * 3600 + part(minutes, 59)? * 60;
            if zone.starts_with('-') { -offset } else { offset }
        }
    };
    Some(seconds(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?, time)? - offset)
}

fn seconds(year: i64, month: i64, day: i64, time: &str) -> Option<i64> {
    let mut parts = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let is_valid = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    is_valid.then_some(())?;
    // Years that begin in March end with the leap day.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1 - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Seconds since 1970 as `19941106T084937Z`. `None` before 1970 and after the year 9999.
pub(super) fn stamp(seconds: i64) -> Option<String> {
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years that begin in March end with the leap day; 400 of them have 146,097 days.
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let of_years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * of_years + of_years / 4 - of_years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = of_years + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let is_valid = (1970..10_000).contains(&year);
    is_valid.then(|| format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_dates() {
        for (seconds, text) in [
            (784_111_777, "19941106T084937Z"),
            (0, "19700101T000000Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_799, "20000229T235959Z"),
            (4_102_444_800, "21000101T000000Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(stamp(seconds).as_deref(), Some(text));
        }
        assert_eq!(stamp(-1), None);
        assert_eq!(stamp(i64::MAX / 2), None);
    }

    #[test]
    fn dates_are_seconds() {
        for (text, expected) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("1994-11-06T08:49:37Z", Some(784_111_777)),
            ("1994-11-06T09:49:37.25+01:00", Some(784_111_777)),
            ("1994-11-06 07:49:37-01:00", Some(784_111_777)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T00:00:00Z", Some(951_782_400)),
            ("2024-12-31T23:59:60Z", Some(1_735_689_600)),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("1994-13-06T08:49:37Z", None),
            ("2000-01-01T00:00:00-2562047788015215:00", None),
            ("2000-01-01T00:00:00+9223372036854775807:00", None),
            ("2000-01-01T00:00:00+-1:00", None),
            ("1994-11-06T08:49Z", None),
            ("soon", None),
            ("99999-01-01T00:00:00Z", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
