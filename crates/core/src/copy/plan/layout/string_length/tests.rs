//! Tests of the number of bytes that each string takes.

use super::*;
use crate::copy::plan::{ChunkSpec, CopyOptions, plan};
use crate::copy::{CopyPlan, RunOptions, prepare, run};
use crate::format::in_memory::InMemoryReader;
use crate::format::{ChunkPlace, ChunkReader, EncodedChunk, Extensions, Writer};
use crate::model::{Capabilities, CodecNames, CodecSpec, DimId, Dimension, Kind, Variable, ZarrVersion};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// As Zarr version 2.
static FIXED_STRINGS: Capabilities = {
    let mut can = Capabilities::new("fixed strings");
    can.contiguous = false;
    can.chunks = true;
    can.codecs = Some(CodecNames::Zarr(ZarrVersion::V2));
    can.atomic_types = &[Type::String, Type::Int, Type::Int64];
    can.fixed_strings = true;
    can
};

/// A variable of strings, `names(y, x)` with 2 × 20,000 elements, where [1, 7] is `long`.
fn input(long: &str, attributes: Vec<Attribute>, global: Vec<Attribute>) -> InMemoryReader {
    let mut schema = Schema::new(Kind::Netcdf4);
    for (name, length) in [("y", 2), ("x", 20_000)] {
        schema.add_dim(Dimension {
            name: name.into(),
            group: Schema::ROOT,
            length,
            unlimited: false,
        });
    }
    schema.groups[0].attributes = global.into();
    schema.add_var(Variable {
        name: "names".into(),
        group: Schema::ROOT,
        ty: Type::String,
        dims: vec![DimId(0), DimId(1)],
        attributes: attributes.into(),
    });
    let mut strings = vec![Some(&b"short"[..]); 40_000];
    strings[3] = None;
    strings[20_007] = Some(long.as_bytes());
    InMemoryReader::new(schema, vec![Values::from_strings(strings)])
}

fn number_attribute(name: &str, value: i32) -> Attribute {
    Attribute {
        name: name.into(),
        ty: Type::Int,
        length: 1,
        values: Values::from_bytes(value.to_le_bytes().to_vec()),
    }
}

fn planned(reader: &dyn Reader, asked: Option<&str>) -> Result<CopyPlan> {
    let options = CopyOptions {
        kind: Some(Kind::Other(&FIXED_STRINGS)),
        string_length: asked.map(|text| StringLength::parse(text).unwrap()),
        deflate: Some(1),
        shuffle: true,
        ..CopyOptions::default()
    };
    plan(reader, &options)
}

fn length(reader: &dyn Reader, asked: Option<&str>) -> u64 {
    let plan = planned(reader, asked).unwrap();
    plan.variables[0].layout.string_length.unwrap()
}

#[test]
fn the_longest_value_counts_unless_the_least_is_longer() {
    let long = "x".repeat(200);
    let none = || Vec::new();
    let of_variable = |n| vec![number_attribute(OF_VARIABLE, n)];
    let of_dataset = |n| vec![number_attribute(OF_DATASET, n)];
    for (long, attributes, global, bytes) in [
        ("x", none(), none(), 128),
        (&long[..], none(), none(), 200),
        ("x", of_variable(7), of_dataset(9), 7),
        ("x", of_variable(-1), of_dataset(9), 9),
        (&long, of_variable(7), of_dataset(9), 200),
        ("x", of_variable(300), none(), 300),
    ] {
        assert_eq!(length(&input(long, attributes, global), None), bytes);
    }
    let plan = planned(&input(&long, none(), none()), None).unwrap();
    let layout = &plan.variables[0].layout;
    // netCDF-C reads wrong strings where they are shuffled.
    let names: Vec<_> = layout.filters.iter().map(CodecSpec::name).collect();
    assert_eq!(names, ["zlib"]);
    // A codec is bound to what is stored, and the string is what it compresses.
    let chunk = crate::filter::ChunkType::new(&plan.schema, Type::String, layout, &[2, 3]);
    assert_eq!((chunk.element_size, chunk.number), (200, None));
}

#[test]
fn a_value_longer_than_asked_for_is_named_by_its_place() {
    let reader = input(&"x".repeat(200), Vec::new(), Vec::new());
    assert_eq!(length(&reader, Some("200")), 200);
    assert_eq!(length(&reader, Some("5,cut")), 5);
    let error = planned(&reader, Some("199")).unwrap_err().to_string();
    assert_eq!(
        error,
        "variable names: string length: the value at [1, 7] takes 200 bytes, more than 199; give 200 or more, or '199,cut'"
    );
    for wrong in ["", "0", "-1", "12,", "12,cut,cut", "cut"] {
        let error = StringLength::parse(wrong).unwrap_err().to_string();
        assert!(error.contains("expected a number of bytes"), "{error}");
    }
}

#[test]
fn no_string_takes_more_than_an_i32_counts() {
    let most = i32::MAX as u64;
    let reader = input("x", Vec::new(), Vec::new());
    assert_eq!(length(&reader, Some(&format!("{most},cut"))), most);
    for asked in ["3000000000", "3000000000,cut"] {
        let error = planned(&reader, Some(asked)).unwrap_err().to_string();
        assert!(
            error.starts_with("variable names: string length: 3000000000 bytes are more than"),
            "{error}"
        );
    }
    let attribute = Attribute {
        ty: Type::Int64,
        values: Values::from_bytes((most + 1).to_le_bytes().to_vec()),
        ..number_attribute(OF_VARIABLE, 0)
    };
    assert_eq!(
        length(&input("x", vec![attribute], Vec::new()), None),
        DEFAULT_STRING_LENGTH
    );
}

fn shape(plan: &CopyPlan) -> &[u64] {
    plan.variables[0].layout.chunk_shape()
}

/// Strings whose chunks are those of the file: one, unless it is told otherwise.
struct OneChunk(InMemoryReader, VariableLayout);

impl OneChunk {
    fn new(long: &str) -> Self {
        let inner = input(long, Vec::new(), Vec::new());
        let layout = inner.layout(VarId(0)).clone().in_chunks(vec![2, 20_000]);
        Self(inner, layout)
    }
}

impl Reader for OneChunk {
    fn schema(&self) -> &Schema {
        self.0.schema()
    }

    fn layout(&self, _: VarId) -> &VariableLayout {
        &self.1
    }

    fn written(&self, _: VarId) -> Result<Written> {
        Ok(Written::All)
    }

    fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
        Ok(())
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.0.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChunkReader for OneChunk {
    fn pipeline(&self, _: VarId) -> Result<Arc<crate::filter::Pipeline>> {
        Ok(crate::filter::Pipeline::empty())
    }

    fn stored_size(&self, _: VarId, _: u64) -> Option<u64> {
        None
    }

    fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
        None
    }

    fn read_encoded_chunk_into(&self, _: VarId, _: u64, _: &mut Vec<u8>) -> Result<Option<u32>> {
        Ok(None)
    }
}

#[test]
fn chunks_are_planned_and_charged_by_what_strings_take() {
    // 640 kB as slots, 80 MB as strings.
    let mut reader = OneChunk::new(&"x".repeat(2000));
    let plan = planned(&reader, None).unwrap();
    let chunk = shape(&plan).iter().product::<u64>() * 2000;
    assert!((8 << 20..=16 << 20).contains(&chunk), "{:?}", shape(&plan));
    let prepared = prepare(&reader, &plan).unwrap();
    let options = RunOptions {
        memory: Some(1 << 20),
        ..RunOptions::default()
    };
    let writer = Box::new(Longest(Arc::default()));
    let report = run(&reader, &prepared, writer, &options).unwrap();
    assert!(report.peak() >= chunk, "{} of {chunk}", report.peak());
    assert_eq!(
        report.variables()[0].decoded.div_ceil(1 << 20),
        (40_000u64 * 2000).div_ceil(1 << 20)
    );
    // Short ones keep the input's shape, and so do those that take as many bytes in the input.
    assert_eq!(shape(&planned(&OneChunk::new("x"), None).unwrap()), [2, 20_000]);
    reader.1.string_length = Some(2000);
    assert_eq!(shape(&planned(&reader, None).unwrap()), [2, 20_000]);
    // A chunk of the input is decoded as a whole.
    let elsewhere = crate::copy::plan::plan(&reader, &CopyOptions::default()).unwrap();
    let prepared = prepare(&reader, &elsewhere).unwrap();
    let writer = Box::new(Longest(Arc::default()));
    let report = run(&reader, &prepared, writer, &options).unwrap();
    assert!(report.peak() >= 40_000 * 2000, "{}", report.peak());
    // What is asked for is made, up to HDF5's limit.
    let asked = |length: &str| {
        let options = CopyOptions {
            kind: Some(Kind::Other(&FIXED_STRINGS)),
            string_length: Some(StringLength::parse(length).unwrap()),
            chunking: vec![ChunkSpec::parse("names:2,20000").unwrap()],
            ..CopyOptions::default()
        };
        crate::copy::plan::plan(&reader, &options)
    };
    assert_eq!(shape(&asked("2000").unwrap()), [2, 20_000]);
    let error = asked("200000").unwrap_err().to_string();
    assert!(
        error.contains("variable names")
            && error.contains("elements of 200000 bytes")
            && error.ends_with(", or cut the strings"),
        "{error}"
    );
}

#[test]
fn other_kinds_read_no_strings() {
    let options = CopyOptions {
        string_length: Some(StringLength { bytes: 1, cut: false }),
        ..CopyOptions::default()
    };
    let plan = plan(&input("long", Vec::new(), Vec::new()), &options).unwrap();
    assert_eq!(plan.variables[0].layout.string_length, None);
}

#[test]
fn strings_are_cut_between_characters() {
    for (text, most, cut) in [
        ("abc", 3, "abc"),
        ("abc", 2, "ab"),
        ("aä", 2, "a"),
        ("a€b", 3, "a"),
        ("a€b", 4, "a€"),
        ("😀", 3, ""),
    ] {
        let mut values = Values::from_strings([Some(text.as_bytes()), None]);
        cut_strings(&mut values, most);
        assert_eq!(values.string(0), Some(cut.as_bytes()), "{text} to {most}");
        assert_eq!(values.string(SLOT_SIZE), None);
    }
    let mut latin1 = Values::from_strings([Some(&[0xA4; 9][..])]);
    cut_strings(&mut latin1, 5);
    assert_eq!(latin1.string(0).unwrap().len(), 5);
}

/// Keeps the longest string that it receives.
struct Longest(Arc<AtomicU64>);

impl Writer for Longest {
    fn write_encoded_chunk(&self, _: u64, _: VarId, _: u64, _: EncodedChunk) -> Result<()> {
        Err(Error::Internal("strings are values".into()))
    }
    fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
        Err(Error::Internal("strings are values".into()))
    }
    fn write_values(&self, _: u64, _: VarId, _: &Region, values: Values) -> Result<()> {
        self.0.fetch_max(longest_string(&values), Ordering::Relaxed);
        Ok(())
    }
    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

#[test]
fn the_copy_cuts_what_it_writes() {
    let reader = input("a long string", Vec::new(), Vec::new());
    for (asked, longest) in [(None, 13), (Some("7,cut"), 7)] {
        let plan = planned(&reader, asked).unwrap();
        let prepared = prepare(&reader, &plan).unwrap();
        let found = Arc::new(AtomicU64::new(0));
        let writer = Box::new(Longest(Arc::clone(&found)));
        run(&reader, &prepared, writer, &RunOptions::default()).unwrap();
        assert_eq!(found.load(Ordering::Relaxed), longest);
    }
    // A string that was not there when the copy was planned.
    let mut plan = planned(&reader, None).unwrap();
    plan.variables[0].layout.string_length = Some(3);
    let prepared = prepare(&reader, &plan).unwrap();
    let writer = Box::new(Longest(Arc::default()));
    let error = run(&reader, &prepared, writer, &RunOptions::default()).unwrap_err();
    assert!(error.to_string().contains("a string of "), "{error}");
}

#[test]
fn filters_of_heap_addresses_are_not_those_of_strings() {
    struct Stored(InMemoryReader, VariableLayout);
    impl Reader for Stored {
        fn schema(&self) -> &Schema {
            self.0.schema()
        }

        fn layout(&self, _: VarId) -> &VariableLayout {
            &self.1
        }

        fn written(&self, _: VarId) -> Result<Written> {
            Ok(Written::Nothing)
        }

        fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
            Ok(())
        }

        fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
            self.0.read_region(var, region)
        }

        fn extensions(&self) -> Extensions<'_> {
            Extensions::NONE
        }
    }
    let inner = input("x", Vec::new(), Vec::new()).of_kind(Kind::Other(&FIXED_STRINGS));
    let mut layout = inner.layout(VarId(0)).clone().in_chunks(vec![2, 100]);
    layout.filters = vec![CodecSpec::hdf5(1, [2])];
    layout.string_length = Some(10);
    let reader = Stored(inner, layout);
    let to_netcdf4 = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..CopyOptions::default()
    };
    let copied = plan(&reader, &to_netcdf4).unwrap();
    assert!(copied.variables[0].layout.filters.is_empty());
    // The input's own number is kept.
    let options = CopyOptions {
        kind: Some(Kind::Other(&FIXED_STRINGS)),
        ..CopyOptions::default()
    };
    let copied = plan(&reader, &options).unwrap();
    let layout = &copied.variables[0].layout;
    assert_eq!((layout.filters.len(), layout.string_length), (1, Some(10)));
}
