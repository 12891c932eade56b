//! Which storage each variable of a copy gets: the rules of `-c` and `-M`.
//!
//! A variable that no option touches keeps its storage and chunk shape. Unlimited dimensions and filters need
//! chunks. A shape that options give in part takes its other lengths from the input's chunks, else from the
//! dimensions. A shape that nobody gave is netCDF-C's default. Chunks of strings that become longer in the output are cut. In a kind where every variable has chunks, what would be
//! contiguous or compact by an option is one chunk, and no default chunk is a single record.

use super::access_chunks::{access_chunk_shape, series_dimensions};
use super::dimension_lengths::DimensionLengths;
use super::netcdf_c_chunks::{DEFAULT_CHUNK_BYTES, MAX_CHUNK_BYTES, netcdf_c_chunk_shape};
use super::pipeline::{AskedPipeline, Wish};
use crate::copy::plan::request::{Access, AskedLayout, ChunkSpec, CopyOptions, named_variables};
use crate::error::{Request, Result};
use crate::model::{
    Capabilities, DimId, Dimension, ExternalPart, NamePattern, SLOT_SIZE, Schema, Storage, VarId,
    VariableLayout,
};

pub use ncutils_hdf5::MAX_COMPACT_BYTES;

/// The `-c` arguments, resolved to the input's variables and dimensions.
#[derive(Debug)]
pub struct Chunking {
    unchunked: bool,
    /// The way to read the data, and the largest chunk in bytes.
    access: Option<(Access, u64)>,
    /// For each variable, the dimension of its series; empty if no chunks for a way to read are asked for.
    series: Vec<usize>,
    by_var: Vec<Option<AskedLayout>>,
    by_dim: DimensionLengths,
    vars_dims: Vec<Vec<DimId>>,
    /// For each dimension of the input: true if it is unlimited there.
    unlimited: Vec<bool>,
}

/// The storage of one variable.
#[derive(Debug)]
pub struct Chosen {
    /// The chosen storage.
    pub storage: Storage,
    /// True if the variable loses its filters, because this storage cannot have any.
    pub drop_filters: bool,
}

impl Chunking {
    /// Resolves every `-c` argument against the input. With `fixed`, no dimension of the output is unlimited.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an unknown name, or a shape that does not fit its
    /// variable.
    pub fn resolve(input: &Schema, options: &CopyOptions, fixed: bool) -> Result<Self> {
        let mut chunking = Self {
            unchunked: false,
            access: None,
            series: Vec::new(),
            by_var: vec![None; input.vars.len()],
            by_dim: DimensionLengths::new(input),
            vars_dims: input.vars.iter().map(|v| v.dims.clone()).collect(),
            unlimited: input.dims.iter().map(|d| d.unlimited).collect(),
        };
        for spec in &options.chunking {
            match spec {
                ChunkSpec::Unchunked => chunking.unchunked = true,
                ChunkSpec::Access(access, most) => chunking.access = Some((*access, *most)),
                ChunkSpec::Dimensions(rule) => chunking.by_dim.add(input, rule, Request::Chunks)?,
                ChunkSpec::Variable { name, layout } => {
                    chunking.add_variables(input, name, layout, fixed)?;
                }
            }
        }
        if chunking.access.is_some() {
            chunking.series = series_dimensions(input);
        }
        Ok(chunking)
    }

    fn add_variables(
        &mut self,
        input: &Schema,
        name: &NamePattern,
        asked: &AskedLayout,
        fixed: bool,
    ) -> Result<()> {
        for var in named_variables(input, Request::Chunks, name)? {
            if let AskedLayout::Chunked(shape) = asked {
                check_shape(input, var, shape, fixed)?;
            }
            // As in netCDF-C, the first `-c` for a variable counts.
            self.by_var[var.0].get_or_insert_with(|| asked.clone());
        }
        Ok(())
    }

    /// The files that a variable of the input is to have its raw data in; `None` if none are asked for.
    pub fn external(&self, var: VarId) -> Option<&[ExternalPart]> {
        match &self.by_var[var.0] {
            Some(AskedLayout::External(parts)) => Some(parts),
            _ => None,
        }
    }

    /// True if an option that names a variable asks for no chunks, and `storage` has chunks all the same, in a kind that could have
    /// none: its unlimited dimension or its filters need them.
    pub fn keeps_chunks(&self, var: VarId, storage: &Storage, can: &Capabilities) -> bool {
        let asked = matches!(
            self.by_var[var.0],
            Some(AskedLayout::Contiguous | AskedLayout::Compact)
        );
        asked && can.contiguous && matches!(storage, Storage::Chunked { .. })
    }

    /// Chooses the storage of variable `var` of the input. `source` is its layout there, `dims` are its
    /// dimensions in the output, and `can` is what the output's kind can hold.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if a chunk or a compact variable would be larger than HDF5
    /// allows.
    pub fn choose(
        &self,
        var: VarId,
        source: &VariableLayout,
        can: &Capabilities,
        dims: &[&Dimension],
        element_size: usize,
        pipeline: &AskedPipeline,
        options: &CopyOptions,
    ) -> Result<Chosen> {
        let unlimited = dims.iter().any(|d| d.unlimited);
        let one_piece = |storage| {
            Ok(Chosen {
                storage,
                drop_filters: true,
            })
        };
        let chunked = |shape| {
            Ok(Chosen {
                storage: Storage::Chunked { shape },
                drop_filters: false,
            })
        };
        // Filters that an option asks for need chunks. Filters that only the input has give way to a
        // requested layout.
        let filters_asked = !pipeline.is_empty() && pipeline.wish != Wish::Kept;
        if self.external(var).is_some() && can.external_data {
            if filters_asked {
                return Err(Request::Chunks.error(
                    "data in external files cannot have filters; take them off this variable with -F 'VAR,none'",
                ));
            }
            return one_piece(Storage::Contiguous);
        }
        if dims.is_empty() && !can.contiguous {
            return chunked(Vec::new());
        }
        if dims.is_empty() {
            let compact = match &self.by_var[var.0] {
                Some(asked) => *asked == AskedLayout::Compact,
                None => source.storage == Storage::Compact,
            };
            return one_piece(if compact {
                Storage::Compact
            } else {
                Storage::Contiguous
            });
        }
        let asked = self.by_var[var.0]
            .clone()
            .or_else(|| self.unchunked.then_some(AskedLayout::Contiguous));
        match asked {
            Some(AskedLayout::Chunked(shape)) => return chunked(within_limit(shape, element_size, can)?),
            Some(AskedLayout::Contiguous | AskedLayout::Compact | AskedLayout::External(_))
                if !can.contiguous =>
            {
                return chunked(within_limit(one_chunk(dims), element_size, can)?);
            }
            Some(AskedLayout::Contiguous) if !unlimited && !filters_asked => {
                return one_piece(Storage::Contiguous);
            }
            Some(AskedLayout::Compact) if !unlimited && !filters_asked => {
                let bytes = dims
                    .iter()
                    .try_fold(element_size as u64, |n, d| n.checked_mul(d.length));
                if bytes.is_none_or(|n| n > MAX_COMPACT_BYTES) {
                    return Err(Request::Chunks.error(format!("compact storage holds at most {MAX_COMPACT_BYTES} bytes; leave the variable contiguous"
                    )));
                }
                return one_piece(Storage::Compact);
            }
            _ => {}
        }
        let for_access = self.for_access(var, dims, element_size);
        let own_shape = match &source.storage {
            _ if for_access.is_some() => for_access.as_deref(),
            Storage::Chunked { shape } => Some(shape.as_slice()),
            _ => None,
        };
        let lengths = self.by_dim.of(&self.vars_dims[var.0]);
        let named = lengths.iter().filter(|length| length.is_some()).count();
        if asked.is_none() && named > 0 {
            let shape = completed(&lengths, own_shape, dims, element_size);
            let partly = named < dims.len();
            if partly && !unlimited && pipeline.is_empty() && too_small(&shape, element_size, options) {
                return one_piece(Storage::Contiguous);
            }
            return chunked(within_limit(shape, element_size, can)?);
        }
        match own_shape {
            // What is small stays in one piece.
            Some(shape)
                if for_access.is_some() && !unlimited && pipeline.is_empty() && is_whole(shape, dims) =>
            {
                one_piece(source.storage.clone())
            }
            Some(shape) if for_access.is_some() => chunked(within_limit(shape.to_vec(), element_size, can)?),
            Some(shape) => {
                let kept = self.kept(var, shape, can, dims);
                let is_longer = can.fixed_strings && element_size > source.stored_size();
                match is_longer && chunk_bytes(&kept, element_size).is_none_or(|n| n > DEFAULT_CHUNK_BYTES) {
                    // Each string takes more bytes than in the input, where the shape was chosen.
                    true => {
                        let lengths: Vec<_> = kept.iter().map(|n| (*n, false)).collect();
                        chunked(default_chunk_shape(can, element_size, &lengths))
                    }
                    false if chunk_bytes(&kept, element_size).is_none_or(|n| n > can.largest_chunk) => {
                        chunked(within_limit(kept, element_size, can)?)
                    }
                    false => chunked(kept),
                }
            }
            None if unlimited || !pipeline.is_empty() => {
                let records = |d: &Dimension| d.unlimited && can.contiguous;
                let lengths: Vec<_> = dims.iter().map(|d| (d.length, records(d))).collect();
                let shape = default_chunk_shape(can, element_size, &lengths);
                if !unlimited && pipeline.wish != Wish::Named && too_small(&shape, element_size, options) {
                    return one_piece(source.storage.clone());
                }
                chunked(shape)
            }
            None => one_piece(source.storage.clone()),
        }
    }

    /// The chunk shape for a way to read the data, if chunks for one are asked for.
    fn for_access(&self, var: VarId, dims: &[&Dimension], element_size: usize) -> Option<Vec<u64>> {
        let (access, most) = self.access?;
        let lengths: Vec<u64> = dims.iter().map(|dim| dim.length).collect();
        let series = *self.series.get(var.0)?;
        Some(access_chunk_shape(access, most, element_size, &lengths, series))
    }

    /// The input's chunk shape, as far as the output can have it: see [`Capabilities::chunks_past_dimensions`].
    fn kept(&self, var: VarId, shape: &[u64], can: &Capabilities, dims: &[&Dimension]) -> Vec<u64> {
        let mut kept = clipped(shape, dims);
        if can.chunks_past_dimensions {
            for ((kept, own), dim) in kept.iter_mut().zip(shape).zip(&self.vars_dims[var.0]) {
                // A reference leads to a chunk as it is.
                if !self.unlimited[dim.0] || can.references {
                    *kept = *own;
                }
            }
        }
        kept
    }
}

/// True if one chunk of this shape holds the whole variable.
fn is_whole(shape: &[u64], dims: &[&Dimension]) -> bool {
    shape.iter().zip(dims).all(|(length, dim)| *length >= dim.length)
}

/// Refuses a chunk shape that does not fit a variable. With `fixed`, no dimension of the output is unlimited.
fn check_shape(input: &Schema, var: VarId, shape: &[u64], fixed: bool) -> Result<()> {
    let (name, dims) = (input.var_path(var), &input.var(var).dims);
    if shape.len() != dims.len() {
        return Err(Request::Chunks.error(format!(
            "variable {name} needs one chunk length for each dimension: {} in all, not {}",
            dims.len(),
            shape.len()
        )));
    }
    for (length, dim) in shape.iter().zip(dims) {
        let dim = input.dim(*dim);
        if *length > dim.length && (fixed || !dim.unlimited) {
            return Err(Request::Chunks.error(format!(
                "variable {name}: the chunk length {length} exceeds the dimension {} of length {}",
                dim.name, dim.length
            )));
        }
    }
    Ok(())
}

/// The chunk lengths given by dimension. Other lengths come from the input's chunks, else are whole dimensions (1 if unlimited).
fn completed(
    lengths: &[Option<Option<u64>>],
    own_shape: Option<&[u64]>,
    dims: &[&Dimension],
    element_size: usize,
) -> Vec<u64> {
    let mut free = Vec::new();
    let mut shape = Vec::with_capacity(dims.len());
    for (at, (dim, length)) in dims.iter().zip(lengths).enumerate() {
        let length = match length {
            Some(Some(length)) => *length,
            Some(None) => dim.length,
            None => {
                free.push(at);
                own_shape.map_or(if dim.unlimited { 1 } else { dim.length }, |own| own[at])
            }
        };
        shape.push(length.max(1));
    }
    let mut shape = clipped(&shape, dims);
    // Whole dimensions can make a chunk too large for HDF5. Only lengths that the user did not give are halved.
    halve(&mut shape, &free, element_size, MAX_CHUNK_BYTES);
    shape
}

/// Halves the longest of the lengths at `free` until a chunk takes at most `most` bytes, or all of these are 1.
fn halve(shape: &mut [u64], free: &[usize], element_size: usize, most: u64) {
    while chunk_bytes(shape, element_size).is_none_or(|n| n > most) {
        let longer = free.iter().copied().filter(|at| shape[*at] > 1);
        let Some(longest) = longer.max_by_key(|at| shape[*at]) else {
            break;
        };
        shape[longest] = shape[longest].div_ceil(2);
    }
}

/// Size of a default chunk, in bytes, above which netCDF-C's shape is cut. netCDF-C makes chunks of gigabytes where one
/// dimension is short and another very long.
const LARGEST_DEFAULT_CHUNK: u64 = 256 << 20;

/// The default chunk shape: netCDF-C's. One above [`LARGEST_DEFAULT_CHUNK`] is cut to [`DEFAULT_CHUNK_BYTES`], as far as one
/// element takes less. Where every variable has chunks, elements may be large, and each larger shape is cut.
pub fn default_chunk_shape(can: &Capabilities, element_size: usize, dims: &[(u64, bool)]) -> Vec<u64> {
    let mut shape = netcdf_c_chunk_shape(element_size, dims);
    let most = match can.contiguous {
        true => LARGEST_DEFAULT_CHUNK,
        false => DEFAULT_CHUNK_BYTES,
    };
    if chunk_bytes(&shape, element_size).is_none_or(|bytes| bytes > most) {
        let all: Vec<usize> = (0..shape.len()).collect();
        halve(&mut shape, &all, element_size, DEFAULT_CHUNK_BYTES);
    }
    shape
}

/// The storage of a variable in a kind that may lack what was chosen. What cannot be compact is in one piece; what cannot be in one
/// piece has chunks, of netCDF-C's default shape for fixed dimensions.
pub fn possible_storage(
    can: &Capabilities,
    chosen: Storage,
    element_size: usize,
    dims: &[&Dimension],
) -> Storage {
    match chosen {
        Storage::Compact if can.compact => Storage::Compact,
        Storage::Compact | Storage::Contiguous | Storage::Blocks { .. } if can.contiguous => {
            Storage::Contiguous
        }
        Storage::Compact | Storage::Contiguous | Storage::Blocks { .. } => {
            let lengths: Vec<_> = dims.iter().map(|d| (d.length, false)).collect();
            Storage::Chunked {
                shape: default_chunk_shape(can, element_size, &lengths),
            }
        }
        chunked @ Storage::Chunked { .. } => chunked,
    }
}

/// The shape of the only chunk of a variable.
pub fn one_chunk(dims: &[&Dimension]) -> Vec<u64> {
    dims.iter().map(|d| d.length.max(1)).collect()
}

/// The bytes of a chunk of this shape; `None` where they are too many to count.
pub fn chunk_bytes(shape: &[u64], element_size: usize) -> Option<u64> {
    shape
        .iter()
        .try_fold(element_size as u64, |n, length| n.checked_mul(*length))
}

fn too_small(shape: &[u64], element_size: usize, options: &CopyOptions) -> bool {
    options
        .min_chunk_bytes
        .is_some_and(|min| chunk_bytes(shape, element_size).is_some_and(|n| n < min))
}

/// Cuts a chunk shape to the dimensions that cannot grow.
fn clipped(shape: &[u64], dims: &[&Dimension]) -> Vec<u64> {
    shape
        .iter()
        .zip(dims)
        .map(|(n, d)| {
            if d.unlimited {
                *n
            } else {
                (*n).min(d.length.max(1))
            }
        })
        .collect()
}

fn within_limit(shape: Vec<u64>, element_size: usize, can: &Capabilities) -> Result<Vec<u64>> {
    // Elements that are longer than any in memory are strings.
    let or_cut = match can.fixed_strings && element_size > SLOT_SIZE {
        true => ", or cut the strings",
        false => "",
    };
    match chunk_bytes(&shape, element_size) {
        Some(n) if n <= MAX_CHUNK_BYTES => Ok(shape),
        _ => Err(Request::Chunks.error(format!(
            "a chunk of shape {shape:?}, with elements of {element_size} bytes, is larger than 4 GiB; ask for smaller lengths{or_cut}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_chunks_of_gigabytes_are_cut() {
        let mut can = Capabilities::new("any storage");
        can.contiguous = true;
        let dims = [(0, true), (2_199_023_255_577, false), (8, false)];
        assert!(chunk_bytes(&netcdf_c_chunk_shape(4, &dims), 4).unwrap() > 1 << 31);
        let shape = default_chunk_shape(&can, 4, &dims);
        assert!(
            chunk_bytes(&shape, 4).unwrap() <= DEFAULT_CHUNK_BYTES,
            "{shape:?}"
        );
        let dims = [(5, false), (1_000_000, false)];
        assert_eq!(
            default_chunk_shape(&can, 4, &dims),
            netcdf_c_chunk_shape(4, &dims)
        );
    }

    #[test]
    fn default_chunks_of_large_elements_are_cut_where_every_variable_has_chunks() {
        let mut can = Capabilities::new("chunks only");
        can.contiguous = false;
        let dims = [(5, false), (1_000_000_000, false)];
        // netCDF-C's shape has length 1 along the first dimension, and the second is not cut for that.
        let shape = netcdf_c_chunk_shape(1_000_000, &dims);
        assert!(chunk_bytes(&shape, 1_000_000).unwrap() > MAX_CHUNK_BYTES);
        let shape = default_chunk_shape(&can, 1_000_000, &dims);
        assert!(
            chunk_bytes(&shape, 1_000_000).unwrap() <= DEFAULT_CHUNK_BYTES,
            "{shape:?}"
        );
        assert_eq!(default_chunk_shape(&can, i32::MAX as usize, &dims), [1, 1]);
        for dims in [vec![(248, false), (361, false), (720, false)], vec![(0, true)]] {
            assert_eq!(
                default_chunk_shape(&can, 4, &dims),
                netcdf_c_chunk_shape(4, &dims)
            );
        }
    }
}
