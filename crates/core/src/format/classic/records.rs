//! Writing interleaved records.
//!
//! Variables are written one after another, and their records are not adjacent. One write for each record of
//! each variable is slow if records are small. So there are three ways:
//!
//! ```text
//! all records small together ─► collected in memory, written once at the end
//! each record small          ─► a block of records at a time is read back, completed and written again
//! large records              ─► each slab is written where it belongs
//! ```
//!
//! Records that arrive whole, with the slabs of all variables, are written as they are, many at once.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::assembly::{Assembly, runs};
use super::header::variable_position::{Geometry, VariablePosition};
use super::slabs::Slabs;
use crate::chunk::fill_pattern;
use crate::format::RecordBlock;
use crate::store::Output;

/// Upper limit, in bytes, of all records together if they are collected in memory.
const MAX_COLLECTED: u64 = 16 << 20;

/// Longest record, in bytes, that is read back. Above this, its own write costs less than copying twice as
/// many bytes.
const MAX_READ_BACK: u64 = 1 << 10;

/// Bytes of a block of records. It fits into a processor's cache.
const BLOCK: u64 = 256 << 10;

/// Most threads that work on blocks at once.
const LOCKS: usize = 16;

/// Longest slab, in bytes, that is written together with its padding.
const MAX_JOINED: usize = 1 << 20;

/// How the records of a file are written.
#[derive(Debug)]
pub(super) enum Records {
    /// Each slab is written alone.
    Direct,
    /// All records are kept in memory. The first one starts at offset `first` of the file.
    Collected { first: u64, bytes: Mutex<Vec<u8>> },
    /// Blocks of `records` records. A lock protects a block, and holds a buffer for it.
    Blocks {
        records: u64,
        locks: Vec<Mutex<Vec<u8>>>,
    },
}

impl Records {
    /// Chooses the way to write. The output already has its final size. `vars` are all variables.
    pub fn choose<'a>(
        output: &dyn Output,
        geometry: &Geometry,
        vars: impl Iterator<Item = Slabs<'a>> + Clone,
    ) -> Self {
        let record_vars = vars.filter(|v| v.place.record);
        let size = geometry.records.checked_mul(geometry.record_size);
        let (Some(first), Some(size)) = (record_vars.clone().map(|v| v.place.begin).min(), size) else {
            return Self::Direct;
        };
        if geometry.record_variables < 2 {
            return Self::Direct;
        }
        if size > MAX_COLLECTED {
            // An output that cannot be read back fails here.
            let can_read_back = output.read_back_at(first, &mut [0]).is_ok();
            return if geometry.record_size <= MAX_READ_BACK && can_read_back {
                Self::Blocks {
                    records: BLOCK / geometry.record_size,
                    locks: (0..LOCKS).map(|_| Mutex::default()).collect(),
                }
            } else {
                Self::Direct
            };
        }
        let mut bytes = vec![0; size as usize];
        for var in record_vars {
            let from = (var.place.begin - first) as usize;
            let length = (var.place.slab + geometry.padding(var.place)) as usize;
            for record in bytes.chunks_exact_mut(geometry.record_size as usize) {
                fill_pattern(&mut record[from..from + length], var.fill);
            }
        }
        Self::Collected {
            first,
            bytes: Mutex::new(bytes),
        }
    }

    /// True if records hold fill values from the start.
    pub fn are_filled(&self) -> bool {
        matches!(self, Self::Collected { .. })
    }

    /// Writes `data`, elements as stored, from byte `offset` of a variable's data on. Adds the padding of
    /// each slab that ends there.
    pub fn put(
        &self,
        output: &dyn Output,
        geometry: &Geometry,
        var: Slabs<'_>,
        offset: u64,
        data: &[u8],
    ) -> io::Result<()> {
        match self {
            Self::Collected { first, bytes } if var.place.record => {
                let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                pieces(geometry, var.place, offset, data, |at, piece, _| {
                    let at = (at - first) as usize;
                    bytes[at..at + piece.len()].copy_from_slice(piece);
                    Ok(())
                })
            }
            Self::Blocks { records, locks } if var.place.record => {
                put_blocks(*records, locks, output, geometry, var, offset, data)
            }
            _ => put_direct(output, geometry, var, offset, data),
        }
    }

    /// Writes consecutive records of several variables and their padding. `vars` has one entry for each of
    /// the block's slabs.
    pub fn put_block(
        &self,
        output: &dyn Output,
        geometry: &Geometry,
        vars: &[Slabs<'_>],
        block: &RecordBlock<'_>,
    ) -> io::Result<()> {
        for run in runs(geometry, vars, block.slabs) {
            let (vars, slabs) = (&vars[run.clone()], &block.slabs[run]);
            let Some(first) = vars.first() else { continue };
            let assembly = Assembly::new(geometry, vars, slabs);
            let whole = assembly.length as u64 == geometry.record_size;
            let records = block.data.chunks_exact(block.stride.max(1));
            let begin = first.place.begin + block.first * geometry.record_size;
            match self {
                Self::Collected { first, bytes } => {
                    let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                    let from = (begin - first) as usize;
                    let to = bytes[from..].chunks_mut(geometry.record_size as usize);
                    for (record, to) in records.zip(to) {
                        assembly.make(record, to);
                    }
                }
                _ if whole && assembly.is_copy(block.stride) => output.write_all_at(begin, block.data)?,
                _ if whole => {
                    let mut at = begin;
                    let mut made = Vec::new();
                    for some in block
                        .data
                        .chunks((MAX_JOINED / block.stride).max(1) * block.stride)
                    {
                        made.resize(some.len() / block.stride * assembly.length, 0);
                        let to = made.chunks_exact_mut(assembly.length);
                        for (record, to) in some.chunks_exact(block.stride).zip(to) {
                            assembly.make(record, to);
                        }
                        output.write_all_at(at, &made)?;
                        at += made.len() as u64;
                    }
                }
                Self::Direct => {
                    let mut made = vec![0; assembly.length];
                    for (n, record) in records.enumerate() {
                        assembly.make(record, &mut made);
                        output.write_all_at(begin + n as u64 * geometry.record_size, &made)?;
                    }
                }
                // Other threads may write to the same records under the locks of blocks, so each slab is
                // written under them too.
                Self::Blocks { .. } => {
                    for (var, slab) in vars.iter().zip(slabs) {
                        let from = slab.offset as usize;
                        let length = slab.length as usize;
                        let mut data = Vec::with_capacity(length * block.count() as usize);
                        for record in records.clone() {
                            data.extend_from_slice(&record[from..from + length]);
                        }
                        self.put(output, geometry, *var, block.first * slab.length, &data)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the records that are still in memory.
    pub fn finish(&self, output: &dyn Output) -> io::Result<()> {
        match self {
            Self::Collected { first, bytes } => {
                let bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                output.write_all_at(*first, &bytes)
            }
            _ => Ok(()),
        }
    }
}

/// The padding after each slab. Empty if there is none, or if it is zeros, which the file already has.
fn padding(geometry: &Geometry, var: Slabs<'_>) -> Vec<u8> {
    if var.fill.iter().all(|b| *b == 0) {
        return Vec::new();
    }
    let mut padding = vec![0; geometry.padding(var.place) as usize];
    fill_pattern(&mut padding, var.fill);
    padding
}

fn put_direct(
    output: &dyn Output,
    geometry: &Geometry,
    var: Slabs<'_>,
    offset: u64,
    data: &[u8],
) -> io::Result<()> {
    let padding = padding(geometry, var);
    let mut joined = Vec::new();
    pieces(geometry, var.place, offset, data, |at, piece, ends_slab| {
        if !ends_slab || padding.is_empty() {
            output.write_all_at(at, piece)
        } else if piece.len() > MAX_JOINED {
            output.write_all_at(at, piece)?;
            output.write_all_at(at + piece.len() as u64, &padding)
        } else {
            joined.clear();
            joined.extend_from_slice(piece);
            joined.extend_from_slice(&padding);
            output.write_all_at(at, &joined)
        }
    })
}

fn put_blocks(
    records: u64,
    locks: &[Mutex<Vec<u8>>],
    output: &dyn Output,
    geometry: &Geometry,
    var: Slabs<'_>,
    mut offset: u64,
    mut data: &[u8],
) -> io::Result<()> {
    let padding = padding(geometry, var);
    let block_size = records * var.place.slab;
    while !data.is_empty() {
        let block = offset / block_size;
        let left = (block + 1) * block_size - offset;
        let (now, rest) = data.split_at(usize::try_from(left).map_or(data.len(), |n| n.min(data.len())));
        let first = geometry.piece(var.place, offset, now.len() as u64);
        let last = geometry.piece(var.place, offset + now.len() as u64 - 1, 1);
        let mut end = last.at + 1;
        if last.ends_slab {
            end += padding.len() as u64;
        }
        let lock = &locks[(block % locks.len() as u64) as usize];
        let mut span = lock.lock().unwrap_or_else(PoisonError::into_inner);
        span.resize((end - first.at) as usize, 0);
        output.read_back_at(first.at, &mut span)?;
        pieces(geometry, var.place, offset, now, |at, piece, ends_slab| {
            let from = (at - first.at) as usize;
            let to = from + piece.len();
            span[from..to].copy_from_slice(piece);
            if ends_slab {
                span[to..to + padding.len()].copy_from_slice(&padding);
            }
            Ok(())
        })?;
        output.write_all_at(first.at, &span)?;
        (offset, data) = (offset + now.len() as u64, rest);
    }
    Ok(())
}

/// Calls `put` with each part of `data` that is contiguous in the file: its position, its bytes, and true if
/// a slab ends there.
fn pieces(
    geometry: &Geometry,
    place: &VariablePosition,
    mut offset: u64,
    mut data: &[u8],
    mut put: impl FnMut(u64, &[u8], bool) -> io::Result<()>,
) -> io::Result<()> {
    while !data.is_empty() {
        let piece = geometry.piece(place, offset, data.len() as u64);
        let (now, rest) = data.split_at(piece.length as usize);
        put(piece.at, now, piece.ends_slab)?;
        (offset, data) = (offset + piece.length, rest);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::RecordSlab;
    use crate::model::VarId;
    use crate::store::MemoryOutput;

    const FIRST: u64 = 10;

    /// Three variables with 6, 2 and 8 bytes in a record; the first two are padded.
    fn places() -> [VariablePosition; 3] {
        [(0, 6), (8, 2), (12, 8)].map(|(at, slab)| VariablePosition {
            begin: FIRST + at,
            slab,
            record: true,
        })
    }

    fn write(records: u64, how: impl Fn(&MemoryOutput, &Geometry) -> Records) -> Vec<u8> {
        let geometry = Geometry {
            records,
            record_size: 20,
            record_variables: 3,
        };
        let output = MemoryOutput::new();
        output.set_size(FIRST + 20 * records).unwrap();
        let how = how(&output, &geometry);
        let places = places();
        std::thread::scope(|threads| {
            for (i, place) in places.iter().enumerate() {
                let (how, output, geometry) = (&how, &output, &geometry);
                threads.spawn(move || {
                    let fill = [i as u8 + 1, 0x77];
                    let data: Vec<u8> = (0..place.slab * records)
                        .map(|b| (b * 3 + i as u64) as u8)
                        .collect();
                    let mut at = 0;
                    for length in [1, 4, 17, 1000, 5, 100, 1 << 20, usize::MAX] {
                        let end = data.len().min(usize::saturating_add(at, length));
                        let var = Slabs { place, fill: &fill };
                        how.put(output, geometry, var, at as u64, &data[at..end]).unwrap();
                        at = end;
                    }
                });
            }
        });
        how.finish(&output).unwrap();
        output.bytes()
    }

    /// The same with blocks of records; each thread writes one group of variables.
    fn write_blocks(
        records: u64,
        groups: &[&[usize]],
        at_once: u64,
        how: impl Fn(&MemoryOutput, &Geometry) -> Records,
    ) -> Vec<u8> {
        let geometry = Geometry {
            records,
            record_size: 20,
            record_variables: 3,
        };
        let output = MemoryOutput::new();
        output.set_size(FIRST + 20 * records).unwrap();
        let how = how(&output, &geometry);
        let places = places();
        let fill = [[1, 0x77], [2, 0x77], [3, 0x77]];
        std::thread::scope(|threads| {
            for group in groups {
                let (how, output, geometry, places, fill) = (&how, &output, &geometry, &places, &fill);
                threads.spawn(move || {
                    let vars: Vec<_> = group
                        .iter()
                        .map(|n| Slabs {
                            place: &places[*n],
                            fill: &fill[*n],
                        })
                        .collect();
                    let slabs: Vec<_> = group
                        .iter()
                        .map(|n| RecordSlab {
                            var: VarId(*n),
                            offset: places[*n].begin - FIRST,
                            length: places[*n].slab,
                        })
                        .collect();
                    let mut data = vec![0xEE; 20 * records as usize];
                    for (r, record) in data.chunks_mut(20).enumerate() {
                        for (slab, n) in slabs.iter().zip(*group) {
                            for b in 0..slab.length {
                                let value = (r as u64 * slab.length + b) * 3 + *n as u64;
                                record[(slab.offset + b) as usize] = value as u8;
                            }
                        }
                    }
                    let mut first = 0;
                    for some in data.chunks(20 * at_once as usize) {
                        let block = RecordBlock {
                            first,
                            stride: 20,
                            slabs: &slabs,
                            data: some,
                        };
                        how.put_block(output, geometry, &vars, &block).unwrap();
                        first += block.count();
                    }
                });
            }
        });
        how.finish(&output).unwrap();
        output.bytes()
    }

    #[test]
    fn whole_records_give_the_same_file() {
        let groups: [&[&[usize]]; 4] = [
            &[&[0, 1, 2]],
            &[&[0, 1], &[2]],
            &[&[0, 2], &[1]],
            &[&[1], &[0], &[2]],
        ];
        for records in [0, 1, 7, 500] {
            let expected = write(records, |_, _| Records::Direct);
            for groups in groups {
                for at_once in [1, 3, 1000] {
                    let direct = write_blocks(records, groups, at_once, |_, _| Records::Direct);
                    assert_eq!(direct, expected);
                    let blocks = write_blocks(records, groups, at_once, |_, _| Records::Blocks {
                        records: 7,
                        locks: (0..2).map(|_| Mutex::default()).collect(),
                    });
                    assert_eq!(blocks, expected);
                    let collected = write_blocks(records, groups, at_once, choose);
                    assert_eq!(collected, expected);
                }
            }
        }
    }

    /// The way that [`Records::choose`] picks for this geometry.
    fn choose(output: &MemoryOutput, geometry: &Geometry) -> Records {
        let places = places();
        let fill = [[1, 0x77], [2, 0x77], [3, 0x77]];
        let vars = places
            .iter()
            .zip(&fill)
            .map(|(place, fill)| Slabs { place, fill });
        Records::choose(output, geometry, vars)
    }

    #[test]
    fn all_ways_give_the_same_file() {
        let blocks = |records| {
            move |_: &MemoryOutput, _: &Geometry| Records::Blocks {
                records,
                locks: (0..2).map(|_| Mutex::default()).collect(),
            }
        };
        for records in [0, 1, 7, 500] {
            let direct = write(records, |_, _| Records::Direct);
            for size in [1, 3, 7, 13107] {
                assert_eq!(write(records, blocks(size)), direct);
            }
            assert_eq!(write(records, choose), direct);
        }
        let chosen = |records| {
            let output = MemoryOutput::new();
            output.set_size(100).unwrap();
            let geometry = Geometry {
                records,
                record_size: 20,
                record_variables: 3,
            };
            choose(&output, &geometry)
        };
        assert!(chosen(1000).are_filled());
        assert!(matches!(chosen(1 << 20), Records::Blocks { records: 13107, .. }));
    }
}
