//! Zarr version 3 and its shards: chunks that pass untouched, what a shard holds, requests to a store, random datasets, and
//! what no program writes.

mod counted;
mod documents;
mod fixtures;
mod hostile;
mod passed;
mod random;
mod requests;
mod shards;

use std::collections::BTreeMap;
use std::sync::Arc;

use ncutils_core::copy::plan::{CopyOptions, ShardSpec, plan};
use ncutils_core::copy::{self, RouteName, RunOptions, prepare};
use ncutils_core::error::Result;
use ncutils_core::filter::Registry;
use ncutils_core::format::{self, Reader};
use ncutils_core::model::{IndexLocation, Kind, Schema, Type, Values, VarId};
use ncutils_core::print::{DataOf, DumpOptions, cdl};
use ncutils_core::store::{
    Destination, GetRange, Input, KeyOutput, KeyStore, MemoryKeys, MemoryOutput, Output, ZipKeys, ZipOutput,
};

use crate::support::whole_variables::Dataset;

/// A dataset that was written.
#[derive(Clone)]
enum Stored {
    File(Vec<u8>),
    Keys(MemoryKeys),
    Zip(Vec<u8>),
}

impl Stored {
    fn open(&self, registry: &Registry) -> Box<dyn Reader> {
        match self {
            Self::File(bytes) => format::open(Arc::new(bytes.clone()), registry),
            _ => format::open(Input::keys("", self.keys()), registry),
        }
        .unwrap()
    }

    fn keys(&self) -> Arc<dyn KeyStore> {
        match self {
            Self::File(_) => panic!("a file has no keys"),
            Self::Keys(keys) => Arc::new(keys.clone()),
            Self::Zip(bytes) => Arc::new(ZipKeys::open(Arc::new(bytes.clone())).unwrap()),
        }
    }

    /// All keys with their values.
    fn values(&self) -> BTreeMap<String, Vec<u8>> {
        let keys = self.keys();
        let names = keys.list("").unwrap().into_iter();
        names
            .map(|name| {
                let value = keys.get(&name, GetRange::Whole).unwrap().unwrap();
                (name, value)
            })
            .collect()
    }
}

/// Options of a copy to a kind.
fn to(kind: Kind, registry: &Registry) -> CopyOptions {
    CopyOptions {
        kind: Some(kind),
        registry: registry.clone(),
        ..CopyOptions::default()
    }
}

/// Options of a copy to version 3, with `--shard` and `--shard-index`.
fn to_shards(shard: &str, index: IndexLocation, registry: &Registry) -> CopyOptions {
    CopyOptions {
        shards: vec![ShardSpec::parse(shard).unwrap()],
        shard_index: Some(index),
        ..to(Kind::Zarr3, registry)
    }
}

/// The result of a copy: the output, the routes of its variables, and the peak of memory.
struct Copied {
    stored: Stored,
    routes: Vec<RouteName>,
    peak: u64,
}

fn copy_with(reader: &dyn Reader, options: &CopyOptions, run: &RunOptions, zip: bool) -> Result<Copied> {
    let plan = plan(reader, options)?;
    let prepared = prepare(reader, &plan)?;
    let memory = Arc::new(MemoryOutput::new());
    let keys = MemoryKeys::new();
    let output: Destination = match (plan.schema.kind, zip) {
        (Kind::Zarr2 | Kind::Nczarr | Kind::Zarr3, false) => {
            let output: Arc<dyn KeyOutput> = Arc::new(keys.output());
            Destination::keys("", output)
        }
        (_, true) => {
            let zip = ZipOutput::create(Arc::clone(&memory) as Arc<dyn Output>, None).unwrap();
            Destination::keys("", Arc::new(zip))
        }
        _ => (Arc::clone(&memory) as Arc<dyn Output>).into(),
    };
    let writer = format::create(output, &plan.schema, &prepared.plans)?;
    let report = copy::run(reader, &prepared, writer, run)?;
    let stored = match (plan.schema.kind, zip) {
        (_, true) => Stored::Zip(memory.bytes()),
        (Kind::Zarr2 | Kind::Nczarr | Kind::Zarr3, _) => Stored::Keys(keys),
        _ => Stored::File(memory.bytes()),
    };
    Ok(Copied {
        stored,
        routes: report
            .variables()
            .iter()
            .filter_map(|variable| variable.routes.only())
            .collect(),
        peak: report.peak(),
    })
}

fn copied(reader: &dyn Reader, options: &CopyOptions) -> Copied {
    copy_with(reader, options, &RunOptions::default(), false).unwrap()
}

/// The encoded chunks of all variables, by variable and number.
fn chunks(reader: &dyn Reader) -> BTreeMap<(String, u64), Vec<u8>> {
    let mut found = BTreeMap::new();
    for var in (0..reader.schema().vars.len()).map(VarId) {
        let layout = reader.layout(var);
        let grid = ncutils_core::chunk::ChunkGrid::new(&layout.extent, layout.chunk_shape()).unwrap();
        for chunk in reader.written(var).unwrap().chunks(&grid) {
            if let Some(data) = reader.read_encoded_chunk(var, chunk).unwrap() {
                assert_eq!(data.filter_mask, 0);
                found.insert((reader.schema().var_path(var), chunk), data.bytes);
            }
        }
    }
    found
}

/// The data of everything that ncdump prints.
fn text(reader: &dyn Reader) -> String {
    let mut out = Vec::new();
    let options = DumpOptions {
        data: DataOf::All,
        ..DumpOptions::default()
    };
    cdl::dump(reader, "x", &options, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text[text.find("data:").unwrap()..].to_owned()
}

/// The value of netCDF's own fill of an int.
const FILL: i32 = -2_147_483_647;

/// A netCDF-4 file of two variables of ints in chunks of 4 by 7 by 5. Chunks that `holes` takes, by the number of their
/// first plane and row, hold only fill values.
fn source(holes: impl Fn(u64, u64) -> bool) -> Box<dyn Reader> {
    let mut dataset = Dataset::new(Kind::Netcdf4);
    let root = Schema::ROOT;
    let dims = [("z", 22), ("y", 34), ("x", 10)].map(|(name, length)| dataset.dim(root, name, length, false));
    for name in ["v", "w"] {
        let mut values = Vec::new();
        for z in 0..22 {
            for y in 0..34 {
                for x in 0..10 {
                    let is_hole = holes(z / 4 * 4, y / 7 * 7);
                    let number = (z * 1000 + y * 10 + x) as i32;
                    values.extend(if is_hole { FILL } else { number }.to_le_bytes());
                }
            }
        }
        let values = Some(Values::from_bytes(values));
        dataset.var(root, name, Type::Int, &dims, Some(&[4, 7, 5]), values);
    }
    let output = Arc::new(MemoryOutput::new());
    dataset.write(output.clone()).unwrap();
    format::open(Arc::new(output.bytes()), &Registry::builtin()).unwrap()
}
