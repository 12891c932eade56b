//! Which filters each variable of a copy gets: the rules of `-F`, `-d` and `-s`.

use crate::copy::plan::request::CopyOptions;
use crate::error::{Request, Result};
use crate::filter::spec::{FilterRequest, Targets};
use crate::filter::{
    AskedCodec, ChunkType, CodecInput, Effort, Registry, checksum::fletcher32, deflate::deflate,
    deflate::gzip, shuffle::shuffle,
};
use crate::model::similar::question;
use crate::model::{
    CodecNames, CodecSpec, Configuration, Schema, Storage, Type, VarId, VariableLayout, ZarrVersion,
};

/// The filters that a variable is to have, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPipeline {
    filters: Filters,
    /// Where the filters come from.
    pub wish: Wish,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Filters {
    /// The input's filters, in order, with their flags and parameters. True inserts shuffle before deflate.
    Kept(Vec<CodecSpec>, bool),
    /// New codecs, as the user asks for them.
    New(Vec<AskedCodec>),
}

impl AskedPipeline {
    fn new(filters: Vec<AskedCodec>, wish: Wish) -> Self {
        Self {
            filters: Filters::New(filters),
            wish,
        }
    }

    fn kept(source: &VariableLayout, shuffle: bool) -> Self {
        // The filters of blocks are made for their order of elements.
        let filters = match source.storage {
            Storage::Blocks { .. } => Vec::new(),
            _ => source.filters.clone(),
        };
        Self {
            filters: Filters::Kept(filters, shuffle),
            wish: Wish::Kept,
        }
    }

    /// The effort for filters that are to be chosen by the data.
    pub fn auto(&self) -> Option<Effort> {
        match &self.filters {
            Filters::New(filters) => match filters[..] {
                [AskedCodec::Auto(effort)] => Some(effort),
                _ => None,
            },
            Filters::Kept(..) => None,
        }
    }

    /// These filters instead.
    pub fn chosen(self, filters: Vec<AskedCodec>) -> Self {
        Self::new(filters, self.wish)
    }

    /// True if there are no filters.
    pub fn is_empty(&self) -> bool {
        match &self.filters {
            Filters::Kept(filters, _) => filters.is_empty(),
            Filters::New(filters) => filters.is_empty(),
        }
    }

    /// The filters as a variable of such chunks stores them, named as `names` says. `source` is the type of the input's chunks,
    /// if it has any. With `same_chunks`, the output's are such ones, and the input's parameters stay as they are. Else
    /// they are adapted, and codecs that need elements go first: only there can all programs read what they do.
    ///
    /// # Errors
    /// What a filter refuses of this variable, and a codec that has no such name.
    pub fn stored(
        self,
        registry: &Registry,
        names: CodecNames,
        chunk: &ChunkType,
        source: Option<&ChunkType>,
        same_chunks: bool,
    ) -> Result<Vec<CodecSpec>> {
        let new = |filters: &[AskedCodec], chunk: &ChunkType| -> Result<Vec<CodecSpec>> {
            let pipeline = registry.new_pipeline(filters, chunk)?;
            let mut types = registry.begin(chunk);
            let mut named = |filter: &CodecSpec| {
                let named = registry.in_output(filter, names, types.given());
                types.pass(filter);
                named
            };
            pipeline.iter().map(&mut named).collect()
        };
        let (kept, shuffle) = match self.filters {
            Filters::New(filters) => return new(&filters, chunk),
            Filters::Kept(filters, shuffle) => (filters, shuffle),
        };
        let mut kept: Vec<_> = match source {
            Some(source) => {
                let mut types = registry.begin(source);
                let typed = kept.into_iter().map(|filter| {
                    let from = types.pass(&filter).into_owned();
                    (filter, Some(from))
                });
                typed.collect()
            }
            None => kept.into_iter().map(|filter| (filter, None)).collect(),
        };
        // A format that has no name for an order of elements has an order of its own.
        kept.retain(|(filter, _)| {
            let reorders = registry
                .find(filter)
                .is_some_and(|codec| codec.facts().only_reorders);
            !reorders || registry.named(filter, names, chunk).is_ok()
        });
        // So has a format that has no name for a checksum at the end. The copy verifies it.
        while kept.last().is_some_and(|(filter, _)| {
            let is_checksum = registry
                .find(filter)
                .is_some_and(|codec| codec.facts().is_checksum);
            is_checksum && registry.named(filter, names, chunk).is_err()
        }) {
            kept.pop();
        }
        if !same_chunks {
            kept.sort_by_key(|(filter, _)| {
                registry
                    .find(filter)
                    .is_none_or(|codec| codec.facts().input < CodecInput::Elements)
            });
        }
        let mut types = registry.begin(chunk);
        let mut filters = Vec::with_capacity(kept.len() + 1);
        for (filter, from) in kept {
            let filter = match names {
                // Not every program has what numcodecs adds to version 3, so it comes there only by request.
                CodecNames::Zarr(ZarrVersion::V3) => registry.named(&filter, names, types.given())?,
                _ => registry.named_or_equivalent(&filter, names, types.given())?,
            };
            if shuffle && deflates(registry, &filter) {
                filters.extend(new(&[AskedCodec::id(shuffle::ID, [])], types.given())?);
            }
            let filter = match (same_chunks, from) {
                (true, _) => filter,
                (false, Some(from)) => registry.moved(&filter, &from, types.given())?,
                (false, None) => registry.adapted(&filter, types.given())?,
            };
            types.pass(&filter);
            filters.push(filter);
        }
        Ok(filters)
    }
}

/// The codec that compresses with deflate at a level, where only a level is asked for. In version 3 of Zarr, that is the
/// core codec `gzip`, which every program has.
pub fn deflate_codec(level: u32, names: Option<CodecNames>) -> AskedCodec {
    match names {
        Some(CodecNames::Zarr(version @ ZarrVersion::V3)) => {
            let configuration = Configuration::from_iter([("level".to_owned(), level.into())]);
            AskedCodec::Zarr(CodecSpec::zarr(version, gzip::NAME, configuration))
        }
        _ => AskedCodec::id(deflate::ID, [level]),
    }
}

/// True for codecs whose stream is deflate's, in whatever wrapping.
fn deflates(registry: &Registry, codec: &CodecSpec) -> bool {
    registry.hdf5_id(codec) == Some(deflate::ID)
        || registry
            .find(codec)
            .is_some_and(|codec| codec.name() == gzip::NAME)
}

fn is_shuffle(codec: &AskedCodec) -> bool {
    match codec {
        AskedCodec::Id { id, .. } => *id == shuffle::ID,
        AskedCodec::Name { name, .. } => name == "shuffle",
        _ => false,
    }
}

/// Where a variable's filters come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wish {
    /// From the input.
    Kept,
    /// From an option for all variables (`-d`, `-F '*,…'`).
    General,
    /// From a `-F` that names the variable.
    Named,
}

/// The `-F` request that covers each variable of the schema.
#[derive(Debug)]
pub struct FilterRequests<'a> {
    by_var: Vec<Option<(&'a FilterRequest, Wish)>>,
}

impl<'a> FilterRequests<'a> {
    /// Finds the variables that each `-F` covers. A `-F` that names a variable beats `*`, and a later one
    /// beats an earlier one.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an unknown name, for a scalar that is named, and for a variable in
    /// place of a filter.
    pub fn resolve(input: &Schema, requests: &'a [FilterRequest], registry: &Registry) -> Result<Self> {
        let mut by_var: Vec<Option<(&FilterRequest, Wish)>> = vec![None; input.vars.len()];
        for request in requests {
            for codec in &request.pipeline {
                if let AskedCodec::Name { name, .. } = codec
                    && input.var_at(name).is_some()
                    && codec.hdf5_id(registry).is_none()
                    && registry.by_name(name).is_none()
                {
                    return Err(Request::Filters.error(format!(
                        "'{name}' is a variable, not a filter: '|' joins filters, '&' joins variables, and other filters for \
                         other variables are a request of their own"
                    )));
                }
            }
            let Targets::Named(names) = &request.targets else {
                for (at, var) in input.vars.iter().enumerate() {
                    let named = by_var[at].is_some_and(|(_, wish)| wish == Wish::Named);
                    if !named && !var.dims.is_empty() {
                        by_var[at] = Some((request, Wish::General));
                    }
                }
                continue;
            };
            for name in names {
                let VarId(at) = input.var_at(name).ok_or_else(|| {
                    let names = input.vars.iter().map(|var| var.name.as_str());
                    let meant = question(name, names);
                    Request::Filters.error(format!("the input has no variable named '{name}'{meant}"))
                })?;
                if input.vars[at].dims.is_empty() && !request.pipeline.is_empty() {
                    return Err(Request::Filters
                        .error(format!("variable {name} is a scalar, which cannot have filters")));
                }
                by_var[at] = Some((request, Wish::Named));
            }
        }
        Ok(Self { by_var })
    }

    /// The filters of variable `var` of the input, whose layout is `source`, for an output kind whose codecs have `names`.
    /// With `addresses`, the output's chunks hold addresses of heap data.
    pub fn pipeline(
        &self,
        input: &Schema,
        var: VarId,
        source: &VariableLayout,
        addresses: bool,
        names: Option<CodecNames>,
        options: &CopyOptions,
    ) -> AskedPipeline {
        let scalar = input.var(var).dims.is_empty();
        // netCDF-C reads wrong strings where they are shuffled, and text gains nothing by it.
        let is_text = input.var(var).ty == Type::String;
        // A filter would see heap addresses, not the data. netCDF-C gives such variables no filters either. In the input,
        // filters see strings themselves where these lie in the chunks.
        let kept = |shuffle| match addresses && input.kind.can().fixed_strings {
            true => AskedPipeline::new(Vec::new(), Wish::Kept),
            false => AskedPipeline::kept(source, shuffle),
        };
        if let Some((request, wish)) = self.by_var[var.0] {
            if addresses && wish == Wish::General && !request.pipeline.is_empty() {
                return kept(false);
            }
            let mut pipeline = request.pipeline.clone();
            if is_text && wish == Wish::General {
                pipeline.retain(|codec| !is_shuffle(codec));
            }
            return AskedPipeline::new(pipeline, wish);
        }
        let has = |id: u32| {
            source
                .filters
                .iter()
                .any(|f| options.registry.hdf5_id(f) == Some(id))
        };
        if let (Some(level), false, false) = (options.deflate, scalar, addresses) {
            let mut filters = Vec::new();
            if has(fletcher32::ID) {
                filters.push(AskedCodec::id(fletcher32::ID, []));
            }
            if level == 0 {
                return AskedPipeline::new(filters, Wish::Kept);
            }
            if options.shuffle && !is_text {
                filters.push(AskedCodec::id(shuffle::ID, []));
            }
            filters.push(deflate_codec(level, names));
            return AskedPipeline::new(filters, Wish::General);
        }
        let deflated = source.filters.iter().any(|f| deflates(&options.registry, f));
        kept(options.shuffle && !addresses && deflated && !has(shuffle::ID))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Configuration, ZarrVersion};

    #[test]
    fn a_checksum_at_the_end_is_left_out_where_it_has_no_name() {
        let v3 = |name: &str| CodecSpec::zarr(ZarrVersion::V3, name, Configuration::new());
        let zlib = || {
            let level = Configuration::from_iter([("level".to_owned(), 5.into())]);
            CodecSpec::zarr(ZarrVersion::V3, "numcodecs.zlib", level)
        };
        let stored = |filters: &[CodecSpec], names| {
            let pipeline = AskedPipeline {
                filters: Filters::Kept(filters.to_vec(), false),
                wish: Wish::Kept,
            };
            let chunk = ChunkType::of_bytes(100);
            pipeline.stored(&Registry::builtin(), names, &chunk, None, true)
        };
        let deflate = CodecSpec::hdf5(1, [5]).with_name("deflate");
        let two = [zlib(), v3("numcodecs.adler32"), v3("crc32c")];
        assert_eq!(
            stored(&two, CodecNames::Hdf5).unwrap(),
            std::slice::from_ref(&deflate)
        );
        assert_eq!(stored(&two, CodecNames::Zarr(ZarrVersion::V3)).unwrap(), two);
        // HDF5 has a name for this one.
        let own = stored(&[zlib(), v3("numcodecs.fletcher32")], CodecNames::Hdf5).unwrap();
        assert_eq!(own[0], deflate);
        assert_eq!(own[1].hdf5_id(), Some(fletcher32::ID));
        // Elsewhere it is part of what others encode.
        let error = stored(&[v3("crc32c"), zlib()], CodecNames::Hdf5).unwrap_err();
        assert!(
            error.to_string().contains("codec crc32c has no form in HDF5"),
            "{error}"
        );
    }
}
