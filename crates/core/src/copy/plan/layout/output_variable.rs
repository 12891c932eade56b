//! How one variable of the output is stored.

use super::auto::{self, AutoChoice, ChosenFor};
use super::chunking::{Chunking, possible_storage};
use super::inlined::in_one_chunk;
use super::kept_filters::{FilterChange, StoredChunks};
use super::pipeline::FilterRequests;
use super::sharding::Sharding;
use super::string_length::fit_strings;
use crate::copy::plan::notices::Notices;
use crate::copy::plan::programs::lacking_usually;
use crate::copy::plan::request::CopyOptions;
use crate::error::Result;
use crate::filter::ChunkType;
use crate::format::{Reader, filters_of_hdf5_shards};
use crate::model::{
    CodecNames, CodecSpec, Encoding, Endian, Fill, FillTime, Kind, Schema, Storage, Values, VarId,
    VariableLayout, default_fill_value, fill_value_attribute,
};

/// What is told of filters that most users' netCDF-C lacks.
const LACKING_USUALLY: &str =
    "Debian's netcdf-bin, cdo and nco lack these filters, as netCDF-C without plugins does";

/// A fill value for cells that are never written.
fn filled_with(value: Values) -> Fill {
    Fill {
        value: Some(value),
        explicit: true,
        no_fill: false,
        time: FillTime::IfSet,
        ..Fill::default()
    }
}

/// A variable of the output and its source in the input.
pub struct OutputVariable<'a> {
    pub input: &'a Schema,
    pub output: &'a Schema,
    pub source: VarId,
    /// True if it gets the values of its source.
    pub is_copied: bool,
    pub var: VarId,
    pub layout: &'a VariableLayout,
}

impl OutputVariable<'_> {
    /// The layout of the variable. Filters that the data chooses are added to `choices`, and changes that nobody asked for to
    /// `notices`.
    ///
    /// # Errors
    /// A request that the variable cannot fulfil.
    pub fn plan(
        &self,
        reader: &dyn Reader,
        requests: &FilterRequests,
        chunking: &Chunking,
        sharding: &Sharding,
        options: &CopyOptions,
        (choices, notices): (&mut Vec<AutoChoice>, &mut Notices),
    ) -> Result<VariableLayout> {
        let (element_size, encoding) = self.output.storage_encoding(self.output.var(self.var).ty);
        let can = self.output.kind.can();
        let mut layout = VariableLayout {
            endian: can.byte_order.unwrap_or(Endian::Little),
            fill: self.layout.fill.clone(),
            ..VariableLayout::contiguous(self.extent(), element_size, encoding)
        };
        if can.no_fill && layout.extent != self.layout.extent && layout.fill.value.is_none() {
            // Past its extent the input reads as netCDF's default; what this variable's chunks do not cover must, too.
            if let Some(value) = default_fill_value(self.output.var(self.var).ty) {
                layout.fill = filled_with(value);
            }
        }
        let apart = |kind: Kind| kind.can().fill_apart_from_attribute;
        if !self.is_copied
            && layout.fill.no_fill
            && apart(self.input.kind)
            && let Some(value) = default_fill_value(self.output.var(self.var).ty)
        {
            // The input has all its values, so its lack of a fill value says nothing of cells that get none of them.
            layout.fill = filled_with(value);
        }
        if apart(self.input.kind)
            && !apart(self.output.kind)
            && let Some(value) = fill_value_attribute(self.output.var(self.var))
            && layout.fill.value.as_ref() != Some(value)
        {
            layout.fill = filled_with(value.clone());
        }
        // A byte order that was chosen is kept; one that the input's format gives says nothing.
        let chosen = self.input.kind.can().byte_order.is_none() || can.references;
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
        let dims: Vec<_> = self
            .output
            .var(self.var)
            .dims
            .iter()
            .map(|d| self.output.dim(*d))
            .collect();
        if let Some(storage) = in_one_chunk(self.output, self.var, &layout, &dims, options) {
            layout.storage = storage;
            return Ok(layout);
        }
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
        let chosen = chunking.choose(
            self.source,
            self.layout,
            can,
            &dims,
            stored_size,
            &pipeline,
            options,
        )?;
        if chunking.keeps_chunks(self.source, &chosen.storage, can) {
            let sort = "no chunks are asked for, but an unlimited dimension or filters need them, so these variables have chunks";
            notices.add(sort.to_owned(), self.input.var_path(self.source));
        }
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
                    let chosen_for = ChosenFor {
                        schema: self.output,
                        ty,
                        layout: &layout,
                        names,
                        limits: &options.limits,
                        registry: &options.registry,
                    };
                    // What a user asks to be chosen by its data is sampled, whatever that takes.
                    let mut unlimited = u64::MAX;
                    let (filters, choice) =
                        auto::choose(reader, self.source, &chosen_for, effort, &mut unlimited)?;
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
            let is_new = pipeline.is_new();
            let stored = pipeline.stored(&StoredChunks {
                registry: &options.registry,
                names,
                chunk: &chunk,
                source: source.as_ref(),
                limits: &options.limits,
                only_numcodecs: can.only_numcodecs,
                same_chunks,
            })?;
            layout.filters = stored.filters;
            // In another format, what is kept is new too.
            let kept = self.input.kind.can().codecs;
            let in_hdf5 = match names {
                CodecNames::Hdf5 => Some(layout.filters.clone()),
                _ if options.shards_as_hdf5 => filters_of_hdf5_shards(self.output, self.var, &layout).ok(),
                _ => None,
            };
            if options.limits.is_empty()
                && (is_new || kept != Some(CodecNames::Hdf5))
                && let Some(filters) = in_hdf5
                && let Some(lacking) = lacking_usually(&filters, &options.registry)
            {
                let path = self.input.var_path(self.source);
                notices.add(
                    LACKING_USUALLY.to_owned(),
                    format!("{path} ({})", lacking.join(", ")),
                );
            }
            if let Some(change) = &stored.change {
                self.tell(change, &layout, notices);
            }
            if options.shards_as_hdf5 && layout.extent.is_empty() {
                // HDF5 stores scalars without filters.
                layout.filters = Vec::new();
            }
            if layout.filters == self.layout.filters {
                layout.array_codecs = self.layout.array_codecs;
            }
            if self.output.has_heap(ty) && layout.string_length.is_none() {
                // Elements of different lengths are written in their own order.
                let registry = &options.registry;
                let reorders = |codec: &CodecSpec| {
                    registry
                        .find(codec)
                        .is_some_and(|codec| codec.facts().only_reorders)
                };
                layout.filters.retain(|codec| !reorders(codec));
                layout.array_codecs = None;
            }
        }
        Ok(layout)
    }

    /// Tells a change of the filters.
    fn tell(&self, change: &FilterChange, layout: &VariableLayout, notices: &mut Notices) {
        let kind = self.output.kind.name();
        let (sort, filters) = match change {
            FilterChange::LeftOut(filters) => (
                format!(
                    "{kind} stores text itself, and no addresses of it, so filters of elements are left out"
                ),
                filters,
            ),
            FilterChange::Replaced(filters) => {
                let new: Vec<&str> = layout.filters.iter().map(CodecSpec::name).collect();
                let new = new.join(" and ");
                let sort = format!(
                    "{kind} has no form of some filters, so their variables are encoded anew with {new}"
                );
                (sort, filters)
            }
            FilterChange::Lacking(program, filters) => {
                let new: Vec<&str> = layout.filters.iter().map(CodecSpec::name).collect();
                let new = new.join(" and ");
                let sort =
                    format!("{program} lacks some filters, so their variables are encoded anew with {new}");
                (sort, filters)
            }
        };
        let path = self.input.var_path(self.source);
        notices.add(sort, format!("{path} ({})", filters.join(", ")));
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
