//! A store that fails is no damage: no copy of what is left of a file comes of it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ncutils_core::copy::plan::{CopyOptions, plan};
use ncutils_core::copy::{self, RunOptions, prepare};
use ncutils_core::filter::Registry;
use ncutils_core::format::Reader;
use ncutils_core::format::netcdf4::verbatim::{EmptyShapes, Selection, Verbatim};
use ncutils_core::integrity::{CheckOptions, Salvage, check};
use ncutils_core::model::Kind;
use ncutils_core::store::{Destination, MemoryOutput, Object};

/// An object of which one read fails.
struct Failing {
    bytes: Vec<u8>,
    reads: AtomicUsize,
    fails: usize,
}

impl Object for Failing {
    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.bytes.len() as u64))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        match self.reads.fetch_add(1, Ordering::Relaxed) == self.fails {
            true => Err(io::Error::other("the store failed")),
            false => self.bytes.read_exact_at(offset, buf),
        }
    }
}

/// Copies what is left of HDF5 as it is. The error is a line.
fn salvaged(object: Arc<dyn Object>) -> Result<Vec<u8>, String> {
    let registry = Registry::builtin();
    let told = |error: ncutils_core::Error| error.to_string();
    let source = Verbatim::open_damaged(object, &registry, Selection::default()).map_err(told)?;
    let work = CheckOptions {
        threads: Some(1),
        memory: None,
    };
    let left = |reader| {
        let checked = check(reader, &registry, &work).map_err(told)?;
        match checked.faults.iter().find(|fault| fault.is_failure) {
            Some(failure) => Err(failure.to_string()),
            None => Ok(Salvage::new(reader, &checked, false)),
        }
    };
    let (reader, addressed) = (left(source.reader())?, left(source.addressed())?);
    let options = CopyOptions {
        kind: Some(Kind::Netcdf4),
        ..CopyOptions::default()
    };
    let plan = plan(&reader, &options).map_err(told)?;
    let prepared = prepare(&reader, &plan).map_err(told)?;
    let output = Arc::new(MemoryOutput::new());
    let target = Destination::object("copy", output.clone());
    let addressed: &dyn Reader = &addressed;
    let writer = source
        .create(
            &target,
            &plan.schema,
            &prepared.plans,
            addressed,
            &EmptyShapes::new(),
        )
        .map_err(told)?;
    copy::run(&reader, &prepared, writer, &RunOptions::default()).map_err(told)?;
    assert!(source.lost_elements().is_empty());
    Ok(output.bytes())
}

#[test]
fn no_failed_read_counts_as_damage() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/netcdf4/");
    for name in [
        "h5_strings.h5",
        "h5_layouts.h5",
        "h5_links.h5",
        "nc_user_types.nc",
        "scattered.nc",
    ] {
        let bytes = std::fs::read(format!("{folder}{name}")).unwrap();
        let whole = salvaged(Arc::new(bytes.clone())).unwrap();
        let mut fails = 0;
        loop {
            let object = Arc::new(Failing {
                bytes: bytes.clone(),
                reads: AtomicUsize::new(0),
                fails,
            });
            match salvaged(object.clone()) {
                Err(told) => assert!(told.contains("the store failed"), "{name}: read {fails}: {told}"),
                Ok(copied) => {
                    assert!(copied == whole, "{name}: read {fails}");
                    if object.reads.load(Ordering::Relaxed) <= fails {
                        break;
                    }
                }
            }
            fails += 1;
        }
        assert!(fails >= 4, "{name}: {fails} reads");
    }
}
