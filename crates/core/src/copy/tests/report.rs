//! What a copy tells before and after: routes, bytes, memory.

use std::sync::{Arc, Mutex};

use super::super::{RouteName, Routes, RunOptions, Sources, prepare, run};
use super::in_memory::{Log, Output, input, layout, plan, source};
use crate::format::Reader;
use crate::model::{Endian, VarId};

#[test]
fn a_report_tells_routes_and_bytes() {
    let little = Endian::Little;
    let from = vec![
        source(layout(&[10, 10], Some(&[4, 4]), 4, little, 1), [3]),
        source(layout(&[10, 10], Some(&[4, 4]), 4, little, 1), [3]),
        source(layout(&[10, 10], Some(&[4, 4]), 4, little, 0), [3]),
        source(layout(&[10, 10], None, 4, little, 0), []),
        source(layout(&[10, 10], None, 4, little, 0), []),
    ];
    let to = [
        layout(&[10, 10], Some(&[4, 4]), 4, little, 1),
        layout(&[10, 10], Some(&[4, 4]), 4, little, 2),
        layout(&[10, 10], Some(&[5, 5]), 4, little, 1),
        layout(&[10, 10], None, 4, Endian::Big, 0),
        layout(&[10, 10], Some(&[5, 5]), 4, little, 0),
    ];
    let input = &input(from);
    let mut plan = plan(&to);
    plan.variables[4].sources = Sources::Nothing;
    let prepared = prepare(input, &plan).unwrap();
    let wanted = [
        RouteName::Raw,
        RouteName::Refilter,
        RouteName::Blocks,
        RouteName::Ranges,
        RouteName::Nothing,
    ];
    for threads in [1, 3] {
        let log = Arc::new(Mutex::new(Log::default()));
        let options = RunOptions {
            threads: Some(threads),
            memory: Some(1 << 20),
            ..RunOptions::default()
        };
        let plan = prepared.describe(input, &plan, &options);
        let report = run(input, &prepared, Box::new(Output(Arc::clone(&log))), &options).unwrap();
        let log = log.lock().unwrap();
        let written = |n: usize| {
            let chunks = log.chunks.values().filter(|(var, ..)| *var == VarId(n));
            let chunks: usize = chunks.map(|(_, _, data)| data.bytes.len()).sum();
            (chunks + log.ranges.get(&VarId(n)).map_or(0, |bytes| bytes.len())) as u64
        };
        let told = report.variables();
        assert_eq!(told.len(), 5);
        for (n, var) in told.iter().enumerate() {
            assert_eq!(var.name, plan.variables[n].name);
            let routes = [&var.routes, &plan.variables[n].routes].map(Routes::only);
            assert_eq!(routes, [Some(wanted[n]); 2]);
            assert_eq!(var.written, written(n), "variable {n}");
            let planned = log.chunks.values().filter(|(var, ..)| *var == VarId(n)).count();
            assert_eq!(plan.variables[n].chunks, planned as u64);
        }
        let input: &dyn Reader = input;
        let stored = |n| (0..9).filter_map(move |chunk| input.read_encoded_chunk(VarId(n), chunk).unwrap());
        let stored = |n| stored(n).map(|data| data.bytes.len() as u64).sum::<u64>();
        let read: Vec<u64> = told.iter().map(|var| var.read).collect();
        assert_eq!(read, [stored(0), stored(1), stored(2), 400, 0]);
        assert_eq!(told[0].read, told[0].written);
        assert_eq!(told[0].decoded, 8 * 64);
        assert_eq!((told[3].decoded, told[4].decoded), (400, 0));
        assert_eq!((told[3].ratio(), told[4].ratio()), (Some(1.0), None));
        assert!(report.peak() > 0 && report.peak() <= plan.memory.max(1 << 20));
        assert!(!told[0].work.is_zero() && told[4].work.is_zero());
    }
}

#[test]
fn a_plan_stays_within_its_budget_unless_one_job_needs_more() {
    let from = layout(&[1000, 1000], Some(&[1000, 10]), 4, Endian::Little, 0);
    let to = layout(&[1000, 1000], Some(&[10, 1000]), 4, Endian::Little, 1);
    let input = input(vec![source(from, [])]);
    let plan = plan(&[to]);
    let prepared = prepare(&input, &plan).unwrap();
    for (budget, least, most) in [
        (1 << 30, 4_000_000, 16_000_000),
        (1 << 20, 40_000, 1 << 20),
        (1, 40_000, 200_000),
    ] {
        let options = RunOptions {
            threads: Some(2),
            memory: Some(budget),
            ..RunOptions::default()
        };
        let memory = prepared.describe(&input, &plan, &options).memory;
        assert!((least..=most).contains(&memory), "{memory} of {budget}");
    }
}
