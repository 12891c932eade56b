//! The values of `ncdump`'s options, parsed as netCDF-C's `ncdump` parses them.

use clap::ArgMatches;
use ncutils_core::error::{Error, Result};
use ncutils_core::integrity::Equality;
use ncutils_core::print::{Annotations, IndexOrder, LineLength, Overrides, Precision};
use ncutils_core::time::DateSeparator;

/// `-b` and `-f`. Both take effect; the last one determines how indices are counted.
pub fn annotations(matches: &ArgMatches) -> Result<Annotations> {
    let mut annotations = Annotations::default();
    let mut last = None;
    for (name, short) in [("rows", "-b"), ("elements", "-f")] {
        let Some(value) = matches.get_one::<String>(name) else {
            continue;
        };
        let order = match value.bytes().next() {
            Some(b'c' | b'C') => IndexOrder::C,
            Some(b'f' | b'F') => IndexOrder::Fortran,
            _ => return Err(Error::Usage(format!("invalid value for {short} option: {value}"))),
        };
        let index = matches.index_of(name);
        if index >= last {
            (annotations.order, last) = (order, index);
        }
        annotations.rows |= name == "rows";
        annotations.elements |= name == "elements";
    }
    Ok(annotations)
}

/// `-l`: a number as in C, which may be octal or hexadecimal. As in netCDF-C, text after it is ignored.
pub fn line_length(matches: &ArgMatches) -> Result<LineLength> {
    let Some(value) = matches.get_one::<String>("line-length") else {
        return Ok(LineLength::default());
    };
    let parsed = match value.strip_prefix("0x").or(value.strip_prefix("0X")) {
        Some(hexadecimal) => leading_number(hexadecimal, 16),
        None if value.starts_with('0') => leading_number(value, 8),
        None => leading_number(value, 10),
    };
    parsed.0.and_then(LineLength::new).ok_or_else(|| {
        let least = LineLength::LEAST;
        Error::Usage(format!("-l {value}: a line length is a number from {least} on"))
    })
}

/// `-p` and `-d`. The last one determines the number of digits.
pub fn precision(matches: &ArgMatches) -> Result<(Precision, Overrides)> {
    let mut precision = Precision {
        exact: matches.get_flag("exact"),
        ..Precision::default()
    };
    let mut overrides = Overrides::default();
    let mut last = None;
    for (name, short) in [("digits", "-d"), ("precision", "-p")] {
        let values = matches.get_many::<String>(name).into_iter().flatten();
        for (value, index) in values.zip(matches.indices_of(name).into_iter().flatten()) {
            let (float, double) = digits(value).ok_or_else(|| {
                Error::Usage(format!(
                    "{short} {value}: digits are numbers from 1 to 20, as in 9,17"
                ))
            })?;
            if name == "precision" {
                overrides.float |= float.is_some();
                overrides.double |= double.is_some();
            }
            if Some(index) >= last {
                last = Some(index);
                let default = Precision::default();
                precision.float = float.unwrap_or(default.float);
                precision.double = double.unwrap_or(default.double);
            }
        }
    }
    Ok((precision, overrides))
}

/// Parses the digits of floats and doubles: `F`, `F,D`. As in netCDF-C, a number may have white space before it, and
/// text after the last number is ignored. netCDF-C ignores a value that begins with a comma; here it sets the digits of
/// doubles.
fn digits(text: &str) -> Option<(Option<usize>, Option<usize>)> {
    let number = |text| {
        let (number, rest) = leading_number(text, 10);
        Some((number.filter(|n| (1..=20).contains(n))?, rest))
    };
    if let Some(double) = text.strip_prefix(',') {
        return Some((None, Some(number(double)?.0)));
    }
    let (float, rest) = number(text)?;
    let double = match rest.strip_prefix(',') {
        Some(double) => Some(number(double)?.0),
        None => None,
    };
    Some((Some(float), double))
}

/// The number at the beginning of `text`, parsed like C's `strtol`, and the text after it.
fn leading_number(text: &str, radix: u32) -> (Option<usize>, &str) {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    (usize::from_str_radix(&digits[..end], radix).ok(), &digits[end..])
}

/// `-X`: true to leave out `_NCProperties`.
pub fn without_properties(matches: &ArgMatches) -> Result<bool> {
    let mut without = false;
    for value in matches.get_many::<String>("extra").into_iter().flatten() {
        match value.bytes().next() {
            Some(b'p' | b'P') => without = true,
            Some(b'm' | b'M' | b'f' | b'F') => {}
            _ => return Err(Error::Usage(format!("invalid value for -X option: {value}"))),
        }
    }
    Ok(without)
}

/// `-t` and `-i`. As in netCDF-C, the last one counts.
pub fn times(matches: &ArgMatches) -> Option<DateSeparator> {
    let last = |name: &str| {
        let given = matches.get_flag(name);
        matches.indices_of(name).filter(|_| given).and_then(Iterator::max)
    };
    match (last("times"), last("iso-times")) {
        (None, None) => None,
        (plain, iso) if plain > iso => Some(DateSeparator::Space),
        _ => Some(DateSeparator::T),
    }
}

/// The equality that `--tolerance ABS[,REL]` asks for.
///
/// # Errors
/// What was expected.
pub fn tolerance(text: &str) -> Result<Equality> {
    let (absolute, relative) = text.split_once(',').unwrap_or((text, "0"));
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|n| n.is_finite() && *n >= 0.0)
    };
    match (number(absolute), number(relative)) {
        (Some(absolute), Some(relative)) => Ok(Equality::Within { absolute, relative }),
        _ => Err(Error::Usage(format!(
            "--tolerance '{text}': expected a number from 0 up, or two separated by a comma: ABS,REL"
        ))),
    }
}
