//! [`ThriftWriter`]: structures in Thrift's compact protocol.

/// Types of fields and of elements of lists.
const INT32: u8 = 5;
const INT64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes one structure. Fields come in the order of their numbers.
#[derive(Debug, Default)]
pub struct ThriftWriter {
    bytes: Vec<u8>,
    /// Number of the last field of each open structure.
    last: Vec<u8>,
}

impl ThriftWriter {
    /// An empty structure.
    pub fn new() -> Self {
        Self {
            bytes: Vec::new(),
            last: vec![0],
        }
    }

    /// The structure's bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    /// A number.
    pub fn int32(&mut self, field: u8, value: i32) {
        self.field(field, INT32);
        self.varint(zigzag(value.into()));
    }

    /// A number.
    pub fn int64(&mut self, field: u8, value: u64) {
        self.field(field, INT64);
        self.varint(zigzag(value.cast_signed()));
    }

    /// A string.
    pub fn string(&mut self, field: u8, text: &str) {
        self.field(field, BINARY);
        self.text(text);
    }

    /// A structure, whose fields `fill` writes.
    pub fn structure(&mut self, field: u8, fill: impl FnOnce(&mut Self)) {
        self.field(field, STRUCT);
        self.inner(fill);
    }

    /// A list of structures, whose fields `fill` writes.
    pub fn structures<T>(&mut self, field: u8, items: &[T], fill: impl Fn(&mut Self, &T)) {
        self.field(field, LIST);
        self.list(items.len(), STRUCT);
        for item in items {
            self.inner(|own| fill(own, item));
        }
    }

    /// A list of numbers.
    pub fn int32s(&mut self, field: u8, values: &[i32]) {
        self.field(field, LIST);
        self.list(values.len(), INT32);
        for value in values {
            self.varint(zigzag((*value).into()));
        }
    }

    /// A list of one string.
    pub fn strings(&mut self, field: u8, text: &str) {
        self.field(field, LIST);
        self.list(1, BINARY);
        self.text(text);
    }

    fn inner(&mut self, fill: impl FnOnce(&mut Self)) {
        self.last.push(0);
        fill(self);
        self.last.pop();
        self.bytes.push(0);
    }

    fn text(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn field(&mut self, field: u8, kind: u8) {
        let last = self.last.last_mut().map(|last| std::mem::replace(last, field));
        let delta = field.wrapping_sub(last.unwrap_or(0));
        // Fields of Parquet are less than 15 apart.
        self.bytes.push(delta << 4 | kind);
    }

    fn list(&mut self, length: usize, kind: u8) {
        match u8::try_from(length).ok().filter(|length| *length < 15) {
            Some(length) => self.bytes.push(length << 4 | kind),
            None => {
                self.bytes.push(0xF0 | kind);
                self.varint(length as u64);
            }
        }
    }

    fn varint(&mut self, value: u64) {
        push_varint(&mut self.bytes, value);
    }
}

/// Adds a number as seven bits a byte, the lowest first.
pub fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_the_protocol_has_them() {
        let mut thrift = ThriftWriter::new();
        thrift.int32(1, -3);
        thrift.int64(4, 300);
        thrift.structure(5, |own| own.string(2, "ab"));
        thrift.int32s(6, &[0; 16]);
        let expected = [
            &[
                0x15, 5, 0x36, 0xD8, 4, 0x1C, 0x28, 2, b'a', b'b', 0, 0x19, 0xF5, 16,
            ][..],
            &[0; 16],
            &[0],
        ];
        assert_eq!(thrift.finish(), expected.concat());
    }
}
