//! The value of a chunk that holds only fill values, for stores in which none may be missing.

use std::io;

use crate::chunk::{fill_pattern, resize, swap_units};
use crate::error::{Error, Result};
use crate::filter::{ChunkShape, Scratch};
use crate::format::VariablePlan;
use crate::format::read_region::{chunk_size, fill_element, swap_unit};
use crate::model::Encoding;

/// The encoded chunk.
///
/// # Errors
/// `Unsupported` for strings and lists. Otherwise the reason why it cannot be encoded.
pub fn fill_chunk(plan: &VariablePlan) -> io::Result<Vec<u8>> {
    if plan.layout.encoding == Encoding::Structured {
        return Err(io::ErrorKind::Unsupported.into());
    }
    encoded(plan).map_err(|error| match error {
        Error::Io { cause, .. } => cause,
        error => io::Error::other(error.to_string()),
    })
}

fn encoded(plan: &VariablePlan) -> Result<Vec<u8>> {
    let layout = &plan.layout;
    let mut bytes = Vec::new();
    resize(&mut bytes, chunk_size(layout, layout.chunk_shape())?)?;
    let mut element = fill_element(layout).to_vec();
    swap_units(&mut element, swap_unit(layout));
    fill_pattern(&mut bytes, &element);
    if plan.pipeline.is_empty() {
        return Ok(bytes);
    }
    let encoded = plan
        .pipeline
        .encode(&bytes, ChunkShape::Full, &mut Scratch::new())?;
    Ok(encoded.bytes)
}
