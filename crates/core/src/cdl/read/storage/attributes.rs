//! Storage attributes: the special attributes that `ncdump -s` prints. They set a variable's storage, and are not kept
//! as attributes.
//!
//! | attribute | value |
//! | --- | --- |
//! | `_Storage` | `"contiguous"`, `"compact"`, `"chunked"`; without effect `"virtual"`; `"blocks"` of archives |
//! | `_BlockSize` | bytes of a block of an archive; without effect |
//! | `_ChunkSizes` | a length for each dimension |
//! | `_ShardSizes` | a length for each dimension, in elements |
//! | `_ShardIndex` | `"start"`, `"end"` |
//! | `_DeflateLevel` | 0 to 9 |
//! | `_Shuffle`, `_Fletcher32`, `_NoFill` | `"true"`, `"false"`, 1, 0 |
//! | `_Endianness` | `"little"`, `"big"`, `"native"` |
//! | `_Filter` | `"id,parameter,…\|id,…"`, as `nccopy -F` takes it |
//! | `_Codecs` | the codecs of a Zarr array, as JSON |
//!
//! `_Codecs` beside other attributes of filters takes their place where the output is Zarr, and has no effect elsewhere.

use crate::copy::plan::deflate_codec;
use crate::filter::spec::parse_filters;
use crate::filter::{AskedCodec, ChunkType, Registry, checksum::fletcher32, shuffle::shuffle};
use crate::model::{
    Attribute, Capabilities, CodecNames, CodecSpec, Endian, IndexLocation, Type, ZarrVersion,
};

/// Whether a kind does what an attribute asks for.
pub type Does = fn(&Capabilities) -> bool;

/// A variable's layout, as `_Storage` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageKind {
    /// One contiguous piece.
    Contiguous,
    /// Inside the metadata.
    Compact,
    /// Chunks.
    Chunked,
}

/// The storage attributes of one variable. The default asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageAttributes {
    /// `_Storage`.
    pub storage: Option<StorageKind>,
    /// `_ChunkSizes`: elements in each dimension, slowest first.
    pub chunk_sizes: Option<Vec<u64>>,
    /// `_ShardSizes`: elements in each dimension, slowest first.
    pub shard_sizes: Option<Vec<u64>>,
    /// `_ShardIndex`.
    pub shard_index: Option<IndexLocation>,
    /// True if `_Storage` names storage that no new variable can have.
    pub foreign_storage: bool,
    /// True if `_Storage` names the blocks of an archive. `_Filter` is ignored then.
    pub blocks: bool,
    /// `_DeflateLevel`.
    pub deflate_level: Option<u32>,
    /// `_Shuffle`.
    pub shuffle: Option<bool>,
    /// `_Fletcher32`.
    pub fletcher32: Option<bool>,
    /// `_Endianness`; `None` for the format's own byte order.
    pub endianness: Option<Endian>,
    /// `_NoFill`: the variable has no fill value.
    pub no_fill: Option<bool>,
    /// `_Filter`, in the order of the text.
    pub filters: Option<Vec<AskedCodec>>,
    /// `_Codecs`, in the order of the text, without the codec of Zarr version 3 that makes bytes of elements.
    pub codecs: Option<Vec<AskedCodec>>,
    /// The byte order that the codec `bytes` of `_Codecs` asks for.
    pub order_of_bytes: Option<Endian>,
}

impl StorageAttributes {
    /// Takes an attribute if it is a storage attribute. Returns false for an ordinary attribute.
    ///
    /// # Errors
    /// The value that was expected.
    pub fn set(&mut self, attribute: &Attribute) -> Result<bool, String> {
        let wrong = |expected: &str| format!("{} should be {expected}", attribute.name);
        match attribute.name.as_str() {
            "_Storage" => {
                let word = text(attribute);
                self.foreign_storage = word.as_deref() == Some("virtual");
                self.blocks = word.as_deref() == Some("blocks");
                self.storage = match word.as_deref() {
                    Some("contiguous") => Some(StorageKind::Contiguous),
                    Some("compact") => Some(StorageKind::Compact),
                    Some("chunked") => Some(StorageKind::Chunked),
                    _ if self.foreign_storage || self.blocks => None,
                    _ => return Err(wrong("\"contiguous\", \"compact\" or \"chunked\"")),
                };
                if self.storage != Some(StorageKind::Chunked) {
                    self.chunk_sizes = None;
                }
            }
            "_ChunkSizes" => {
                self.chunk_sizes = Some(lengths(attribute).ok_or_else(|| wrong(LENGTHS))?);
                self.storage = Some(StorageKind::Chunked);
            }
            "_ShardSizes" => {
                self.shard_sizes = Some(lengths(attribute).ok_or_else(|| wrong(LENGTHS))?);
            }
            "_ShardIndex" => {
                self.shard_index = match text(attribute).as_deref() {
                    Some("start") => Some(IndexLocation::Start),
                    Some("end") => Some(IndexLocation::End),
                    _ => return Err(wrong("\"start\" or \"end\"")),
                };
            }
            "_DeflateLevel" => {
                let level = single(attribute)
                    .and_then(|n| u32::try_from(n).ok())
                    .filter(|n| *n <= 9);
                self.deflate_level = Some(level.ok_or_else(|| wrong("a level from 0 to 9"))?);
            }
            "_Shuffle" => self.shuffle = Some(truth(attribute).ok_or_else(|| wrong(TRUTH))?),
            "_Fletcher32" => self.fletcher32 = Some(truth(attribute).ok_or_else(|| wrong(TRUTH))?),
            "_NoFill" => self.no_fill = Some(truth(attribute).ok_or_else(|| wrong(TRUTH))?),
            "_Endianness" => {
                self.endianness = match text(attribute).as_deref() {
                    Some("little") => Some(Endian::Little),
                    Some("big") => Some(Endian::Big),
                    Some("native") => None,
                    _ => return Err(wrong("\"little\", \"big\" or \"native\"")),
                };
            }
            // How an archive's blocks are made is chosen anew.
            "_BlockSize" => {
                single(attribute).ok_or_else(|| wrong("a number of bytes"))?;
            }
            "_Filter" if self.blocks => {}
            "_Filter" => {
                let filters = text(attribute).ok_or_else(|| wrong("text, such as \"307,9\""))?;
                self.filters = Some(parse_filters(&filters).map_err(|e| format!("{}: {e}", attribute.name))?);
            }
            "_Codecs" => {
                let json = text(attribute).ok_or_else(|| wrong("text: JSON"))?;
                let codecs = AskedCodec::list_from_json(&json);
                let mut codecs = codecs.map_err(|why| format!("{}: {why}", attribute.name))?;
                self.order_of_bytes = take_serializers(&mut codecs)?;
                self.codecs = Some(codecs);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// True for a storage attribute, whether its value is valid or not.
    pub fn is_one(attribute: &Attribute) -> bool {
        Self::default().set(attribute) != Ok(false)
    }

    /// True if any storage attribute is set. Such a text becomes netCDF-4, unless it names another kind.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    /// What of this a kind does not do: the name of the attribute, and whether another kind does it.
    pub fn beyond(&self, kind: &Capabilities) -> Option<(&'static str, Does)> {
        let compressed = self.deflate_level.is_some_and(|level| level > 0);
        let codecs: Does = |can| can.codecs.is_some();
        let chunks: Does = |can| can.chunks;
        let asked: [(bool, &'static str, Does); 10] = [
            (self.chunk_sizes.is_some(), "_ChunkSizes", chunks),
            (self.storage == Some(StorageKind::Chunked), "_Storage", chunks),
            // One chunk takes the place of compact storage where every variable has chunks.
            (self.storage == Some(StorageKind::Compact), "_Storage", |can| {
                can.compact || !can.contiguous
            }),
            (compressed, "_DeflateLevel", codecs),
            (self.shuffle == Some(true), "_Shuffle", codecs),
            (self.fletcher32 == Some(true), "_Fletcher32", codecs),
            (self.endianness == Some(Endian::Little), "_Endianness", |can| {
                can.byte_order != Some(Endian::Big)
            }),
            (self.endianness == Some(Endian::Big), "_Endianness", |can| {
                can.byte_order != Some(Endian::Little)
            }),
            (
                self.filters.as_ref().is_some_and(|f| !f.is_empty()),
                "_Filter",
                codecs,
            ),
            (
                self.codecs.as_ref().is_some_and(|f| !f.is_empty()),
                "_Codecs",
                codecs,
            ),
        ];
        asked
            .into_iter()
            .find_map(|(is_asked, name, does)| (is_asked && !does(kind)).then_some((name, does)))
    }

    /// Attributes that have no effect in a kind, though the text may have them: the name of each, and why.
    pub fn without_effect(&self, kind: &Capabilities) -> Vec<(&'static str, &'static str)> {
        let mut all = Vec::new();
        if self.foreign_storage {
            all.push(("_Storage", "no new variable is stored so"));
        }
        if !kind.shards {
            let why = "the kind of the output has no shards";
            if self.shard_sizes.is_some() {
                all.push(("_ShardSizes", why));
            }
            if self.shard_index.is_some() {
                all.push(("_ShardIndex", why));
            }
        }
        all
    }

    /// The requested codecs of chunks such as `chunk`, as they are stored in a kind whose codecs have `names`. They are in the order in which netCDF-C's
    /// ncgen sets them: fletcher32, shuffle and deflate before those of `_Filter`. The order of `_Filter` is kept where it
    /// names fletcher32 or shuffle, as `ncdump -s` writes so what has another order. `_Codecs` comes before all others in
    /// Zarr, and behind them elsewhere.
    ///
    /// # Errors
    /// The same as for [`Registry::new_pipeline`].
    pub fn pipeline(
        &self,
        registry: &Registry,
        names: CodecNames,
        chunk: &ChunkType,
    ) -> crate::Result<Vec<CodecSpec>> {
        if let (Some(codecs), CodecNames::Zarr(_)) = (&self.codecs, names) {
            return registry.ordered_pipeline(codecs, chunk);
        }
        let mut asked = Vec::new();
        if self.fletcher32 == Some(true) {
            asked.push(AskedCodec::id(fletcher32::ID, []));
        }
        if self.shuffle == Some(true) {
            asked.push(AskedCodec::id(shuffle::ID, []));
        }
        if let Some(level @ 1..) = self.deflate_level {
            asked.push(deflate_codec(level, Some(names)));
        }
        let filters = self.filters.as_deref().unwrap_or_default();
        let is_ordered =
            |codec: &AskedCodec| matches!(codec.hdf5_id(registry), Some(fletcher32::ID | shuffle::ID));
        if filters.iter().any(is_ordered) {
            asked.extend_from_slice(filters);
            return registry.ordered_pipeline(&asked, chunk);
        }
        asked.extend_from_slice(filters);
        match &self.codecs {
            Some(codecs) if asked.is_empty() => registry.ordered_pipeline(codecs, chunk),
            _ => registry.new_pipeline(&asked, chunk),
        }
    }

    /// The attribute that the codecs come from in a kind whose codecs have `names`, for messages.
    pub fn codecs_from(&self, names: CodecNames) -> &'static str {
        match (&self.filters, &self.codecs, names) {
            (_, Some(_), CodecNames::Zarr(_)) | (None, Some(_), _) => "_Codecs",
            _ => "_Filter",
        }
    }

    /// True if any codec is asked for.
    pub fn has_codecs(&self) -> bool {
        let some =
            |codecs: &Option<Vec<AskedCodec>>| codecs.as_ref().is_some_and(|codecs| !codecs.is_empty());
        self.fletcher32 == Some(true)
            || self.shuffle == Some(true)
            || self.deflate_level.is_some_and(|level| level > 0)
            || some(&self.filters)
            || some(&self.codecs)
    }
}

/// Takes the codecs of Zarr version 3 that make bytes of elements out of a chain. The type of a variable and its byte
/// order decide on these. Returns the byte order that `bytes` asks for.
///
/// # Errors
/// A codec of shards, which other attributes ask for; a byte order that does not exist.
fn take_serializers(codecs: &mut Vec<AskedCodec>) -> Result<Option<Endian>, String> {
    let mut order = None;
    let mut wrong = None;
    codecs.retain(|codec| {
        let AskedCodec::Zarr(CodecSpec::Zarr {
            version: ZarrVersion::V3,
            name,
            configuration,
        }) = codec
        else {
            return true;
        };
        match name.as_str() {
            "bytes" | "endian" => match configuration.get("endian").map(|order| order.as_str()) {
                Some(Some("little")) => order = Some(Endian::Little),
                Some(Some("big")) => order = Some(Endian::Big),
                None => {}
                Some(_) => wrong = Some("the codec bytes has the byte order \"little\" or \"big\""),
            },
            "vlen-utf8" | "vlen-bytes" => {}
            "sharding_indexed" => {
                wrong =
                    Some("it has the codecs of a chunk, and shards are given by _ShardSizes and _ShardIndex");
            }
            _ => return true,
        }
        false
    });
    match wrong {
        Some(why) => Err(format!("_Codecs: {why}")),
        None => Ok(order),
    }
}

/// The values of an attribute of lengths, for messages.
const LENGTHS: &str = "a list of lengths, each at least 1";

/// The elements of an attribute of lengths; `None` if it is no such list.
fn lengths(attribute: &Attribute) -> Option<Vec<u64>> {
    let length = |n| u64::try_from(n).ok().filter(|n| *n > 0);
    let all: Vec<u64> = integers(attribute)?
        .into_iter()
        .map(length)
        .collect::<Option<_>>()?;
    (!all.is_empty()).then_some(all)
}

/// The values of a truth, for messages.
const TRUTH: &str = "\"true\", \"false\", 1 or 0";

/// The value of an attribute of characters, or of a single string, as text.
fn text(attribute: &Attribute) -> Option<String> {
    let bytes = match attribute.ty {
        Type::Char => &attribute.values.bytes[..],
        Type::String if attribute.length == 1 => attribute.values.string(0)?,
        _ => return None,
    };
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    String::from_utf8(bytes[..end].to_vec()).ok()
}

fn truth(attribute: &Attribute) -> Option<bool> {
    match (text(attribute).as_deref(), single(attribute)) {
        (Some("true" | "1"), _) | (_, Some(1)) => Some(true),
        (Some("false" | "0"), _) | (_, Some(0)) => Some(false),
        _ => None,
    }
}

fn single(attribute: &Attribute) -> Option<i128> {
    integers(attribute)
        .and_then(|list| <[i128; 1]>::try_from(list).ok())
        .map(|[n]| n)
}

/// The elements of an attribute of an integer type; `None` for another type.
fn integers(attribute: &Attribute) -> Option<Vec<i128>> {
    let signed = match attribute.ty {
        Type::Byte | Type::Short | Type::Int | Type::Int64 => true,
        Type::UByte | Type::UShort | Type::UInt | Type::UInt64 => false,
        _ => return None,
    };
    let integer = |bytes: &[u8]| {
        let negative = signed && bytes.last().is_some_and(|b| b & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        i128::from_le_bytes(wide)
    };
    Some(
        attribute
            .values
            .bytes
            .chunks_exact(attribute.ty.atomic_size())
            .map(integer)
            .collect(),
    )
}

#[cfg(test)]
mod tests;
