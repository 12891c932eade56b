//! The filters of the input that a variable keeps.
//!
//! ```text
//! input's filters ─► without what the output's kind does in its own way ─┬─► named for the output
//!                                                                        └─► a default, where one has no name there
//! ```

use super::asked_filters::{deflate_codec, deflates, new_filters};
use crate::copy::plan::programs::Limits;
use crate::error::{Alternative, Error, Request, Result};
use crate::filter::{AskedCodec, ChunkType, CodecInput, Registry, shuffle::shuffle};
use crate::model::{CodecNames, CodecSpec, Configuration, Storage, VariableLayout, ZarrVersion};

/// The level of deflate in the pipeline that replaces another.
const DEFLATE_LEVEL: u32 = 5;

/// The chunk types and codec names for which a variable's filters are converted.
#[derive(Debug, Clone, Copy)]
pub struct StoredChunks<'a> {
    /// The codecs that are known.
    pub registry: &'a Registry,
    /// The names that the output has for codecs.
    pub names: CodecNames,
    /// The type of the output's chunks.
    pub chunk: &'a ChunkType,
    /// The type of the input's chunks, if it has any and they are others.
    pub source: Option<&'a ChunkType>,
    /// The programs that are to read the output.
    pub limits: &'a Limits,
    /// True if readers of the output have the codecs of numcodecs alone.
    pub only_numcodecs: bool,
    /// True if the output's chunks are the input's. Parameters of filters then stay as they are. Else they are adapted, and codecs that
    /// need elements go first: only there can all programs read what they do.
    pub same_chunks: bool,
}

/// The filters of a variable of the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptFilters {
    /// In order, with their flags and parameters.
    pub filters: Vec<CodecSpec>,
    /// True inserts shuffle before deflate.
    pub shuffle: bool,
    /// True if a filter that the output's kind has no form of is an error. Otherwise a default replaces the filters.
    pub must_stay: bool,
    /// True if the input's chunks hold addresses, and the output's the text itself. Filters of elements are left out then.
    pub of_addresses: bool,
}

/// The filters that a variable of the output has, and what became of those of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFilters {
    /// The filters as the output names them.
    pub filters: Vec<CodecSpec>,
    /// What nobody asked for.
    pub change: Option<FilterChange>,
}

/// A change of a variable's filters that nobody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterChange {
    /// These filters of the input are left out, because they work on elements, and the elements have other bytes.
    LeftOut(Vec<String>),
    /// These filters of the input are replaced by others.
    Replaced(Vec<String>),
    /// These filters of the input, which a program lacks, are replaced by others.
    Lacking(&'static str, Vec<String>),
}

impl StoredFilters {
    /// Filters that are stored as they were asked for.
    pub fn as_asked(filters: Vec<CodecSpec>) -> Self {
        Self {
            filters,
            change: None,
        }
    }
}

impl StoredChunks<'_> {
    /// Checks that readers of the output have filters.
    ///
    /// # Errors
    /// A filter that numcodecs lacks, where readers have no others.
    pub fn check_readers(&self, filters: &[CodecSpec]) -> Result<()> {
        let lacks = |codec: &&CodecSpec| {
            let known = self.registry.find(codec);
            known.is_some_and(|codec| !codec.facts().in_numcodecs)
        };
        match filters.iter().find(lacks).filter(|_| self.only_numcodecs) {
            None => Ok(()),
            Some(codec) => Err(Error::Alternative {
                why: format!("numcodecs, by which references are read, lacks {}", codec.name()),
                alternative: Alternative::OtherFilters,
            }),
        }
    }
}

impl KeptFilters {
    /// The filters of a variable that is stored as `source` in the input.
    pub fn of(source: &VariableLayout, shuffle: bool) -> Self {
        // The filters of blocks are made for their order of elements.
        let filters = match source.storage {
            Storage::Blocks { .. } => Vec::new(),
            _ => source.filters.clone(),
        };
        Self {
            filters,
            shuffle,
            ..Self::default()
        }
    }

    /// The filters as [`AskedPipeline::stored`](super::pipeline::AskedPipeline::stored) gives them.
    ///
    /// # Errors
    /// What a filter refuses of the variable. A codec that the output's kind has no name for, if it must stay or is unknown, so
    /// that no program could decode it.
    pub fn stored(mut self, stored: &StoredChunks<'_>) -> Result<StoredFilters> {
        let StoredChunks {
            registry,
            names,
            chunk,
            ..
        } = *stored;
        let mut left_out = Vec::new();
        if self.of_addresses && !self.must_stay {
            self.filters.retain(|filter| {
                let stays = !works_on_elements(registry, filter);
                if !stays {
                    left_out.push(short_name(registry, filter));
                }
                stays
            });
        }
        let own: Vec<String> = self
            .filters
            .iter()
            .map(|filter| short_name(registry, filter))
            .collect();
        let can_decode = self.filters.iter().all(|filter| registry.find(filter).is_some());
        let may_be_replaced = !self.must_stay && can_decode;
        let replaced = |change| {
            let filters = new_filters(registry, &default_filters(registry, names, chunk), names, chunk)?;
            if let Some((program, lacking)) = stored.limits.lacking(&filters, registry) {
                return Err(lacks(program, &lacking));
            }
            Ok(StoredFilters {
                filters,
                change: Some(change),
            })
        };
        match self.named(stored) {
            Ok(filters) => match stored.limits.lacking(&filters, registry) {
                Some((program, lacking)) if may_be_replaced => {
                    replaced(FilterChange::Lacking(program, lacking))
                }
                Some((program, lacking)) => Err(lacks(program, &lacking)),
                None => Ok(StoredFilters {
                    filters,
                    change: (!left_out.is_empty()).then_some(FilterChange::LeftOut(left_out)),
                }),
            },
            Err(Error::Alternative {
                alternative: Alternative::OtherFilters,
                ..
            }) if may_be_replaced => replaced(FilterChange::Replaced(own)),
            Err(error) => Err(error),
        }
    }

    /// The filters under the names of the output's kind.
    fn named(self, stored: &StoredChunks<'_>) -> Result<Vec<CodecSpec>> {
        let StoredChunks {
            registry,
            names,
            chunk,
            source,
            same_chunks,
            ..
        } = *stored;
        let Self {
            filters: kept,
            shuffle,
            ..
        } = self;
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
                let shuffled = [AskedCodec::id(shuffle::ID, [])];
                filters.extend(new_filters(registry, &shuffled, names, types.given())?);
            }
            let filter = match (same_chunks, from) {
                (true, _) => filter,
                (false, Some(from)) => registry.moved(&filter, &from, types.given())?,
                (false, None) => registry.adapted(&filter, types.given())?,
            };
            types.pass(&filter);
            filters.push(filter);
        }
        stored.check_readers(&filters)?;
        Ok(filters)
    }
}

/// The error for filters that were asked for, and that a program lacks.
pub fn lacks(program: &str, filters: &[String]) -> Error {
    Request::Programs.error(format!("{program} lacks {}", filters.join(", ")))
}

/// True for codecs that treat a chunk as elements of one size.
fn works_on_elements(registry: &Registry, codec: &CodecSpec) -> bool {
    registry.hdf5_id(codec) == Some(shuffle::ID)
        || registry
            .find(codec)
            .is_some_and(|codec| codec.facts().input >= CodecInput::Elements)
}

fn short_name(registry: &Registry, codec: &CodecSpec) -> String {
    let known = registry.find(codec);
    known.map_or_else(|| codec.to_string(), |codec| codec.name().to_owned())
}

/// The filters that replace those that the output's kind has no form of. All readers of the kind have them: deflate, and in
/// version 3 of Zarr blosc for numbers of several bytes, which shuffles them, and zstd for anything else.
fn default_filters(registry: &Registry, names: CodecNames, chunk: &ChunkType) -> Vec<AskedCodec> {
    let numbers = chunk.number.is_some() && chunk.element_size > 1;
    let named = |name: &str, members: Configuration| AskedCodec::Name {
        name: name.to_owned(),
        parameters: Vec::new(),
        members,
    };
    match names {
        CodecNames::Zarr(ZarrVersion::V3) if numbers && registry.by_name("blosc").is_some() => {
            let members = [
                ("cname", "zstd".into()),
                ("clevel", 5.into()),
                ("shuffle", 1.into()),
            ];
            let members = members.map(|(name, value)| (name.to_owned(), value));
            vec![named("blosc", Configuration::from_iter(members))]
        }
        CodecNames::Zarr(ZarrVersion::V3) => {
            let level = Configuration::from_iter([("level".to_owned(), 3.into())]);
            vec![named("zstd", level)]
        }
        _ => {
            let shuffle = numbers.then(|| AskedCodec::id(shuffle::ID, []));
            let deflate = deflate_codec(DEFLATE_LEVEL, Some(names));
            shuffle.into_iter().chain([deflate]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::checksum::fletcher32;
    use crate::model::Configuration;

    #[test]
    fn a_checksum_at_the_end_is_left_out_where_it_has_no_name() {
        let v3 = |name: &str| CodecSpec::zarr(ZarrVersion::V3, name, Configuration::new());
        let zlib = || {
            let level = Configuration::from_iter([("level".to_owned(), 5.into())]);
            CodecSpec::zarr(ZarrVersion::V3, "numcodecs.zlib", level)
        };
        let stored = |filters: &[CodecSpec], names| {
            let kept = KeptFilters {
                filters: filters.to_vec(),
                must_stay: true,
                ..KeptFilters::default()
            };
            let chunk = ChunkType::of_bytes(100);
            let stored = kept.stored(&StoredChunks {
                registry: &Registry::builtin(),
                names,
                chunk: &chunk,
                source: None,
                limits: &Limits::default(),
                only_numcodecs: false,
                same_chunks: true,
            });
            stored.map(|stored| stored.filters)
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
