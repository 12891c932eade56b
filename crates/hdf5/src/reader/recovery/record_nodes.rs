//! Gives nodes of version 2 B-trees of chunks, which nothing leads to any more, to their datasets.
//!
//! A node tells neither its tree nor its neighbours. So it belongs to the only dataset that it fits, and only if no other header of an
//! object can be lost.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::orphans;
use super::reach::Reach;
use super::scan::Scan;
use crate::btree::v2;
use crate::chunk_index::{self, ChunkIndex, ChunkedLayout, LooseChunks};
use crate::dataset::Layout;
use crate::reader::dataset::Dataset;

/// Most datasets with a broken tree that are tried for each node.
const MOST_BROKEN: usize = 64;

/// Most chunks in all nodes that fit, as each takes memory.
const MOST_CHUNKS: usize = 1 << 22;

/// A dataset whose tree cannot be read as a whole.
struct Broken {
    dataset: Dataset,
    layout: ChunkedLayout,
    /// Numbers of the chunks that its tree leads to.
    known: HashSet<u64>,
}

/// Nodes of which one leads to all others, and their chunks.
struct Branch {
    nodes: Vec<u64>,
    /// Numbers of the chunks.
    chunks: BTreeSet<u64>,
}

/// The nodes that the trees of `datasets` lack, by the address of the dataset. Only without a header that is lost it is certain that no
/// other dataset can own them.
pub(super) fn find(reach: &Reach, scan: &Scan, datasets: &[u64]) -> HashMap<u64, Vec<u64>> {
    let reader = reach.reader();
    let mut owned: HashSet<u64> = HashSet::new();
    let mut broken = Vec::new();
    for address in datasets {
        let Some(dataset) = orphans::dataset(reach, *address) else {
            continue;
        };
        let Layout::Chunked(layout) = &dataset.layout else {
            continue;
        };
        let ChunkIndex::BtreeV2 { address: tree } = layout.index else {
            continue;
        };
        let nodes = v2::Header::read(reader, tree).and_then(|header| header.nodes(reader));
        let (nodes, is_whole) = nodes.unwrap_or_default();
        owned.extend(nodes);
        if !is_whole {
            let table = chunk_index::chunk_table(reader, *address, &dataset.dataspace, layout, &[]);
            let known = table
                .iter()
                .flat_map(|table| table.iter().flatten().map(|chunk| chunk.index));
            let (layout, known) = (layout.clone(), known.collect());
            broken.push(Broken {
                dataset,
                layout,
                known,
            });
        }
    }
    if broken.is_empty() || broken.len() > MOST_BROKEN {
        return HashMap::new();
    }
    let lost: Vec<u64> = scan
        .record_nodes
        .iter()
        .copied()
        .filter(|node| !owned.contains(node))
        .collect();
    let mut left = MOST_CHUNKS;
    let branches = broken
        .iter()
        .map(|dataset| dataset.branches(reach, &lost, &mut left));
    let Some(branches) = branches.collect::<Option<Vec<Vec<Branch>>>>() else {
        return HashMap::new();
    };
    // A node that fits several datasets is that of none.
    let mut fitting: HashMap<u64, usize> = HashMap::new();
    for node in branches.iter().flatten().flat_map(|branch| &branch.nodes) {
        *fitting.entry(*node).or_default() += 1;
    }
    let is_alone = |branch: &Branch| branch.nodes.iter().all(|node| fitting.get(node) == Some(&1));
    let mut found = HashMap::new();
    for (dataset, mut branches) in broken.iter().zip(branches) {
        branches.retain(is_alone);
        // Nodes of a sound tree have different chunks. Old ones have the same.
        if dataset.is_disjoint(&branches) {
            let nodes: Vec<u64> = branches.into_iter().flat_map(|branch| branch.nodes).collect();
            found.insert(dataset.dataset.address, nodes);
        }
    }
    found
}

impl Broken {
    /// The branches that fit; `None` if they have more chunks than are `left`.
    fn branches(&self, reach: &Reach, nodes: &[u64], left: &mut usize) -> Option<Vec<Branch>> {
        let reader = reach.reader();
        let dims = self.dataset.dataspace.dims();
        let read = |node: u64| {
            let found = chunk_index::loose_chunks(reader, dims, &self.layout, node).ok()??;
            let fits = found.is_filtered != self.dataset.filters.is_empty();
            fits.then_some((node, found))
        };
        let mut fitting: BTreeMap<u64, LooseChunks> = BTreeMap::new();
        for (node, found) in nodes.iter().copied().filter_map(read) {
            *left = left.checked_sub(found.chunks.len())?;
            fitting.insert(node, found);
        }
        let below: HashSet<u64> = fitting.values().flat_map(|node| node.children.clone()).collect();
        let roots: Vec<u64> = fitting
            .keys()
            .copied()
            .filter(|node| !below.contains(node))
            .collect();
        let mut branches = Vec::new();
        for root in roots {
            let mut branch = Branch {
                nodes: Vec::new(),
                chunks: BTreeSet::new(),
            };
            let mut pending = vec![root];
            while let Some(node) = pending.pop() {
                if let Some(found) = fitting.remove(&node) {
                    branch.nodes.push(node);
                    branch.chunks.extend(found.chunks.iter().map(|chunk| chunk.index));
                    pending.extend(found.children);
                }
            }
            branches.push(branch);
        }
        Some(branches)
    }

    /// True if the chunks of the branches are in as many parts of the extent, and none is known from elsewhere.
    fn is_disjoint(&self, branches: &[Branch]) -> bool {
        let mut ranges: Vec<(u64, u64)> = branches
            .iter()
            .filter_map(|branch| Some((*branch.chunks.first()?, *branch.chunks.last()?)))
            .collect();
        ranges.sort_unstable();
        let chunks = branches.iter().flat_map(|branch| &branch.chunks);
        ranges.is_sorted_by(|before, after| before.1 < after.0)
            && chunks.into_iter().all(|chunk| !self.known.contains(chunk))
    }
}
