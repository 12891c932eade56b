//! A digest of the pieces that a part wrote, in whatever order threads wrote them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// The sum of digests of pieces. The order of pieces does not count.
#[derive(Debug, Default)]
pub struct ContentSum {
    sum: Mutex<u128>,
    pieces: AtomicU64,
    bytes: AtomicU64,
    keys: AtomicU64,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Number of keys of a dataset that is a tree of keys.
    pub keys: u64,
    /// Number of pieces.
    pub pieces: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The sum of their digests; `None` where the pieces depend on the order in which threads wrote.
    pub digest: Option<u128>,
}

impl Content {
    /// What was written as this many files, each of which appeared by itself.
    pub fn of_files(count: u64) -> Self {
        Self {
            keys: 0,
            pieces: count,
            bytes: 0,
            digest: None,
        }
    }
}

impl ContentSum {
    /// Adds a piece of `length` bytes with a CRC-32C, which is known by `name`.
    pub fn add(&self, name: &[u8], length: u64, crc: u32) {
        let digest = Sha256::new()
            .chain_update((name.len() as u64).to_le_bytes())
            .chain_update(name)
            .chain_update(length.to_le_bytes())
            .chain_update(crc.to_le_bytes())
            .finalize();
        let mut first = [0; 16];
        first.copy_from_slice(&digest[..16]);
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = sum.wrapping_add(u128::from_le_bytes(first));
        drop(sum);
        self.pieces.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(length, Ordering::Relaxed);
    }

    /// Counts a key.
    pub fn add_key(&self) {
        self.keys.fetch_add(1, Ordering::Relaxed);
    }

    /// What was added so far.
    pub fn content(&self) -> Content {
        Content {
            keys: self.keys.load(Ordering::Relaxed),
            pieces: self.pieces.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            digest: Some(*self.sum.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_does_not_count_and_the_content_does() {
        let of = |pieces: &[(&str, u64, u32)]| {
            let sum = ContentSum::default();
            pieces
                .iter()
                .for_each(|(name, length, crc)| sum.add(name.as_bytes(), *length, *crc));
            sum.content()
        };
        let (a, b) = (("v/0", 3, 7), ("v/1", 4, 8));
        assert_eq!(of(&[a, b]), of(&[b, a]));
        assert_eq!((of(&[a, b]).pieces, of(&[a, b]).bytes), (2, 7));
        for other in [("v/0", 3, 6), ("v/2", 3, 7), ("v/0", 2, 7)] {
            assert_ne!(of(&[a, b]).digest, of(&[other, b]).digest);
        }
    }
}
