//! [`ObjectImage`]: the bytes of an object, from its header to its dense storage.

use super::bytes::PutBytes;
use super::dense_messages::Dense;
use super::object_header::BodyPlace;

/// An encoded object: its header and its dense storage.
pub(super) struct ObjectImage {
    pub(super) header: Vec<u8>,
    /// Position of the Data Layout message's body in the header.
    pub(super) layout_message: Option<BodyPlace>,
    pub(super) attributes: Option<Dense>,
    pub(super) attributes_at: u64,
    pub(super) links: Option<Dense>,
    pub(super) links_at: u64,
    /// Heap with the names of external files; empty for other datasets.
    pub(super) external: Vec<u8>,
}

impl ObjectImage {
    /// Size in bytes of what lies behind the header.
    pub(super) fn dense_size(&self) -> u64 {
        let size = |dense: &Option<Dense>| dense.as_ref().map_or(0, |d| d.storage.size());
        size(&self.attributes) + size(&self.links) + (self.external.len() as u64).next_multiple_of(8)
    }

    /// All bytes, from the header on.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let mut out = std::mem::take(&mut self.header);
        out.pad8();
        // Drop each part after it is encoded, since attributes can be large.
        if let Some(dense) = self.attributes {
            let encoded = dense.encode(self.attributes_at);
            drop(dense);
            out.put(&encoded);
        }
        if let Some(dense) = self.links {
            out.put(&dense.encode(self.links_at));
        }
        out.put(&self.external);
        out.pad8();
        out
    }
}
