//! Fuzzes copies of HDF5 as it is: what opens is copied, opens again, and reads the same.

use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, Listed, for_selected, plan, select_objects};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::filter::Registry;
use ncutils_core::format::netcdf4::verbatim::Verbatim;
use ncutils_core::model::Kind;
use ncutils_core::store::{Destination, MemoryOutput};

use super::copy::{compare, is_small};
use super::dataset::check;

/// Copies the file. Its last byte says whether it is compressed, and whether one of its datasets is copied alone.
pub fn copy(input: &[u8]) {
    let registry = Registry::builtin();
    let object = Arc::new(input.to_vec());
    let Some(mut source) = check(Verbatim::open(object.clone(), &registry)) else {
        return;
    };
    if !is_small(source.reader()) {
        return;
    }
    let choice = input.last().copied().unwrap_or(0);
    let mut options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        deflate: (choice & 1 != 0).then_some(1),
        ..CopyOptions::default()
    };
    if choice & 2 != 0
        && let Some(first) = source.reader().schema().vars.first()
    {
        options.variables = Some(Listed {
            names: vec![first.name.clone()],
            define_others: choice & 4 != 0,
        });
        let Some(selection) = check(select_objects(&source, &options)) else {
            return;
        };
        let Some(selected) = check(Verbatim::open_selected(object, &registry, selection)) else {
            return;
        };
        source = selected;
        options = for_selected(&source, &options);
    }
    let Some(copied) = copy_of(&source, &options) else {
        return;
    };
    let copied = check(Verbatim::open(Arc::new(copied), &registry)).expect("a copy can be opened");
    if options.variables.is_none() {
        compare(source.reader(), copied.reader());
    }
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
