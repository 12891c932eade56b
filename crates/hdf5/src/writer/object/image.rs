//! [`ObjectImage`]: the bytes of an object, from its header to its dense storage.

use super::dense_messages::Dense;
use super::header::BodyPlace;

/// An encoded object: its header and its dense storage.
pub(crate) struct ObjectImage {
    pub(crate) header: Vec<u8>,
    /// Position of the Data Layout message's body in the header.
    pub(crate) layout_message: Option<BodyPlace>,
    pub(crate) attributes: Option<Dense>,
    pub(crate) attributes_at: u64,
    pub(crate) links: Option<Dense>,
    pub(crate) links_at: u64,
    /// Heap with the names of external files, at `links_at`; empty for other datasets.
    pub(crate) external: Vec<u8>,
}

/// Sizes, in bytes, of what lies behind an object's header.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DenseSizes {
    /// Dense attributes.
    pub(crate) attributes: u64,
    /// Dense links of a group, or names of a dataset's external files.
    pub(crate) links: u64,
}

impl ObjectImage {
    /// Sizes of what lies behind the header.
    pub(crate) fn dense_sizes(&self) -> DenseSizes {
        let size = |dense: &Option<Dense>| dense.as_ref().map_or(0, |d| d.storage.size());
        DenseSizes {
            attributes: size(&self.attributes),
            links: size(&self.links) + (self.external.len() as u64).next_multiple_of(8),
        }
    }

    /// Gives all bytes behind the header to `put`, with their addresses, in ascending order.
    pub(crate) fn into_parts<E>(self, mut put: impl FnMut(u64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        // Drop each part after it is encoded, since attributes can be large.
        for (dense, at) in [(self.attributes, self.attributes_at), (self.links, self.links_at)] {
            let Some(dense) = dense else {
                continue;
            };
            let (bytes, huge_at, huge) = dense.encode(at);
            drop(dense);
            put(at, &bytes)?;
            if !huge.is_empty() {
                put(huge_at, &huge)?;
            }
        }
        match self.external.is_empty() {
            true => Ok(()),
            false => put(self.links_at, &self.external),
        }
    }
}
