use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Result<IndexCodecs, String> {
    let json = Json::parse(text.as_bytes()).unwrap();
    IndexCodecs::parse(json.as_array().unwrap()).map_err(|error| match error {
        NodeError::Unheld(why) | NodeError::Damaged(why) => why,
    })
}

fn checksum() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just(r#"{"name": "crc32c"}"#),
        Just(r#""crc32c""#),
        Just(r#"{"name": "numcodecs.crc32c", "configuration": {"location": "start"}}"#),
        Just(r#"{"name": "numcodecs.crc32", "configuration": {}}"#),
        Just(r#"{"name": "numcodecs.adler32"}"#),
        Just(r#"{"name": "numcodecs.fletcher32"}"#),
    ]
}

fn any_index() -> impl Strategy<Value = (ShardIndex, Vec<usize>)> {
    let entry = prop_oneof![Just((MISSING, MISSING)), any::<(u64, u64)>()];
    proptest::collection::vec(1u64..5, 0..4).prop_flat_map(move |counts| {
        let chunks = element_count(&counts).unwrap() as usize;
        let order: Vec<usize> = (0..=counts.len()).collect();
        (
            proptest::collection::vec(entry.clone(), chunks),
            Just(order).prop_shuffle(),
        )
            .prop_map(move |(entries, order)| {
                let counts = counts.clone();
                (ShardIndex { counts, entries }, order)
            })
    })
}

proptest! {
    #[test]
    fn codecs_of_fixed_size_go_both_ways(
        (index, order) in any_index(),
        transposes in any::<bool>(),
        little in any::<bool>(),
        checksums in proptest::collection::vec(checksum(), 0..3),
    ) {
        let mut codecs = Vec::new();
        if transposes {
            codecs.push(format!(r#"{{"name": "transpose", "configuration": {{"order": {order:?}}}}}"#));
        }
        let endian = if little { "little" } else { "big" };
        codecs.push(format!(r#"{{"name": "bytes", "configuration": {{"endian": "{endian}"}}}}"#));
        codecs.extend(checksums.iter().map(|text| (*text).to_owned()));
        let codecs = parse(&format!("[{}]", codecs.join(","))).unwrap();
        prop_assert_eq!(&IndexCodecs::parse(codecs.to_json().as_array().unwrap()).unwrap(), &codecs);
        let bytes = codecs.encode(&index).unwrap();
        prop_assert_eq!(codecs.encoded_size(index.len() as u64), Some(bytes.len()));
        prop_assert_eq!(codecs.decode(&bytes, &index.counts).unwrap(), index.clone());
        prop_assert!(codecs.decode(&bytes[1..], &index.counts).is_err());
        if !checksums.is_empty() {
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x10;
                prop_assert!(codecs.decode(&damaged, &index.counts).is_err(), "byte {}", at);
            }
        }
    }
}

#[test]
fn the_written_index_is_little_endian_with_a_checksum() {
    let mut index = ShardIndex::empty(&[1, 2]).unwrap();
    assert!(index.is_empty());
    assert!(index.set(1, 3, 4));
    assert!(!index.set(2, 0, 0) && !index.is_empty());
    let bytes = IndexCodecs::default_written().encode(&index).unwrap();
    let mut expected = vec![0xff; 16];
    expected.extend([3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend(crc32c::crc32c(&expected).to_le_bytes());
    assert_eq!(bytes, expected);
    assert_eq!(
        IndexCodecs::default_written().to_json().to_string(),
        r#"[{"name": "bytes", "configuration": {"endian": "little"}},{"name": "crc32c"}]"#
    );
}

#[test]
fn a_transposed_index_has_all_offsets_first() {
    let codecs = r#"[{"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "bytes", "configuration": {"endian": "big"}}]"#;
    let mut index = ShardIndex::empty(&[3]).unwrap();
    for n in 0..3 {
        assert!(index.set(n, n, 10 + n));
    }
    let bytes = parse(codecs).unwrap().encode(&index).unwrap();
    let numbers: Vec<u64> = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|n| u64::from_be_bytes(*n))
        .collect();
    assert_eq!(numbers, [0, 1, 2, 10, 11, 12]);
}

#[test]
fn one_number_alone_is_no_missing_chunk() {
    let mut index = ShardIndex::empty(&[4]).unwrap();
    assert!(index.set(1, 5, MISSING) && index.set(2, MISSING, 5) && index.set(3, 7, 0));
    assert_eq!(index.range(0), Ok(None));
    assert!(index.range(1).unwrap_err().contains("no size"));
    assert!(index.range(2).unwrap_err().contains("no offset"));
    assert_eq!(index.range(3), Ok(Some((7, 0))));
    assert!(index.range(4).is_err() && index.range(u64::MAX).is_err());
}

#[test]
fn wrong_index_codecs_are_named() {
    let bytes = r#"{"name": "bytes", "configuration": {"endian": "little"}}"#;
    for (codecs, why) in [
        ("".to_owned(), "bytes is missing"),
        (r#""crc32c""#.to_owned(), "before the codec bytes"),
        (
            r#"{"name": "bytes", "configuration": {"endian": "middle"}}"#.to_owned(),
            "byte order",
        ),
        (format!("{bytes}, {bytes}"), "twice"),
        (
            format!(r#"{bytes}, {{"name": "gzip", "configuration": {{"level": 1}}}}"#),
            "no fixed size",
        ),
        (format!(r#"{bytes}, {{"name": "zstd"}}"#), "no fixed size"),
        (
            format!(r#"{bytes}, {{"name": "transpose", "configuration": {{"order": [0]}}}}"#),
            "behind",
        ),
        (format!("{bytes}, \"odd\""), "not known"),
        (format!("{bytes}, 7"), "a codec"),
        (
            format!(r#"{bytes}, {{"name": "crc32c", "configuration": 3}}"#),
            "not an object",
        ),
        (vec![bytes; 17].join(","), "17"),
    ] {
        let error = parse(&format!("[{codecs}]")).unwrap_err();
        assert!(error.contains(why), "{codecs}: {error}");
    }
    let wrong_rank = format!(r#"[{{"name": "transpose", "configuration": {{"order": [0]}}}}, {bytes}]"#);
    assert!(parse(&wrong_rank).unwrap().decode(&[0; 16], &[1]).is_err());
}

#[test]
fn bytes_without_an_order_are_little_endian() {
    let order = parse(r#"[{"name": "bytes", "configuration": {"endian": "little"}}]"#);
    for codecs in [r#"["bytes"]"#, r#"[{"name": "bytes"}]"#] {
        assert_eq!(parse(codecs), order, "{codecs}");
    }
}

#[test]
fn sizes_that_no_memory_has_are_refused() {
    let codecs = IndexCodecs::default_written();
    assert_eq!(codecs.encoded_size(0), Some(4));
    for chunks in [u64::MAX, u64::MAX / 16, 1 << 60] {
        assert_eq!(codecs.encoded_size(chunks), None, "{chunks}");
    }
    assert!(codecs.decode(&[0; 4], &[1 << 62, 8]).is_err());
    assert!(ShardIndex::empty(&[1 << 62, 8]).is_none());
}
