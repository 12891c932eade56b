//! The values of a joined variable: regions of the inputs, converted and put together.

use super::joined::Joined;
use super::order::JoinPiece;
use crate::chunk::{byte_count, copy_region, resize};
use crate::error::{Error, Result};
use crate::format::{Reader, Region};
use crate::model::{Values, VarId, default_fill_value, move_heap};

impl Joined {
    /// The elements of a region of a variable with the dimension.
    pub(super) fn gather(&self, var: VarId, axis: usize, region: &Region) -> Result<Values> {
        let ty = self.schema.var(var).ty;
        let size = self.schema.type_size(ty);
        let length = byte_count(&region.count, size)
            .ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
        let mut out = Values::default();
        resize(&mut out.bytes, length)?;
        if region.is_empty() {
            return Ok(out);
        }
        let (start, end) = (region.start[axis], region.start[axis] + region.count[axis]);
        let begin = self
            .pieces
            .partition_point(|piece| piece.at + piece.count <= start);
        for piece in self.pieces[begin..].iter().take_while(|piece| piece.at < end) {
            let (from, to) = (start.max(piece.at), end.min(piece.at + piece.count));
            let mut part = region.clone();
            part.start[axis] = piece.from + (from - piece.at);
            part.count[axis] = to - from;
            let read = self.read_piece(piece, var, &part);
            let mut values = read.map_err(|error| self.inputs.named(piece.input, error))?;
            if self.schema.has_heap(ty) {
                for element in values.bytes.chunks_exact_mut(size.max(1)) {
                    move_heap(&self.schema, ty, element, &values.heap, &mut out.heap);
                }
            }
            let mut at = vec![0; region.count.len()];
            at[axis] = from - start;
            let zeros = vec![0; region.count.len()];
            let (from, to) = (&values.bytes, &mut out.bytes);
            copy_region(
                from,
                &part.count,
                &zeros,
                to,
                &region.count,
                &at,
                &part.count,
                size,
                0,
            )?;
        }
        Ok(out)
    }

    /// The elements of a region of a variable of an input.
    fn read_piece(&self, piece: &JoinPiece, var: VarId, region: &Region) -> Result<Values> {
        let Some(theirs) = self.names[piece.input].var(var) else {
            return self.filled(var, region);
        };
        let pooled;
        let reader: &dyn Reader = match self.in_pool(piece.input) {
            None => &*self.first,
            Some(input) => {
                pooled = self.pool.get(input)?;
                &**pooled
            }
        };
        let values = reader.read_region(theirs, region)?;
        let variable = self.schema.var(var);
        match self.changes.get(&var).and_then(|of| of.get(&piece.input)) {
            None => Ok(values),
            Some(change) => {
                let changed = change.apply(values, variable.ty);
                changed.map_err(|error| error.in_variable(&self.schema.var_path(var)))
            }
        }
    }

    /// Fill values for a region of a variable that an input lacks.
    fn filled(&self, var: VarId, region: &Region) -> Result<Values> {
        let ty = self.schema.var(var).ty;
        let count = region
            .element_count()
            .and_then(|count| usize::try_from(count).ok());
        let count = count.ok_or_else(|| Error::Unsupported("a region larger than memory".into()))?;
        let fill = self
            .layout(var)
            .fill
            .value
            .clone()
            .or_else(|| default_fill_value(ty));
        let size = self.schema.type_size(ty);
        let mut values = Values::default();
        resize(&mut values.bytes, count.saturating_mul(size))?;
        if let Some(fill) = fill.filter(|fill| fill.bytes.len() == size && size > 0) {
            for element in values.bytes.chunks_exact_mut(size) {
                element.copy_from_slice(&fill.bytes);
            }
            values.heap = fill.heap;
        }
        Ok(values)
    }
}
