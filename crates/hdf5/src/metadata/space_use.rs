//! [`SpaceUse`]: records which bytes of a file its structures and raw data have.

use std::sync::{Mutex, PoisonError};

use super::extents::Extents;

/// Number of ranges at which those that meet are joined for the first time.
const JOIN: usize = 1 << 14;

/// Maximum number of separate ranges. With more, nothing is recorded.
const MOST: usize = 1 << 22;

/// Half the number of children of a version 1 B-tree node, and half the number of entries of a symbol table node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeSizes {
    /// Of a symbol table node.
    pub(crate) symbols: u16,
    /// Of a B-tree node of a group.
    pub(crate) group: u16,
    /// Of a B-tree node of chunks.
    pub(crate) chunks: u16,
}

impl Default for NodeSizes {
    /// libhdf5's defaults, for a file that stores no sizes.
    fn default() -> Self {
        Self {
            symbols: 4,
            group: 16,
            chunks: 32,
        }
    }
}

/// The bytes that were allocated for what was read, whether it fills them or not.
#[derive(Debug)]
pub(crate) struct SpaceUse {
    pub(crate) nodes: NodeSizes,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    extents: Extents,
    /// Number of ranges at which they are joined again.
    join_at: usize,
    /// True after more ranges than are recorded.
    is_overfull: bool,
}

impl SpaceUse {
    /// An empty record for a file whose nodes have these sizes.
    pub(crate) fn new(nodes: NodeSizes) -> Self {
        let taken = Taken {
            join_at: JOIN,
            ..Taken::default()
        };
        Self {
            nodes,
            taken: Mutex::new(taken),
        }
    }

    /// Records `length` bytes at `address`.
    pub(crate) fn take(&self, address: u64, length: u64) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.is_overfull {
            return;
        }
        taken.extents.add(address, length);
        if taken.extents.len() >= taken.join_at {
            taken.extents.join();
            taken.is_overfull = taken.extents.len() > MOST;
            taken.join_at = JOIN.max(2 * taken.extents.len());
        }
    }

    /// Returns the number of unrecorded bytes below `end`. `None` if there were more ranges than are recorded.
    pub(crate) fn bytes_left(&self, end: u64) -> Option<u64> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.extents.join();
        (!taken.is_overfull).then(|| taken.extents.bytes_outside(end))
    }
}
