//! Notes which bytes of a file hold its structures, so that overlaps can be found.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Most structures that are noted. Later ones are not.
const MOST: usize = 1 << 20;

/// Structures that lie within others, or that are read in parts of any length.
const WITHIN_OTHERS: [&str; 3] = [
    "fractal heap object",
    "global heap object",
    "local heap data segment",
];

/// The structures that were read so far, by address and name, with their lengths.
#[derive(Debug, Default)]
pub(crate) struct NotedBlocks(Mutex<BTreeMap<(u64, &'static str), u64>>);

impl NotedBlocks {
    /// Notes that the structure `what` at `address` has `length` bytes or more.
    pub(crate) fn note(&self, what: &'static str, address: u64, length: u64) {
        if WITHIN_OTHERS.contains(&what) || length == 0 {
            return;
        }
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = noted.get_mut(&(address, what)) {
            *known = length.max(*known);
        } else if noted.len() < MOST {
            noted.insert((address, what), length);
        }
    }

    /// The structures, in the order of their addresses.
    pub(crate) fn all(&self) -> Vec<StructureBlock> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let block = |((address, what), length): (&(u64, &'static str), &u64)| StructureBlock {
            what,
            address: *address,
            length: *length,
        };
        noted.iter().map(block).collect()
    }
}

/// The bytes of one structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructureBlock {
    /// Its name in the specification.
    pub what: &'static str,
    /// Address of its first byte.
    pub address: u64,
    /// Its length, in bytes, as far as it was read.
    pub length: u64,
}
