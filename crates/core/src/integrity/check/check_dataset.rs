//! Reads all of a dataset through its filters, and tells what is wrong with it.
//!
//! ```text
//! Reader ─┬─► check_structure ──────────────────────────────┐
//!         └─► pieces ─► all cores: read, decode ─► failures ┴─► in order: faults, losses
//! ```

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::failure::{Failure, Loss, Lost, failure, in_chunk, join_bytes};
use super::pieces::{CheckPiece, PieceData, RANGE, pieces};
use super::virtual_sources;
use crate::chunk::{ChunkGrid, Region, resize};
use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::filter::Scratch;
use crate::format::read_region::chunk_shape;
use crate::format::{CheckLimits, Fault, Reader};
use crate::integrity::fetch::Fetching;
use crate::integrity::options::CheckOptions;
use crate::integrity::work::on_all_pieces;
use crate::model::{Storage, VarId};
use crate::threads;

/// Number of elements that are tried behind one that cannot be read before their distance is doubled.
const TRIES: u32 = 64;

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// What is wrong: in structures first, then in the order of variables and of their data, one for each of the `losses`.
    pub faults: Vec<Fault>,
    /// The parts of variables that cannot be read, in the same order.
    pub losses: Vec<Loss>,
    /// Number of variables.
    pub variables: u64,
    /// Number of chunks that were decoded.
    pub chunks: u64,
    /// Bytes that were read, as stored.
    pub bytes: u64,
    /// What no checksum covers: clauses such as "the header".
    pub uncovered: Vec<String>,
    /// What is unusual and no fault: sentences without a full stop.
    pub notes: Vec<String>,
    /// Bytes of the file that nothing refers to; `None` if that is not known, or not asked of the format.
    pub unreferenced: Option<u64>,
    /// Sources of virtual variables that are missing, which is no fault: a line for each variable.
    pub missing: Vec<String>,
}

/// Checks a dataset: its own structures by [`StructureCheck`](crate::format::StructureCheck), and all of its data, each chunk through its filters.
/// It goes on after a fault.
///
/// # Errors
/// If the format's own check cannot be made at all.
pub fn check(reader: &dyn Reader, registry: &Registry, options: &CheckOptions) -> Result<Checked> {
    let all = (0..reader.schema().vars.len()).map(VarId).collect();
    check_variables(reader, all, registry, options)
}

/// Like [`check`], for the data of some variables. Faults of others are left out; those of no single variable are not.
///
/// # Errors
/// Those of [`check`].
pub fn check_variables(
    reader: &dyn Reader,
    vars: Vec<VarId>,
    registry: &Registry,
    options: &CheckOptions,
) -> Result<Checked> {
    let schema = reader.schema();
    let mut checked = Checked {
        variables: vars.len() as u64,
        ..Checked::default()
    };
    let asked: HashSet<VarId> = vars.iter().copied().collect();
    // A fault may name a variable that could not be read at all.
    let others: HashSet<String> = (0..schema.vars.len())
        .map(VarId)
        .filter(|var| !asked.contains(var))
        .map(|var| schema.var_path(var))
        .collect();
    let is_meant = |fault: &Fault| fault.variable.as_ref().is_none_or(|path| !others.contains(path));
    let own = reader.check_structure(limits(options), &mut |fault| {
        if is_meant(&fault) {
            checked.faults.push(fault);
        }
    })?;
    checked.uncovered = own.uncovered;
    checked.notes = own.notes;
    checked.unreferenced = own.unreferenced;
    // What was left out when the dataset was opened could not be checked.
    checked.notes.extend_from_slice(&schema.warnings);
    if let Some(read) = own.values {
        (checked.chunks, checked.bytes) = (read.chunks, read.bytes);
        return Ok(checked);
    }
    let found = SharedSums::default();
    read_all(reader, vars.clone(), options, &found);
    let mut found = found.into_inner();
    found.failures.sort_by_key(|failure| failure.order);
    join_bytes(&mut found.failures);
    virtual_sources::join(reader, &mut found.failures);
    checked.missing = reader.data_warnings();
    checked.chunks = found.chunks;
    checked.bytes = found.bytes;
    for failure in found.failures {
        checked.losses.push(Loss {
            var: failure.var,
            part: failure.part,
            only_checksum: failure.fault.only_checksum,
            is_unchecked: failure.fault.is_unchecked,
        });
        checked.faults.push(failure.fault);
    }
    if !own.covers_values {
        checked.uncovered.extend(uncovered(reader, vars, registry));
    }
    Ok(checked)
}

/// What a check of structures may take.
pub fn limits(options: &CheckOptions) -> CheckLimits {
    CheckLimits {
        threads: options.threads.unwrap_or_else(threads::count),
        memory: options.memory,
    }
}

#[derive(Default)]
struct Sums {
    failures: Vec<Failure>,
    chunks: u64,
    bytes: u64,
}

#[derive(Default)]
struct SharedSums(Mutex<Sums>);

impl SharedSums {
    fn add(&self, failures: Vec<Failure>, chunks: u64, bytes: u64) {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sums.failures.extend(failures);
        sums.chunks += chunks;
        sums.bytes += bytes;
    }

    fn into_inner(self) -> Sums {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_all(reader: &dyn Reader, vars: Vec<VarId>, options: &CheckOptions, found: &SharedSums) {
    let list = |var| {
        pieces(reader, var).unwrap_or_else(|error| {
            found.add(vec![failure(reader, var, 0, Lost::All, Fault::of(&error))], 0, 0);
            Box::new(std::iter::empty())
        })
    };
    let read = |worker: &mut Worker, _, piece: CheckPiece| {
        worker.read(reader, &piece, found);
        ControlFlow::Continue(())
    };
    on_all_pieces(
        options,
        &[reader.requests()],
        vars,
        list,
        |piece| piece.memory,
        read,
    );
}

#[derive(Default)]
struct Worker {
    scratch: Scratch,
    encoded: Vec<u8>,
    decoded: Vec<u8>,
}

impl Worker {
    fn read(&mut self, reader: &dyn Reader, piece: &CheckPiece, found: &SharedSums) {
        let var = piece.var;
        match &piece.data {
            PieceData::Chunks(chunks) => self.chunks(reader, var, chunks, found),
            PieceData::Bytes(range, is_lost) => {
                let lost = self.lost_bytes(reader, var, range.clone());
                if lost.iter().any(|(lost, _)| lost == range) {
                    is_lost.store(true, Ordering::Relaxed);
                }
                let failures = lost
                    .into_iter()
                    .map(|(lost, fault)| failure(reader, var, lost.start, Lost::Bytes(lost), fault));
                found.add(failures.collect(), 0, range.end - range.start);
            }
            PieceData::Region(region, None) if reader.is_virtual(var) => {
                let (lost, bytes) = virtual_sources::lost(reader, var, region);
                found.add(lost, 0, bytes);
            }
            PieceData::Region(region, chunk) => {
                let read = reader.read_region(var, region);
                let bytes = read.as_ref().map_or(0, |values| values.bytes.len() as u64);
                let failed = read.err().map(|error| {
                    let (fault, part) = (Fault::of(&error), Lost::Region(region.clone()));
                    match chunk {
                        Some(chunk) => {
                            let fault = in_chunk(reader, var, *chunk, fault);
                            failure(reader, var, *chunk, Lost::Chunk(*chunk), fault)
                        }
                        None => {
                            let place = region.place_in(&Region::whole(&reader.layout(var).extent));
                            failure(reader, var, place, part, fault)
                        }
                    }
                });
                found.add(failed.into_iter().collect(), chunk.iter().len() as u64, bytes);
            }
        }
    }

    fn chunks(&mut self, reader: &dyn Reader, var: VarId, chunks: &[u64], found: &SharedSums) {
        let mut failures = Vec::new();
        let mut bytes = 0;
        let mut fetched = Fetching::begin((reader, var), chunks).wait();
        for chunk in chunks {
            let read = fetched.next_into((reader, var), *chunk, &mut self.encoded);
            let done = read.and_then(|mask| {
                let mask = mask.ok_or_else(|| Error::Damaged("a stored chunk cannot be found".into()))?;
                bytes += self.encoded.len() as u64;
                self.decode(reader, var, *chunk, mask, true)
                    .map_err(|error| (mask, error))
                    .or_else(|(mask, error)| {
                        let error = reader.in_chunk_key(var, *chunk, error);
                        let only_checksum = self.decode(reader, var, *chunk, mask, false).is_ok();
                        let mut fault = in_chunk(reader, var, *chunk, Fault::of(&error));
                        fault.only_checksum = only_checksum;
                        fault.is_unchecked = error.leaves_unchecked();
                        failures.push(failure(reader, var, *chunk, Lost::Chunk(*chunk), fault));
                        Ok(())
                    })
            });
            if let Err(error) = done {
                if let Some(lost) = virtual_sources::lost_of_chunk(reader, var, *chunk) {
                    failures.extend(lost);
                    continue;
                }
                let fault = in_chunk(reader, var, *chunk, Fault::of(&error));
                failures.push(failure(reader, var, *chunk, Lost::Chunk(*chunk), fault));
            }
        }
        found.add(failures, chunks.len() as u64, bytes);
    }

    /// Decodes the chunk in `self.encoded`, and compares its checksums or not.
    fn decode(&mut self, reader: &dyn Reader, var: VarId, chunk: u64, mask: u32, verify: bool) -> Result<()> {
        let layout = reader.layout(var);
        let grid = ChunkGrid::new(&layout.extent, layout.chunk_shape())?;
        let own = grid.region(chunk);
        let shape = chunk_shape(layout, &own.count);
        let pipeline = reader.pipeline(var)?;
        if pipeline.is_empty() {
            return pipeline_size(layout, &own, self.encoded.len());
        }
        let (scratch, out) = (&mut self.scratch, &mut self.decoded);
        match verify {
            true => match pipeline.decode_into(&self.encoded, mask, shape, scratch, out) {
                // A copy tests what it can.
                Err(unknown @ Error::UnknownFilter { .. }) => {
                    let tested = pipeline.test(&self.encoded, mask, shape, scratch, out);
                    tested.and(Err(unknown))
                }
                decoded => decoded,
            },
            false => pipeline.decode_unverified(&self.encoded, mask, shape, scratch, out),
        }
    }

    /// The parts of a range that cannot be read, and why.
    fn lost_bytes(&mut self, reader: &dyn Reader, var: VarId, range: Range<u64>) -> Vec<(Range<u64>, Fault)> {
        let unit = reader.layout(var).element_size.max(1) as u64;
        let step = (RANGE - RANGE % unit).max(unit);
        let mut lost = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let end = at.saturating_add(step).min(range.end);
            let Err(error) = self.range(reader, var, at..end) else {
                at = end;
                continue;
            };
            // From `at` on, `good` elements can be read, and not `bad`.
            let (mut good, mut bad) = (0, (end - at).div_ceil(unit));
            while bad - good > 1 {
                let middle = good + (bad - good) / 2;
                match self.range(reader, var, at..at + middle * unit) {
                    Ok(()) => good = middle,
                    Err(_) => bad = middle,
                }
            }
            let from = at + good * unit;
            // Nothing comes after the end of a file, and each try of a store that fails may take long.
            let goes_on = !error.is_truncated() && !error.is_failure();
            at = match goes_on {
                true => self.next_readable(reader, var, unit, from..range.end),
                false => range.end,
            };
            lost.push((from..at, Fault::of(&error)));
        }
        lost
    }

    /// Where elements of `unit` bytes can be read again in a range whose first one cannot be; its end if nowhere. A readable
    /// part may be missed if it is much shorter than what is lost before it.
    fn next_readable(&mut self, reader: &dyn Reader, var: VarId, unit: u64, range: Range<u64>) -> u64 {
        let mut step = unit;
        let (mut bad, mut tries) = (range.start, 0);
        loop {
            let Some(at) = bad.checked_add(step).filter(|at| *at < range.end) else {
                return range.end;
            };
            let end = at.saturating_add(unit).min(range.end);
            if self.range(reader, var, at..end).is_ok() {
                let (mut bad, mut good) = (bad / unit, at / unit);
                while good - bad > 1 {
                    let middle = bad + (good - bad) / 2;
                    match self.range(reader, var, middle * unit..end) {
                        Ok(()) => good = middle,
                        Err(_) => bad = middle,
                    }
                }
                return good * unit;
            }
            (bad, tries) = (at, tries + 1);
            if tries % TRIES == 0 {
                step = step.saturating_mul(2);
            }
        }
    }

    fn range(&mut self, reader: &dyn Reader, var: VarId, range: Range<u64>) -> Result<()> {
        let length = usize::try_from(range.end - range.start)
            .map_err(|_| Error::Unsupported("a range larger than memory".into()))?;
        resize(&mut self.decoded, length)?;
        reader.read_range(var, range.start, &mut self.decoded)
    }
}

/// Checks the size of a chunk without filters.
fn pipeline_size(layout: &crate::model::VariableLayout, own: &Region, length: usize) -> Result<()> {
    let size = crate::format::read_region::chunk_size(layout, layout.stored_shape(&own.count))?;
    crate::filter::pipeline::check_size(length, size)
}

/// What no checksum covers of the data.
fn uncovered(reader: &dyn Reader, vars: Vec<VarId>, registry: &Registry) -> Option<String> {
    let (schema, count) = (reader.schema(), vars.len());
    let verifies = |var: VarId| {
        let layout = reader.layout(var);
        let codecs = layout.filters.iter().chain(reader.element_codec(var));
        matches!(layout.storage, Storage::Chunked { .. })
            && codecs
                .into_iter()
                .any(|spec| registry.find(spec).is_some_and(|codec| codec.facts().verifies()))
    };
    let without: Vec<VarId> = vars.into_iter().filter(|var| !verifies(*var)).collect();
    let all = without.len() == count;
    const NAMED: usize = 8;
    let names: Vec<String> = without
        .iter()
        .take(NAMED)
        .map(|var| schema.var_path(*var))
        .collect();
    match without.len() {
        0 => None,
        _ if all => Some("the values of all variables".to_owned()),
        1 => Some(format!("the values of {}", names[0])),
        n if n > NAMED => Some(format!(
            "the values of {} and {} other variables",
            names.join(", "),
            n - NAMED
        )),
        _ => Some(format!("the values of {}", names.join(", "))),
    }
}
