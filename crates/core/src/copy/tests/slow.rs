//! A slow store below the reader: much is asked for at once, and the copy is the same.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ncutils_gate::Gate;

use super::super::run::run_jobs;
use super::super::{RunOptions, prepare};
use super::in_memory::{InMemoryInput, Log, Output, input, layout, plan, rechunk, source};
use crate::chunk::Region;
use crate::error::Result;
use crate::filter::Pipeline;
use crate::format::{
    ChunkPlace, ChunkReader, EncodedChunk, Extensions, Fetcher, Reader, Written, read_ranges,
};
use crate::model::{Endian, Schema, Storage, Values, VarId, VariableLayout};
use crate::store::{ByteRange, Done, FetchPool, Requests};

/// An input whose requests run on threads of their own, through a gate.
pub(super) struct Slow {
    pub(super) input: Arc<InMemoryInput>,
    pool: FetchPool,
    gate: Arc<Gate>,
    /// Requests for the first bad chunk that wait for all others.
    last: Arc<AtomicUsize>,
    in_flight: usize,
}

impl Slow {
    pub(super) fn new(input: InMemoryInput, in_flight: usize) -> Self {
        Self {
            input: Arc::new(input),
            pool: FetchPool::new(in_flight),
            gate: Arc::default(),
            last: Arc::default(),
            in_flight,
        }
    }

    fn each<A: Send + 'static, T: Send + 'static>(
        &self,
        asked: Vec<A>,
        done: Done<Result<Vec<T>>>,
        read: impl Fn(&InMemoryInput, &A) -> Result<T> + Send + Sync + 'static,
    ) {
        let left = AtomicUsize::new(asked.len());
        let found: Vec<Mutex<Option<Result<T>>>> = asked.iter().map(|_| Mutex::default()).collect();
        let all = Arc::new((left, found, Mutex::new(Some(done)), read));
        for (n, asked) in asked.into_iter().enumerate() {
            let (all, input, gate) = (Arc::clone(&all), Arc::clone(&self.input), Arc::clone(&self.gate));
            self.pool.run(move || {
                let (left, found, done, read) = &*all;
                let one = gate.pass(|| read(&input, &asked));
                *found[n].lock().unwrap() = Some(one);
                if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                    let found = found.iter().map(|one| one.lock().unwrap().take().unwrap());
                    done.lock().unwrap().take().unwrap()(found.collect());
                }
            });
        }
    }
}

impl Reader for Slow {
    fn schema(&self) -> &Schema {
        self.input.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        self.input.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        self.gate.pass(|| self.input.written(var))
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.gate.pass(|| self.input.read_range(var, offset, buf))
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        crate::format::read_region::read_region(self, var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            fetch: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChunkReader for Slow {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        self.input.pipeline(var)
    }

    fn stored_size(&self, _: VarId, _: u64) -> Option<u64> {
        None
    }

    fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
        None
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        self.gate
            .pass(|| self.input.read_encoded_chunk_into(var, chunk, bytes))
    }
}

impl Fetcher for Slow {
    fn requests(&self) -> Requests {
        Requests::slow(self.in_flight, 0)
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        let (gate, last) = (Arc::clone(&self.gate), Arc::clone(&self.last));
        self.each(chunks, done, move |input, chunk| {
            if input.bad == Some(*chunk) {
                // Other bad chunks fail before.
                last.fetch_add(1, Ordering::SeqCst);
                while gate.now() > last.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                last.fetch_sub(1, Ordering::SeqCst);
            }
            let read = (input as &dyn Reader).read_encoded_chunk(var, *chunk);
            read.map_err(|e| e.in_chunk(&input.sources[var.0].grid().coordinates(*chunk)))
        });
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        self.each(ranges, done, move |input, range| {
            let mut bytes = vec![0; range.length];
            input.read_range(var, range.offset, &mut bytes)?;
            Ok(bytes)
        });
    }
}

/// Copies, and holds the first requests until `wanted` are under way.
fn copy_held(slow: &Slow, wanted: usize, outputs: &[VariableLayout], memory: u64) -> Log {
    let prepared = prepare(slow, &plan(outputs)).unwrap();
    slow.gate.most();
    slow.gate.hold_until(wanted);
    let log = Arc::new(Mutex::new(Log::default()));
    let options = RunOptions {
        threads: Some(2),
        memory: Some(memory),
        ..RunOptions::default()
    };
    let peak = run_jobs(slow.into(), &prepared, &Output(Arc::clone(&log)), &options)
        .unwrap()
        .peak;
    assert!(peak <= memory, "{peak} of {memory}");
    Arc::into_inner(log).unwrap().into_inner().unwrap()
}

#[test]
fn many_requests_are_under_way_whatever_the_route() {
    let chunk = Some(&[1u64, 64, 64][..]);
    let extent = [64u64, 64, 64];
    for (from, to, filters) in [
        (chunk, chunk, 0),
        (chunk, chunk, 1),
        (chunk, Some(&[64u64, 8, 8][..]), 1),
        (chunk, None, 0),
        (None, chunk, 0),
    ] {
        let from = layout(&extent, from, 4, Endian::Little, 0);
        let to = layout(&extent, to, 4, Endian::Little, filters);
        let slow = Slow::new(input(vec![source(from, [])]), 30);
        // A range is a batch of half a megabyte here, and the variable has one.
        let least = if slow.layout(VarId(0)).storage == Storage::Contiguous {
            2
        } else {
            20
        };
        copy_held(&slow, least, std::slice::from_ref(&to), 8 << 20);
        let most = slow.gate.most();
        assert!(most >= least, "{most} at once, to {:?}", to.storage);
    }
}

#[test]
fn a_region_is_read_with_many_requests() {
    let from = layout(&[40, 64], Some(&[1, 64]), 4, Endian::Little, 1);
    let slow = Slow::new(input(vec![source(from, [3])]), 30);
    let whole = Region::whole(&[40, 64]);
    slow.gate.hold_until(20);
    let found = slow.read_region(VarId(0), &whole).unwrap();
    assert_eq!(found, slow.input.read_region(VarId(0), &whole).unwrap());
    assert!(slow.gate.most() >= 20);
}

#[test]
fn a_region_names_the_chunk_that_failed() {
    let from = layout(&[40, 64], Some(&[1, 64]), 4, Endian::Little, 1);
    let mut input = input(vec![source(from, [3])]);
    input.bad = Some(17);
    let slow = Slow::new(input, 30);
    let error = slow.read_region(VarId(0), &Region::whole(&[40, 64])).unwrap_err();
    assert_eq!(error.to_string(), "chunk [17, 0]: damaged file: bad 17");
}

#[test]
fn chunk_indexes_are_read_at_once() {
    let one = || source(layout(&[8, 8], Some(&[4, 4]), 4, Endian::Little, 0), []);
    let slow = Slow::new(input((0..40).map(|_| one()).collect()), 30);
    let outputs: Vec<_> = slow.input.sources.iter().map(|s| s.layout.clone()).collect();
    slow.gate.hold_until(15);
    prepare(&slow, &plan(&outputs)).unwrap();
    assert!(slow.gate.most() >= 15);
}

#[test]
fn the_first_failure_is_reported_whatever_arrives_first() {
    for to in [[40, 6, 5], [1, 30, 50], [1, 60, 50]] {
        let (mut input, plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &to);
        input.bad = Some(17);
        let slow = Slow::new(input, 10);
        let prepared = prepare(&slow, &plan).unwrap();
        for memory in [200_000, 1 << 30] {
            let options = RunOptions {
                threads: Some(2),
                memory: Some(memory),
                ..RunOptions::default()
            };
            let error = run_jobs((&slow).into(), &prepared, &Output(Arc::default()), &options).unwrap_err();
            assert_eq!(
                error.to_string(),
                "variable v0: chunk [17, 0, 0]: damaged file: bad 17",
                "{to:?}, {memory} bytes"
            );
        }
    }
}

/// A slow input that answers no request for chunks after the first ones.
struct Mute {
    slow: Slow,
    answers: AtomicUsize,
    panics: bool,
}

impl Reader for Mute {
    fn schema(&self) -> &Schema {
        self.slow.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        self.slow.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        self.slow.written(var)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.slow.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.slow.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            fetch: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChunkReader for Mute {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        self.slow.pipeline(var)
    }

    fn stored_size(&self, _: VarId, _: u64) -> Option<u64> {
        None
    }

    fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
        None
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        self.slow.read_encoded_chunk_into(var, chunk, bytes)
    }
}

impl Fetcher for Mute {
    fn requests(&self) -> Requests {
        self.slow.requests()
    }

    fn fetch_chunks(&self, var: VarId, chunks: Vec<u64>, done: Done<Result<Vec<Option<EncodedChunk>>>>) {
        if self.answers.fetch_sub(1, Ordering::SeqCst) > 1 {
            return self.slow.fetch_chunks(var, chunks, done);
        }
        self.answers.store(1, Ordering::SeqCst);
        assert!(!self.panics, "asked to panic");
        drop(done);
    }

    fn fetch_ranges(&self, var: VarId, ranges: Vec<ByteRange>, done: Done<Result<Vec<Vec<u8>>>>) {
        done(read_ranges(&ranges, |at, buf| self.read_range(var, at, buf)));
    }
}

#[test]
fn a_request_without_an_answer_ends_the_copy() {
    for (to, panics) in [([1, 60, 50], false), ([40, 6, 5], false), ([40, 6, 5], true)] {
        let (input, plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &to);
        let mute = Mute {
            slow: Slow::new(input, 10),
            answers: AtomicUsize::new(4),
            panics,
        };
        let prepared = prepare(&mute, &plan).unwrap();
        let options = RunOptions {
            threads: Some(2),
            memory: Some(200_000),
            ..RunOptions::default()
        };
        let error = run_jobs((&mute).into(), &prepared, &Output(Arc::default()), &options).unwrap_err();
        let says = "variable v0: internal error: a request for input ended without an answer";
        let panicked = "variable v0: internal error: asked to panic";
        let error = error.to_string();
        assert!(error == says || panics && error == panicked, "{error}");
    }
}
