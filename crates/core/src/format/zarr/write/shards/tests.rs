use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::format::ReorderWindow;
use crate::model::Encoding;
use crate::store::{GetRange, KeyStore, MemoryKeys, MemoryOutput, Object, Output, ZipKeys, ZipOutput};

fn layout(extent: &[u64], chunk: &[u64], shard: &[u64], location: IndexLocation) -> VariableLayout {
    let numbers = Encoding::Numbers { unit: 4 };
    let mut layout = VariableLayout::contiguous(extent.to_vec(), 4, numbers).in_chunks(chunk.to_vec());
    layout.shard = Some(shard.to_vec());
    layout.shard_index = location;
    layout
}

/// Writes chunks of three arrays through a window by several threads, each thread backwards.
fn write(output: &dyn KeyOutput, grid: &ShardGrid, chunks: &[(u64, u64, Vec<u8>)], threads: usize) {
    let (window, shards) = (ReorderWindow::new(), Shards::default());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (window, shards) = (&window, &shards);
            scope.spawn(move || {
                for n in (0..chunks.len()).rev().filter(|n| n % threads == thread) {
                    let place = |(number, chunk, bytes): (u64, u64, Vec<u8>)| {
                        let key = format!("v/c/{number}");
                        let shard = ShardName {
                            number,
                            key: &key,
                            variable: "v",
                        };
                        shards.add(output, grid, VarId(0), shard, chunk, bytes)
                    };
                    let written = window.submit(n as u64, chunks[n].clone(), place, |(parts, full)| {
                        parts.into_iter().flatten().try_for_each(ShardPart::write)?;
                        full.map_or(Ok(()), FullIndex::write)
                    });
                    written.unwrap();
                }
            });
        }
    });
    window.close().unwrap();
    shards.close().unwrap();
}

fn read(keys: &dyn KeyStore, grid: &ShardGrid, shards: u64) -> BTreeMap<(u64, u64), Vec<u8>> {
    let codecs = IndexCodecs::default_written();
    let mut found = BTreeMap::new();
    for shard in 0..shards {
        let Some(value) = keys.get(&format!("v/c/{shard}"), GetRange::Whole).unwrap() else {
            continue;
        };
        let size = grid.index_size as usize;
        let index = match grid.location {
            IndexLocation::Start => &value[..size],
            IndexLocation::End => &value[value.len() - size..],
        };
        let index = codecs.decode(index, &grid.chunks).unwrap();
        assert!(!index.is_empty());
        let mut stored = 0;
        for chunk in 0..index.len() as u64 {
            if let Some((offset, length)) = index.range(chunk).unwrap() {
                let range = offset as usize..(offset + length) as usize;
                found.insert((shard, chunk), value[range].to_vec());
                stored += length as usize;
            }
        }
        assert_eq!(stored + size, value.len(), "no gaps");
    }
    found
}

fn any_chunks() -> impl Strategy<Value = Vec<(u64, u64, Vec<u8>)>> {
    let chunk = (
        (0u64..5, 0u64..6),
        prop_oneof![0usize..40, 10_000usize..90_000]
            .prop_map(|length| (0..length).map(|n| (n % 251) as u8).collect::<Vec<u8>>()),
    );
    proptest::collection::vec(chunk, 0..30).prop_map(|chunks| {
        let sorted: BTreeMap<_, _> = chunks.into_iter().collect();
        sorted
            .into_iter()
            .map(|((shard, chunk), bytes)| (shard, chunk, bytes))
            .collect()
    })
}

proptest! {
    #[test]
    fn shards_hold_what_was_written_whatever_the_threads(chunks in any_chunks(), start in any::<bool>()) {
        let location = if start { IndexLocation::Start } else { IndexLocation::End };
        let layout = layout(&[10, 12], &[1, 6], &[2, 18], location);
        let grid = ShardGrid::new(&layout).unwrap().unwrap();
        let expected: BTreeMap<_, _> = chunks.iter().map(|(shard, n, bytes)| ((*shard, *n), bytes.clone())).collect();
        let mut zips = Vec::new();
        for threads in [1, 3] {
            let keys = MemoryKeys::new();
            let output = keys.output();
            write(&output, &grid, &chunks, threads);
            output.publish().unwrap();
            prop_assert_eq!(&read(&keys, &grid, 5), &expected);
            let memory = Arc::new(MemoryOutput::new());
            let zip = ZipOutput::create(Arc::clone(&memory) as Arc<dyn Output>, None).unwrap();
            write(&zip, &grid, &chunks, threads);
            zip.publish().unwrap();
            let bytes = memory.bytes();
            let keys = ZipKeys::open(Arc::new(bytes.clone()) as Arc<dyn Object>).unwrap();
            prop_assert_eq!(&read(&keys, &grid, 5), &expected);
            zips.push(bytes);
        }
        prop_assert!(zips[0] == zips[1], "the order of entries depends on threads");
    }
}

#[test]
fn chunks_are_numbered_in_the_full_shard() {
    let layout = layout(&[5, 7], &[2, 2], &[4, 6], IndexLocation::End);
    let grid = ShardGrid::new(&layout).unwrap().unwrap();
    assert_eq!(grid.index_size, 6 * 16 + 4);
    assert_eq!(grid.place(&[1, 2]), (vec![0, 0], 5));
    assert_eq!(grid.place(&[2, 3]), (vec![1, 1], 0));
    assert_eq!(grid.number(&[1, 1]), 3);
}

#[test]
fn shards_that_no_index_can_describe_are_refused() {
    let huge = layout(&[1 << 62], &[1], &[1 << 62], IndexLocation::End);
    let error = ShardGrid::new(&huge).err().unwrap().to_string();
    assert!(error.contains("smaller shards"), "{error}");
    let ragged = layout(&[10], &[4], &[6], IndexLocation::End);
    assert!(ShardGrid::new(&ragged).is_err());
}

#[test]
fn a_chunk_comes_once() {
    let keys = MemoryKeys::new();
    let output = keys.output();
    let grid = ShardGrid::new(&layout(&[4], &[1], &[2], IndexLocation::End))
        .unwrap()
        .unwrap();
    let shards = Shards::default();
    let add = |chunk| {
        shards
            .add(
                &output,
                &grid,
                VarId(0),
                ShardName {
                    number: 0,
                    key: "v/c/0",
                    variable: "v",
                },
                chunk,
                vec![1],
            )
            .map(drop)
    };
    add(0).unwrap();
    assert!(add(0).is_err());
    assert!(add(2).is_err());
}

/// A format whose files begin with `head`, which is written last.
struct Headed;

struct HeadedShard(Arc<dyn ShardBytes>, Mutex<u64>);

impl ShardFiles for Headed {
    fn begin(&self, _: VarId, bytes: Arc<dyn ShardBytes>) -> Result<Box<dyn ShardFile>> {
        Ok(Box::new(HeadedShard(bytes, Mutex::new(4))))
    }
}

impl ShardFile for HeadedShard {
    fn data_start(&self) -> u64 {
        4
    }

    fn place_chunk(&self, _: u64, size: u64) -> Result<u64> {
        self.place_index(size)
    }

    fn place_index(&self, size: u64) -> Result<u64> {
        let mut end = self.1.lock().unwrap();
        let at = *end;
        *end += size;
        Ok(at)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.0
            .write_at(0, b"head")
            .map_err(|e| Error::io("cannot write", e))
    }
}

#[test]
fn a_shard_may_be_a_file_of_another_format() {
    let grid = ShardGrid::new(&layout(&[4], &[1], &[2], IndexLocation::End))
        .unwrap()
        .unwrap();
    let (keys, shards) = (MemoryKeys::new(), Shards::as_files(Box::new(Headed)));
    let output = keys.output();
    for (number, chunk, bytes) in [
        (0, 1, b"bb".to_vec()),
        (0, 0, b"a".to_vec()),
        (1, 0, b"c".to_vec()),
    ] {
        let key = format!("v/c/{number}");
        let shard = ShardName {
            number,
            key: &key,
            variable: "v",
        };
        let (parts, full) = shards.add(&output, &grid, VarId(0), shard, chunk, bytes).unwrap();
        parts
            .into_iter()
            .flatten()
            .try_for_each(ShardPart::write)
            .unwrap();
        full.map_or(Ok(()), FullIndex::write).unwrap();
    }
    shards.close().unwrap();
    output.publish().unwrap();
    let value = keys.get("v/c/0", GetRange::Whole).unwrap().unwrap();
    assert!(value.starts_with(b"headbba"));
    let index = IndexCodecs::default_written().decode(&value[7..], &[2]).unwrap();
    assert_eq!(
        (index.range(0), index.range(1)),
        (Ok(Some((6, 1))), Ok(Some((4, 2))))
    );
    assert!(
        keys.get("v/c/1", GetRange::Whole)
            .unwrap()
            .unwrap()
            .starts_with(b"headc")
    );
}
