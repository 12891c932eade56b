//! Damaged files give errors.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ncutils_core::Error;
use ncutils_core::format::{self, Region};
use ncutils_core::model::{Kind, Schema, Type, VarId};
use ncutils_core::store::Object;

use super::files::{CLASSIC_TYPES, KINDS, MORE_TYPES, attribute, dim, open, stored, var, write};

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
        let mut numbers = Numbers(KINDS.iter().position(|other| *other == kind).unwrap() as u64);
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

/// Bytes that do not tell how many they are, and how often they were asked.
struct WithoutSize {
    bytes: Vec<u8>,
    asked: AtomicUsize,
}

impl Object for WithoutSize {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        assert!(buf.len() < 1 << 20, "no file says that so much is there");
        self.bytes.read_exact_at(offset, buf)
    }
}

#[test]
fn a_file_need_not_know_its_size() {
    for kind in KINDS {
        let whole = sample(kind);
        let known = open(whole.clone()).unwrap();
        let opened = |bytes: &[u8]| {
            let object = Arc::new(WithoutSize {
                bytes: bytes.to_vec(),
                asked: AtomicUsize::new(0),
            });
            (
                format::open(object.clone(), &ncutils_core::filter::Registry::builtin()),
                object,
            )
        };
        let (reader, object) = opened(&whole);
        let reader = reader.unwrap();
        assert!(object.asked.load(Ordering::Relaxed) < 30);
        assert_eq!(format!("{:?}", reader.schema()), format!("{:?}", known.schema()));
        for i in 0..known.schema().vars.len() {
            assert_eq!(stored(&*reader, VarId(i)), stored(&*known, VarId(i)));
        }
        for length in 0..whole.len() {
            let cut = &whole[..length];
            match (opened(cut).0, open(cut.to_vec())) {
                (Ok(reader), Ok(known)) => {
                    assert_eq!(format!("{:?}", reader.schema()), format!("{:?}", known.schema()))
                }
                (Err(error), Err(_)) => assert!(!matches!(error, Error::Io { .. }), "{error}"),
                (reader, _) => panic!("{length} bytes: opened is {}", reader.is_ok()),
            }
        }
        // Lengths that no file has ask for no memory.
        for at in 4..whole.len() - 8 {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF]);
            if let Ok(reader) = opened(&bytes).0 {
                let _ = reader.read_region(VarId(0), &Region::whole(&reader.schema().shape(VarId(0))));
            }
        }
    }
}
