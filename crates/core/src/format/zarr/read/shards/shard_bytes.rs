//! Where the bytes of a shard or chunk are.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::store::{ByteRange, Get, GetRange};

/// Bytes of a shard or chunk.
#[derive(Clone)]
pub enum Bytes {
    /// A range of a key's value. The end is not known for a whole value.
    Stored {
        /// The key.
        key: String,
        /// The offset of the first byte.
        start: u64,
        /// The offset after the last byte.
        end: Option<u64>,
    },
    /// A range of bytes in memory.
    Held(Arc<Vec<u8>>, Range<usize>),
}

impl Bytes {
    /// All bytes of a key's value.
    pub fn whole(key: String) -> Self {
        Self::Stored {
            key,
            start: 0,
            end: None,
        }
    }

    /// The request for all bytes; `None` if they are in memory.
    pub fn get(&self) -> Option<Get> {
        let Self::Stored { key, start, end } = self else {
            return None;
        };
        let part = match end {
            None => GetRange::Whole,
            Some(end) => GetRange::Range(ByteRange {
                offset: *start,
                length: usize::try_from(end - start).unwrap_or(usize::MAX),
            }),
        };
        Some(Get {
            key: key.clone(),
            part,
        })
    }

    /// The bytes in memory.
    pub fn held(&self) -> Option<&[u8]> {
        match self {
            Self::Held(bytes, range) => bytes.get(range.clone()),
            Self::Stored { .. } => None,
        }
    }

    /// Number of bytes, where it is known.
    pub fn length(&self) -> Option<u64> {
        match self {
            Self::Stored { start, end, .. } => end.map(|end| end - start),
            Self::Held(_, range) => Some(range.len() as u64),
        }
    }

    /// A range within these bytes.
    ///
    /// # Errors
    /// If it ends after them.
    pub fn within(&self, offset: u64, length: u64) -> Result<Self> {
        let past = || Error::Damaged(format!("the shard's index names bytes past its end, at {offset}"));
        let end = offset.checked_add(length).ok_or_else(past)?;
        match self {
            Self::Stored { key, start, end: own } => {
                let from = start.checked_add(offset).ok_or_else(past)?;
                let to = start.checked_add(end).ok_or_else(past)?;
                if own.is_some_and(|own| to > own) || usize::try_from(length).is_err() {
                    return Err(past());
                }
                Ok(Self::Stored {
                    key: key.clone(),
                    start: from,
                    end: Some(to),
                })
            }
            Self::Held(bytes, range) => {
                let (from, to) = (usize::try_from(offset), usize::try_from(end));
                let (Ok(from), Ok(to)) = (from, to) else {
                    return Err(past());
                };
                if to > range.len() {
                    return Err(past());
                }
                Ok(Self::Held(
                    Arc::clone(bytes),
                    range.start + from..range.start + to,
                ))
            }
        }
    }
}
