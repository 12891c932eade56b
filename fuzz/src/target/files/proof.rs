//! Fuzzes checks and salvage: of a damaged file all that can be read is copied, and the copy is sound.

use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::error::Result;
use ncutils_core::filter::Registry;
use ncutils_core::format::{self, ReadOptions, Reader};
use ncutils_core::integrity::{CheckOptions, Salvage, check as check_dataset};
use ncutils_core::model::Kind;
use ncutils_core::store::{Destination, MemoryOutput, Output};

use super::copy::is_small;
use super::dataset::{check, input_of};

/// Checks a file that may be damaged, and copies what is left of it.
pub fn check_and_salvage(input: &[u8]) {
    let registry = Registry::builtin();
    let opened = format::open_damaged(input_of(input), &registry, &ReadOptions::DEFAULT);
    salvage_opened(input, opened, &registry);
}

/// Scans a file for objects that nothing leads to, and copies what is left of it. Every second file has no superblock, or no
/// beginning.
pub fn scan_and_salvage(input: &[u8]) {
    let registry = Registry::builtin();
    let mut bytes = input.to_vec();
    let lost = match input.len() % 4 {
        0 => 8,
        1 => 200,
        _ => 0,
    };
    bytes.iter_mut().take(lost).for_each(|byte| *byte = 0xee);
    let opened = format::open_salvaged(input_of(&bytes), &registry, &ReadOptions::DEFAULT);
    salvage_opened(input, opened, &registry);
}

fn salvage_opened(input: &[u8], opened: Result<Box<dyn Reader>>, registry: &Registry) {
    let Some(reader) = check(opened).filter(|reader| is_small(&**reader)) else {
        return;
    };
    let options = CheckOptions {
        threads: Some(1),
        memory: Some(32 << 20),
    };
    let Some(checked) = check(check_dataset(&*reader, registry, &options)) else {
        return;
    };
    let keeps_suspect = input.len().is_multiple_of(2);
    let left = Salvage::new(&*reader, &checked, keeps_suspect);
    let Some(saved) = copy_of(&left) else { return };
    let Some(reader) = check(format::open(Arc::new(saved), registry)) else {
        panic!("what was saved cannot be read");
    };
    if let Some(again) = check(check_dataset(&*reader, registry, &options)) {
        assert_eq!(again.faults, [], "what was saved is sound");
    }
}

/// A netCDF-4 copy in memory; `None` if it cannot be made.
fn copy_of(reader: &dyn Reader) -> Option<Vec<u8>> {
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..CopyOptions::default()
    };
    let plan = check(plan(reader, &options))?;
    let prepared = check(prepare(reader, &plan))?;
    let output = Arc::new(MemoryOutput::new());
    let target: Arc<dyn Output> = output.clone();
    let writer = check(format::create(
        Destination::object("", target),
        &plan.schema,
        &prepared.plans,
    ))?;
    let run = RunOptions {
        threads: Some(1),
        ..RunOptions::default()
    };
    check(copy::run(reader, &prepared, writer, &run))?;
    Some(output.bytes())
}
