//! The index of a shard, and the codecs that it is stored with.
//!
//! ```text
//! ShardIndex: (offset, nbytes) of each chunk ─► array [chunks of each dimension…, 2] of uint64
//!                                            ─► transpose ─► bytes ─► checksums ─► bytes in the shard
//! ```
//!
//! Both numbers are 2^64 − 1 where the shard lacks the chunk. The index always has an entry for each chunk of the full
//! shard, also for those past the edge of the array.
//!
//! Zarr version 3, "Sharding codec", "Binary shard format".

use std::sync::LazyLock;

use super::super::super::json::Json;
use super::super::extension::Extension;
use super::super::node_error::NodeError;
use crate::chunk::element_count;
use crate::filter::{ChunkShape, ChunkType, EncodedChunk, NumberClass, Pipeline, Registry, Scratch};
use crate::model::{CodecSpec, Configuration, Endian, ZarrVersion};

/// Both numbers of an entry whose chunk the shard lacks.
const MISSING: u64 = u64::MAX;

/// Bytes of an entry: offset and nbytes.
pub const ENTRY: u64 = 16;

/// Most bytes of an index that are written or read: 16 million chunks.
pub const LARGEST_INDEX: usize = 256 << 20;

/// Most chunks of a shard, for an index with up to four checksums.
pub const MOST_CHUNKS: u64 = (LARGEST_INDEX as u64 - 4 * CHECKSUM) / ENTRY;

/// Bytes of a checksum, of every codec that is one.
const CHECKSUM: u64 = 4;

/// Most codecs of an index.
const MOST_CODECS: usize = 16;

/// The codecs of an index: any whose output has a fixed size.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexCodecs {
    /// Transpositions of the array, in the order of encoding.
    transpositions: Vec<CodecSpec>,
    /// The byte order of the numbers.
    endian: Endian,
    /// Checksums of the bytes, in the order of encoding.
    checksums: Vec<CodecSpec>,
}

/// The built-in codecs, which include all that an index can have.
static CODECS: LazyLock<Registry> = LazyLock::new(Registry::builtin);

impl IndexCodecs {
    /// The codecs of the indexes that are written: little-endian bytes and a CRC-32C.
    pub fn default_written() -> Self {
        Self {
            transpositions: Vec::new(),
            endian: Endian::Little,
            checksums: vec![CodecSpec::zarr(ZarrVersion::V3, "crc32c", Configuration::new())],
        }
    }

    /// The codecs that the member `index_codecs` lists.
    ///
    /// # Errors
    /// Names the codec that is wrong, not known or of no fixed size.
    pub fn parse(codecs: &[Json]) -> Result<Self, NodeError> {
        if codecs.len() > MOST_CODECS {
            return Err(format!("index codecs: there are {} of them", codecs.len()).into());
        }
        let (mut transpositions, mut endian, mut checksums) = (Vec::new(), None, Vec::new());
        for codec in codecs {
            let codec = Extension::parse(codec).map_err(|why| format!("index codecs: a codec {why}"))?;
            let name = codec.name.clone();
            if name == "bytes" {
                let order = match codec.get("endian").map(Json::as_str) {
                    None | Some(Some("little")) => Endian::Little,
                    Some(Some("big")) => Endian::Big,
                    Some(_) => {
                        return Err("index codecs: the codec bytes tells no byte order"
                            .to_owned()
                            .into());
                    }
                };
                if endian.replace(order).is_some() {
                    return Err("index codecs: the codec bytes is there twice".into());
                }
                continue;
            }
            let mut configuration = Configuration::new();
            for (member, value) in &codec.configuration {
                let value = serde_json::Value::try_from(value)
                    .map_err(|why| format!("index codecs: the {member} of {name} is {why}"))?;
                configuration.insert(member.clone(), value);
            }
            let spec = CodecSpec::zarr(ZarrVersion::V3, &name, configuration);
            match (CODECS.find(&spec), endian) {
                (Some(codec), None) if codec.facts().only_reorders => transpositions.push(spec),
                (Some(codec), Some(_)) if codec.facts().is_checksum => checksums.push(spec),
                (Some(codec), Some(_)) if codec.facts().only_reorders => {
                    return Err(format!("index codecs: {name} is behind the codec bytes").into());
                }
                (Some(codec), None) if codec.facts().is_checksum => {
                    return Err(format!("index codecs: {name} is before the codec bytes").into());
                }
                (Some(_), _) => {
                    return Err(format!("index codecs of no fixed size: {name}").into());
                }
                (None, _) => {
                    return Err(NodeError::Unheld(format!(
                        "has index codecs of which {name} is not known"
                    )));
                }
            }
        }
        let endian = endian.ok_or("index codecs: the codec bytes is missing")?;
        Ok(Self {
            transpositions,
            endian,
            checksums,
        })
    }

    /// The member `index_codecs`.
    pub fn to_json(&self) -> Json {
        let endian = match self.endian {
            Endian::Little => "little",
            Endian::Big => "big",
        };
        let bytes = Extension::new("bytes").with("endian", endian).to_json();
        let json = |spec: &CodecSpec| {
            let members = spec.configuration().into_iter().flatten();
            let codec = members.fold(Extension::new(spec.name()), |codec, (member, value)| {
                codec.with(member, Json::from(value))
            });
            codec.to_json()
        };
        let codecs = self.transpositions.iter().map(json);
        let codecs = codecs.chain([bytes]).chain(self.checksums.iter().map(json));
        Json::Array(codecs.collect())
    }

    /// Bytes of the index of a shard of this many chunks. `None` if they cannot be counted.
    pub fn encoded_size(&self, chunks: u64) -> Option<usize> {
        let checksums = CHECKSUM * self.checksums.len() as u64;
        let size = chunks.checked_mul(ENTRY)?.checked_add(checksums)?;
        usize::try_from(size)
            .ok()
            .filter(|size| isize::try_from(*size).is_ok())
    }

    /// The codecs, bound to the index of a shard of `counts` chunks.
    fn pipeline(&self, counts: &[u64]) -> Result<Pipeline, String> {
        let shape: Vec<u64> = counts.iter().copied().chain([2]).collect();
        let index = ChunkType::of_numbers(NumberClass::Unsigned, 8, self.endian, &shape);
        let codecs = [&self.transpositions[..], &self.checksums].concat();
        let pipeline = CODECS.bind(&codecs, &index);
        Ok(pipeline.map_err(|e| e.to_string())?.without_masks())
    }

    /// Decodes the index of a shard of `counts` chunks, and verifies its checksums.
    ///
    /// # Errors
    /// Tells what is wrong with the bytes.
    pub fn decode(&self, bytes: &[u8], counts: &[u64]) -> Result<ShardIndex, String> {
        let expected = element_count(counts).and_then(|chunks| self.encoded_size(chunks));
        if expected != Some(bytes.len()) {
            return Err(format!(
                "the index has {} bytes, which its {} chunks do not take",
                bytes.len(),
                element_count(counts).map_or("uncounted".to_owned(), |count| count.to_string()),
            ));
        }
        let pipeline = self.pipeline(counts)?;
        let stored = EncodedChunk {
            bytes: bytes.to_vec(),
            filter_mask: 0,
        };
        let bytes = pipeline.decode(stored, ChunkShape::Full, &mut Scratch::new());
        let bytes = bytes.map_err(|e| format!("the index is damaged: {e}"))?;
        let number = |bytes: [u8; 8]| match self.endian {
            Endian::Little => u64::from_le_bytes(bytes),
            Endian::Big => u64::from_be_bytes(bytes),
        };
        let numbers = bytes.as_chunks::<8>().0;
        let pairs = numbers.as_chunks::<2>().0.iter();
        Ok(ShardIndex {
            counts: counts.to_vec(),
            entries: pairs
                .map(|[offset, size]| (number(*offset), number(*size)))
                .collect(),
        })
    }

    /// Encodes an index.
    ///
    /// # Errors
    /// If a transposition is of another number of dimensions.
    pub fn encode(&self, index: &ShardIndex) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::with_capacity(index.entries.len() * ENTRY as usize + CHECKSUM as usize);
        for number in index.entries.iter().flat_map(|(offset, size)| [*offset, *size]) {
            bytes.extend(match self.endian {
                Endian::Little => number.to_le_bytes(),
                Endian::Big => number.to_be_bytes(),
            });
        }
        let pipeline = self.pipeline(&index.counts)?;
        let encoded = pipeline.encode(&bytes, ChunkShape::Full, &mut Scratch::new());
        Ok(encoded.map_err(|e| e.to_string())?.bytes)
    }
}

/// Where the chunks of a shard are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardIndex {
    /// Chunks in each dimension of the full shard.
    counts: Vec<u64>,
    /// Offset and size in bytes of each chunk, in C order.
    entries: Vec<(u64, u64)>,
}

impl ShardIndex {
    /// The index of a shard of `counts` chunks that has none of them yet. `None` if memory cannot hold it.
    pub fn empty(counts: &[u64]) -> Option<Self> {
        let chunks = usize::try_from(element_count(counts)?).ok()?;
        let mut entries = Vec::new();
        entries.try_reserve_exact(chunks).ok()?;
        entries.resize(chunks, (MISSING, MISSING));
        Some(Self {
            counts: counts.to_vec(),
            entries,
        })
    }

    /// Number of chunks in the full shard.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if the shard lacks all chunks.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(|entry| *entry == (MISSING, MISSING))
    }

    /// Offset and size, in bytes, of the chunk with number `n` in C order. `None` if the shard lacks it.
    ///
    /// # Errors
    /// If one of the two numbers says that the chunk is missing and the other does not, or the shard has no such chunk.
    pub fn range(&self, n: u64) -> Result<Option<(u64, u64)>, String> {
        let entry = usize::try_from(n).ok().and_then(|n| self.entries.get(n));
        match entry.copied() {
            Some((MISSING, MISSING)) => Ok(None),
            Some((MISSING, size)) => Err(format!("chunk {n} of the index has {size} bytes, but no offset")),
            Some((offset, MISSING)) => Err(format!(
                "chunk {n} of the index has the offset {offset}, but no size"
            )),
            Some(range) => Ok(Some(range)),
            None => Err(format!("the index has no chunk {n}")),
        }
    }

    /// Sets offset and size, in bytes, of the chunk with number `n` in C order. False if the shard has no such chunk.
    #[must_use]
    pub fn set(&mut self, n: u64, offset: u64, size: u64) -> bool {
        let entry = usize::try_from(n).ok().and_then(|n| self.entries.get_mut(n));
        entry.map(|entry| *entry = (offset, size)).is_some()
    }
}

#[cfg(test)]
mod tests;
