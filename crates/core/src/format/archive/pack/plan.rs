//! The streams of a classic file that is packed.

use crate::error::{Error, Result};
use crate::format::archive::structure::filter::Filters;
use crate::format::archive::structure::streams::{LARGEST_BLOCK, Stream, Streams};
use crate::format::classic::{FileMap, MappedVariable};

/// Default length of a block, in bytes.
pub const DEFAULT_BLOCK: u32 = 256 << 10;

/// What the blocks of a variable become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// Length of a block, in bytes. Rounded down to whole elements.
    pub length: u32,
    /// The filters; `None` to choose them by samples of the data.
    pub filters: Option<Filters>,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            length: DEFAULT_BLOCK,
            filters: None,
        }
    }
}

impl Blocks {
    /// Checks the length.
    ///
    /// # Errors
    /// A length of 0, or above the format's limit.
    pub fn check(&self) -> Result<()> {
        match (1..=LARGEST_BLOCK).contains(&self.length) {
            true => Ok(()),
            false => Err(Error::Usage(format!(
                "a block of {} bytes; an archive's have 1 to {LARGEST_BLOCK}",
                self.length
            ))),
        }
    }
}

/// The slabs of a variable that an archive gathers in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slabs {
    begin: u64,
    slab: u64,
    stride: u64,
    count: u64,
}

/// Makes the streams of a file of `size` bytes. `blocks` tells the blocks of each variable, and last those of the rest.
/// Streams whose filters are not given get none here. A variable gets no stream if it overlaps another one's or the header,
/// or lies past the end of the file: its bytes are in the rest.
///
/// # Errors
/// The errors of [`Streams::new`], which an accepted file does not have.
pub(crate) fn streams(map: &FileMap, size: u64, blocks: &[Blocks]) -> Result<Streams> {
    let mut slabs = vec![None; map.variables.len()];
    let region = gather(map, size, &mut slabs);
    fix(map, size, region, &mut slabs);
    let empty = Slabs {
        begin: 0,
        slab: 0,
        stride: 0,
        count: 0,
    };
    let elements = map.variables.iter().map(|var| var.element).chain([1]);
    let slabs = slabs.into_iter().chain([None]);
    let list = slabs.zip(elements).zip(blocks).map(|((slabs, element), blocks)| {
        let Slabs {
            begin,
            slab,
            stride,
            count,
        } = slabs.unwrap_or(empty);
        Stream {
            begin,
            slab,
            stride,
            count,
            block: (blocks.length / element * element).max(element),
            element,
            filters: blocks.filters.clone().unwrap_or_default(),
        }
    });
    Streams::new(map.header, size, list.collect(), true)
}

/// True if the slabs of a variable lie apart.
fn lies_apart(map: &FileMap, var: &MappedVariable) -> bool {
    var.record && var.slab > 0 && var.slab != map.record_size && map.records > 1
}

/// Gathers the variables whose records are interleaved. Returns the part of the file that has all of their records.
fn gather(map: &FileMap, size: u64, slabs: &mut [Option<Slabs>]) -> Option<(u64, u64)> {
    let stride = map.record_size;
    let mut apart: Vec<usize> = (0..map.variables.len())
        .filter(|n| lies_apart(map, &map.variables[*n]) && map.variables[*n].begin >= map.header)
        .collect();
    apart.sort_by_key(|n| map.variables[*n].begin);
    let first = map.variables[*apart.first()?].begin;
    let mut taken = Vec::with_capacity(apart.len());
    let mut end = first;
    let mut count = map.records;
    for n in apart {
        let var = &map.variables[n];
        // The header's numbers were checked so that these sums do not overflow.
        let after = var.begin + var.slab;
        if var.begin < end || after - first > stride || after > size {
            continue;
        }
        let records = (size - after) / stride + 1;
        if records < 2 {
            continue;
        }
        count = count.min(records);
        end = after;
        taken.push(n);
    }
    for n in &taken {
        let var = &map.variables[*n];
        slabs[*n] = Some(Slabs {
            begin: var.begin,
            slab: var.slab,
            stride,
            count,
        });
    }
    let begin = map.variables[*taken.first()?].begin;
    Some((begin, begin + (count - 1) * stride + (end - begin)))
}

/// Adds the variables that lie in one piece, as far as the file has them.
fn fix(map: &FileMap, size: u64, region: Option<(u64, u64)>, slabs: &mut [Option<Slabs>]) {
    let mut pieces: Vec<(u64, u64, Option<usize>)> = map
        .variables
        .iter()
        .enumerate()
        .filter(|(_, var)| !lies_apart(map, var))
        .filter_map(|(n, var)| {
            let length = match var.record {
                true => map.records.checked_mul(var.slab)?,
                false => var.slab,
            };
            let there = size.checked_sub(var.begin)?.min(length);
            let whole = there / u64::from(var.element) * u64::from(var.element);
            (whole > 0 && var.begin >= map.header).then_some((var.begin, var.begin + whole, Some(n)))
        })
        .collect();
    pieces.extend(region.map(|(begin, end)| (begin, end, None)));
    // The records come before variables that begin with them.
    pieces.sort_by_key(|(begin, _, var)| (*begin, *var));
    let records = region.unwrap_or((u64::MAX, u64::MAX));
    let mut end = map.header;
    for (begin, after, var) in pieces {
        let meets_records = begin < records.1 && after > records.0;
        if begin < end || (var.is_some() && meets_records) {
            continue;
        }
        end = after;
        if let Some(n) = var {
            slabs[n] = Some(Slabs {
                begin,
                slab: after - begin,
                stride: after - begin,
                count: 1,
            });
        }
    }
}
