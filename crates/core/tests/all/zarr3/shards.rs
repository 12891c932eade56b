//! What lies in shards: which chunks, in which order, and whatever the threads and the memory.

use ncutils_core::filter::spec;
use ncutils_core::model::CodecSpec;

use super::*;

fn deflated(options: CopyOptions) -> CopyOptions {
    CopyOptions {
        filters: vec![spec::parse("*,2,4|1,1").unwrap()],
        ..options
    }
}

/// The entries of an index, without its checksum.
fn entries(index: &[u8]) -> Vec<(u64, u64)> {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    index
        .chunks_exact(16)
        .map(|entry| (number(&entry[..8]), number(&entry[8..])))
        .collect()
}

#[test]
fn shards_lack_what_is_missing_or_past_the_edge() {
    let registry = Registry::builtin();
    for (index, zip) in [(IndexLocation::End, false), (IndexLocation::Start, true)] {
        let options = CopyOptions {
            skip_fill: true,
            ..to_shards("z/8,y/14,x/10", index, &registry)
        };
        // The first shards in z hold nothing in their first two rows of chunks.
        let source = source(|z, y| z < 8 && y < 14 || z == 8 && y == 14);
        let copied = copy_with(&*source, &options, &RunOptions::default(), zip).unwrap();
        let values = copied.stored.values();
        let keys: Vec<_> = values.keys().filter(|key| key.starts_with("v/c/")).collect();
        let all = (0..3).flat_map(|z| (0..3).map(move |y| format!("v/c/{z}/{y}/0")));
        let expected: Vec<_> = all.filter(|key| *key != "v/c/0/0/0").collect();
        assert!(keys.iter().copied().eq(&expected), "{keys:?}");
        for key in keys {
            let value = &values[key];
            let size = 2 * 2 * 2 * 16;
            let (from, data) = match index {
                IndexLocation::Start => (0, size as u64 + 4),
                IndexLocation::End => (value.len() - size - 4, 0),
            };
            let found = entries(&value[from..from + size]);
            let coordinates: Vec<u64> = key[4..].split('/').map(|n| n.parse().unwrap()).collect();
            let mut end = data;
            for (n, entry) in found.into_iter().enumerate() {
                let n = n as u64;
                let (z, y, x) = (
                    coordinates[0] * 8 + n / 4 * 4,
                    coordinates[1] * 14 + n / 2 % 2 * 7,
                    n % 2 * 5,
                );
                let is_past = z >= 22 || y >= 34 || x >= 10;
                if is_past || z == 8 && y == 14 {
                    assert_eq!(entry, (u64::MAX, u64::MAX), "{key} {n}");
                } else {
                    assert_eq!(entry, (end, 4 * 7 * 5 * 4), "{key} {n}");
                    end += entry.1;
                }
            }
            let behind = value.len() as u64 - if from == 0 { 0 } else { size as u64 + 4 };
            assert_eq!(end, behind, "{key}: no gaps");
        }
        let reader = copied.stored.open(&registry);
        assert_eq!(text(&*reader), text(&*source));
    }
}

#[test]
fn the_same_bytes_whatever_the_threads_and_the_memory() {
    let registry = Registry::builtin();
    let source = source(|z, y| z == 12 && y > 7);
    let plain = deflated(to(Kind::Netcdf4, &registry));
    let deflated_source = copied(&*source, &plain).stored.open(&registry);
    for (index, shard) in [
        (IndexLocation::End, "z/8,y/14"),
        (IndexLocation::Start, "z/12,x/5"),
        (IndexLocation::Start, "z/,y/,x/"),
    ] {
        // Chunks that pass, and chunks that are encoded.
        for reader in [&deflated_source, &source] {
            let options = deflated(to_shards(shard, index, &registry));
            for zip in [false, true] {
                let run = |threads, memory| {
                    let run = RunOptions {
                        threads: Some(threads),
                        memory: Some(memory),
                        ..RunOptions::default()
                    };
                    copy_with(&**reader, &options, &run, zip).unwrap().stored
                };
                let first = run(1, 1 << 30);
                for (threads, memory) in [(4, 1 << 30), (1, 20_000), (4, 20_000), (3, 1)] {
                    let other = run(threads, memory);
                    assert!(
                        other.values() == first.values(),
                        "{threads} threads, {memory} bytes"
                    );
                    if let (Stored::Zip(a), Stored::Zip(b)) = (&first, &other) {
                        assert!(a == b, "{threads} threads, {memory} bytes: another zip");
                    }
                }
            }
        }
    }
}

#[test]
fn chunks_that_skipped_filters_are_encoded_anew() {
    let registry = Registry::builtin();
    let mut dataset = Dataset::new(Kind::Netcdf4);
    let dims = [("y", 10), ("x", 7)].map(|(name, length)| dataset.dim(Schema::ROOT, name, length, false));
    let values = Values::from_bytes((0..70i32).flat_map(i32::to_le_bytes).collect());
    let var = dataset.var(Schema::ROOT, "v", Type::Int, &dims, Some(&[4, 4]), Some(values));
    dataset.layout(var).filters = vec![CodecSpec::hdf5(2, [4]), CodecSpec::hdf5(1, [4])];
    dataset.unfiltered_edges[var.0] = true;
    let output = Arc::new(MemoryOutput::new());
    dataset.write(output.clone()).unwrap();
    let source = format::open(Arc::new(output.bytes()), &registry).unwrap();
    let masks: Vec<u32> = (0..6)
        .map(|chunk| {
            source
                .read_encoded_chunk(var, chunk)
                .unwrap()
                .unwrap()
                .filter_mask
        })
        .collect();
    assert_eq!(masks, [0, 3, 0, 3, 3, 3]);
    let copied = copied(&*source, &to_shards("y/8,x/8", IndexLocation::End, &registry));
    let reader = copied.stored.open(&registry);
    assert_eq!(text(&*reader), text(&*source));
    // Every chunk of the output passed all codecs; those that had passed them before are the same.
    let after = chunks(&*reader);
    assert_eq!(after.len(), 6);
    for (chunk, mask) in masks.iter().enumerate() {
        let before = source.read_encoded_chunk(var, chunk as u64).unwrap().unwrap();
        let same = after[&("v".to_owned(), chunk as u64)] == before.bytes;
        assert_eq!(same, *mask == 0, "{chunk}");
    }
}

#[test]
fn shards_larger_than_the_memory_are_written_within_it() {
    const BUDGET: u64 = 4 << 20;
    let registry = Registry::builtin();
    let mut dataset = Dataset::new(Kind::Netcdf4);
    let x = dataset.dim(Schema::ROOT, "x", 8 << 20, false);
    let numbers = (0..8u32 << 20).flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_le_bytes());
    let values = Values::from_bytes(numbers.collect());
    // 32 MiB in 128 chunks.
    dataset.var(
        Schema::ROOT,
        "v",
        Type::Int,
        &[x],
        Some(&[64 << 10]),
        Some(values),
    );
    let output = Arc::new(MemoryOutput::new());
    dataset.write(output.clone()).unwrap();
    let source = format::open(Arc::new(output.bytes()), &registry).unwrap();
    let run = RunOptions {
        threads: Some(3),
        memory: Some(BUDGET),
        ..RunOptions::default()
    };
    // Shards of 16 MiB, whose chunks pass, are encoded, or are made of others.
    let shards = |options: CopyOptions| CopyOptions {
        shards: vec![ShardSpec::parse("x/4194304").unwrap()],
        ..options
    };
    let rechunked = CopyOptions {
        chunking: vec![ncutils_core::copy::plan::ChunkSpec::parse("x/32768").unwrap()],
        ..to(Kind::Zarr3, &registry)
    };
    let mut first = None;
    for options in [
        to(Kind::Zarr3, &registry),
        deflated(to(Kind::Zarr3, &registry)),
        rechunked,
    ] {
        for (zip, index) in [(false, IndexLocation::End), (true, IndexLocation::Start)] {
            let options = CopyOptions {
                shard_index: Some(index),
                ..shards(options.clone())
            };
            let copied = copy_with(&*source, &options, &run, zip).unwrap();
            assert!(copied.peak <= BUDGET, "{} bytes", copied.peak);
            let keys = copied.stored.values();
            assert_eq!(keys.keys().filter(|key| key.starts_with("v/c/")).count(), 2);
            let reader = copied.stored.open(&registry);
            let region = format::Region {
                start: vec![(4 << 20) - 100],
                count: vec![200],
            };
            let values = reader.read_region(VarId(0), &region).unwrap();
            assert_eq!(*first.get_or_insert(values.clone()), values);
        }
    }
}
