//! Finds links in the remains of groups: blocks of fractal heaps, continuation blocks of headers, symbol table nodes.

use std::collections::BTreeSet;

use super::reach::{LinkPlaces, Reach};
use super::scan::Scan;
use crate::error::Result;
use crate::group::symbol_table;
use crate::group::{Link, LinkTarget};
use crate::heap::local::LocalHeap;
use crate::metadata::Cursor;
use crate::metadata::Walk;
use crate::name::is_link_name;
use crate::object_header::message_type;

const DIRECT_BLOCK: &str = "fractal heap direct block";
const HEADER_BLOCK: &str = "object header continuation block";

/// Most bytes of a block that are searched: libhdf5's largest direct block, and its largest block of messages.
const MOST: u64 = 64 << 10;

/// A link, and where it was found.
#[derive(Debug)]
pub(super) struct FoundLink {
    /// The group that it belongs to, if that is known.
    pub(super) group: Option<u64>,
    pub(super) link: Link,
}

/// The links to `targets` in what the groups that were met do not read.
pub(super) fn find(reach: &Reach, scan: &Scan, targets: &BTreeSet<u64>) -> Vec<FoundLink> {
    let mut search = Search {
        reach,
        scan,
        targets,
        found: Vec::new(),
    };
    for block in &scan.direct_blocks {
        // What cannot be read holds no links.
        let _ = search.direct_block(*block);
    }
    for block in scan
        .header_blocks
        .iter()
        .filter(|block| !reach.shared.has_block(**block))
    {
        let _ = search.header_block(*block);
    }
    search.symbol_nodes();
    search.found
}

struct Search<'a> {
    reach: &'a Reach,
    scan: &'a Scan,
    targets: &'a BTreeSet<u64>,
    found: Vec<FoundLink>,
}

impl Search<'_> {
    /// Searches the objects of a block of a fractal heap, which lie in it in any order, between free space. Blocks of groups
    /// whose links can all be read are not searched.
    fn direct_block(&mut self, address: u64) -> Result<()> {
        let reader = self.reach.reader();
        let bytes = reader.read(DIRECT_BLOCK, address, self.scan.room(address, MOST, reader))?;
        let mut block = reader.cursor(DIRECT_BLOCK, address, &bytes);
        block.signature(b"FHDB")?;
        block.version(0)?;
        let heap = block.defined_offset()?;
        let group = self.reach.heaps.get(&heap).copied();
        if group.is_some_and(|group| !self.reach.broken.contains_key(&group)) {
            return Ok(());
        }
        while block.remaining() > 0 {
            match self.link_at(&block) {
                Some((link, length)) => {
                    self.found.push(FoundLink { group, link });
                    block.skip(length)?;
                }
                None => block.skip(1)?,
            }
        }
        Ok(())
    }

    /// Searches the messages of a block that no header leads to. Whether messages have a creation order is not known, so both is tried.
    fn header_block(&mut self, address: u64) -> Result<()> {
        let reader = self.reach.reader();
        let bytes = reader.read(HEADER_BLOCK, address, self.scan.room(address, MOST, reader))?;
        for head in [4, 6] {
            let mut block = reader.cursor(HEADER_BLOCK, address, &bytes);
            block.signature(b"OCHK")?;
            let before = self.found.len();
            while block.remaining() >= head {
                let kind = u16::from(block.u8()?);
                let size = usize::from(block.u16()?);
                block.skip(head - 3)?;
                if kind > message_type::LAST || size > block.remaining() {
                    break;
                }
                let message = block.part(size)?;
                if kind == message_type::LINK
                    && let Some((link, _)) = self.link_at(&message)
                {
                    self.found.push(FoundLink { group: None, link });
                }
            }
            if self.found.len() > before {
                break;
            }
        }
        Ok(())
    }

    /// The hard link that begins here, with its length in bytes, if it leads to one of the targets. Only then its name is read, so that
    /// a search takes no longer than the file is long.
    fn link_at(&self, bytes: &Cursor<'_>) -> Option<(Link, usize)> {
        let mut probe = bytes.clone();
        let head: [u8; 2] = probe.array().ok()?;
        let [1, flags @ ..=0x1f] = head else { return None };
        let soft = flags & 8 != 0 && probe.u8().ok()? != 0;
        probe.skip(if flags & 4 != 0 { 8 } else { 0 }).ok()?;
        probe.skip(usize::from(flags >> 4 & 1)).ok()?;
        let length = usize::try_from(probe.uint(1 << (flags & 3)).ok()?).ok()?;
        probe.skip(length).ok()?;
        let target = probe.offset().ok()??;
        if soft || !self.targets.contains(&target) {
            return None;
        }
        let link = Link::decode(&mut bytes.clone()).ok()?;
        let length = probe.position() - bytes.position();
        is_link_name(&link.name).then_some((link, length))
    }

    /// Gives symbol table nodes that no tree leads to to the only group that can have them.
    fn symbol_nodes(&mut self) {
        let reader = self.reach.reader();
        let nodes = self.scan.symbol_nodes.iter();
        let lost: Vec<u64> = nodes
            .copied()
            .filter(|node| !self.reach.symbol_nodes.contains(node))
            .collect();
        if lost.is_empty() {
            return;
        }
        let places = self.reach.broken.iter();
        let tables = places.filter_map(|(group, LinkPlaces { table, .. })| Some((*group, (*table)?)));
        let heaps: Vec<(u64, u64)> = tables.map(|(group, table)| (group, table.heap)).collect();
        /// More groups than these are not tried, as each is tried for each node.
        const MOST_GROUPS: usize = 64;
        if heaps.len() > MOST_GROUPS {
            return;
        }
        for node in lost {
            let mut fitting = heaps.iter().filter_map(|(group, heap)| {
                let heap = LocalHeap::open(reader, *heap).ok()?;
                let mut links = Vec::new();
                symbol_table::read_node(reader, node, &heap, &mut Walk::new(reader), &mut links).ok()?;
                let is_sorted = links.is_sorted_by(|a, b| a.name < b.name);
                let fits = is_sorted && links.iter().all(|link| is_link_name(&link.name));
                fits.then_some((*group, links))
            });
            if let (Some((group, links)), None) = (fitting.next(), fitting.next()) {
                let known = |link: &Link| match &link.target {
                    LinkTarget::Hard(target) => self.targets.contains(target),
                    _ => true,
                };
                self.found
                    .extend(links.into_iter().filter(known).map(|link| FoundLink {
                        group: Some(group),
                        link,
                    }));
            }
        }
    }
}
