//! Object headers (specification section IV.A.1), versions 1 and 2: the messages that describe an object.

use std::collections::VecDeque;

use crate::error::{Error, Result};
use crate::metadata::Walk;
use crate::metadata::{Cursor, MetadataReader};
use crate::object_header::continuation::Continuation;
use crate::object_header::header_blocks::HeaderBlocks;
use crate::object_header::message_type as kind;

const WHAT: &str = "object header";
const BLOCK: &str = "object header continuation block";

/// Flags of a version 2 header.
mod flag {
    /// Two bits: the width of the first chunk's size field, as a power of 2.
    pub(crate) const SIZE_WIDTH: u8 = 0b11;
    /// Messages have a creation order.
    pub(crate) const CREATION_ORDER: u8 = 1 << 2;
    /// The thresholds between compact and dense attributes are present.
    pub(crate) const ATTRIBUTE_PHASE_CHANGE: u8 = 1 << 4;
    /// Times are present.
    pub(crate) const TIMES: u8 = 1 << 5;
}

/// Flag of a message: a reader that does not know its type must not open the object.
const FAIL_IF_UNKNOWN: u8 = 1 << 7;

/// All messages of an object.
#[derive(Debug, Clone)]
pub(crate) struct ObjectHeader {
    messages: Vec<Message>,
    /// Bit 0: the creation order of attributes is tracked; bit 1: it is indexed.
    pub(crate) attribute_order: u8,
    /// Times of access, modification, change and birth, in seconds since 1970.
    pub(crate) times: Option<[u32; 4]>,
    /// Most compact attributes, and fewest dense ones.
    pub(crate) attribute_phase_change: Option<(u16, u16)>,
}

/// One message.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// Its type.
    pub(crate) kind: u16,
    /// Its flags.
    pub(crate) flags: u8,
    /// Its creation order among the messages of its type, if the header tracks it.
    pub(crate) creation_order: Option<u16>,
    /// Address of its data.
    pub(crate) address: u64,
    /// Its data.
    pub(crate) data: Vec<u8>,
}

impl Message {
    /// The message's name, for errors.
    pub(crate) fn name(&self) -> &'static str {
        match self.kind {
            kind::DATASPACE => "dataspace message",
            kind::LINK_INFO => "link info message",
            kind::DATATYPE => "datatype message",
            kind::OLD_FILL_VALUE | kind::FILL_VALUE => "fill value message",
            kind::LINK => "link message",
            kind::LAYOUT => "data layout message",
            kind::FILTER_PIPELINE => "filter pipeline message",
            kind::ATTRIBUTE => "attribute message",
            kind::SYMBOL_TABLE => "symbol table message",
            kind::ATTRIBUTE_INFO => "attribute info message",
            _ => "object header message",
        }
    }
}

impl ObjectHeader {
    /// Reads the header at `address` and all its continuation blocks.
    pub(crate) fn read(reader: &MetadataReader, blocks: &HeaderBlocks, address: u64) -> Result<Self> {
        let start = reader.read(WHAT, address, 4)?;
        if start == b"OHDR" {
            Self::read_v2(reader, blocks, address)
        } else {
            Self::read_v1(reader, blocks, address)
        }
    }

    /// A header without messages.
    pub(crate) fn empty() -> Self {
        Self {
            messages: Vec::new(),
            attribute_order: 0,
            times: None,
            attribute_phase_change: None,
        }
    }

    /// The first message of a type.
    pub(crate) fn first(&self, kind: u16) -> Option<&Message> {
        self.all(kind).next()
    }

    /// The first message of a type, by value.
    pub(crate) fn into_first(self, kind: u16) -> Option<Message> {
        self.messages.into_iter().find(|message| message.kind == kind)
    }

    /// The messages of a type, in the header's order.
    pub(crate) fn all(&self, kind: u16) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.kind == kind)
    }

    fn read_v1(reader: &MetadataReader, blocks: &HeaderBlocks, address: u64) -> Result<Self> {
        // After the 12 bytes of the prefix, messages begin at a multiple of 8 bytes.
        const PREFIX: u64 = 16;
        let prefix = reader.read(WHAT, address, PREFIX as usize)?;
        let mut prefix = reader.cursor(WHAT, address, &prefix);
        let version = prefix.u8()?;
        if version != 1 {
            return Err(prefix.damaged(format!("no object header is here (version {version})")));
        }
        prefix.skip(1 + 2 + 4)?; // reserved, number of messages, reference count
        let size = u64::from(prefix.u32()?);
        reader.takes(address, PREFIX);

        let mut messages = Messages::new(reader, blocks, address);
        messages.continuations.push_back(Continuation {
            address: address.saturating_add(PREFIX),
            length: size,
        });
        let mut first = true;
        while let Some(block) = messages.continuations.pop_front() {
            let read = messages.read_v1_block(block);
            messages.go_on(read, first)?;
            first = false;
        }
        Ok(Self {
            messages: messages.list,
            attribute_order: 0,
            times: None,
            attribute_phase_change: None,
        })
    }

    fn read_v2(reader: &MetadataReader, blocks: &HeaderBlocks, address: u64) -> Result<Self> {
        let prefix = reader.read(WHAT, address, 6)?;
        let mut prefix = reader.cursor(WHAT, address, &prefix);
        prefix.signature(b"OHDR")?;
        prefix.version(2)?;
        let flags = prefix.u8()?;
        let mut prefix_size = 6;
        if flags & flag::TIMES != 0 {
            prefix_size += 16;
        }
        if flags & flag::ATTRIBUTE_PHASE_CHANGE != 0 {
            prefix_size += 4;
        }
        let width = 1 << (flags & flag::SIZE_WIDTH);
        let start = reader.read(WHAT, address, prefix_size + width)?;
        let mut start = reader.cursor(WHAT, address, &start);
        start.skip(6)?;
        let times = match flags & flag::TIMES != 0 {
            true => Some([start.u32()?, start.u32()?, start.u32()?, start.u32()?]),
            false => None,
        };
        let attribute_phase_change = match flags & flag::ATTRIBUTE_PHASE_CHANGE != 0 {
            true => Some((start.u16()?, start.u16()?)),
            false => None,
        };
        let size = start.uint(width)?;
        prefix_size += width;

        let mut messages = Messages::new(reader, blocks, address);
        messages.continuations.push_back(Continuation {
            address,
            length: size.saturating_add(prefix_size as u64 + 4),
        });
        let tracked = flags & flag::CREATION_ORDER != 0;
        let mut prefix = Some(prefix_size);
        while let Some(block) = messages.continuations.pop_front() {
            let read = messages.read_v2_block(block, prefix, tracked);
            messages.go_on(read, prefix.is_some())?;
            prefix = None;
        }
        Ok(Self {
            messages: messages.list,
            attribute_order: flags >> 2 & 0b11,
            times,
            attribute_phase_change,
        })
    }
}

/// Collects the messages of a header.
struct Messages<'a> {
    reader: &'a MetadataReader,
    blocks: &'a HeaderBlocks,
    /// Address of the header.
    address: u64,
    walk: Walk,
    list: Vec<Message>,
    continuations: VecDeque<Continuation>,
}

impl<'a> Messages<'a> {
    fn new(reader: &'a MetadataReader, blocks: &'a HeaderBlocks, address: u64) -> Self {
        Self {
            reader,
            blocks,
            address,
            walk: Walk::new(reader),
            list: Vec::new(),
            continuations: VecDeque::new(),
        }
    }

    /// Adds the messages of a block of a version 1 header.
    fn read_v1_block(&mut self, block: Continuation) -> Result<()> {
        let bytes = self.block(block, None)?;
        let mut cursor = self.reader.cursor(BLOCK, block.address, &bytes);
        while cursor.remaining() >= 8 {
            let kind = cursor.u16()?;
            let size = cursor.u16()?;
            let flags = cursor.u8()?;
            cursor.skip(3)?;
            self.add(&mut cursor, block.address, (kind, size, flags, None))?;
        }
        Ok(())
    }

    /// Adds the messages of a block of a version 2 header. `prefix` is the size of the header's prefix, in bytes; `None` for
    /// a continuation block. Messages have a creation order if it is `tracked`.
    fn read_v2_block(&mut self, block: Continuation, prefix: Option<usize>, tracked: bool) -> Result<()> {
        let bytes = self.block(block, Some(prefix.is_some()))?;
        let covered = bytes.len().saturating_sub(4);
        let what = if prefix.is_some() { WHAT } else { BLOCK };
        let covered = bytes.get(..covered).unwrap_or(&[]);
        let mut cursor = self.reader.cursor(what, block.address, covered);
        match prefix {
            Some(size) => cursor.skip(size)?,
            None => cursor.signature(b"OCHK")?,
        }
        let header_size = if tracked { 6 } else { 4 };
        // A rest that is too short for a message is a gap.
        while cursor.remaining() >= header_size {
            let kind = u16::from(cursor.u8()?);
            let size = cursor.u16()?;
            let flags = cursor.u8()?;
            let order = if tracked { Some(cursor.u16()?) } else { None };
            self.add(&mut cursor, block.address, (kind, size, flags, order))?;
        }
        Ok(())
    }

    /// The result of a block. A damaged file is read without a continuation block that cannot be read.
    fn go_on(&self, read: Result<()>, first: bool) -> Result<()> {
        match read {
            Err(error) if !first && !matches!(error, Error::Unsupported(_)) => self.reader.tolerate(error),
            read => read,
        }
    }

    /// Reads the bytes of a block. `first` is set for version 2, and true for the header itself.
    fn block(&mut self, block: Continuation, first: Option<bool>) -> Result<Vec<u8>> {
        let what = if first == Some(false) { BLOCK } else { WHAT };
        let length = usize::try_from(block.length).unwrap_or(usize::MAX);
        self.walk.enter(what, block.address, block.length)?;
        let bytes = match first {
            None => self.reader.read(what, block.address, length)?,
            Some(_) => self.reader.read_checked(what, block.address, length)?,
        };
        self.blocks
            .enter(self.reader, what, self.address, block.address, block.length)?;
        self.reader.takes(block.address, block.length);
        Ok(bytes)
    }

    /// Adds a message, whose data is next.
    fn add(
        &mut self,
        block: &mut Cursor<'_>,
        block_address: u64,
        (kind, size, flags, creation_order): (u16, u16, u8, Option<u16>),
    ) -> Result<()> {
        let address = block_address.saturating_add(block.position() as u64);
        let data = block.bytes(size.into())?;
        match kind {
            kind::NIL => {}
            kind::CONTINUATION => {
                let continuation = Continuation::decode(&mut self.reader.cursor(BLOCK, address, data))?;
                self.continuations.push_back(continuation);
            }
            _ if kind > kind::LAST => {
                if flags & FAIL_IF_UNKNOWN != 0 {
                    return Err(Error::Unsupported(format!(
                        "an object with a message of type {kind:#04x}"
                    )));
                }
            }
            _ => self.list.push(Message {
                kind,
                flags,
                creation_order,
                address,
                data: data.to_vec(),
            }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A version 1 header at address 0 or 64 of a file, whose messages these are.
    fn header(messages: &[(u16, u8, Vec<u8>)]) -> Vec<u8> {
        let mut block = Vec::new();
        for (kind, flags, data) in messages {
            block.extend(kind.to_le_bytes());
            block.extend((data.len() as u16).to_le_bytes());
            block.extend([*flags, 0, 0, 0]);
            block.extend(data);
        }
        let mut header = vec![1, 0, messages.len() as u8, 0, 1, 0, 0, 0];
        header.extend((block.len() as u32).to_le_bytes());
        header.extend([0; 4]);
        header.extend(block);
        header.resize(64, 0);
        header
    }

    fn continuation(address: u64, length: u64) -> (u16, u8, Vec<u8>) {
        (
            kind::CONTINUATION,
            0,
            [address.to_le_bytes(), length.to_le_bytes()].concat(),
        )
    }

    fn reader(bytes: Vec<u8>) -> MetadataReader {
        MetadataReader::new(Arc::new(bytes), 0, 8, 8).unwrap()
    }

    #[test]
    fn continuations_come_after_what_is_in_front_of_them() {
        let mut file = header(&[continuation(64, 16), (kind::DATASPACE, 0, vec![7; 8])]);
        file.extend([3, 0, 8, 0, 1, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]);
        let header = ObjectHeader::read(&reader(file), &HeaderBlocks::default(), 0).unwrap();
        let found: Vec<_> = header
            .messages
            .iter()
            .map(|m| (m.kind, m.flags, m.address))
            .collect();
        assert_eq!(found, [(kind::DATASPACE, 0, 48), (kind::DATATYPE, 1, 72)]);
    }

    #[test]
    fn cycles_and_shared_blocks_are_damaged() {
        let blocks = HeaderBlocks::default();
        let cycle = reader(header(&[continuation(16, 24)]));
        assert!(matches!(
            ObjectHeader::read(&cycle, &blocks, 0),
            Err(Error::Damaged { .. })
        ));

        let mut two = [header(&[continuation(128, 16)]), header(&[continuation(128, 16)])].concat();
        two.extend([0; 16]);
        let two = reader(two);
        let blocks = HeaderBlocks::default();
        for _ in 0..3 {
            ObjectHeader::read(&two, &blocks, 0).unwrap();
            assert!(matches!(
                ObjectHeader::read(&two, &blocks, 64),
                Err(Error::Damaged { .. })
            ));
        }
    }

    #[test]
    fn messages_that_are_not_known() {
        let read = |flags| {
            let file = reader(header(&[(kind::LAST + 1, flags, vec![0; 8])]));
            ObjectHeader::read(&file, &HeaderBlocks::default(), 0)
        };
        assert!(read(0).unwrap().messages.is_empty());
        assert!(matches!(read(FAIL_IF_UNKNOWN), Err(Error::Unsupported(_))));
    }

    #[test]
    fn what_is_no_header() {
        let blocks = HeaderBlocks::default();
        assert!(matches!(
            ObjectHeader::read(&reader(vec![9; 64]), &blocks, 0),
            Err(Error::Damaged { .. })
        ));
        let mut long = header(&[]);
        long[8..12].fill(0xff);
        assert!(ObjectHeader::read(&reader(long), &blocks, 0).is_err());
    }
}
