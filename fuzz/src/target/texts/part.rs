//! Fuzzes the languages that choose parts of a dataset, and the search for the cells that they mean.
//!
//! The first line is an argument of `--sel`, the second one of `--isel`. Both are taken of a dataset with coordinates of
//! several types. What opens is read whole.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use ncutils_core::filter::Registry;
use ncutils_core::format::{self, Reader, Region};
use ncutils_core::model::VarId;
use ncutils_core::store::Input;
use ncutils_core::subset::index::IndexRequest;
use ncutils_core::subset::value::ValueRequest;
use ncutils_core::subset::{Subset, SubsetRequest};

use crate::Seed;

/// A classic file, made by `testdata/parts/make.py`.
const FILE: &[u8] = include_bytes!("../../../../testdata/parts/coordinates.nc");

fn dataset() -> Option<&'static dyn Reader> {
    static DATASET: OnceLock<Option<Box<dyn Reader>>> = OnceLock::new();
    let open = || {
        let input = Input::object("coordinates.nc", Arc::new(FILE.to_vec()));
        format::open(input, &Registry::builtin()).ok()
    };
    DATASET.get_or_init(open).as_deref()
}

/// Takes the part that two lines of text choose.
pub fn choose(input: &[u8]) {
    let (Ok(text), Some(reader)) = (std::str::from_utf8(input), dataset()) else {
        return;
    };
    let mut lines = text.split('\n');
    let values = lines.next().and_then(|line| ValueRequest::parse(line).ok());
    let indices = lines.next().and_then(|line| IndexRequest::parse(line).ok());
    let request = SubsetRequest {
        indices: indices.unwrap_or_default(),
        values: values.unwrap_or_default(),
    };
    let Ok(part) = Subset::new(reader, &request, &Registry::builtin()) else {
        return;
    };
    for n in 0..part.schema().vars.len() {
        let whole = Region::whole(&part.schema().shape(VarId(n)));
        let count = whole.element_count().unwrap_or(u64::MAX);
        assert!(whole.fits(&reader.schema().shape(VarId(n))), "{request:?}");
        if let Some(selections) = part.selections(VarId(n)) {
            let chosen = selections.iter().filter_map(|s| s.target().element_count());
            assert_eq!(chosen.sum::<u64>(), count, "{request:?}");
        }
        // A longitude of a small type may not fit across the seam.
        let _ = part.read_region(VarId(n), &whole);
    }
}

/// Seeds: each form of both languages.
pub fn seeds(_: &Path) -> Vec<Seed> {
    [
        "lat=-10..10/2\ntime=5",
        "lat~7.3,-88\ntime=1:9:3,0,-1",
        "lon=-20..20\ntime=::2",
        "lon=350..10,100,200..\ntime=-3:",
        "time=2000-01-05..2000-02\nlat=0",
        "time=2000-01-05T12:30:00.5..,3\nlon=:5",
        "time~2000-02-29\nlat=0:3,1:4",
        "packed=0.1..0.3,0.7\nlat=1",
        "letter=a,c\nlon=7",
        "lat=..\n/lon=:",
    ]
    .map(Seed::text)
    .into()
}
