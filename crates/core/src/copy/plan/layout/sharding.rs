//! Which shards each variable of a copy gets: the rules of `--shard`.
//!
//! ```text
//! var:…            ─► as asked; a multiple of the chunk
//! dim/n, dim/      ─► rounded up to whole chunks; other lengths are the input's, or as many chunks as fit
//! none, size, auto ─► for every variable that neither of these names
//! nothing          ─► the input's shards, rounded up to whole chunks; auto where the input's kind has none
//! ```
//!
//! A shard grows from the fastest dimension: its chunks are then neighbours in the order of elements.

use super::chunking::chunk_bytes;
use super::dimension_lengths::DimensionLengths;
use crate::copy::plan::request::{CopyOptions, ShardSpec, named_variables};
use crate::error::{Request, Result};
use crate::format::zarr::MOST_CHUNKS_OF_SHARD;
use crate::model::{DimId, Encoding, IndexLocation, Kind, Schema, Storage, VarId, VariableLayout};

/// Most chunks of a variable that `auto` leaves without shards.
const MOST_UNSHARDED: u64 = 1000;

/// Most decoded bytes of a shard that the program chooses. zarr-python holds a whole shard to write a part of it.
const MAX_SHARD_BYTES: u64 = 256_000_000;

/// Most chunks in a shard that the program chooses. Their index takes 1 MiB.
const MAX_SHARD_CHUNKS: u64 = 65_536;

/// The `--shard` arguments, resolved to the input's variables and dimensions.
#[derive(Debug)]
pub struct Sharding {
    /// The last argument that is for every variable.
    general: Option<ShardSpec>,
    /// For each variable of the input: `None` if not named, `Some(None)` for no shards.
    by_var: Vec<Option<Option<Vec<u64>>>>,
    by_dim: DimensionLengths,
    index: Option<IndexLocation>,
    /// True if shards are HDF5 files.
    as_hdf5: bool,
}

impl Sharding {
    /// Resolves every `--shard` argument against the input, for an output of `kind`.
    ///
    /// # Errors
    /// [`Error::Request`] for an unknown name, for lengths that do not fit their variable, and for a kind without shards.
    pub fn resolve(input: &Schema, options: &CopyOptions, kind: Kind) -> Result<Self> {
        // The place of an index asks for no shards.
        if !options.shards.is_empty() && !kind.can().shards {
            return Err(Request::Shards.error(format!(
                "the kind '{}' has no shards; name the output as 'out.zarr#mode=zarr,v3', or ask for none",
                kind.name()
            )));
        }
        if options.shards_as_hdf5 {
            refuse_beside_hdf5(options)?;
        }
        let mut sharding = Self {
            general: None,
            by_var: vec![None; input.vars.len()],
            by_dim: DimensionLengths::new(input),
            index: options.shard_index,
            as_hdf5: options.shards_as_hdf5,
        };
        for spec in &options.shards {
            match spec {
                ShardSpec::Dimensions(rule) => sharding.by_dim.add(input, rule, Request::Shards)?,
                ShardSpec::Variable { name, shape } => {
                    for VarId(at) in named_variables(input, Request::Shards, name)? {
                        // As for chunks, the first argument for a variable counts.
                        sharding.by_var[at].get_or_insert_with(|| shape.clone());
                    }
                }
                general => sharding.general = Some(general.clone()),
            }
        }
        Ok(sharding)
    }

    /// Gives a planned layout its shards, for variable `var` of the input. `source` is its layout there.
    ///
    /// # Errors
    /// [`Error::Request`] for a shape that does not fit the variable.
    pub fn apply(
        &self,
        input: &Schema,
        var: VarId,
        source: &VariableLayout,
        layout: &mut VariableLayout,
    ) -> Result<()> {
        let keeps = input.kind.can().shards;
        if keeps {
            layout.shard_index = source.shard_index;
            layout.chunk_keys = source.chunk_keys;
        }
        if let Some(index) = self.index {
            layout.shard_index = index;
        }
        let Storage::Chunked { shape: chunk } = &layout.storage else {
            return Ok(());
        };
        let dims = &input.var(var).dims;
        let grid = Grid::of(layout, chunk);
        let own = source
            .shard
            .as_deref()
            .filter(|own| keeps && own.len() == chunk.len());
        let lengths = self.by_dim.of(dims);
        let named = lengths.iter().any(Option::is_some);
        let shard = match (&self.by_var[var.0], &self.general) {
            (Some(None), _) => None,
            (Some(Some(shape)), _) => {
                let names: Vec<_> = dims.iter().map(|dim| input.dim(*dim).name.as_str()).collect();
                whole_chunks(shape, chunk, &names).map_err(|why| Request::Shards.error(why))?;
                Some(shape.clone())
            }
            _ if chunk.is_empty() => None,
            _ if named => by_dimensions(input, &grid, (dims, &lengths), own)?,
            (None, Some(ShardSpec::Bytes(bytes))) => grid.grown(*bytes, MOST_CHUNKS_OF_SHARD),
            (None, Some(ShardSpec::Auto)) => grid.auto(),
            (None, Some(_)) => None,
            (None, None) => match own {
                Some(own) => Some(grid.rounded_up(own)?),
                None if keeps => None,
                None => grid.auto(),
            },
        };
        layout.shard = match self.as_hdf5 {
            true if chunk.is_empty() || layout.encoding == Encoding::Structured => None,
            true => Some(shard.unwrap_or_else(|| grid.at_least_one_chunk())),
            false => shard,
        };
        if self.as_hdf5 {
            layout.shard_index = IndexLocation::End;
        }
        Ok(())
    }
}

/// Refuses what shards that are HDF5 files cannot have.
///
/// # Errors
/// Variables without shards; an index at the start, where HDF5 has its own.
fn refuse_beside_hdf5(options: &CopyOptions) -> Result<()> {
    let is_none = |spec: &ShardSpec| {
        matches!(
            spec,
            ShardSpec::Unsharded | ShardSpec::Variable { shape: None, .. }
        )
    };
    if options.shards.iter().any(is_none) {
        return Err(Request::Shards
            .error("each variable is stored in shards that are HDF5 files, so none can do without"));
    }
    if options.shard_index == Some(IndexLocation::Start) {
        return Err(Request::Shards.error(
            "shards that are HDF5 files have their index at the end: --shard-index start is not possible",
        ));
    }
    Ok(())
}

/// Shards whose lengths are given along some dimensions. `None` if one chunk is such a shard.
fn by_dimensions(
    input: &Schema,
    grid: &Grid,
    (dims, lengths): (&[DimId], &[Option<Option<u64>>]),
    own: Option<&[u64]>,
) -> Result<Option<Vec<u64>>> {
    let mut chunks = Vec::with_capacity(dims.len());
    let mut free = Vec::new();
    for (at, (dim, length)) in dims.iter().zip(lengths).enumerate() {
        let (all, chunk) = (grid.chunks(at), grid.chunk[at]);
        chunks.push(match (*length, own) {
            // An unlimited dimension may grow into its shard.
            (Some(Some(length)), _) if input.dim(*dim).unlimited => length.div_ceil(chunk),
            (Some(Some(length)), _) => length.div_ceil(chunk).min(all),
            (Some(None), _) => all,
            (None, Some(own)) => own[at].div_ceil(chunk),
            (None, None) => {
                free.push(at);
                1
            }
        });
    }
    grid.grow(&mut chunks, &free, MAX_SHARD_BYTES, MAX_SHARD_CHUNKS);
    match chunks.iter().all(|n| *n == 1) {
        true => Ok(None),
        false => grid.elements(&chunks).map(Some),
    }
}

/// Checks that a shard is whole chunks. `names` are those of the dimensions.
///
/// # Errors
/// What is wrong, and the nearest shape.
pub fn whole_chunks(shard: &[u64], chunk: &[u64], names: &[&str]) -> Result<(), String> {
    if shard.len() != chunk.len() {
        return Err(format!(
            "one shard length is needed for each dimension: {} in all, not {}",
            chunk.len(),
            shard.len()
        ));
    }
    let Some(at) = (0..chunk.len()).find(|at| !shard[*at].is_multiple_of(chunk[*at]) || shard[*at] == 0)
    else {
        return Ok(());
    };
    let nearest = |(length, chunk): (&u64, &u64)| {
        let past = length % chunk;
        let below = length - past;
        match below.checked_add(*chunk) {
            Some(above) if below == 0 || past > chunk / 2 => above,
            _ => below,
        }
    };
    let nearest: Vec<_> = shard
        .iter()
        .zip(chunk)
        .map(nearest)
        .map(|n| n.to_string())
        .collect();
    Err(format!(
        "the shard length {} is no multiple of the chunk length {} along {}; the nearest shape is {}",
        shard[at],
        chunk[at],
        names.get(at).unwrap_or(&"its dimension"),
        nearest.join(",")
    ))
}

/// The shards of a layout for which nobody asks for any: see [`ShardSpec::Auto`].
pub fn auto_shard(layout: &VariableLayout) -> Option<Vec<u64>> {
    match &layout.storage {
        Storage::Chunked { shape } => Grid::of(layout, shape).auto(),
        _ => None,
    }
}

/// The chunks of one variable.
struct Grid<'a> {
    /// The shape of a chunk, each length at least 1.
    chunk: &'a [u64],
    extent: &'a [u64],
    /// Bytes of one element, decoded.
    element_size: usize,
}

impl<'a> Grid<'a> {
    fn of(layout: &'a VariableLayout, chunk: &'a [u64]) -> Self {
        Self {
            chunk,
            extent: &layout.extent,
            element_size: layout.stored_size(),
        }
    }

    /// Chunks along a dimension, at least 1.
    fn chunks(&self, at: usize) -> u64 {
        self.extent[at].div_ceil(self.chunk[at]).max(1)
    }

    /// Shards where there are many chunks: see [`MOST_UNSHARDED`].
    fn auto(&self) -> Option<Vec<u64>> {
        let count = (0..self.chunk.len()).try_fold(1u64, |n, at| n.checked_mul(self.chunks(at)));
        match count {
            Some(count) if count <= MOST_UNSHARDED => None,
            _ => self.grown(MAX_SHARD_BYTES, MAX_SHARD_CHUNKS),
        }
    }

    /// Shards of the size that the program chooses, if only of one chunk.
    fn at_least_one_chunk(&self) -> Vec<u64> {
        self.grown(MAX_SHARD_BYTES, MAX_SHARD_CHUNKS)
            .unwrap_or_else(|| self.chunk.to_vec())
    }

    /// Shards of at most so many bytes and chunks; `None` if they are single chunks.
    fn grown(&self, bytes: u64, count: u64) -> Option<Vec<u64>> {
        let mut chunks = vec![1; self.chunk.len()];
        let all: Vec<usize> = (0..chunks.len()).collect();
        self.grow(&mut chunks, &all, bytes, count);
        match chunks.iter().all(|n| *n == 1) {
            true => None,
            // No length is much larger than the extent, so only an extent near the largest number fails.
            false => self.elements(&chunks).ok(),
        }
    }

    /// Grows a shard of `chunks` along the dimensions `free`, fastest first, up to so many bytes and chunks. Shards along
    /// a dimension become about equally long.
    fn grow(&self, chunks: &mut [u64], free: &[usize], bytes: u64, count: u64) {
        let size = chunk_bytes(self.chunk, self.element_size)
            .unwrap_or(u64::MAX)
            .max(1);
        let used = chunks.iter().try_fold(1u64, |n, along| n.checked_mul(*along));
        let mut left = (bytes / size).min(count) / used.unwrap_or(u64::MAX).max(1);
        for &at in free.iter().rev() {
            let all = self.chunks(at);
            let most = all.min(left);
            if most <= 1 && all > 1 {
                break;
            }
            // As many shards as `most` needs, of equal length.
            chunks[at] = all.div_ceil(all.div_ceil(most.max(1)));
            if chunks[at] < all {
                break;
            }
            left /= all;
        }
    }

    /// A shard of the input, in whole chunks.
    fn rounded_up(&self, shard: &[u64]) -> Result<Vec<u64>> {
        let chunks: Vec<_> = shard
            .iter()
            .zip(self.chunk)
            .map(|(n, chunk)| n.div_ceil(*chunk).max(1))
            .collect();
        self.elements(&chunks)
    }

    fn elements(&self, chunks: &[u64]) -> Result<Vec<u64>> {
        let lengths = chunks
            .iter()
            .zip(self.chunk)
            .map(|(n, chunk)| n.checked_mul(*chunk));
        lengths.collect::<Option<_>>().ok_or_else(|| {
            Request::Shards.error("a shard would be longer than any number; ask for smaller lengths")
        })
    }
}

#[cfg(test)]
mod tests;
