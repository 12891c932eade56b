//! What is wrong with a part of a dataset.

use super::check_dataset::Checked;
use super::failure::Lost;
use crate::chunk::{ChunkGrid, Region};
use crate::format::{Fault, Reader};
use crate::model::VarId;
use crate::subset::Subset;

impl Checked {
    /// What is wrong with a part of `reader`, which was checked: faults of data that the part does not need are left out.
    pub fn faults_of(&self, reader: &dyn Reader, part: &Subset<'_>) -> Vec<Fault> {
        // The losses have the last faults, one each.
        let (own, of_data) = self
            .faults
            .split_at(self.faults.len().saturating_sub(self.losses.len()));
        let own = own.iter().filter(|fault| concerns(reader, part, fault));
        let of_data = of_data
            .iter()
            .zip(&self.losses)
            .filter(|(_, loss)| needs(reader, part, loss.var, &loss.part))
            .map(|(fault, _)| fault);
        let faults: Vec<Fault> = own.chain(of_data).cloned().collect();
        match faults.iter().all(|fault| fault.is_summary) {
            true => Vec::new(),
            false => faults,
        }
    }
}

/// True if a part needs the chunk that a fault names, or the fault names none.
fn concerns(reader: &dyn Reader, part: &Subset<'_>, fault: &Fault) -> bool {
    let (Some(path), Some(chunk)) = (&fault.variable, &fault.chunk) else {
        return true;
    };
    let Some(var) = reader.schema().var_at(path) else {
        return true;
    };
    let count = reader.layout(var).chunk_shape().to_vec();
    let start = chunk
        .iter()
        .zip(&count)
        .map(|(n, length)| n.saturating_mul(*length));
    let start = start.collect();
    part.needs(var, &Region { start, count })
}

fn needs(reader: &dyn Reader, part: &Subset<'_>, var: VarId, lost: &Lost) -> bool {
    let layout = reader.layout(var);
    match lost {
        Lost::All => true,
        Lost::Region(region) => part.needs(var, region),
        Lost::Chunk(chunk) => match ChunkGrid::new(&layout.extent, layout.chunk_shape()) {
            Ok(grid) => part.needs(var, &grid.region(*chunk)),
            Err(_) => true,
        },
        Lost::Bytes(range) => {
            let unit = layout.element_size.max(1) as u64;
            let (first, end) = (range.start / unit, range.end.div_ceil(unit));
            let regions = Region::range(&layout.extent, first, end.saturating_sub(first));
            regions.iter().any(|region| part.needs(var, region))
        }
    }
}
