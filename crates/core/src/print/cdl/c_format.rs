//! The attribute `C_format` of a variable: a format of C's `printf` for its values.
//!
//! The format string comes from a file, so it is parsed here and never passed to another function. It is used
//! only if it is a single conversion that fits the type, with width and precision below a limit, and optional
//! blanks around it.

use std::io::Write;

use crate::model::{Attribute, Type};
use crate::print::bytes::array;
use crate::print::number::general::push_general;

/// Most characters of the attribute, and of a number, that netCDF-C has room for.
const LIMIT: usize = 100;

/// A format for numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CFormat {
    before: usize,
    after: usize,
    /// `-`: pad on the right.
    left: bool,
    /// `+`: print a plus sign.
    plus: bool,
    /// Blank: print a blank in place of a plus sign.
    blank: bool,
    /// `#`: use the alternate form.
    alternate: bool,
    /// `0`: pad with zeros.
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    conversion: u8,
}

impl CFormat {
    /// The format of a variable of type `ty` with these attributes. `None` if it has none, or one that is not
    /// supported.
    pub fn of(attributes: &[Attribute], ty: Type) -> Option<Self> {
        let attribute = attributes.iter().find(|a| a.name == "C_format")?;
        if attribute.ty != Type::Char || attribute.values.bytes.len() >= LIMIT {
            return None;
        }
        Self::parse(attribute.values.bytes.split(|c| *c == 0).next()?, ty)
    }

    fn parse(text: &[u8], ty: Type) -> Option<Self> {
        let blanks = |text: &[u8]| text.iter().take_while(|c| **c == b' ').count();
        let before = blanks(text);
        let mut rest = text[before..].strip_prefix(b"%")?;
        let mut format = Self {
            before,
            after: 0,
            left: false,
            plus: false,
            blank: false,
            alternate: false,
            zeros: false,
            width: 0,
            precision: None,
            conversion: 0,
        };
        while let Some((flag, behind)) = rest.split_first() {
            match flag {
                b'-' => format.left = true,
                b'+' => format.plus = true,
                b' ' => format.blank = true,
                b'#' => format.alternate = true,
                b'0' => format.zeros = true,
                // `'` groups thousands, which has no effect in the C locale.
                b'\'' => {}
                _ => break,
            }
            rest = behind;
        }
        let number = |rest: &mut &[u8]| {
            let mut value = 0;
            while let Some((digit, behind)) = rest.split_first().filter(|(c, _)| c.is_ascii_digit()) {
                value = value * 10 + usize::from(digit - b'0');
                if value >= LIMIT {
                    return None;
                }
                *rest = behind;
            }
            Some(value)
        };
        format.width = number(&mut rest)?;
        if let Some(behind) = rest.strip_prefix(b".") {
            rest = behind;
            format.precision = Some(number(&mut rest)?);
        }
        // The length of C's argument. Here the type gives it.
        while let [b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't', behind @ ..] = rest {
            rest = behind;
        }
        let (conversion, behind) = rest.split_first()?;
        format.conversion = *conversion;
        format.after = blanks(behind);
        let fits = match ty {
            Type::Float | Type::Double => b"eEfFgG".contains(conversion) && format.real_reads_back(),
            Type::Char | Type::String | Type::User(_) => false,
            _ => b"diou".contains(conversion) && format.integer_reads_back(),
        };
        (fits && format.after == behind.len()).then_some(format)
    }

    /// True if CDL reads the printed integers back as the same numbers. Digits after a leading zero are read
    /// as octal, all others as decimal. (Hexadecimal ones never read back: `0x` starts bytes in memory
    /// order.)
    fn integer_reads_back(&self) -> bool {
        let has_zeros = self.zeros && !self.left || self.precision.is_some_and(|n| n != 1);
        match self.conversion {
            b'o' => self.alternate && self.precision != Some(0),
            _ => !has_zeros,
        }
    }

    /// True if CDL reads the printed real numbers back. One without point and exponent is read as an integer, where
    /// leading zeros mean octal.
    fn real_reads_back(&self) -> bool {
        let is_real = match self.conversion.to_ascii_lowercase() {
            b'e' => true,
            b'f' => self.alternate || self.precision != Some(0),
            _ => self.alternate,
        };
        is_real || !self.zeros || self.left
    }

    /// Appends an element of a numeric type. Returns false, and appends nothing, if C has no number for it.
    pub fn push(&self, out: &mut Vec<u8>, ty: Type, bytes: &[u8]) -> bool {
        match ty {
            Type::Float => self.push_float(out, f32::from_le_bytes(array(bytes)).into()),
            Type::Double => self.push_float(out, f64::from_le_bytes(array(bytes))),
            // C passes shorter types as an int, which would have too many bits to be read back.
            Type::Byte => self.push_integer(out, i8::from_le_bytes(array(bytes)).into(), u8::MAX.into()),
            Type::Short => self.push_integer(out, i16::from_le_bytes(array(bytes)).into(), u16::MAX.into()),
            Type::Int => self.push_integer(out, i32::from_le_bytes(array(bytes)).into(), u32::MAX.into()),
            Type::Int64 => self.push_integer(out, i64::from_le_bytes(array(bytes)).into(), u64::MAX),
            Type::UByte => self.push_integer(out, bytes[0].into(), u64::MAX),
            Type::UShort => self.push_integer(out, u16::from_le_bytes(array(bytes)).into(), u64::MAX),
            Type::UInt => self.push_integer(out, u32::from_le_bytes(array(bytes)).into(), u64::MAX),
            Type::UInt64 => self.push_integer(out, u64::from_le_bytes(array(bytes)).into(), u64::MAX),
            Type::Char | Type::String | Type::User(_) => false,
        }
    }

    /// `mask` has the bits of the number if it is printed as unsigned.
    fn push_integer(&self, out: &mut Vec<u8>, value: i128, mask: u64) -> bool {
        let bits = value as u64 & mask;
        let signed = matches!(self.conversion, b'd' | b'i');
        let mut digits = match self.conversion {
            b'o' => format!("{bits:o}"),
            b'u' => bits.to_string(),
            _ => value.unsigned_abs().to_string(),
        };
        if self.precision == Some(0) && value == 0 {
            digits.clear();
        }
        let mut least = self.precision.unwrap_or(0);
        if self.alternate && self.conversion == b'o' && !digits.starts_with('0') {
            least = least.max(digits.len() + 1);
        }
        let zeros = "0".repeat(least.saturating_sub(digits.len()));
        let sign = match self.conversion {
            _ if signed => self.sign(value < 0),
            _ => "",
        };
        self.pad(
            out,
            sign,
            &(zeros + &digits),
            self.zeros && self.precision.is_none(),
        );
        true
    }

    fn push_float(&self, out: &mut Vec<u8>, value: f64) -> bool {
        if !value.is_finite() {
            return false;
        }
        let magnitude = value.abs();
        let precision = self.precision.unwrap_or(6);
        let mut text = match self.conversion.to_ascii_lowercase() {
            b'f' => {
                let text = format!("{magnitude:.precision$}");
                if self.alternate && precision == 0 {
                    text + "."
                } else {
                    text
                }
            }
            b'e' => exponential(magnitude, precision, self.alternate),
            _ if self.alternate => general_with_zeros(magnitude, precision.max(1)),
            _ => {
                let mut text = Vec::new();
                push_general(&mut text, magnitude, precision);
                String::from_utf8(text).unwrap_or_default()
            }
        };
        // CDL would read this as an integer, and no integer is so large.
        if text.len() > 18 && text.bytes().all(|c| c.is_ascii_digit()) {
            return false;
        }
        if self.conversion.is_ascii_uppercase() {
            text.make_ascii_uppercase();
        }
        self.pad(out, self.sign(value.is_sign_negative()), &text, self.zeros);
        true
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn pad(&self, out: &mut Vec<u8>, sign: &str, digits: &str, zeros: bool) {
        let missing = self.width.saturating_sub(sign.len() + digits.len());
        let (left, inner, right) = match (self.left, zeros) {
            (true, _) => (0, 0, missing),
            (_, true) => (0, missing, 0),
            _ => (missing, 0, 0),
        };
        let (left, right) = (left + self.before, right + self.after);
        let _ = write!(out, "{:left$}{sign}{:0<inner$}{digits}{:right$}", "", "", "");
    }
}

/// Formats like `%e`. With `point`, the point is printed even without digits after it.
fn exponential(magnitude: f64, precision: usize, point: bool) -> String {
    let text = format!("{magnitude:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.unsigned_abs())
}

/// Formats like `%#g`, which keeps trailing zeros.
fn general_with_zeros(magnitude: f64, precision: usize) -> String {
    let text = exponential(magnitude, precision - 1, true);
    let exponent: i64 = text
        .split_once('e')
        .and_then(|(_, e)| e.parse().ok())
        .unwrap_or(0);
    if exponent < -4 || exponent >= precision as i64 {
        return text;
    }
    let behind = (precision as i64 - 1 - exponent) as usize;
    let text = format!("{magnitude:.behind$}");
    if behind == 0 { text + "." } else { text }
}
