//! What is written is read, in whichever order the pieces come.

use std::sync::Arc;

use ncutils_core::format::{self, Promised, Region, VariablePlan};
use ncutils_core::model::{Endian, Schema, Type, VarId, default_fill_value};
use ncutils_core::store::MemoryOutput;
use proptest::prelude::*;

use super::files::{
    CLASSIC_TYPES, KINDS, MORE_TYPES, attribute, big_endian, dim, open, plan, stored, var, write,
};

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
        let little: Vec<_> = (0..schema.vars.len())
            .map(|i| VariablePlan {
                promised: Promised::Bytes(stored(reader.as_ref(), VarId(i)).len() as u64),
                ..plan(schema, VarId(i), Endian::Little)
            })
            .collect();
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
