//! Tests of the progress reports of a copy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::{CopyPlan, Prepared, Progress, RunOptions, prepare, run};
use super::in_memory::{InMemoryInput, Output, input, layout, plan, source};
use crate::model::Endian;

/// Counts the announced total, and the sum of all advances.
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

/// A copy of five variables by different routes.
fn five() -> (InMemoryInput, CopyPlan) {
    let from = [
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], None, 4, Endian::Little, 0),
        layout(&[10, 10], None, 4, Endian::Little, 0),
    ];
    let to = [
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 1),
        layout(&[10, 10], Some(&[3, 3]), 4, Endian::Little, 2),
        layout(&[10, 10], Some(&[10, 2]), 4, Endian::Little, 1),
        layout(&[10, 10], None, 4, Endian::Big, 0),
        layout(&[10, 10], Some(&[4, 4]), 4, Endian::Little, 1),
    ];
    (
        input(from.into_iter().map(|l| source(l, [1])).collect()),
        plan(&to),
    )
}

/// The total of a copy, which its advances must reach.
fn total(input: &InMemoryInput, prepared: &Prepared, memory: u64) -> u64 {
    let count = Count::default();
    let options = RunOptions {
        threads: Some(2),
        memory: Some(memory),
        progress: Some(&count),
        ..RunOptions::default()
    };
    run(input, prepared, Box::new(Output(Arc::default())), &options).unwrap();
    assert_eq!(count.0.load(Ordering::Relaxed), count.1.load(Ordering::Relaxed));
    count.0.into_inner()
}

#[test]
fn progress_ends_at_its_total() {
    let (input, plan) = five();
    let prepared = prepare(&input, &plan).unwrap();
    for memory in [100, 1 << 30] {
        assert!(total(&input, &prepared, memory) > 0);
    }
}

#[test]
fn progress_of_a_part_ends_at_the_total_of_the_part() {
    let (input, plan) = five();
    let whole = total(&input, &prepare(&input, &plan).unwrap(), 1 << 30);
    let part = |n| {
        let part = prepare(&input, &plan).unwrap().into_share(n, 3).unwrap();
        total(&input, &part, 1 << 30)
    };
    assert_eq!((0..3).map(part).sum::<u64>(), whole);
}
