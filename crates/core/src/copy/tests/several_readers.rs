//! Copies of several readers, of which few are open at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ncutils_gate::Gate;

use super::super::{ReaderId, Readers, RunOptions, SourcePart, prepare, run};
use super::in_memory::{InMemoryInput, Log, Output, input, layout, source};
use super::selections::{plan_of, written};
use super::slow::Slow;
use crate::chunk::Selection;
use crate::error::{Error, Result};
use crate::filter::Pipeline;
use crate::format::{ChunkPlace, ChunkReader, Extensions, Reader, ReaderPool, Region, Written};
use crate::model::{Endian, Schema, Values, VarId, VariableLayout};

/// Number of datasets, each with two rows of the variable that they are joined to.
const DATASETS: u64 = 12;

/// Length of a row.
const ROW: u64 = 6;

/// How the datasets store the variable, and how the output does.
#[derive(Debug, Clone)]
struct Case {
    from: VariableLayout,
    to: VariableLayout,
    /// A chunk that no dataset has.
    missing: Option<u64>,
}

/// The dataset `n`. No two have the same elements.
fn dataset(n: u64, case: &Case) -> InMemoryInput {
    let mut source = source(case.from.clone(), case.missing);
    for byte in &mut source.data {
        *byte ^= (n * 19) as u8;
    }
    input(vec![source])
}

/// How many readers were opened, and are open.
#[derive(Default)]
struct ReaderCounts {
    opened: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
}

/// A reader that counts itself as open until it is dropped.
struct Counted {
    input: InMemoryInput,
    counts: Arc<ReaderCounts>,
}

impl Counted {
    fn open(input: InMemoryInput, counts: &Arc<ReaderCounts>) -> Box<dyn Reader> {
        counts.opened.fetch_add(1, Ordering::SeqCst);
        let now = counts.now.fetch_add(1, Ordering::SeqCst) + 1;
        counts.most.fetch_max(now, Ordering::SeqCst);
        Box::new(Self {
            input,
            counts: Arc::clone(counts),
        })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.counts.now.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Reader for Counted {
    fn schema(&self) -> &Schema {
        self.input.schema()
    }

    fn layout(&self, var: VarId) -> &VariableLayout {
        self.input.layout(var)
    }

    fn written(&self, var: VarId) -> Result<Written> {
        self.input.written(var)
    }

    fn read_range(&self, var: VarId, offset: u64, buf: &mut [u8]) -> Result<()> {
        self.input.read_range(var, offset, buf)
    }

    fn read_region(&self, var: VarId, region: &Region) -> Result<Values> {
        self.input.read_region(var, region)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            chunks: Some(self),
            ..Extensions::NONE
        }
    }
}

impl ChunkReader for Counted {
    fn pipeline(&self, var: VarId) -> Result<Arc<Pipeline>> {
        self.input.pipeline(var)
    }

    fn stored_size(&self, var: VarId, chunk: u64) -> Option<u64> {
        self.input.stored_size(var, chunk)
    }

    fn chunk_place(&self, _: VarId, _: u64) -> Option<ChunkPlace> {
        None
    }

    fn read_encoded_chunk_into(&self, var: VarId, chunk: u64, bytes: &mut Vec<u8>) -> Result<Option<u32>> {
        self.input.read_encoded_chunk_into(var, chunk, bytes)
    }
}

/// All datasets, one after another along the first dimension. The first is that of the main reader.
fn joined() -> Vec<SourcePart> {
    let part = |n: u64| {
        let selection = Selection::new(vec![0, 0], vec![1, 1], vec![2, ROW], vec![2 * n, 0]).unwrap();
        let reader = match n {
            0 => ReaderId::Main,
            n => ReaderId::Further(n as usize),
        };
        SourcePart {
            reader,
            ..SourcePart::new(VarId(0), selection)
        }
    };
    (0..DATASETS).map(part).collect()
}

/// The elements of the joined variable.
fn expected(case: &Case) -> Vec<Vec<u8>> {
    let elements = |n| {
        let source = dataset(n, case).sources.remove(0);
        let element = |at: u64| source.element(&[at / ROW, at % ROW]);
        (0..2 * ROW).map(element).collect::<Vec<_>>()
    };
    (0..DATASETS).flat_map(elements).collect()
}

/// A pool of the datasets but the first, of which `most` are open at a time.
fn pool(most: usize, case: &Case, counts: &Arc<ReaderCounts>) -> ReaderPool {
    let (case, counts) = (case.clone(), Arc::clone(counts));
    ReaderPool::new(most, move |n| {
        Ok(Counted::open(dataset(n as u64, &case), &counts))
    })
}

fn copied(readers: Readers, to: &VariableLayout, threads: usize) -> Result<Log> {
    let prepared = prepare(readers, &plan_of(joined(), to))?;
    let log = Arc::new(Mutex::new(Log::default()));
    let options = RunOptions {
        threads: Some(threads),
        ..RunOptions::default()
    };
    run(readers, &prepared, Box::new(Output(Arc::clone(&log))), &options)?;
    Ok(Arc::into_inner(log).unwrap().into_inner().unwrap())
}

/// Cases that take different routes.
fn cases() -> Vec<Case> {
    let rows = 2 * DATASETS;
    let of = |chunk: Option<&[u64]>, filters| layout(&[2, ROW], chunk, 4, Endian::Little, filters);
    let to = |chunk: Option<&[u64]>, filters| layout(&[rows, ROW], chunk, 4, Endian::Big, filters);
    let raw = layout(&[rows, ROW], Some(&[1, ROW]), 4, Endian::Little, 1);
    let mut other_fill = of(Some(&[2, 4]), 1);
    other_fill.fill.value = Some(Values::from_bytes(vec![1, 2, 3, 4]));
    let case = |from: VariableLayout, to: VariableLayout| Case {
        from,
        to,
        missing: None,
    };
    vec![
        case(of(Some(&[1, ROW]), 1), raw),
        case(of(Some(&[1, ROW]), 1), to(Some(&[1, ROW]), 2)),
        case(of(Some(&[2, 4]), 1), to(Some(&[5, 5]), 1)),
        case(of(Some(&[2, 4]), 1), to(None, 0)),
        case(of(None, 0), to(Some(&[5, 5]), 1)),
        case(of(None, 0), to(None, 0)),
        // What is missing reads as another value in the output, so elements are copied as values.
        Case {
            missing: Some(1),
            ..case(other_fill, to(Some(&[5, 5]), 1))
        },
    ]
}

#[test]
fn a_variable_is_joined_of_more_readers_than_are_open_at_once() {
    for case in cases() {
        for (most, threads) in [(1, 1), (1, 4), (3, 2), (100, 3)] {
            let counts = Arc::default();
            let pool = pool(most, &case, &counts);
            let main = dataset(0, &case);
            let log = copied(Readers::new(&main, &pool), &case.to, threads).unwrap();
            assert_eq!(written(&log, &case.to), expected(&case), "{case:?}");
            let most_open = counts.most.load(Ordering::SeqCst);
            assert!(most_open <= most, "{most_open} of {most} open");
            if most == 100 {
                assert_eq!(counts.opened.load(Ordering::SeqCst) as u64, DATASETS - 1);
            }
            drop(pool);
            assert_eq!(counts.now.load(Ordering::SeqCst), 0, "all are closed");
        }
    }
}

#[test]
fn preparing_opens_each_reader_once() {
    let case = cases().remove(2);
    let counts = Arc::default();
    let pool = pool(1, &case, &counts);
    let main = dataset(0, &case);
    let mut plan = plan_of(joined(), &case.to);
    plan.variables.push(plan.variables[0].clone());
    plan.schema.add_var(plan.schema.vars[0].clone());
    prepare(Readers::new(&main, &pool), &plan).unwrap();
    assert_eq!(counts.opened.load(Ordering::SeqCst) as u64, DATASETS - 1);
}

#[test]
fn what_is_joined_is_fetched_ahead_where_the_main_reader_is_slow() {
    for case in cases() {
        for most in [1, 4] {
            let counts = Arc::default();
            let pool = pool(most, &case, &counts);
            let main = Slow::new(dataset(0, &case), 8);
            let log = copied(Readers::new(&main, &pool), &case.to, 2).unwrap();
            assert_eq!(written(&log, &case.to), expected(&case), "{case:?}");
            assert!(counts.most.load(Ordering::SeqCst) <= most);
        }
    }
}

#[test]
fn closed_readers_are_opened_at_once_where_the_main_reader_is_slow() {
    let case = cases().remove(1);
    let (gate, counts) = (Arc::new(Gate::default()), Arc::<ReaderCounts>::default());
    let pool = {
        let (case, gate, counts) = (case.clone(), Arc::clone(&gate), Arc::clone(&counts));
        ReaderPool::new(6, move |n| {
            gate.pass(|| Ok(Counted::open(dataset(n as u64, &case), &counts)))
        })
    };
    let main = Slow::new(dataset(0, &case), 8);
    let readers = Readers::new(&main, &pool);
    let prepared = prepare(readers, &plan_of(joined(), &case.to)).unwrap();
    let log = Arc::new(Mutex::new(Log::default()));
    // Of the readers that `prepare` opened, the first are closed.
    gate.hold_until(4);
    let output = Box::new(Output(Arc::clone(&log)));
    run(readers, &prepared, output, &RunOptions::default()).unwrap();
    assert_eq!(written(&log.lock().unwrap(), &case.to), expected(&case));
    assert!(gate.most() >= 4, "{} at once", gate.most());
    assert!(counts.most.load(Ordering::SeqCst) <= 6);
}

#[test]
fn a_reader_that_cannot_be_opened_is_an_error() {
    let case = cases().remove(1);
    let main = dataset(0, &case);
    // Opened by `prepare`, and gone when the copy runs.
    let tries = AtomicUsize::new(0);
    let kept = case.clone();
    let pool = ReaderPool::new(1, move |n| {
        if n == 7 && tries.fetch_add(1, Ordering::SeqCst) > 0 {
            return Err(Error::Usage("the seventh is gone".into()));
        }
        Ok(Box::new(dataset(n as u64, &kept)))
    });
    for threads in [1, 4] {
        let error = copied(Readers::new(&main, &pool), &case.to, threads)
            .unwrap_err()
            .to_string();
        assert!(error.contains("the seventh is gone"), "{error}");
    }
    // A pool whose readers cannot be opened is not stuck.
    let never = ReaderPool::new(1, |n| Err(Error::Usage(format!("no reader {n}"))));
    for n in 0..3 {
        assert!(never.get(n).is_err());
    }
    let error = copied((&main).into(), &case.to, 1).unwrap_err().to_string();
    assert!(error.contains("does not have"), "{error}");
}

#[test]
fn many_threads_share_few_readers() {
    let case = cases().remove(0);
    let counts = Arc::default();
    let pool = pool(2, &case, &counts);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let pool = &pool;
            scope.spawn(move || {
                for n in 0..40 {
                    let reader = pool.get((n * 7 + thread) % 5).unwrap();
                    assert_eq!(reader.schema().vars.len(), 1);
                }
            });
        }
    });
    assert!(counts.most.load(Ordering::SeqCst) <= 2);
}
