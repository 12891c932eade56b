//! The codecs of an array: a chain of array→array codecs, one array→bytes codec, and bytes→bytes codecs.
//!
//! ```text
//! [transpose, …]  bytes | vlen-utf8 | vlen-bytes | numcodecs.zfpy | sharding_indexed  [zstd, crc32c, …]
//!                                                                       └─ chain of the inner chunks, of the same form
//!
//! CodecChain ─► Flat: chunks as the engine sees them, and the way from a chunk to its bytes
//! ```
//!
//! The engine knows one kind of chunk, and codecs in a row. So shards become *levels*, each with an index, and codecs before
//! a shard become codecs of its inner chunks, which hold for those that work on each element alone and for transpositions.
//!
//! Zarr version 3.1, "Codecs", and the codec `sharding_indexed`.

use super::super::json::Json;
use super::super::transposition::{TRANSPOSE, permutation};
use super::data_type::DataType;
use super::extension::{Extension, lengths};
use super::node_error::NodeError;
use super::sharding::{IndexCodecs, Level};
use crate::chunk::chunks_of_shard;
use crate::filter::{CodecInput, Registry};
use crate::model::{CodecSpec, Configuration, Endian, IndexLocation, ZarrVersion};

/// Deepest nesting of shards.
const DEEPEST: usize = 8;

/// Most codecs in a chain: more than a pipeline can have, with those that make bytes.
const MOST: usize = 64;

/// The codecs of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct CodecChain {
    /// Array→array codecs, in the order in which writing applies them.
    pub array: Vec<CodecSpec>,
    /// The array→bytes codec.
    pub serializer: Serializer,
    /// Bytes→bytes codecs, in the order in which writing applies them.
    pub bytes: Vec<CodecSpec>,
}

/// An array→bytes codec.
#[derive(Debug, Clone, PartialEq)]
pub enum Serializer {
    /// `bytes`: elements of fixed size.
    Bytes(Endian),
    /// `vlen-utf8`: strings of any length.
    VlenUtf8,
    /// `vlen-bytes`: bytes of any length.
    VlenBytes,
    /// A codec of the [`Registry`] that makes bytes. For the engine, it is the first of the codecs that work on bytes.
    Codec(CodecSpec),
    /// `sharding_indexed`: inner chunks with an index.
    Sharding(Box<Sharding>),
}

/// The configuration of `sharding_indexed`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sharding {
    /// The shape of an inner chunk.
    pub chunk_shape: Vec<u64>,
    /// The codecs of an inner chunk.
    pub codecs: CodecChain,
    /// The codecs of the index.
    pub index_codecs: IndexCodecs,
    /// The place of the index.
    pub index_location: IndexLocation,
}

impl CodecChain {
    /// Parses the member `codecs`.
    ///
    /// # Errors
    /// What is wrong, as a clause that continues the name of the document.
    pub fn parse(codecs: &Json, ty: &DataType) -> Result<Self, NodeError> {
        Self::parse_nested(codecs, ty, 0)
    }

    fn parse_nested(codecs: &Json, ty: &DataType, depth: usize) -> Result<Self, NodeError> {
        if depth > DEEPEST {
            return Err(format!("has shards in shards to a depth of more than {DEEPEST}").into());
        }
        let list = codecs.as_array().ok_or("has a member codecs that is no list")?;
        if list.len() > MOST {
            return Err(format!("has {} codecs in a chain; {MOST} are possible", list.len()).into());
        }
        let mut chain = (Vec::new(), None, Vec::new());
        for codec in list {
            let codec = Extension::parse(codec).map_err(|why| format!("has a codec that {why}"))?;
            let two = |name: &str| {
                NodeError::from(format!(
                    "has two codecs that make bytes of elements; {name} is one"
                ))
            };
            if let Some(serializer) = Serializer::parse(&codec, ty, depth)? {
                if chain.1.is_some() {
                    return Err(two(&codec.name));
                }
                chain.1 = Some(serializer);
                continue;
            }
            let mut configuration = Configuration::new();
            for (name, value) in &codec.configuration {
                let value = serde_json::Value::try_from(value)
                    .map_err(|why| format!("has a codec {} whose {name} is {why}", codec.name))?;
                configuration.insert(name.clone(), value);
            }
            let spec = CodecSpec::zarr(ZarrVersion::V3, codec.name, configuration);
            match (&chain.1, makes_bytes(&spec)) {
                (None, false) => chain.0.push(spec),
                (Some(_), false) => chain.2.push(spec),
                (Some(_), true) => return Err(two(spec.name())),
                (None, true) if ty.size().is_none() => {
                    let why = format!(
                        "has the codec {}, which has no form for {}",
                        spec.name(),
                        ty.name()
                    );
                    return Err(why.into());
                }
                (None, true) => chain.1 = Some(Serializer::Codec(spec)),
            }
        }
        let (array, serializer, bytes) = chain;
        let Some(serializer) = serializer else {
            let registry = Registry::builtin();
            let unknown = array.iter().find(|codec| registry.find(codec).is_none());
            return Err(match unknown {
                Some(codec) => {
                    NodeError::Unheld(format!("has the codec {}, which is not known", codec.name()))
                }
                None => "has no codec that makes bytes of elements, such as bytes".into(),
            });
        };
        Ok(Self {
            array,
            serializer,
            bytes,
        })
    }

    /// The members of `codecs` for chunks without shards, of elements whose numbers have `unit` bytes.
    pub fn to_json(&self, unit: usize) -> Json {
        let array = self.array.iter().map(codec_json);
        let bytes = self.bytes.iter().map(codec_json);
        let all = array
            .chain([self.serializer.to_json(self.tells_order(unit))])
            .chain(bytes);
        Json::Array(all.collect())
    }

    /// True if bytes have an order: single bytes have none, unless a codec makes other numbers of them.
    fn tells_order(&self, unit: usize) -> bool {
        unit > 1 || !self.array.is_empty()
    }

    /// The chunks as the engine sees them, in an array of chunks of `shape`.
    ///
    /// # Errors
    /// Chunks that do not divide, and codecs around shards that have no form for their inner chunks.
    pub fn flatten(self, shape: &[u64]) -> Result<Flat, NodeError> {
        let rank = shape.len();
        let mut codecs = Vec::new();
        let mut levels: Vec<Level> = Vec::new();
        // Dimension i of what is stored is dimension order[i] of the array.
        let mut order: Vec<usize> = (0..rank).collect();
        let mut stored: Vec<u64> = shape.to_vec();
        let mut chain = self;
        loop {
            let Serializer::Sharding(sharding) = chain.serializer else {
                codecs.extend(chain.array);
                let inverse = inverse(&order);
                let array_codecs = codecs.len();
                if let Serializer::Codec(codec) = &chain.serializer {
                    codecs.push(codec.clone());
                }
                codecs.extend(chain.bytes);
                return Ok(Flat {
                    array_codecs,
                    chunk_shape: inverse.iter().map(|at| stored[*at]).collect(),
                    levels,
                    codecs,
                    serializer: chain.serializer,
                });
            };
            for codec in &chain.array {
                let name = codec.name();
                if name == TRANSPOSE {
                    let by = permutation(codec, rank).ok_or_else(|| {
                        format!("has a codec {codec} that is no order of {rank} dimensions")
                    })?;
                    stored = by.iter().map(|at| stored[*at]).collect();
                    order = by.iter().map(|at| order[*at]).collect();
                } else if Registry::builtin()
                    .find(codec)
                    .is_none_or(|codec| codec.facts().input != CodecInput::EachElement)
                {
                    return Err(NodeError::Unheld(format!(
                        "has the codec {name} before a shard, which is not supported"
                    )));
                }
            }
            codecs.extend(chain.array);
            if sharding.chunk_shape.len() != rank {
                return Err(format!(
                    "has shards of {rank} dimensions, with inner chunks of {}",
                    sharding.chunk_shape.len()
                )
                .into());
            }
            let counts = chunks_of_shard(&stored, &sharding.chunk_shape).map_err(|_| {
                format!(
                    "has inner chunks of {:?}, which do not divide the shards of {stored:?}",
                    sharding.chunk_shape
                )
            })?;
            levels.push(Level {
                order: order.clone(),
                counts,
                chunk_shape: sharding.chunk_shape.clone(),
                index_codecs: sharding.index_codecs,
                index_location: sharding.index_location,
                around: chain.bytes,
            });
            stored = sharding.chunk_shape;
            chain = sharding.codecs;
        }
    }
}

/// Chunks as the engine sees them.
#[derive(Debug, Clone, PartialEq)]
pub struct Flat {
    /// The shape of a chunk, which lies in the innermost shard, in the array's order of dimensions.
    pub chunk_shape: Vec<u64>,
    /// The shards around a chunk, the outermost first; none without shards.
    pub levels: Vec<Level>,
    /// The codecs of a chunk, in the order in which writing applies them. The serializer has its place behind those that
    /// work on elements.
    pub codecs: Vec<CodecSpec>,
    /// Number of the first codecs that work on elements.
    pub array_codecs: usize,
    /// What makes bytes of elements.
    pub serializer: Serializer,
}

impl Serializer {
    /// Parses an array→bytes codec. `None` if it is another sort of codec.
    fn parse(codec: &Extension, ty: &DataType, depth: usize) -> Result<Option<Self>, NodeError> {
        Ok(Some(match &*codec.name {
            "bytes" => {
                if ty.size().is_none() {
                    return Err(format!("has the codec bytes, which has no form for {}", ty.name()).into());
                }
                Self::Bytes(endian(codec)?)
            }
            "vlen-utf8" | "vlen-bytes" => {
                let (serializer, of) = match &*codec.name {
                    "vlen-utf8" => (Self::VlenUtf8, DataType::String),
                    _ => (Self::VlenBytes, DataType::Bytes),
                };
                if *ty != of {
                    return Err(format!(
                        "has the codec {}, which has no form for {}",
                        codec.name,
                        ty.name()
                    )
                    .into());
                }
                serializer
            }
            "sharding_indexed" => Self::Sharding(Box::new(Sharding::parse(codec, ty, depth)?)),
            _ => return Ok(None),
        }))
    }

    /// The codec by its name; `None` if it is among the codecs that the engine applies.
    pub fn spec(&self, tells_order: bool) -> Option<CodecSpec> {
        let extension = self.extension(tells_order)?;
        let order = extension.get("endian").and_then(Json::as_str);
        let order = order.map(|order| ("endian".to_owned(), order.into()));
        let configuration = order.into_iter().collect();
        Some(CodecSpec::zarr(ZarrVersion::V3, extension.name, configuration))
    }

    fn to_json(&self, tells_order: bool) -> Json {
        match (self, self.extension(tells_order)) {
            (Self::Codec(codec), _) => codec_json(codec),
            (_, extension) => extension.map_or(Json::Null, |extension| extension.to_json()),
        }
    }

    /// The codec as an extension; that of a shard has no configuration. `bytes` has none unless it tells the order. `None` for one of
    /// the registry.
    fn extension(&self, tells_order: bool) -> Option<Extension> {
        Some(match self {
            Self::Bytes(_) if !tells_order => Extension::new("bytes"),
            Self::Bytes(Endian::Little) => Extension::new("bytes").with("endian", "little"),
            Self::Bytes(Endian::Big) => Extension::new("bytes").with("endian", "big"),
            Self::VlenUtf8 => Extension::new("vlen-utf8"),
            Self::VlenBytes => Extension::new("vlen-bytes"),
            Self::Sharding(_) => Extension::new("sharding_indexed"),
            Self::Codec(_) => return None,
        })
    }
}

impl Sharding {
    fn parse(codec: &Extension, ty: &DataType, depth: usize) -> Result<Self, NodeError> {
        for (name, _) in &codec.configuration {
            if !matches!(
                &**name,
                "chunk_shape" | "codecs" | "index_codecs" | "index_location"
            ) {
                return Err(format!("has shards with the unknown member {name}").into());
            }
        }
        let lacks = |name: &str| format!("has shards without the member {name}");
        let chunk_shape = lengths(codec.get("chunk_shape"), "chunk_shape")?;
        if chunk_shape.contains(&0) {
            return Err("has inner chunks of length 0".into());
        }
        let codecs = codec.get("codecs").ok_or_else(|| lacks("codecs"))?;
        let index_codecs = codec.get("index_codecs").ok_or_else(|| lacks("index_codecs"))?;
        let index_codecs = index_codecs
            .as_array()
            .ok_or("has index_codecs that are no list")?;
        let index_location = match codec.get("index_location").map(Json::as_str) {
            None | Some(Some("end")) => IndexLocation::End,
            Some(Some("start")) => IndexLocation::Start,
            Some(_) => {
                return Err("has an index_location that is neither start nor end"
                    .to_owned()
                    .into());
            }
        };
        Ok(Self {
            chunk_shape,
            codecs: CodecChain::parse_nested(codecs, ty, depth + 1)?,
            index_codecs: IndexCodecs::parse(index_codecs)?,
            index_location,
        })
    }
}

/// True for a codec that makes the bytes of an array.
pub fn makes_bytes(codec: &CodecSpec) -> bool {
    Registry::builtin()
        .find(codec)
        .is_some_and(|codec| codec.facts().makes_bytes)
}

/// The byte order of the codec `bytes`, little where it tells none.
fn endian(codec: &Extension) -> Result<Endian, String> {
    match codec.get("endian").map(Json::as_str) {
        None | Some(Some("little")) => Ok(Endian::Little),
        Some(Some("big")) => Ok(Endian::Big),
        Some(_) => Err("has the codec bytes with an endian that is neither little nor big".to_owned()),
    }
}

/// The order that undoes an order.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (stored, at) in order.iter().enumerate() {
        inverse[*at] = stored;
    }
    inverse
}

fn codec_json(spec: &CodecSpec) -> Json {
    let mut codec = Extension::new(spec.name());
    for (name, value) in spec.configuration().into_iter().flatten() {
        codec = codec.with(name, Json::from(value));
    }
    let mut json = codec.to_json();
    // zarr-python refuses its own codecs without a configuration.
    if let (Json::Object(members), true) = (&mut json, spec.name().starts_with("numcodecs."))
        && members.iter().all(|(name, _)| name != "configuration")
    {
        members.push(("configuration".to_owned(), Json::Object(Default::default())));
    }
    json
}
