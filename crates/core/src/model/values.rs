//! Elements in memory.
//!
//! [`Values::bytes`] holds the elements one after another, little-endian, each as long as
//! [`super::Schema::type_size`] says: integers and floats as they are, an enum as its base, opaque as its bytes, a compound
//! as its fields at their offsets (padding is zero). A string or vlen element, at any depth, is a [`Slot`]: 16 bytes
//! that say where in [`Values::heap`] its content is.
//!
//! ```text
//! bytes: │ a: int │ pad │ name: slot(len, offset) │ …
//! heap:                          └──► b"Oslo"…
//! ```

/// Bytes that a string or vlen element takes in [`Values::bytes`].
pub const SLOT_SIZE: usize = 16;

/// The heap offset of a string that is NIL, and of any empty sequence.
pub const NIL: u64 = u64::MAX;

/// Elements of one type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
    /// The content of strings (no terminating NUL) and sequences (elements laid out as in `bytes`).
    pub heap: Vec<u8>,
}

/// Where the content of a string or sequence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Length: bytes of a string, elements of a sequence.
    pub length: u64,
    /// Position in the heap, or [`NIL`].
    pub offset: u64,
}

impl Slot {
    /// A NIL string or an empty sequence.
    pub const NIL: Self = Self {
        length: 0,
        offset: NIL,
    };

    /// Reads a slot from the 16 bytes of an element.
    ///
    /// # Panics
    /// Where `element` is shorter than 16 bytes.
    pub fn read(element: &[u8]) -> Self {
        let word = |at: usize| u64::from_le_bytes(element[at..at + 8].try_into().expect("8 bytes"));
        Self {
            length: word(0),
            offset: word(8),
        }
    }

    /// The 16 bytes of an element.
    pub fn to_bytes(self) -> [u8; SLOT_SIZE] {
        let mut out = [0; SLOT_SIZE];
        out[..8].copy_from_slice(&self.length.to_le_bytes());
        out[8..].copy_from_slice(&self.offset.to_le_bytes());
        out
    }
}

impl Values {
    /// Elements that have no heap.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            heap: Vec::new(),
        }
    }

    /// Whether all bytes are zero and nothing is on the heap.
    pub fn is_zero(&self) -> bool {
        self.heap.is_empty() && self.bytes.iter().all(|b| *b == 0)
    }

    /// Text as `Char` values.
    pub fn from_text(text: &str) -> Self {
        Self::from_bytes(text.as_bytes().to_vec())
    }

    /// Strings; `None` is NIL.
    pub fn from_strings<'a>(strings: impl IntoIterator<Item = Option<&'a [u8]>>) -> Self {
        let mut values = Self::default();
        for s in strings {
            values.push_string(s);
        }
        values
    }

    /// Adds a string element.
    pub fn push_string(&mut self, string: Option<&[u8]>) {
        let slot = match string {
            None => Slot::NIL,
            Some(s) => self.push_heap(s.len() as u64, s),
        };
        self.bytes.extend_from_slice(&slot.to_bytes());
    }

    /// Puts `content` on the heap, and says where as a slot of `length` (bytes of a string, elements of a sequence).
    pub fn push_heap(&mut self, length: u64, content: &[u8]) -> Slot {
        let offset = self.heap.len() as u64;
        self.heap.extend_from_slice(content);
        Slot { length, offset }
    }

    /// The string in the slot that begins at byte `at` of `bytes`; `None` for NIL.
    pub fn string(&self, at: usize) -> Option<&[u8]> {
        self.slot_content(Slot::read(&self.bytes[at..]), 1)
    }

    /// What `slot` points to, where one member takes `size` bytes; `None` for NIL (or a slot that points outside).
    pub fn slot_content(&self, slot: Slot, size: usize) -> Option<&[u8]> {
        let start = usize::try_from(slot.offset).ok()?;
        let length = usize::try_from(slot.length).ok()?.checked_mul(size)?;
        self.heap.get(start..start.checked_add(length)?)
    }
}
