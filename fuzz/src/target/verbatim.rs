//! Fuzzes copies of HDF5 as it is: what opens is copied, opens again, and reads the same.

use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::filter::Registry;
use ncutils_core::format::netcdf4::verbatim::Verbatim;
use ncutils_core::model::Kind;
use ncutils_core::store::{Destination, MemoryOutput};

use super::copy::{compare, is_small};
use super::dataset::check;

/// Copies the file. Its last byte says whether it is compressed.
pub fn copy(input: &[u8]) {
    let registry = Registry::builtin();
    let Some(source) = check(Verbatim::open(Arc::new(input.to_vec()), &registry)) else {
        return;
    };
    if !is_small(source.reader()) {
        return;
    }
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        deflate: input.last().is_some_and(|byte| byte % 2 == 1).then_some(1),
        ..CopyOptions::default()
    };
    let Some(copied) = copy_of(&source, &options) else {
        return;
    };
    let copied = check(Verbatim::open(Arc::new(copied), &registry)).expect("a copy can be opened");
    compare(source.reader(), copied.reader());
}

/// A copy in memory; `None` if it cannot be made.
fn copy_of(source: &Verbatim, options: &CopyOptions) -> Option<Vec<u8>> {
    let plan = check(plan(source.reader(), options))?;
    let prepared = check(prepare(source.reader(), &plan))?;
    let output = Arc::new(MemoryOutput::new());
    let target = Destination::object("copy", output.clone());
    let writer = check(source.create(&target, &plan.schema, &prepared.plans, source.addressed()))?;
    let run = RunOptions {
        threads: Some(2),
        memory: Some(1 << 20),
        ..RunOptions::default()
    };
    check(copy::run(source.reader(), &prepared, writer, &run))?;
    Some(output.bytes())
}
