//! Writes a value behind what it leads to.

use super::{FlexValue, types};

/// Bytes of all numbers and offsets that are written.
const WIDTH: usize = 8;

/// The logarithm of [`WIDTH`].
const WIDTH_BITS: u8 = 3;

/// One slot of a list: a type, and a number or the position of the value.
enum Stored {
    Plain(u8, u64),
    Offset(u8, usize),
}

impl FlexValue {
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
