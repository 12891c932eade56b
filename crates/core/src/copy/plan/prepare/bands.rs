//! Finds the bands of a copy: record variables whose slabs lie close together in the input.

use crate::chunk::byte_count;
use crate::copy::geometry::ChunksToWrite;
use crate::copy::task::{Band, Member, Route, Variable};
use crate::format::{Reader, RecordSlab, VariablePlan};
use crate::model::{Encoding, Storage, VariableLayout};

/// Upper limit, in bytes, of a band's shortest run, which has as many records as the longest chunk of its
/// members.
const LEAST_RUN: u64 = 8 << 20;

/// Runs of short chunks are extended to about this many bytes.
const RUN: u64 = 4 << 20;

/// Largest slab of a member, in bytes. Larger ones are read as fast one variable at a time.
const MAX_SLAB: u64 = 64 << 10;

/// The same, where each request takes long and the output has no chunks. Members of a band take one request together.
const MAX_SLOW_SLAB: u64 = 8 << 20;

/// Largest gap, in bytes, between slabs of neighbours in a band. The bytes of a gap are read and dropped.
const MAX_GAP: u64 = 4 << 10;

/// Most chunks of one variable in a run. A job takes at least one variable's chunks of a run.
const MAX_CHUNKS: u64 = 1024;

/// Number of bands, from the latest backward, that a variable may still join.
const OPEN: usize = 8;

impl Band {
    fn new(records: u64, record_size: u64, member: Member) -> Self {
        Self {
            records: 0..records,
            record_size,
            run: member.chunk,
            first_sequence: 0,
            members: vec![member],
        }
    }

    /// Adds a member if it fits; returns false if not.
    fn join(&mut self, member: Member) -> bool {
        let (Some(first), Some(last)) = (self.members.first(), self.members.last()) else {
            return false;
        };
        let run = self.run.max(member.chunk);
        let near = member
            .slab
            .offset
            .checked_sub(last.end())
            .is_some_and(|gap| gap <= MAX_GAP);
        let fits = near
            && run.is_multiple_of(self.run)
            && run.is_multiple_of(member.chunk)
            && run.saturating_mul(member.end() - first.slab.offset) <= LEAST_RUN
            && member.chunks(run) <= MAX_CHUNKS
            && self.members.iter().all(|m| m.chunks(run) <= MAX_CHUNKS);
        if fits {
            self.run = run;
            self.members.push(member);
        }
        fits
    }

    /// Makes runs longer than the shortest, as far as [`RUN`] and [`MAX_CHUNKS`] allow.
    fn settle(&mut self) {
        let bytes = self.bytes();
        let most = |m: &Member| MAX_CHUNKS / m.across.max(1) * m.chunk;
        let most = self.members.iter().map(most).min().unwrap_or(0);
        let records = (RUN / bytes.max(1)).min(most).min(self.records.end);
        self.run = self.run.max(records / self.run * self.run);
    }

    /// Bytes from the first slab of a record to the end of the last.
    fn bytes(&self) -> u64 {
        match (self.members.first(), self.members.last()) {
            (Some(first), Some(last)) => last.end() - first.slab.offset,
            _ => 0,
        }
    }
}

/// Finds bands among a copy's variables, and stores each in the route of its first variable.
pub(super) fn gather(reader: &dyn Reader, plans: &[VariablePlan], variables: &mut [Variable]) {
    let Some(layout) = reader.record_layout() else {
        return;
    };
    let mut slabs = layout.slabs;
    slabs.sort_unstable_by_key(|slab| slab.var.0);
    // Bands decide on the order of chunks, which must not depend on the store.
    let chunked = |var: &Variable| matches!(plans[var.out.0].layout.storage, Storage::Chunked { .. });
    let max_slab = match reader.requests().ahead && !variables.iter().any(chunked) {
        true => MAX_SLOW_SLAB,
        false => MAX_SLAB,
    };
    let mut bands: Vec<Band> = Vec::new();
    for (n, var) in variables.iter().enumerate() {
        let Some(source) = var.whole() else { continue };
        let slab = slabs.binary_search_by_key(&source.0, |slab| slab.var.0);
        let Some(slab) = slab.ok().map(|at| slabs[at]) else {
            continue;
        };
        let (from, to) = (reader.layout(source), &plans[var.out.0].layout);
        let Some(member) = member(n, var, slab, from, to)
            .filter(|_| from.extent[0] == layout.records && slab.length <= max_slab)
        else {
            continue;
        };
        let mut open = bands.iter_mut().rev().take(OPEN);
        if !open.any(|band| band.join(member)) {
            bands.push(Band::new(layout.records, layout.record_size, member));
        }
    }
    bands.retain(|band| band.members.len() > 1);
    for mut band in bands {
        band.settle();
        for member in &band.members {
            variables[member.variable].route = Route::Records(None);
        }
        if let Some(first) = band.members.first().map(|m| m.variable) {
            variables[first].route = Route::Records(Some(Box::new(band)));
        }
    }
}

/// The member that a variable can be; `None` if it is to be copied alone.
fn member(
    variable: usize,
    var: &Variable,
    slab: RecordSlab,
    from: &VariableLayout,
    to: &VariableLayout,
) -> Option<Member> {
    let whole = match (&var.route, &var.to_write) {
        (Route::Ranges(_), ChunksToWrite::Range(_)) => true,
        (Route::Blocks(tiling), ChunksToWrite::Range(range)) => {
            var.input().grid.is_none() && *range == (0..tiling.grid.len())
        }
        _ => false,
    };
    let same = from.extent == to.extent
        && from.element_size == to.element_size
        && ![from.encoding, to.encoding].contains(&Encoding::Structured);
    let elements = from
        .extent
        .get(1..)?
        .iter()
        .try_fold(from.element_size as u64, |n, length| n.checked_mul(*length));
    // The chunks of a shard must be consecutive, but those of a band's members alternate.
    let takes_turns = to.shard.is_none();
    if !whole || !same || !takes_turns || elements != Some(slab.length) {
        return None;
    }
    let (chunk, across) = match &to.storage {
        Storage::Chunked { shape } if shape.len() == to.extent.len() => {
            let mut across = to.extent[1..].iter().zip(&shape[1..]);
            let across = across.try_fold(1u64, |n, (e, c)| n.checked_mul(e.div_ceil((*c).max(1))));
            (shape[0].max(1), across?)
        }
        Storage::Chunked { .. } => return None,
        _ => (1, 0),
    };
    let bytes = match &to.storage {
        Storage::Chunked { shape } => byte_count(shape, to.element_size)? as u64,
        _ => slab.length,
    };
    (bytes <= LEAST_RUN).then_some(Member {
        variable,
        slab,
        chunk,
        across,
    })
}
