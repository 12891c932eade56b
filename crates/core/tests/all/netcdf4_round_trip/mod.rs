//! Random datasets, written as netCDF-4 and read back: structure, layout and values must be those that were written,
//! and the bytes the same in whichever order the pieces come.

mod compare;
mod dataset;
mod random;

use std::sync::Arc;

use ncutils_core::filter::Registry;
use ncutils_core::format;
use ncutils_core::model::{Kind, Schema, Storage, Type, Values};
use ncutils_core::store::MemoryOutput;
use proptest::prelude::*;

use crate::support::whole_variables::Dataset;
use compare::compare;
use dataset::dataset;
use random::Random;

fn bytes_of(d: &Dataset, seed: Option<u64>) -> Vec<u8> {
    let output = Arc::new(MemoryOutput::new());
    d.write_in_order(output.clone(), |pieces| {
        if let Some(seed) = seed {
            let mut random = Random(seed);
            for i in (1..pieces.len()).rev() {
                pieces.swap(i, random.below(i + 1));
            }
        }
    })
    .unwrap();
    assert!(output.committed());
    output.bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(seed in any::<u64>()) {
        let d = dataset(seed);
        let bytes = bytes_of(&d, None);
        let reader = format::open(Arc::new(bytes), &Registry::builtin()).unwrap();
        compare(&d, &*reader);
    }

    #[test]
    fn the_order_of_pieces_changes_no_byte(seed in any::<u64>()) {
        let d = dataset(seed);
        prop_assert!(bytes_of(&d, None) == bytes_of(&d, Some(seed)), "the bytes differ");
    }
}

/// Compact storage holds what HDF5's does, to the byte.
#[test]
fn compact_variables_of_any_size_that_hdf5_has() {
    for size in [65_001, 65_200, 65_531, 65_532] {
        let mut d = Dataset::new(Kind::Netcdf4);
        let x = d.dim(Schema::ROOT, "x", size, false);
        let bytes = (0..size).map(|i| (i % 251) as u8).collect();
        let var = d.var(
            Schema::ROOT,
            "v",
            Type::UByte,
            &[x],
            None,
            Some(Values::from_bytes(bytes)),
        );
        d.layout(var).storage = Storage::Compact;
        let output = Arc::new(MemoryOutput::new());
        match d.write(output.clone()) {
            Ok(()) => compare(
                &d,
                &*format::open(Arc::new(output.bytes()), &Registry::builtin()).unwrap(),
            ),
            Err(e) => assert!(size == 65_532 && e.to_string().contains("65531"), "{size}: {e}"),
        }
    }
}
