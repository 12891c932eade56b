//! Parses the argument of `nccopy -F`, and prints filters as `ncdump -s` does.
//!
//! ```text
//! var&group/var,307,9|4,32,32
//! └── targets ─┘ └─ pipeline ─┘   (grammar: spec.pest)
//! ```
//!
//! A constant makes one 32-bit parameter. A constant of a 64-bit type makes two, the low word first:
//!
//! | suffix (either case) | type |
//! | --- | --- |
//! | none | −2147483648 to 4294967295 |
//! | `b`, `s` | signed, 8 or 16 bits, sign-extended to 32 |
//! | `u`, `ub`, `us` | unsigned, 32, 8 or 16 bits |
//! | `l`, `ul` | signed or unsigned, 64 bits |
//! | `f`, `d` | the bits of an IEEE 754 number of 32 or 64 bits |

use std::fmt::Write as _;

use pest::Parser as _;
use pest::iterators::Pair;

use self::grammar::{Grammar, Rule};

use crate::error::{Error, Request, Result};
use crate::model::{CodecSpec, unescape};

// The derived items have no documentation; spec.pest has.
#[allow(missing_docs)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "filter/spec.pest"]
    pub struct Grammar;
}

/// Maximum id that HDF5 allows.
const MAX_ID: u32 = 65535;

/// The variables that a request applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// All variables that can have filters.
    All,
    /// Variables with these names (in the root group) or paths, unescaped.
    Named(Vec<String>),
}

/// A parsed `-F` argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterRequest {
    /// The variables that it applies to.
    pub targets: Targets,
    /// Ids and visible parameters, in the order given; empty for `none`.
    pub pipeline: Vec<(u32, Vec<u32>)>,
}

/// Parses the argument of `-F`.
///
/// # Errors
/// [`Error::Usage`] with the mistake, and what was expected.
pub fn parse(argument: &str) -> Result<FilterRequest> {
    let wrong = |why: String| Request::Filters.misspelled(format!("{argument:?}"), why);
    let pairs = Grammar::parse(Rule::argument, argument).map_err(|_| wrong(explain(argument)))?;
    let mut names = Vec::new();
    let mut targets = None;
    let mut pipeline = Vec::new();
    for pair in pairs {
        match pair.as_rule() {
            Rule::nothing | Rule::all => targets = Some(Targets::All),
            Rule::name => names.push(unescape(pair.as_str())),
            Rule::pipeline => pipeline = parse_pipeline(pair).map_err(wrong)?,
            _ => {}
        }
    }
    if names.len() > 1
        && names.iter().any(|name| name == "*")
        && argument.split([',', '&']).any(|name| name == "*")
    {
        return Err(wrong(
            "'*' stands for all variables; it cannot be joined with names".into(),
        ));
    }
    Ok(FilterRequest {
        targets: targets.unwrap_or(Targets::Named(names)),
        pipeline,
    })
}

/// Parses a pipeline without variables, as in `_Filter`: `307,9|4,32,32`.
///
/// # Errors
/// [`Error::Usage`] with the mistake, and what was expected.
pub fn parse_filters(text: &str) -> Result<Vec<(u32, Vec<u32>)>> {
    let wrong = |why: String| Error::Usage(format!("filter {text:?}: {why}"));
    let mut pairs = Grammar::parse(Rule::pipeline, text)
        .map_err(|_| wrong("expected 'id,parameter,…', joined with '|'".into()))?;
    pairs
        .next()
        .map_or_else(|| Ok(Vec::new()), |pair| parse_pipeline(pair).map_err(wrong))
}

/// Formats filters as in ncdump's `_Filter`: `id,parameter,…`, joined by `|`.
pub fn format<'a>(pipeline: impl IntoIterator<Item = &'a CodecSpec>) -> String {
    let mut text = String::new();
    for (number, spec) in pipeline.into_iter().enumerate() {
        let separator = if number == 0 { "" } else { "|" };
        let _ = match spec.hdf5_id() {
            Some(id) => write!(text, "{separator}{id}"),
            None => write!(text, "{separator}{}", spec.name()),
        };
        for parameter in spec.parameters() {
            let _ = write!(text, ",{parameter}");
        }
    }
    text
}

/// Explains why the grammar rejects `argument`. Any filters are accepted, so the mistake is before them.
fn explain(argument: &str) -> String {
    let mut names = vec![0];
    let mut chars = argument.chars();
    let end = loop {
        let last = names.last_mut();
        match (chars.next(), last) {
            (Some('\\'), Some(length)) => match chars.next() {
                Some(_) => *length += 1,
                None => {
                    return "a backslash at the end; it stands before a character that is part of a name"
                        .into();
                }
            },
            (Some('&'), _) => names.push(0),
            (Some(c), Some(length)) if c != ',' && c != '|' => *length += 1,
            (end, _) => break end,
        }
    };
    match end {
        None if argument.is_empty() => {
            "expected variables and filters, such as 'var,307,9', or 'none'".into()
        }
        _ if names.contains(&0) => "a variable's name is missing; expected 'var', 'group/var' or '*'".into(),
        Some('|') => r"a '|' before the filters; where it is part of a name, write '\|'".into(),
        _ => "no filter; expected ',' and filters, such as ',307,9', or ',none' after the variables".into(),
    }
}

fn parse_pipeline(pipeline: Pair<Rule>) -> Result<Vec<(u32, Vec<u32>)>, String> {
    let filters = pipeline
        .into_inner()
        .filter(|pair| pair.as_rule() == Rule::filter);
    filters.map(parse_filter).collect()
}

fn parse_filter(filter: Pair<Rule>) -> Result<(u32, Vec<u32>), String> {
    let text = filter.as_str();
    let mut fields = filter.into_inner().map(|field| field.as_str().trim());
    let id = fields.next().unwrap_or_default();
    if text.is_empty() {
        return Err("a filter is missing; expected 'id' or 'id,parameter,…', joined with '|'".into());
    }
    let id = match id.parse::<u32>() {
        Ok(number @ 1..=MAX_ID) if !id.starts_with('+') => number,
        _ => {
            return Err(format!(
                "'{id}' is not a filter id; expected a number from 1 to {MAX_ID}"
            ));
        }
    };
    let mut parameters = Vec::new();
    for field in fields {
        parse_constant(field, &mut parameters)?;
    }
    Ok((id, parameters))
}

/// Range of the integer type that a suffix names.
fn integer_bounds(suffix: &str) -> Option<(i128, i128)> {
    Some(match suffix {
        "" => (i128::from(i32::MIN), i128::from(u32::MAX)),
        "b" => (i128::from(i8::MIN), i128::from(i8::MAX)),
        "ub" => (0, i128::from(u8::MAX)),
        "s" => (i128::from(i16::MIN), i128::from(i16::MAX)),
        "us" => (0, i128::from(u16::MAX)),
        "u" => (0, i128::from(u32::MAX)),
        "l" => (i128::from(i64::MIN), i128::from(i64::MAX)),
        "ul" => (0, i128::from(u64::MAX)),
        _ => return None,
    })
}

/// Appends the parameter words of one constant.
fn parse_constant(text: &str, words: &mut Vec<u32>) -> Result<(), String> {
    if text.is_empty() {
        return Err("a parameter is missing between commas or at the end; expected a number".into());
    }
    let suffix_at = text.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |last| {
        last + text[last..].chars().next().map_or(1, char::len_utf8)
    });
    let (number, suffix) = text.split_at(suffix_at);
    let suffix = suffix.to_ascii_lowercase();
    let expected = || {
        format!(
            "'{text}' is not a parameter; expected a decimal number, with one of the suffixes b ub s us u l ul f d or none"
        )
    };
    match suffix.as_str() {
        "f" => {
            let value: f32 = parse_real(number).ok_or_else(expected)?;
            if value.is_infinite() {
                return Err(format!("'{text}' is out of range; a float goes up to 3.4e38"));
            }
            words.push(value.to_bits());
            return Ok(());
        }
        "d" => {
            let value: f64 = parse_real(number).ok_or_else(expected)?;
            if value.is_infinite() {
                return Err(format!("'{text}' is out of range; a double goes up to 1.8e308"));
            }
            push_long(value.to_bits(), words);
            return Ok(());
        }
        _ => {}
    }
    let (low, high) = integer_bounds(&suffix).ok_or_else(expected)?;
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(if suffix.is_empty() && parse_real::<f64>(number).is_some() {
            format!("'{text}' is not a whole number; expected the suffix f (float) or d (double) after it")
        } else {
            expected()
        });
    }
    let value = number
        .parse::<i128>()
        .ok()
        .filter(|value| (low..=high).contains(value))
        .ok_or_else(|| format!("'{text}' is out of range; expected {low} to {high}"))?;
    match suffix.as_str() {
        // Two's complement for signed and unsigned alike; the range has been checked.
        "l" | "ul" => push_long(value as u64, words),
        _ => words.push(value as u32),
    }
    Ok(())
}

/// Parses a decimal number with an optional fraction and exponent.
fn parse_real<T: std::str::FromStr>(text: &str) -> Option<T> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    let number = text.bytes().any(|byte| byte.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if plain && number { text.parse().ok() } else { None }
}

/// Appends two words, the low one first.
fn push_long(value: u64, words: &mut Vec<u32>) {
    words.extend([value as u32, (value >> 32) as u32]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(names: &[&str], pipeline: &[(u32, &[u32])]) -> FilterRequest {
        FilterRequest {
            targets: Targets::Named(names.iter().map(|name| (*name).to_owned()).collect()),
            pipeline: pipeline
                .iter()
                .map(|(id, parameters)| (*id, parameters.to_vec()))
                .collect(),
        }
    }

    fn error(argument: &str) -> String {
        parse(argument).unwrap_err().to_string()
    }

    #[test]
    fn forms() {
        assert_eq!(parse("v,307,9").unwrap(), named(&["v"], &[(307, &[9])]));
        assert_eq!(
            parse("var&group/var&/g/h/v,307,9|4,32,32").unwrap(),
            named(&["var", "group/var", "/g/h/v"], &[(307, &[9]), (4, &[32, 32])])
        );
        assert_eq!(
            parse("v,2|1,5|3").unwrap(),
            named(&["v"], &[(2, &[]), (1, &[5]), (3, &[])])
        );
        let all = |pipeline: &[(u32, &[u32])]| FilterRequest {
            targets: Targets::All,
            ..named(&[], pipeline)
        };
        assert_eq!(parse("*,32015,3").unwrap(), all(&[(32015, &[3])]));
        assert_eq!(parse("none").unwrap(), all(&[]));
        assert_eq!(parse("*,none").unwrap(), all(&[]));
        assert_eq!(parse("v,none").unwrap(), named(&["v"], &[]));
        assert_eq!(parse("none,none").unwrap(), named(&["none"], &[]));
        assert_eq!(parse("nonesuch,2").unwrap(), named(&["nonesuch"], &[(2, &[])]));
        assert_eq!(parse("v, 307, 9").unwrap(), named(&["v"], &[(307, &[9])]));
    }

    #[test]
    fn escapes() {
        assert_eq!(
            parse(r"a\&b\,c\\d\|e&\*,2").unwrap(),
            named(&[r"a&b,c\d|e", "*"], &[(2, &[])])
        );
        assert_eq!(parse(r"a b*,2").unwrap(), named(&["a b*"], &[(2, &[])]));
    }

    #[test]
    fn constants() {
        let long = i64::MIN + 1;
        for (text, words) in [
            ("-17b", vec![-17i32 as u32]),
            ("23ub", vec![23]),
            ("-25S", vec![-25i32 as u32]),
            ("27US", vec![27]),
            ("-77", vec![-77i32 as u32]),
            ("77", vec![77]),
            ("93U", vec![93]),
            ("4294967295", vec![u32::MAX]),
            ("-2147483648", vec![1 << 31]),
            ("255uB", vec![255]),
            ("-128b", vec![-128i32 as u32]),
            ("789f", vec![789f32.to_bits()]),
            ("-1.5E-3F", vec![(-1.5e-3f32).to_bits()]),
            (
                "-9223372036854775807L",
                vec![long as u32, (long as u64 >> 32) as u32],
            ),
            ("18446744073709551615UL", vec![u32::MAX, u32::MAX]),
            ("5l", vec![5, 0]),
        ] {
            assert_eq!(
                parse(&format!("v,40000,{text}")).unwrap(),
                named(&["v"], &[(40000, &words)]),
                "{text}"
            );
        }
        let double = 12345678.12345678f64.to_bits();
        assert_eq!(
            parse("v,40000,12345678.12345678d,7").unwrap().pipeline[0].1,
            [double as u32, (double >> 32) as u32, 7]
        );
    }

    #[test]
    fn constants_out_of_range() {
        for text in [
            "128b",
            "-129b",
            "256ub",
            "-1ub",
            "32768s",
            "-32769S",
            "65536us",
            "-1us",
            "4294967296",
            "-2147483649",
            "4294967296u",
            "-1U",
            "9223372036854775808L",
            "18446744073709551616ul",
            "-1ul",
            "1e39f",
            "1e309d",
            "99999999999999999999999999999999999999999999999999",
        ] {
            assert!(
                error(&format!("v,40000,{text}")).contains("out of range"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_a_constant() {
        for text in [
            "0x10", "0xff", "x", "-", "b", "1q", "1bu", "1lu", "--1", "1-", "1 2", "nan", "inff", "nand",
            "1.5b", "é", "1é", "٣", "1e", "f", ".", ".f",
        ] {
            let message = error(&format!("v,40000,{text}"));
            assert!(message.contains("is not a"), "{text}: {message}");
        }
        assert!(error("v,40000,1.5").contains("suffix f"));
        assert!(error("v,40000,1e5").contains("is not a"));
    }

    #[test]
    fn errors_say_what_was_expected() {
        for (argument, says) in [
            ("", "expected variables"),
            ("a|b,2", "write '\\|'"),
            ("v", "expected ','"),
            ("v,", "a filter is missing"),
            ("v,307,9|", "a filter is missing"),
            ("v,|307,9", "a filter is missing"),
            ("v,307,9||4,32,32", "a filter is missing"),
            ("v,307,", "a parameter is missing"),
            ("v,307,,9", "a parameter is missing"),
            (",307,9", "name is missing"),
            ("a&,307", "name is missing"),
            ("&a,307", "name is missing"),
            ("a&", "name is missing"),
            ("v,bzip2", "filter id"),
            ("v,0", "filter id"),
            ("v,65536", "filter id"),
            ("v,-1", "filter id"),
            ("v,+1", "filter id"),
            ("v,307,9|none", "filter id"),
            ("*&v,307,9", "'*' stands for all"),
            ("v&*,307,9", "'*' stands for all"),
            ("v\\", "backslash"),
            ("*", "expected ','"),
        ] {
            let message = error(argument);
            assert!(
                message.starts_with("filters ") && message.contains(says),
                "{argument}: {message}"
            );
            assert!(!message.contains('\n'));
        }
    }

    #[test]
    fn printed_and_parsed() {
        let specs = [(307, vec![9]), (4, vec![169, 32, 32, 80]), (3, vec![])]
            .map(|(id, parameters)| CodecSpec::hdf5(id, parameters));
        let text = format(&specs);
        assert_eq!(text, "307,9|4,169,32,32,80|3");
        assert_eq!(
            parse_filters(&text).unwrap(),
            [(307, vec![9]), (4, vec![169, 32, 32, 80]), (3, vec![])]
        );
        assert!(parse_filters("307,9|").is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,40}", tail in "[-+0-9a-zA-Z.,|&\\\\]{0,20}") {
            let _ = parse(&text);
            let _ = parse(&format!("v,307,{tail}"));
            let _ = parse_filters(&tail);
        }
    }
}
