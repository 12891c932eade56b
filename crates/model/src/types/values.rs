//! Elements in memory: [`Values`].
//!
//! [`Values::bytes`] holds the elements one after another, little-endian, [`crate::Schema::type_size`] bytes
//! each. Integers and floats are stored as they are, an enum as its base type, opaque as its bytes, and a
//! compound as its fields at their offsets (padding is zero). A string or vlen, at any depth, is a [`Slot`]
//! of 16 bytes, which gives the place of its content in [`Values::heap`].
//!
//! ```text
//! bytes: │ a: int │ pad │ name: slot(len, offset) │ …
//! heap:                          └──► b"Oslo"…
//! ```

/// Bytes of a string or vlen element in [`Values::bytes`].
pub const SLOT_SIZE: usize = 16;

/// Heap offset of a NIL string and of an empty sequence.
pub const NIL: u64 = u64::MAX;

/// Elements of one type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
    /// The content of strings (without a terminating NUL) and of sequences (elements laid out as in `bytes`).
    pub heap: Vec<u8>,
}

/// Position of the content of a string or sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Length: in bytes for a string, in elements for a sequence.
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
    /// If `element` is shorter than 16 bytes.
    pub fn read(element: &[u8]) -> Self {
        let word = |at: usize| u64::from_le_bytes(element[at..at + 8].try_into().expect("8 bytes"));
        Self {
            length: word(0),
            offset: word(8),
        }
    }

    /// The slot as the 16 bytes of an element.
    pub fn to_bytes(self) -> [u8; SLOT_SIZE] {
        let mut out = [0; SLOT_SIZE];
        out[..8].copy_from_slice(&self.length.to_le_bytes());
        out[8..].copy_from_slice(&self.offset.to_le_bytes());
        out
    }
}

impl Values {
    /// Values of a type that needs no heap.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            heap: Vec::new(),
        }
    }

    /// True if all bytes are zero and the heap is empty.
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

    /// Appends `content` to the heap. Returns its slot, with `length` in bytes for a string, in elements for
    /// a sequence.
    pub fn push_heap(&mut self, length: u64, content: &[u8]) -> Slot {
        let offset = self.heap.len() as u64;
        self.heap.extend_from_slice(content);
        Slot { length, offset }
    }

    /// The string in the slot at byte `at` of `bytes`; `None` for NIL.
    pub fn string(&self, at: usize) -> Option<&[u8]> {
        self.slot_content(Slot::read(&self.bytes[at..]), 1)
    }

    /// The content of `slot`, whose members have `size` bytes each. `None` for NIL, or a slot that points
    /// outside the heap.
    pub fn slot_content(&self, slot: Slot, size: usize) -> Option<&[u8]> {
        let start = usize::try_from(slot.offset).ok()?;
        let length = usize::try_from(slot.length).ok()?.checked_mul(size)?;
        self.heap.get(start..start.checked_add(length)?)
    }
}
