//! Integers that stand for times, and the attributes that tell their meaning by the CF conventions.

use super::json::Json;
use crate::message::some_of;
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

/// The times in a `dtype` of version 2, each with the names of the fields that lead to it, joined by dots.
pub fn times_within(dtype: &Json) -> Vec<(String, Time)> {
    if let Some(time) = dtype.as_str().and_then(Time::parse) {
        return vec![(String::new(), time)];
    }
    let fields = dtype.as_array().unwrap_or_default().iter();
    let times = fields.filter_map(|field| match field.as_array()? {
        [name, ty, ..] => Some(times_of_field(name.as_str()?, times_within(ty))),
        _ => None,
    });
    times.flatten().collect()
}

/// The times in the type of a field, with the field's name before theirs.
pub fn times_of_field(name: &str, times: Vec<(String, Time)>) -> Vec<(String, Time)> {
    let named = |(inner, time): (String, Time)| match inner.is_empty() {
        true => (name.to_owned(), time),
        false => (format!("{name}.{inner}"), time),
    };
    times.into_iter().map(named).collect()
}

/// A warning about times of a variable that become whole numbers whose unit nothing tells: those in fields, and those whose unit
/// CF lacks. `None` if there are none.
pub fn lost_units(variable: &str, times: Vec<(String, Time)>) -> Option<String> {
    let is_lost = |(field, time): &(String, Time)| !field.is_empty() || time_attributes(time).is_empty();
    let told = |(field, time): (String, Time)| {
        let unit = match time.scale {
            1 => time.unit,
            scale => format!("{scale} {}", time.unit),
        };
        match field.is_empty() {
            true => unit,
            false => format!("{field} ({unit})"),
        }
    };
    let lost: Vec<String> = times.into_iter().filter(is_lost).map(told).collect();
    (!lost.is_empty()).then(|| {
        let lost = some_of(&lost, lost.len());
        format!("variable {variable}: times are read as whole numbers, without these units: {lost}")
    })
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
    fn units_that_are_lost_are_told() {
        let lost = |dtype: &str| lost_units("v", times_within(&Json::parse(dtype.as_bytes()).unwrap()));
        for kept in [
            r#""<M8[ns]""#,
            r#""<m8[10s]""#,
            r#""<i8""#,
            r#"[["a","<i8"]]"#,
            "7",
        ] {
            assert_eq!(lost(kept), None, "{kept}");
        }
        for (dtype, told) in [
            (r#""<M8[M]""#, "M"),
            (
                r#"[["a","<M8[ns]"],["b","<i4"],["c",[["d","<m8[10s]",[2]]]]]"#,
                "a (ns), c.d (10 s)",
            ),
        ] {
            assert!(
                lost(dtype)
                    .unwrap()
                    .ends_with(&format!("without these units: {told}")),
                "{dtype}"
            );
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
