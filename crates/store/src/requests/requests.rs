//! The requests to a store: their form, and how many at once suit it.

use std::io;
use std::ops::Range;
use std::sync::mpsc;

/// How many requests a store serves well at once, and which of them to join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requests {
    /// Requests that the store serves at once: few for a local disk, about a hundred for an object store. At
    /// least 1.
    pub in_flight: usize,
    /// Two ranges at most this many bytes apart are cheaper to read with the bytes between them than by two
    /// requests. No request reads more bytes between ranges than bytes of ranges.
    pub gap: u64,
    /// True if data should be requested before it is needed. False for a local file: a thread that needs its
    /// bytes reads them fastest itself, into its own buffer.
    pub ahead: bool,
}

impl Requests {
    /// For a local file or memory.
    pub const LOCAL: Self = Self {
        in_flight: 4,
        gap: 16 << 10,
        ahead: false,
    };

    /// For a store with slow requests. It serves `in_flight` requests at once, and `gap` bytes take no more
    /// time than another request.
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
    /// Offset of the first byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: usize,
}

impl ByteRange {
    /// Offset after the last byte; `None` on overflow.
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.length as u64)
    }
}

/// The requested part of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GetRange {
    /// All of it.
    Whole,
    /// A range of bytes. Shorter if the value ends before.
    Range(ByteRange),
    /// The last bytes, at most this many.
    Suffix(usize),
}

impl GetRange {
    /// The bytes of a value of `size` bytes that are this part.
    pub fn within(self, size: u64) -> Range<u64> {
        match self {
            Self::Whole => 0..size,
            Self::Range(range) => {
                let from = range.offset.min(size);
                from..from.saturating_add(range.length as u64).min(size)
            }
            Self::Suffix(length) => size.saturating_sub(length as u64)..size,
        }
    }
}

/// One request to a store of keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Get {
    /// The key.
    pub key: String,
    /// The requested part of its value.
    pub part: GetRange,
}

impl Get {
    /// Requests the whole value of `key`.
    pub fn whole(key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            part: GetRange::Whole,
        }
    }
}

/// Receives the result of a request. A store calls it once, from any thread, possibly before the request
/// returns.
pub type Done<T> = Box<dyn FnOnce(T) + Send>;

/// Makes a request and waits for its result. `None` if the result never comes, as the store dropped the [`Done`].
pub fn awaited<T: Send + 'static>(request: impl FnOnce(Done<T>)) -> Option<T> {
    let (tell, told) = mpsc::channel();
    request(Box::new(move |result| {
        // The receiver waits until this is dropped.
        let _ = tell.send(result);
    }));
    told.recv().ok()
}

/// The error of one of several requests. It is inside the `io::Error` of all of them.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct FailedRequest {
    position: usize,
    cause: io::Error,
}

impl FailedRequest {
    /// The error of several requests of which the one at `position` failed. Its kind is that of `cause`.
    pub fn error(position: usize, cause: io::Error) -> io::Error {
        io::Error::new(cause.kind(), Self { position, cause })
    }

    /// The position of the failed request, and its own error. Without a position if `error` does not tell it.
    pub fn split(error: io::Error) -> (Option<usize>, io::Error) {
        match error.downcast::<Self>() {
            Ok(failed) => (Some(failed.position), failed.cause),
            Err(error) => (None, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lies_within_the_value() {
        let range = |offset, length| GetRange::Range(ByteRange { offset, length });
        for (part, within) in [
            (GetRange::Whole, 0..10),
            (range(2, 3), 2..5),
            (range(8, 9), 8..10),
            (range(10, 1), 10..10),
            (range(u64::MAX, usize::MAX), 10..10),
            (range(3, usize::MAX), 3..10),
            (GetRange::Suffix(3), 7..10),
            (GetRange::Suffix(usize::MAX), 0..10),
        ] {
            assert_eq!(part.within(10), within, "{part:?}");
        }
    }
}
