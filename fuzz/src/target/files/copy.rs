//! Fuzzes a whole copy in memory: a readable dataset can be written, and reads the same afterwards.

use std::sync::Arc;

use ncutils_core::copy::plan::{ChunkSpec, CopyOptions, ShardSpec, plan};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::filter::spec;
use ncutils_core::format::{self, Reader};
use ncutils_core::model::{IndexLocation, Kind, VarId};
use ncutils_core::store::{Destination, MemoryKeys, MemoryOutput, Output};

use super::dataset::{check, corner, open};

/// Maximum size of a dataset that is copied, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Copies the file. Its last byte selects the options.
pub fn copy(input: &[u8]) {
    let Some(reader) = open(input) else { return };
    if is_small(&*reader) {
        let choice = input.last().copied().unwrap_or(0);
        copy_with(&*reader, &options(choice));
    }
}

/// True if a dataset is small enough to be copied.
pub fn is_small(reader: &dyn Reader) -> bool {
    let schema = reader.schema();
    let bytes = (0..schema.vars.len()).fold(0u64, |n, var| {
        let layout = reader.layout(VarId(var));
        let chunk = layout
            .chunk_shape()
            .iter()
            .fold(layout.element_size as u64, |n, d| n.saturating_mul(*d));
        let size = schema.type_size(schema.vars[var].ty).max(1) as u64;
        let whole = schema
            .shape(VarId(var))
            .iter()
            .fold(size, |n, d| n.saturating_mul(*d));
        n.saturating_add(whole).saturating_add(chunk)
    });
    bytes <= MAX_BYTES
}

/// Copies a dataset to netCDF-4.
pub fn copy_to_netcdf4(reader: &dyn Reader, choice: u8) {
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..options(choice % 2)
    };
    copy_with(reader, &options);
}

/// Copies a dataset to version 3 of Zarr.
pub fn copy_to_zarr3(reader: &dyn Reader, choice: u8) {
    let shards = ["none", "auto", "64", "300"][usize::from(choice % 4)];
    let options = CopyOptions {
        kind: Some(Kind::Zarr3),
        shards: match choice & 4 {
            0 => ShardSpec::parse(shards).into_iter().collect(),
            _ => Vec::new(),
        },
        shard_index: (choice & 8 != 0).then_some(IndexLocation::Start),
        skip_fill: choice & 16 != 0,
        filters: match choice & 96 {
            96 => spec::parse("*,1,1").into_iter().collect(),
            _ => Vec::new(),
        },
        ..CopyOptions::default()
    };
    copy_with(reader, &options);
}

fn copy_with(reader: &dyn Reader, options: &CopyOptions) {
    let Some(plan) = check(plan(reader, options)) else {
        return;
    };
    let Some(prepared) = check(prepare(reader, &plan)) else {
        return;
    };
    let (file, keys) = (Arc::new(MemoryOutput::new()), MemoryKeys::new());
    let destination: Destination = match plan.schema.kind.can().shards {
        true => Destination::keys("", Arc::new(keys.output())),
        false => (Arc::clone(&file) as Arc<dyn Output>).into(),
    };
    let Some(writer) = check(format::create(destination, &plan.schema, &prepared.plans)) else {
        return;
    };
    let run = RunOptions {
        threads: Some(2),
        memory: Some(1 << 20),
        ..RunOptions::default()
    };
    if check(copy::run(reader, &prepared, writer, &run)).is_some() {
        let copied = match plan.schema.kind.can().shards {
            true => super::super::keys::zarr::open(keys),
            false => open(&file.bytes()),
        };
        compare(reader, &*copied.expect("a copy can be opened"));
    }
}

fn options(choice: u8) -> CopyOptions {
    let mut options = CopyOptions::default();
    match choice % 8 {
        0 => {}
        1 => {
            options.deflate = Some(1);
            options.shuffle = true;
        }
        2 => options.kind = Some(Kind::Netcdf4),
        3 => options.kind = Some(Kind::Offset64),
        4 => options.filters = spec::parse("*,3|4,32,8").into_iter().collect(),
        5 => options.chunking = ChunkSpec::parse("/").into_iter().collect(),
        6 => options.filters = spec::parse("none").into_iter().collect(),
        _ => options.fix_unlimited = true,
    }
    options
}

/// Checks that both have the same variables and values.
pub fn compare(input: &dyn Reader, output: &dyn Reader) {
    let (from, to) = (input.schema(), output.schema());
    assert_eq!(from.groups.len(), to.groups.len(), "as many groups");
    assert_eq!(from.dims.len(), to.dims.len(), "as many dimensions");
    assert_eq!(from.vars.len(), to.vars.len(), "as many variables");
    for var in (0..from.vars.len()).map(VarId) {
        let path = from.var_path(var);
        let copied = (0..to.vars.len()).map(VarId).find(|v| to.var_path(*v) == path);
        let copied = copied.unwrap_or_else(|| panic!("{path} is in the copy"));
        assert_eq!(from.shape(var), to.shape(copied), "{path}: the same shape");
        let Some(region) = corner(&from.shape(var)) else {
            continue;
        };
        if input.layout(var).fill.no_fill {
            // Elements never written are undefined, and may become fill.
            continue;
        }
        // A region that cannot be read was not written either, or the copy would have failed. It may lie partly outside
        // the extent.
        if let (Some(a), Some(b)) = (
            check(input.read_region(var, &region)),
            check(output.read_region(copied, &region)),
        ) && !from.has_heap(from.var(var).ty)
        {
            assert!(a == b, "{path}: the same values");
        }
    }
}
