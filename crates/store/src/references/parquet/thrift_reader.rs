//! [`Thrift`]: structures in the compact protocol of Thrift, as the metadata of Parquet has them.
//!
//! See <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.

/// Most levels of structures and lists that are passed over.
const DEEPEST: usize = 32;

/// Why bytes are no Parquet that is read here.
pub type Wrong = String;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThriftType {
    /// A boolean, whose value is a part of its type.
    Bool(bool),
    /// A byte.
    Byte,
    /// An integer of 16, 32 or 64 bits.
    Integer,
    /// A float of 64 bits.
    Double,
    /// Bytes, or text.
    Binary,
    /// A list or set.
    List,
    /// A map.
    Map,
    /// A structure.
    Struct,
}

/// Bytes that structures are read from, one after another.
#[derive(Debug, Clone)]
pub struct Thrift<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Thrift<'b> {
    /// The structures in `bytes`.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes that were read.
    pub fn position(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Result<u8, Wrong> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.ok_or_else(|| "metadata that ends too early".to_owned())
    }

    fn varint(&mut self) -> Result<u64, Wrong> {
        let mut number = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number of more than 64 bits".to_owned())
    }

    /// An integer.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn integer(&mut self) -> Result<i64, Wrong> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Bytes with their length.
    ///
    /// # Errors
    /// If the bytes end before.
    pub fn binary(&mut self) -> Result<&'b [u8], Wrong> {
        let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        let end = self.at.checked_add(length);
        let found = end.and_then(|end| self.bytes.get(self.at..end));
        let found = found.ok_or("a text that is longer than its metadata")?;
        self.at += length;
        Ok(found)
    }

    /// The type and the number of the elements of a list, which is at most the number of bytes that are left.
    ///
    /// # Errors
    /// A list that is longer than its bytes.
    pub fn list(&mut self) -> Result<(ThriftType, usize), Wrong> {
        let byte = self.byte()?;
        let length = match byte >> 4 {
            15 => usize::try_from(self.varint()?).unwrap_or(usize::MAX),
            length => length.into(),
        };
        // fastparquet writes no type for an empty list.
        if length == 0 {
            return Ok((ThriftType::Struct, 0));
        }
        match length <= self.bytes.len().saturating_sub(self.at) {
            true => Ok((kind(byte & 15)?, length)),
            false => Err("a list that is longer than its metadata".to_owned()),
        }
    }

    /// Reads a structure: `field` reads the value of each field that it knows, and returns false for one that it does not.
    ///
    /// # Errors
    /// Those of `field`, and bytes that are no structure.
    pub fn structure(
        &mut self,
        mut field: impl FnMut(&mut Self, i16, ThriftType) -> Result<bool, Wrong>,
    ) -> Result<(), Wrong> {
        let mut id = 0i16;
        while let Some((next, kind)) = self.field(id)? {
            id = next;
            let before = self.at;
            if !field(self, id, kind)? {
                self.at = before;
                self.skip(kind, 0)?;
            }
        }
        Ok(())
    }

    /// The number and type of the next field behind that of number `id`; `None` at the end of the structure.
    fn field(&mut self, id: i16) -> Result<Option<(i16, ThriftType)>, Wrong> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        let id = match byte >> 4 {
            0 => self.integer()? as i16,
            delta => id.wrapping_add(delta.into()),
        };
        Ok(Some((id, kind(byte & 15)?)))
    }

    /// Passes over a value.
    fn skip(&mut self, of: ThriftType, depth: usize) -> Result<(), Wrong> {
        if depth > DEEPEST {
            return Err(format!("metadata of more than {DEEPEST} levels"));
        }
        match of {
            ThriftType::Bool(_) => Ok(()),
            ThriftType::Byte => self.byte().map(drop),
            ThriftType::Integer => self.varint().map(drop),
            ThriftType::Double => (0..8).try_for_each(|_| self.byte().map(drop)),
            ThriftType::Binary => self.binary().map(drop),
            ThriftType::List => {
                let (element, length) = self.list()?;
                (0..length).try_for_each(|_| self.skip_element(element, depth))
            }
            ThriftType::Map => {
                let length = self.varint()?;
                if length == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                let (key, value) = (kind(kinds >> 4)?, kind(kinds & 15)?);
                for _ in 0..length {
                    self.skip_element(key, depth)?;
                    self.skip_element(value, depth)?;
                }
                Ok(())
            }
            ThriftType::Struct => {
                let mut id = 0;
                while let Some((next, of)) = self.field(id)? {
                    id = next;
                    self.skip(of, depth + 1)?;
                }
                Ok(())
            }
        }
    }

    /// Passes over an element of a list. Booleans take a byte there.
    fn skip_element(&mut self, of: ThriftType, depth: usize) -> Result<(), Wrong> {
        match of {
            ThriftType::Bool(_) => self.byte().map(drop),
            of => self.skip(of, depth + 1),
        }
    }
}

fn kind(number: u8) -> Result<ThriftType, Wrong> {
    Ok(match number {
        1 => ThriftType::Bool(true),
        2 => ThriftType::Bool(false),
        3 => ThriftType::Byte,
        4..=6 => ThriftType::Integer,
        7 => ThriftType::Double,
        8 => ThriftType::Binary,
        9 | 10 => ThriftType::List,
        11 => ThriftType::Map,
        12 => ThriftType::Struct,
        other => return Err(format!("metadata with the unknown type {other}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_and_passed_over() {
        // 1: i32 -3; 2: list of two structures, unknown; 20: text; 21: true.
        let bytes = [
            0x15, 5, 0x19, 0x2c, 0x15, 2, 0, 0x11, 0, 0x08, 40, 2, b'a', b'b', 0x11, 0, 99,
        ];
        let mut thrift = Thrift::new(&bytes);
        let mut found = Vec::new();
        let read = thrift.structure(|thrift, id, kind| {
            match (id, kind) {
                (1, ThriftType::Integer) => found.push(thrift.integer()?.to_string()),
                (20, ThriftType::Binary) => {
                    found.push(String::from_utf8_lossy(thrift.binary()?).into_owned())
                }
                (21, ThriftType::Bool(value)) => found.push(value.to_string()),
                _ => return Ok(false),
            }
            Ok(true)
        });
        assert_eq!((read, thrift.position()), (Ok(()), bytes.len() - 1));
        assert_eq!(found, ["-3", "ab", "true"]);
        for cut in 0..bytes.len() - 2 {
            assert!(
                Thrift::new(&bytes[..cut]).structure(|_, _, _| Ok(false)).is_err(),
                "{cut}"
            );
        }
        let deep = [0x1c; 1000];
        assert!(
            Thrift::new(&deep)
                .structure(|_, _, _| Ok(false))
                .unwrap_err()
                .contains("levels")
        );
    }
}
