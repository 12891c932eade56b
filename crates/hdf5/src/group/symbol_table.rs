//! Symbol tables (specification sections III.B and III.C): the links of old-style groups.
//!
//! A version 1 B-tree indexes the symbol table nodes. Their entries hold object addresses, and names in a local heap.

use super::link::{Link, LinkTarget};
use crate::btree::v1;
use crate::error::Result;
use crate::heap::local::LocalHeap;
use crate::messages::group::symbol_table::SymbolTable;
use crate::metadata::MetadataReader;
use crate::metadata::Walk;
use crate::name::text;

const WHAT: &str = "symbol table node";

/// Size of a node, in bytes, with libhdf5's default parameters.
const NODE: u64 = 328;

/// Cache type of an entry for a group, whose symbol table it repeats.
const GROUP: u32 = 1;
/// Cache type of an entry that is a soft link.
const SOFT_LINK: u32 = 2;

/// An entry of a symbol table node.
#[derive(Debug)]
pub(crate) struct SymbolTableEntry {
    /// Offset of its name in the local heap.
    pub(crate) name: u64,
    /// What it leads to.
    pub(crate) target: EntryTarget,
    /// The symbol table of the group that it leads to, if the entry has it.
    pub(crate) table: Option<SymbolTable>,
}

/// Target of an entry.
#[derive(Debug)]
pub(crate) enum EntryTarget {
    /// The object at this address.
    Object(u64),
    /// The path at this offset of the local heap.
    Path(u64),
}

/// Adds the links of a symbol table.
pub(crate) fn read(reader: &MetadataReader, table: SymbolTable, links: &mut Vec<Link>) -> Result<()> {
    let heap = LocalHeap::open(reader, table.heap)?;
    let mut walk = Walk::new(reader);
    let nodes = v1::group_nodes(reader, table.btree)?;
    let names = heap.segment();
    reader.expect(nodes.iter().map(|node| (*node, NODE)).chain([names]));
    for address in nodes {
        read_node(reader, address, &heap, &mut walk, links).or_else(|error| reader.tolerate(error))?;
    }
    Ok(())
}

/// Adds the links of a node.
pub(crate) fn read_node(
    reader: &MetadataReader,
    address: u64,
    heap: &LocalHeap,
    walk: &mut Walk,
    links: &mut Vec<Link>,
) -> Result<()> {
    entries(reader, address, walk, |entry| {
        links.push(Link {
            name: text(&heap.string(entry.name)?),
            creation_order: None,
            target: match entry.target {
                EntryTarget::Path(offset) => LinkTarget::Soft(text(&heap.string(offset)?)),
                EntryTarget::Object(object) => LinkTarget::Hard(object),
            },
        });
        Ok(())
    })
}

/// Calls `visit` with each entry of a node.
pub(crate) fn entries(
    reader: &MetadataReader,
    address: u64,
    walk: &mut Walk,
    mut visit: impl FnMut(SymbolTableEntry) -> Result<()>,
) -> Result<()> {
    const HEAD: usize = 8;
    let head = reader.read(WHAT, address, HEAD)?;
    let mut head = reader.cursor(WHAT, address, &head);
    head.signature(b"SNOD")?;
    head.version(1)?;
    head.skip(1)?;
    let count = usize::from(head.u16()?);
    let entry_size = usize::from(reader.length_size()) + usize::from(reader.offset_size()) + 24;
    let size = HEAD + count * entry_size;
    walk.enter(WHAT, address, size as u64)?;
    if let Some(space) = &reader.space {
        let most = 2 * usize::from(space.nodes.symbols);
        space.take(address, (HEAD + most * entry_size) as u64);
    }

    let bytes = reader.read(WHAT, address, size)?;
    let mut node = reader.cursor(WHAT, address, &bytes);
    node.skip(HEAD)?;
    for _ in 0..count {
        // Offset of the name in the heap. The specification calls it an offset, but libraries write it in the size of a
        // length.
        let name = node.length()?;
        let object = node.offset()?;
        let cache_type = node.u32()?;
        node.skip(4)?;
        let mut scratch = node.part(16)?;
        let (target, table) = match (cache_type, object) {
            (SOFT_LINK, _) => (EntryTarget::Path(scratch.u32()?.into()), None),
            (GROUP, Some(object)) => (
                EntryTarget::Object(object),
                SymbolTable::decode(&mut scratch).ok(),
            ),
            (_, Some(object)) => (EntryTarget::Object(object), None),
            (_, None) => return Err(node.damaged("an entry without an object")),
        };
        visit(SymbolTableEntry { name, target, table })?;
    }
    Ok(())
}
