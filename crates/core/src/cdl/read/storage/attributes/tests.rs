//! Tests of storage attributes.

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
        ints("_ShardSizes", &[10, 20]),
        chars("_ShardIndex", "start"),
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
            shard_sizes: Some(vec![10, 20]),
            shard_index: Some(IndexLocation::Start),
            foreign_storage: false,
            blocks: false,
            order_of_bytes: None,
        }
    );
    assert!(asked.any());
    let beyond = |kind: Kind| asked.beyond(kind.can()).map(|(name, _)| name);
    assert_eq!(beyond(Kind::Classic), Some("_ChunkSizes"));
    assert_eq!(beyond(Kind::Netcdf4Classic), None);
    assert_eq!(asked.set(&chars("units", "m")), Ok(false));
}

#[test]
fn the_codec_of_elements_gives_the_byte_order() {
    let codecs = |json: &str| {
        let mut asked = StorageAttributes::default();
        assert_eq!(asked.set(&chars("_Codecs", json)), Ok(true));
        (asked.codecs.unwrap().len(), asked.order_of_bytes)
    };
    assert_eq!(
        codecs(r#"[{"name": "bytes", "configuration": {"endian": "big"}},{"name": "crc32c"}]"#),
        (1, Some(Endian::Big))
    );
    assert_eq!(codecs(r#"[{"name": "bytes"}]"#), (0, None));
    assert_eq!(codecs(r#"[{"name": "vlen-utf8"},{"name": "zstd"}]"#), (1, None));
    // A codec of version 2 has another name.
    assert_eq!(codecs(r#"[{"id": "bytes"}]"#), (1, None));
}

#[test]
fn what_a_kind_lacks_is_told() {
    let mut asked = StorageAttributes::default();
    for attribute in [
        chars("_Storage", "virtual"),
        ints("_ShardSizes", &[4]),
        chars("_ShardIndex", "end"),
    ] {
        assert_eq!(asked.set(&attribute), Ok(true));
    }
    let names = |kind: Kind| {
        let all = asked.without_effect(kind.can());
        all.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(Kind::Netcdf4), ["_Storage", "_ShardSizes", "_ShardIndex"]);
    assert_eq!(names(Kind::Zarr3), ["_Storage"]);
    assert_eq!(asked.beyond(Kind::Classic.can()), None);
}

#[test]
fn blocks_of_an_archive_have_no_effect() {
    let mut asked = StorageAttributes::default();
    for attribute in [
        chars("_Storage", "blocks"),
        ints("_BlockSize", &[262_144]),
        chars("_Filter", "delta|32008|32015,3"),
    ] {
        assert_eq!(asked.set(&attribute), Ok(true), "{}", attribute.name);
    }
    assert!(asked.filters.is_none() && asked.without_effect(Kind::Netcdf4.can()).is_empty());
    assert_eq!(asked.beyond(Kind::Classic.can()), None);
    assert!(asked.set(&chars("_BlockSize", "large")).is_err());
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
        (
            chars("_Codecs", r#"[{"name": "sharding_indexed"}]"#),
            "given by _ShardSizes",
        ),
        (
            chars(
                "_Codecs",
                r#"[{"name": "bytes", "configuration": {"endian": 1}}]"#,
            ),
            "the byte order \"little\" or \"big\"",
        ),
        (ints("_ShardSizes", &[0]), "at least 1"),
        (chars("_ShardIndex", "middle"), "\"start\" or \"end\""),
    ] {
        let error = asked.set(&attribute).unwrap_err();
        assert!(error.contains(says), "{error}");
        assert!(StorageAttributes::is_one(&attribute));
    }
    assert_eq!(asked, StorageAttributes::default());
    assert!(!StorageAttributes::is_one(&chars("_Storages", "heap")));
}
