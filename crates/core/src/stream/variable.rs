//! The text of one variable, and how many threads read it.

use super::bands::{BAND_BYTES, Bands, MOST_BYTES};
use super::format::Format;
use super::pieces::{Band, in_order};
use super::spilled::{Spilled, StoredChunks};
use super::unwritten::{Unwritten, WithoutUnwritten};
use crate::chunk::byte_count;
use crate::error::{Error, Result};
use crate::format::{Reader, Region};
use crate::model::{Encoding, Storage, VarId};

/// Calls `emit` with the text of all elements of a variable, in order. Not called for a variable without
/// elements.
///
/// # Errors
/// The first error of reading or `emit`, in the order of elements. Everything before it was emitted.
pub fn values<F: Format>(
    reader: &dyn Reader,
    id: VarId,
    format: &F,
    mut emit: impl FnMut(F::Piece) -> Result<()>,
) -> Result<()> {
    let schema = reader.schema();
    let named = |e: Error| e.in_variable(&schema.var_path(id));
    let shape = schema.shape(id);
    let size = schema.type_size(schema.var(id).ty).max(1);
    reader.resolve_sources(id)?;
    let layout = reader.layout(id);
    let chunk = match &layout.storage {
        Storage::Chunked { shape } => shape.as_slice(),
        _ => &[],
    };
    let row_bytes = shape.last().map_or(0, |n| n.saturating_mul(size as u64));
    // Only rows longer than a band are cut where nothing was written.
    let unwritten = match format.passes_over_zeros() && row_bytes > MOST_BYTES {
        true => Unwritten::of(reader, id).map_err(named)?,
        false => None,
    };
    let read = |region: &Region| reader.read_region(id, region).map_err(named);
    let readers = readers(reader, &shape, size);
    let bands = Bands::new(&shape, chunk, size);
    if !bands.are_layered() {
        return match &unwritten {
            Some(unwritten) => {
                let (whole, bytes) = (Region::whole(&shape), bands.budget_of_all());
                let all = WithoutUnwritten::new(unwritten, whole, chunk, size, bytes);
                in_order(all, size, readers, read, format, emit)
            }
            None => in_order(bands.all().map(Band::Read), size, readers, read, format, emit),
        };
    }
    let stored = match layout.encoding {
        // A file of decoded elements would hold addresses in a heap.
        Encoding::Structured => None,
        _ => Some(StoredChunks::of(reader, id, chunk).map_err(named)?),
    };
    for layer in bands.layers() {
        let spilled = match &stored {
            Some(stored) => Spilled::write(reader, id, stored, &layer, size).map_err(named)?,
            None => None,
        };
        let read_spilled = |region: &Region| match &spilled {
            Some(spilled) => spilled.read(reader, id, region).map_err(named),
            None => read(region),
        };
        let is_free = spilled.is_some();
        match &unwritten {
            Some(unwritten) => {
                let bytes = bands.budget(is_free);
                let rows = WithoutUnwritten::new(unwritten, layer, chunk, size, bytes);
                in_order(rows, size, 0, read_spilled, format, &mut emit)?;
            }
            None => {
                let within = bands.within(&layer, is_free).map(Band::Read);
                in_order(within, size, 0, read_spilled, format, &mut emit)?;
            }
        }
    }
    Ok(())
}

/// Most threads that only read a slow store.
const MOST_READERS: u64 = 32;

/// Threads that only read: over a slow store, one for each band, as far as the store serves as many requests at once.
fn readers(reader: &dyn Reader, shape: &[u64], size: usize) -> usize {
    let requests = reader.requests();
    if !requests.ahead {
        return 0;
    }
    let bytes = byte_count(shape, size).map_or(u64::MAX, |bytes| bytes as u64);
    let most = (requests.in_flight as u64).min(MOST_READERS);
    (bytes / BAND_BYTES).min(most) as usize
}

/// True if a variable's values are more than one band, so that formatting them may take a while.
pub fn is_large(reader: &dyn Reader, id: VarId) -> bool {
    let schema = reader.schema();
    let size = schema.type_size(schema.var(id).ty).max(1);
    byte_count(&schema.shape(id), size).is_none_or(|bytes| bytes as u64 > BAND_BYTES)
}

/// Indices of the `n`th element of a region, counted in C order.
pub fn position(region: &Region, n: usize) -> Vec<u64> {
    let mut at = region.start.clone();
    let mut rest = n as u64;
    for (at, length) in at.iter_mut().zip(&region.count).rev() {
        *at += rest % length;
        rest /= length;
    }
    at
}
