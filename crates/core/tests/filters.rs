//! Chunks that libhdf5, libaec, zlib, bzip2 and zstd encoded (testdata/filters) decode, and where an encoder has no choice,
//! encoding gives the same bytes.

use std::path::{Path, PathBuf};

use ncutils_core::filter::{Context, pipeline, shuffle, spec};
use ncutils_core::format::EncodedChunk;
use ncutils_core::model::FilterSpec;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/filters")
        .join(name)
}

fn filters(pipeline: &str) -> Vec<FilterSpec> {
    let filters = spec::parse_filters(pipeline).unwrap();
    let filters = filters.into_iter().map(|(id, parameters)| FilterSpec {
        id,
        optional: id != 3,
        parameters,
        name: String::new(),
    });
    filters.collect()
}

fn context(chunk_size: usize) -> Context {
    Context {
        element_size: 1,
        chunk_size,
    }
}

#[test]
fn chunks_of_the_c_libraries() {
    let index = std::fs::read_to_string(fixture("index.txt")).unwrap();
    let mut scratch = pipeline::Scratch::new();
    let mut skipped = 0;
    for line in index.lines() {
        let [name, raw, pipeline, mask, exactness] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let filters = filters(pipeline);
        let raw = std::fs::read(fixture(raw)).unwrap();
        let stored = EncodedChunk {
            bytes: std::fs::read(fixture(&format!("{name}.encoded"))).unwrap(),
            filter_mask: mask.parse().unwrap(),
        };
        let context = context(raw.len());
        let ours = pipeline::encode(&filters, &raw, &mut scratch, &context).unwrap();
        assert_eq!(ours.filter_mask, stored.filter_mask, "{name}");
        assert!(exactness != "exact" || ours == stored, "{name}: other bytes");
        assert_eq!(
            pipeline::decode(&filters, ours, &context, &mut scratch).unwrap(),
            raw,
            "{name}: ours"
        );

        for end in [0, 1, stored.bytes.len() / 2, stored.bytes.len() - 1] {
            let short = EncodedChunk {
                bytes: stored.bytes[..end].to_vec(),
                filter_mask: stored.filter_mask,
            };
            let decoded = pipeline::decode(&filters, short, &context, &mut scratch);
            // The last bits may be those of szip's padding.
            let padding = end > 1 && decoded.as_ref().is_ok_and(|decoded| *decoded == raw);
            assert!(decoded.is_err() || padding, "{name}: cut at {end}");
        }
        skipped += u32::from(stored.filter_mask != 0);
        assert_eq!(
            pipeline::decode(&filters, stored, &context, &mut scratch).unwrap(),
            raw,
            "{name}"
        );
    }
    assert!(skipped > 0, "no case in which libhdf5 skipped a filter");
}

#[test]
fn deflate_is_never_larger_than_zlib_at_the_same_level() {
    let mut scratch = pipeline::Scratch::new();
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
            let filters = filters(&format!("1,{level}"));
            let chunk =
                pipeline::encode(&filters, &shuffled, &mut scratch, &context(shuffled.len())).unwrap();
            let ours = chunk.bytes.len();
            assert!(ours <= size, "{name}, level {level}: {ours} instead of {size}");
        }
    }
}
