//! Tests of each route's output: untouched chunks, values, fill values, or nothing.

use std::sync::{Arc, Mutex};

use super::super::{RunOptions, Sources, prepare, run};
use super::in_memory::{InMemoryInput, InMemoryVariable, Log, Output, copy, input, layout, plan, source};
use super::masks::WITHOUT_MASKS;
use super::model::check;
use crate::chunk::fill_pattern;
use crate::error::{Error, Result};
use crate::filter::{Pipeline, UNKNOWN_ID};
use crate::format::read_region::read_region;
use crate::format::{ChunkPlace, ChunkReader, Extensions, Reader, Region, Written};
use crate::model::{
    CodecSpec, Configuration, Encoding, Endian, Kind, Schema, Storage, Values, VarId, VariableLayout,
    ZarrVersion,
};

#[test]
fn raw_chunks_pass_through_filters_that_are_not_known() {
    let hdf5 = CodecSpec::hdf5(UNKNOWN_ID, [1, 2])
        .with_optional(false)
        .with_name("odd");
    pass_unknown(hdf5, &format!("filter {UNKNOWN_ID} (odd) is not built in"));
    let configuration = Configuration::from_iter([("a".to_owned(), 1.into())]);
    let zarr = CodecSpec::zarr(ZarrVersion::V3, "odd", configuration);
    pass_unknown(zarr, "codec odd is not built in");
}

fn pass_unknown(unknown: CodecSpec, says: &str) {
    let mut from = layout(&[10, 10], Some(&[4, 4]), 4, Endian::Little, 0);
    let source_chunks = source(from.clone(), [3]);
    from.filters = vec![unknown];
    struct Opaque(InMemoryInput, InMemoryVariable);
    impl Reader for Opaque {
        fn schema(&self) -> &Schema {
            &self.0.schema
        }

        fn layout(&self, var: VarId) -> &VariableLayout {
            self.0.layout(var)
        }

        fn written(&self, var: VarId) -> Result<Written> {
            self.0.written(var)
        }

        fn read_range(&self, _: VarId, _: u64, _: &mut [u8]) -> Result<()> {
            Err(Error::Unsupported("a range of chunks".into()))
        }

        fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
            read_region(self, var, region)
        }

        fn extensions(&self) -> Extensions<'_> {
            Extensions {
                chunks: Some(self),
                ..Extensions::NONE
            }
        }
    }

    impl ChunkReader for Opaque {
        fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
            self.0.pipeline(var)
        }

        fn stored_size(&self, _: VarId, chunk: u64) -> Option<u64> {
            Some(self.1.encoded(chunk).bytes.len() as u64)
        }

        fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
            None
        }

        fn read_encoded_chunk_into(&self, _: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
            *bytes = self.1.encoded(chunk).bytes;
            Ok(Some(5))
        }
    }
    let mut hidden = source(layout(&[10, 10], Some(&[4, 4]), 4, Endian::Little, 0), [3]);
    hidden.layout = from.clone();
    let reader = Opaque(input(vec![hidden]), source_chunks);
    let log = Arc::new(Mutex::new(Log::default()));
    let prepared = prepare(&reader, &plan(&[from.clone()])).unwrap();
    run(
        &reader,
        &prepared,
        Box::new(Output(Arc::clone(&log))),
        &RunOptions::default(),
    )
    .unwrap();
    let log = log.lock().unwrap();
    assert_eq!(log.chunks.len(), 8);
    for (_, chunk, data) in log.chunks.values() {
        assert_eq!(data.bytes, reader.1.encoded(*chunk).bytes);
        assert_eq!(data.filter_mask, 5);
    }
    // A chunk that skipped filters must pass them where the output has no masks.
    let mut plan_without = plan(&[from.clone()]);
    plan_without.schema.kind = Kind::Other(&WITHOUT_MASKS);
    let prepared = prepare(&reader, &plan_without).unwrap();
    let output = Box::new(Output(Arc::default()));
    let error = run(&reader, &prepared, output, &RunOptions::default()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("not built in, but the chunk skipped filters") && !error.contains("pass"),
        "{error}"
    );
    // A copy that must decode names a missing filter before anything is written.
    let mut other = from;
    other.storage = Storage::Chunked { shape: vec![5, 5] };
    let error = prepare(&reader, &plan(&[other])).unwrap_err().to_string();
    assert!(error.contains("v0") && error.contains(says), "{error}");
}

#[test]
fn values_are_written_as_values_or_encoded() {
    // The reader's elements must be converted; the output's are plain numbers, or have a heap.
    for structured in [false, true] {
        for contiguous in [false, true] {
            let mut from = layout(&[10, 7], Some(&[4, 4]), 4, Endian::Big, 1);
            from.encoding = Encoding::Numbers { unit: 4 };
            let mut to = layout(&[10, 7], Some(&[3, 7]), 4, Endian::Little, 1);
            if contiguous {
                to.storage = Storage::Contiguous;
                to.filters.clear();
            }
            let model = to.clone();
            if structured {
                to.encoding = Encoding::Structured;
            } else {
                from.encoding = Encoding::Structured;
            }
            let mut input = input(vec![source(from, [])]);
            if !structured {
                // read_region must still give numbers.
                input.sources[0].layout.endian = Endian::Little;
            }
            let plan = plan(&[to]);
            let prepared = prepare(&input, &plan).unwrap();
            let log = Arc::new(Mutex::new(Log::default()));
            run(
                &input,
                &prepared,
                Box::new(Output(Arc::clone(&log))),
                &RunOptions::default(),
            )
            .unwrap();
            let log = log.lock().unwrap();
            if !structured {
                check(&input.sources[0], &model, 0, &log, false);
                continue;
            }
            assert!(log.values.keys().copied().eq(0..log.values.len() as u64));
            let mut elements = 0;
            for (_, region, values) in log.values.values() {
                elements += region.element_count().unwrap();
                assert_eq!(values, &input.read_region(VarId(0), region).unwrap());
            }
            assert_eq!(elements, 70);
        }
    }
}

#[test]
fn a_variable_without_source_or_storage_is_not_written() {
    let from = layout(&[10], None, 4, Endian::Little, 0);
    let to = layout(&[10], Some(&[4]), 4, Endian::Little, 0);
    let empty = source(layout(&[10], Some(&[4]), 4, Endian::Little, 0), [0, 1, 2]);
    let mut unwritten = source(from.clone(), []);
    unwritten.unwritten = true;
    let input = input(vec![unwritten, empty]);
    let mut plan = plan(&[to.clone(), from, to]);
    plan.variables[1].sources = Sources::Whole(VarId(1));
    plan.variables[2].sources = Sources::Nothing;
    let prepared = prepare(&input, &plan).unwrap();
    assert!(prepared.plans.iter().all(|p| p.promised.is_nothing()));
    let log = copy(&input, &plan, 2, 1 << 30).unwrap();
    assert!(log.chunks.is_empty() && log.ranges.is_empty());
}

#[test]
fn a_fill_pattern_goes_past_the_extent() {
    let from = layout(&[5], Some(&[4]), 4, Endian::Little, 1);
    let to = layout(&[5], Some(&[4]), 4, Endian::Big, 2);
    let input = input(vec![source(from, [])]);
    let log = copy(&input, &plan(std::slice::from_ref(&to)), 1, 1 << 30).unwrap();
    let last = &log.chunks[&1].2.bytes;
    let mut expected = vec![0; 12];
    fill_pattern(&mut expected, &[0xF3, 0xF2, 0xF1, 0xF0]);
    assert_eq!(last[4..16], expected);
}
