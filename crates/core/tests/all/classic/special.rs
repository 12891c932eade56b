//! What few files are: streamed, oddly padded, of few records, or over 4 GiB; and what none can be.

use std::collections::BTreeMap;
use std::sync::Arc;

use ncutils_core::filter::Registry;
use ncutils_core::format::{self, Promised, Region};
use ncutils_core::model::{EdgeChunks, Kind, Schema, Storage, Type, Values};
use ncutils_core::store::{FileOutput, FileSource, MemoryOutput, Output};

use super::files::{KINDS, dim, open, plans, stored, var, write};

#[test]
fn a_streaming_record_count_is_found_from_the_size() {
    for kind in KINDS {
        for (dims, records) in [(1, 7), (2, 7), (1, 0)] {
            let mut schema = Schema::new(kind);
            let t = dim(&mut schema, "t", records, true);
            for i in 0..dims {
                var(&mut schema, &format!("v{i}"), Type::Short, &[t]);
            }
            let mut bytes = write(&schema, &[]);
            let width = if kind == Kind::Data64 { 8 } else { 4 };
            bytes[4..4 + width].fill(0xFF);
            let reader = open(bytes.clone()).unwrap();
            assert_eq!(reader.schema().dim(t).length, records);
            if records > 0 {
                // Half a record is none.
                bytes.pop();
                assert_eq!(open(bytes).unwrap().schema().dim(t).length, records - 1);
            }
        }
    }
}

#[test]
fn padding_that_is_not_zero_and_names_that_are_odd_are_read() {
    let mut schema = Schema::new(Kind::Classic);
    dim(&mut schema, "y", 3, false);
    dim(&mut schema, "ended", 3, false);
    dim(&mut schema, "zz", 3, false);
    let mut bytes = write(&schema, &[]);
    let y = bytes.iter().position(|b| *b == b'y').unwrap();
    bytes[y + 1..y + 4].copy_from_slice(b"\xFFab");
    let ended = bytes.iter().position(|b| *b == b'e').unwrap();
    bytes[ended + 3] = 0;
    let reader = open(bytes.clone()).unwrap();
    assert_eq!(reader.schema().dims[0].name, "y");
    assert_eq!(reader.schema().dims[1].name, "end");
    let z = bytes.iter().position(|b| *b == b'z').unwrap();
    bytes[z] = 0xE4;
    let reader = open(bytes).unwrap();
    assert_eq!(reader.schema().dims[2].name, "\u{fffd}z");
    assert_eq!(reader.schema().warnings.len(), 1);
}

#[test]
fn a_variable_with_fewer_records_than_the_file_has_is_filled() {
    let mut schema = Schema::new(Kind::Offset64);
    let t = dim(&mut schema, "t", 5, true);
    let a = var(&mut schema, "a", Type::Short, &[t]);
    let b = var(&mut schema, "b", Type::Int, &[t]);
    let mut plans = plans(&schema);
    plans[a.0].layout.extent = vec![2];
    plans[a.0].promised = Promised::Bytes(4);
    plans[b.0].promised = Promised::Bytes(4);
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), &schema, &plans).unwrap();
    writer.write_range(a, 0, &[0, 1, 0, 2]).unwrap();
    let error = writer.write_range(a, 4, &[0, 3]).unwrap_err().to_string();
    assert!(error.contains("variable a"), "{error}");
    let values = Values::from_bytes(vec![9, 0, 0, 0]);
    let region = Region {
        start: vec![4],
        count: vec![1],
    };
    writer.write_values(0, b, &region, values).unwrap();
    writer.finish().unwrap();
    let reader = open(output.bytes()).unwrap();
    assert_eq!(
        stored(reader.as_ref(), a),
        [0, 1, 0, 2, 0x80, 1, 0x80, 1, 0x80, 1]
    );
    assert_eq!(stored(reader.as_ref(), b)[16..], [0, 0, 0, 9]);
}

#[test]
fn what_was_promised_must_come() {
    let mut schema = Schema::new(Kind::Offset64);
    let x = dim(&mut schema, "x", 4, false);
    let a = var(&mut schema, "a", Type::Short, &[x]);
    let mut plans = plans(&schema);
    plans[a.0].promised = Promised::Bytes(8);
    for written in [4, 8] {
        let output = Arc::new(MemoryOutput::new());
        let writer = format::create(output.clone(), &schema, &plans).unwrap();
        writer.write_range(a, 0, &vec![1; written]).unwrap();
        let finished = writer.finish();
        assert_eq!(output.committed(), written == 8);
        if let Err(error) = finished {
            let text = error.to_string();
            assert!(text.contains("variable a") && text.contains("4 bytes"), "{text}");
        }
    }
}

#[test]
fn chunks_and_filters_are_refused() {
    let mut schema = Schema::new(Kind::Classic);
    let x = dim(&mut schema, "x", 4, false);
    var(&mut schema, "a", Type::Int, &[x]);
    let mut plans = plans(&schema);
    plans[0].layout.storage = Storage::Chunked { shape: vec![2] };
    let output = Arc::new(MemoryOutput::new());
    let error = format::create(output.clone(), &schema, &plans)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("variable a: a classic file can hold neither chunks nor filters"),
        "{error}"
    );
    assert!(output.bytes().is_empty());
    for sharded in [true, false] {
        plans[0].layout.storage = Storage::Contiguous;
        plans[0].layout.shard = sharded.then(|| vec![4]);
        plans[0].layout.edges = if sharded {
            EdgeChunks::Full
        } else {
            EdgeChunks::Clipped
        };
        let error = format::create(output.clone(), &schema, &plans).err().unwrap();
        assert!(
            error.to_string().contains("neither clipped chunks nor shards"),
            "{error}"
        );
    }
}

/// Files over 4 GiB: the data is a hole except where it was written.
#[test]
fn positions_beyond_4_gib() {
    let dir = tempfile::tempdir().unwrap();
    for (kind, record) in [
        (Kind::Offset64, false),
        (Kind::Data64, false),
        (Kind::Offset64, true),
    ] {
        let path = dir.path().join("large.nc");
        let mut schema = Schema::new(kind);
        let t = dim(&mut schema, "t", 3, true);
        let x = dim(&mut schema, "x", 5 << 30, false);
        if kind == Kind::Offset64 {
            // A dimension cannot be this long there, but a variable can.
            schema.dims[x.0].length = 5 << 20;
        }
        let k = dim(&mut schema, "k", 1 << 10, false);
        let dims = match (kind, record) {
            (Kind::Data64, _) => vec![x],
            (_, false) => vec![x, k],
            (_, true) => vec![t, x, k],
        };
        // Fill of zero, so that what is not written stays a hole.
        let a = record.then(|| var(&mut schema, "a", Type::Char, &[t, k]));
        let b = var(&mut schema, "b", Type::Char, &dims);
        let shape = schema.shape(b);
        let size: u64 = shape.iter().product();
        let output: Arc<dyn Output> = Arc::new(FileOutput::create(&path).unwrap());
        let mut plans = plans(&schema);
        plans[b.0].promised = Promised::Bytes(4);
        if let Some(a) = a {
            plans[a.0].promised = Promised::Bytes(1 << 10);
        }
        let writer = format::create(output, &schema, &plans).unwrap();
        let places = BTreeMap::from([
            (0, b'0'),
            ((4 << 30) - 2, b'1'),
            (4 << 30, b'2'),
            (size - 1, b'3'),
        ]);
        for (at, byte) in &places {
            writer.write_range(b, *at, &[*byte]).unwrap();
        }
        if let Some(a) = a {
            writer.write_range(a, 2 << 10, &[b'a'; 1 << 10]).unwrap();
        }
        writer.finish().unwrap();

        let reader = format::open(Arc::new(FileSource::open(&path).unwrap()), &Registry::builtin()).unwrap();
        assert_eq!(reader.schema().shape(b), shape);
        for (at, byte) in places {
            let mut found = [0xEE; 2];
            let start = at.min(size - 2);
            reader.read_range(b, start, &mut found).unwrap();
            assert_eq!(
                found[(at - start) as usize],
                byte,
                "byte {at} of a {} file",
                kind.name()
            );
            let mut rest = at;
            let mut start: Vec<u64> = shape
                .iter()
                .rev()
                .map(|length| {
                    let at = rest % length;
                    rest /= length;
                    at
                })
                .collect();
            start.reverse();
            let count = vec![1; start.len()];
            assert_eq!(
                reader.read_region(b, &Region { start, count }).unwrap().bytes,
                [byte]
            );
        }
        if let Some(a) = a {
            assert_eq!(
                stored(reader.as_ref(), a)[1 << 10..],
                [[0; 1 << 10], [b'a'; 1 << 10]].concat()
            );
        }
    }
}
