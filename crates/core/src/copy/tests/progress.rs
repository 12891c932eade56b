//! Tests of the progress reports of a copy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::{Progress, RunOptions, prepare, run};
use super::in_memory::{Output, input, layout, plan, source};
use crate::model::Endian;

#[test]
fn progress_ends_at_its_total() {
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
    let input = input(from.into_iter().map(|l| source(l, [1])).collect());
    let prepared = prepare(&input, &plan(&to)).unwrap();
    for memory in [100, 1 << 30] {
        let count = Count::default();
        let options = RunOptions {
            threads: Some(2),
            memory: Some(memory),
            progress: Some(&count),
            ..RunOptions::default()
        };
        run(&input, &prepared, Box::new(Output(Arc::default())), &options).unwrap();
        assert!(count.0.load(Ordering::Relaxed) > 0);
        assert_eq!(count.0.load(Ordering::Relaxed), count.1.load(Ordering::Relaxed));
    }
}
