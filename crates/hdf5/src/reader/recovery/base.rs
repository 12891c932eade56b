//! Finds where an HDF5 file begins whose superblock is lost, as a user block may come first and all addresses count from behind it.

use std::collections::BTreeSet;

use super::scan::Scan;
use crate::error::Result;
use crate::group::symbol_table::{self, EntryTarget};
use crate::metadata::MetadataReader;
use crate::metadata::Walk;

/// Addresses of the root group in files of libhdf5, with version 0 and version 2 of the superblock.
pub(super) const USUAL_ROOTS: [u64; 2] = [96, 48];

/// Largest user block that is tried, in bytes.
const MOST: u64 = 1 << 24;

/// Most structures of a kind whose addresses are tried.
const TRIED: usize = 1000;

/// The base address that most addresses in the file agree with.
///
/// # Errors
/// The source failed.
pub(in crate::reader) fn find(reader: &MetadataReader) -> Result<u64> {
    let reader = reader.at_base(0, 8, 8)?.unnoted();
    let scan = Scan::of(&reader)?;
    let headers: BTreeSet<u64> = scan.headers.iter().chain(&scan.old_headers).copied().collect();
    let trees: BTreeSet<u64> = scan.tree_nodes.iter().copied().collect();

    let mut objects = Vec::new();
    let mut walk = Walk::new(&reader);
    for node in scan.symbol_nodes.iter().take(TRIED) {
        // What cannot be read says nothing.
        let _ = symbol_table::entries(&reader, *node, &mut walk, |entry| {
            objects.extend(match entry.target {
                EntryTarget::Object(object) => Some(object),
                EntryTarget::Path(_) => None,
            });
            Ok(())
        });
    }
    let address = |at: u64| {
        reader
            .cursor("address", at, &reader.read("address", at, 8).ok()?)
            .offset()
            .ok()?
    };
    let nodes = scan.tree_nodes.iter().take(TRIED);
    let siblings: Vec<u64> = nodes
        .flat_map(|node| [address(node.saturating_add(8)), address(node.saturating_add(16))])
        .flatten()
        .collect();
    // A block of a heap begins with signature, version and the address of the heap, one of an array with one more byte before it.
    let heaps = scan.direct_blocks.iter().map(|block| (*block, 5, b"FRHP"));
    let arrays = scan.array_blocks.iter().map(|block| (*block, 6, b"FAHD"));
    let extensible = scan.array_blocks.iter().map(|block| (*block, 6, b"EAHD"));
    let owners: Vec<(u64, &[u8; 4])> = heaps
        .take(TRIED)
        .chain(arrays.take(TRIED))
        .chain(extensible.take(TRIED))
        .filter_map(|(block, at, signature)| Some((address(block.saturating_add(at))?, signature)))
        .collect();

    let score = |base: u64| {
        let at = |address: &u64| address.checked_add(base);
        let count = |targets: &[u64], known: &BTreeSet<u64>| {
            let targets = targets.iter().filter_map(at);
            targets.filter(|target| known.contains(target)).count()
        };
        let is_owner = |(owner, signature): &&(u64, &[u8; 4])| {
            let found = at(owner).and_then(|owner| reader.read("signature", owner, 4).ok());
            found.is_some_and(|found| found == signature.as_slice())
        };
        let owners = owners.iter().filter(is_owner).count();
        count(&objects, &headers) + count(&siblings, &trees) + owners + count(&USUAL_ROOTS, &headers)
    };
    let bases = std::iter::successors(Some(512u64), |base| base.checked_mul(2));
    let bases = bases.take_while(|base| *base <= MOST && *base < reader.file_size());
    let mut best = (score(0), 0);
    for base in bases {
        let found = score(base);
        if found > best.0 {
            best = (found, base);
        }
    }
    Ok(best.1)
}
