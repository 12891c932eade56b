//! Chunks that the plugin of zfp encoded with loss (testdata/filters/zfp.txt) decode to the numbers that it decodes, and
//! encoding gives the same bytes.

use std::path::{Path, PathBuf};

use ncutils_filter::spec::parse_filters;
use ncutils_filter::{AskedCodec, ChunkShape, ChunkType, EncodedChunk, Registry, Scratch};
use ncutils_model::CodecSpec;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/filters")
        .join(name)
}

#[test]
fn lossy_chunks_of_the_plugin() {
    let index = std::fs::read_to_string(fixture("zfp.txt")).unwrap();
    let mut scratch = Scratch::new();
    for line in index.lines() {
        let (name, pipeline) = line.split_once(' ').unwrap();
        let read = |ending| std::fs::read(fixture(&format!("{name}.{ending}"))).unwrap();
        let (raw, wanted) = (read("raw"), read("decoded"));
        let [AskedCodec::Id { id, parameters }] = &parse_filters(pipeline).unwrap()[..] else {
            panic!("{line}");
        };
        let specs = [CodecSpec::hdf5(*id, parameters.as_slice())];
        let pipeline = Registry::builtin()
            .bind(&specs, &ChunkType::of_bytes(raw.len()))
            .unwrap();
        let decode = |bytes: &[u8]| {
            let chunk = EncodedChunk {
                bytes: bytes.to_vec(),
                filter_mask: 0,
            };
            pipeline.decode(chunk, ChunkShape::Full, &mut Scratch::new())
        };
        let stored = read("encoded");
        assert_eq!(decode(&stored).unwrap(), wanted, "{name}");
        for end in [0, 1, stored.len() / 2] {
            assert!(decode(&stored[..end]).is_err(), "{name}: cut at {end}");
        }
        let ours = pipeline.encode(&raw, ChunkShape::Full, &mut scratch).unwrap();
        assert_eq!(ours.bytes, stored, "{name}: ours");
    }
}
