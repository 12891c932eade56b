//! Finds the attributes of an object whose index of names is lost, by nodes of it that the scan found.
//!
//! A record of the index has an identifier in the heap of the object, and the hash of the attribute's name. So a node belongs to the
//! object if what its records lead to in that heap are attributes with these hashes.

use super::scan::Scan;
use crate::attribute::Attribute;
use crate::btree::{loose_node, record, v2};
use crate::checksum::lookup3;
use crate::error::Result;
use crate::heap::fractal::FractalHeap;
use crate::messages::dense_storage::DenseStorage;
use crate::object_header::shared::{self, SharedMessages};
use crate::object_header::{ObjectHeader, message_type};

const WHAT: &str = "attribute in dense storage";

/// Size of a record, in bytes: a heap identifier, flags, a creation order and a hash.
const RECORD: usize = record::MESSAGE_HEAP_ID + 9;

/// Size of a node of libhdf5's indexes of attributes, in bytes.
const NODE: u64 = 512;

/// About how often nodes are tried in a file. Each object has a share of it, so that what is found of one does not depend on those
/// before it.
const TRIES: usize = 1 << 22;

/// Least number of nodes that are tried for an object.
const LEAST: usize = 16;

/// The attributes of the object with this header that nodes lead to; none of an object whose indexes are whole.
pub(super) fn find<'a>(
    shared: &SharedMessages,
    header: &ObjectHeader,
    scan: impl FnOnce() -> Result<&'a Scan>,
) -> Result<Vec<Attribute>> {
    let Some(message) = header.first(message_type::ATTRIBUTE_INFO) else {
        return Ok(Vec::new());
    };
    let info = DenseStorage::of_attributes(&mut shared.resolve(message)?.cursor())?;
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
    let objects = scan.headers.len() + scan.old_headers.len();
    let share = (TRIES / objects.max(1)).max(LEAST);
    for node in nearest(&scan.record_nodes, address, share) {
        let mut last = 0;
        let read = loose_node::read(reader, &tree, *node, |record| {
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

/// The `most` nodes that are nearest to an address, in ascending order.
fn nearest(nodes: &[u64], address: u64, most: usize) -> &[u64] {
    let mut first = nodes.partition_point(|node| *node < address);
    let mut end = first;
    while end - first < most.min(nodes.len()) {
        let below = first.checked_sub(1).and_then(|at| nodes.get(at));
        let is_below = match (below, nodes.get(end)) {
            (Some(below), Some(above)) => address - below < above - address,
            (below, _) => below.is_some(),
        };
        match is_below {
            true => first -= 1,
            false => end += 1,
        }
    }
    nodes.get(first..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_nodes_are_tried() {
        let nodes = [10, 20, 30, 40, 1000];
        assert_eq!(nearest(&nodes, 25, 2), [20, 30]);
        assert_eq!(nearest(&nodes, 0, 3), [10, 20, 30]);
        assert_eq!(nearest(&nodes, 900, 1), [1000]);
        assert_eq!(nearest(&nodes, u64::MAX, 2), [40, 1000]);
        assert_eq!(nearest(&nodes, 30, 99), nodes);
        assert_eq!(nearest(&[], 30, 2), [0u64; 0]);
    }
}
