//! Finds the attributes of an object whose index of names is lost, by nodes of it that the scan found.
//!
//! A record of the index has an identifier in the heap of the object, and the hash of the attribute's name. So a node belongs to the
//! object if what its records lead to in that heap are attributes with these hashes.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::scan::Scan;
use crate::attribute::Attribute;
use crate::btree::{loose_node, record, v2};
use crate::checksum::lookup3;
use crate::error::Result;
use crate::heap::fractal::FractalHeap;
use crate::messages::attribute_info::AttributeInfo;
use crate::object_header::shared::{self, SharedMessages};
use crate::object_header::{ObjectHeader, message_type};

const WHAT: &str = "attribute in dense storage";

/// Size of a record, in bytes: a heap identifier, flags, a creation order and a hash.
const RECORD: usize = record::MESSAGE_HEAP_ID + 9;

/// Size of a node of libhdf5's indexes of attributes, in bytes.
const NODE: u64 = 512;

/// Looks for attributes, with a limit on how often nodes are tried.
#[derive(Debug)]
pub(super) struct AttributeNodes {
    tries_left: AtomicUsize,
}

impl Default for AttributeNodes {
    fn default() -> Self {
        Self {
            tries_left: AtomicUsize::new(1 << 20),
        }
    }
}

impl AttributeNodes {
    /// The attributes of the object with this header that nodes lead to; none of an object whose indexes are whole.
    pub(super) fn find<'a>(
        &self,
        shared: &SharedMessages,
        header: &ObjectHeader,
        scan: impl FnOnce() -> Result<&'a Scan>,
    ) -> Result<Vec<Attribute>> {
        let Some(message) = header.first(message_type::ATTRIBUTE_INFO) else {
            return Ok(Vec::new());
        };
        let info = AttributeInfo::decode(&mut shared.resolve(message)?.cursor())?;
        let reader = &shared.reader;
        let is_whole = |tree: u64| {
            let nodes = v2::Header::read(reader, tree).and_then(|header| header.nodes(reader));
            nodes.is_ok_and(|(_, is_whole)| is_whole)
        };
        let Some(address) = info.heap else {
            return Ok(Vec::new());
        };
        if info.name_index.is_some_and(is_whole) || info.order_index.is_some_and(is_whole) {
            return Ok(Vec::new());
        }
        let heap = FractalHeap::open(reader, address)?;
        let scan = scan()?;
        let tree = v2::Header::lost(record::ATTRIBUTE_NAME, RECORD, NODE);
        let mut found = Vec::new();
        for node in &scan.record_nodes {
            let tried = self
                .tries_left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            if tried.is_err() {
                break;
            }
            let mut last = 0;
            let room = scan.room(*node, NODE, reader);
            let read = loose_node::read(reader, &tree, *node, room, |record| {
                let hash = record.last_chunk().map_or(0, |hash| u32::from_le_bytes(*hash));
                std::mem::replace(&mut last, hash) <= hash
            });
            let records = read.ok().flatten().map(|node| node.records).unwrap_or_default();
            let attributes = records.chunks_exact(RECORD).map_while(|record| {
                let mut record = reader.cursor(WHAT, *node, record);
                let id: [u8; record::MESSAGE_HEAP_ID] = record.array().ok()?;
                let is_shared = record.u8().ok()? & shared::FLAG != 0;
                record.skip(4).ok()?;
                let hash = record.u32().ok()?;
                let data = match is_shared {
                    true => shared.in_heap(message_type::ATTRIBUTE, &id, *node),
                    false => heap.object(&id),
                };
                let data = data.ok()?;
                let attribute =
                    Attribute::decode(&mut reader.cursor(WHAT, address, &data), address, shared).ok()?;
                (lookup3(attribute.name.as_bytes()) == hash).then_some(attribute)
            });
            found.extend(attributes);
        }
        Ok(found)
    }
}
