//! What a copy is to be: the input's schema and the user's options make the output's schema and layouts.
//!
//! ```text
//! options ─► select ─► which variables and groups
//!         ─► kind ───► the output's kind, and whether it can hold them
//!         ─► pipeline ─► filters of each variable     ┐
//!         ─► chunking ─► storage of each variable     ┴─► CopyPlan
//! ```
//!
//! Everything that can be known to fail is found here, before the output is touched.

mod chunk_spec;
mod chunking;
mod default_chunks;
mod kind;
mod output_schema;
mod pipeline;
mod select;

pub use chunk_spec::{AskedLayout, ChunkSpec};
pub use chunking::{MAX_COMPACT_BYTES, chunk_bytes};
pub use default_chunks::{DEFAULT_CHUNK_BYTES, MAX_CHUNK_BYTES, default_chunk_shape};
pub use kind::{Unheld, unheld};
pub use select::Use;

use super::{CopyPlan, Sources, VariableCopy};
use crate::error::{Request, Result};
use crate::filter::spec::FilterRequest;
use crate::filter::{ChunkType, Registry};
use crate::format::Reader;
use crate::model::{
    EdgeChunks, Encoding, Endian, Fill, FillTime, Kind, Schema, SharedLayouts, Storage, VarId,
    VariableLayout, default_fill_value,
};

use chunking::Chunking;
use output_schema::OutputSchema;
use pipeline::Requests;

/// A list of names, as `-v`, `-V`, `-g` and `-G` take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Names or paths; a relative path means all whose path ends in it.
    pub names: Vec<String>,
    /// Whether what is not listed is still defined (and reads as fill).
    pub define_others: bool,
}

/// What the user asks of a copy. The default asks for nothing: a copy as the input is.
#[derive(Debug, Clone, Default)]
pub struct CopyOptions {
    /// `-k`, `-3` … `-7`.
    pub kind: Option<Kind>,
    /// `-d`.
    pub deflate: Option<u32>,
    /// `-s`.
    pub shuffle: bool,
    /// `-u`.
    pub fix_unlimited: bool,
    /// `-c`, in the order given.
    pub chunking: Vec<ChunkSpec>,
    /// `-F`, in the order given.
    pub filters: Vec<FilterRequest>,
    /// `-v`, `-V`.
    pub variables: Option<Listed>,
    /// `-g`, `-G`.
    pub groups: Option<Listed>,
    /// `-M`: where the program itself decides on chunking, a variable whose chunk would take fewer bytes stays in one piece.
    pub min_chunk_bytes: Option<u64>,
    /// The codecs that parameters are worked out with, and that the copy encodes with.
    pub registry: Registry,
}

/// Plans a copy of all that `reader` has, as `options` ask.
///
/// # Errors
/// [`Error::Request`](crate::Error::Request) or [`Error::NotHeld`](crate::Error::NotHeld), which name the item at fault.
pub fn plan(reader: &dyn Reader, options: &CopyOptions) -> Result<CopyPlan> {
    let input = reader.schema();
    let kind = kind::output_kind(input, options)?;
    let requests = Requests::resolve(input, &options.filters)?;
    let chunking = Chunking::resolve(input, options)?;
    let selected = select::select(input, options)?;
    if options.fix_unlimited {
        refuse_fixing_empty(input)?;
    }
    let OutputSchema { schema, sources } =
        output_schema::build(input, &selected, kind, options.fix_unlimited);
    kind::check(&schema, kind)?;

    let mut variables = Vec::with_capacity(schema.vars.len());
    let mut layouts = SharedLayouts::default();
    for (at, &(source, used)) in sources.iter().enumerate() {
        let var = Target {
            input,
            output: &schema,
            source,
            var: VarId(at),
            layout: reader.layout(source),
        };
        let layout = var
            .plan(&requests, &chunking, options)
            .map_err(|error| error.in_variable(&input.var_path(source)))?;
        variables.push(VariableCopy {
            sources: match used {
                Use::Copy => Sources::Whole(source),
                _ => Sources::Nothing,
            },
            layout: layouts.share(layout),
            keeps_no_fill: false,
        });
    }
    Ok(CopyPlan {
        schema,
        variables,
        registry: options.registry.clone(),
    })
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

/// One variable on its way from the input to the output.
struct Target<'a> {
    input: &'a Schema,
    output: &'a Schema,
    source: VarId,
    var: VarId,
    layout: &'a VariableLayout,
}

impl Target<'_> {
    fn plan(
        &self,
        requests: &Requests,
        chunking: &Chunking,
        options: &CopyOptions,
    ) -> Result<VariableLayout> {
        let (element_size, encoding) = self.output.storage_encoding(self.output.var(self.var).ty);
        let hdf5 = self.output.kind.is_hdf5();
        let mut layout = VariableLayout {
            storage: Storage::Contiguous,
            extent: self.extent(),
            element_size,
            encoding,
            endian: if hdf5 { Endian::Little } else { Endian::Big },
            filters: Vec::new(),
            edges: EdgeChunks::Full,
            shard: None,
            fill: self.layout.fill.clone(),
        };
        if !hdf5 {
            return Ok(layout);
        }
        if layout.extent != self.layout.extent && layout.fill.value.is_none() {
            // Past its extent the input reads as netCDF's default; what this variable's chunks do not cover must, too.
            if let Some(value) = default_fill_value(self.output.var(self.var).ty) {
                layout.fill = Fill {
                    value: Some(value),
                    explicit: true,
                    no_fill: false,
                    time: FillTime::IfSet,
                };
            }
        }
        if self.input.kind.is_hdf5() && encoding == self.layout.encoding {
            layout.endian = self.layout.endian;
        }
        let pipeline = requests.pipeline(self.input, self.source, self.layout, options);
        let dims: Vec<_> = self
            .output
            .var(self.var)
            .dims
            .iter()
            .map(|d| self.output.dim(*d))
            .collect();
        let chosen = chunking.choose(self.source, self.layout, &dims, element_size, &pipeline, options)?;
        if let (Storage::Chunked { shape }, false) = (&chosen.storage, chosen.drop_filters) {
            // Two elements that are structured may still differ: in the significant bits of a member, say.
            let same_elements = encoding != Encoding::Structured
                && self.layout.encoding == encoding
                && self.layout.element_size == element_size;
            let same_chunks = same_elements && self.layout.storage == chosen.storage;
            let chunk = ChunkType::new(self.output, self.output.var(self.var).ty, &layout, shape);
            layout.filters = pipeline.stored(&options.registry, &chunk, same_chunks)?;
        }
        layout.storage = chosen.storage;
        Ok(layout)
    }

    /// The variable's own lengths: the input's, except along dimensions that are fixed in the output.
    fn extent(&self) -> Vec<u64> {
        let dims = &self.output.var(self.var).dims;
        dims.iter()
            .zip(&self.layout.extent)
            .map(|(dim, own)| {
                let dim = self.output.dim(*dim);
                if dim.unlimited { *own } else { dim.length }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
