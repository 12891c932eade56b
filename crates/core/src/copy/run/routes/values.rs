//! Copying elements as [`Values`]: strings, sequences, and whatever the reader must convert.
//!
//! A block of output chunks is read at once and then cut up, so that a large input chunk is not decoded again
//! for each small output chunk. Each cut takes a copy of the heap data that its elements point to.

use crate::chunk::{
    Axis, ChunkGrid, Region, byte_count, copy_region, copy_strided, fill_pattern, resize, swap_units,
};
use crate::copy::geometry::{Block, InputMapping, Tiling, elements};
use crate::copy::jobs::chunk_bytes;
use crate::copy::readers::ReaderId;
use crate::copy::run::chunk_data::Data;
use crate::copy::run::chunk_target::{ChunkTarget, fill_block};
use crate::copy::run::context::Context;
use crate::copy::run::input_access::InputAccess;
use crate::copy::run::skip_fill::skip_empty;
use crate::copy::run::worker::{Worker, at_chunk};
use crate::copy::strings::{cut_strings, longest_string};
use crate::copy::task::Variable;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::format::read_region::{chunk_size, swap_unit};
use crate::model::{Encoding, Schema, Storage, Type, Values, VarId, VariableLayout, move_heap};

impl Worker {
    /// Reads a block of chunks, and writes the chunks that are to be written.
    pub fn values(
        &mut self,
        context: &Context,
        var: &Variable,
        tiling: &Tiling,
        block: &Block,
    ) -> Result<u64> {
        let readers = &context.terms.readers;
        let to = &context.terms.plans[var.out.0].layout;
        let grid = &tiling.grid;
        let target = ChunkTarget::of(context, var, grid);
        let region = elements(&block.span, grid.chunk(), grid.extent());
        let single = block.end - block.first == 1;
        let first = grid.index(&block.span.start);
        let mut whole = self
            .read_values(context, var, &region)
            .map_err(|e| match single {
                true => at_chunk(e, to, first),
                false => e,
            })?;
        if Some(whole.bytes.len()) != byte_count(&region.count, to.element_size) {
            return Err(Error::Internal(
                "elements of another size than was planned".into(),
            ));
        }
        let reader = match var.inputs.first() {
            Some(input) => InputAccess::new(readers, input).open()?,
            None => readers.get(ReaderId::Main)?,
        };
        let schema = reader.schema();
        // Without an input, all elements are fill values of text.
        let ty = match (var.inputs.first(), to.encoding) {
            (Some(input), _) => schema.var(input.var).ty,
            (None, Encoding::Structured) => Type::String,
            (None, _) => Type::Char,
        };
        let mut n = var.to_write.before(block.first);
        for (slot, chunk) in grid.chunks_of_span(block.span.clone()).enumerate() {
            if var.to_write.position(n) != Some(block.first + slot as u64) {
                continue;
            }
            let part = grid.region(chunk);
            let values = if single {
                std::mem::take(&mut whole)
            } else {
                cut(schema, ty, &whole, &region, &part, to.element_size)?
            };
            self.write_values(&target, chunk, var.first_sequence + n, &part, values)
                .map_err(|e| at_chunk(e, to, chunk))?;
            n += 1;
        }
        match to.string_length {
            Some(_) => Ok(chunk_bytes(to).saturating_mul(block.end - block.first)),
            None => Ok(tiling.block_bytes(block, to)? as u64),
        }
    }

    /// Reads the elements of a region of the output from all inputs.
    fn read_values(&mut self, context: &Context, var: &Variable, region: &Region) -> Result<Values> {
        let readers = &context.terms.readers;
        if let [input] = &var.inputs[..]
            && input.selection.is_none()
        {
            let reader = InputAccess::new(readers, input).open()?;
            self.read = self
                .read
                .saturating_add(stored_bytes(&*reader, input.var, region));
            return reader.read_region(input.var, region);
        }
        let to = &context.terms.plans[var.out.0].layout;
        let mut out = filled(to, region)?;
        for input in &var.inputs[var.inputs.near(region)] {
            let Some(part) = input.target.intersect(region) else {
                continue;
            };
            let Some(bounds) = input.input(&part) else {
                continue;
            };
            let source = InputAccess::new(readers, input);
            let reader = source.open()?;
            let schema = reader.schema();
            self.read = self
                .read
                .saturating_add(stored_bytes(&*reader, input.var, &bounds));
            let values = reader
                .read_region(input.var, &bounds)
                .map_err(|e| source.named(e))?;
            let mut selected = select(&values.bytes, &bounds, &part, input, to.element_size)?;
            let ty = schema.var(input.var).ty;
            if schema.has_heap(ty) {
                for element in selected.chunks_exact_mut(to.element_size.max(1)) {
                    move_heap(schema, ty, element, &values.heap, &mut out.heap);
                }
            }
            copy_region(
                &selected,
                &part.count,
                &vec![0; part.rank()],
                &mut out.bytes,
                &region.count,
                &part.relative_to(&region.start).start,
                &part.count,
                to.element_size,
                1,
            )?;
        }
        Ok(out)
    }

    fn write_values(
        &mut self,
        target: &ChunkTarget,
        chunk: u64,
        sequence: u64,
        region: &Region,
        mut values: Values,
    ) -> Result<()> {
        let to = target.layout;
        if to.encoding == Encoding::Structured {
            if let Some(most) = to.string_length {
                fit(&mut values, most, target.var.cuts_strings)?;
            }
            if target.var.skips_fill && skip_empty(target, chunk, sequence, &values)? {
                return Ok(());
            }
            // The writer keeps padded strings; how far its filters shorten them is not known here.
            let padded = to.string_length.map_or(0, |_| chunk_bytes(to));
            let kept = values.bytes.len() + values.heap.len();
            self.keep(kept.max(usize::try_from(padded).unwrap_or(usize::MAX)));
            return target.sink.write_values(sequence, target.var, region, values);
        }
        swap_units(&mut values.bytes, swap_unit(to));
        let shape = target.grid.chunk();
        if region.count == shape {
            return self.write_chunk(target, chunk, sequence, Data::Owned(&mut values.bytes));
        }
        let size = chunk_size(to, shape)?;
        fill_block(&mut self.block, size, to, to)?;
        let origin = vec![0; shape.len()];
        copy_region(
            &values.bytes,
            &region.count,
            &origin,
            &mut self.block,
            shape,
            &origin,
            &region.count,
            to.element_size,
            1,
        )?;
        let mut block = std::mem::take(&mut self.block);
        let written = self.write_chunk(target, chunk, sequence, Data::Owned(&mut block));
        self.block = block;
        written
    }
}

/// About how many bytes the reader reads for a region: its chunks as stored, or its elements where the variable is in one
/// piece.
fn stored_bytes(reader: &dyn Reader, var: VarId, region: &Region) -> u64 {
    let layout = reader.layout(var);
    let Some(inside) = region.clip(&layout.extent).filter(|inside| !inside.is_empty()) else {
        return 0;
    };
    match ChunkGrid::new(&layout.extent, layout.chunk_shape()) {
        Ok(grid) if matches!(layout.storage, Storage::Chunked { .. }) => grid
            .chunks_in(&inside)
            .filter_map(|chunk| reader.stored_size(var, chunk))
            .fold(0, u64::saturating_add),
        _ => inside
            .element_count()
            .map_or(0, |n| n.saturating_mul(layout.element_size as u64)),
    }
}

/// Cuts strings to `most` bytes each, or checks that none is longer.
fn fit(values: &mut Values, most: u64, cuts: bool) -> Result<()> {
    if cuts {
        cut_strings(values, most);
        return Ok(());
    }
    match longest_string(values) {
        longest if longest > most => Err(Error::Usage(format!(
            "a string of {longest} bytes, where {most} are the longest that the input had before the copy"
        ))),
        _ => Ok(()),
    }
}

/// A region that holds only the fill value.
fn filled(layout: &VariableLayout, region: &Region) -> Result<Values> {
    let size = byte_count(&region.count, layout.element_size)
        .ok_or_else(|| Error::Internal("a part larger than memory".into()))?;
    let mut out = Values::default();
    resize(&mut out.bytes, size)?;
    if let Some(fill) = &layout.fill.value
        && fill.bytes.len() == layout.element_size
    {
        fill_pattern(&mut out.bytes, &fill.bytes);
        out.heap.clone_from(&fill.heap);
    }
    Ok(out)
}

/// Picks the elements that fill `part`, a region of the output, from `bytes`, which holds the input's region
/// `bounds` in C order.
fn select(
    bytes: &[u8],
    bounds: &Region,
    part: &Region,
    input: &InputMapping,
    size: usize,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let length =
        byte_count(&part.count, size).ok_or_else(|| Error::Internal("a part larger than memory".into()))?;
    resize(&mut out, length)?;
    let (mut src, mut dst) = (size, size);
    let mut axes = Vec::with_capacity(part.rank());
    for d in (0..part.rank()).rev() {
        axes.push(Axis {
            count: part.count[d] as usize,
            src: src.saturating_mul(input.stride(d) as usize),
            dst,
        });
        src = src.saturating_mul(bounds.count[d] as usize);
        dst = dst.saturating_mul(part.count[d] as usize);
    }
    axes.reverse();
    copy_strided(bytes, 0, &mut out, 0, &mut axes, size, 1)?;
    Ok(out)
}

/// Copies the elements of `part` out of `values`, which holds the region `whole`, together with their heap
/// data.
fn cut(
    schema: &Schema,
    ty: Type,
    values: &Values,
    whole: &Region,
    part: &Region,
    size: usize,
) -> Result<Values> {
    let mut out = Values::default();
    let bytes =
        byte_count(&part.count, size).ok_or_else(|| Error::Internal("a part larger than memory".into()))?;
    resize(&mut out.bytes, bytes)?;
    copy_region(
        &values.bytes,
        &whole.count,
        &part.relative_to(&whole.start).start,
        &mut out.bytes,
        &part.count,
        &vec![0; part.rank()],
        &part.count,
        size,
        1,
    )?;
    if schema.has_heap(ty) {
        let Values { bytes, heap } = &mut out;
        for element in bytes.chunks_exact_mut(size) {
            move_heap(schema, ty, element, &values.heap, heap);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Field, Kind, Slot, TypeClass, UserType};

    #[test]
    fn strings_take_along_their_own_text_only() {
        let schema = Schema::new(Kind::Netcdf4);
        let words: [Option<&[u8]>; 4] = [Some(b"one"), None, Some(b""), Some(b"four")];
        let values = Values::from_strings(words);
        let whole = Region::whole(&[2, 2]);
        let part = Region {
            start: vec![0, 1],
            count: vec![2, 1],
        };
        let cut = cut(&schema, Type::String, &values, &whole, &part, 16).unwrap();
        assert_eq!(cut.string(0), None);
        assert_eq!(cut.string(16), Some(&b"four"[..]));
        assert_eq!(cut.heap, b"four");
    }

    #[test]
    fn sequences_of_records_of_strings_are_moved_whole() {
        let mut schema = Schema::new(Kind::Netcdf4);
        let record = schema.add_type(UserType {
            name: "record".into(),
            group: Schema::ROOT,
            class: TypeClass::Compound {
                size: 40,
                fields: vec![
                    Field {
                        name: "n".into(),
                        offset: 0,
                        ty: Type::Int,
                        dims: vec![],
                    },
                    Field {
                        name: "names".into(),
                        offset: 8,
                        ty: Type::String,
                        dims: vec![2],
                    },
                ],
            },
        });
        let sequence = schema.add_type(UserType {
            name: "sequence".into(),
            group: Schema::ROOT,
            class: TypeClass::Vlen {
                base: Type::User(record),
            },
        });
        let mut values = Values::default();
        for n in 0..3u8 {
            let mut content = Vec::new();
            for m in 0..n {
                content.extend_from_slice(&[n, m, 0, 0, 0, 0, 0, 0]);
                for name in [vec![b'a' + m; 3], vec![b'x'; usize::from(n)]] {
                    let slot = values.push_heap(name.len() as u64, &name);
                    content.extend_from_slice(&slot.to_bytes());
                }
            }
            let slot = values.push_heap(u64::from(n), &content);
            values.bytes.extend_from_slice(&slot.to_bytes());
        }
        let part = Region {
            start: vec![2],
            count: vec![1],
        };
        let cut = cut(
            &schema,
            Type::User(sequence),
            &values,
            &Region::whole(&[3]),
            &part,
            16,
        )
        .unwrap();
        let content = cut.slot_content(Slot::read(&cut.bytes), 40).unwrap();
        assert_eq!(content.len(), 80);
        for m in 0..2u8 {
            let record = &content[usize::from(m) * 40..];
            assert_eq!(record[..2], [2, m]);
            assert_eq!(
                cut.slot_content(Slot::read(&record[8..]), 1).unwrap(),
                [b'a' + m; 3]
            );
            assert_eq!(cut.slot_content(Slot::read(&record[24..]), 1).unwrap(), b"xx");
        }
        assert_eq!(cut.heap.len(), 80 + 6 + 4);
    }

    #[test]
    fn a_slot_that_points_nowhere_becomes_nil() {
        let schema = Schema::new(Kind::Netcdf4);
        let values = Values::from_bytes(Slot { length: 9, offset: 3 }.to_bytes().to_vec());
        let whole = Region::whole(&[1]);
        let cut = cut(&schema, Type::String, &values, &whole, &whole, 16).unwrap();
        assert_eq!(cut.string(0), None);
    }
}
