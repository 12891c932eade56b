//! A piece of work for one thread, and the memory it needs.

use std::ops::Range;
use std::sync::Arc;

use super::pieces::PieceOfInput;
use super::record_job::RecordJob;
use super::shared_block::SharedBlock;
use super::spill::Spill;
use crate::copy::geometry::{Block, Tiling};
use crate::copy::memory::JobMemory;
use crate::copy::task::Variable;
use crate::error::Result;
use crate::model::VarId;

/// A piece of work for one thread.
pub enum Job<'e> {
    /// Pass encoded chunks through. `chunks` numbers them among the variable's chunks to be written.
    Raw { var: &'e Variable, chunks: Range<u64> },
    /// Decode and encode chunks of the same shape. `chunks` numbers them among the variable's chunks to be
    /// written.
    Refilter { var: &'e Variable, chunks: Range<u64> },
    /// Copy a range of bytes of a contiguous variable.
    Bytes {
        var: &'e Variable,
        offset: u64,
        length: u64,
    },
    /// Make whole blocks in one thread.
    Blocks {
        var: &'e Variable,
        tiling: &'e Tiling,
        blocks: Vec<Block>,
    },
    /// Scatter input pieces into a block.
    Fill {
        var: &'e Variable,
        tiling: &'e Tiling,
        block: Arc<SharedBlock>,
        pieces: Vec<PieceOfInput>,
        spill: Spilling,
    },
    /// Encode and write one stripe of a block.
    Empty {
        var: &'e Variable,
        tiling: &'e Tiling,
        block: Arc<SharedBlock>,
        stripe: usize,
    },
    /// Copy the elements of blocks as [`Values`](crate::model::Values).
    Values {
        var: &'e Variable,
        tiling: &'e Tiling,
        blocks: Vec<Block>,
    },
    /// Copy records of several variables at once.
    Records(RecordJob<'e>),
}

impl Job<'_> {
    fn about(&self) -> &Variable {
        match self {
            Self::Raw { var, .. }
            | Self::Refilter { var, .. }
            | Self::Bytes { var, .. }
            | Self::Blocks { var, .. }
            | Self::Fill { var, .. }
            | Self::Empty { var, .. }
            | Self::Values { var, .. } => var,
            Self::Records(part) => part.variable(),
        }
    }

    /// Path of the job's variable.
    pub fn variable(&self) -> &str {
        &self.about().name
    }

    /// The output variable of the job.
    pub fn out(&self) -> VarId {
        self.about().out
    }

    /// True if the job's [`JobMemory`] counts the whole encoded input already, because the job passes it on
    /// or rearranges it.
    pub fn cost_counts_input(&self) -> bool {
        match self {
            Self::Raw { .. } | Self::Bytes { .. } => true,
            Self::Records(part) => part.cost_counts_input(),
            _ => false,
        }
    }
}

/// How the filling of a block uses a [`Spill`].
#[derive(Clone)]
pub enum Spilling {
    /// It does not use one.
    Not,
    /// It writes the parts that later blocks need.
    Writes(Arc<Spill>),
    /// It reads the parts that filling the first block wrote.
    Reads(Arc<Spill>),
}

/// A job and the memory it needs.
pub type Costed<'e> = Result<(Job<'e>, JobMemory)>;

/// Jobs in sequence order.
pub type Jobs<'e> = Box<dyn Iterator<Item = Costed<'e>> + Send + 'e>;
