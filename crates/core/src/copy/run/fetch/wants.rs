//! The chunks and ranges of the input that a job needs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::copy::geometry::{AlignedGrids, Block, InputMapping, InputVariable, Tiling, elements};
use crate::copy::jobs::{Job, PieceOfInput, RecordPart, Spilling, Terms, chunk_bytes, pieces};
use crate::copy::readers::{ReaderId, Readers};
use crate::copy::task::{Route, Variable};
use crate::error::{Error, Result};
use crate::format::range_list::RangeList;
use crate::store::ByteRange;

/// The chunks and ranges of the input that a job needs.
#[derive(Debug, Default, PartialEq)]
pub struct Wants {
    /// The chunks of each variable.
    pub chunks: BTreeMap<InputVariable, WantedChunks>,
    /// Chunks of closed readers, whose places are asked for.
    pub places: BTreeMap<InputVariable, Vec<u64>>,
    /// Ranges of variables in one piece.
    pub ranges: Vec<(InputVariable, ByteRange)>,
    /// Records of interleaved variables.
    pub records: Option<RecordPart>,
}

/// Chunks of one variable.
#[derive(Debug, PartialEq)]
pub struct WantedChunks {
    /// Bytes of a decoded chunk.
    whole: u64,
    /// Numbers of the chunks.
    pub numbers: BTreeSet<u64>,
}

impl Wants {
    /// The input of `job`, as far as it is known in advance.
    pub fn of(job: &Job, terms: &Terms) -> Result<Self> {
        let mut wants = Self::default();
        match job {
            Job::Raw { var, chunks } if var.referenced => {
                if let Route::Raw(same) = &var.route {
                    wants.places(terms, var, same, chunks.clone());
                }
            }
            Job::Raw { var, chunks } | Job::Refilter { var, chunks } => {
                if let Route::Raw(same) | Route::Refilter(same) = &var.route {
                    wants.same(terms, var, same, chunks.clone());
                }
            }
            Job::Bytes { var, offset, length } => {
                let length =
                    usize::try_from(*length).map_err(|_| Error::Internal("a range too long".into()))?;
                wants.ranges.push((
                    var.input().id(),
                    ByteRange {
                        offset: *offset,
                        length,
                    },
                ));
            }
            Job::Blocks { var, tiling, blocks } => {
                for block in blocks {
                    wants.block(terms, var, tiling, block)?;
                }
            }
            Job::Fill {
                var, pieces, spill, ..
            } => {
                if !matches!(spill, Spilling::Reads(_)) {
                    for piece in pieces {
                        wants.piece(terms, var, piece)?;
                    }
                }
            }
            Job::Records(part) => wants.records = Some(part.input()),
            // The thread that runs the job reads values itself, and emptying a block reads nothing.
            Job::Empty { .. } | Job::Values { .. } => {}
        }
        Ok(wants)
    }

    fn same(&mut self, terms: &Terms, var: &Variable, same: &AlignedGrids, chunks: Range<u64>) {
        for (input, chunk) in sources(var, same, chunks) {
            self.chunk(terms, input, chunk);
        }
    }

    /// Adds the chunks of closed readers. Asking an open reader for a place needs no request.
    fn places(&mut self, terms: &Terms, var: &Variable, same: &AlignedGrids, chunks: Range<u64>) {
        let is_open = |reader: ReaderId| match (reader, terms.readers.pool()) {
            (ReaderId::Further(further), Some(pool)) => pool.is_open(further),
            _ => true,
        };
        // Chunks of one input follow one another.
        let mut last = (ReaderId::Main, true);
        for (input, chunk) in sources(var, same, chunks) {
            let id = input.id();
            if id.reader != last.0 {
                last = (id.reader, is_open(id.reader));
            }
            if !last.1 {
                self.places.entry(id).or_default().push(chunk);
            }
        }
    }

    fn block(&mut self, terms: &Terms, var: &Variable, tiling: &Tiling, block: &Block) -> Result<()> {
        let region = elements(&block.span, tiling.grid.chunk(), tiling.grid.extent());
        for piece in pieces(terms, var, &region, terms.batch()) {
            self.piece(terms, var, &piece)?;
        }
        Ok(())
    }

    fn piece(&mut self, terms: &Terms, var: &Variable, piece: &PieceOfInput) -> Result<()> {
        match piece {
            PieceOfInput::Chunks { input, chunks } => {
                for chunk in chunks {
                    self.chunk(terms, &var.inputs[*input], *chunk);
                }
            }
            PieceOfInput::Range { input, region } => {
                let input = &var.inputs[*input];
                if let Some(held) = input.input(region) {
                    let list = RangeList::new(input.layout(&terms.readers), &held)?;
                    let ranges = list.ranges()?;
                    self.ranges
                        .extend(ranges.into_iter().map(|range| (input.id(), range)));
                }
            }
        }
        Ok(())
    }

    fn chunk(&mut self, terms: &Terms, input: &InputMapping, chunk: u64) {
        let wanted = self.chunks.entry(input.id()).or_insert_with(|| WantedChunks {
            whole: chunk_bytes(input.layout(&terms.readers)),
            numbers: BTreeSet::new(),
        });
        wanted.numbers.insert(chunk);
    }

    /// About how many bytes will be fetched.
    pub fn bytes(&self, readers: &Readers) -> u64 {
        let ranges = self.ranges.iter().map(|(_, range)| range.length as u64);
        let chunks = self.chunks.iter().flat_map(|(id, chunks)| {
            let stored = |chunk: u64| match id.reader {
                ReaderId::Main => readers.main().stored_size(id.var, chunk),
                // It may be closed.
                ReaderId::Further(_) => None,
            };
            chunks
                .numbers
                .iter()
                .map(move |chunk| stored(*chunk).unwrap_or(chunks.whole))
        });
        let records = self.records.iter().map(|records| {
            let each = records.part.end.saturating_sub(records.part.start);
            records.count.saturating_mul(each)
        });
        ranges.chain(chunks).chain(records).fold(0, u64::saturating_add)
    }
}

/// The input of each of a variable's chunks to be written, and the chunk there.
fn sources<'v>(
    var: &'v Variable,
    same: &'v AlignedGrids,
    chunks: Range<u64>,
) -> impl Iterator<Item = (&'v InputMapping, u64)> {
    let order = same.order();
    chunks.filter_map(move |n| {
        let position = var.to_write.position(n)?;
        let (input, chunk) = same.source(&var.inputs, same.chunk(&order, position))?;
        Some((&var.inputs[input], chunk))
    })
}
