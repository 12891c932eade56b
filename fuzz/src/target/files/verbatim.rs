//! Fuzzes copies of HDF5 as it is: what opens is copied, opens again, and reads the same. What is left of a damaged file is
//! copied too.

use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, Listed, for_selected, plan, select_objects};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::filter::Registry;
use ncutils_core::format::Reader;
use ncutils_core::format::netcdf4::verbatim::{EmptyShapes, Selection, Verbatim};
use ncutils_core::integrity::{CheckOptions, Salvage, check as check_dataset};
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
    if !small(&source) {
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
            names: vec![first.name.clone().into()],
            define_others: choice & 4 != 0,
        });
        let Some(selection) = check(select_objects(&source, &options)) else {
            return;
        };
        let Some(selected) = check(Verbatim::open_selected(object, &registry, selection)) else {
            return;
        };
        source = selected;
        let Some(selected) = check(for_selected(&source, None, &options)) else {
            return;
        };
        options = selected;
    }
    let Some(copied) = copy_of(&source, (source.reader(), source.addressed()), &options) else {
        return;
    };
    let copied = check(Verbatim::open(Arc::new(copied), &registry)).expect("a copy can be opened");
    if options.variables.is_none() {
        compare(source.reader(), copied.reader());
    }
}

/// Copies what is left of the file.
pub fn salvage(input: &[u8]) {
    let registry = Registry::builtin();
    let opened = Verbatim::open_damaged(Arc::new(input.to_vec()), &registry, Selection::default());
    let Some(source) = check(opened).filter(small) else {
        return;
    };
    let work = CheckOptions {
        threads: Some(1),
        memory: Some(32 << 20),
    };
    let (reader, addressed) = (source.reader(), source.addressed());
    let faults = |reader| check(check_dataset(reader, &registry, &work));
    let (Some(of_reader), Some(of_addressed)) = (faults(reader), faults(addressed)) else {
        return;
    };
    let keeps_suspect = input.len().is_multiple_of(2);
    let left = Salvage::new(reader, &of_reader, keeps_suspect);
    let left_addressed = Salvage::new(addressed, &of_addressed, keeps_suspect);
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..CopyOptions::default()
    };
    let Some(copied) = copy_of(&source, (&left, &left_addressed), &options) else {
        return;
    };
    let copied = check(Verbatim::open(Arc::new(copied), &registry)).expect("a copy can be opened");
    for reader in [copied.reader(), copied.addressed()] {
        let checked = check(check_dataset(reader, &registry, &work)).expect("a copy can be checked");
        assert!(checked.faults.is_empty(), "{}", checked.faults[0]);
    }
}

/// True if the datasets and their chunks are small enough for a test.
fn small(source: &Verbatim) -> bool {
    is_small(source.reader()) && is_small(source.addressed())
}

/// A copy in memory; `None` if it cannot be made.
fn copy_of(
    source: &Verbatim,
    (reader, addressed): (&dyn Reader, &dyn Reader),
    options: &CopyOptions,
) -> Option<Vec<u8>> {
    let plan = check(plan(reader, options))?;
    let prepared = check(prepare(reader, &plan))?;
    let output = Arc::new(MemoryOutput::new());
    let target = Destination::object("copy", output.clone());
    let writer = check(source.create(
        &target,
        &plan.schema,
        &prepared.plans,
        addressed,
        &EmptyShapes::new(),
    ))?;
    let run = RunOptions {
        threads: Some(2),
        memory: Some(1 << 20),
        ..RunOptions::default()
    };
    check(copy::run(reader, &prepared, writer, &run))?;
    Some(output.bytes())
}
