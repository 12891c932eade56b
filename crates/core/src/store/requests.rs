//! How a store likes to be asked, and what it is asked for.

/// How many requests a store serves well, and which are worth joining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requests {
    /// Requests that the store serves at once: a local disk few, an object store about a hundred. At least 1.
    pub in_flight: usize,
    /// Bytes between two wanted ranges that are cheaper to read along than to ask for the second range by itself.
    pub gap: u64,
    /// True where data should be asked for before it is needed. False for a local file: there a thread reads fastest by
    /// itself, into its own buffer, when it needs the bytes.
    pub ahead: bool,
}

impl Requests {
    /// A local file or memory.
    pub const LOCAL: Self = Self {
        in_flight: 4,
        gap: 16 << 10,
        ahead: false,
    };

    /// A store where a request takes long: `in_flight` of them are served at once, and `gap` bytes cost no more time than
    /// another request.
    pub const fn slow(in_flight: usize, gap: u64) -> Self {
        Self {
            in_flight: if in_flight == 0 { 1 } else { in_flight },
            gap,
            ahead: true,
        }
    }
}

/// A range of bytes of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// The first byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: usize,
}

impl ByteRange {
    /// The byte behind the last; `None` where that overflows.
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.length as u64)
    }
}

/// The part of a key's value that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// All of it.
    Whole,
    /// These bytes; fewer where the value ends before.
    Range(ByteRange),
    /// The last bytes, at most so many.
    Suffix(usize),
}

/// One request to a store of keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Get {
    /// The key.
    pub key: String,
    /// The part of its value.
    pub part: Part,
}

impl Get {
    /// The whole value of `key`.
    pub fn whole(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            part: Part::Whole,
        }
    }
}

/// Receives the outcome of what was asked for. A store calls it once, from any thread, possibly before the request
/// returns.
pub type Done<T> = Box<dyn FnOnce(T) + Send>;
