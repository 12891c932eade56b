//! Numbers that their type cannot hold as written: 3000000000 in an `int`, 1.5 in a `short`, 1e300 in a `float`. They
//! become what netCDF-C makes of them, and give a warning.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::Diagnostic;
use crate::cdl::read::constant::lexer::Constant;
use crate::cdl::read::syntax::text::Text;
use crate::error::Result;
use crate::model::Type;

/// Maximum number of lists with a warning.
const MOST: usize = 100;

/// Maximum length, in bytes, of a number in a warning.
const SHOWN: usize = 30;

/// The first altered number of each list, from any thread. If there are more than [`MOST`] lists, the first in the text
/// are kept.
#[derive(Debug, Default)]
pub struct Altered(Mutex<BTreeMap<u64, (u64, String)>>);

impl Altered {
    /// Notes the number at `at`, in the list that starts at `list`, if `stored` of the type `ty` is another number.
    pub fn check(&self, list: u64, at: u64, spelled: &[u8], constant: &Constant, ty: Type, stored: &[u8]) {
        let Some(value) = altered(spelled, constant, ty, stored) else {
            return;
        };
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if found.get(&list).is_some_and(|(first, _)| *first <= at) {
            return;
        }
        let spelled = String::from_utf8_lossy(&spelled[..spelled.len().min(SHOWN)]);
        let what = format!(
            "{} cannot hold {spelled}: it becomes {value}, as in netCDF-C",
            ty.cdl_name().unwrap_or_default()
        );
        found.insert(list, (at, what));
        if found.len() > MOST {
            found.pop_last();
        }
    }

    /// A warning for each list, in the order of the text.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn diagnostics(&self, text: &Text) -> Result<Vec<Diagnostic>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = found.values();
        all.map(|(at, what)| text.diagnostic(*at, what.clone())).collect()
    }
}

/// The number that was stored, if it is not the one that is written. Rounding to a float alters nothing, and neither
/// does a hexadecimal or octal integer, which spells bits.
fn altered(spelled: &[u8], constant: &Constant, ty: Type, stored: &[u8]) -> Option<String> {
    let integer = integer(ty, stored);
    match (constant, integer) {
        (Constant::Integer(written), Some(value)) => {
            let bits = matches!(
                spelled.trim_ascii_start(),
                [b'0', _, ..] | [b'-' | b'+', b'0', _, ..]
            );
            (!bits && written.value != value).then(|| value.to_string())
        }
        (Constant::Real { spelled, .. }, Some(value)) => {
            let written: f64 = spelled.parse().ok()?;
            (written != value as f64).then(|| value.to_string())
        }
        (Constant::Real { .. }, None) => {
            let value = match *stored {
                [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                _ => f64::from_le_bytes(stored.try_into().ok()?),
            };
            value.is_infinite().then(|| match value > 0.0 {
                true => "Infinity".into(),
                false => "-Infinity".into(),
            })
        }
        _ => None,
    }
}

/// The value of an integer of the type `ty`; `None` for another type.
fn integer(ty: Type, stored: &[u8]) -> Option<i128> {
    let signed = match ty {
        Type::Byte | Type::Short | Type::Int | Type::Int64 => true,
        Type::UByte | Type::UShort | Type::UInt | Type::UInt64 => false,
        _ => return None,
    };
    let negative = signed && stored.last()? & 0x80 != 0;
    let mut bytes = [if negative { 0xff } else { 0 }; 16];
    bytes[..stored.len()].copy_from_slice(stored);
    Some(i128::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cdl::read::constant::convert::store;
    use crate::cdl::read::constant::lexer::Lexer;

    fn told(spelled: &str, ty: Type) -> Option<String> {
        let text = Text::new(Arc::new(spelled.as_bytes().to_vec()), "a.cdl").unwrap();
        let constant = Lexer::new(&text, spelled.as_bytes(), 0).constant().unwrap();
        let mut stored = vec![0; ty.atomic_size()];
        store(&constant, ty, &mut stored).unwrap();
        altered(spelled.as_bytes(), &constant, ty, &stored)
    }

    #[test]
    fn numbers_of_another_value_are_told() {
        for (spelled, ty, value) in [
            ("128", Type::Byte, "-128"),
            ("200b", Type::Byte, "-56"),
            ("-1", Type::UByte, "255"),
            ("40000", Type::Short, "-25536"),
            ("3000000000", Type::Int, "-1294967296"),
            ("18446744073709551615", Type::Int64, "-1"),
            ("-1", Type::UInt64, "18446744073709551615"),
            ("1.5", Type::Int, "1"),
            ("-0.5", Type::Byte, "0"),
            ("1e300", Type::Float, "Infinity"),
            ("-1e400", Type::Double, "-Infinity"),
        ] {
            assert_eq!(told(spelled, ty).as_deref(), Some(value), "{spelled} {ty:?}");
        }
    }

    #[test]
    fn what_a_type_holds_is_not() {
        for (spelled, ty) in [
            ("0", Type::Byte),
            ("-0", Type::UByte),
            ("255", Type::UByte),
            ("0xffffffff", Type::Int),
            ("0377", Type::Byte),
            ("2.0", Type::Int),
            ("0.1", Type::Float),
            ("16777217", Type::Float),
            ("1.79769313486232e+308", Type::Double),
            ("Infinity", Type::Float),
            ("'a'", Type::Byte),
        ] {
            assert_eq!(told(spelled, ty), None, "{spelled} {ty:?}");
        }
    }

    #[test]
    fn the_first_of_a_list_and_of_the_text_are_kept() {
        let text = Text::new(Arc::new(vec![b' '; 1000]), "a.cdl").unwrap();
        let constant = Lexer::new(&text, b"300000", 0).constant().unwrap();
        let found = Altered::default();
        for at in (0..500).rev() {
            found.check(at / 2, at, b"300000", &constant, Type::UByte, &[0]);
        }
        let told = found.diagnostics(&text).unwrap();
        assert_eq!(told.len(), MOST);
        assert_eq!((told[0].column, told[99].column), (1, 199));
    }
}
