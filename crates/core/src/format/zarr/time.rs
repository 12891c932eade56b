//! Integers that stand for times, and the attributes that tell their meaning by the CF conventions.

use crate::model::{Attribute, Type, Values};

/// The units of numpy that CF has, with their names there.
const UNITS: [(&str, &str); 8] = [
    ("W", "weeks"),
    ("D", "days"),
    ("h", "hours"),
    ("m", "minutes"),
    ("s", "seconds"),
    ("ms", "milliseconds"),
    ("us", "microseconds"),
    ("ns", "nanoseconds"),
];

/// Units of numpy that CF lacks.
const OTHERS: [&str; 5] = ["Y", "M", "ps", "fs", "as"];

/// The meaning of integers that stand for times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    /// The unit, as numpy abbreviates it: `s`, `ms`, `D`.
    pub unit: String,
    /// The number of units that one step counts.
    pub scale: u64,
    /// True for a duration, false for a time since 1970.
    pub is_duration: bool,
}

impl Time {
    /// The meaning of a `dtype` such as `<M8[ns]` or `<m8[10us]`. `None` for any other text.
    pub fn parse(dtype: &str) -> Option<Self> {
        let (kind, unit) = dtype.trim_start_matches(['<', '>', '=', '|']).split_once('[')?;
        let is_duration = match kind {
            "m8" => true,
            "M8" => false,
            _ => return None,
        };
        let unit = unit.strip_suffix(']')?;
        let digits = unit.bytes().take_while(u8::is_ascii_digit).count();
        let (scale, unit) = unit.split_at(digits);
        let scale = if scale.is_empty() { 1 } else { scale.parse().ok()? };
        Self::new(unit, scale, is_duration)
    }

    /// A time of numpy. `None` for a unit that numpy lacks, and for a scale beyond numpy's.
    pub fn new(unit: &str, scale: u64, is_duration: bool) -> Option<Self> {
        let is_known = UNITS.iter().any(|(numpy, _)| *numpy == unit) || OTHERS.contains(&unit);
        (is_known && (1..=i32::MAX as u64).contains(&scale)).then(|| Self {
            unit: unit.to_owned(),
            scale,
            is_duration,
        })
    }
}

/// The attributes of a variable of times. None for units that CF lacks: years and months of the calendar, picoseconds.
pub fn time_attributes(time: &Time) -> Vec<Attribute> {
    let Some((_, unit)) = UNITS.iter().find(|(numpy, _)| *numpy == time.unit) else {
        return Vec::new();
    };
    let text = |name: &str, text: &str| Attribute {
        name: name.to_owned(),
        ty: Type::Char,
        length: text.len(),
        values: Values::from_text(text),
    };
    let mut attributes = match time.is_duration {
        true => vec![text("units", unit)],
        false => vec![
            text("units", &format!("{unit} since 1970-01-01")),
            text("calendar", "proleptic_gregorian"),
        ],
    };
    if time.scale != 1 {
        attributes.push(Attribute {
            name: "scale_factor".to_owned(),
            ty: Type::Int64,
            length: 1,
            values: Values::from_bytes(time.scale.to_le_bytes().to_vec()),
        });
    }
    attributes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_numpy() {
        let time = |unit: &str, scale, is_duration| {
            Some(Time {
                unit: unit.to_owned(),
                scale,
                is_duration,
            })
        };
        assert_eq!(Time::parse("<M8[ns]"), time("ns", 1, false));
        assert_eq!(Time::parse(">m8[10us]"), time("us", 10, true));
        for other in [
            "<M8",
            "<M8[]",
            "<M8[x]",
            "<M8[ns",
            "<i8[ns]",
            "<M8[0s]",
            "<M8[99999999999s]",
        ] {
            assert_eq!(Time::parse(other), None, "{other}");
        }
    }

    #[test]
    fn units_of_cf() {
        let names = |unit: &str, scale, is_duration| {
            let time = Time {
                unit: unit.to_owned(),
                scale,
                is_duration,
            };
            let attributes = time_attributes(&time);
            let one = |a: Attribute| (a.name, String::from_utf8_lossy(&a.values.bytes).into_owned());
            attributes.into_iter().map(one).collect::<Vec<_>>()
        };
        let since = names("ms", 1, false);
        assert_eq!(since[0].1, "milliseconds since 1970-01-01");
        assert_eq!(since[1].1, "proleptic_gregorian");
        assert_eq!(names("D", 1, true), [("units".to_owned(), "days".to_owned())]);
        assert_eq!(names("us", 10, true)[1].0, "scale_factor");
        assert!(names("Y", 1, false).is_empty());
    }
}
