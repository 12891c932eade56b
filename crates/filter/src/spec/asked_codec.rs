//! [`AskedCodec`]: a codec as a user asks for it, in `-F`, `_Filter` or `_Codecs`.
//!
//! ```text
//! 307,9                      id, parameters
//! bzip2,9   zstd,level=3     name, parameters or members of its configuration
//! auto   auto=small          chosen by samples of the data
//! keep                       those of the input
//! {"id": "zlib", "level": 5}            Zarr's metadata, version 2
//! {"name": "zstd", "configuration": …}  Zarr's metadata, version 3
//! ```

use std::sync::Arc;

use serde_json::Value;

use crate::codec::chunk_type::ChunkType;
use crate::codec::codec::Codec;
use crate::deflate::deflate;
use crate::registry::registered::registered_id;
use crate::registry::registry::Registry;
use ncutils_model::error::{Error, Result};
use ncutils_model::{CodecSpec, Configuration, ZarrVersion};

/// The Zarr codec that makes bytes of strings of different lengths. It is no filter: a format has its own form of strings.
pub const VLEN_UTF8: &str = "vlen-utf8";

/// The Zarr codec that makes bytes of lists of numbers, in version 2. It is no filter either.
pub const VLEN_ARRAY: &str = "vlen-array";

/// Codecs of Zarr version 2 that make bytes of objects, or numbers of strings. They belong to the type, not to a pipeline.
pub const ELEMENT_CODECS: [&str; 7] = [
    VLEN_UTF8,
    "vlen-bytes",
    VLEN_ARRAY,
    "json2",
    "msgpack2",
    "pickle",
    "categorize",
];

/// How much time may go into a smaller output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// As fast as a disk.
    Fast,
    /// What most people choose by hand.
    Balanced,
    /// The smallest, whatever it takes.
    Small,
}

impl Effort {
    /// All, with their names.
    pub const NAMED: [(&'static str, Self); 3] = [
        ("fast", Self::Fast),
        ("balanced", Self::Balanced),
        ("small", Self::Small),
    ];
}

/// A codec as a user asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedCodec {
    /// By its HDF5 id.
    Id {
        /// The id.
        id: u32,
        /// Visible parameters.
        parameters: Vec<u32>,
    },
    /// By one of its names.
    Name {
        /// HDF5's name, or one of Zarr's.
        name: String,
        /// Visible parameters; empty if there are members.
        parameters: Vec<u32>,
        /// Members of the codec's configuration. Those that are not given have the codec's defaults.
        members: Configuration,
    },
    /// As in Zarr's metadata.
    Zarr(CodecSpec),
    /// A pipeline that a copy chooses by samples of the variable. It stands alone.
    Auto(Effort),
    /// The filters that the input has, none of which may be replaced. It stands alone.
    Keep,
}

impl AskedCodec {
    /// A codec by its HDF5 id.
    pub fn id(id: u32, parameters: impl Into<Vec<u32>>) -> Self {
        Self::Id {
            id,
            parameters: parameters.into(),
        }
    }

    /// A codec as a file has it.
    pub fn of(spec: &CodecSpec) -> Self {
        match spec.hdf5_id() {
            Some(id) => Self::id(id, spec.parameters()),
            None => Self::Zarr(spec.clone()),
        }
    }

    /// The codec with these parameters as a file stores them; `None` for a codec by name.
    pub fn stored(&self) -> Option<CodecSpec> {
        match self {
            Self::Id { id, parameters } => Some(CodecSpec::hdf5(*id, parameters.clone())),
            Self::Name { .. } | Self::Auto(_) | Self::Keep => None,
            Self::Zarr(spec) => Some(spec.clone()),
        }
    }

    /// Parses one object of Zarr's metadata, of version 2 (`id`) or 3 (`name`).
    ///
    /// # Errors
    /// The mistake in words.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("{text:?} is not JSON: {error}"))?;
        Self::from_metadata(value)
    }

    /// Parses the JSON of `_Codecs`: a list of objects, or one object. [`ELEMENT_CODECS`] are left out.
    ///
    /// # Errors
    /// The mistake in words.
    pub fn list_from_json(text: &str) -> Result<Vec<Self>, String> {
        let mut codecs = match serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))? {
            Value::Array(codecs) => codecs
                .into_iter()
                .map(Self::from_metadata)
                .collect::<Result<_, _>>()?,
            codec => vec![Self::from_metadata(codec)?],
        };
        codecs.retain(|codec| !matches!(codec, Self::Zarr(spec) if ELEMENT_CODECS.contains(&spec.name())));
        Ok(codecs)
    }

    fn from_metadata(value: Value) -> Result<Self, String> {
        let wrong =
            || r#"a codec should be an object with "id", or with "name" and "configuration""#.to_owned();
        let Value::Object(mut members) = value else {
            return Err(wrong());
        };
        let spec = match (members.shift_remove("id"), members.shift_remove("name")) {
            (Some(Value::String(id)), None) => CodecSpec::zarr(ZarrVersion::V2, id, members),
            (None, Some(Value::String(name))) => {
                let configuration = match members.shift_remove("configuration") {
                    Some(Value::Object(configuration)) => configuration,
                    None => Configuration::new(),
                    Some(_) => return Err(wrong()),
                };
                CodecSpec::zarr(ZarrVersion::V3, name, configuration)
            }
            _ => return Err(wrong()),
        };
        Ok(Self::Zarr(spec))
    }

    /// The HDF5 id; `None` for a codec that has none, and for an unknown name.
    pub fn hdf5_id(&self, registry: &Registry) -> Option<u32> {
        match self {
            Self::Id { id, .. } => Some(*id),
            Self::Name { name, .. } => id_of(name, registry),
            Self::Zarr(spec) => registry.hdf5_id(spec),
            Self::Auto(_) | Self::Keep => None,
        }
    }

    /// The codec with visible parameters, by its HDF5 id if it has one, else by its name in version 2 of Zarr, or in version 3
    /// if it has no other. A codec that is given as JSON keeps its form.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name, and for members or parameters that the codec does not understand.
    pub(crate) fn spec(&self, registry: &Registry, chunk: &ChunkType) -> Result<CodecSpec> {
        let (name, parameters, members) = match self {
            Self::Id { id, parameters } => return Ok(CodecSpec::hdf5(*id, parameters.clone())),
            Self::Zarr(spec) => {
                // Only JSON that HDF5 can say too is a matter of parameters.
                if !registry.says_more_than_hdf5(spec)
                    && let Ok(hdf5) = registry.in_hdf5(spec, chunk)
                {
                    return Ok(hdf5);
                }
                if let Some(codec) = registry.find(spec)
                    && let Err(why) = codec.bind(spec, chunk)
                {
                    return Err(Error::Usage(format!("{spec}: {why}")));
                }
                return Ok(spec.clone());
            }
            Self::Name {
                name,
                parameters,
                members,
            } => (name, parameters, members),
            Self::Auto(_) => {
                return Err(Error::Usage(
                    "auto chooses filters by the data of a copy; here the filters must be given".into(),
                ));
            }
            Self::Keep => {
                return Err(Error::Usage(
                    "keep stands for the filters of a copy's input; here the filters must be given".into(),
                ));
            }
        };
        if is_gzip(name) && !parameters.is_empty() {
            return gzip_spec(name, parameters);
        }
        if members.is_empty()
            && !is_gzip(name)
            && let Some(id) = id_of(name, registry)
        {
            return Ok(CodecSpec::hdf5(id, parameters.clone()));
        }
        let codec = registry
            .by_name(name)
            .or_else(|| registry.found_by_id(id_of(name, registry)?));
        let Some(codec) = codec else {
            return Err(Error::Usage(match id_of(name, registry) {
                Some(id) => format!(
                    "filter {id} ({name}) is not built in, so the names of its parameters are not known: give numbers, as in \
                     '{id},1,2'"
                ),
                None => registry.no_such_name(name),
            }));
        };
        let refuse = |why: String| Error::Usage(format!("codec {name} {why}"));
        if let (Some(id), Some(visible)) = (codec.hdf5_id(), codec.facts().visible_parameters) {
            let is_known = |name: &String| codec.facts().members.iter().any(|member| member.name == name);
            return match members.keys().all(is_known) {
                true => Ok(CodecSpec::hdf5(id, visible(members).map_err(refuse)?)),
                false => Err(refuse(codec.refusal(members))),
            };
        }
        if codec.hdf5_id().is_some() && codec.zarr_name(ZarrVersion::V2).is_none() {
            return Err(refuse(codec.refusal(members)));
        }
        let mut configuration = default_configuration(codec, chunk);
        configuration.extend(members.clone());
        let in_zarr = match (codec.zarr_name(ZarrVersion::V2), codec.zarr_name(ZarrVersion::V3)) {
            (None, Some(own)) => CodecSpec::zarr(ZarrVersion::V3, own, configuration),
            (own, _) => CodecSpec::zarr(ZarrVersion::V2, own.unwrap_or(name), configuration),
        };
        let Some(id) = codec.hdf5_id() else {
            if !parameters.is_empty() {
                return Err(Error::Usage(format!(
                    "codec {name} takes its parameters as 'name=value'"
                )));
            }
            // A mistake is told before anything is copied.
            return match codec.bind(&in_zarr, chunk) {
                Ok(_) => Ok(in_zarr),
                Err(why) => Err(Error::Usage(format!("codec {name}: {why}"))),
            };
        };
        if registry.says_more_than_hdf5(&in_zarr) && understands(codec, &in_zarr, chunk) {
            return Ok(in_zarr);
        }
        let configuration = in_zarr.configuration().unwrap_or(members);
        match codec.parameters(ZarrVersion::V2, configuration, chunk) {
            Some(words) => Ok(CodecSpec::hdf5(id, words)),
            // Zarr has it, and HDF5 does not.
            None if understands(codec, &in_zarr, chunk) => Ok(in_zarr),
            None => Err(refuse(codec.refusal(members))),
        }
    }
}

/// True if a codec can be applied with such a configuration.
fn understands(codec: &Arc<dyn Codec>, spec: &CodecSpec, chunk: &ChunkType) -> bool {
    codec.bind(spec, chunk).is_ok()
}

/// True for a name of gzip. Zarr has a codec of this name, and HDF5's programs call deflate so. A user means the one that
/// the output's format has: [`AskedCodec::spec`] is Zarr's codec, of which [`Registry::in_output`] makes deflate.
fn is_gzip(name: &str) -> bool {
    matches!(name, "gzip" | "numcodecs.gzip")
}

/// Zarr's gzip with its level as a number.
fn gzip_spec(name: &str, parameters: &[u32]) -> Result<CodecSpec> {
    let [level @ 0..=9] = *parameters else {
        return Err(Error::Usage(format!(
            "codec {name} takes one parameter: the level, 0 to 9"
        )));
    };
    let configuration = Configuration::from_iter([("level".to_owned(), level.into())]);
    Ok(CodecSpec::zarr(ZarrVersion::V2, "gzip", configuration))
}

/// The HDF5 id of the codec that a user names so; deflate's for gzip, which excludes the same filters. A registered name
/// is enough, as a plugin may have the filter.
fn id_of(name: &str, registry: &Registry) -> Option<u32> {
    match registry.by_name(name) {
        _ if is_gzip(name) => Some(deflate::ID),
        Some(codec) => codec.hdf5_id(),
        None => registered_id(name).or_else(|| registry.plugin_by_name(name)?.hdf5_id()),
    }
}

/// The configuration of a codec for which a user gives no parameters; empty if it must have some.
fn default_configuration(codec: &Arc<dyn Codec>, chunk: &ChunkType) -> Configuration {
    let words = codec.working_parameters(&[], chunk);
    words
        .ok()
        .and_then(|words| codec.configuration(ZarrVersion::V2, &words, chunk))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::filter_argument::parse_filters;
    use ncutils_model::CodecNames;
    use serde_json::json;

    fn spec(text: &str) -> Result<CodecSpec> {
        let asked = parse_filters(text)?;
        asked[0].spec(&Registry::builtin(), &ChunkType::of_bytes(100))
    }

    #[test]
    fn a_codec_by_any_name_is_the_same() {
        for text in [
            "32015,3",
            "zstd,3",
            "zstd,level=3",
            "numcodecs.zstd,level=3",
            r#"{"id":"zstd","level":3}"#,
        ] {
            let found = spec(text).unwrap();
            assert_eq!(
                (found.hdf5_id(), found.parameters()),
                (Some(32015), &[3][..]),
                "{text}"
            );
        }
        // A registered name, which a plugin may have.
        assert_eq!(spec("sz3,1").unwrap(), CodecSpec::hdf5(32024, [1]));
        assert_eq!(spec("zlib,level=5").unwrap(), CodecSpec::hdf5(1, [5]));
        assert_eq!(spec("deflate,5").unwrap(), CodecSpec::hdf5(1, [5]));
    }

    #[test]
    fn gzip_is_what_the_output_has() {
        let (registry, chunk) = (Registry::builtin(), ChunkType::of_bytes(100));
        for text in [
            "gzip,5",
            "gzip,level=5",
            "numcodecs.gzip,5",
            r#"{"id":"gzip","level":5}"#,
        ] {
            let asked = spec(text).unwrap();
            let members = json!({"level": 5}).as_object().unwrap().clone();
            let version = ZarrVersion::V2;
            assert_eq!(asked, CodecSpec::zarr(version, "gzip", members), "{text}");
            let zarr = registry.in_output(&asked, CodecNames::Zarr(version), &chunk);
            assert_eq!(zarr.unwrap(), asked);
            let hdf5 = registry.in_output(&asked, CodecNames::Hdf5, &chunk).unwrap();
            assert_eq!((hdf5.hdf5_id(), hdf5.parameters()), (Some(1), &[5][..]), "{text}");
        }
        // Other codecs are refused where the output has another stream of the same name.
        let lz4 = spec(r#"{"id":"lz4","acceleration":1}"#).unwrap();
        assert!(registry.in_output(&lz4, CodecNames::Hdf5, &chunk).is_err());
        for text in ["gzip,10", "gzip,1,2", "gzip,level=10"] {
            assert!(
                spec(text)
                    .and_then(|asked| {
                        let stored = registry.in_output(&asked, CodecNames::Hdf5, &chunk)?;
                        registry.working(&stored, &chunk)
                    })
                    .is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for (text, says) in [
            ("zebra,3", "no filter is named 'zebra'; known are deflate"),
            (
                "zstd,levle=3",
                "codec zstd has no member 'levle': is 'level' meant; it takes level (-131072 to 22), checksum",
            ),
            (
                "zlib,level=10",
                r#"does not understand {"level":10}; it takes level (0 to 9)"#,
            ),
            (r#"{"id":"zlib","level":10}"#, "it takes level (0 to 9)"),
            (
                r#"{"id":"zstd","levl":1}"#,
                "has no member 'levl': is 'level' meant; it takes level",
            ),
            (
                "szip,mask=4",
                r#"codec szip does not understand {"mask":4}; it takes mask (4 or 32), pixels-per-block (even, 2 to 32)"#,
            ),
            (
                "nbit,mask=4",
                "codec nbit has no parameters with names; it takes none",
            ),
            ("zfp,acuracy=1", "has no member 'acuracy': is 'accuracy' meant"),
            ("sz3,level=1", "filter 32024 (sz3) is not built in"),
            ("zstd=3", "expected 'zstd,3'"),
            (
                "zstd,level:3",
                "'level:3' is not a parameter; expected a number or 'name=value'",
            ),
            ("deflate,5,shuffle", "filters are joined with '|'"),
            ("zstdd,3", "no filter is named 'zstdd': is 'zstd' meant?"),
            ("bitshufle,3", "is 'bitshuffle' meant?"),
            ("sperrr", "is 'SPERR' meant?"),
        ] {
            let error = spec(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn registered_names_and_those_of_the_lists_are_known() {
        for (text, id) in [
            ("Zstandard,3", 32015),
            ("Zstandard,level=3", 32015),
            ("n-bit", 5),
            ("scale-offset,0,1", 6),
            ("BitGroom", 32022),
            ("Granular BitRound", 32023),
            ("granular-bitround", 32023),
            ("Delta-Rice", 32025),
            ("LZ4", 32004),
        ] {
            assert_eq!(spec(text).unwrap().hdf5_id(), Some(id), "{text}");
        }
    }

    #[test]
    fn named_parameters_become_numbers() {
        let error = 0.01f64.to_bits();
        assert_eq!(
            spec("zfp,accuracy=0.01").unwrap(),
            CodecSpec::hdf5(32013, [3, 0, error as u32, (error >> 32) as u32])
        );
        assert_eq!(spec("ZFP,reversible=true").unwrap(), CodecSpec::hdf5(32013, [5]));
        // What Zarr alone can say keeps its form.
        let kept = spec("zstd,checksum=true").unwrap();
        assert_eq!((kept.name(), kept.hdf5_id()), ("zstd", None));
        assert_eq!(spec("lz4,acceleration=5").unwrap().hdf5_id(), None);
    }

    #[cfg(feature = "blosc")]
    #[test]
    fn the_size_of_blosc_blocks_is_kept_for_zarr() {
        let (registry, chunk) = (Registry::builtin(), ChunkType::of_bytes(100));
        for (text, size) in [
            ("blosc,blocksize=256", Some(256)),
            (r#"{"id":"blosc","blocksize":256}"#, Some(256)),
            (r#"{"id":"blosc","blocksize":0}"#, None),
            ("blosc,clevel=3", None),
        ] {
            let asked = spec(text).unwrap();
            // What words of HDF5 say is given as such.
            assert_eq!(asked.hdf5_id().is_none(), size.is_some(), "{text}");
            for version in [ZarrVersion::V2, ZarrVersion::V3] {
                let zarr = registry
                    .in_output(&asked, CodecNames::Zarr(version), &chunk)
                    .unwrap();
                let found = &zarr.configuration().unwrap()["blocksize"];
                assert_eq!(found.as_u64(), Some(size.unwrap_or_default()), "{text}");
            }
            let hdf5 = registry.in_output(&asked, CodecNames::Hdf5, &chunk).unwrap();
            assert_eq!(hdf5.hdf5_id(), Some(32001));
            assert!(hdf5.is_optional());
        }
    }

    #[test]
    fn unknown_metadata_is_kept() {
        let asked = AskedCodec::list_from_json(r#"[{"id": "odd", "a": 1}, {"name": "odd"}]"#).unwrap();
        let registry = Registry::builtin();
        let chunk = ChunkType::of_bytes(100);
        let specs: Vec<_> = asked.iter().map(|a| a.spec(&registry, &chunk).unwrap()).collect();
        let members = json!({"a": 1}).as_object().unwrap().clone();
        assert_eq!(specs[0], CodecSpec::zarr(ZarrVersion::V2, "odd", members));
        assert_eq!(
            specs[1],
            CodecSpec::zarr(ZarrVersion::V3, "odd", Configuration::new())
        );
        let strings = r#"[{"id": "vlen-utf8"}, {"id": "zlib", "level": 1}]"#;
        assert_eq!(AskedCodec::list_from_json(strings).unwrap().len(), 1);
        for text in ["3", "[3]", r#"[{"level": 3}]"#, r#"{"id": 3}"#, "{"] {
            assert!(AskedCodec::list_from_json(text).is_err(), "{text}");
        }
    }
}
