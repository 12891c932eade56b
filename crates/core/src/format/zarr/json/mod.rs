//! JSON as Zarr's metadata needs it.
//!
//! ```text
//! bytes ─► parse ─► Json ─► Display ─► text, spaced as netCDF-C spaces it
//!                     ▲ │
//!                     │ ▼
//!            serde_json::Value, for the configurations of codecs
//! ```
//!
//! It differs from `serde_json` in these points:
//! - The tokens `NaN`, `Infinity` and `-Infinity` are numbers. Python and netCDF-C write them.
//! - Integers keep 64 bits, and 1 differs from 1.0. The type of an attribute depends on it.
//! - Keys keep their order.
//! - What netCDF-C writes is read, though it is no JSON. It writes the text of a char attribute without quotes if the text
//!   is a number or boolean to C: `1.10`, `007`, `+1`, `True`. [`Json::parse_spelled`] keeps such spellings.

mod parse;
mod print;
mod serde_value;
mod word;

use std::borrow::Cow;

pub use parse::JsonError;
pub use serde_value::NotFinite;
use word::Word;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without point and exponent, from `i64::MIN` to `u64::MAX`.
    Integer(i128),
    /// Any other number, also one that is not finite.
    Float(f64),
    /// A number, boolean or null that is spelled otherwise than it is printed here: `1.50`, `1e+36`, `007`, `True`. Only
    /// [`Json::parse_spelled`] gives it, but for [whole numbers of more than 64 bits](Json::is_wide). All methods treat it as
    /// its [value](Json::plain).
    Word(String),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: its members in order. No two have the same key.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The member of an object with this key. `None` if there is none, or if this is no object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let (_, value) = self.as_object()?.iter().find(|(name, _)| name == key)?;
        Some(value)
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a word; any other value is itself.
    pub fn plain(&self) -> Cow<'_, Self> {
        match self {
            Self::Word(word) => {
                Cow::Owned(word::value(word).map_or_else(|| Self::String(word.clone()), Self::from))
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// True for a whole number of more than 64 bits. Its value is a float, and its digits are kept.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Word(word) if word::is_whole(word))
    }

    /// The value of `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match &*self.plain() {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// An integer that is not negative. A whole number written with a point counts as one.
    pub fn as_u64(&self) -> Option<u64> {
        u64::try_from(self.as_whole()?).ok()
    }

    /// An integer that fits into 64 bits with a sign. A whole number written with a point counts as one.
    pub fn as_i64(&self) -> Option<i64> {
        i64::try_from(self.as_whole()?).ok()
    }

    /// A number without fraction, in the range of [`Json::Integer`]. Of floats only those up to 2^53 count, because larger
    /// ones may be rounded.
    pub(super) fn as_whole(&self) -> Option<i128> {
        match &*self.plain() {
            Self::Integer(value) => Some(*value),
            Self::Float(value) if value.fract() == 0.0 && value.abs() <= TWO_53 => Some(*value as i128),
            _ => None,
        }
    }

    /// Any number.
    pub fn as_f64(&self) -> Option<f64> {
        match &*self.plain() {
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        *self.plain() == Self::Null
    }

    /// The sort of value, with an article: "a string".
    pub fn sort(&self) -> &'static str {
        match &*self.plain() {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a number",
            Self::String(_) | Self::Word(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

const TWO_53: f64 = (1u64 << 53) as f64;

impl From<Word> for Json {
    fn from(word: Word) -> Self {
        match word {
            Word::Null => Self::Null,
            Word::Bool(value) => Self::Bool(value),
            Word::Integer(value) => Self::Integer(value),
            Word::Float(value) => Self::Float(value),
            Word::Text(text) => Self::String(text),
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::Integer(value.into())
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Integer(value.into())
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(elements: Vec<T>) -> Self {
        Self::Array(elements.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<String>> FromIterator<(K, Json)> for Json {
    /// An object. The keys must differ.
    fn from_iter<I: IntoIterator<Item = (K, Json)>>(members: I) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }
}

#[cfg(test)]
pub(super) use tests::any_json;

#[cfg(test)]
mod tests;
