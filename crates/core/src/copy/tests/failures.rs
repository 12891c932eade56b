//! Which failure is reported, and how.

use std::sync::Arc;

use super::super::{RunOptions, prepare, run};
use super::in_memory::{InMemoryInput, copy, input, layout, plan, rechunk, source};
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::format::{ChunkPlace, ChunkReader, EncodedChunk, Extensions, Reader, Region, Writer, Written};
use crate::model::{Endian, Schema, Values, VarId, VariableLayout};

#[test]
fn the_first_failure_is_reported_whatever_the_threads() {
    for threads in [1, 2, 4] {
        let (mut input, plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &[1, 30, 50]);
        input.bad = Some(17);
        let error = copy(&input, &plan, threads, 1 << 30).unwrap_err().to_string();
        assert_eq!(error, "variable v0: chunk [17, 0, 0]: damaged file: bad 17");
    }
}

#[test]
fn a_panic_becomes_an_error() {
    for chunk in [[40, 30, 50], [1, 60, 50]] {
        let (mut input, mut plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &chunk);
        plan.variables[0].layout.filters.clear();
        input.bad = Some(3);
        input.panics = true;
        let error = copy(&input, &plan, 2, 300_000).unwrap_err().to_string();
        assert_eq!(error, "variable v0: internal error: asked to panic");
    }
}

#[test]
fn what_cannot_be_written_names_the_output() {
    struct Full;
    impl Writer for Full {
        fn write_encoded_chunk(&self, _: u64, _: VarId, _: u64, _: EncodedChunk) -> Result<()> {
            Err(Error::Unsupported("a full disk".into()))
        }
        fn write_range(&self, _: VarId, _: u64, _: &[u8]) -> Result<()> {
            Err(Error::Unsupported("a full disk".into()))
        }
        fn write_values(&self, _: u64, _: VarId, _: &Region, _: Values) -> Result<()> {
            Err(Error::Unsupported("a full disk".into()))
        }
        fn finish(self: Box<Self>) -> Result<()> {
            Ok(())
        }
    }
    for (a, b) in [
        (Some(&[4u64, 4][..]), Some(&[4u64, 4][..])),
        (Some(&[4, 4]), None),
        (Some(&[4, 4]), Some(&[3, 9])),
    ] {
        let input = input(vec![source(layout(&[10, 10], a, 4, Endian::Little, 1), [])]);
        let prepared = prepare(&input, &plan(&[layout(&[10, 10], b, 4, Endian::Little, 1)])).unwrap();
        let options = RunOptions {
            output: Some("out.nc".as_ref()),
            ..RunOptions::default()
        };
        let error = run(&input, &prepared, Box::new(Full), &options)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "out.nc: variable v0: a full disk is not supported");
    }
}

#[test]
fn a_chunk_that_was_listed_and_cannot_be_found_is_an_error() {
    /// Lists all chunks, and has none.
    struct Liar(InMemoryInput);
    impl Reader for Liar {
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
            Extensions {
                chunks: Some(self),
                ..Extensions::NONE
            }
        }
    }

    impl ChunkReader for Liar {
        fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
            self.0.pipeline(var)
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
    let chunk = Some(&[4u64, 4][..]);
    let same = layout(&[8, 8], chunk, 4, Endian::Little, 1);
    for to in [
        same.clone(),
        layout(&[8, 8], chunk, 4, Endian::Big, 2),
        layout(&[8, 8], Some(&[8, 2]), 4, Endian::Little, 1),
        layout(&[8, 8], None, 4, Endian::Little, 0),
    ] {
        let reader = Liar(input(vec![source(same.clone(), [])]));
        let error = copy(&reader, &plan(&[to]), 1, 1 << 20).unwrap_err().to_string();
        assert_eq!(
            error,
            "variable v0: chunk [0, 0]: damaged file: a stored chunk cannot be found"
        );
    }
}
