//! Storage attributes: the special attributes that `ncdump -s` prints. They set a variable's storage, and are not kept
//! as attributes.
//!
//! | attribute | value |
//! | --- | --- |
//! | `_Storage` | `"contiguous"`, `"compact"`, `"chunked"` |
//! | `_ChunkSizes` | a length for each dimension |
//! | `_DeflateLevel` | 0 to 9 |
//! | `_Shuffle`, `_Fletcher32`, `_NoFill` | `"true"`, `"false"`, 1, 0 |
//! | `_Endianness` | `"little"`, `"big"`, `"native"` |
//! | `_Filter` | `"id,parameter,…\|id,…"`, as `nccopy -F` takes it |
//! | `_Codecs` | the codecs of a Zarr array, as JSON; without effect beside other attributes of filters |

use crate::filter::spec::parse_filters;
use crate::filter::{AskedCodec, ChunkType, Registry, deflate, fletcher32, shuffle};
use crate::model::{Attribute, Capabilities, CodecSpec, Endian, Type};

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
    /// `_Codecs`, in the order of the text.
    pub codecs: Option<Vec<AskedCodec>>,
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
                self.storage = Some(match text(attribute).as_deref() {
                    Some("contiguous") => StorageKind::Contiguous,
                    Some("compact") => StorageKind::Compact,
                    Some("chunked") => StorageKind::Chunked,
                    _ => return Err(wrong("\"contiguous\", \"compact\" or \"chunked\"")),
                });
                if self.storage != Some(StorageKind::Chunked) {
                    self.chunk_sizes = None;
                }
            }
            "_ChunkSizes" => {
                let sizes: Option<Vec<u64>> = integers(attribute).map(|list| {
                    list.into_iter()
                        .filter_map(|n| u64::try_from(n).ok().filter(|n| *n > 0))
                        .collect()
                });
                match sizes {
                    Some(sizes) if sizes.len() == attribute.length && !sizes.is_empty() => {
                        self.chunk_sizes = Some(sizes);
                        self.storage = Some(StorageKind::Chunked);
                    }
                    _ => return Err(wrong("a list of lengths, each at least 1")),
                }
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
            "_Filter" => {
                let filters = text(attribute).ok_or_else(|| wrong("text, such as \"307,9\""))?;
                self.filters = Some(parse_filters(&filters).map_err(|e| format!("{}: {e}", attribute.name))?);
            }
            "_Codecs" => {
                let json = text(attribute).ok_or_else(|| wrong("text: JSON"))?;
                let codecs = AskedCodec::list_from_json(&json);
                self.codecs = Some(codecs.map_err(|why| format!("{}: {why}", attribute.name))?);
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

    /// The requested codecs of chunks such as `chunk`, as they are stored. They are in the order in which netCDF-C's
    /// ncgen sets them: fletcher32, shuffle and deflate before those of `_Filter`. The order of `_Filter` is kept where it
    /// names fletcher32 or shuffle, as `ncdump -s` writes so what has another order.
    ///
    /// # Errors
    /// The same as for [`Registry::new_pipeline`].
    pub fn pipeline(&self, registry: &Registry, chunk: &ChunkType) -> crate::Result<Vec<CodecSpec>> {
        let mut asked = Vec::new();
        if self.fletcher32 == Some(true) {
            asked.push(AskedCodec::id(fletcher32::ID, []));
        }
        if self.shuffle == Some(true) {
            asked.push(AskedCodec::id(shuffle::ID, []));
        }
        if let Some(level @ 1..) = self.deflate_level {
            asked.push(AskedCodec::id(deflate::ID, [level]));
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

    /// The attribute that the codecs come from, for messages.
    pub fn codecs_from(&self) -> &'static str {
        match (&self.filters, &self.codecs) {
            (None, Some(_)) => "_Codecs",
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
mod tests {
    use super::*;
    use crate::model::{Kind, Values};

    fn chars(name: &str, value: &str) -> Attribute {
        Attribute {
            name: name.into(),
            ty: Type::Char,
            length: value.len(),
            values: Values::from_text(value),
        }
    }

    fn ints(name: &str, values: &[i32]) -> Attribute {
        let bytes = values.iter().flat_map(|n| n.to_le_bytes()).collect();
        Attribute {
            name: name.into(),
            ty: Type::Int,
            length: values.len(),
            values: Values::from_bytes(bytes),
        }
    }

    #[test]
    fn each_takes_effect() {
        let mut asked = StorageAttributes::default();
        for attribute in [
            chars("_Storage", "chunked"),
            ints("_ChunkSizes", &[1, 20]),
            ints("_DeflateLevel", &[9]),
            chars("_Shuffle", "true"),
            ints("_Fletcher32", &[0]),
            chars("_Endianness", "big"),
            chars("_NoFill", "true"),
            chars("_Filter", "307,9|4,32,32"),
            chars("_Codecs", "[]"),
        ] {
            assert_eq!(asked.set(&attribute), Ok(true), "{}", attribute.name);
        }
        assert_eq!(
            asked,
            StorageAttributes {
                storage: Some(StorageKind::Chunked),
                chunk_sizes: Some(vec![1, 20]),
                deflate_level: Some(9),
                shuffle: Some(true),
                fletcher32: Some(false),
                endianness: Some(Endian::Big),
                no_fill: Some(true),
                filters: Some(vec![AskedCodec::id(307, [9]), AskedCodec::id(4, [32, 32])]),
                codecs: Some(Vec::new()),
            }
        );
        assert!(asked.any());
        let beyond = |kind: Kind| asked.beyond(kind.can()).map(|(name, _)| name);
        assert_eq!(beyond(Kind::Classic), Some("_ChunkSizes"));
        assert_eq!(beyond(Kind::Netcdf4Classic), None);
        assert_eq!(asked.set(&chars("units", "m")), Ok(false));
    }

    #[test]
    fn of_chunks_and_one_piece_the_later_counts() {
        let asked = |list: &[Attribute]| {
            let mut asked = StorageAttributes::default();
            list.iter().for_each(|a| assert_eq!(asked.set(a), Ok(true)));
            (asked.storage, asked.chunk_sizes)
        };
        let (one, sizes) = (chars("_Storage", "contiguous"), ints("_ChunkSizes", &[3]));
        assert_eq!(
            asked(&[one.clone(), sizes.clone()]),
            (Some(StorageKind::Chunked), Some(vec![3]))
        );
        assert_eq!(asked(&[sizes, one]), (Some(StorageKind::Contiguous), None));
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        let mut asked = StorageAttributes::default();
        for (attribute, says) in [
            (chars("_Storage", "heap"), "contiguous"),
            (ints("_ChunkSizes", &[0]), "at least 1"),
            (ints("_ChunkSizes", &[-3, 2]), "at least 1"),
            (chars("_ChunkSizes", "a"), "lengths"),
            (ints("_DeflateLevel", &[10]), "0 to 9"),
            (
                chars("_Shuffle", "maybe"),
                "should be \"true\", \"false\", 1 or 0",
            ),
            (chars("_Shuffle", "TRUE"), "true"),
            (ints("_Fletcher32", &[2]), "true"),
            (ints("_Fletcher32", &[1, 1]), "true"),
            (ints("_NoFill", &[-1]), "true"),
            (chars("_Endianness", "middle"), "little"),
            (chars("_Filter", "9|"), "_Filter"),
            (chars("_Codecs", "[3]"), "_Codecs"),
        ] {
            let error = asked.set(&attribute).unwrap_err();
            assert!(error.contains(says), "{error}");
            assert!(StorageAttributes::is_one(&attribute));
        }
        assert_eq!(asked, StorageAttributes::default());
        assert!(!StorageAttributes::is_one(&chars("_Storages", "heap")));
    }
}
