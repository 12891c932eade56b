//! The options of a copy.

use super::chunk_spec::ChunkSpec;
use super::quantize::QuantizeRequest;
use super::shard_spec::ShardSpec;
use super::string_length::StringLength;
use crate::copy::plan::programs::Limits;
use crate::filter::Registry;
use crate::filter::spec::FilterRequest;
use crate::model::{IndexLocation, Kind, NamePattern};

/// A list of names, as `-v`, `-V`, `-g` and `-G` take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Names or paths. A relative path matches every item whose path ends in it.
    pub names: Vec<NamePattern>,
    /// True if items that are not listed are still defined. Their data reads as fill.
    pub define_others: bool,
}

/// The options of a copy. The default copies the input as it is.
#[derive(Debug, Clone, Default)]
pub struct CopyOptions {
    /// `-k`, `-3` … `-7`: the kind of the output.
    pub kind: Option<Kind>,
    /// `-d`: the deflate level.
    pub deflate: Option<u32>,
    /// `-s`: shuffle before deflate.
    pub shuffle: bool,
    /// `-u`: make unlimited dimensions fixed.
    pub fix_unlimited: bool,
    /// `--fixed`: dimensions to make fixed.
    pub fixed_dims: Vec<String>,
    /// `--unlimited`: dimensions to make unlimited.
    pub unlimited_dims: Vec<String>,
    /// `-c` arguments, in the order given.
    pub chunking: Vec<ChunkSpec>,
    /// `--shard` arguments, in the order given.
    pub shards: Vec<ShardSpec>,
    /// `--shard-index`: the place of the index in each shard.
    pub shard_index: Option<IndexLocation>,
    /// `--as-shards`: each variable of numbers or characters has shards, which are HDF5 files too.
    pub shards_as_hdf5: bool,
    /// `-F` arguments, in the order given.
    pub filters: Vec<FilterRequest>,
    /// `--quantize` arguments, in the order given.
    pub quantize: Vec<QuantizeRequest>,
    /// `--strlen`: the bytes of each string, in kinds where all strings of a variable take the same number.
    pub string_length: Option<StringLength>,
    /// `--page`: the size of the file's pages, in bytes; 0 for a file without pages. The default is that of the input.
    pub page_size: Option<u64>,
    /// `--drop-unsupported`: leave out what the output's kind cannot hold.
    pub drop_unsupported: bool,
    /// `-k h5`: the copy is of HDF5 as it is, whose names and types netCDF does not limit.
    pub verbatim: bool,
    /// `--skip-fill`: leave out chunks that hold only fill values.
    pub skip_fill: bool,
    /// `--inline`: the most bytes of a variable that is stored among references as it is.
    pub inline_bytes: Option<u64>,
    /// `--copy-ragged`: store chunks among references as they are that are not those of one input.
    pub copy_ragged: bool,
    /// `-v` or `-V`: the variables to copy.
    pub variables: Option<Listed>,
    /// `--with-coordinates`: copy what the chosen variables need, too.
    pub with_coordinates: bool,
    /// `--exclude`: variables to leave out.
    pub excluded: Vec<NamePattern>,
    /// `-g` or `-G`: the groups to copy.
    pub groups: Option<Listed>,
    /// `-M`, in bytes: if the program itself chooses the chunk shape and a chunk would be smaller, the
    /// variable stays contiguous.
    pub min_chunk_bytes: Option<u64>,
    /// `--for`: the programs that are to read the output.
    pub limits: Limits,
    /// Codecs for computing filter parameters, and for encoding the copy.
    pub registry: Registry,
}
