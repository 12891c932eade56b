//! The chunks and ranges of the input that a job needs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::copy::geometry::{AlignedGrids, Block, Tiling, elements};
use crate::copy::jobs::{Job, PieceOfInput, RecordPart, Spilling, Terms, chunk_bytes, pieces};
use crate::copy::task::{Route, Variable};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::format::range_list::RangeList;
use crate::model::VarId;
use crate::store::ByteRange;

/// The chunks and ranges of the input that a job needs.
#[derive(Debug, Default, PartialEq)]
pub struct Wants {
    pub chunks: BTreeMap<usize, BTreeSet<u64>>,
    pub ranges: Vec<(VarId, ByteRange)>,
    pub records: Option<RecordPart>,
}

impl Wants {
    /// The input of `job`, as far as it is known in advance.
    pub fn of(job: &Job, terms: &Terms) -> Result<Self> {
        let mut wants = Self::default();
        match job {
            Job::Raw { var, chunks } | Job::Refilter { var, chunks } => {
                if let Route::Raw(same) | Route::Refilter(same) = &var.route {
                    wants.same(var, same, chunks.clone());
                }
            }
            Job::Bytes { var, offset, length } => {
                let length =
                    usize::try_from(*length).map_err(|_| Error::Internal("a range too long".into()))?;
                wants.ranges.push((
                    var.input().var,
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

    fn same(&mut self, var: &Variable, same: &AlignedGrids, chunks: Range<u64>) {
        let order = same.order();
        for n in chunks {
            let Some(position) = var.to_write.position(n) else {
                continue;
            };
            if let Some((input, chunk)) = same.source(&var.inputs, same.chunk(&order, position)) {
                self.chunk(var.inputs[input].var, chunk);
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
                    self.chunk(var.inputs[*input].var, *chunk);
                }
            }
            PieceOfInput::Range { input, region } => {
                let input = &var.inputs[*input];
                if let Some(held) = input.input(region) {
                    let list = RangeList::new(terms.reader.layout(input.var), &held)?;
                    let ranges = list.ranges()?;
                    self.ranges
                        .extend(ranges.into_iter().map(|range| (input.var, range)));
                }
            }
        }
        Ok(())
    }

    fn chunk(&mut self, var: VarId, chunk: u64) {
        self.chunks.entry(var.0).or_default().insert(chunk);
    }

    /// About how many bytes will be fetched.
    pub fn bytes(&self, reader: &dyn Reader) -> u64 {
        let ranges = self.ranges.iter().map(|(_, range)| range.length as u64);
        let chunks = self.chunks.iter().flat_map(|(var, chunks)| {
            let var = VarId(*var);
            let whole = chunk_bytes(reader.layout(var));
            chunks
                .iter()
                .map(move |chunk| reader.stored_size(var, *chunk).unwrap_or(whole))
        });
        let records = self.records.iter().map(|records| {
            let each = records.part.end.saturating_sub(records.part.start);
            records.count.saturating_mul(each)
        });
        ranges.chain(chunks).chain(records).fold(0, u64::saturating_add)
    }
}
