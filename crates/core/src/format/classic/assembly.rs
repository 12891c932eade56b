//! Assembles records of a file from slabs in memory.
//!
//! Slabs with the same distances in memory and in the file are moved as one piece, including the padding
//! between them. The padding is then overwritten.

use std::ops::Range;

use super::header::variable_position::Geometry;
use super::slabs::Slabs;
use crate::chunk::fill_pattern;
use crate::format::RecordSlab;

/// The recipe for one part of a record: from the start of its first slab to the end of the padding of its
/// last.
#[derive(Debug)]
pub(super) struct Assembly {
    /// Bytes of the part.
    pub length: usize,
    moves: Vec<Move>,
    paddings: Vec<Padding>,
}

/// A run of bytes that is contiguous in memory and in the file.
#[derive(Debug, PartialEq, Eq)]
struct Move {
    from: usize,
    to: usize,
    length: usize,
}

#[derive(Debug)]
struct Padding {
    at: usize,
    length: usize,
    bytes: [u8; 3],
}

impl Assembly {
    /// The recipe for the part with these slabs and their padding; see [`runs`]. `slabs` gives their
    /// positions in memory.
    pub fn new(geometry: &Geometry, vars: &[Slabs<'_>], slabs: &[RecordSlab]) -> Self {
        let mut assembly = Self {
            length: 0,
            moves: Vec::new(),
            paddings: Vec::new(),
        };
        for (var, slab) in vars.iter().zip(slabs) {
            let (from, length) = (slab.offset as usize, slab.length as usize);
            let to = assembly.length;
            match assembly.moves.last_mut() {
                Some(last) if from.checked_sub(last.from) == Some(to - last.to) => {
                    last.length = to - last.to + length;
                }
                _ => assembly.moves.push(Move { from, to, length }),
            }
            let padding = geometry.padding(var.place) as usize;
            if padding > 0 {
                let mut bytes = [0; 3];
                fill_pattern(&mut bytes[..padding], var.fill);
                assembly.paddings.push(Padding {
                    at: to + length,
                    length: padding,
                    bytes,
                });
            }
            assembly.length += length + padding;
        }
        assembly
    }

    /// True if records of `stride` bytes in memory already equal the bytes to be written.
    pub fn is_copy(&self, stride: usize) -> bool {
        let all = Move {
            from: 0,
            to: 0,
            length: stride,
        };
        self.paddings.is_empty() && self.length == stride && self.moves == [all]
    }

    /// Writes the part of one record to the start of `to`.
    pub fn make(&self, record: &[u8], to: &mut [u8]) {
        for step in &self.moves {
            to[step.to..step.to + step.length].copy_from_slice(&record[step.from..step.from + step.length]);
        }
        for padding in &self.paddings {
            to[padding.at..padding.at + padding.length].copy_from_slice(&padding.bytes[..padding.length]);
        }
    }
}

/// Groups variables into runs that are adjacent in the file, with only their own padding between them.
pub(super) fn runs(geometry: &Geometry, vars: &[Slabs<'_>], slabs: &[RecordSlab]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut end = None;
    for (n, var) in vars.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if end == Some(var.place.begin) => run.end = n + 1,
            _ => runs.push(n..n + 1),
        }
        end = slabs
            .get(n)
            .map(|slab| var.place.begin + slab.length + geometry.padding(var.place));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::header::variable_position::VariablePosition;
    use super::*;
    use crate::model::VarId;

    #[test]
    fn slabs_that_lie_the_same_way_move_together() {
        let geometry = Geometry {
            records: 9,
            record_size: 28,
            record_variables: 4,
        };
        let places = [(100, 8), (108, 2), (112, 4), (120, 8)].map(|(begin, slab)| VariablePosition {
            begin,
            slab,
            record: true,
        });
        let vars: Vec<_> = places
            .iter()
            .map(|place| Slabs { place, fill: &[1, 2] })
            .collect();
        let slabs = |offsets: [u64; 4]| -> Vec<RecordSlab> {
            let lengths = [8, 2, 4, 8].into_iter().enumerate();
            lengths
                .zip(offsets)
                .map(|((n, length), offset)| RecordSlab {
                    var: VarId(n),
                    offset,
                    length,
                })
                .collect()
        };
        let same = slabs([0, 8, 12, 16]);
        // Another variable lies before the last one in the file.
        let runs = runs(&geometry, &vars, &same);
        assert_eq!(runs, [0..3, 3..4]);
        let part = Assembly::new(&geometry, &vars[..3], &same[..3]);
        assert_eq!((part.length, part.moves.len()), (16, 1));
        assert!(!part.is_copy(16));
        let record: Vec<u8> = (10..34).collect();
        let mut made = [0xEE; 17];
        part.make(&record, &mut made);
        assert_eq!(
            made,
            [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 1, 2, 22, 23, 24, 25, 0xEE]
        );
        let other = slabs([0, 9, 12, 16]);
        let part = Assembly::new(&geometry, &vars[..3], &other[..3]);
        assert_eq!((part.length, part.moves.len()), (16, 3));
        let last = Assembly::new(&geometry, &vars[3..], &slabs([0, 0, 0, 0])[3..]);
        assert!(last.is_copy(8) && !last.is_copy(12));
    }
}
