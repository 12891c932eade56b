//! Resolves shared messages (specification section IV.A.2, "Shared Message"): messages that are stored elsewhere.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::heap::fractal::FractalHeap;
use crate::metadata::{Cursor, MetadataReader};
use crate::object_header::header::{Message, ObjectHeader};
use crate::object_header::header_blocks::HeaderBlocks;
use crate::object_header::shared_message_table::SharedMessageTable;

const WHAT: &str = "shared message";

/// Bit 1 of a message's flags: its data is a reference to the actual message.
pub(crate) const FLAG: u8 = 1 << 1;

/// Resolves shared messages of a file.
#[derive(Debug)]
pub(crate) struct SharedMessages {
    /// Reader of the file.
    pub(crate) reader: MetadataReader,
    state: Arc<State>,
}

/// State shared by all readers of a file.
#[derive(Debug)]
struct State {
    /// Heaps of the file's shared messages.
    table: SharedMessageTable,
    blocks: HeaderBlocks,
    /// Messages of other object headers, by the header's address and the message's type. Many objects may use one
    /// committed datatype, and its header may be large.
    committed: Mutex<HashMap<(u64, u16), Arc<Message>>>,
}

/// Maximum number of cached messages of other object headers.
const CAPACITY: usize = 1024;

/// A resolved message.
#[derive(Debug)]
pub(crate) struct Resolved<'a> {
    reader: &'a MetadataReader,
    what: &'static str,
    /// Its data.
    data: Cow<'a, [u8]>,
    /// Address of its data, or of the reference to it.
    address: u64,
    /// Address of the object header that contains it, if that is another one.
    pub(crate) committed: Option<u64>,
}

impl Resolved<'_> {
    /// A cursor over the data.
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        self.reader.cursor(self.what, self.address, &self.data)
    }
}

impl SharedMessages {
    /// Resolves messages of the file of `reader`.
    pub(crate) fn new(reader: MetadataReader, table: SharedMessageTable) -> Self {
        Self {
            reader,
            state: Arc::new(State {
                table,
                blocks: HeaderBlocks::default(),
                committed: Mutex::default(),
            }),
        }
    }

    /// The same messages, with another reader of the file.
    pub(crate) fn read_by(&self, reader: MetadataReader) -> Self {
        Self {
            reader,
            state: self.state.clone(),
        }
    }

    /// The same messages with another reader of the file, where no block of an object header has an owner yet.
    pub(crate) fn anew(&self, reader: MetadataReader) -> Self {
        Self::new(reader, self.state.table.clone())
    }

    /// True if a block of an object header that was read begins at `address`.
    pub(crate) fn has_block(&self, address: u64) -> bool {
        self.state.blocks.has(address)
    }

    /// The object header at `address`.
    pub(crate) fn header(&self, address: u64) -> Result<ObjectHeader> {
        ObjectHeader::read(&self.reader, &self.state.blocks, address)
    }

    /// Returns the message itself, or the message it refers to.
    pub(crate) fn resolve<'a>(&'a self, message: &'a Message) -> Result<Resolved<'a>> {
        if message.flags & FLAG != 0 {
            let mut reference = self.reader.cursor(WHAT, message.address, &message.data);
            return self.follow(&mut reference, message.kind, message.address);
        }
        Ok(Resolved {
            reader: &self.reader,
            what: message.name(),
            data: Cow::Borrowed(&message.data),
            address: message.address,
            committed: None,
        })
    }

    /// The message of type `kind` that `reference` refers to. `address` is the position of the reference.
    pub(crate) fn follow(&self, reference: &mut Cursor<'_>, kind: u16, address: u64) -> Result<Resolved<'_>> {
        match Reference::decode(reference)? {
            Reference::Committed(header_address) => {
                let Some(message) = self.committed(header_address, kind)? else {
                    return Err(reference.damaged(format!(
                        "no message of type {kind:#04x} is at address {header_address}, where it refers to"
                    )));
                };
                Ok(Resolved {
                    reader: &self.reader,
                    what: message.name(),
                    address: message.address,
                    data: Cow::Owned(message.data.clone()),
                    committed: Some(header_address),
                })
            }
            Reference::Heap(id) => Ok(Resolved {
                reader: &self.reader,
                what: "message in a shared message heap",
                data: Cow::Owned(self.in_heap(kind, &id, address)?),
                address,
                committed: None,
            }),
        }
    }

    /// The first message of type `kind` of the object header at `address`; `None` if there is none, or only a
    /// reference.
    fn committed(&self, address: u64, kind: u16) -> Result<Option<Arc<Message>>> {
        let cache = || {
            self.state
                .committed
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(message) = cache().get(&(address, kind)) {
            return Ok(Some(message.clone()));
        }
        let message = self
            .header(address)?
            .into_first(kind)
            .filter(|message| message.flags & FLAG == 0);
        let Some(message) = message.map(Arc::new) else {
            return Ok(None);
        };
        let mut cache = cache();
        if cache.len() >= CAPACITY {
            cache.clear();
        }
        cache.insert((address, kind), message.clone());
        Ok(Some(message))
    }

    /// The data of a message of type `kind` in its shared message heap. `address` is the position of the identifier.
    pub(crate) fn in_heap(&self, kind: u16, id: &[u8], address: u64) -> Result<Vec<u8>> {
        let Some(heap) = self.state.table.heap(kind) else {
            return Err(self.reader.damaged(
                WHAT,
                address,
                format!("the file has no heap for shared messages of type {kind:#04x}"),
            ));
        };
        FractalHeap::open(&self.reader, heap)?.object(id)
    }
}

/// A reference to a shared message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reference {
    /// In the object header at this address, as the first of its type: a committed datatype.
    Committed(u64),
    /// In the fractal heap of shared messages of its type.
    Heap([u8; 8]),
}

impl Reference {
    fn decode(message: &mut Cursor<'_>) -> Result<Self> {
        let version = message.u8()?;
        let kind = message.u8()?;
        match (version, kind) {
            // Version 1 contains a symbol table entry, whose name is not used.
            (1, _) => {
                message.skip(6)?;
                message.length()?;
                Ok(Self::Committed(message.defined_offset()?))
            }
            (2, _) | (3, 2) => Ok(Self::Committed(message.defined_offset()?)),
            (3, 1) => Ok(Self::Heap(message.array()?)),
            _ => Err(message.damaged(format!("version {version}, type {kind} of the reference"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_all_versions() {
        let decode = |bytes: &[u8]| Reference::decode(&mut Cursor::over(bytes)).ok();
        let address = 96u64.to_le_bytes();
        let entry = [&[1, 0, 0, 0, 0, 0, 0, 0][..], &[0; 8], &address].concat();
        assert_eq!(decode(&entry), Some(Reference::Committed(96)));
        assert_eq!(
            decode(&[&[2, 0][..], &address].concat()),
            Some(Reference::Committed(96))
        );
        assert_eq!(
            decode(&[&[3, 2][..], &address].concat()),
            Some(Reference::Committed(96))
        );
        assert_eq!(
            decode(&[&[3, 1][..], &address].concat()),
            Some(Reference::Heap(address))
        );
        assert_eq!(decode(&[&[3, 0][..], &address].concat()), None);
        assert_eq!(decode(&[&[2, 0][..], &[0xff; 8]].concat()), None);
    }
}
