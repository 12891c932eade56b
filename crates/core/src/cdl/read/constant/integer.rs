//! Integers, in declarations and as constants.
//!
//! ```text
//!  -  0x 1f us     declared()   a length, or the value of an enum's member: what the digits say
//!  │  │  │  │
//!  │  │  │  └─ b s l ll, with a u before or after, in either case
//!  │  │  └─ digits
//!  │  └─ hexadecimal; octal after a 0
//!  └─ sign         constant()   a value of a list: what the digits say, and of which type it is
//! ```
//!
//! Plain decimals without a suffix, the bulk of most lists, do not come here: [`number`](super::number) parses them.

use crate::model::Type;

/// The parts of an integer as written.
#[derive(Debug, Clone, Copy)]
pub struct Spelled<'t> {
    sign: Option<char>,
    radix: u32,
    digits: &'t str,
    /// The letters after the digits.
    letters: &'t str,
}

/// An integer constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// Its value.
    pub value: i128,
    /// Its type.
    pub ty: Type,
    /// True if its suffix asks for 32 bits, but it needs more.
    pub widened: bool,
    /// True if it is written with a minus sign, as in -0.
    pub negative: bool,
}

/// The type that the letters after an integer ask for.
#[derive(Debug, Clone, Copy)]
struct Suffix {
    unsigned: bool,
    width: Option<Width>,
}

/// `b s l ll`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    Byte,
    Short,
    Long,
    LongLong,
}

impl Suffix {
    fn new(letters: &str) -> Option<Self> {
        let (mut unsigned, mut width) = (false, None);
        for letter in letters.bytes() {
            match (letter.to_ascii_lowercase(), width) {
                (b'u', _) if !unsigned => unsigned = true,
                (b'b', None) => width = Some(Width::Byte),
                (b's', None) => width = Some(Width::Short),
                (b'l', None) => width = Some(Width::Long),
                (b'l', Some(Width::Long)) => width = Some(Width::LongLong),
                _ => return None,
            }
        }
        Some(Self { unsigned, width })
    }
}

/// Parses an integer of a declaration. The suffix only limits its range; `l` allows 64 bits, as no suffix does.
///
/// # Errors
/// The message for a malformed or too large integer.
pub fn declared(spelled: &str) -> Result<i128, String> {
    Spelled::new(spelled)
        .declared()
        .map_err(|why| format!("{spelled} is not an integer: {why}"))
}

impl<'t> Spelled<'t> {
    /// Splits `spelled` into its parts. It need not be an integer: see [`Self::is_whole`].
    pub fn new(spelled: &'t str) -> Self {
        let sign = spelled.chars().next().filter(|c| matches!(c, '-' | '+'));
        let rest = &spelled[usize::from(sign.is_some())..];
        let hexadecimal = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"));
        let (radix, rest) = hexadecimal.map_or((10, rest), |rest| (16, rest));
        let end = rest.bytes().position(|b| !char::from(b).is_digit(radix));
        let (digits, letters) = rest.split_at(end.unwrap_or(rest.len()));
        let octal = radix == 10 && digits.len() > 1 && digits.starts_with('0');
        Self {
            sign,
            radix: if octal { 8 } else { radix },
            digits,
            letters,
        }
    }

    /// True for an integer, even a malformed one. False for a decimal, or text that is no number.
    pub fn is_whole(&self) -> bool {
        let suffix = |b: u8| matches!(b.to_ascii_lowercase(), b'b' | b's' | b'l' | b'u');
        self.radix == 16 || !self.digits.is_empty() && self.letters.bytes().all(suffix)
    }

    /// The digits of an opaque constant: hexadecimal, without sign and suffix.
    pub fn opaque(&self) -> Option<&'t [u8]> {
        let bare = self.radix == 16 && self.sign.is_none() && self.letters.is_empty();
        (bare && !self.digits.is_empty()).then_some(self.digits.as_bytes())
    }

    /// The value of the sign and digits.
    fn value(&self) -> Result<i128, String> {
        if self.digits.is_empty() {
            return Err("digits must follow 0x".into());
        }
        if self.radix == 8 && self.digits.contains(['8', '9']) {
            return Err("behind a 0 it is octal, and has the digits 0 to 7 only".into());
        }
        let value = u64::from_str_radix(self.digits, self.radix).map_err(|_| needs_more_than(64))?;
        Ok(if self.is_negative() {
            -i128::from(value)
        } else {
            value.into()
        })
    }

    fn is_negative(&self) -> bool {
        self.sign == Some('-')
    }

    fn suffix(&self) -> Result<Suffix, String> {
        let suffix = Suffix::new(self.letters).ok_or_else(|| match self.letters.starts_with('.') {
            true => "it has a fraction".to_owned(),
            false => format!("there is no suffix '{}'", self.letters.to_ascii_lowercase()),
        })?;
        if suffix.unsigned && self.is_negative() {
            return Err("an unsigned one has no sign".into());
        }
        Ok(suffix)
    }

    fn declared(&self) -> Result<i128, String> {
        let bits = match self.suffix()?.width {
            Some(Width::Byte) if self.radix == 16 => {
                return Err("a hexadecimal one cannot have the suffix b".into());
            }
            Some(Width::Byte) => 8,
            Some(Width::Short) => 16,
            Some(Width::Long | Width::LongLong) | None => 64,
        };
        bounded(self.value()?, bits)
    }

    /// Converts to an integer constant.
    ///
    /// # Errors
    /// The message for an invalid integer.
    pub fn constant(&self) -> Result<Integer, String> {
        let value = self.value()?;
        let hexadecimal = self.radix == 16;
        if hexadecimal && self.sign.is_some() {
            return Err("a hexadecimal one has no sign".into());
        }
        let suffix = if hexadecimal {
            Suffix::new(self.letters)
                .filter(|s| !s.unsigned && s.width != Some(Width::Byte))
                .ok_or("a hexadecimal one can have the suffix s, l or ll")?
        } else {
            self.suffix()?
        };
        let unsigned = suffix.unsigned || hexadecimal;
        let bits = match suffix.width {
            None if self.letters.is_empty() => 64,
            None => 32,
            Some(Width::Byte) => 8,
            Some(Width::Short) => 16,
            Some(Width::Long) if fits(value, 32) => 32,
            Some(Width::Long | Width::LongLong) => 64,
        };
        let value = bounded(value, bits)?;
        let ty = match (bits, unsigned) {
            _ if self.letters.is_empty() => match value {
                -0x8000_0000..0x8000_0000 => Type::Int,
                0x8000_0000..0x1_0000_0000 => Type::UInt,
                v if v < 0 => Type::Int64,
                _ => Type::UInt64,
            },
            (8, true) => Type::UByte,
            (8, false) => Type::Byte,
            (16, true) => Type::UShort,
            (16, false) => Type::Short,
            (32, true) => Type::UInt,
            (32, false) => Type::Int,
            (_, true) => Type::UInt64,
            (_, false) => Type::Int64,
        };
        // As in netCDF-C, 65535s is -1. But 255b stays 255 if the type of the list can hold it, and is -1 only in a
        // byte.
        let wraps = matches!(ty, Type::Short | Type::Int | Type::Int64) && value >= 1 << (bits - 1);
        Ok(Integer {
            value: if wraps { value - (1 << bits) } else { value },
            ty,
            widened: suffix.width == Some(Width::Long) && bits == 64,
            negative: self.is_negative(),
        })
    }
}

/// True if `value` fits in `bits` bits, signed or unsigned.
#[inline]
pub fn fits(value: i128, bits: u32) -> bool {
    value >= -(1 << (bits - 1)) && value < 1 << bits
}

fn bounded(value: i128, bits: u32) -> Result<i128, String> {
    fits(value, bits)
        .then_some(value)
        .ok_or_else(|| needs_more_than(bits))
}

fn needs_more_than(bits: u32) -> String {
    format!("it needs more than {bits} bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_integers() {
        for (spelled, value) in [
            ("7", 7),
            ("+7", 7),
            ("-7L", -7),
            ("010", 8),
            ("0", 0),
            ("0x1F", 31),
            ("0x1fs", 31),
            ("0xBUL", 11),
            ("5su", 5),
            ("5LLU", 5),
            ("255b", 255),
            ("-128b", -128),
            ("18446744073709551615", u64::MAX.into()),
            ("-9223372036854775808", i64::MIN.into()),
        ] {
            assert_eq!(declared(spelled), Ok(value), "{spelled}");
        }
    }

    #[test]
    fn wrong_declared_integers() {
        for spelled in [
            "09",
            "1x",
            "0x",
            "0x1ub",
            "256b",
            "-129b",
            "70000s",
            "-1u",
            "1uu",
            "18446744073709551616",
            "-9223372036854775809",
            "1e5",
        ] {
            let error = declared(spelled).unwrap_err();
            assert!(
                error.starts_with(&format!("{spelled} is not an integer: ")),
                "{error}"
            );
        }
    }

    #[track_caller]
    fn is_constant(spelled: &str, value: i128, ty: Type) {
        let found = Spelled::new(spelled).constant().unwrap();
        assert_eq!((found.value, found.ty), (value, ty), "{spelled}");
    }

    #[test]
    fn constants() {
        use Type::*;
        is_constant("12", 12, Int);
        is_constant("+12", 12, Int);
        is_constant("-2147483648", -2_147_483_648, Int);
        is_constant("3000000000", 3_000_000_000, UInt);
        is_constant("5000000000", 5_000_000_000, UInt64);
        is_constant("-5000000000", -5_000_000_000, Int64);
        is_constant("18446744073709551615", u64::MAX.into(), UInt64);
        is_constant("-9223372036854775808", i64::MIN.into(), Int64);
        is_constant("010", 8, Int);
        is_constant("0", 0, Int);
        for (spelled, ty) in [
            ("1b", Byte),
            ("1B", Byte),
            ("1ub", UByte),
            ("1bu", UByte),
            ("1s", Short),
            ("1US", UShort),
            ("1su", UShort),
            ("1u", UInt),
            ("1l", Int),
            ("1ul", UInt),
            ("1LU", UInt),
            ("1ll", Int64),
            ("1ull", UInt64),
            ("1llu", UInt64),
            ("0x1s", UShort),
            ("0X1L", UInt),
            ("0x1ll", UInt64),
        ] {
            is_constant(spelled, 1, ty);
        }
        is_constant("65535s", -1, Short);
        is_constant("4294967295l", -1, Int);
        is_constant("255b", 255, Byte);
        is_constant("4294967296l", 4_294_967_296, Int64);
        is_constant("0xabcdabcdabcdabcdL", 0xabcd_abcd_abcd_abcd, UInt64);
    }

    #[test]
    fn a_long_may_be_longer_and_zero_negative() {
        let constant = |spelled| Spelled::new(spelled).constant().unwrap();
        assert!(constant("4294967296l").widened && constant("0x100000000L").widened);
        assert!(!constant("4294967295l").widened && !constant("4294967296ll").widened);
        assert!(constant("-0").negative && !constant("+0").negative);
    }
}
