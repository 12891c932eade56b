//! Reads attributes (specification sections IV.A.2.m and IV.A.2.v): from the object header, or from dense storage in a
//! fractal heap.

use crate::btree::record;
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::error::Result;
use crate::heap::fractal::FractalHeap;
use crate::messages::dense_storage::DenseStorage;
use crate::object_header::ObjectHeader;
use crate::object_header::message_type;
use crate::object_header::shared::{self, SharedMessages};
use crate::short_bytes::ShortBytes;

/// Typical maximum size of a heap's or B-tree's header, in bytes, for reading ahead.
const HEAD: u64 = 256;

const DENSE: &str = "attribute in dense storage";

/// An attribute of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Type of its elements.
    pub datatype: Datatype,
    /// The bytes of its datatype, as stored; empty if the datatype is shared.
    pub encoded_datatype: ShortBytes,
    /// Address of the committed datatype, if it has one.
    pub committed: Option<u64>,
    /// Its shape.
    pub dataspace: Dataspace,
    /// All its elements, as stored.
    pub data: Vec<u8>,
}

/// The attributes of an object, in creation order if it is tracked. Otherwise compact ones are in message order, and
/// dense ones in the order of the name index. An inner error concerns one attribute.
pub(crate) fn read(shared: &SharedMessages, header: &ObjectHeader) -> Result<Vec<Result<Attribute>>> {
    let info = match header.first(message_type::ATTRIBUTE_INFO) {
        Some(message) => Some(DenseStorage::of_attributes(
            &mut shared.resolve(message)?.cursor(),
        )?),
        None => None,
    };
    let mut attributes = Vec::new();
    for message in header.all(message_type::ATTRIBUTE) {
        let attribute = shared
            .resolve(message)
            .and_then(|resolved| Attribute::decode(&mut resolved.cursor(), message.address, shared));
        attributes.push((message.creation_order.map(u32::from), attribute));
    }
    if let Some(info) = &info {
        let dense = read_dense(shared, info, &mut attributes);
        dense.or_else(|error| shared.reader.tolerate(error))?;
    }
    if info.is_some_and(|info| info.creation_order_tracked) {
        attributes.sort_by_key(|(order, _)| *order);
    }
    Ok(attributes.into_iter().map(|(_, attribute)| attribute).collect())
}

/// Adds the attributes in dense storage, with their creation order.
fn read_dense(
    shared: &SharedMessages,
    info: &DenseStorage,
    attributes: &mut Vec<(Option<u32>, Result<Attribute>)>,
) -> Result<()> {
    let Some(heap) = info.heap else { return Ok(()) };
    let reader = &shared.reader;
    let Some(name_index) = info.name_index else {
        return Err(reader.damaged(
            "attribute info message",
            heap,
            "a heap of attributes without an index",
        ));
    };
    reader.expect([(heap, HEAD), (name_index, HEAD)]);
    let objects = FractalHeap::open(reader, heap)?;
    for record in record::attributes(reader, name_index, info.order_index)? {
        let data = if record.message_flags & shared::FLAG != 0 {
            shared.in_heap(message_type::ATTRIBUTE, &record.heap_id, name_index)
        } else {
            objects.object(&record.heap_id)
        };
        let attribute =
            data.and_then(|data| Attribute::decode(&mut reader.cursor(DENSE, heap, &data), heap, shared));
        attributes.push((Some(record.creation_order), attribute));
    }
    Ok(())
}
