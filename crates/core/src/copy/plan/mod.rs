//! Planning a copy: the input's schema and the user's options give the output's schema and layouts.
//!
//! ```text
//! options ─► select ─► which variables and groups
//!         ─► kind ───► the output's kind, and whether it can hold them
//!         ─► pipeline ─► filters of each variable     ┐
//!         ─► chunking ─► storage of each variable     ┤
//!         ─► sharding ─► shards of each variable      ┼─► CopyPlan
//!         ─► string_length ─► bytes of each string    ┘
//! ```
//!
//! Every error that can be foreseen is found here, before the output is touched.

mod auto;
mod chunk_spec;
mod chunking;
mod default_chunks;
mod external;
mod kind;
mod output_schema;
mod pages;
mod pipeline;
mod quantize;
mod select;
mod select_objects;
mod shard_spec;
mod sharding;
pub(crate) mod string_length;

pub use auto::AutoChoice;
pub use chunk_spec::{AskedLayout, ChunkSpec};
pub use chunking::{MAX_COMPACT_BYTES, chunk_bytes};
pub(crate) use chunking::{default_shape, one_chunk, possible_storage};
pub use default_chunks::{DEFAULT_CHUNK_BYTES, MAX_CHUNK_BYTES, default_chunk_shape};
pub use kind::{Unheld, unheld};
pub(crate) use pipeline::deflate_codec;
pub use quantize::QuantizeRequest;
pub use select::{Use, copied};
pub use select_objects::{for_selected, select_objects};
pub use shard_spec::ShardSpec;
pub(crate) use sharding::{auto_shard, whole_chunks};
pub use string_length::{DEFAULT_STRING_LENGTH, StringLength};

use super::{CopyPlan, SourcePart, Sources, VariableCopy};
use crate::error::{Error, Request, Result};
use crate::filter::spec::FilterRequest;
use crate::filter::{ChunkType, Registry};
use crate::format::Reader;
use crate::model::{
    ChunkKeys, CodecSpec, EdgeChunks, Encoding, Endian, Fill, FillTime, IndexLocation, Kind, Schema,
    SharedLayouts, Storage, VarId, VariableLayout, default_fill_value, fill_value_attribute,
};
use crate::subset::Subset;

use chunking::Chunking;
use output_schema::OutputSchema;
use pipeline::Requests;
use sharding::Sharding;
use string_length::fit_strings;

/// A list of names, as `-v`, `-V`, `-g` and `-G` take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Names or paths. A relative path matches every item whose path ends in it.
    pub names: Vec<String>,
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
    /// `-c` arguments, in the order given.
    pub chunking: Vec<ChunkSpec>,
    /// `--shard` arguments, in the order given.
    pub shards: Vec<ShardSpec>,
    /// `--shard-index`: the place of the index in each shard.
    pub shard_index: Option<IndexLocation>,
    /// `-F` arguments, in the order given.
    pub filters: Vec<FilterRequest>,
    /// `--quantize` arguments, in the order given.
    pub quantize: Vec<QuantizeRequest>,
    /// `--strlen`: the bytes of each string, in kinds where all strings of a variable take the same number.
    pub string_length: Option<StringLength>,
    /// `--page`: the size of the file's pages, in bytes; 0 for a file without pages. The default is that of the input.
    pub page_size: Option<u64>,
    /// `--skip-fill`: leave out chunks that hold only fill values.
    pub skip_fill: bool,
    /// `-v` or `-V`: the variables to copy.
    pub variables: Option<Listed>,
    /// `-g` or `-G`: the groups to copy.
    pub groups: Option<Listed>,
    /// `-M`, in bytes: if the program itself chooses the chunk shape and a chunk would be smaller, the
    /// variable stays contiguous.
    pub min_chunk_bytes: Option<u64>,
    /// Codecs for computing filter parameters, and for encoding the copy.
    pub registry: Registry,
}

/// Plans a copy of everything in `reader`, as `options` ask.
///
/// # Errors
/// [`Error::Request`] or [`Error::NotHeld`], which name the
/// item at fault.
pub fn plan(reader: &dyn Reader, options: &CopyOptions) -> Result<CopyPlan> {
    let input = reader.schema();
    if let (Some(fault), None, None) = (input.faults.first(), &options.variables, &options.groups) {
        return Err(Error::Damaged(fault.clone()));
    }
    if let (Some(refused), None, None) = (input.refused.first(), &options.variables, &options.groups) {
        return Err(Error::Usage(refused.clone()));
    }
    let kind = kind::output_kind(input, options)?;
    let page_size = pages::asked(input, options, kind)?;
    let requests = Requests::resolve(input, &options.filters, &options.registry)?;
    let fixes = kind.can().fixes_unlimited();
    let fixed = options.fix_unlimited || fixes;
    let chunking = Chunking::resolve(input, options, fixed)?;
    let sharding = Sharding::resolve(input, options, kind)?;
    let selected = select::select(input, options)?;
    if options.fix_unlimited && !fixes {
        refuse_fixing_empty(input)?;
    }
    let OutputSchema { mut schema, sources } = output_schema::build(input, &selected, kind, fixed);
    kind::check(&schema, kind)?;
    schema.page_size = page_size;

    let quantized = QuantizeRequest::resolve(&options.quantize, input, &schema)?;
    for (at, (source, _)) in sources.iter().enumerate() {
        if let Some(quantization) = quantized[source.0] {
            schema.vars[at].attributes.push(quantization.attribute());
        }
    }

    let mut choices = Vec::new();
    let mut variables = Vec::with_capacity(schema.vars.len());
    let mut layouts = SharedLayouts::default();
    for (at, &(source, used)) in sources.iter().enumerate() {
        if used == Use::Copy {
            reader.resolve_sources(source)?;
        }
        let var = Target {
            input,
            output: &schema,
            source,
            is_copied: used == Use::Copy,
            var: VarId(at),
            layout: reader.layout(source),
        };
        let layout = var
            .plan(reader, &requests, &chunking, &sharding, options, &mut choices)
            .map_err(|error| error.in_variable(&input.var_path(source)))?;
        let external = chunking
            .external(source)
            .map(|parts| external::placed(parts, &schema, VarId(at), &layout))
            .transpose()
            .map_err(|error| error.in_variable(&input.var_path(source)))?;
        variables.push(VariableCopy {
            sources: match used {
                Use::Copy => Sources::Whole(source),
                _ => Sources::Nothing,
            },
            layout: layouts.share(layout),
            keeps_no_fill: false,
            cuts_strings: options.string_length.is_some_and(|asked| asked.cut),
            skips_fill: options.skip_fill,
            external,
            quantization: quantized[source.0],
        });
    }
    Ok(CopyPlan {
        schema,
        variables,
        registry: options.registry.clone(),
        choices,
    })
}

/// Plans a copy of a part of a dataset, as `options` ask. The copy reads [`Subset::source`].
///
/// # Errors
/// The errors of [`plan`].
pub fn plan_part(part: &Subset, options: &CopyOptions) -> Result<CopyPlan> {
    let mut plan = plan(part, options)?;
    for copy in &mut plan.variables {
        let Sources::Whole(variable) = copy.sources else {
            continue;
        };
        if let Some(selections) = part.selections(variable) {
            let source = |selection| SourcePart { variable, selection };
            copy.sources = Sources::Parts(selections.into_iter().map(source).collect());
        }
    }
    Ok(plan)
}

fn refuse_fixing_empty(input: &Schema) -> Result<()> {
    match input.dims.iter().find(|d| d.unlimited && d.length == 0) {
        None => Ok(()),
        Some(dim) => {
            let name = match input.group_path(dim.group).as_str() {
                "/" => dim.name.clone(),
                path => format!("{path}/{}", dim.name),
            };
            Err(Request::FixedDimensions.error(format!(
                "the unlimited dimension {name} has length 0, and a fixed dimension cannot have that"
            )))
        }
    }
}

/// A variable of the output and its source in the input.
struct Target<'a> {
    input: &'a Schema,
    output: &'a Schema,
    source: VarId,
    /// True if it gets the values of its source.
    is_copied: bool,
    var: VarId,
    layout: &'a VariableLayout,
}

impl Target<'_> {
    fn plan(
        &self,
        reader: &dyn Reader,
        requests: &Requests,
        chunking: &Chunking,
        sharding: &Sharding,
        options: &CopyOptions,
        choices: &mut Vec<AutoChoice>,
    ) -> Result<VariableLayout> {
        let (element_size, encoding) = self.output.storage_encoding(self.output.var(self.var).ty);
        let can = self.output.kind.can();
        let mut layout = VariableLayout {
            storage: Storage::Contiguous,
            extent: self.extent(),
            element_size,
            encoding,
            endian: can.byte_order.unwrap_or(Endian::Little),
            filters: Vec::new(),
            edges: EdgeChunks::Full,
            shard: None,
            shard_index: IndexLocation::End,
            chunk_keys: ChunkKeys::DEFAULT,
            array_codecs: None,
            string_length: None,
            fill: self.layout.fill.clone(),
        };
        if can.no_fill && layout.extent != self.layout.extent && layout.fill.value.is_none() {
            // Past its extent the input reads as netCDF's default; what this variable's chunks do not cover must, too.
            if let Some(value) = default_fill_value(self.output.var(self.var).ty) {
                layout.fill = Fill {
                    value: Some(value),
                    explicit: true,
                    no_fill: false,
                    time: FillTime::IfSet,
                    ..Fill::default()
                };
            }
        }
        let apart = |kind: Kind| kind.can().fill_apart_from_attribute;
        if apart(self.input.kind)
            && !apart(self.output.kind)
            && let Some(value) = fill_value_attribute(self.output.var(self.var))
            && layout.fill.value.as_ref() != Some(value)
        {
            layout.fill = Fill {
                value: Some(value.clone()),
                explicit: true,
                no_fill: false,
                time: FillTime::IfSet,
                ..Fill::default()
            };
        }
        // A byte order that was chosen is kept; one that the input's format gives says nothing.
        let chosen = self.input.kind.can().byte_order.is_none();
        if can.byte_order.is_none() && chosen && encoding == self.layout.encoding {
            layout.endian = self.layout.endian;
        }
        if !can.chunks {
            return Ok(layout);
        }
        let source = self.is_copied.then_some(self.source);
        fit_strings(
            reader,
            source,
            self.output,
            self.var,
            &mut layout,
            options.string_length,
        )?;
        let stored_size = layout.stored_size();
        let addresses = layout.string_length.is_none() && self.input.has_heap(self.input.var(self.source).ty);
        let pipeline = requests.pipeline(
            self.input,
            self.source,
            self.layout,
            addresses,
            can.codecs,
            options,
        );
        let dims: Vec<_> = self
            .output
            .var(self.var)
            .dims
            .iter()
            .map(|d| self.output.dim(*d))
            .collect();
        let chosen = chunking.choose(
            self.source,
            self.layout,
            can,
            &dims,
            stored_size,
            &pipeline,
            options,
        )?;
        layout.storage = possible_storage(can, chosen.storage, stored_size, &dims);
        if can.shards {
            sharding.apply(self.input, self.source, self.layout, &mut layout)?;
        }
        if let (Storage::Chunked { shape }, false, Some(names)) =
            (&layout.storage, chosen.drop_filters, can.codecs)
        {
            // Two elements that are structured may still differ: in the significant bits of a member, say.
            let same_elements = encoding != Encoding::Structured
                && self.layout.encoding == encoding
                && self.layout.element_size == element_size;
            let same_chunks = same_elements && self.layout.storage == layout.storage;
            let ty = self.output.var(self.var).ty;
            let chunk = ChunkType::new(self.output, ty, &layout, shape).with_fill(&layout.fill);
            let pipeline = match pipeline.auto() {
                None => pipeline,
                Some(effort) => {
                    let of = (self.output, ty);
                    let (filters, choice) =
                        auto::choose(reader, self.source, of, &layout, effort, &options.registry)?;
                    choices.push(choice);
                    pipeline.chosen(filters)
                }
            };
            let source = match &self.layout.storage {
                Storage::Chunked { shape } if !same_chunks => {
                    let ty = self.input.var(self.source).ty;
                    Some(ChunkType::new(self.input, ty, self.layout, shape).with_fill(&self.layout.fill))
                }
                _ => None,
            };
            layout.filters =
                pipeline.stored(&options.registry, names, &chunk, source.as_ref(), same_chunks)?;
            if layout.filters == self.layout.filters {
                layout.array_codecs = self.layout.array_codecs;
            }
            if self.output.has_heap(ty) && layout.string_length.is_none() {
                // Elements of different lengths are written in their own order.
                let registry = &options.registry;
                let reorders =
                    |codec: &CodecSpec| registry.find(codec).is_some_and(|codec| codec.only_reorders());
                layout.filters.retain(|codec| !reorders(codec));
                layout.array_codecs = None;
            }
        }
        Ok(layout)
    }

    /// The variable's own lengths: the input's, except along dimensions that are fixed in the output. A kind without
    /// such lengths has those of the dimensions.
    fn extent(&self) -> Vec<u64> {
        let own_extents = self.output.kind.can().own_extents;
        let dims = &self.output.var(self.var).dims;
        dims.iter()
            .zip(&self.layout.extent)
            .map(|(dim, own)| {
                let dim = self.output.dim(*dim);
                if dim.unlimited && own_extents {
                    *own
                } else {
                    dim.length
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
