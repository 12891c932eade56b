//! What cannot be read of variables that lie in other datasets.

use super::failure::{Failure, Lost, failure, in_chunk};
use crate::chunk::{ChunkGrid, Region};
use crate::error::Error;
use crate::format::{Fault, Reader};
use crate::model::VarId;

/// The parts of a region that cannot be read, and the bytes of its values.
pub fn lost(reader: &dyn Reader, var: VarId, region: &Region) -> (Vec<Failure>, u64) {
    let whole = Region::whole(&reader.layout(var).extent);
    let mut failures = Vec::new();
    let mut tell = |part: Region, error: Error| {
        let place = part.place_in(&whole);
        let lost = match part == whole {
            true => Lost::All,
            false => Lost::Region(part),
        };
        failures.push(failure(reader, var, place, lost, Fault::of(&error)));
    };
    match reader.read_region_left(var, region, &mut tell) {
        Ok(values) => (failures, values.bytes.len() as u64),
        Err(error) => {
            tell(region.clone(), error);
            (failures, 0)
        }
    }
}

/// The parts of a chunk that cannot be read, where others can; `None` if none can, or the variable lies in no other dataset.
pub fn lost_of_chunk(reader: &dyn Reader, var: VarId, chunk: u64) -> Option<Vec<Failure>> {
    let layout = reader.layout(var);
    if !reader.is_virtual(var) {
        return None;
    }
    let own = ChunkGrid::new(&layout.extent, layout.chunk_shape())
        .ok()?
        .region(chunk);
    let mut failures = Vec::new();
    let mut is_all = false;
    let mut tell = |part: Region, error: Error| {
        is_all |= part == own;
        let fault = in_chunk(reader, var, chunk, Fault::of(&error));
        failures.push(failure(reader, var, chunk, Lost::Region(part), fault));
    };
    let read = reader.read_region_left(var, &own, &mut tell);
    (read.is_ok() && !is_all && !failures.is_empty()).then_some(failures)
}

/// Adds the elements that are lost to the faults of regions that are no chunks. Those of one cause become one.
pub fn join(reader: &dyn Reader, failures: &mut Vec<Failure>) {
    failures.dedup_by(|next, before| {
        let (Lost::Region(next_region), Lost::Region(region)) = (&next.part, &mut before.part) else {
            return false;
        };
        let is_same = next.fault == before.fault && reader.is_virtual(next.var);
        let joined = is_same.then(|| joined(region, next_region)).flatten();
        joined.map(|joined| *region = joined).is_some()
    });
    let is_told = |failure: &&mut Failure| reader.is_virtual(failure.var) && failure.fault.chunk.is_none();
    for failure in failures.iter_mut().filter(is_told) {
        if let Lost::Region(region) = &failure.part {
            let cause = std::mem::take(&mut failure.fault.cause);
            let last = region
                .start
                .iter()
                .zip(&region.count)
                .map(|(start, count)| start + count - 1);
            failure.fault.cause = format!(
                "elements {:?} to {:?} cannot be read: {cause}",
                region.start,
                last.collect::<Vec<_>>()
            );
        }
    }
}

/// One box of two that follow each other along one dimension.
fn joined(first: &Region, next: &Region) -> Option<Region> {
    let differs = |d: &usize| (first.start[*d], first.count[*d]) != (next.start[*d], next.count[*d]);
    let mut differing = (0..first.rank()).filter(differs);
    let (d, None) = (differing.next()?, differing.next()) else {
        return None;
    };
    let mut all = first.clone();
    all.count[d] += next.count[d];
    (first.start[d] + first.count[d] == next.start[d]).then_some(all)
}
