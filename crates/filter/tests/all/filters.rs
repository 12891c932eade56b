//! Chunks that libhdf5, libaec, zlib, bzip2, zstd C-Blosc and the plugins encoded (testdata/filters) decode, and where an encoder has no choice,
//! encoding gives the same bytes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ncutils_filter::EncodedChunk;
use ncutils_filter::{
    AskedCodec, ChunkShape, ChunkType, Pipeline, Registry, Scratch, shuffle::shuffle, spec::filter_argument,
};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/filters")
        .join(name)
}

/// Filters of cargo features. Their chunks are skipped where the feature is off.
const OPTIONAL: [u32; 2] = [32001, 32026];

/// The pipeline that a text says, for chunks of `size` bytes.
fn pipeline(text: &str, size: usize) -> Pipeline {
    let filters = filter_argument::parse_filters(text).unwrap();
    let specs: Vec<_> = filters
        .iter()
        .filter_map(AskedCodec::stored)
        .map(|spec| spec.clone().with_optional(spec.hdf5_id() != Some(3)))
        .collect();
    Registry::builtin()
        .bind(&specs, &ChunkType::of_bytes(size))
        .unwrap()
}

#[test]
fn every_codec_has_fixtures() {
    let index = std::fs::read_to_string(fixture("index.txt")).unwrap();
    let pipelines = index.lines().filter_map(|line| line.split(' ').nth(2));
    let filters = pipelines.flat_map(|pipeline| filter_argument::parse_filters(pipeline).unwrap());
    let encoded: BTreeSet<u32> = filters.filter_map(|codec| codec.stored()?.hdf5_id()).collect();
    // testdata/filters/zarr.jsonl has chunks of the codecs without an id.
    for codec in Registry::builtin().iter() {
        let name = codec.name();
        if let Some(id) = codec.hdf5_id() {
            assert!(
                encoded.contains(&id),
                "testdata/filters has no chunk of filter {id} ({name}): make.py makes them"
            );
        }
    }
}

#[test]
fn chunks_of_the_c_libraries() {
    let index = std::fs::read_to_string(fixture("index.txt")).unwrap();
    let mut scratch = Scratch::new();
    let mut skipped = 0;
    for line in index.lines() {
        let [name, raw, filters, mask, exactness] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let raw = std::fs::read(fixture(raw)).unwrap();
        let left_out = |codec: &AskedCodec| {
            codec.stored().is_some_and(|spec| {
                spec.hdf5_id().is_some_and(|id| OPTIONAL.contains(&id))
                    && Registry::builtin().find(&spec).is_none()
            })
        };
        if filter_argument::parse_filters(filters)
            .unwrap()
            .iter()
            .any(left_out)
        {
            continue;
        }
        let pipeline = pipeline(filters, raw.len());
        let decode = |chunk| pipeline.decode(chunk, ChunkShape::Full, &mut Scratch::new());
        let stored = EncodedChunk {
            bytes: std::fs::read(fixture(&format!("{name}.encoded"))).unwrap(),
            filter_mask: mask.parse().unwrap(),
        };
        let ours = pipeline.encode(&raw, ChunkShape::Full, &mut scratch).unwrap();
        assert_eq!(ours.filter_mask, stored.filter_mask, "{name}");
        assert!(exactness != "exact" || ours == stored, "{name}: other bytes");
        assert_eq!(decode(ours).unwrap(), raw, "{name}: ours");

        for end in [0, 1, stored.bytes.len() / 2, stored.bytes.len() - 1] {
            let short = EncodedChunk {
                bytes: stored.bytes[..end].to_vec(),
                filter_mask: stored.filter_mask,
            };
            let decoded = decode(short);
            // The last bits may be those of szip's padding.
            let padding = end > 1 && decoded.as_ref().is_ok_and(|decoded| *decoded == raw);
            assert!(decoded.is_err() || padding, "{name}: cut at {end}");
        }
        skipped += u32::from(stored.filter_mask != 0);
        assert_eq!(decode(stored).unwrap(), raw, "{name}");
    }
    assert!(skipped > 0, "no case in which libhdf5 skipped a filter");
}

#[test]
fn deflate_is_never_larger_than_zlib_at_the_same_level() {
    let mut scratch = Scratch::new();
    for line in std::fs::read_to_string(fixture("zlib_sizes.txt"))
        .unwrap()
        .lines()
    {
        let (name, sizes) = line.split_once(' ').unwrap();
        let raw = std::fs::read(fixture(name)).unwrap();
        let mut shuffled = Vec::new();
        shuffle::shuffle(4, &raw, &mut shuffled);
        for (level, size) in sizes.split_whitespace().enumerate() {
            let (level, size) = (level + 1, size.parse::<usize>().unwrap());
            let pipeline = pipeline(&format!("1,{level}"), shuffled.len());
            let chunk = pipeline
                .encode(&shuffled, ChunkShape::Full, &mut scratch)
                .unwrap();
            let ours = chunk.bytes.len();
            assert!(ours <= size, "{name}, level {level}: {ours} instead of {size}");
        }
    }
}
