//! Classic files written and read back: random schemas and data, in any order of writing; damaged files; large ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use ncutils_core::error::Error;
use ncutils_core::format::{self, Reader, Region, VariablePlan};
use ncutils_core::model::{
    Attribute, DimId, Dimension, Encoding, Endian, Fill, FillTime, Kind, Schema, Storage, Type, Values,
    VarId, Variable, VariableLayout, default_fill_value,
};
use ncutils_core::store::{FileOutput, FileSource, MemoryOutput, Origin, Output};
use proptest::prelude::*;

const KINDS: [Kind; 3] = [Kind::Classic, Kind::Offset64, Kind::Data64];
const CLASSIC_TYPES: [Type; 6] = [
    Type::Byte,
    Type::Char,
    Type::Short,
    Type::Int,
    Type::Float,
    Type::Double,
];
const MORE_TYPES: [Type; 5] = [Type::UByte, Type::UShort, Type::UInt, Type::Int64, Type::UInt64];

fn dim(schema: &mut Schema, name: &str, length: u64, unlimited: bool) -> DimId {
    schema.add_dim(Dimension {
        name: name.to_owned(),
        group: Schema::ROOT,
        length,
        unlimited,
    })
}

fn var(schema: &mut Schema, name: &str, ty: Type, dims: &[DimId]) -> VarId {
    schema.add_var(Variable {
        name: name.to_owned(),
        group: Schema::ROOT,
        ty,
        dims: dims.to_vec(),
        attributes: Vec::new(),
    })
}

fn attribute(name: &str, ty: Type, bytes: &[u8]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        ty,
        length: bytes.len() / ty.atomic_size(),
        values: Values::from_bytes(bytes.to_vec()),
    }
}

fn plan(schema: &Schema, id: VarId, endian: Endian) -> VariablePlan {
    let size = schema.type_size(schema.var(id).ty);
    VariablePlan {
        layout: VariableLayout {
            storage: Storage::Contiguous,
            extent: schema.shape(id),
            element_size: size,
            encoding: Encoding::Numbers { unit: size },
            endian,
            filters: Vec::new(),
            edge_chunks_unfiltered: false,
            fill: Fill {
                value: None,
                explicit: false,
                no_fill: false,
                time: FillTime::IfSet,
            },
            allocated: true,
        },
        chunk_count: 0,
    }
}

fn plans(schema: &Schema) -> Vec<VariablePlan> {
    (0..schema.vars.len())
        .map(|i| plan(schema, VarId(i), Endian::Big))
        .collect()
}

/// Writes `pieces` (variable, byte offset, big-endian bytes) and gives the file.
fn write(schema: &Schema, pieces: &[(VarId, u64, Vec<u8>)]) -> Vec<u8> {
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), schema, &plans(schema)).unwrap();
    for (var, offset, bytes) in pieces {
        writer.write_range(*var, *offset, bytes).unwrap();
    }
    assert!(!output.committed());
    writer.finish().unwrap();
    assert!(output.committed());
    output.bytes()
}

fn open(bytes: Vec<u8>) -> Result<Box<dyn Reader>, Error> {
    format::open(Arc::new(bytes), &Origin::default())
}

/// All of a variable as stored, big-endian.
fn stored(reader: &dyn Reader, id: VarId) -> Vec<u8> {
    let layout = reader.layout(id);
    let size = layout.extent.iter().product::<u64>() as usize * layout.element_size;
    let mut bytes = vec![0xEE; size];
    reader.read_range(id, 0, &mut bytes).unwrap();
    bytes
}

fn big_endian(mut bytes: Vec<u8>, size: usize) -> Vec<u8> {
    bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    bytes
}

/// A dataset and what is written of it.
#[derive(Debug, Clone)]
struct Dataset {
    schema: Schema,
    pieces: Vec<(VarId, u64, Vec<u8>)>,
}

prop_compose! {
    fn a_dataset()(
        kind in 0usize..3,
        records in 0u64..6,
        lengths in proptest::collection::vec(1u64..8, 1..4),
        // The record dimension's place among the dimensions; beyond them all: none.
        place in 0usize..6,
        vars in proptest::collection::vec((0usize..11, any::<bool>(), proptest::collection::vec(0usize..3, 0..3), 0u8..4), 0..7),
        global in proptest::collection::vec((0usize..11, 0usize..5), 0..4),
        ranges in proptest::collection::vec((0usize..8, 0u64..400, 1u64..300, any::<u8>()), 0..12),
    ) -> Dataset {
        let mut schema = Schema::new(KINDS[kind]);
        let ty = |i: usize| {
            let types = [&CLASSIC_TYPES[..], &MORE_TYPES].concat();
            if kind == 2 { types[i] } else { types[i % 6] }
        };
        let mut fixed = Vec::new();
        let mut record = None;
        for i in 0..=lengths.len() {
            if i == place {
                record = Some(dim(&mut schema, "records", records, true));
            }
            if let Some(length) = lengths.get(i) {
                fixed.push(dim(&mut schema, &format!("d{i}"), *length, false));
            }
        }
        for (i, (t, is_record, dims, attributes)) in vars.iter().enumerate() {
            let mut shape: Vec<_> = record.filter(|_| *is_record).into_iter().collect();
            shape.extend(dims.iter().map(|d| fixed[d % fixed.len()]));
            let id = var(&mut schema, &format!("v{}", "x".repeat(i)), ty(*t), &shape);
            let size = ty(*t).atomic_size();
            if attributes & 1 == 1 {
                let fill: Vec<u8> = (1..=size as u8).collect();
                schema.vars[id.0].attributes.push(attribute("_FillValue", ty(*t), &fill));
            }
            if attributes & 2 == 2 {
                schema.vars[id.0].attributes.push(attribute("units", Type::Char, b"furlong"));
            }
        }
        for (i, (t, n)) in global.iter().enumerate() {
            let bytes: Vec<u8> = (0..n * ty(*t).atomic_size()).map(|b| b as u8).collect();
            schema.groups[0].attributes.push(attribute(&format!("a{i}"), ty(*t), &bytes));
        }
        let pieces = ranges
            .into_iter()
            .filter(|r| r.0 < schema.vars.len())
            .filter_map(|(v, offset, length, value)| {
                let id = VarId(v);
                let size = schema.shape(id).iter().product::<u64>() * schema.type_size(schema.var(id).ty) as u64;
                let start = offset.min(size);
                let end = (offset + length).min(size);
                (end > start).then(|| (id, start, (start..end).map(|b| value.wrapping_add(b as u8)).collect()))
            })
            .collect();
        Dataset { schema, pieces }
    }
}

fn same_structure(a: &Schema, b: &Schema) {
    assert_eq!(a.kind, b.kind);
    assert_eq!(a.dims, b.dims);
    assert_eq!(a.groups[0].attributes, b.groups[0].attributes);
    assert_eq!(a.vars.len(), b.vars.len());
    for (a, b) in a.vars.iter().zip(&b.vars) {
        assert_eq!(
            (&a.name, a.ty, &a.dims, &a.attributes),
            (&b.name, b.ty, &b.dims, &b.attributes)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_written_is_read_and_the_rest_is_fill(dataset in a_dataset(), cut in 1u64..40) {
        let Dataset { schema, pieces } = &dataset;
        let bytes = write(schema, pieces);
        let reader = open(bytes.clone()).unwrap();
        same_structure(schema, reader.schema());
        for (i, v) in schema.vars.iter().enumerate() {
            let id = VarId(i);
            let size = v.ty.atomic_size();
            let fill = match v.attributes.iter().find(|a| a.name == "_FillValue") {
                Some(a) => a.values.bytes.clone(),
                None => default_fill_value(v.ty).unwrap().bytes,
            };
            let count = schema.shape(id).iter().product::<u64>() as usize;
            let mut expected = big_endian(fill.repeat(count), size);
            for (_, offset, bytes) in pieces.iter().filter(|p| p.0 == id) {
                expected[*offset as usize..*offset as usize + bytes.len()].copy_from_slice(bytes);
            }
            prop_assert_eq!(&stored(reader.as_ref(), id), &expected);
            // In parts that meet no boundary.
            let mut parts = Vec::new();
            for start in (0..expected.len() as u64).step_by(cut as usize) {
                let mut part = vec![0; cut.min(expected.len() as u64 - start) as usize];
                reader.read_range(id, start, &mut part).unwrap();
                parts.extend(part);
            }
            prop_assert_eq!(&parts, &expected);
            let values = reader.read_region(id, &Region::whole(&schema.shape(id))).unwrap();
            prop_assert_eq!(&values.bytes, &big_endian(expected, size));
        }

        // Reading and writing again gives the same file, whatever the order and byte order of the writes.
        let output = Arc::new(MemoryOutput::new());
        let little: Vec<_> = (0..schema.vars.len()).map(|i| plan(schema, VarId(i), Endian::Little)).collect();
        let writer = format::create(output.clone(), reader.schema(), &little).unwrap();
        for i in (0..schema.vars.len()).rev() {
            let data = big_endian(stored(reader.as_ref(), VarId(i)), schema.vars[i].ty.atomic_size());
            let middle = (data.len() / 16) * 8;
            writer.write_range(VarId(i), middle as u64, &data[middle..]).unwrap();
            writer.write_range(VarId(i), 0, &data[..middle]).unwrap();
        }
        writer.finish().unwrap();
        prop_assert_eq!(output.bytes(), bytes);
    }
}

/// A file that has everything: all types, a record dimension, attributes.
fn sample(kind: Kind) -> Vec<u8> {
    let mut schema = Schema::new(kind);
    let t = dim(&mut schema, "time", 3, true);
    let x = dim(&mut schema, "x", 5, false);
    let mut types = CLASSIC_TYPES.to_vec();
    if kind == Kind::Data64 {
        types.extend(MORE_TYPES);
    }
    for (i, ty) in types.into_iter().enumerate() {
        let dims = [vec![t, x], vec![x], vec![], vec![t]];
        let id = var(&mut schema, &format!("v{i}"), ty, &dims[i % 4]);
        schema.vars[id.0]
            .attributes
            .push(attribute("scale", Type::Double, &[7; 16]));
    }
    schema.groups[0]
        .attributes
        .push(attribute("title", Type::Char, b"a sample"));
    let pieces: Vec<_> = (0..schema.vars.len())
        .map(|i| {
            let id = VarId(i);
            let size = schema.shape(id).iter().product::<u64>() as usize * schema.vars[i].ty.atomic_size();
            (id, 0, (0..size).map(|b| b as u8).collect())
        })
        .collect();
    write(&schema, &pieces)
}

/// Reads all that a file holds, as a program would that trusts it. An error is fine; anything else is not.
fn read_everything(bytes: Vec<u8>) {
    let size = bytes.len() as u64;
    let Ok(reader) = open(bytes) else { return };
    let schema = reader.schema();
    for i in 0..schema.vars.len() {
        let id = VarId(i);
        let shape = schema.shape(id);
        let read = reader.read_region(id, &Region::whole(&shape));
        if let Ok(values) = read {
            assert!(values.bytes.len() as u64 <= size, "more data than the file holds");
        }
        let mut first = [0; 64];
        let _ = reader.read_range(id, 0, &mut first);
        let _ = reader.read_range(id, u64::MAX, &mut first);
        let start = shape.iter().map(|n| n / 2).collect();
        let count = shape.iter().map(|n| (n - n / 2).min(2)).collect();
        let _ = reader.read_region(id, &Region { start, count });
    }
}

/// A small generator of numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }
}

#[test]
fn damaged_files_give_errors() {
    let values = [0, 1, 2, 4, 0x0A, 0x0B, 0x0C, 0x7F, 0x80, 0xFE, 0xFF];
    for kind in KINDS {
        let whole = sample(kind);
        for length in 0..whole.len() {
            read_everything(whole[..length].to_vec());
        }
        for at in 0..whole.len() {
            for value in values {
                let mut bytes = whole.clone();
                bytes[at] = value;
                read_everything(bytes);
            }
            // Whole numbers too: counts and lengths near the ends of their ranges.
            for word in [
                [0xFF; 8],
                [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                [0, 0, 0, 1, 0, 0, 0, 0],
            ] {
                let mut bytes = whole.clone();
                let end = (at + 8).min(bytes.len());
                bytes[at..end].copy_from_slice(&word[..end - at]);
                read_everything(bytes);
            }
        }
        let mut numbers = Numbers(kind as u64);
        for _ in 0..4000 {
            let mut bytes = whole.clone();
            for _ in 0..=numbers.next(6) {
                let at = numbers.next(bytes.len());
                match numbers.next(4) {
                    0 => bytes[at] ^= 1 << numbers.next(8),
                    1 => bytes[at] = numbers.next(256) as u8,
                    2 => drop(bytes.drain(at..(at + 1 + numbers.next(8)).min(bytes.len()))),
                    _ => bytes.insert(at, values[numbers.next(values.len())]),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            read_everything(bytes);
        }
    }
}

#[test]
fn a_count_that_the_file_cannot_hold_is_refused_at_once() {
    let mut bytes = b"CDF\x05".to_vec();
    bytes.extend([0; 8]);
    bytes.extend([0, 0, 0, 0x0A]);
    bytes.extend((1u64 << 60).to_be_bytes());
    bytes.extend([0; 64]);
    let error = open(bytes).err().unwrap().to_string();
    assert!(error.contains("list of dimensions at byte 12"), "{error}");
}

#[test]
fn truncated_data_is_an_error_only_where_it_is_read() {
    let mut schema = Schema::new(Kind::Classic);
    let t = dim(&mut schema, "t", 4, true);
    let x = dim(&mut schema, "x", 10, false);
    let a = var(&mut schema, "a", Type::Int, &[x]);
    let b = var(&mut schema, "b", Type::Int, &[t, x]);
    let c = var(&mut schema, "c", Type::Int, &[t]);
    let whole = write(&schema, &[]);
    let reader = open(whole[..whole.len() - 3].to_vec()).unwrap();
    assert_eq!(reader.schema().dim(t).length, 4);
    stored(reader.as_ref(), a);
    stored(reader.as_ref(), b);
    for error in [
        reader.read_region(c, &Region::whole(&[4])).unwrap_err(),
        reader.read_range(c, 0, &mut [0; 16]).unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(
            error.starts_with("variable c: damaged file: the file is truncated"),
            "{error}"
        );
    }
    reader.read_region(c, &Region::whole(&[3])).unwrap();
}

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
        let writer = format::create(output, &schema, &plans(&schema)).unwrap();
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

        let reader = format::open(Arc::new(FileSource::open(&path).unwrap()), &Origin::default()).unwrap();
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
