//! [`Flex`]: values as FlexBuffers stores them (its "Internals" page), by which the file `repo` has its settings.
//!
//! ```text
//! … values, each behind what it leads to … │ root value │ its type │ bytes of the root value
//! list: length │ elements │ types       map: offset of keys │ bytes of an offset │ length │ elements │ types
//! ```
//!
//! Offsets lead backward, so what a value leads to comes before it.

use super::flatbuffer_reader::{CopyLimit, Wrong};

/// Most levels of lists and maps.
const DEEPEST: usize = 32;

/// Bytes in memory of a value.
const VALUE: usize = 32;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Flex {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number with a sign.
    Int(i64),
    /// A number without a sign.
    UInt(u64),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
    /// Values in their order.
    List(Vec<Flex>),
    /// The members, ascending by key.
    Map(Vec<(String, Flex)>),
}

/// Numbers of types.
mod types {
    pub const NULL: u8 = 0;
    pub const INT: u8 = 1;
    pub const UINT: u8 = 2;
    pub const FLOAT: u8 = 3;
    pub const KEY: u8 = 4;
    pub const TEXT: u8 = 5;
    /// Numbers that an offset leads to: those above, from [`INT`] on.
    pub const INDIRECT: u8 = 6;
    pub const MAP: u8 = 9;
    pub const LIST: u8 = 10;
    /// Lists of numbers and of keys: those above, from [`INT`] on.
    pub const TYPED_LIST: u8 = 11;
    pub const BLOB: u8 = 25;
    pub const BOOL: u8 = 26;
    pub const LIST_OF_BOOL: u8 = 36;
}

fn short() -> Wrong {
    "a position past the end of the settings".to_owned()
}

/// A place in a buffer that is read.
struct Reader<'b> {
    bytes: &'b [u8],
    limit: CopyLimit,
}

impl Reader<'_> {
    /// The number of `width` bytes at a place.
    fn number(&self, at: usize, width: usize) -> Result<u64, Wrong> {
        let end = at.checked_add(width).ok_or_else(short)?;
        let bytes = self.bytes.get(at..end).ok_or_else(short)?;
        Ok(bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    /// Where the offset at a place leads. The limits end what leads in a circle.
    fn follow(&self, at: usize, width: usize) -> Result<usize, Wrong> {
        let back = usize::try_from(self.number(at, width)?).map_err(|_| short())?;
        at.checked_sub(back).ok_or_else(short)
    }

    /// The length of what begins at a place.
    fn length(&self, at: usize, width: usize) -> Result<usize, Wrong> {
        let place = at.checked_sub(width).ok_or_else(short)?;
        let length = usize::try_from(self.number(place, width)?).map_err(|_| short())?;
        match length <= self.bytes.len() {
            true => Ok(length),
            false => Err(short()),
        }
    }

    /// A text that ends at a NUL.
    fn key(&mut self, at: usize) -> Result<String, Wrong> {
        let rest = self.bytes.get(at..).ok_or_else(short)?;
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(short)?;
        self.text(at, end)
    }

    fn text(&mut self, at: usize, length: usize) -> Result<String, Wrong> {
        let text = self.blob(at, length)?;
        String::from_utf8(text).map_err(|_| "a text that is not UTF-8".to_owned())
    }

    fn blob(&mut self, at: usize, length: usize) -> Result<Vec<u8>, Wrong> {
        let end = at.checked_add(length).ok_or_else(short)?;
        self.limit.take(VALUE + length)?;
        self.bytes.get(at..end).map(<[u8]>::to_vec).ok_or_else(short)
    }

    /// The value of `width` bytes at a place, by its type and the logarithm of the width of what it leads to.
    fn value(&mut self, at: usize, width: usize, packed: u8, depth: usize) -> Result<Flex, Wrong> {
        if depth > DEEPEST {
            return Err(format!("more than {DEEPEST} levels of settings"));
        }
        self.limit.take(VALUE)?;
        let (kind, inner) = (packed >> 2, 1 << (packed & 3));
        Ok(match kind {
            types::NULL => Flex::Null,
            types::BOOL => Flex::Bool(self.number(at, width)? != 0),
            types::INT | types::UINT | types::FLOAT => self.plain(at, width, kind)?,
            types::INDIRECT..types::MAP => {
                let to = self.follow(at, width)?;
                self.plain(to, inner, kind - types::INDIRECT + types::INT)?
            }
            types::KEY => {
                let to = self.follow(at, width)?;
                Flex::Text(self.key(to)?)
            }
            types::TEXT | types::BLOB => {
                let to = self.follow(at, width)?;
                let length = self.length(to, inner)?;
                match kind {
                    types::TEXT => Flex::Text(self.text(to, length)?),
                    _ => Flex::Blob(self.blob(to, length)?),
                }
            }
            types::LIST | types::TYPED_LIST..=14 | types::LIST_OF_BOOL => {
                let to = self.follow(at, width)?;
                let of = match kind {
                    types::LIST => None,
                    types::LIST_OF_BOOL => Some(types::BOOL),
                    typed => Some(typed - types::TYPED_LIST + types::INT),
                };
                Flex::List(self.elements(to, inner, of, depth)?)
            }
            types::MAP => {
                let to = self.follow(at, width)?;
                let before = |n: usize| to.checked_sub(n * inner).ok_or_else(short);
                let keys = self.follow(before(3)?, inner)?;
                let key_width = usize::try_from(self.number(before(2)?, inner)?).map_err(|_| short())?;
                if !matches!(key_width, 1 | 2 | 4 | 8) {
                    return Err("a map with strange keys".to_owned());
                }
                let values = self.elements(to, inner, None, depth)?;
                let mut members = Vec::new();
                for (n, value) in values.into_iter().enumerate() {
                    let place = keys.checked_add(n * key_width).ok_or_else(short)?;
                    let place = self.follow(place, key_width)?;
                    members.push((self.key(place)?, value));
                }
                Flex::Map(members)
            }
            other => return Err(format!("a setting of the type {other}, which is not supported")),
        })
    }

    fn plain(&self, at: usize, width: usize, kind: u8) -> Result<Flex, Wrong> {
        let number = self.number(at, width)?;
        let unused = 64 - 8 * width as u32;
        Ok(match (kind, width) {
            (types::INT, _) => Flex::Int((number << unused).cast_signed() >> unused),
            (types::UINT, _) => Flex::UInt(number),
            (_, 4) => Flex::Float(f32::from_bits(number as u32).into()),
            (_, 8) => Flex::Float(f64::from_bits(number)),
            _ => return Err(format!("a number of {width} bytes with a fraction")),
        })
    }

    /// The elements of the list at a place, which all have the type `of`, or each its own.
    fn elements(
        &mut self,
        at: usize,
        width: usize,
        of: Option<u8>,
        depth: usize,
    ) -> Result<Vec<Flex>, Wrong> {
        let count = self.length(at, width)?;
        let types = count
            .checked_mul(width)
            .and_then(|all| all.checked_add(at))
            .ok_or_else(short)?;
        let mut list = Vec::new();
        for n in 0..count {
            let packed = match of {
                Some(kind) => kind << 2,
                None => {
                    let place = types.checked_add(n).ok_or_else(short)?;
                    *self.bytes.get(place).ok_or_else(short)?
                }
            };
            list.push(self.value(at + n * width, width, packed, depth + 1)?);
        }
        Ok(list)
    }
}

/// Bytes of all numbers and offsets that are written.
const WIDTH: usize = 8;

/// The logarithm of [`WIDTH`].
const WIDTH_BITS: u8 = 3;

/// What stands in a list for a value: its type, and its number, or the position that its offset leads to.
enum Stored {
    Plain(u8, u64),
    Offset(u8, usize),
}

impl Flex {
    /// The value that a buffer has.
    ///
    /// # Errors
    /// What is damaged, or not supported.
    pub fn parse(bytes: &[u8]) -> Result<Self, Wrong> {
        let [.., packed, width] = *bytes else {
            return Err(short());
        };
        let width = usize::from(width);
        if !matches!(width, 1 | 2 | 4 | 8) {
            return Err("settings of a strange form".to_owned());
        }
        let at = (bytes.len() - 2).checked_sub(width).ok_or_else(short)?;
        let limit = CopyLimit::of_small(bytes);
        Reader { bytes, limit }.value(at, width, packed, 0)
    }

    /// A member of a map.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(members) => members
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets a member of a map. What is no map becomes one.
    pub fn set(&mut self, name: &str, value: Self) {
        if !matches!(self, Self::Map(_)) {
            *self = Self::Map(Vec::new());
        }
        if let Self::Map(members) = self {
            members.retain(|(key, _)| key != name);
            let at = members.partition_point(|(key, _)| key.as_str() < name);
            members.insert(at, (name.to_owned(), value));
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The bytes of the value. All numbers have 8 bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let root = self.put(&mut bytes);
        align(&mut bytes);
        let kind = put_stored(&mut bytes, &root);
        bytes.extend([kind, WIDTH as u8]);
        bytes
    }

    /// Writes what the value leads to.
    fn put(&self, bytes: &mut Vec<u8>) -> Stored {
        match self {
            Self::Null => Stored::Plain(types::NULL, 0),
            Self::Bool(value) => Stored::Plain(types::BOOL, (*value).into()),
            Self::Int(value) => Stored::Plain(types::INT, value.cast_unsigned()),
            Self::UInt(value) => Stored::Plain(types::UINT, *value),
            Self::Float(value) => Stored::Plain(types::FLOAT, value.to_bits()),
            Self::Text(text) => {
                let at = put_bytes(bytes, text.as_bytes());
                bytes.push(0);
                Stored::Offset(types::TEXT, at)
            }
            Self::Blob(blob) => Stored::Offset(types::BLOB, put_bytes(bytes, blob)),
            Self::List(list) => {
                let stored: Vec<Stored> = list.iter().map(|value| value.put(bytes)).collect();
                align(bytes);
                Stored::Offset(types::LIST, put_list(bytes, &stored))
            }
            Self::Map(members) => {
                let keys = members.iter().map(|(key, _)| {
                    let at = bytes.len();
                    bytes.extend_from_slice(key.as_bytes());
                    bytes.push(0);
                    Stored::Offset(types::KEY, at)
                });
                let keys: Vec<Stored> = keys.collect();
                align(bytes);
                let keys = put_list(bytes, &keys);
                let stored: Vec<Stored> = members.iter().map(|(_, value)| value.put(bytes)).collect();
                align(bytes);
                put_stored(bytes, &Stored::Offset(types::LIST, keys));
                bytes.extend((WIDTH as u64).to_le_bytes());
                Stored::Offset(types::MAP, put_list(bytes, &stored))
            }
        }
    }
}

fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(WIDTH), 0);
}

/// Writes bytes behind their number. Returns their position.
fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) -> usize {
    align(bytes);
    bytes.extend((value.len() as u64).to_le_bytes());
    let at = bytes.len();
    bytes.extend_from_slice(value);
    at
}

/// Writes the number of elements, the elements and their types. Returns the position of the elements.
fn put_list(bytes: &mut Vec<u8>, list: &[Stored]) -> usize {
    bytes.extend((list.len() as u64).to_le_bytes());
    let at = bytes.len();
    let types: Vec<u8> = list.iter().map(|stored| put_stored(bytes, stored)).collect();
    bytes.extend(types);
    at
}

/// Writes a number or an offset. Returns its type.
fn put_stored(bytes: &mut Vec<u8>, stored: &Stored) -> u8 {
    let (kind, number) = match stored {
        Stored::Plain(kind, number) => (*kind, *number),
        Stored::Offset(kind, at) => (*kind, (bytes.len() - at) as u64),
    };
    bytes.extend(number.to_le_bytes());
    kind << 2 | WIDTH_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_written() {
        let mut all = Flex::Null;
        let texts = Flex::List(vec![
            Flex::Text("é".to_owned()),
            Flex::Null,
            Flex::Map(Vec::new()),
        ]);
        for (name, value) in [
            ("b", Flex::Int(-3)),
            ("a", texts),
            ("d", Flex::Float(1.5)),
            ("c", Flex::UInt(u64::MAX)),
            ("e", Flex::Bool(true)),
            ("f", Flex::Blob(vec![1, 2, 3])),
        ] {
            all.set(name, value);
        }
        assert_eq!(Flex::parse(&all.write()).unwrap(), all);
        assert_eq!(all.get("b"), Some(&Flex::Int(-3)));
    }

    #[test]
    fn small_values_of_other_writers_are_read() {
        // {"is_root": true}, as icechunk writes it.
        let found = Flex::parse(b"is_root\x00\x01\t\x01\x01\x01\x01h\x02$\x01").unwrap();
        assert_eq!(found.get("is_root"), Some(&Flex::Bool(true)));
        // A list of the numbers 1 and -2, of one byte each.
        let found = Flex::parse(&[2, 1, 254, 2, 11 << 2, 1]).unwrap();
        assert_eq!(found, Flex::List(vec![Flex::Int(1), Flex::Int(-2)]));
    }

    #[test]
    fn damaged_buffers_are_refused() {
        let mut all = Flex::Null;
        all.set("a", Flex::List(vec![Flex::Text("x".to_owned()); 3]));
        let bytes = all.write();
        for n in 0..bytes.len() {
            let _ = Flex::parse(&bytes[n..]);
            for changed in [0, 1, 9 << 2, 255] {
                let mut bytes = bytes.clone();
                bytes[n] = changed;
                let _ = Flex::parse(&bytes);
            }
        }
        // A list whose elements are the list itself.
        assert!(Flex::parse(&[2, 0, 1, 10 << 2, 10 << 2, 4, 10 << 2, 1]).is_err());
    }
}
