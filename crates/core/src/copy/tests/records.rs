//! Copies of interleaved records: the same as variable by variable.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::super::plan::{ChunkSpec, CopyOptions, Listed, plan};
use super::super::run::run_jobs;
use super::super::task::{Band, Route};
use super::super::{Prepared, Progress, RunOptions, prepare, run};
use super::parts::parts;
use crate::error::Result;
use crate::filter::{Pipeline, Registry};
use crate::format::{self, Extensions, Reader, Region, VariablePlan, Written};
use crate::model::{
    Attribute, Dimension, Endian, Kind, Schema, Type, Values, VarId, Variable, VariableLayout,
};
use crate::store::MemoryOutput;

const KINDS: [Kind; 5] = [
    Kind::Classic,
    Kind::Offset64,
    Kind::Data64,
    Kind::Netcdf4,
    Kind::Netcdf4Classic,
];

/// A dataset that does not tell that it is interleaved.
struct OneByOne<'a>(&'a dyn Reader);

impl Reader for OneByOne<'_> {
    fn schema(&self) -> &Schema {
        self.0.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        self.0.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        self.0.written(var)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.0.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.0.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions::NONE
    }
}

/// A variable of a made file.
#[derive(Debug, Clone)]
struct Made {
    ty: Type,
    record: bool,
    /// Lengths of its dimensions but the record dimension.
    lengths: Vec<u64>,
    fill: bool,
}

fn made(ty: Type, lengths: &[u64]) -> Made {
    Made {
        ty,
        record: true,
        lengths: lengths.to_vec(),
        fill: false,
    }
}

/// A classic file of `records` records. Padding holds what no writer of ours writes.
fn file(kind: Kind, records: u64, vars: &[Made]) -> Vec<u8> {
    let mut schema = Schema::new(kind);
    let dim = |schema: &mut Schema, name: String, length, unlimited| {
        schema.add_dim(Dimension {
            name,
            group: Schema::ROOT,
            length,
            unlimited,
        })
    };
    let time = dim(&mut schema, "time".into(), records, true);
    for (n, made) in vars.iter().enumerate() {
        let mut dims = if made.record { vec![time] } else { vec![] };
        for (d, length) in made.lengths.iter().enumerate() {
            dims.push(dim(&mut schema, format!("d{n}_{d}"), *length, false));
        }
        let size = made.ty.atomic_size();
        let fill = Attribute {
            name: "_FillValue".into(),
            ty: made.ty,
            length: 1,
            values: Values::from_bytes((1..=size as u8).collect()),
        };
        schema.add_var(Variable {
            name: format!("v{n}"),
            group: Schema::ROOT,
            ty: made.ty,
            dims,
            attributes: made.fill.then_some(fill).into_iter().collect(),
        });
    }
    let plans: Vec<_> = (0..schema.vars.len())
        .map(|n| {
            let (element_size, encoding) = schema.storage_encoding(schema.vars[n].ty);
            let layout = VariableLayout {
                endian: Endian::Big,
                ..VariableLayout::contiguous(schema.shape(VarId(n)), element_size, encoding)
            };
            let bytes = layout.extent.iter().product::<u64>() * element_size as u64;
            VariablePlan::with_pipeline(layout, Pipeline::empty(), crate::format::Promised::Bytes(bytes))
        })
        .collect();
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), &schema, &plans).unwrap();
    for (n, plan) in plans.iter().enumerate() {
        let size = plan.layout.extent.iter().product::<u64>() as usize * plan.layout.element_size;
        let data: Vec<u8> = (0..size).map(|b| (b * 7 + n * 31 + b / 251) as u8).collect();
        writer.write_range(VarId(n), 0, &data).unwrap();
    }
    writer.finish().unwrap();
    let mut bytes = output.bytes();
    let layout = open(&bytes).record_layout();
    if let Some(layout) = layout {
        let begin = bytes.len() - (layout.records * layout.record_size) as usize;
        for record in bytes[begin..].chunks_mut(layout.record_size as usize) {
            let mut end = 0;
            for slab in &layout.slabs {
                record[end..slab.offset as usize].fill(0xAB);
                end = (slab.offset + slab.length) as usize;
            }
            record[end..].fill(0xAB);
        }
    }
    bytes
}

fn open(bytes: &[u8]) -> Box<dyn Reader> {
    format::open(Arc::new(bytes.to_vec()), &Registry::builtin()).unwrap()
}

fn copied(reader: &dyn Reader, options: &CopyOptions, threads: usize, memory: u64) -> Result<Vec<u8>> {
    let plan = plan(reader, options)?;
    let prepared = prepare(reader, &plan)?;
    let output = Arc::new(MemoryOutput::new());
    let writer = format::create(output.clone(), &plan.schema, &prepared.plans)?;
    let options = RunOptions {
        threads: Some(threads),
        memory: Some(memory),
        ..RunOptions::default()
    };
    run(reader, &prepared, writer, &options)?;
    Ok(output.bytes())
}

fn bands(prepared: &Prepared) -> Vec<&Band> {
    let band = |route| match route {
        &Route::Records(Some(ref band)) => Some(&**band),
        _ => None,
    };
    prepared.variables.iter().filter_map(|v| band(&v.route)).collect()
}

fn members(prepared: &Prepared) -> Vec<Vec<usize>> {
    let of = |band: &&Band| band.members.iter().map(|m| m.variable).collect();
    bands(prepared).iter().map(of).collect()
}

fn prepared(reader: &dyn Reader, kind: Kind) -> Prepared {
    let options = CopyOptions {
        kind: Some(kind),
        ..CopyOptions::default()
    };
    prepare(reader, &plan(reader, &options).unwrap()).unwrap()
}

#[test]
fn bands_are_small_slabs_near_each_other() {
    let large = made(Type::Byte, &[70_000]);
    let wide = made(Type::Byte, &[5_000]);
    let number = made(Type::Double, &[]);
    let fixed = Made {
        record: false,
        ..number.clone()
    };
    let vars = [
        number.clone(),
        number.clone(),
        fixed,
        number.clone(),
        large,
        number.clone(),
        wide,
        number.clone(),
    ];
    let bytes = file(Kind::Classic, 10, &vars);
    let reader = open(&bytes);
    // Neither a slab that is large nor others far away.
    assert_eq!(
        members(&prepared(&*reader, Kind::Classic)),
        [vec![0, 1, 3], vec![5, 6, 7]]
    );
    // Chunks of one record beside chunks of 512.
    let to_chunks = prepared(&*reader, Kind::Netcdf4);
    assert_eq!(members(&to_chunks), [vec![0, 1, 3], vec![5, 6, 7]]);
    assert_eq!(bands(&to_chunks)[0].run % 512, 0);
    // Alone, a record variable goes as it did.
    let alone = open(&file(Kind::Classic, 10, &vars[1..3]));
    assert!(bands(&prepared(&*alone, Kind::Classic)).is_empty());
    assert!(bands(&prepared(&OneByOne(&*reader), Kind::Classic)).is_empty());
}

#[test]
fn runs_are_bounded_whatever_the_chunks() {
    let vars = vec![made(Type::Byte, &[]); 5_000];
    let bytes = file(Kind::Classic, 3, &vars);
    let reader = open(&bytes);
    // A chunk has 4096 records, a record 20,000 bytes with the padding.
    let to_chunks = prepared(&*reader, Kind::Netcdf4);
    let bands = bands(&to_chunks);
    assert_eq!(bands.len(), 10);
    for band in bands {
        assert_eq!(band.run, 4096);
        assert!(band.members.len() * 4 * 4096 <= (8 << 20) + 4 * 4096);
    }
    let sequence_numbers: Vec<u64> = to_chunks.variables.iter().map(|v| v.first_sequence).collect();
    assert!(sequence_numbers.is_sorted());
}

#[test]
fn what_is_cut_off_is_reported_as_of_one_variable() {
    let vars = [
        made(Type::Short, &[]),
        made(Type::Double, &[]),
        made(Type::Byte, &[]),
    ];
    let bytes = file(Kind::Classic, 700, &vars);
    for kind in [Kind::Classic, Kind::Netcdf4] {
        let options = CopyOptions {
            kind: Some(kind),
            ..CopyOptions::default()
        };
        for cut in [1, 3, 4, 5, 12, 13, 100, 5_000] {
            let reader = open(&bytes[..bytes.len() - cut]);
            let expected = copied(&OneByOne(&*reader), &options, 2, 1 << 30);
            let found = copied(&*reader, &options, 2, 1 << 30);
            // The last three bytes are padding, which need not be there.
            assert_eq!(found.is_ok(), cut <= 3);
            match (found, expected) {
                (Ok(found), Ok(expected)) if kind == Kind::Classic => assert!(found == expected),
                (Ok(found), Ok(expected)) => assert_same_values(&found, &expected),
                (found, expected) => {
                    assert_eq!(found.unwrap_err().to_string(), expected.unwrap_err().to_string())
                }
            }
        }
    }
}

#[test]
fn progress_and_memory_are_accounted() {
    #[derive(Default)]
    struct Count(AtomicU64, AtomicU64);
    impl Progress for Count {
        fn start(&self, total: u64) {
            self.0.store(total, Ordering::Relaxed);
        }
        fn advance(&self, bytes: u64) {
            self.1.fetch_add(bytes, Ordering::Relaxed);
        }
    }
    let vars: Vec<_> = (0..60)
        .map(|n| made(Type::ATOMIC[n % 6], &[[1, 3, 2][n % 3]]))
        .collect();
    let bytes = file(Kind::Offset64, 3_000, &vars);
    let reader = open(&bytes);
    for kind in KINDS {
        let options = CopyOptions {
            kind: Some(kind),
            deflate: kind.can().chunks.then_some(1),
            ..CopyOptions::default()
        };
        let plan = plan(&*reader, &options).unwrap();
        let prepared = prepare(&*reader, &plan).unwrap();
        assert!(!bands(&prepared).is_empty());
        for memory in [1_000_000, 20_000_000] {
            let count = Count::default();
            let run = RunOptions {
                threads: Some(3),
                memory: Some(memory),
                progress: Some(&count),
                ..RunOptions::default()
            };
            let output = Arc::new(MemoryOutput::new());
            let writer = format::create(output, &plan.schema, &prepared.plans).unwrap();
            let peak = run_jobs((&*reader).into(), &prepared, &*writer, &run)
                .unwrap()
                .peak;
            assert!(peak <= memory, "{kind:?}: {peak} of {memory}");
            assert_eq!(count.0.into_inner(), count.1.into_inner());
        }
    }
}

fn assert_same_values(a: &[u8], b: &[u8]) {
    let (a, b) = (open(a), open(b));
    assert_eq!(a.schema().vars.len(), b.schema().vars.len());
    for n in 0..a.schema().vars.len() {
        let whole = Region::whole(&a.schema().shape(VarId(n)));
        let values = |reader: &dyn Reader| reader.read_region(VarId(n), &whole).unwrap();
        assert_eq!(values(&*a), values(&*b), "variable {n}");
        assert_eq!(a.layout(VarId(n)), b.layout(VarId(n)));
    }
}

fn a_variable() -> impl Strategy<Value = Made> {
    (
        0usize..11,
        prop_oneof![4 => Just(true), 1 => Just(false)],
        proptest::collection::vec(1u64..6, 0..3),
        any::<bool>(),
    )
        .prop_map(|(ty, record, lengths, fill)| Made {
            ty: Type::ATOMIC[ty],
            record,
            lengths,
            fill,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn copies_record_by_record_are_those_variable_by_variable(
        from in 0usize..3,
        to in 0usize..5,
        records in prop_oneof![0u64..12, 500u64..1500],
        mut vars in proptest::collection::vec(a_variable(), 0..9),
        fixed in prop_oneof![4 => Just(false), 1 => Just(true)],
        deflate in proptest::option::of(1u32..3),
        chunk in proptest::option::of((1u64..9, 1u64..4)),
        listed in proptest::option::of(proptest::collection::vec(0usize..9, 1..5)),
        threads in 1usize..4,
        memory in proptest::sample::select(vec![1u64, 3_000, 300_000, 1 << 30]),
    ) {
        let (from, to) = (KINDS[from], KINDS[to]);
        for made in &mut vars {
            let small = Type::ATOMIC[..6].contains(&made.ty);
            let all = from == Kind::Data64 && [Kind::Data64, Kind::Netcdf4].contains(&to);
            if !(small || all) {
                made.ty = Type::Float;
            }
        }
        let hdf5 = to.can().chunks;
        let bytes = file(from, records, &vars);
        let reader = open(&bytes);
        let chunking = chunk.filter(|_| hdf5).map(|(time, other)| {
            let dims = reader.schema().dims.iter();
            let length = |dim: &Dimension| if dim.unlimited { time } else { other };
            ChunkSpec::Dimensions(dims.map(|dim| (dim.name.clone(), Some(length(dim)))).collect())
        });
        let variables = listed.map(|names| Listed {
            names: names.iter().filter(|n| **n < vars.len()).map(|n| format!("v{n}").into()).collect(),
            define_others: names.len() % 2 == 0,
        });
        let options = CopyOptions {
            kind: Some(to),
            deflate: deflate.filter(|_| hdf5),
            fix_unlimited: fixed && records > 0,
            chunking: chunking.into_iter().collect(),
            variables: variables.filter(|v| !v.names.is_empty()),
            ..CopyOptions::default()
        };
        let expected = copied(&OneByOne(&*reader), &options, 1, 1 << 30).unwrap();
        let found = copied(&*reader, &options, threads, memory).unwrap();
        if hdf5 {
            assert_same_values(&found, &expected);
            // Neither threads nor memory change the file.
            prop_assert_eq!(copied(&*reader, &options, 1, 1 << 30).unwrap(), found);
        } else {
            prop_assert!(found == expected);
        }
    }
}

/// The parts of a copy share the records of a band: each takes whole runs.
#[test]
fn runs_of_records_are_shared_among_parts() {
    let vars = vec![made(Type::Double, &[2]); 3];
    let reader = open(&file(Kind::Offset64, 5_500, &vars));
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        chunking: vec![ChunkSpec::parse("time/1").unwrap()],
        ..CopyOptions::default()
    };
    let plan = plan(&*reader, &options).unwrap();
    let whole = prepare(&*reader, &plan).unwrap();
    // Five runs, and a shorter one.
    assert_eq!(bands(&whole)[0].run, 1024);
    let parts = parts(&*reader, &plan, 3);
    assert!(
        parts.iter().all(|part| part.len() >= 3 * 1024),
        "each has two runs of three variables"
    );
    let classic = CopyOptions {
        kind: Some(Kind::Classic),
        ..CopyOptions::default()
    };
    let plan = super::super::plan::plan(&*reader, &classic).unwrap();
    let promised = |n| {
        let part = prepare(&*reader, &plan).unwrap().into_share(n, 4).unwrap();
        part.plans.iter().map(|plan| plan.promised).collect::<Vec<_>>()
    };
    let bytes: Vec<u64> = (0..4)
        .map(|n| {
            let bytes = promised(n).into_iter().map(|promised| match promised {
                crate::format::Promised::Bytes(bytes) => bytes,
                _ => 0,
            });
            bytes.sum()
        })
        .collect();
    assert_eq!(bytes.iter().sum::<u64>(), 5_500 * 48);
    assert!(
        bytes.iter().all(|bytes| bytes.abs_diff(5_500 * 12) <= 48),
        "{bytes:?}"
    );
}
