//! Gives leaves of version 1 B-trees of chunks, which no node leads to any more, to their datasets.

use std::collections::{BTreeMap, HashMap};

use super::orphans;
use super::reach::Reach;
use super::scan::Scan;
use crate::btree::v1::{self, ChunkLeaf};
use crate::chunk_index::ChunkIndex;
use crate::dataset::Layout;
use crate::reader::dataset::Dataset;

/// Most datasets with a broken index that are tried for each lost leaf. Leaves whose sibling is known need no trying.
const MOST_BROKEN: usize = 64;

/// A dataset whose B-tree cannot be read as a whole.
struct Broken {
    dataset: Dataset,
    shape: Vec<u64>,
    chunk_size: Option<u64>,
}

/// The leaves that the B-trees of `datasets` lack, by the address of the dataset. With `is_certain`, no other dataset can own any leaf.
pub(super) fn find(reach: &Reach, scan: &Scan, datasets: &[u64], is_certain: bool) -> HashMap<u64, Vec<u64>> {
    let reader = reach.reader();
    // Leaves that trees still lead to, and their datasets.
    let mut owners: HashMap<u64, u64> = HashMap::new();
    let mut broken: BTreeMap<u64, Broken> = BTreeMap::new();
    for address in datasets {
        let Some(dataset) = orphans::dataset(reach, *address) else {
            continue;
        };
        let Layout::Chunked(layout) = &dataset.layout else {
            continue;
        };
        let ChunkIndex::BtreeV1 { address: root } = layout.index else {
            continue;
        };
        let shape = layout.shape.clone();
        let sizes = shape
            .iter()
            .try_fold(layout.element_size, |size, n| size.checked_mul(*n));
        let Ok((leaves, is_whole)) = v1::chunk_leaves(reader, root, shape.len()) else {
            continue;
        };
        owners.extend(leaves.into_iter().map(|leaf| (leaf, *address)));
        if !is_whole {
            let chunk_size = sizes.filter(|_| dataset.filters.is_empty());
            broken.insert(
                *address,
                Broken {
                    dataset,
                    shape,
                    chunk_size,
                },
            );
        }
    }
    if broken.is_empty() {
        return HashMap::new();
    }
    let lost = scan.tree_nodes.iter().filter(|node| !owners.contains_key(node));
    let lost: BTreeMap<u64, (Option<u64>, Option<u64>)> = lost
        .filter_map(|node| Some((*node, v1::leaf_siblings(reader, *node).ok()?)))
        .collect();

    let mut given: HashMap<u64, Vec<u64>> = HashMap::new();
    let mut chains = chains(&lost);
    chains.retain(|chain| {
        let known = chain.iter().flat_map(|node| {
            let (left, right) = lost.get(node).copied().unwrap_or_default();
            // The other one must agree, as old nodes still name their siblings.
            let agrees = |other: u64, back: fn((Option<u64>, Option<u64>)) -> Option<u64>| {
                let owner = *owners.get(&other)?;
                let siblings = v1::leaf_siblings(reader, other).ok()?;
                (back(siblings) == Some(*node)).then_some(owner)
            };
            let left = left.and_then(|other| agrees(other, |siblings| siblings.1));
            let right = right.and_then(|other| agrees(other, |siblings| siblings.0));
            left.into_iter().chain(right)
        });
        let mut known: Vec<u64> = known.collect();
        known.dedup();
        if let [owner] = known.as_slice()
            && let Some(dataset) = broken.get(owner)
            && chain.iter().all(|node| dataset.fits(reach, *node))
        {
            given.entry(*owner).or_default().extend(chain);
        }
        known.is_empty()
    });
    // A root has no siblings. One that nothing leads to is that of a dataset which was deleted, or whose header is lost.
    chains.retain(|chain| chain.len() > 1);
    if !is_certain || broken.len() > MOST_BROKEN {
        return given;
    }
    let mut alone: HashMap<u64, Vec<&Vec<u64>>> = HashMap::new();
    for chain in &chains {
        let fits = |dataset: &&Broken| chain.iter().all(|node| dataset.fits(reach, *node));
        let mut fitting = broken.values().filter(fits);
        if let (Some(dataset), None) = (fitting.next(), fitting.next()) {
            alone.entry(dataset.dataset.address).or_default().push(chain);
        }
    }
    for (dataset, chains) in alone {
        // Of two chains, one may be of a dataset that was deleted.
        if let [chain] = chains.as_slice() {
            given.entry(dataset).or_default().extend(chain.iter());
        }
    }
    given
}

/// Leaves that name each other as siblings, in their order.
fn chains(leaves: &BTreeMap<u64, (Option<u64>, Option<u64>)>) -> Vec<Vec<u64>> {
    let next = |node: u64| {
        let right = leaves.get(&node)?.1?;
        (leaves.get(&right)?.0 == Some(node)).then_some(right)
    };
    let is_first = |node: &u64| {
        let left = leaves.get(node).and_then(|siblings| siblings.0);
        left.is_none_or(|left| next(left) != Some(*node))
    };
    // A ring has no first leaf, and is left out.
    let chain = |first: u64| std::iter::successors(Some(first), |node| next(*node)).collect();
    leaves.keys().copied().filter(is_first).map(chain).collect()
}

impl Broken {
    /// True if the leaf can be of this dataset: its chunks begin in the extent, at multiples of the shape, in ascending order,
    /// and have the size of a chunk if no filter changes it.
    fn fits(&self, reach: &Reach, node: u64) -> bool {
        let dims = self.dataset.dataspace.dims();
        let rank = self.shape.len();
        let Ok(ChunkLeaf { chunks }) = v1::chunk_leaf(reach.reader(), node, rank) else {
            return false;
        };
        let fits = |size: u32, offsets: &[u64]| {
            let begins = offsets.iter().zip(&self.shape).zip(dims);
            let inside = begins
                .into_iter()
                .all(|((at, step), dim)| at < dim && at.checked_rem(*step) == Some(0));
            // The bytes of an element count as a last dimension.
            inside
                && offsets.get(rank) == Some(&0)
                && offsets.len() == rank + 1
                && self.chunk_size.is_none_or(|own| own == u64::from(size))
        };
        !chunks.is_empty()
            && chunks.iter().all(|(size, offsets)| fits(*size, offsets))
            && chunks.is_sorted_by(|a, b| a.1 < b.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_that_agree_are_a_chain() {
        let leaves = [
            (10, (None, Some(20))),
            (20, (Some(10), Some(30))),
            (30, (Some(20), Some(99))),
            // An old node, whose neighbours no longer name it.
            (40, (Some(10), Some(30))),
            (50, (Some(60), Some(60))),
            (60, (Some(50), Some(50))),
        ];
        assert_eq!(chains(&leaves.into()), [vec![10, 20, 30], vec![40]]);
    }
}
