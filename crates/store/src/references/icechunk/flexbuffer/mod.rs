//! [`FlexValue`]: a FlexBuffers value (its "Internals" page). The file `repo` stores its settings so.
//!
//! ```text
//! … values, each behind what it leads to … │ root value │ its type │ bytes of the root value
//! list: length │ elements │ types       map: offset of keys │ bytes of an offset │ length │ elements │ types
//! ```
//!
//! Offsets lead backward, so what a value leads to comes before it.

mod reader;
mod writer;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum FlexValue {
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
    List(Vec<FlexValue>),
    /// The members, ascending by key.
    Map(Vec<(String, FlexValue)>),
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

impl FlexValue {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_written() {
        let mut all = FlexValue::Null;
        let texts = FlexValue::List(vec![
            FlexValue::Text("é".to_owned()),
            FlexValue::Null,
            FlexValue::Map(Vec::new()),
        ]);
        for (name, value) in [
            ("b", FlexValue::Int(-3)),
            ("a", texts),
            ("d", FlexValue::Float(1.5)),
            ("c", FlexValue::UInt(u64::MAX)),
            ("e", FlexValue::Bool(true)),
            ("f", FlexValue::Blob(vec![1, 2, 3])),
        ] {
            all.set(name, value);
        }
        assert_eq!(FlexValue::parse(&all.write()).unwrap(), all);
        assert_eq!(all.get("b"), Some(&FlexValue::Int(-3)));
    }

    #[test]
    fn small_values_of_other_writers_are_read() {
        // {"is_root": true}, as icechunk writes it.
        let found = FlexValue::parse(b"is_root\x00\x01\t\x01\x01\x01\x01h\x02$\x01").unwrap();
        assert_eq!(found.get("is_root"), Some(&FlexValue::Bool(true)));
        // A list of the numbers 1 and -2, of one byte each.
        let found = FlexValue::parse(&[2, 1, 254, 2, 11 << 2, 1]).unwrap();
        assert_eq!(
            found,
            FlexValue::List(vec![FlexValue::Int(1), FlexValue::Int(-2)])
        );
    }

    #[test]
    fn damaged_buffers_are_refused() {
        let mut all = FlexValue::Null;
        all.set("a", FlexValue::List(vec![FlexValue::Text("x".to_owned()); 3]));
        let bytes = all.write();
        for n in 0..bytes.len() {
            let _ = FlexValue::parse(&bytes[n..]);
            for changed in [0, 1, 9 << 2, 255] {
                let mut bytes = bytes.clone();
                bytes[n] = changed;
                let _ = FlexValue::parse(&bytes);
            }
        }
        // A list whose elements are the list itself.
        assert!(FlexValue::parse(&[2, 0, 1, 10 << 2, 10 << 2, 4, 10 << 2, 1]).is_err());
    }
}
