//! [`Loss`]: a part of a variable that cannot be read.

use std::ops::Range;

use crate::chunk::{ChunkGrid, Region};
use crate::format::{ChunkPlace, Fault, Reader};
use crate::model::VarId;

/// A part of a variable's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// A chunk, by its number.
    Chunk(u64),
    /// Bytes of a variable in one piece.
    Bytes(Range<u64>),
    /// Elements.
    Region(Region),
    /// All data of the variable.
    All,
}

/// A part of a variable that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The variable.
    pub var: VarId,
    /// The part.
    pub part: Lost,
    /// True if the part can be decoded, and only its checksum disagrees.
    pub only_checksum: bool,
    /// True if the part could not be checked: a codec of it is neither built in nor found, or it takes too much memory.
    pub is_unchecked: bool,
}

/// A part that cannot be read.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) var: VarId,
    /// The variable, and the place in it.
    pub(super) order: (usize, u64),
    pub(super) part: Lost,
    pub(super) fault: Fault,
}

/// What is wrong with a part of a variable, at a `place` in it by which faults are ordered.
pub(super) fn failure(reader: &dyn Reader, var: VarId, place: u64, part: Lost, fault: Fault) -> Failure {
    Failure {
        var,
        order: (var.0, place),
        part,
        fault: fault.in_variable(&reader.schema().var_path(var)),
    }
}

/// The fault with the coordinates and the byte of its chunk.
pub(super) fn in_chunk(reader: &dyn Reader, var: VarId, chunk: u64, fault: Fault) -> Fault {
    let layout = reader.layout(var);
    let fault = match reader.chunk_place(var, chunk) {
        Some(ChunkPlace::Byte(byte)) => fault.at_byte(Some(byte)),
        _ => fault,
    };
    match ChunkGrid::new(&layout.extent, layout.chunk_shape()) {
        Ok(grid) => fault.in_chunk(&grid.coordinates(chunk)),
        Err(_) => fault,
    }
}

/// Joins neighbouring lost bytes of one variable. The first fault tells the cause of all.
pub(super) fn join_bytes(failures: &mut Vec<Failure>) {
    failures.dedup_by(|next, before| match (&next.part, &mut before.part) {
        (Lost::Bytes(next_range), Lost::Bytes(range))
            if next.var == before.var && range.end == next_range.start =>
        {
            range.end = next_range.end;
            true
        }
        _ => false,
    });
    for failure in failures {
        if let Lost::Bytes(range) = &failure.part {
            let cause = std::mem::take(&mut failure.fault.cause);
            failure.fault.cause = format!(
                "bytes {} to {} of its values cannot be read: {cause}",
                range.start,
                range.end.saturating_sub(1)
            );
        }
    }
}
