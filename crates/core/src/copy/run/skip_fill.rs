//! Leaving out chunks whose every element is the fill value (`nccopy --skip-fill`).

use super::execute::{Target, Worker, clip};
use super::plan::string_length::longest_string;
use crate::chunk::swap_units;
use crate::error::Result;
use crate::format::read_region::{fill_element, swap_unit};
use crate::model::{Encoding, Schema, Storage, Type, Values, VarId, VariableLayout};

/// True if chunks of such a variable can be left out: they have a fill value that everybody reads in their place. A fill value
/// of strings must be the empty string.
pub(super) fn can_skip(schema: &Schema, var: VarId, to: &VariableLayout) -> bool {
    let (can, ty) = (schema.kind.can(), schema.var(var).ty);
    let is_chunked = matches!(to.storage, Storage::Chunked { .. });
    let Some(value) = to.fill.value.as_ref().filter(|_| !to.fill.no_fill) else {
        return false;
    };
    let reads_as_fill = match ty {
        Type::Char if can.unwritten_text_is_empty => value.is_zero(),
        Type::String => longest_string(value) == 0,
        _ => to.encoding != Encoding::Structured,
    };
    can.skips_chunks && is_chunked && reads_as_fill
}

impl Worker {
    /// Leaves a chunk out if each of its elements within the extent is the fill value. `data` has the shape `full`, in the
    /// output's byte order. Returns true if the chunk is left out.
    pub(super) fn skip_fill(
        &self,
        target: &Target,
        chunk: u64,
        ticket: u64,
        data: &[u8],
        full: &[u64],
    ) -> Result<bool> {
        let layout = target.layout;
        let mut element = fill_element(layout).to_vec();
        swap_units(&mut element, swap_unit(layout));
        let is_fill = |bytes: &[u8]| bytes.chunks_exact(element.len().max(1)).all(|one| one == element);
        let own = target.grid.region(chunk);
        let skips = match own.count == full {
            true => is_fill(data),
            false => {
                let mut inside = Vec::new();
                clip(data, full, &own.count, layout.element_size, &mut inside)?;
                is_fill(&inside)
            }
        };
        if skips {
            target.sink.skip_chunk(ticket, target.var, chunk)?;
        }
        Ok(skips)
    }

    /// Leaves a chunk of strings out if all are empty. Returns true if it is left out.
    pub(super) fn skip_empty(
        &self,
        target: &Target,
        chunk: u64,
        ticket: u64,
        strings: &Values,
    ) -> Result<bool> {
        let skips = longest_string(strings) == 0;
        if skips {
            target.sink.skip_chunk(ticket, target.var, chunk)?;
        }
        Ok(skips)
    }
}
