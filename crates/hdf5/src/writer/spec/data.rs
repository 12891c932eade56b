//! [`Data`]: the elements of attributes and fill values, before addresses in the file are known.
//!
//! An attribute can have millions of strings. So the bytes of its [`Sequences`] are concatenated, and each string takes
//! only 24 bytes more:
//!
//! ```text
//! entries:  │ at: 0, length: 3 │ at: 16, length: 4 │ at: 32, length: 2, nested │
//! contents: │ a b c            │ d e f g           │
//! nested:                                            │ Data │
//! ```

use super::object_id::ObjectId;

/// Elements as stored, with holes for addresses that only the writer knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Data {
    /// The bytes, with zeros in the holes.
    pub bytes: Vec<u8>,
    /// Object references: byte offset of the 8-byte hole, and the object.
    pub references: Vec<(usize, ObjectId)>,
    /// Region references: byte offset of the 12-byte hole, the dataset, and its encoded selection.
    pub regions: Vec<(usize, ObjectId, Vec<u8>)>,
    /// Variable-length elements: byte offset of the 16-byte hole, length in elements (in bytes for strings), and
    /// payload, which goes to a global heap. An element that is zero and has no entry here is NIL.
    pub sequences: Sequences,
}

impl Data {
    /// Bytes without holes.
    pub fn plain(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }
}

/// Variable-length elements of a [`Data`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sequences {
    entries: Vec<PayloadEntry>,
    /// Payloads without holes, concatenated.
    contents: Vec<u8>,
    /// Payloads with holes.
    nested: Vec<Data>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PayloadEntry {
    at: usize,
    /// Beginning of the payload in `contents`, or its index in `nested`.
    start: usize,
    length: u32,
    nested: bool,
}

/// The payload of a variable-length element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload<'d> {
    /// Bytes without holes.
    Plain(&'d [u8]),
    /// Bytes with holes.
    Nested(&'d Data),
}

impl Sequences {
    /// Adds the element whose 16 bytes begin at byte `at` of the data. `length` is in elements, or in bytes for
    /// strings.
    pub fn push(&mut self, at: usize, length: u32, payload: Data) {
        if payload.references.is_empty() && payload.regions.is_empty() && payload.sequences.is_empty() {
            return self.push_plain(at, length, &payload.bytes);
        }
        self.entries.push(PayloadEntry {
            at,
            start: self.nested.len(),
            length,
            nested: true,
        });
        self.nested.push(payload);
    }

    /// Like [`Sequences::push`], for a payload without holes.
    pub fn push_plain(&mut self, at: usize, length: u32, payload: &[u8]) {
        self.entries.push(PayloadEntry {
            at,
            start: self.contents.len(),
            length,
            nested: false,
        });
        self.contents.extend_from_slice(payload);
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The elements in the order in which they were added: position of the 16 bytes, length, payload.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32, Payload<'_>)> {
        // Plain payloads are concatenated: each ends where the next begins.
        let starts = self.entries.iter().filter(|e| !e.nested).map(|e| e.start);
        let mut ends = starts.skip(1).chain([self.contents.len()]);
        self.entries.iter().map(move |entry| {
            let payload = if entry.nested {
                self.nested.get(entry.start).map(Payload::Nested)
            } else {
                let range = entry.start..ends.next().unwrap_or_default();
                self.contents.get(range).map(Payload::Plain)
            };
            (entry.at, entry.length, payload.unwrap_or(Payload::Plain(&[])))
        })
    }
}

impl FromIterator<(usize, u32, Data)> for Sequences {
    fn from_iter<I: IntoIterator<Item = (usize, u32, Data)>>(elements: I) -> Self {
        let mut sequences = Self::default();
        for (at, length, payload) in elements {
            sequences.push(at, length, payload);
        }
        sequences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_payload() {
        let holes = Data {
            bytes: vec![0; 16],
            sequences: [(0, 1, Data::plain(vec![9]))].into_iter().collect(),
            ..Data::default()
        };
        let sequences: Sequences = [
            (0, 2, Data::plain(b"ab".to_vec())),
            (16, 1, holes.clone()),
            (32, 0, Data::plain(Vec::new())),
            (48, 1, holes.clone()),
            (64, 3, Data::plain(b"cde".to_vec())),
        ]
        .into_iter()
        .collect();
        let found: Vec<_> = sequences.iter().collect();
        assert_eq!(
            found,
            [
                (0, 2, Payload::Plain(b"ab")),
                (16, 1, Payload::Nested(&holes)),
                (32, 0, Payload::Plain(b"")),
                (48, 1, Payload::Nested(&holes)),
                (64, 3, Payload::Plain(b"cde")),
            ]
        );
        assert_eq!((sequences.len(), sequences.is_empty()), (5, false));
        assert_eq!(size_of::<PayloadEntry>(), 24);
    }
}
