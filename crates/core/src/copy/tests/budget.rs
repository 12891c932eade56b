//! Tests that a copy decodes each chunk once and stays within its memory budget.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::super::jobs::{Job, PIECE, Terms, jobs};
use super::super::run::run_jobs;
use super::super::{RunOptions, prepare, run};
use super::in_memory::{Log, Output, copy, input, layout, plan, rechunk, source};
use crate::chunk::byte_count;
use crate::model::{Endian, Storage, VariableLayout};

#[test]
fn each_input_chunk_is_decoded_once_where_memory_allows() {
    for (extent, a, b) in [
        (&[40u64, 60, 50][..], &[1u64, 60, 50][..], &[40u64, 7, 9][..]),
        (&[40, 60, 50], &[10, 10, 10], &[3, 5, 50]),
        (&[40, 60, 50], &[40, 7, 9], &[1, 60, 50]),
    ] {
        let (input, plan) = rechunk(extent, a, b);
        copy(&input, &plan, 3, 1 << 30).unwrap();
        assert_eq!(input.reads.load(Ordering::Relaxed), input.sources[0].grid().len());
    }
}

#[test]
fn tiles_are_decoded_once_even_in_little_memory() {
    let (input, plan) = rechunk(&[64, 60, 50], &[8, 30, 50], &[16, 20, 25]);
    // A tile is 16 × 60 × 50 elements: 192 kB.
    copy(&input, &plan, 1, 400_000).unwrap();
    assert_eq!(input.reads.load(Ordering::Relaxed), input.sources[0].grid().len());
}

#[test]
fn a_job_hands_the_writer_few_pieces_however_small_they_are() {
    let from = layout(&[1 << 20], None, 4, Endian::Little, 0);
    let to = layout(&[1 << 20], Some(&[1]), 4, Endian::Little, 0);
    let input = input(vec![source(from, [])]);
    let prepared = prepare(&input, &plan(&[to])).unwrap();
    let terms = Terms {
        folder: None,
        readers: (&input).into(),
        plans: &prepared.plans,
        threads: 2,
        budget: 1 << 30,
    };
    let mut pieces = 0;
    for job in jobs(&terms, &prepared.variables) {
        let Ok((Job::Blocks { blocks, .. }, _)) = job else {
            panic!("another kind of job");
        };
        let of_job = blocks.iter().map(|block| block.end - block.first).sum::<u64>();
        assert!(of_job * PIECE <= 4 << 20, "{of_job} pieces");
        pieces += of_job;
    }
    assert_eq!(pieces, 1 << 20);
}

#[test]
fn what_does_not_fit_is_written_down_rather_than_decoded_again() {
    let (input, plan) = rechunk(&[40, 60, 50], &[1, 60, 50], &[40, 6, 5]);
    let chunks = input.sources[0].grid().len();
    let expected = copy(&input, &plan, 2, 1 << 30).unwrap();
    input.reads.store(0, Ordering::Relaxed);
    // A fifth of the variable at most, so that there are several blocks.
    assert_eq!(copy(&input, &plan, 2, 150_000).unwrap(), expected);
    assert_eq!(input.reads.load(Ordering::Relaxed), chunks);

    // Without a folder for it, chunks are decoded again.
    let prepared = prepare(&input, &plan).unwrap();
    let log = Arc::new(Mutex::new(Log::default()));
    let options = RunOptions {
        threads: Some(2),
        memory: Some(150_000),
        folder: Some(std::path::Path::new("/nonexistent")),
        ..RunOptions::default()
    };
    input.reads.store(0, Ordering::Relaxed);
    run(&input, &prepared, Box::new(Output(Arc::clone(&log))), &options).unwrap();
    assert_eq!(*log.lock().unwrap(), expected);
    assert!(input.reads.load(Ordering::Relaxed) > 2 * chunks);
}

#[test]
fn the_ledger_stays_within_the_budget() {
    let routes = [
        // Extent, input chunk, output chunk.
        (
            &[40u64, 60, 50][..],
            Some(&[1u64, 60, 50][..]),
            Some(&[1u64, 60, 50][..]),
        ),
        (&[40, 60, 50], Some(&[1, 60, 50]), Some(&[40, 6, 5])),
        (&[40, 60, 50], Some(&[40, 6, 5]), Some(&[1, 60, 50])),
        (&[40, 60, 50], Some(&[10, 6, 5]), None),
        (&[40, 60, 50], None, Some(&[10, 6, 5])),
        (&[40, 60, 50], None, None),
    ];
    for (extent, a, b) in routes {
        for filters in [0, 1] {
            let from = layout(extent, a, 4, Endian::Little, 1);
            let to = layout(extent, b, 4, Endian::Big, filters);
            let most = |l: &VariableLayout| match l.storage {
                Storage::Chunked { .. } => 4 * byte_count(l.chunk_shape(), 4).unwrap() as u64,
                _ => 0,
            };
            // A slab of contiguous storage is the whole variable here.
            let need = most(&from) + most(&to) + if b.is_none() && a.is_some() { 480_000 } else { 0 };
            let input = input(vec![source(from, [])]);
            let prepared = prepare(&input, &plan(&[to])).unwrap();
            for (threads, memory) in [(1, 1), (2, 1), (1, 200_000), (3, 200_000), (3, 1_000_000)] {
                let options = RunOptions {
                    threads: Some(threads),
                    memory: Some(memory),
                    ..RunOptions::default()
                };
                let peak = run_jobs((&input).into(), &prepared, &Output(Arc::default()), &options)
                    .unwrap()
                    .peak;
                let allowed = memory.max(need + 8192);
                assert!(
                    peak <= allowed,
                    "{a:?} to {b:?}, {threads} threads: {peak} of {allowed}"
                );
            }
        }
    }
}
