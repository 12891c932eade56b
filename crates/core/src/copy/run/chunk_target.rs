//! The destination of an output variable's chunks.

use super::context::Context;
use super::sink::Sink;
use crate::chunk::{ChunkGrid, byte_count, copy_region, fill_pattern, resize, swap_units};
use crate::copy::task::Variable;
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::format::read_region::{fill_element, swap_unit};
use crate::model::VariableLayout;

/// The destination of an output variable's chunks, and their encoding.
pub struct ChunkTarget<'a> {
    pub sink: Sink<'a>,
    pub var: &'a Variable,
    pub layout: &'a VariableLayout,
    pub pipeline: &'a Pipeline,
    pub grid: &'a ChunkGrid,
    /// True if encoded chunks pass without a test.
    pub untested: bool,
}

impl<'a> ChunkTarget<'a> {
    /// The destination of a variable's chunks, which lie in `grid`.
    pub fn of(context: &'a Context, var: &'a Variable, grid: &'a ChunkGrid) -> Self {
        let plan = &context.terms.plans[var.out.0];
        Self {
            sink: context.sink,
            var,
            layout: &plan.layout,
            pipeline: &plan.pipeline,
            grid,
            untested: context.untested,
        }
    }
}

/// Fills `out` with the first `count` elements in each dimension of a chunk of shape `full`.
pub fn clip(bytes: &[u8], full: &[u64], count: &[u64], size: usize, out: &mut Vec<u8>) -> Result<()> {
    let length =
        byte_count(count, size).ok_or_else(|| Error::Internal("a part larger than memory".into()))?;
    resize(out, length)?;
    let origin = vec![0; count.len()];
    copy_region(bytes, full, &origin, out, count, &origin, count, size, 1)
}

/// Fills `buffer` with `size` bytes of the values of unwritten input elements, in the output's byte order.
pub fn fill_block(
    buffer: &mut Vec<u8>,
    size: usize,
    from: &VariableLayout,
    to: &VariableLayout,
) -> Result<()> {
    resize(buffer, size)?;
    let mut element = fill_element(from).to_vec();
    if element.len() != to.element_size {
        element = fill_element(to).to_vec();
    }
    swap_units(&mut element, swap_unit(to));
    fill_pattern(buffer, &element);
    Ok(())
}

/// The layout whose fill value is used for elements that no input has: `from`, that of the first input, if elements keep their
/// index.
pub fn base<'a>(var: &Variable, from: &'a VariableLayout, to: &'a VariableLayout) -> &'a VariableLayout {
    match &var.inputs[..] {
        [input] if input.selection.is_none() => from,
        _ => to,
    }
}
