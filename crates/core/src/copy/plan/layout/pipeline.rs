//! Which filters each variable of a copy gets: the rules of `-F`, `-d` and `-s`.

use super::asked_filters::{deflate_codec, deflates, new_filters};
use super::kept_filters::{KeptFilters, StoredChunks, StoredFilters, lacks};
use crate::copy::plan::request::{CopyOptions, named_variables};
use crate::error::{Request, Result};
use crate::filter::spec::{FilterRequest, Targets};
use crate::filter::{AskedCodec, Effort, Registry, checksum::fletcher32, shuffle::shuffle};
use crate::model::{CodecNames, Schema, Type, VarId, VariableLayout};

/// The filters that a variable is to have, and where they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPipeline {
    filters: Filters,
    /// Where the filters come from.
    pub wish: Wish,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Filters {
    /// The input's filters.
    Kept(KeptFilters),
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

    fn kept(filters: KeptFilters) -> Self {
        Self {
            filters: Filters::Kept(filters),
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
            Filters::Kept(_) => None,
        }
    }

    /// These filters instead.
    pub fn chosen(self, filters: Vec<AskedCodec>) -> Self {
        Self::new(filters, self.wish)
    }

    /// True if they are new.
    pub fn is_new(&self) -> bool {
        matches!(self.filters, Filters::New(_))
    }

    /// True if there are no filters.
    pub fn is_empty(&self) -> bool {
        match &self.filters {
            Filters::Kept(kept) => kept.filters.is_empty(),
            Filters::New(filters) => filters.is_empty(),
        }
    }

    /// Converts the filters for the chunks in `stored`.
    ///
    /// # Errors
    /// What a filter refuses of this variable, and a codec that has no such name, where filters are asked for.
    pub fn stored(self, stored: &StoredChunks<'_>) -> Result<StoredFilters> {
        match self.filters {
            Filters::New(filters) => {
                let filters = new_filters(stored.registry, &filters, stored.names, stored.chunk)?;
                stored.check_readers(&filters)?;
                match stored.limits.lacking(&filters, stored.registry) {
                    Some((program, lacking)) => Err(lacks(program, &lacking)),
                    None => Ok(StoredFilters::as_asked(filters)),
                }
            }
            Filters::Kept(kept) => kept.stored(stored),
        }
    }
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
                let text = name.as_str();
                if !name.is_glob() && input.var_at(text).is_none() && registry.by_name(text).is_some() {
                    return Err(Request::Filters.error(format!(
                        "'{text}' is a filter, and the input has no variable named so; for all variables write '*,{text},…'"
                    )));
                }
                for VarId(at) in named_variables(input, Request::Filters, name)? {
                    let var = &input.vars[at];
                    match var.dims.is_empty() && !request.pipeline.is_empty() {
                        true if name.is_glob() => {}
                        true => {
                            let why = format!("variable {} is a scalar, which cannot have filters", var.name);
                            return Err(Request::Filters.error(why));
                        }
                        false => by_var[at] = Some((request, Wish::Named)),
                    }
                }
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
        // The filters of addresses, which the chunks of HDF5 hold in place of text, also go with the text itself.
        let of_text = is_text && input.kind.can().codecs == Some(CodecNames::Hdf5);
        // A filter would see heap addresses, not the data. netCDF-C gives such variables no filters either. In the input,
        // filters see strings themselves where these lie in the chunks.
        let kept = |shuffle| match addresses && input.kind.can().fixed_strings {
            true => AskedPipeline::new(Vec::new(), Wish::Kept),
            false => AskedPipeline::kept(KeptFilters {
                of_addresses: of_text && !matches!(names, Some(CodecNames::Hdf5)),
                ..KeptFilters::of(source, shuffle)
            }),
        };
        if let Some((request, wish)) = self.by_var[var.0] {
            if let [AskedCodec::Keep] = request.pipeline[..] {
                return AskedPipeline::kept(KeptFilters {
                    must_stay: true,
                    ..KeptFilters::of(source, false)
                });
            }
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
            // HDF5 has no gzip, so shards that are its files have the deflate of both.
            let own_form = names.filter(|_| !options.shards_as_hdf5);
            filters.push(deflate_codec(level, own_form));
            return AskedPipeline::new(filters, Wish::General);
        }
        let deflated = source.filters.iter().any(|f| deflates(&options.registry, f));
        kept(options.shuffle && !addresses && deflated && !has(shuffle::ID))
    }
}
