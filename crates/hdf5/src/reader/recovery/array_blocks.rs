//! Finds the blocks of arrays of chunks that cannot be read as a whole.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

use super::orphans;
use super::reach::Reach;
use super::scan::Scan;
use crate::chunk_index::{self, ChunkIndex};
use crate::dataset::Layout;
use crate::metadata::MetadataReader;
use crate::reader::dataset::Dataset;

const WHAT: &str = "array block";

/// Most data blocks with the same header that are tried.
const MOST: usize = 8;

/// Blocks of the arrays of `datasets` that cannot be read as a whole, by the address of the dataset: the data block of a fixed array, or
/// all blocks of an extensible array, the index block first. A block tells the address of its header. Where several blocks can be the
/// first, some were freed, and none is taken.
pub(super) fn find(reach: &Reach, scan: &Scan, datasets: &[u64]) -> HashMap<u64, Vec<u64>> {
    let reader = reach.reader();
    let mut broken: BTreeMap<u64, Dataset> = BTreeMap::new();
    for address in datasets {
        let Some(dataset) = orphans::dataset(reach, *address) else {
            continue;
        };
        let Layout::Chunked(layout) = &dataset.layout else {
            continue;
        };
        if let ChunkIndex::FixedArray { address } | ChunkIndex::ExtensibleArray { address } = layout.index
            && chunks(reader, &dataset, &[]).is_none_or(|(_, is_whole)| !is_whole)
        {
            broken.insert(address, dataset);
        }
    }
    if broken.is_empty() {
        return HashMap::new();
    }
    let mut blocks: HashMap<u64, Blocks> = HashMap::new();
    for block in &scan.array_blocks {
        let named = || {
            let head = reader
                .read(WHAT, *block, 6 + usize::from(reader.offset_size()))
                .ok()?;
            let mut head = reader.cursor(WHAT, *block, &head);
            let signature: [u8; 4] = head.array().ok()?;
            head.version(0).ok()?;
            let has_filters = head.u8().ok()? == 1;
            let header = head.offset().ok()??;
            let fits = broken.get(&header)?.filters.is_empty() != has_filters;
            fits.then_some((header, signature))
        };
        if let Some((header, signature)) = named() {
            let of_header = blocks.entry(header).or_default();
            match &signature {
                b"FADB" | b"EAIB" => of_header.first.push(*block),
                b"EASB" => of_header.super_blocks.push(*block),
                _ => of_header.data.push(*block),
            }
        }
    }
    let mut found = HashMap::new();
    for (
        header,
        Blocks {
            mut first,
            super_blocks,
            data,
        },
    ) in blocks
    {
        let Some(dataset) = broken.get(&header).filter(|_| first.len() <= MOST) else {
            continue;
        };
        // A block whose checksum is wrong gives no chunks.
        let is_sound = |block: &u64| chunks(reader, dataset, &[*block]).is_some_and(|(count, _)| count > 0);
        if first.len() > 1 {
            first.retain(is_sound);
        }
        if first.len() <= 1 {
            found.insert(dataset.address, [first, super_blocks, data].concat());
        }
    }
    found
}

/// The blocks that name one header, by kind.
#[derive(Default)]
struct Blocks {
    first: Vec<u64>,
    super_blocks: Vec<u64>,
    data: Vec<u64>,
}

/// The number of chunks that an index leads to with the help of `found`, and whether all of it can be read.
fn chunks(reader: &MetadataReader, dataset: &Dataset, found: &[u64]) -> Option<(usize, bool)> {
    let Layout::Chunked(layout) = &dataset.layout else {
        return None;
    };
    let faults = Arc::default();
    let reader = reader.tolerating(Arc::clone(&faults));
    let table = chunk_index::chunk_table(&reader, dataset.address, &dataset.dataspace, layout, found).ok()?;
    let faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    Some((table.len(), faults.is_empty()))
}
